"""The time for a Gomoku move: below every limit that the manager sets, with enough left for the moves to come."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gomoku_protocol.turn_clock import DEFAULT_TURN_MS, UNLIMITED_MS, TurnClock

ANYTHING = st.integers(-(10**18), 10**18)


def clock(turn: int | None = None, match: int | None = None, left: int | None = None) -> TurnClock:
    made = TurnClock()
    if turn is not None:
        made.set_turn(turn)
    if match is not None:
        made.set_match(match)
    if left is not None:
        made.set_left(left)
    return made


@given(st.integers(0, 10**12), st.integers(0, 10**12), ANYTHING, st.integers(0, 10**9), st.integers(0, 242))
def test_never_beyond_a_limit(turn: int, match: int, left: int, spent: int, moves: int) -> None:
    soft, hard = clock(turn, match, left).limits(spent, moves)
    assert 1 <= soft <= hard
    if turn:
        assert hard <= max(turn - spent, 1)
    if left < UNLIMITED_MS:
        assert hard <= max(left - spent, 1)


@pytest.mark.parametrize(("turn", "limit"), [(30_000, 29_370), (5000, 4870), (1000, 950), (100, 68), (20, 10), (1, 1)])
def test_a_turn_is_used_up_but_for_the_overhead(turn: int, limit: int) -> None:
    assert clock(turn).limits(0, 0) == (limit, limit)


def test_time_used_before_the_search_counts() -> None:
    assert clock(1000).limits(300, 0) == (650, 650)
    assert clock(1000).limits(5000, 0) == (1, 1)


def test_turn_of_0_is_as_fast_as_possible() -> None:
    assert clock(0).limits(0, 0) == (50, 50)
    assert clock(0, left=-100).limits(0, 0) == (1, 1)


@pytest.mark.parametrize("match", [None, 0, UNLIMITED_MS])
@pytest.mark.parametrize("left", [None, UNLIMITED_MS, 10**15])
def test_no_match_limit(match: int | None, left: int | None) -> None:
    assert clock(1000, match, left).limits(0, 0) == (950, 950)
    assert clock(None, match, left).limits(0, 0) == (DEFAULT_TURN_MS, DEFAULT_TURN_MS)


def test_the_time_left_may_be_said_before_the_game_begins() -> None:
    """It holds for one move. What was said in the game before does not count."""
    before = clock(None, 100_000, 1000)
    before.start_match()
    assert before.limits(0, 0) == clock(None, 100_000, 1000).limits(0, 0)
    before.charge(50)
    before.start_match()
    assert before.limits(0, 0) == clock(None, 100_000).limits(0, 0)


def test_match_of_0_is_no_limit_but_the_time_left_is() -> None:
    soft, hard = clock(30_000, 0, 10_000).limits(0, 40)
    assert soft < 500 and hard < 2000


@pytest.mark.parametrize("left", [0, -1, -(2**31)])
def test_nothing_left(left: int) -> None:
    assert clock(30_000, 180_000, left).limits(0, 10) == (1, 1)


def test_our_own_count_holds_until_the_manager_sends_the_time_left() -> None:
    own = clock(match=100_000)
    own.charge(40_000)
    assert own.limits(0, 0) == clock(match=60_000).limits(0, 0)
    own.set_left(80_000)
    assert own.limits(0, 0) == clock(left=80_000).limits(0, 0)
    own.charge(20_000)
    assert own.limits(0, 0) == clock(left=60_000).limits(0, 0)
    own.start_match()
    assert own.limits(0, 0) == clock(match=100_000).limits(0, 0)


@pytest.mark.parametrize(("turn", "match"), [(5000, 120_000), (30_000, 180_000), (300_000, 1_000_000)])
def test_a_whole_match_fits_into_its_clock(turn: int, match: int) -> None:
    left = match
    for move in range(100):
        soft, hard = clock(turn, match, left).limits(0, move)
        assert soft * 20 <= left
        left -= soft if move % 5 else hard
        assert left > 0
