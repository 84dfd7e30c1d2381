"""How long the Junqi player thinks about a move, in every protocol. Adapters import it first: it must stay light.

Without a clock it thinks for `Think Time`; a time for the move only limits that. With a clock it plans by the clock.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

THINK_TIME_MS = 1000
"""Default of the option `Think Time`: long enough to play well, and no person has to wait."""
LONGEST_THINK_TIME_MS = 3_600_000
CONTEST_MAX_MOVETIME_MS = 10_000
"""Longest time for a move in the contest: some of its referees also limit each move, which START does not tell."""
LEAST_MS = 5
"""The player thinks for at least this long, even if its clock is nearly used up."""
_LAG_MS = 10  # between the player and the referee, for each answer
_MOVES_AHEAD = 40
_INCREMENT_SHARE = 0.75
_CLOCK_SHARE = 1 / 8


def for_move(think_time_ms: int, movetime_ms: int | None = None) -> int:
    """Milliseconds for a move without a clock. `movetime_ms`: what the referee allows; a little of it is kept back for
    the way to the referee, at most a tenth."""
    if movetime_ms is None:
        return think_time_ms
    return max(min(movetime_ms - min(_LAG_MS, movetime_ms // 10), think_time_ms), 1)


def for_clock(clock_ms: int, increment_ms: int = 0) -> int:
    """Milliseconds for a move on a clock that has `clock_ms` left for the whole game."""
    plan = clock_ms / _MOVES_AHEAD + _INCREMENT_SHARE * increment_ms
    return max(int(min(plan, _CLOCK_SHARE * clock_ms)), LEAST_MS)


def add_think_time(parser: argparse.ArgumentParser) -> None:
    """Declare the option --think-time of a command."""
    from search_core.number_argument import number_argument

    parser.add_argument(
        "--think-time",
        type=number_argument(1, LONGEST_THINK_TIME_MS),
        default=THINK_TIME_MS,
        metavar="MS",
        help="milliseconds for a move, if there is no clock (default %(default)s)",
    )
