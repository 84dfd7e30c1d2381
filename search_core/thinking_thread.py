"""What the Thinkers of the board games share: one thread for each move, and when its result may be given."""

from __future__ import annotations

import threading

from search_core.line_protocol import LONGEST_WAIT_S, excerpt
from search_core.signals import Signals
from search_core.thinker import Limits, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class ThinkingThread:
    """Thinks about one move at a time, on a thread for each. The calling thread never thinks."""

    def __init__(self) -> None:
        self._signals: Signals | None = None
        self._infinite = False
        self._released = threading.Event()
        self._thread: threading.Thread | None = None
        self._delivered = threading.Event()
        self._delivered.set()
        self._thinking = False

    @property
    def thinking(self) -> bool:
        """Whether the result of a go() is still to come."""
        return self._thinking

    def stop(self) -> None:
        """End the search at once; its result follows. Harmless when idle. Safe in a signal handler."""
        signals = self._signals
        if signals is not None:
            signals.stop()
        self._released.set()

    def ponderhit(self) -> None:
        """The pondered move was played: the clock starts now."""
        signals = self._signals
        if signals is not None:
            signals.ponderhit()
        if not self._infinite:
            self._released.set()

    def wait(self) -> None:
        """Return when the result of the last go() has been delivered."""
        # Not Thread.join(): if Ctrl-C interrupts it, Python 3.11 treats the thread as ended.
        if threading.current_thread() is not self._thread:
            while not self._delivered.wait(LONGEST_WAIT_S):
                pass

    def _become_ready(self) -> None:
        """Return when the next _start() may come. Raises RuntimeError while a result is still to come."""
        if self._thinking:
            raise RuntimeError("a search is on; stop() and wait() first")
        self.wait()

    def _start(
        self,
        limits: Limits,
        think: Callable[[Signals], Result],
        on_result: Callable[[Result], None] | None,
        on_message: Callable[[str], None] | None,
    ) -> None:
        """Call `think` on a new thread and give its result to `on_result`, when the host may have it.

        If `think` fails, the result has no move, and `on_message` gets the reason. Without `on_message` the failure
        goes to threading.excepthook. Raises RuntimeError when the system gives no thread.
        """
        signals = self._signals = Signals(pondering=limits.ponder)
        delivered = self._delivered = threading.Event()
        self._infinite = limits.infinite
        self._released.clear()
        if not limits.infinite and not limits.ponder:
            self._released.set()
        self._thread = threading.Thread(
            target=self._run, args=(think, signals, on_result, on_message, delivered), name="search", daemon=True
        )
        self._thinking = True
        try:
            self._thread.start()
        except RuntimeError:
            self._thinking = False
            delivered.set()
            raise

    def _run(
        self,
        think: Callable[[Signals], Result],
        signals: Signals,
        on_result: Callable[[Result], None] | None,
        on_message: Callable[[str], None] | None,
        delivered: threading.Event,
    ) -> None:
        result: Result | None = None
        try:
            result = think(signals)
        except Exception as error:
            if on_message is None:
                raise
            on_message(f"search failed: {type(error).__name__}: {excerpt(str(error))}")
        finally:  # there is a result in any case
            self._released.wait()
            self._thinking = False
            try:
                if on_result is not None:
                    on_result(result or Result(None, None, 0, 0, 0, signals.elapsed_ms, ()))
            finally:
                delivered.set()
