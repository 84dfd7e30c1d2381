"""When a move of the Junqi player is due."""

from __future__ import annotations

from search_core.clock import now_s

TYPE_CHECKING = False
if TYPE_CHECKING:
    from search_core.engine import Engine


class StopFlag:
    """Says when a move is due: after a stop, or when the time of `Limits.hard_ms` is up. A slow level polls it.

    Parameters
    ----------
    hard_ms : int
        Milliseconds; 0: no limit.
    pondering : bool
        Whether the clock waits for start_clock().
    """

    def __init__(self, hard_ms: int, pondering: bool) -> None:
        self._hard_ms = hard_ms
        self._stopped = False
        self._deadline: float | None = None
        self._engine: Engine | None = None
        if not pondering:
            self.start_clock()

    @property
    def is_set(self) -> bool:
        """Whether the move is due."""
        return self.is_due_in(0)

    def is_due_in(self, wait_ms: float) -> bool:
        """Whether the move will be due in this time at the latest."""
        return self._stopped or (self._deadline is not None and now_s() + wait_ms / 1000 >= self._deadline)

    def start_clock(self) -> None:
        """Start the clock now."""
        if self._hard_ms:
            self._deadline = now_s() + self._hard_ms / 1000
        if self._engine is not None:
            self._engine.ponderhit()

    def set(self) -> None:
        """Make the move due now."""
        self._stopped = True
        if self._engine is not None:
            self._engine.stop()

    def attach(self, engine: Engine) -> None:
        """Tell a search that has begun, too; at once if the move is due already."""
        self._engine = engine
        if self._stopped:
            engine.stop()
        if self._deadline is not None:
            engine.ponderhit()
