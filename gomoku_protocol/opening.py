"""SWAP2: three stones that are fair to both, and which colour to take of another's.

One player puts three stones (black, white, black). The other takes Black,
plays on as White, or puts two more stones (white, black) and leaves the choice
to the first. Nothing is known by heart: everything is searched.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING

from gomoku_protocol.points import point_of
from gomoku_protocol.stones import Stones
from search_core.engine import Result

if TYPE_CHECKING:
    from gomoku_protocol.position import Position

Questions = Generator[tuple["Position", int], Result, "list[int] | None"]
"""Asks for searches, each a position and milliseconds, is sent their results, and returns the answer: the
stones to put, or None to swap."""

_SKETCHES = 24  # stones that are looked at briefly,
_FINALISTS = 4  # and the fairest of them, looked at longer
_REACH = 3  # how far from the middle stones are put
_EVEN_CP = 20  # a score this near to 0 favours nobody


def answer(stones: Stones, rule: int, remaining_ms: Callable[[], int]) -> Questions:
    """What to answer when none, three or five stones stand.

    `remaining_ms` tells the time left for all; from 0 on nothing more is asked
    than an answer needs.
    """
    if len(stones) == 0:
        return (yield from _fairest(stones, 3, rule, remaining_ms))
    result = yield stones.position(rule), max(remaining_ms() // 2, 1)
    if len(stones) == 3 and abs(result.score) <= _EVEN_CP:
        return (yield from _fairest(stones, 2, rule, remaining_ms))
    if result.score < 0:
        return None
    return [result.best if result.best is not None else next(stones.vacant(rule))]


def _fairest(stones: Stones, count: int, rule: int, remaining_ms: Callable[[], int]) -> Questions:
    """Those of some `count` more stones after which the side to move is nearest to neither advantage nor harm."""
    candidates = _candidates(stones, count, rule)
    pool = list(itertools.islice(candidates, _SKETCHES))
    chosen = pool[0]
    budget = remaining_ms()
    for share in (budget // (2 * _SKETCHES), budget // (2 * _FINALISTS)):
        scored: list[tuple[int, list[int]]] = []
        for moves in pool:
            if remaining_ms() <= 0:
                break
            after = stones.copy()
            for move in moves:
                after.place(move)
            result = yield after.position(rule), max(share, 1)
            if result.best is None:  # stopped before anything was found
                break
            scored.append((abs(result.score), moves))
        scored.sort()
        pool = [moves for _, moves in scored[:_FINALISTS]]
        if pool:
            chosen = pool[0]
    return chosen


def _candidates(stones: Stones, count: int, rule: int) -> Iterator[list[int]]:
    """Stones near the middle, always the same ones in the same order."""
    middle_x, middle_y = (stones.width - 1) // 2, (stones.height - 1) // 2
    near = []
    for move in stones.vacant(rule):
        x, y = point_of(move)
        if max(abs(x - middle_x), abs(y - middle_y)) <= _REACH:
            near.append(move)
    chance = random.Random(0)
    while True:
        yield chance.sample(near, count)
