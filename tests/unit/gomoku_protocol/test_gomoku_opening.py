"""Swap2 and balanced stones: the stored openings, the questions to the search, their times, and its results' use.

The tests stand in for the search, and advance the clock by the time that they let it take.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeVar

import pytest

from gomoku_protocol.opening import Question, Questions, answer, balance_one, balance_two, near_stones
from gomoku_protocol.points import FREESTYLE, RENJU, STANDARD, move_at, point_of
from gomoku_protocol.position import Position
from gomoku_protocol.swap2_store import openings, symmetries
from search_core.engine import MATE, Info, Result

TURN_MS = 1000
Score = Callable[[Position], int]


class Clock:
    """Time that passes only during a question to the engine."""

    def __init__(self, milliseconds: int) -> None:
        self.left_ms = milliseconds

    def remaining_ms(self) -> int:
        return self.left_ms


def board(stones: int, rule: int = RENJU) -> Position:
    """With the first of five stones. Renju has no stored openings, so three stones come from searches."""
    position = Position(15, 15, rule)
    for point in ((7, 7), (8, 8), (6, 8), (9, 6), (8, 6))[:stones]:
        position.push(move_at(*point))
    return position


def line(number: int, move: int, score: int) -> Info:
    return Info(5, 5, number, score, "exact", 100, 1, 1000, 0, (move,))


A = TypeVar("A")


def ask(questions: Questions[A], clock: Clock, score: Score, slowness: float = 1.0) -> tuple[A, list[Question]]:
    """Answer all questions; returns the result and the questions."""
    asked: list[Question] = []
    result = None
    while True:
        try:
            question = next(questions) if result is None else questions.send(result)
        except StopIteration as end:
            return end.value, asked
        assert 0 < question.milliseconds <= max(clock.left_ms, 1)
        clock.left_ms -= round(question.milliseconds * slowness)
        asked.append(question)
        legal = question.position.legal_moves()
        value = score(question.position)
        lines = tuple(line(number, move, number) for number, move in enumerate(legal[: question.lines], 1))
        result = Result(legal[0], None, value, 5, 100, question.milliseconds, lines)


@pytest.mark.parametrize("slowness", [0.5, 1.0])
@pytest.mark.parametrize("turn_ms", [1, 20, 500, 3000, 10_000])
@pytest.mark.parametrize("stones", [0, 3, 5])
def test_no_search_exceeds_the_remaining_time(stones: int, turn_ms: int, slowness: float) -> None:
    clock = Clock(turn_ms)
    chance = random.Random(1)
    moves, asked = ask(answer(board(stones), stones, clock.remaining_ms, chance), clock, lambda _: 7, slowness)
    assert moves is not None and len(moves) in {0: (3,), 3: (1, 2), 5: (1,)}[stones]
    assert clock.left_ms >= 0 or len(asked) <= 24  # searches of a millisecond each


def test_two_stones_are_verified_with_half_of_the_remaining_time_each() -> None:
    clock = Clock(TURN_MS)
    moves, asked = ask(answer(board(3), 3, clock.remaining_ms, random.Random(1)), clock, lambda _: 7)
    assert moves is not None and len(moves) == 2
    first, second = asked[-2:]
    assert abs(first.milliseconds - second.milliseconds) <= 1
    assert first.milliseconds + second.milliseconds >= TURN_MS // 3
    assert {tuple(question.position.moves[-2:]) for question in (first, second)} >= {tuple(moves)}


@pytest.mark.parametrize("sign", [1, -1])
def test_a_colour_is_chosen_where_two_stones_would_lose_to_a_forced_win(sign: int) -> None:
    clock = Clock(TURN_MS)

    def score(position: Position) -> int:
        longer = clock.left_ms < TURN_MS // 2  # the rounds after the first
        return sign * (MATE - 23) if longer and len(position.moves) == 5 else 9 * sign

    moves, _ = ask(answer(board(3), 3, clock.remaining_ms, random.Random(1)), clock, score)
    assert moves is None if sign < 0 else moves is not None and len(moves) == 1


@pytest.mark.parametrize("later", [70, -70])
def test_a_clear_advantage_is_verified_before_it_is_taken(later: int) -> None:
    clock = Clock(TURN_MS)
    questions = answer(board(3), 3, clock.remaining_ms, random.Random(1))
    moves, asked = ask(questions, clock, lambda _: 70 if clock.left_ms else later)
    assert moves is None if later < 0 else moves is not None and len(moves) == 1
    assert len(asked) == 2 and clock.left_ms == 0


def test_an_opening_that_is_decided_is_not_proposed() -> None:
    clock = Clock(TURN_MS)
    drawn: list[tuple[int, ...]] = []

    def score(position: Position) -> int:
        stones = tuple(position.moves)
        if stones not in drawn:
            drawn.append(stones)
        return 700 if drawn.index(stones) == 10 else MATE - 23

    moves, _ = ask(answer(board(0), 0, clock.remaining_ms, random.Random(1)), clock, score)
    assert moves is not None and tuple(moves) == drawn[10] and len(drawn) == 24


def test_the_seed_decides_the_random_choice() -> None:
    def opening(seed: int) -> list[int] | None:
        clock = Clock(TURN_MS)
        moves, _ = ask(answer(board(0), 0, clock.remaining_ms, random.Random(seed)), clock, lambda _: 0)
        return moves

    assert opening(1) == opening(1)
    assert len({tuple(opening(seed) or ()) for seed in range(20)}) == 20


STORED = [(FREESTYLE, 15, 100), (STANDARD, 15, 100), (FREESTYLE, 20, 50), (STANDARD, 20, 50)]


@pytest.mark.parametrize("rule, size, count", STORED)
def test_stored_openings_are_no_two_alike(rule: int, size: int, count: int) -> None:
    stored = openings(rule, size, size)
    assert len(stored) == count
    images = {
        (frozenset((turn(*black), turn(*third))), turn(*white))
        for black, white, third in stored
        for turn in symmetries(size)
        if len({black, white, third}) == 3 and all(0 <= number < size for number in (*black, *white, *third))
    }
    # An opening that is its own image has fewer than eight.
    own = [
        len({(frozenset((turn(*black), turn(*third))), turn(*white)) for turn in symmetries(size)})
        for black, white, third in stored
    ]
    assert len(images) == sum(own)


@pytest.mark.parametrize("rule, size, count", STORED)
def test_three_stones_are_drawn_from_the_store_by_the_seed(rule: int, size: int, count: int) -> None:
    def proposed(seed: int) -> tuple[tuple[int, int], ...]:
        questions = answer(Position(size, size, rule), 0, lambda: TURN_MS, random.Random(seed))
        moves, asked = ask(questions, Clock(0), lambda _: 0)
        assert moves is not None and not asked
        return tuple(point_of(move) for move in moves)

    drawn = [proposed(seed) for seed in range(count)]
    assert drawn == [proposed(seed) for seed in range(count)]
    assert len(set(drawn)) > count // 2
    turned = {
        tuple(turn(*point) for point in stones) for stones in openings(rule, size, size) for turn in symmetries(size)
    }
    assert set(drawn) <= turned


@pytest.mark.parametrize(
    "width, height, rule", [(15, 15, RENJU), (15, 14, FREESTYLE), (19, 19, FREESTYLE), (20, 20, RENJU)]
)
def test_a_board_without_stored_openings_is_searched(width: int, height: int, rule: int) -> None:
    clock = Clock(TURN_MS)
    moves, asked = ask(
        answer(Position(width, height, rule), 0, clock.remaining_ms, random.Random(1)), clock, lambda _: 0
    )
    assert moves is not None and len(moves) == 3 and len(asked) > 24


@pytest.mark.parametrize("bias", [0, 120, -120])
def test_the_score_after_one_move_is_nearest_to_the_bias(bias: int) -> None:
    position = board(3)
    clock = Clock(TURN_MS)
    questions = balance_one(position, bias, clock.remaining_ms, ())
    question = next(questions)
    scores = {move: 10 * number - 300 for number, move in enumerate(question.root_moves)}
    near = near_stones(position, position.legal_moves())
    assert set(near) < set(scores) < set(position.legal_moves())

    def score(after: Position) -> int:
        return -scores[after.moves[-1]] if len(after.moves) == 4 else 0

    lines = tuple(line(number, move, scores[move] + number % 3) for number, move in enumerate(scores, 1))
    clock.left_ms -= question.milliseconds
    first = Result(None, None, 0, 5, 100, 1, lines)
    assert question.lines == len(scores)

    def rest() -> Questions[list[int]]:
        following = questions.send(first)
        while True:
            result = yield following
            try:
                following = questions.send(result)
            except StopIteration as end:
                return list(end.value)

    moves, asked = ask(rest(), clock, score)
    assert moves is not None and abs(scores[moves[0]] - bias) <= 5
    assert all(len(question.position.moves) == 4 for question in asked)


def test_the_score_after_two_moves_is_nearest_to_the_bias() -> None:
    clock = Clock(TURN_MS)
    seen: dict[tuple[int, ...], int] = {}

    def score(position: Position) -> int:
        return seen.setdefault(tuple(position.moves[-2:]), 40 * len(seen) - 400)

    moves, _ = ask(balance_two(board(3), 120, clock.remaining_ms, (), random.Random(1)), clock, score)
    assert moves is not None and seen[tuple(moves)] == 120


def test_blocked_and_forbidden_moves_are_not_proposed() -> None:
    position = Position(7, 7, RENJU)
    for x, y in ((1, 3), (0, 0), (2, 3), (6, 0), (4, 3), (0, 6), (5, 3), (6, 6), (0, 3), (3, 0)):
        position.push(move_at(x, y))  # 3,3 would be an overline of Black's
    free = [move for move in position.legal_moves() if move != move_at(3, 3)]
    blocked = free[:-2]
    for seed in range(5):
        clock = Clock(TURN_MS)
        moves, _ = ask(balance_two(position, 0, clock.remaining_ms, blocked, random.Random(seed)), clock, lambda _: 0)
        assert moves is not None and set(moves) == set(free[-2:])
        clock = Clock(TURN_MS)
        moves, _ = ask(balance_one(position, 0, clock.remaining_ms, blocked), clock, lambda _: 0)
        assert moves is not None and moves[0] in free[-2:]


def test_a_win_that_needs_no_search_is_no_balance() -> None:
    """There is no time to search, and the move that makes an open four has exactly the wanted score."""
    position = Position(15, 15, RENJU)
    for point in ((5, 7), (0, 0), (6, 7), (14, 0), (7, 7), (0, 14)):
        position.push(move_at(*point))
    four = move_at(4, 7)
    bias = position.legal_moves().index(four) + 1
    clock = Clock(TURN_MS)
    chosen, asked = ask(balance_one(position, bias, clock.remaining_ms, ()), clock, lambda position: 0, slowness=2)
    assert len(asked) == 1
    assert chosen is not None
    position.push(chosen[0])
    assert position.quiet
