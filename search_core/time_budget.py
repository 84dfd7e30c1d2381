"""How long to think about a move: a Clock in, a soft and a hard limit out.

`limits()` here is for UCI and its relatives. A game with other habits has a function of the same kind in its package.
"""

from __future__ import annotations

from search_core.fields import Fields

MAX_MS = 1_000_000_000
"""Clocks beyond this (about eleven days) are taken as this."""

# A game is planned as if this many moves were still to come: more at its
# beginning, when little is decided, and never so few that the clock runs out.
_MAX_MOVES_AHEAD = 45
_MIN_MOVES_AHEAD = 22
_HARD_FACTOR = 5  # the hard limit over the soft one, for a move that turns out to be difficult
_CLOCK_SHARE = 0.4  # largest share of the clock for one move, if the clock is for more moves
_PONDER_BONUS = 1.2  # part of the opponent's time is ours


class Clock(Fields):
    """What is known of the time for a move, in milliseconds."""

    left_ms: int | None = None
    """What the clock has left; None: there is no clock."""
    increment_ms: int = 0
    """Given for each move."""
    moves_to_go: int = 0
    """For how many moves the clock is; 0: for the whole game, 1: all of it may be used now."""
    move_ms: int | None = None
    """The limit of this move, whatever comes after."""
    spent_ms: int = 0
    """How much of this move's time is used up."""
    overhead_ms: int = 0
    """Lost between us and the clock on every move."""
    moves_played: int = 0
    """Our own."""
    ponder: bool = False
    """Whether we also think in the opponent's time."""


def limits(clock: Clock) -> tuple[int, int]:
    """Soft and hard limit in milliseconds; 0: none, since there is neither a clock nor a limit of the move.

    Limits are at least 1 and, as far as that allows, never beyond the remaining time less the overhead. Nonsensical
    values (negative clocks) are taken as the nearest sensible ones. Of the time for a move, at most a tenth is kept
    back for the overhead.
    """
    overhead_ms = max(clock.overhead_ms, 0)
    remaining_ms = min(max(clock.left_ms or 0, 0), MAX_MS)
    usable = max(remaining_ms - overhead_ms - clock.spent_ms, 1)
    if clock.move_ms is not None:
        move_ms = min(max(clock.move_ms, 1), MAX_MS)
        time_ms = max(move_ms - min(overhead_ms, move_ms // 10) - clock.spent_ms, 1)
        if clock.left_ms is not None:  # the fixed time, but never more than the clock has
            time_ms = min(time_ms, usable)
        return time_ms, time_ms
    if clock.left_ms is None:
        return 0, 0
    if clock.moves_to_go == 1:
        return usable, usable
    played = 0 if clock.moves_to_go else clock.moves_played
    ahead = min(max(_MAX_MOVES_AHEAD - played // 2, _MIN_MOVES_AHEAD), _MAX_MOVES_AHEAD)
    if clock.moves_to_go > 0:
        ahead = min(ahead, clock.moves_to_go)
    # Every move ahead pays the overhead; the increment of the last one comes too late.
    pool = max(remaining_ms - clock.spent_ms - ahead * overhead_ms, usable // 4, 1)
    soft = pool / ahead + min(max(clock.increment_ms, 0), MAX_MS) * (ahead - 1) / ahead
    if clock.ponder:
        soft *= _PONDER_BONUS
    hard = min(soft * _HARD_FACTOR, usable * max(_CLOCK_SHARE, 1 / ahead))
    return max(int(min(soft, hard)), 1), max(int(hard), 1)
