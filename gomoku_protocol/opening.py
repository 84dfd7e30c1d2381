"""Swap2 and balanced stones: which stones are fair to both sides, and which colour to take.

In Swap2 one player puts three stones (black, white, black). The other takes
Black, plays on as White, or puts two more stones (white, black) and leaves the
choice to the first. The three stones come from swap2_store if it has the board,
all other choices from searches.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Generator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from gomoku_protocol.points import move_at, point_of
from gomoku_protocol.stones import BLACK, WHITE
from gomoku_protocol.swap2_store import draw_opening
from search_core.engine import MATE, MATE_BOUND, Result

if TYPE_CHECKING:
    from gomoku_protocol.position import Position


class Question(NamedTuple):
    """A search that is needed for an answer."""

    position: Position
    milliseconds: int
    lines: int = 1
    """How many best lines to find."""
    root_moves: tuple[int, ...] = ()
    """Only these moves; empty: those near the stones."""


A = TypeVar("A")
Questions = Generator[Question, Result, A]
"""Yields searches, is sent their results, and returns the answer."""


class Candidate(NamedTuple):
    """Stones that may be put."""

    distance: int
    """How far the score after them is from the target."""
    moves: list[int]
    verified: bool = False
    """Whether the last and longest round has searched it."""


Ranking = Questions[list[Candidate]]

CANDIDATES = 24  # searched in the first round,
_MIN_MS = 5  # for at least this long each
_SHORTLIST = 6  # the best of them, searched in the second round
_FINALISTS = 2  # the best of those, searched in the last round
_EVEN_CP = 60  # a score this near to 0 after a quarter of the time may still change sign
_FAIR_CP = 60  # two stones are put only if the score after them stays this near to 0
_DECIDED = MATE  # distance of a forced win of either side
_UNKNOWN = MATE - 1  # distance of what was not searched
_REACH = 2  # how far from other stones balanced ones are put
_SPAN = 7  # an opening's stones are drawn from a square of this size anywhere on the board


def answer(
    position: Position, stones: int, remaining_ms: Callable[[], int], chance: random.Random
) -> Questions[list[int] | None]:
    """The answer in Swap2 when no, three or five stones are on the board: the stones to put, or None to swap.

    `remaining_ms` returns the time left for the whole answer. At 0 only the
    searches that an answer needs are made. `chance` draws the candidates.
    """
    if stones == 0:
        stored = draw_opening(position.rule, position.width, position.height, chance)
        if stored is not None:
            return stored
        openings = [three_random_stones(position.width, position.height, chance) for _ in range(CANDIDATES)]
        ranking = yield from rank(position, openings, 0, remaining_ms)
        return ranking[0].moves
    if stones == 3:
        result = yield Question(position, share(remaining_ms, 4))
        if abs(score_of(position, result)) <= _EVEN_CP:
            ranking = yield from rank(position, _pairs(position, chance, ()), 0, remaining_ms)
            if ranking and ranking[0].verified and ranking[0].distance <= _FAIR_CP:
                return ranking[0].moves
        elif abs(score_of(position, result)) < MATE_BOUND and remaining_ms() > 0:
            result = yield Question(position, share(remaining_ms, 1))
    else:
        result = yield Question(position, share(remaining_ms, 1))
    if score_of(position, result) < 0:
        return None
    return [result.best if result.best is not None else legal_moves(position, ())[0]]


def three_random_stones(width: int, height: int, chance: random.Random) -> list[int]:
    """Three stones drawn from a square somewhere on a board of `width` columns and `height` rows."""
    span_x, span_y = min(_SPAN, width), min(_SPAN, height)
    left, top = chance.randint(0, width - span_x), chance.randint(0, height - span_y)
    return chance.sample([move_at(left + x, top + y) for x in range(span_x) for y in range(span_y)], 3)


def balance_one(
    position: Position, bias: int, remaining_ms: Callable[[], int], blocked: Collection[int]
) -> Questions[list[int]]:
    """The move after which the score of the side that makes it is nearest to `bias` centipawns."""
    legal = legal_moves(position, blocked)
    near = near_stones(position, legal) if _stones(position) else []
    far = [move for move in legal if move not in near]
    # One far point is as good as another, and each takes time.
    chosen = (*near, *far[:: max(len(far) // CANDIDATES, 1)])
    result = yield Question(position, share(remaining_ms, 2), len(chosen), chosen)
    moves = sorted((line for line in result.lines if line.pv[0] in legal), key=lambda line: abs(line.score - bias))
    shortlist = [[line.pv[0]] for line in moves[:_SHORTLIST]] or [legal[:1]]
    ranking = yield from rank(position, shortlist, -bias, remaining_ms)
    return ranking[0].moves


def balance_two(
    position: Position, bias: int, remaining_ms: Callable[[], int], blocked: Collection[int], chance: random.Random
) -> Questions[list[int]]:
    """One move of each side after which the score of the side to move is nearest to `bias` centipawns."""
    ranking = yield from rank(position, _pairs(position, chance, blocked), bias, remaining_ms)
    return ranking[0].moves if ranking else legal_moves(position, blocked)[:1]


def score_of(position: Position, result: Result) -> int:
    """A search's score, or the evaluation if the search was stopped before it had one."""
    return result.score if result.depth > 0 else position.evaluate_cp()


def share(remaining_ms: Callable[[], int], searches: int) -> int:
    """Milliseconds for each search if `searches` of them share the remaining time."""
    return max(remaining_ms() // searches, 1)


def rank(position: Position, candidates: list[list[int]], target: int, remaining_ms: Callable[[], int]) -> Ranking:
    """Sort candidates by how far the score after their stones is from `target`, for the side to move then.

    All are searched for a quarter of the time, the shortlist for another
    quarter, and the finalists for half of the remaining time each. Forced wins
    of either side come last. Of the candidates that were not searched, those
    where a win is seen without a search come last.
    """
    most = max(remaining_ms() // (4 * _MIN_MS), _FINALISTS)
    candidates = sorted(candidates, key=lambda moves: not after(position, moves).quiet)
    ranking = [Candidate(_UNKNOWN, moves) for moves in candidates[:most]]
    for size, parts in ((CANDIDATES, 4), (_SHORTLIST, 3), (_FINALISTS, 1)):
        searched: list[Candidate] = []
        kept_ms = remaining_ms() * (parts - 1) // parts  # for later rounds
        chosen, others = ranking[:size], ranking[size:]
        while chosen and (left_ms := remaining_ms() - kept_ms) > 0:
            moves = chosen[0].moves
            result = yield Question(after(position, moves), max(left_ms // len(chosen), 1))
            if result.depth == 0:  # stopped before it had a score
                break
            decided = abs(result.score) >= MATE_BOUND
            searched.append(Candidate(_DECIDED if decided else abs(result.score - target), moves, parts == 1))
            del chosen[0]
        searched.sort()
        open_ = [candidate for candidate in searched if candidate.distance < _DECIDED]
        ranking = open_ + chosen + others + searched[len(open_) :]
    return ranking


def after(position: Position, moves: list[int]) -> Position:
    """The position after these moves."""
    later = position.copy()
    for move in moves:
        later.push(move)
    return later


def _pairs(position: Position, chance: random.Random, blocked: Collection[int]) -> list[list[int]]:
    """Random pairs of moves near the stones, as candidates. None of them ends the game."""
    near = near_stones(position, legal_moves(position, blocked))
    pairs: list[list[int]] = []
    for first in chance.choices(near, k=CANDIDATES) if len(near) > 1 else ():
        position.push(first)
        replies = [move for move in near if move != first and position.is_legal(move)]
        if replies:
            second = chance.choice(replies)
            position.push(second)
            if position.winner is None:
                pairs.append([first, second])
            position.pop()
        position.pop()
    return pairs


def legal_moves(position: Position, blocked: Collection[int]) -> list[int]:
    """The legal moves that are not blocked; all, if that leaves none."""
    legal = position.legal_moves()
    return [move for move in legal if move not in blocked] or legal


def near_stones(position: Position, moves: list[int]) -> list[int]:
    """The moves within reach of a stone; all, if that leaves none."""
    stones = _stones(position)

    def near(move: int) -> bool:
        x, y = point_of(move)
        return any(max(abs(x - column), abs(y - row)) <= _REACH for column, row in stones)

    return [move for move in moves if near(move)] or moves


def _stones(position: Position) -> list[tuple[int, int]]:
    """The points that have a stone."""
    points = [(x, y) for x in range(position.width) for y in range(position.height)]
    return [(x, y) for x, y in points if position.stone_at(x, y) in (BLACK, WHITE)]
