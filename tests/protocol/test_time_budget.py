"""The time for a move: always within the clock, and sensible on ordinary clocks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gomoku_protocol import turn_clock
from junqi_protocol.players import thinking_time
from search_core.time_budget import Clock, limits

ANYTHING = st.integers(-(10**18), 10**18)


@given(ANYTHING, ANYTHING, ANYTHING, ANYTHING, ANYTHING, st.booleans())
def test_never_beyond_the_clock(
    remaining: int, increment: int, moves_to_go: int, overhead: int, moves_played: int, ponder: bool
) -> None:
    soft, hard = limits(
        Clock(remaining, increment, moves_to_go, overhead_ms=overhead, moves_played=moves_played, ponder=ponder)
    )
    assert 1 <= soft <= hard
    assert hard <= max(remaining - max(overhead, 0), 1)


@given(ANYTHING, ANYTHING)
def test_never_beyond_the_time_for_the_move(movetime: int, overhead: int) -> None:
    soft, hard = limits(Clock(move_ms=movetime, overhead_ms=overhead))
    assert 1 <= soft <= hard <= max(movetime, 1)


def test_a_fixed_time_is_used_up() -> None:
    assert limits(Clock(move_ms=1000, overhead_ms=10)) == (990, 990)
    assert limits(Clock(move_ms=100, overhead_ms=50)) == (90, 90)
    assert limits(Clock(1000, moves_to_go=1, overhead_ms=10)) == (990, 990)


def test_a_whole_game_fits_into_its_clock() -> None:
    for overhead in (0, 10, 100):
        for increment in (0, 100, 3000):
            clock = 300_000
            for move in range(120):
                soft, hard = limits(Clock(clock, increment, overhead_ms=overhead, moves_played=move))
                assert soft <= hard <= clock
                clock -= soft + overhead
                assert clock > 0
                clock += increment


def test_moves_to_go_share_the_clock() -> None:
    clock = 60_000
    spent = []
    for left in range(40, 0, -1):
        soft, hard = limits(Clock(clock, 0, left, overhead_ms=10))
        assert hard <= clock - 10
        spent.append(soft)
        clock -= soft + 10
    assert clock >= 0
    assert min(spent[:-1]) > 300


def test_longer_clocks_and_increments_give_more_time() -> None:
    assert limits(Clock(10_000))[0] < limits(Clock(60_000))[0] < limits(Clock(60_000, 1000))[0]
    assert limits(Clock(60_000, moves_to_go=40))[0] < limits(Clock(60_000, moves_to_go=5))[0]
    assert limits(Clock(60_000))[0] < limits(Clock(60_000, ponder=True))[0]


def test_what_is_used_up_counts() -> None:
    assert limits(Clock(move_ms=60, spent_ms=20)) == (40, 40)
    assert limits(Clock(1000, moves_to_go=1, spent_ms=300)) == (700, 700)
    assert limits(Clock(300, spent_ms=500)) == limits(Clock(move_ms=60, spent_ms=90)) == (1, 1)
    assert limits(Clock(10_000, spent_ms=4000)) == limits(Clock(6000))


@pytest.mark.parametrize("plan", [limits, turn_clock.limits, thinking_time.limits])
@given(st.none() | st.integers(5, 10**9), st.none() | st.integers(1, 10**9), st.integers(0, 300))
def test_every_game_plans_within_the_clock_and_the_move(
    plan: Callable[[Clock], tuple[int, int]], left: int | None, move: int | None, played: int
) -> None:
    soft, hard = plan(Clock(left, move_ms=move, moves_played=played))
    if left is None and move is None:
        assert soft == hard
    else:
        assert 1 <= soft <= hard <= min(one for one in (left, move) if one is not None)
