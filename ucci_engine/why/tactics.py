"""How a side wins what it wins in a line: forks, pins, discovered attacks and the like. An attack is named only if
the line shows the piece being taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ucci_engine.why.facts import (
    ATTACK,
    CANNOT_TAKE_BACK,
    DISCOVERED_ATTACK,
    DISCOVERED_CHECK,
    DOUBLE_CHECK,
    DRIVEN_GUARD,
    FIRST,
    FORK,
    MATE_THREAT,
    PINNED,
    SKEWER,
    TRAPPED,
    Fact,
)
from ucci_engine.why.material import Gain, wins_at_once
from ucci_engine.why.plain_board import PlainBoard, side_of, value_of

SPECIAL = {DOUBLE_CHECK, DISCOVERED_CHECK, DISCOVERED_ATTACK, FORK, SKEWER}
"""Motifs that are worth a sentence even if nothing is won by them in the end."""
_MOVES = 4
"""Of a side, in which a motif is looked for."""
_PIECE = 2.0
"""The value of what a fork must attack."""
_EQUAL = 0.6
"""A cannon for a horse is an even exchange."""

_Maker = Callable[[str, Sequence[int]], Fact]
"""Makes a fact of a motif and the squares of its pieces."""


class Line:
    """A line, and what becomes of each piece. A piece is known by the square on which it stands at the start."""

    def __init__(self, name: str, boards: Sequence[PlainBoard], moves: Sequence[int]) -> None:
        self.name, self.boards, self.moves = name, boards, moves
        self.origins = [{square: square for square in boards[0].pieces}]
        self.captures: dict[int, int] = {}
        """For a captured piece the index of the move."""
        for index, move in enumerate(moves):
            origins = dict(self.origins[-1])
            captor = origins.pop(move & 127)
            if move >> 7 in origins:
                self.captures[origins[move >> 7]] = index
            origins[move >> 7] = captor
            self.origins.append(origins)


def tactics(line: Line, side: int, gain: Gain) -> list[Fact]:
    """The motifs of a side's first moves by which it gains: the first one, and the most special of the others."""
    indices = [i for i in range(min(len(line.moves), gain.plies)) if line.boards[i].side == side]
    facts = [fact for index in indices[:_MOVES] for fact in _of_move(line, side, index, gain)]
    return [*facts[:1], *sorted(facts[1:], key=lambda fact: fact.motif not in SPECIAL)[:1]]


def _of_move(line: Line, side: int, index: int, gain: Gain) -> Iterator[Fact]:
    move = line.moves[index]
    before, after = line.boards[index], line.boards[index + 1]
    to, piece = move >> 7, before.pieces[move & 127]
    start = FIRST[line.name]
    first = line.moves[start] if index > start else 0
    first_piece = line.boards[start].pieces[first & 127] if first else ""

    def fact(motif: str, squares: Sequence[int] = ()) -> Fact:
        pieces = tuple(after.pieces[square] for square in squares)
        named = (pieces, tuple(squares))
        return Fact(motif, line.name, side, index, move, piece, *named, first=first, first_piece=first_piece)

    checkers = after.checkers(1 - side)
    left = before.copy()
    del left.pieces[move & 127]
    # A cannon to which the move gives a screen is not uncovered.
    uncovered = [square for square in checkers if square != to and square in left.checkers(1 - side)]
    if len(checkers) > 1:
        yield fact(DOUBLE_CHECK, checkers)
    elif uncovered:
        yield fact(DISCOVERED_CHECK, uncovered)
    prey = _prey(line, index, gain)
    yield from _aims(line, index, gain, prey, fact)
    yield from _discovered(line, index, prey, fact)
    if to in before.pieces:
        guards = after.attackers(to, 1 - side)
        if guards and not any(m >> 7 == to for guard in guards for m in after.moves_from(guard)):
            yield fact(CANNOT_TAKE_BACK, guards[:1])
    if not checkers and threatens_mate(after, side):
        yield fact(MATE_THREAT)


def _aims(line: Line, index: int, gain: Gain, prey: Sequence[int], fact: _Maker) -> Iterator[Fact]:
    """What the piece that moves attacks: several, one behind the other, or one."""
    after, to = line.boards[index + 1], line.moves[index] >> 7
    side = 1 - after.side
    seen = list(after.seen_from(to))
    threats = [s for s in seen if _is_threat(after, to, s, side)]
    big = [s for s in threats if value_of(after.pieces[s]) >= _PIECE]
    skewered = _skewered(line, index)
    if len(big) > 1 and any(s in prey for s in big):
        yield fact(FORK, big)
        return
    if skewered is not None and skewered in prey:
        yield fact(SKEWER, (_front(after, to, skewered), skewered))
        return
    later = line.moves[index + 2 :: 2]
    attacked = [s for s in threats if s in prey] or [s for s in seen if s in prey and (to | s << 7) in later]
    driven = _driven_off(line, index, threats)
    if attacked:
        square = max(attacked, key=lambda s: (after.pieces[s].upper() in gain.won, value_of(after.pieces[s])))
        is_trapped = value_of(after.pieces[square]) > _PIECE and _is_trapped(after, square, side)
        yield fact(TRAPPED if is_trapped else ATTACK, (square,))
        pin = _pin(after, square, side)
        if pin is not None:
            yield fact(PINNED, pin)
    elif driven is not None:
        yield fact(DRIVEN_GUARD, driven)


def _prey(line: Line, index: int, gain: Gain) -> list[int]:
    """Where the pieces stand after the move that its side takes later. A pawn counts only if it is part of the gain."""
    after, prey = line.boards[index + 1], []
    for square, origin in line.origins[index + 1].items():
        taken = line.captures.get(origin, -1)
        piece = after.pieces[square]
        is_prey = value_of(piece) >= _PIECE or piece.upper() in gain.won
        if is_prey and index < taken < gain.plies and side_of(piece) == after.side:
            prey.append(square)
    return prey


def _pin(board: PlainBoard, square: int, side: int) -> tuple[int, int, int] | None:
    """If a piece cannot leave since a more valuable one behind it would be taken: the piece of `side` that pins it, the
    piece, and the one behind."""
    value = value_of(board.pieces[square])
    left = board.copy()
    del left.pieces[square]
    for pinner in [s for s, piece in board.pieces.items() if side_of(piece) == side and piece.upper() in "RC"]:
        for behind in left.seen_from(pinner):
            is_behind = behind in left.pieces and square in between_points(pinner, behind)
            if not is_behind or behind in board.seen_from(pinner):
                continue
            is_worth = value >= _PIECE and value_of(left.pieces[behind]) > value + _EQUAL
            if is_worth and _is_threat(left, pinner, behind, side):
                return pinner, square, behind
    return None


def _is_threat(board: PlainBoard, origin: int, target: int, side: int) -> bool:
    """Whether the piece could take something there and win by it."""
    piece = board.pieces.get(target)
    if piece is None or side_of(piece) == side:
        return False
    move = origin | target << 7
    return piece.upper() == "K" or (
        target in board.seen_from(origin) and board.is_safe(move) and wins_at_once(board, move)
    )


def _skewered(line: Line, index: int) -> int | None:
    """Where the rear piece of a skewer stands: the front one leaves, and the piece takes the rear one behind, at once
    or later."""
    if index + 2 >= len(line.moves):
        return None
    to, leaves = line.moves[index] >> 7, line.moves[index + 1]
    after = line.boards[index + 1]
    for takes in line.moves[index + 2 :: 2]:
        if takes & 127 != to:
            continue
        rear = takes >> 7
        if rear == leaves >> 7 or rear not in after.pieces:
            return None
        front = _front(after, to, rear)
        is_attack = front >= 0 and front == leaves & 127 and _is_threat(after, to, front, 1 - after.side)
        return rear if is_attack else None
    return None


def _front(board: PlainBoard, origin: int, behind: int) -> int:
    """The piece that the one on `origin` attacks on the line to `behind`; -1: there is none."""
    between = set(between_points(origin, behind))
    return next((s for s in board.seen_from(origin) if s in between and s in board.pieces), -1)


def between_points(one: int, other: int) -> range:
    """The points between two of a file or rank; empty if they share none."""
    low, high = sorted((one, other))
    if one % 9 == other % 9:
        return range(low + 9, high, 9)
    return range(low + 1, high) if one // 9 == other // 9 else range(0)


def _driven_off(line: Line, index: int, threats: Sequence[int]) -> tuple[int, int] | None:
    """The attacked piece that goes, and the one that it guarded, which is taken at once."""
    if index + 2 >= len(line.moves):
        return None
    leaves, takes = line.moves[index + 1 : index + 3]
    after, last = line.boards[index + 1], line.boards[index + 2]
    guard, left = leaves & 127, takes >> 7
    was_guard = guard in threats and left != leaves >> 7 and left in last.pieces and left in after.seen_from(guard)
    return (guard, left) if was_guard and left not in last.seen_from(leaves >> 7) else None


def _is_trapped(board: PlainBoard, square: int, side: int) -> bool:
    """Whether the side can take the piece wherever it goes, and win by it."""
    moves = list(board.moves_from(square))
    for move in moves:
        after = board.after(move)
        target = move >> 7
        if not any(_is_threat(after, s, target, side) for s in after.attackers(target, side)):
            return False
    return True


def _discovered(line: Line, index: int, prey: Sequence[int], fact: _Maker) -> Iterator[Fact]:
    """An attack by another piece that the move opened, if that piece takes what it attacks."""
    before, after = line.boards[index], line.boards[index + 1]
    move = line.moves[index]
    side = side_of(before.pieces[move & 127])
    left = before.copy()
    del left.pieces[move & 127]
    for target in prey:
        for origin in [s for s in after.attackers(target, side) if s != move >> 7]:
            opened = target in left.seen_from(origin) and target not in before.seen_from(origin)
            if opened and _is_threat(after, origin, target, side):
                yield fact(DISCOVERED_ATTACK, (origin, target))


def threatens_mate(board: PlainBoard, side: int) -> bool:
    """Whether a side would mate if it could move at once."""
    for move in board.legal_moves(side):
        after = board.after(move)
        if after.checkers(1 - side) and after.has_lost(1 - side):
            return True
    return False
