"""A board to look at one line with: who attacks a point, also out of turn, which Position does not say."""

from __future__ import annotations

from collections.abc import Iterator

from ucci_engine.points import parse_move

RED, BLACK = 0, 1
VALUES = {"R": 9.0, "C": 4.5, "N": 4.0, "A": 2.0, "B": 2.0, "P": 1.0, "K": 100.0}
"""What a piece counts in an exchange. A pawn beyond the river counts like any other: it is a matter of a motif's
name, not of an evaluation."""


def side_of(piece: str) -> int:
    return BLACK if piece.islower() else RED


def value_of(piece: str) -> float:
    return VALUES[piece.upper()]


def _offset(square: int, files: int, ranks: int) -> int | None:
    """A point so many files and ranks away; None: off the board."""
    file, rank = square % 9 + files, square // 9 + ranks
    return rank * 9 + file if 0 <= file < 9 and 0 <= rank < 10 else None


class PlainBoard:
    """The pieces by square, and who moves."""

    def __init__(self, fen: str) -> None:
        placement, side = fen.split()[:2]
        self.side = BLACK if side == "b" else RED
        self.pieces: dict[int, str] = {}
        for rank, row in zip(range(9, -1, -1), placement.split("/")):
            file = 0
            for one in row:
                if one.isdigit():
                    file += int(one)
                else:
                    self.pieces[rank * 9 + file] = one
                    file += 1

    def copy(self) -> PlainBoard:
        other = PlainBoard.__new__(PlainBoard)
        other.side, other.pieces = self.side, dict(self.pieces)
        return other

    def after(self, move: int) -> PlainBoard:
        """The board after a move, whoever makes it."""
        other = self.copy()
        other.pieces[move >> 7] = other.pieces.pop(move & 127)
        other.side = 1 - side_of(other.pieces[move >> 7])
        return other

    def seen_from(self, square: int) -> Iterator[int]:
        """The points that the piece there attacks or guards, legal or not. An empty point counts if the piece could
        capture there."""
        piece = self.pieces[square]
        side, kind = side_of(piece), piece.upper()
        ahead = 1 if side == RED else -1
        if kind in "RC":
            for files, ranks in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                yield from self._along(square, files, ranks, kind == "C")
        elif kind == "N":
            for files, ranks in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                leg = _offset(square, files, ranks)
                if leg is not None and leg not in self.pieces:
                    for across in (1, -1):
                        yield from _known(_offset(leg, files or across, ranks or across))
        elif kind == "P":
            yield from _known(_offset(square, 0, ahead))
            if (square // 9 > 4) == (side == RED):
                yield from _known(_offset(square, 1, 0))
                yield from _known(_offset(square, -1, 0))
        elif kind == "B":
            for files, ranks in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                eye, target = _offset(square, files, ranks), _offset(square, 2 * files, 2 * ranks)
                if target is not None and eye not in self.pieces and (target // 9 < 5) == (side == RED):
                    yield target
        else:
            steps = ((1, 1), (1, -1), (-1, 1), (-1, -1)) if kind == "A" else ((1, 0), (-1, 0), (0, 1), (0, -1))
            for files, ranks in steps:
                target = _offset(square, files, ranks)
                if (
                    target is not None
                    and target % 9 in (3, 4, 5)
                    and (target // 9 < 3 if side == RED else target // 9 > 6)
                ):
                    yield target

    def _along(self, square: int, files: int, ranks: int, over_screen: bool) -> Iterator[int]:
        has_screen = False
        target = _offset(square, files, ranks)
        while target is not None:
            if has_screen or not over_screen:
                yield target
            if target in self.pieces:
                if has_screen or not over_screen:
                    return
                has_screen = True
            target = _offset(target, files, ranks)

    def attackers(self, target: int, side: int) -> list[int]:
        """Where pieces of a side stand that attack or guard a point, legal or not."""
        return [
            square
            for square, piece in self.pieces.items()
            if side_of(piece) == side and target in self.seen_from(square)
        ]

    def moves_from(self, square: int) -> Iterator[int]:
        """The legal moves of a piece, whoever is on turn."""
        piece = self.pieces[square]
        side = side_of(piece)
        targets = set(self.seen_from(square))
        if piece.upper() == "C":  # it moves as a rook and captures over a screen
            targets = {target for target in targets if target in self.pieces}
            for files, ranks in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                targets.update(t for t in self._along(square, files, ranks, False) if t not in self.pieces)
        for target in sorted(targets):
            if target in self.pieces and side_of(self.pieces[target]) == side:
                continue
            move = square | target << 7
            if self.is_safe(move):
                yield move

    def is_safe(self, move: int) -> bool:
        """Whether a move leaves its own king out of check."""
        return not self.after(move).is_checked(side_of(self.pieces[move & 127]))

    def captures(self, side: int) -> Iterator[int]:
        """The legal captures of a side."""
        for square, piece in self.pieces.items():
            if side_of(piece) == side:
                for target in self.seen_from(square):
                    move = square | target << 7
                    if target in self.pieces and side_of(self.pieces[target]) != side and self.is_safe(move):
                        yield move

    def legal_moves(self, side: int) -> Iterator[int]:
        for square in [square for square, piece in self.pieces.items() if side_of(piece) == side]:
            yield from self.moves_from(square)

    def king(self, side: int) -> int:
        return next((s for s, piece in self.pieces.items() if piece == ("k" if side else "K")), -1)

    def checkers(self, side: int) -> list[int]:
        """Where the pieces stand that give check to a side."""
        return self.attackers(self.king(side), 1 - side)

    def is_checked(self, side: int) -> bool:
        """Whether a side is in check, or the kings face each other."""
        king, other = self.king(side), self.king(1 - side)
        if king < 0:
            return True
        if king % 9 == other % 9:
            low, high = sorted((king, other))
            if not any(square in self.pieces for square in range(low + 9, high, 9)):
                return True
        return bool(self.checkers(side))

    def has_lost(self, side: int) -> bool:
        """Whether a side has no legal move: in Xiangqi it loses, in check or not."""
        return next(self.legal_moves(side), None) is None


def _known(square: int | None) -> tuple[int, ...]:
    return () if square is None else (square,)


def boards_of(board: PlainBoard, line: list[int]) -> list[PlainBoard]:
    """The boards of a line, the first included."""
    boards = [board]
    for move in line:
        boards.append(boards[-1].after(move))
    return boards


def moves_of(line: tuple[str, ...] | list[str]) -> list[int]:
    return [parse_move(move) for move in line]
