"""How long to think about a move, by the limits that a Gomocup manager sets."""

from __future__ import annotations

from search_core.time_budget import Clock

UNLIMITED_MS = (1 << 31) - 1
"""What managers send for "no limit"; larger values mean the same."""

DEFAULT_TURN_MS = 5000
"""The time for a turn if the host has set no limit at all."""

_AT_ONCE_MS = 50  # the time for a turn if the host wants it as fast as possible

_OVERHEAD_MS = 30  # of each move, between our clock and the manager's,
_OVERHEAD_PERCENT = 2  # plus this part of the turn, for a busy machine

# The time left is planned for this many more of our moves: for most at the
# beginning, and never for so few that the clock runs out.
_MAX_MOVES_AHEAD = 32
_MIN_MOVES_AHEAD = 20
_HARD_FACTOR = 4  # hard limit / soft limit, for a move that turns out to be difficult
_CLOCK_SHARE = 0.2  # the largest part of the match clock for one move


class TurnClock:
    """What a manager says of the time, in milliseconds: the limits of a turn and of the match, and what is left."""

    def __init__(self) -> None:
        self._turn_ms = UNLIMITED_MS
        self._match_ms = UNLIMITED_MS
        self._left_ms: int | None = None
        self._left_is_new = False  # said since our last move
        self._used_ms = 0

    def set_turn(self, milliseconds: int) -> None:
        """The limit of each turn; 0: play as fast as possible."""
        self._turn_ms = milliseconds

    def set_match(self, milliseconds: int) -> None:
        """The limit of all our turns together; 0: none."""
        self._match_ms = milliseconds or UNLIMITED_MS

    def set_left(self, milliseconds: int) -> None:
        """What is left of the match, as the manager counts it; may be negative."""
        self._left_ms = milliseconds
        self._left_is_new = True

    def start_match(self) -> None:
        """A new game: the match clock is full again, or as the manager has just said."""
        if not self._left_is_new:
            self._left_ms = None
        self._used_ms = 0

    def charge(self, milliseconds: int) -> None:
        """Count time used for a turn, until the manager says what is left."""
        self._used_ms += milliseconds
        self._left_is_new = False
        if self._left_ms is not None and self._left_ms < UNLIMITED_MS:
            self._left_ms -= milliseconds

    def limits(self, spent_ms: int, moves_played: int) -> tuple[int, int]:
        """limits() for a search that starts now, `spent_ms` after its turn began. `moves_played` counts our own."""
        turn_ms = self._turn_ms if self._turn_ms < UNLIMITED_MS else None
        return limits(Clock(self._left(), move_ms=turn_ms, spent_ms=spent_ms, moves_played=moves_played))

    def _left(self) -> int | None:
        if self._left_ms is not None:
            return self._left_ms if self._left_ms < UNLIMITED_MS else None
        return self._match_ms - self._used_ms if self._match_ms < UNLIMITED_MS else None


def limits(clock: Clock) -> tuple[int, int]:
    """Soft and hard limit in milliseconds. They are equal if all of the time may be used; neither is below 1."""
    turn_ms = DEFAULT_TURN_MS if clock.move_ms is None and clock.left_ms is None else None
    if clock.move_ms == 0:
        turn_ms = _AT_ONCE_MS
    elif clock.move_ms is not None:
        overhead = _OVERHEAD_MS + clock.move_ms * _OVERHEAD_PERCENT // 100
        turn_ms = clock.move_ms - min(overhead, clock.move_ms // 2) - clock.spent_ms
    soft = hard = turn_ms or 0.0
    if clock.left_ms is not None:
        ahead = max(_MAX_MOVES_AHEAD - clock.moves_played, _MIN_MOVES_AHEAD)
        usable = clock.left_ms - clock.spent_ms - ahead * _OVERHEAD_MS
        soft = usable / ahead
        hard = min(soft * _HARD_FACTOR, usable * _CLOCK_SHARE)
        if turn_ms is not None:
            soft, hard = min(soft, turn_ms), min(hard, turn_ms)
    return max(int(soft), 1), max(int(hard), 1)
