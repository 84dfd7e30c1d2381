"""How long the Junqi player thinks about a move, in every protocol. Adapters import it first: it must stay light.

Without a clock it thinks for `Think Time`; a time for the move only limits that. A little of it, at most a tenth, is
reserved for communication delay. With a clock it plans by the clock.
"""

from __future__ import annotations

from search_core.time_budget import Clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

THINK_TIME_MS = 1000
"""Default of the option `Think Time`: long enough to play well, and no person has to wait."""
MAX_THINK_TIME_MS = 3_600_000
CONTEST_MAX_MOVETIME_MS = 10_000
"""Longest time for a move in the contest: some of its referees also limit each move, which START does not tell."""
MIN_MS = 5
"""The player thinks for at least this long, even if its clock is nearly used up."""
_LAG_MS = 10  # between the player and the referee, for each answer
_MOVES_AHEAD = 40
_INCREMENT_SHARE = 0.75
_CLOCK_SHARE = 1 / 8


def limits(clock: Clock, think_time_ms: int = THINK_TIME_MS) -> tuple[int, int]:
    """Soft and hard limit in milliseconds, which are equal."""
    times = []
    if clock.left_ms is not None:
        plan = clock.left_ms / _MOVES_AHEAD + _INCREMENT_SHARE * clock.increment_ms
        times.append(max(int(min(plan, _CLOCK_SHARE * clock.left_ms)), MIN_MS))
    if clock.move_ms is not None:
        times.append(max(min(clock.move_ms - min(_LAG_MS, clock.move_ms // 10), think_time_ms), 1))
    time_ms = min(times, default=think_time_ms)
    return time_ms, time_ms


def add_movetime(parser: argparse.ArgumentParser) -> None:
    """Declare the option --movetime of a command."""
    from game_core.command_parser import add_old_name
    from search_core.number_argument import add_number

    help = "milliseconds for a move, if there is no clock (default %(default)s)"
    movetime = add_number(parser, "--movetime", 1, MAX_THINK_TIME_MS, "MS", help, THINK_TIME_MS)
    add_old_name(parser, "--think-time", movetime)
