"""The time for a move of Junqi: what a clock and a time for the move allow."""

from __future__ import annotations

import pytest

from junqi_protocol.players.thinking_time import MIN_MS, THINK_TIME_MS, limits
from search_core.time_budget import Clock


@pytest.mark.parametrize(
    ("think_time_ms", "movetime_ms", "expected"),
    [
        (THINK_TIME_MS, None, 1000),
        (THINK_TIME_MS, 30_000, 1000),
        (THINK_TIME_MS, 1000, 990),
        (THINK_TIME_MS, 20, 18),
        (20_000, 15_000, 14_990),
        (THINK_TIME_MS, 1, 1),
        (THINK_TIME_MS, 0, 1),
    ],
)
def test_a_time_for_the_move_is_a_limit_and_not_a_plan(
    think_time_ms: int, movetime_ms: int | None, expected: int
) -> None:
    assert limits(Clock(move_ms=movetime_ms), think_time_ms) == (expected, expected)


@pytest.mark.parametrize(
    ("clock_ms", "increment_ms", "expected"),
    [
        (1_800_000, 0, 45_000),
        (60_000, 0, 1500),
        (60_000, 2000, 3000),
        (4000, 2000, 500),  # no more than an eighth of the clock
        (100, 0, MIN_MS),
        (0, 0, MIN_MS),
    ],
)
def test_a_clock_is_shared_among_the_moves(clock_ms: int, increment_ms: int, expected: int) -> None:
    assert limits(Clock(clock_ms, increment_ms)) == (expected, expected)


@pytest.mark.parametrize(("clock_ms", "plies"), [(60_000, 500), (1_800_000, 1500)])
def test_a_long_game_fits_into_a_clock(clock_ms: int, plies: int) -> None:
    left = clock_ms
    for _ in range(plies // 4):
        left -= limits(Clock(left))[1]
    assert left > 0
