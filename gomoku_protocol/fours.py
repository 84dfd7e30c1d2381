"""A win by fours as a tree of moves: a proof that a reader, or a test, can replay."""

from __future__ import annotations

from typing import NamedTuple

from gomoku_protocol.points import CARO, CARO_EXACT
from gomoku_protocol.shapes import DIRECTIONS, Point, Shapes

_BUDGET = 20_000
"""Stones that a search for a win by fours may place."""
_LONGER = 3
"""Moves by which a win that begins with a given stone may be longer than the one that was found."""


class WinByFours(NamedTuple):
    """A stone of the attacker, and for each stone of the defender that stops its four the way to go on. No answer: the
    next stone makes five, or this one did."""

    move: Point
    answers: tuple[tuple[Point, WinByFours], ...]
    is_five: bool
    forbidden: Point | None = None
    """Where the only stop is, if it is forbidden."""

    @property
    def moves(self) -> int:
        """How many stones the attacker needs to the five."""
        if self.is_five:
            return 1
        return 1 + max((win.moves for _, win in self.answers), default=1)


def win_by_fours(shapes: Shapes, side: int, first: Point | None = None) -> WinByFours | None:
    """How a side that is to move wins by fours, if it does. `first`: the stone that it begins with."""
    plies = _plies(shapes, side)
    fives = sorted(shapes.five_points(side))
    if fives:
        return WinByFours(fives[0], (), True) if first is None else None
    longest = plies + (0 if first is None else 2 * _LONGER)
    return _win(shapes, side, longest, shapes.five_points(1 - side), first) if plies else None


def _plies(shapes: Shapes, side: int) -> int:
    """To the five, as the search for fours says; 0: none is found."""
    return shapes.position(side).win_by_fours(_BUDGET)


def _win(shapes: Shapes, side: int, plies: int, must: set[Point], first: Point | None) -> WinByFours | None:
    """`plies`: the win must be shorter or as long. `must`: where the other side threatens a five."""
    for point in shapes.four_points(side) if first is None else [first]:
        if not must - {point} and not shapes.is_forbidden(side, point):
            win = _after(shapes.with_stone(side, point), side, plies, point)
            if win is not None:
                return win
    return None


def _after(after: Shapes, side: int, plies: int, point: Point) -> WinByFours | None:
    """The win that began with a stone, if it did. The side had no five before it."""
    foe = 1 - side
    fives = {five for direction in DIRECTIONS for five in after.fives_of(side, point, direction)}
    stops = [stop for stop in sorted(_candidates(after, fives)) if _is_stop(after, side, fives, stop)]
    allowed = [stop for stop in stops if not after.is_forbidden(foe, stop)]
    if not fives:
        return None
    answers = []
    for stop in allowed:
        then = after.with_stone(foe, stop)
        must = {five for direction in DIRECTIONS for five in then.fives_of(foe, stop, direction)}
        left = _plies(then, side)
        win = _win(then, side, left, must, None) if 0 < left < plies else None
        if win is None:
            return None
        answers.append((stop, win))
    forbidden = stops[0] if len(stops) == 1 and not allowed else None
    return WinByFours(point, tuple(answers), False, forbidden)


def _is_stop(shapes: Shapes, side: int, fives: set[Point], stop: Point) -> bool:
    """Whether a stone of the other side leaves none of the fives."""
    then = shapes.with_stone(1 - side, stop)
    return not any(then.is_five(side, five) for five in fives - {stop})


def _candidates(shapes: Shapes, fives: set[Point]) -> set[Point]:
    """The points that can stop a five: in caro, also those that close it."""
    if shapes.rule not in (CARO, CARO_EXACT):
        return fives
    return fives | {other for five in fives for direction in DIRECTIONS for other in shapes.line(five, direction, 5)}
