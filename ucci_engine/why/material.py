"""What a line wins: material, counted at a quiet end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ucci_engine.why.plain_board import PlainBoard, side_of, value_of

_ORDER = "RCNABP"
_EQUAL = 0.6
"""A cannon for a horse is an even exchange."""


class Gain(NamedTuple):
    """What a side wins in a line, without pieces that both lose."""

    plies: int
    """Of the line, to the quiet end at which it is so."""
    won: str
    """The kinds of pieces, the most valuable first: ``RN``."""
    paid: str
    value: float
    """Of what is won, less what is paid."""


def gain_of(boards: Sequence[PlainBoard], line: Sequence[int], side: int) -> Gain:
    """What a side has won at the line's last quiet end, counted at the first quiet end from which it stays so.
    Negative values: it has lost."""
    won, paid = "", ""
    ends = [Gain(0, "", "", 0.0)]
    for ply, move in enumerate(line, 1):
        captured = boards[ply - 1].pieces.get(move >> 7)
        if captured is not None:
            if side_of(captured) == side:
                paid += captured.upper()
            else:
                won += captured.upper()
        is_taken_next = ply < len(line) and line[ply] >> 7 == move >> 7
        if not is_taken_next and is_quiet(boards[ply]):
            ends.append(_gain(ply, won, paid))
    last = ends[-1]
    first = next(at for at in range(len(ends)) if all(abs(end.value - last.value) < _EQUAL for end in ends[at:]))
    return ends[first]


def balance_of(boards: Sequence[PlainBoard], line: Sequence[int], side: int) -> float:
    """What a side is ahead at the end of the line, quiet or not."""
    captured = [boards[ply].pieces[move >> 7] for ply, move in enumerate(line) if move >> 7 in boards[ply].pieces]
    return sum(-value_of(piece) if side_of(piece) == side else value_of(piece) for piece in captured)


def _gain(ply: int, won: str, paid: str) -> Gain:
    has, lost = Counter(won), Counter(paid)
    kept, gone = _sorted(has - lost), _sorted(lost - has)
    return Gain(ply, kept, gone, sum(map(value_of, kept)) - sum(map(value_of, gone)))


def _sorted(pieces: Counter[str]) -> str:
    return "".join(sorted(pieces.elements(), key=_ORDER.index))


def is_quiet(board: PlainBoard) -> bool:
    """Whether the side on turn is not in check and has no capture that wins at once."""
    side = board.side
    if board.is_checked(side):
        return False
    return not any(wins_at_once(board, move) for move in board.legal_moves(side) if move >> 7 in board.pieces)


def wins_at_once(board: PlainBoard, capture: int) -> bool:
    """Whether a capture takes more than it costs: an unguarded piece, or one that is worth more than the captor."""
    captured, captor = board.pieces[capture >> 7], board.pieces[capture & 127]
    if value_of(captured) > value_of(captor) + _EQUAL:
        return True
    return not any(move >> 7 == capture >> 7 for move in _replies(board, capture))


def _replies(board: PlainBoard, capture: int) -> list[int]:
    after = board.after(capture)
    guards = after.attackers(capture >> 7, after.side)
    return [move for guard in guards for move in after.moves_from(guard)]
