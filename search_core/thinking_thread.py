"""Finds moves on threads of its own: go, stop, ponderhit, and results by callback. The calling thread never thinks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from search_core.line_protocol import MAX_WAIT_S, excerpt
from search_core.signals import Signals
from search_core.thinker import Info, Limits, Result

P = TypeVar("P", bound=Any)


class MoveSignals:
    """What a ThinkingThread hears while it finds a move. Any thread may call its methods.

    Attributes
    ----------
    search : Signals
        For the native code.
    released : threading.Event
        Whether the result may be given.
    """

    def __init__(self, limits: Limits) -> None:
        self.search = Signals(pondering=limits.ponder)
        self.released = threading.Event()
        self._limits = limits
        self._wakeups: SimpleQueue[None] = SimpleQueue()
        if not limits.infinite and not limits.ponder:
            self.released.set()

    def stop(self) -> None:
        """End the search at once. Safe in a signal handler."""
        self.search.stop()
        self.released.set()
        self.wake()

    def ponderhit(self) -> None:
        """The pondered move was played: the clock starts now, and the time so far counts for the soft limit."""
        if self._limits.ponder:
            self.search.ponderhit()
            if not self._limits.infinite:
                self.released.set()
            self.wake()

    def wake(self) -> None:
        """End a sleep()."""
        self._wakeups.put(None)

    def sleep(self, seconds: float | None) -> bool:
        """Wait for a signal or a wake(); False when the time is over before. None: for ever."""
        try:
            self._wakeups.get(timeout=seconds)
        except Empty:
            return False
        return True

    def is_due(self, wait_ms: float = 0) -> bool:
        """Whether the move will be due in this time at the latest: after a stop, or at the hard limit."""
        search, hard_ms = self.search, self._limits.hard_ms
        return search.stopped or (0 < hard_ms <= search.clock_ms + wait_ms and not search.pondering)


Think = Callable[[MoveSignals], Result]
"""Finds a move on the calling thread."""
OnInfo = Callable[[Info], None] | None
OnResult = Callable[[Result], None] | None
OnMessage = Callable[[str], None] | None
"""As of ThinkingThread.go()."""


class ThinkingThread(Generic[P]):
    """Finds one move at a time, on a thread for each. A subclass says by prepare() how to think."""

    def __init__(self) -> None:
        self._signals: MoveSignals | None = None
        self._thread: threading.Thread | None = None
        self._delivered = threading.Event()
        self._delivered.set()
        self.thinking = False
        """Whether the result of a go() is still to come."""

    def stop(self) -> None:
        """End the search at once; its result follows. Harmless when idle. Any thread may call it, and a signal
        handler."""
        if self._signals is not None:
            self._signals.stop()

    def ponderhit(self) -> None:
        """The pondered move was played: the clock starts now."""
        if self._signals is not None:
            self._signals.ponderhit()

    def wait(self) -> None:
        """Return when the result of the last go() has been delivered."""
        # Not Thread.join(): if Ctrl-C interrupts it, Python 3.11 treats the thread as ended.
        if threading.current_thread() is not self._thread:
            while not self._delivered.wait(MAX_WAIT_S):
                pass

    def close(self) -> None:
        """Stop and wait."""
        self.stop()
        self.wait()

    def prepare(self, position: P, limits: Limits, on_info: OnInfo, on_message: OnMessage) -> Think:
        """What thinks about `position`, a copy, as it is set now."""
        raise NotImplementedError

    def go(
        self,
        position: P,
        limits: Limits,
        /,
        on_info: OnInfo = None,
        on_result: OnResult = None,
        on_message: OnMessage = None,
    ) -> None:
        """Begin to think about a copy of `position` and return at once.

        The callbacks come from another thread: any number of `on_info`, then exactly one `on_result`. `on_message` gets
        what the user should know, such as why it failed (the result has no move then). Without `on_message`, a failure
        goes to threading.excepthook. Raises RuntimeError while a result is still to come, or when the system gives no
        thread.
        """
        if self.thinking:
            raise RuntimeError("a search is on; stop() and wait() first")
        self.wait()
        self.start(limits, self.prepare(position.copy(), limits, on_info, on_message), on_result, on_message)

    def start(self, limits: Limits, think: Think, on_result: OnResult, on_message: OnMessage = None) -> None:
        """Call `think` on a new thread and give its result to `on_result`, when the host may have it.

        If `think` fails, the result has no move, and report_failure() tells why. Raises RuntimeError when the system
        gives no thread.
        """
        signals = self._signals = MoveSignals(limits)
        delivered = self._delivered = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(think, signals, on_result, on_message, delivered), name="search", daemon=True
        )
        self.thinking = True
        try:
            self._thread.start()
        except RuntimeError:
            self.thinking = False
            delivered.set()
            raise

    def _run(
        self,
        think: Think,
        signals: MoveSignals,
        on_result: OnResult,
        on_message: OnMessage,
        delivered: threading.Event,
    ) -> None:
        result: Result | None = None
        try:
            result = think(signals)
        except Exception as error:  # noqa: BLE001 - there is a result in any case
            report_failure(error, on_message)
        finally:
            signals.released.wait()
            self.thinking = False
            try:
                if on_result is not None:
                    on_result(result or Result(None, None, 0, 0, 0, signals.search.elapsed_ms, ()))
            finally:
                delivered.set()


def report_failure(error: Exception, on_message: OnMessage) -> None:
    """Tell why a search failed; without `on_message`, report it as uncaught in this thread."""
    if on_message is not None:
        on_message(f"search failed: {type(error).__name__}: {excerpt(str(error))}")
    else:
        where = threading.current_thread()
        threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, where)))
