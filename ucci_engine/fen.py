"""Read a FEN: which piece stands where, whose turn it is, and the counters; and write its first part. position.pyx
knows the rules."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from search_core.line_protocol import excerpt
from ucci_engine.points import move_text, square_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LETTERS = "KABNRCPkabnrcp"
"""The standard letter of each kind, 0 to 13; upper case is Red's."""

_ALIASES = {"E": "B", "H": "N", "e": "b", "h": "n"}
_COUNTS = (1, 2, 2, 2, 2, 2, 5)
_MAX_PIECES = 16
_KEPT = 16
"""FENs that are not read again: those of one game are, and many games of a file begin alike."""
_NAMES = ("king", "advisor", "elephant", "horse", "rook", "cannon", "pawn")


class FenError(ValueError):
    """A FEN that describes no Xiangqi position; the message names the bad part."""


class KingCapture(FenError):
    """A FEN in which the side to move can take the king, so that the game is over; `move` takes it."""

    def __init__(self, move: int) -> None:
        super().__init__(f"the game is over: {move_text(move)} takes the king")
        self.move = move


class Fen(NamedTuple):
    """What a FEN says."""

    pieces: tuple[tuple[int, int], ...]
    """(square, kind) of every piece."""
    black_to_move: bool
    halfmove_clock: int
    """Plies since the last capture; 0 if the FEN does not say."""
    full_move: int
    """The number of the move, from 1 on; 1 if the FEN does not say."""

    @property
    def is_playable(self) -> bool:
        """Whether a set has these pieces, and each stands where its kind can come to stand."""
        return _are_playable(self.pieces)

    @property
    def misplaced(self) -> list[str]:
        """The pieces to whose points no move leads, as in composed problems, in words: ``Black pawn on f9``."""
        return [
            f"{_name(kind)} on {square_text(square)}" for square, kind in self.pieces if not _may_stand(kind, square)
        ]


@functools.lru_cache(_KEPT)
def _are_playable(pieces: tuple[tuple[int, int], ...]) -> bool:
    kinds = [kind for _, kind in pieces]
    if any(kinds.count(kind) > _COUNTS[kind % 7] for kind in range(14)):
        return False
    return all(_may_stand(kind, square) for square, kind in pieces)


def _may_stand(kind: int, square: int) -> bool:
    """Whether a piece of a kind can come to stand on a square (0 to 89)."""
    rank, file = divmod(89 - square if kind >= 7 else square, 9)
    match kind % 7:
        case 0 | 1:
            return rank <= 2 and 3 <= file <= 5 and (kind % 7 == 0 or (rank + file) % 2 == 1)
        case 2:
            return rank * 9 + file in (2, 6, 18, 22, 26, 38, 42)
        case 6:
            return rank >= 5 or (rank >= 3 and file % 2 == 0)
    return True


def _name(kind: int) -> str:
    return f"{'Red' if kind < 7 else 'Black'} {_NAMES[kind % 7]}"


@functools.lru_cache(_KEPT)
def _read_pieces(board: str, composed: bool) -> tuple[tuple[int, int], ...]:
    rows = board.split("/")
    if len(rows) != 10:
        raise FenError(f"FEN has {len(rows)} ranks instead of 10: {excerpt(board)}")
    pieces: list[tuple[int, int]] = []
    used = [0] * 14
    for index, row in enumerate(rows):
        file = 0
        for letter in row:
            if letter in "123456789":
                file += int(letter)
                continue
            kind = LETTERS.find(_ALIASES.get(letter, letter))
            if kind < 0:
                raise FenError(f"FEN has an unknown piece {excerpt(letter)} in {excerpt(row)}")
            if file > 8:
                raise FenError(f"FEN rank {excerpt(row)} is longer than 9 files")
            square = (9 - index) * 9 + file
            name = _name(kind)
            most = _MAX_PIECES if composed and kind % 7 else _COUNTS[kind % 7]
            if used[kind] == most:
                raise FenError(f"FEN has more than {most} of {name} '{letter}'")
            if not _may_stand(kind, square) and not (composed and kind % 7):
                palace = "" if kind % 7 else ", outside its palace"
                raise FenError(f"FEN has a {name} where none can stand{palace}: '{letter}' in {excerpt(row)}")
            used[kind] += 1
            pieces.append((square, kind))
            file += 1
        if file != 9:
            raise FenError(f"FEN rank {excerpt(row)} has {file} files instead of 9")
    for kind in (0, 7):
        if not used[kind]:
            raise FenError(f"FEN has no {'Red' if kind == 0 else 'Black'} king")
        if (count := sum(used[kind : kind + 7])) > _MAX_PIECES:
            raise FenError(f"FEN has {count} pieces of {'Red' if kind == 0 else 'Black'}, more than {_MAX_PIECES}")
    return tuple(pieces)


def _read_counter(field: str) -> int:
    if field == "-":
        return 0
    if field.isdigit() and field.isascii() and len(field) <= 6:
        return int(field)
    raise FenError(f"FEN has a bad counter {excerpt(field)}")


def parse_fen(fen: str, *, composed: bool = False) -> Fen:
    """Read a FEN. Raises FenError. Does not check whether a king is attacked.

    `composed`: a side may have more pieces of a kind than a set, but one king and 16 in all, and any piece but a king
    may stand on any point. Empty holdings, `[]` behind the board as servers of chess variants write them, are skipped.
    """
    fields = fen.split()
    if not fields:
        raise FenError("empty FEN")
    board, bracket, holdings = fields[0].partition("[")
    if bracket and holdings.strip("-") != "]":
        raise FenError(f"FEN has pieces in hand, {excerpt(bracket + holdings)}; Xiangqi has none")
    pieces = _read_pieces(board, composed)
    turn = fields[1] if len(fields) > 1 else "w"
    if turn not in ("w", "r", "b", "W", "R", "B"):
        raise FenError(f"FEN has an unknown side to move {excerpt(turn)}, expected w or b")
    for field in fields[2:4]:
        if not all(letter in "-0123456789KQkq" for letter in field):
            raise FenError(f"FEN has {excerpt(field)} where - or a counter is expected")
    if len(fields) > 6:
        raise FenError(f"FEN has {excerpt(fields[6])} behind its counters, expected its end")
    counters = [_read_counter(field) for field in fields[4:6]]
    return Fen(
        pieces=pieces,
        black_to_move=turn in "bB",
        halfmove_clock=counters[0] if counters else 0,
        full_move=max(counters[1], 1) if len(counters) > 1 else 1,
    )


def placement(piece_at: Callable[[int], str]) -> str:
    """The first part of a FEN. `piece_at`: the letter on a square, '' if it is empty."""
    rows = (map(piece_at, range(rank * 9, rank * 9 + 9)) for rank in range(9, -1, -1))
    full = "/".join("".join(letter or "." for letter in row) for row in rows)
    return re.sub(r"\.+", lambda gap: str(len(gap[0])), full)
