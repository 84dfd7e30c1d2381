"""Fives, fours and threes of a position, point by point: the facts of a sentence of why.

Slow and plain: a few marked moves of a review ask for it. The search has tables of its own (patterns.pyx).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gomoku_protocol.game_record import BLACK
from gomoku_protocol.points import CARO, CARO_EXACT, RENJU, STANDARD, move_at
from gomoku_protocol.position import Position

Point = tuple[int, int]
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
_REACH = 4
"""How far from a point the others of a five can be."""
_STONES_OF_FOUR = 4


class Made(NamedTuple):
    """What a stone makes: in how many directions a four that one stone stops, an open four, an open three."""

    fives: int = 0
    open_fours: int = 0
    fours: int = 0
    threes: int = 0


class Shapes:
    """The stones of a position, to which more can be added."""

    def __init__(self, width: int, height: int, rule: int, stones: dict[Point, int]) -> None:
        self.width, self.height, self.rule = width, height, rule
        self.stones = stones

    def with_stone(self, side: int, point: Point) -> Shapes:
        """The same with one stone more."""
        return Shapes(self.width, self.height, self.rule, {**self.stones, point: side})

    def is_vacant(self, point: Point) -> bool:
        return 0 <= point[0] < self.width and 0 <= point[1] < self.height and point not in self.stones

    def position(self, side: int) -> Position:
        """The position as the search has it, with a side to move."""
        placed: tuple[list[int], list[int], list[int]] = ([], [], [])
        for point, content in self.stones.items():
            placed[content].append(move_at(*point))
        position = Position(self.width, self.height, self.rule)
        position.set_up(*placed, side)
        return position

    def is_forbidden(self, side: int, point: Point) -> bool:
        return self.rule == RENJU and side == BLACK and self.position(side).is_forbidden(move_at(*point))

    def line(self, point: Point, direction: Point, reach: int = _REACH) -> Iterator[Point]:
        """The vacant points near a point in a direction."""
        for step in range(-reach, reach + 1):
            other = (point[0] + step * direction[0], point[1] + step * direction[1])
            if step and self.is_vacant(other):
                yield other

    def wins(self, side: int, point: Point, direction: Point) -> bool:
        """Whether a stone on a vacant point makes a five in a direction."""
        ends, length = [], 1
        for sign in (-1, 1):
            step = 1
            while self.stones.get(self._at(point, direction, sign * step)) == side:
                step += 1
            length += step - 1
            ends.append(self.stones.get(self._at(point, direction, sign * step)) == 1 - side)
        exactly = self.rule in (STANDARD, CARO_EXACT) or (self.rule == RENJU and side == BLACK)
        if length < 5 or (exactly and length > 5):
            return False
        return not (self.rule in (CARO, CARO_EXACT) and length == 5 and all(ends))

    @staticmethod
    def _at(point: Point, direction: Point, step: int) -> Point:
        return point[0] + step * direction[0], point[1] + step * direction[1]

    def is_five(self, side: int, point: Point) -> bool:
        return any(self.wins(side, point, direction) for direction in DIRECTIONS)

    def five_points(self, side: int) -> set[Point]:
        """Where a side could make a five now."""
        near = {
            other
            for point, content in self.stones.items()
            if content == side
            for direction in DIRECTIONS
            for other in self.line(point, direction)
        }
        return {point for point in near if self.is_five(side, point)}

    def four_points(self, side: int) -> list[Point]:
        """Where a side could make a four now, in any direction."""
        near = {
            other
            for point, content in self.stones.items()
            if content == side
            for direction in DIRECTIONS
            for other in self.line(point, direction)
            if self._count(side, other, direction) >= _STONES_OF_FOUR - 1
        }
        return sorted(point for point in near if self._makes_four(side, point))

    def _count(self, side: int, point: Point, direction: Point) -> int:
        """The stones of a side near a point in a direction."""
        around = (self._at(point, direction, step) for step in range(-_REACH, _REACH + 1))
        return sum(self.stones.get(each) == side for each in around)

    def _makes_four(self, side: int, point: Point) -> bool:
        after = self.with_stone(side, point)
        return any(after.fives_of(side, point, direction) for direction in DIRECTIONS)

    def fives_of(self, side: int, point: Point, direction: Point) -> list[Point]:
        """Where one more stone makes a five of a stone in a direction."""
        found = []
        for sign in (-1, 1):
            step = 1
            while self.stones.get(self._at(point, direction, sign * step)) == side:
                step += 1
            other = self._at(point, direction, sign * step)
            if self.is_vacant(other) and self.wins(side, other, direction):
                found.append(other)
        return found

    def stops(self, side: int, point: Point, direction: Point) -> list[Point]:
        """With which stones the other side can prevent all fives of a stone in a direction."""
        fives = self.fives_of(side, point, direction)
        around = list(self.line(point, direction, _REACH + 1))
        return [stop for stop in around if not self._survives(side, point, direction, fives, stop)]

    def _survives(self, side: int, point: Point, direction: Point, fives: list[Point], stop: Point) -> bool:
        after = self.with_stone(1 - side, stop)
        return any(five != stop and after.wins(side, five, direction) for five in fives)

    def is_open_four(self, side: int, point: Point, direction: Point) -> bool:
        """Whether the stone on a point belongs to a four in a direction that no stone on the line stops."""
        return len(self.fives_of(side, point, direction)) > 1 and not self.stops(side, point, direction)

    def extensions(self, side: int, point: Point, direction: Point) -> list[Point]:
        """Where the stone on a point could become part of an open four in a direction."""
        found = []
        for other in self.line(point, direction, _REACH - 1):
            after = self.with_stone(side, other)
            if (
                after.is_open_four(side, other, direction)
                and set(after.fives_of(side, other, direction)) == set(after.fives_of(side, point, direction))
                and not self.is_five(side, other)
                and not self.is_forbidden(side, other)
            ):
                found.append(other)
        return found

    def made(self, side: int, point: Point) -> Made:
        """What a stone on a vacant point makes."""
        after, fives, open_fours, fours, threes = self.with_stone(side, point), 0, 0, 0, 0
        for direction in DIRECTIONS:
            if self.wins(side, point, direction):
                fives += 1
            elif after.is_open_four(side, point, direction):
                open_fours += 1
            elif after.fives_of(side, point, direction):
                fours += 1
            elif after.extensions(side, point, direction):
                threes += 1
        return Made(fives, open_fours, fours, threes)

    def open_threes(self, side: int) -> list[tuple[Point, Point]]:
        """The open threes of a side: for each a stone of it and its direction."""
        found: list[tuple[Point, Point]] = []
        known: set[tuple[Point, Point]] = set()
        for point, content in self.stones.items():
            for direction in DIRECTIONS if content == side else ():
                if self.fives_of(side, point, direction):
                    continue
                line = frozenset((direction, each) for each in self.extensions(side, point, direction))
                if line and not line & known:
                    known |= line
                    found.append((point, direction))
        return found
