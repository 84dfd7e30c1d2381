"""The classic weighted-points player: it weighs every empty point for both sides and does not look ahead.

It is the weakest level, and the baseline for the others.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from gomoku_protocol.points import CARO, CARO_EXACT, FREESTYLE, RENJU, move_at, point_of
from gomoku_protocol.position import Position
from search_core.thinker import Limits, Result
from search_core.thinking_thread import OnInfo, OnMessage, Think, ThinkingThread

BLACK, WHITE, EMPTY = 0, 1, -1
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
ATTACK, DEFENCE = 10, 9
"""Coefficients of the weights for the side to move and for the other side."""


class Run(NamedTuple):
    """A side's stones in one line through a point, as they would be with a stone there."""

    stones: int
    gaps: int
    open_ends: int
    five: bool

    @property
    def weight(self) -> int:
        if self.open_ends == 0:
            return 1
        value: int = 5**self.stones - (5**self.gaps if self.gaps else 0)
        return value if self.open_ends == 1 else 2 * value

    @property
    def four(self) -> bool:
        return self.stones == 4 and self.open_ends > 0

    @property
    def open_four(self) -> bool:
        return self.stones == 4 and self.open_ends == 2 and self.gaps == 0

    @property
    def open_three(self) -> bool:
        return self.stones == 3 and self.open_ends == 2


class Shape(NamedTuple):
    """What a stone on a point makes of the two best lines through it."""

    five: bool
    winning: bool
    """An open four, two fours, or a four and an open three."""
    double_three: bool
    weight: int


NOTHING = Shape(five=False, winning=False, double_three=False, weight=0)


class View:
    """A position's points, and the shapes that a side's stone on them would have."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.rule = position.rule
        self.points = {(x, y): position.stone_at(x, y) for y in range(position.height) for x in range(position.width)}

    def shape(self, move: int, side: int) -> Shape:
        if side == BLACK and self.position.is_forbidden(move):
            return NOTHING
        x, y = point_of(move)
        runs = sorted((self.run(x, y, dx, dy, side) for dx, dy in DIRECTIONS), key=lambda run: run.weight)
        second, best = runs[-2:]
        fours = best.four + second.four
        return Shape(
            five=any(run.five for run in runs),
            winning=best.open_four or fours == 2 or (fours == 1 and (best.open_three or second.open_three)),
            double_three=best.open_three and second.open_three,
            weight=best.weight + second.weight,
        )

    def run(self, x: int, y: int, dx: int, dy: int, side: int) -> Run:
        """The run of a side through an empty point. It may have one gap, in the direction that joins more stones."""
        length, ends, beyond = 1, [], []
        for step in (1, -1):
            k = step
            while self.points.get((x + k * dx, y + k * dy)) == side:
                k += step
                length += 1
            end = self.points.get((x + k * dx, y + k * dy))
            ends.append(end)
            far = k + step
            while end == EMPTY and self.points.get((x + far * dx, y + far * dy)) == side:
                far += step
            beyond.append((abs(far - k) - 1, self.points.get((x + far * dx, y + far * dy))))
        if length >= 5:
            return Run(5, 0, 2, five=True) if self.wins(length, ends, side) else Run(0, 0, 0, five=False)
        joined, far_end = max(beyond, key=lambda found: found[0])
        if not joined:
            return Run(length, 0, ends.count(EMPTY), five=False)
        near_end = ends[1 - beyond.index((joined, far_end))]
        return Run(min(length + joined, 4), 1, (near_end, far_end).count(EMPTY), five=False)

    def wins(self, length: int, ends: list[int | None], side: int) -> bool:
        """Whether an unbroken run of five or more, with these ends, wins for a side by the rule."""
        if self.rule in (CARO, CARO_EXACT) and length == 5:
            return ends.count(1 - side) < 2
        return length == 5 or self.rule in (FREESTYLE, CARO) or (self.rule == RENJU and side == WHITE)


def choose(position: Position, excluded: Collection[int] = ()) -> int:
    """The player's move, always the same in the same position. Avoids `excluded` if another move is legal.

    A point that renju forbids is chosen only if nothing else is left. Raises
    ValueError if the game is over.
    """
    if position.winner is not None or position.full:
        raise ValueError("the game is over")
    view = View(position)
    legal = position.legal_moves()
    moves = [move for move in legal if move not in excluded] or legal
    if not moves:
        return next(move_at(*point) for point, stone in view.points.items() if stone == EMPTY)
    side = position.side

    def from_centre(move: int) -> int:
        x, y = point_of(move)
        return (2 * x + 1 - position.width) ** 2 + (2 * y + 1 - position.height) ** 2

    def priority(move: int) -> tuple[bool | int, ...]:
        own, other = view.shape(move, side), view.shape(move, 1 - side)
        return (
            own.five,
            other.five,
            own.winning,
            other.winning,
            own.double_three,
            other.double_three,
            ATTACK * own.weight + DEFENCE * other.weight,
            -from_centre(move),
            -move,
        )

    return max(moves, key=priority)


class WeightsPlayer(ThinkingThread["Position"]):
    """A ThinkingThread that plays what choose() finds, whatever the limits are."""

    def prepare(self, position: Position, limits: Limits, on_info: OnInfo, on_message: OnMessage) -> Think:
        return lambda signals: Result(choose(position), None, 0, 0, 0, signals.search.elapsed_ms, ())
