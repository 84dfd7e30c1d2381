"""How long to think about a move."""

from __future__ import annotations

LONGEST_MS = 1_000_000_000
"""Clocks beyond this (about eleven days) are taken as this."""

# A game is planned as if this many moves were still to come: more at its
# beginning, when little is decided, and never so few that the clock runs out.
_MOST_MOVES_AHEAD = 45
_LEAST_MOVES_AHEAD = 22
_HARD_FACTOR = 5  # the hard limit over the soft one, for a move that turns out to be difficult
_CLOCK_SHARE = 0.4  # largest share of the clock for one move, if the clock is for more moves
_PONDER_BONUS = 1.2  # part of the opponent's time is ours


def for_clock(
    remaining_ms: int,
    increment_ms: int = 0,
    moves_to_go: int = 0,
    overhead_ms: int = 0,
    moves_played: int = 0,
    ponder: bool = False,
) -> tuple[int, int]:
    """Soft and hard limit in milliseconds for a move on a running clock.

    `moves_to_go` 0 means that the clock is for the whole game; 1 that all of it
    may be used now. `overhead_ms` is lost between us and the clock on every
    move; `moves_played` counts our own; `ponder` says that we also think in the
    opponent's time. Both limits are at least 1 and, as far as that allows,
    never beyond the remaining time less the overhead. Nonsensical values
    (negative clocks) are taken as the nearest sensible ones.
    """
    remaining_ms = min(max(remaining_ms, 0), LONGEST_MS)
    increment_ms = min(max(increment_ms, 0), LONGEST_MS)
    usable = max(remaining_ms - max(overhead_ms, 0), 1)
    if moves_to_go == 1:
        return usable, usable
    ahead = min(max(_MOST_MOVES_AHEAD - moves_played // 2, _LEAST_MOVES_AHEAD), _MOST_MOVES_AHEAD)
    if moves_to_go > 0:
        ahead = min(ahead, moves_to_go)
    # Every move ahead pays the overhead; the increment of the last one comes too late.
    pool = max(remaining_ms - ahead * max(overhead_ms, 0), usable // 4, 1)
    soft = pool / ahead + increment_ms * (ahead - 1) / ahead
    if ponder:
        soft *= _PONDER_BONUS
    cap = usable * max(_CLOCK_SHARE, 1 / ahead)
    hard = min(soft * _HARD_FACTOR, cap)
    return max(int(min(soft, hard)), 1), max(int(hard), 1)


def for_move(movetime_ms: int, overhead_ms: int = 0) -> tuple[int, int]:
    """Soft and hard limit in milliseconds for a move that may take `movetime_ms`, whatever comes after.

    The overhead is kept back, but never more than a tenth of the time.
    """
    movetime_ms = min(max(movetime_ms, 1), LONGEST_MS)
    usable = max(movetime_ms - min(max(overhead_ms, 0), movetime_ms // 10), 1)
    return usable, usable
