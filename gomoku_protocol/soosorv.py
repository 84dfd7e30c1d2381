"""The Soosorv-8 opening of renju: which stones, how many fifth moves, and which colour.

One player puts the three stones of an opening: the first in the middle, the second beside it, the third within two
points of the middle. The other may swap. White puts the fourth stone and says how many fifth moves, one to eight, Black
must offer; Black may swap. Black offers that many fifth moves, of which no two are alike after turning and mirroring.
White leaves one of them on the board and plays the sixth. Source: https://www.renju.net/rules, Soosõrv-8.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from gomoku_protocol.opening import (
    CANDIDATES,
    Question,
    Questions,
    after,
    legal_moves,
    near_stones,
    rank,
    score_of,
    share,
)
from gomoku_protocol.points import MAX_SIZE, move_at, point_of
from gomoku_protocol.swap2_store import symmetries

if TYPE_CHECKING:
    from gomoku_protocol.position import Position

MAX_FIFTH_MOVES = 8

_FOURTH_MOVES = 4  # compared
_SPARE_LINES = 8  # searched beside those wanted, since some are alike

M = TypeVar("M", bound=int)


def opening_stones(position: Position, remaining_ms: Callable[[], int], chance: random.Random) -> Questions[list[int]]:
    """Three stones of a standard opening, turned at random, that are fair to both sides."""
    openings = list(_openings(position.width, position.height))
    ranking = yield from rank(position, chance.sample(openings, min(CANDIDATES, len(openings))), 0, remaining_ms)
    return ranking[0].moves


def _openings(width: int, height: int) -> Iterator[list[int]]:
    x, y = width // 2, height // 2
    middle = move_at(x, y)
    around = [move_at(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
    third = [move_at(x + dx, y + dy) for dx in range(-2, 3) for dy in range(-2, 3) if dx or dy]
    for second in around:
        yield from ([middle, second, other] for other in third if other != second)


def prefers_black(position: Position, remaining_ms: Callable[[], int]) -> Questions[bool]:
    """Whether Black has the better side of the opening's three stones; White is to move."""
    result = yield Question(position, share(remaining_ms, 1))
    return score_of(position, result) < 0


def fourth_move(position: Position, remaining_ms: Callable[[], int]) -> Questions[tuple[int, int]]:
    """White's fourth move, and the number of fifth moves with which it is fairest."""
    result = yield Question(position, share(remaining_ms, 4), _FOURTH_MOVES)
    moves = [line.pv[0] for line in result.lines] or near_stones(position, legal_moves(position, ()))[:1]
    found: list[tuple[int, int, int]] = []
    for index, move in enumerate(moves):
        if found and remaining_ms() <= 0:
            break
        later = after(position, [move])
        scores = yield from _fifth_scores(later, share(remaining_ms, len(moves) - index))
        number, score = min(enumerate(scores, 1), key=lambda each: abs(each[1]))
        found.append((abs(score), move, number))
    _, move, number = min(found)
    return move, number


def prefers_white(position: Position, number: int, remaining_ms: Callable[[], int]) -> Questions[bool]:
    """Whether White has the better side if Black offers `number` fifth moves; Black is to move."""
    scores = yield from _fifth_scores(position, share(remaining_ms, 1))
    return scores[min(number, len(scores)) - 1] < 0


def fifth_moves(position: Position, number: int, remaining_ms: Callable[[], int]) -> Questions[list[int]]:
    """The best `number` fifth moves for Black, no two of them alike; fewer if there are no more."""
    result = yield Question(position, share(remaining_ms, 1), number + _SPARE_LINES)
    legal = legal_moves(position, ())
    found = (line.pv[0] for line in result.lines)
    return _distinct(position, [*found, *near_stones(position, legal), *legal])[:number]


def chosen_fifth(position: Position, offered: Sequence[int], remaining_ms: Callable[[], int]) -> Questions[int]:
    """Which of the offered fifth moves is the best for White. `position`: before them."""
    scores: list[tuple[int, int]] = []
    for index, move in enumerate(offered):
        later = after(position, [move])
        result = yield Question(later, share(remaining_ms, len(offered) - index))
        scores.append((-score_of(later, result), index))
    return offered[min(scores)[1]]


def _fifth_scores(position: Position, milliseconds: int) -> Questions[list[int]]:
    """Black's scores after its best fifth moves, best first: White takes the last that is offered."""
    result = yield Question(position, milliseconds, MAX_FIFTH_MOVES + _SPARE_LINES)
    by_move = {line.pv[0]: line.score for line in result.lines}
    scores = [by_move[move] for move in _distinct(position, by_move)]
    return scores[:MAX_FIFTH_MOVES] or [score_of(position, result)]


def _distinct(position: Position, moves: Iterable[M]) -> list[M]:
    """The moves, without those that give the shape of an earlier one, turned or mirrored."""
    stones = [
        (x, y, position.stone_at(x, y))
        for x in range(position.width)
        for y in range(position.height)
        if position.stone_at(x, y) >= 0
    ]
    shapes: dict[tuple[tuple[int, int, int], ...], M] = {}
    for move in moves:
        shapes.setdefault(_shape([*stones, (*point_of(move), position.side)]), move)
    return list(shapes.values())


def _shape(stones: Sequence[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    """The same for all positions that can be turned, mirrored or moved onto each other."""
    turned = []
    for turn in symmetries(MAX_SIZE):
        points = [(*turn(x, y), colour) for x, y, colour in stones]
        left, top = min(x for x, _, _ in points), min(y for _, y, _ in points)
        turned.append(tuple(sorted((x - left, y - top, colour) for x, y, colour in points)))
    return min(turned)
