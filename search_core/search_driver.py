"""Drives the searches of a protocol: begins one, stops it, drops a late answer, readies a table before a clock runs.

Imported before the first answer is given: it must stay light. The native modules are imported when first needed.
"""

from __future__ import annotations

import threading

from search_core.clock import now_s
from search_core.line_protocol import LineChannel, LineProtocol, excerpt
from search_core.options import OptionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from search_core.engine import Engine
    from search_core.line_protocol import LineLoop
    from search_core.thinker import Info, Limits, Result
    from search_core.thinking_thread import ThinkingThread

    class EngineSettings(Protocol):
        """The engine settings of every game; they apply from the next search on."""

        threads: int
        parameters: dict[str, int]
        """Search parameters that override the game's own, by name."""

        @property
        def hash_mb(self) -> int:
            """The size of the transposition table in MiB."""

        @property
        def uses_table(self) -> bool:
            """Whether a search would use the table."""


class SearchDriver:
    """Has a ThinkingThread search, one position at a time. All answers come between two lines.

    Parameters
    ----------
    lines : LineLoop
    notify : callable
        Gets what the user should know.
    settings : EngineSettings or None
        Of the engine; None: all searches have another ThinkingThread.
    on_end : callable or None
        Called when a search is over and its answer was given or dropped.
    """

    def __init__(
        self,
        lines: LineLoop,
        notify: Callable[[str], None],
        settings: EngineSettings | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> None:
        self.busy_since = 0.0
        """When the last work began, on the clock of now_s()."""
        self._lines = lines
        self._notify = notify
        self._settings = settings
        self._on_end = on_end
        self._engine: Engine | None = None
        self._thinker: ThinkingThread[Any] | None = None  # of the running search
        self._cancel: Callable[[], None] | None = None  # of the running job
        self._stopping = False
        self._pondering = False
        self._endless = False
        self._ticket = 0  # of the answer that is wanted; an answer with an older ticket is dropped
        self._owed: list[Callable[[], None]] = []  # to be called when the table is ready

    @property
    def occupied(self) -> bool:
        """Whether a search or a job is running."""
        return self._thinker is not None or self._cancel is not None

    @property
    def is_preparing(self) -> bool:
        """Whether an answer waits for the table."""
        return bool(self._owed)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self.occupied or self.is_preparing

    @property
    def stopping(self) -> bool:
        """Whether the search that runs, or is about to begin, must stop: its answer is due at once."""
        return self._stopping or self._lines.stop_follows

    @property
    def answer_on_request(self) -> bool:
        """Whether the running search answers only on a command: it ponders or has no limit."""
        return self._thinker is not None and (self._pondering or self._endless)

    # Searches

    def start(
        self,
        position: Any,
        limits: Limits,
        answer: Callable[[Result], None],
        show: Callable[[Info], None] | None = None,
        *,
        thinker: ThinkingThread[Any] | None = None,
        endless: bool = False,
    ) -> None:
        """Begin a search. `show` gets its lines, then `answer` gets its result, once.

        If a stop is due, the search ends at once. `thinker`: None: the engine. `endless`: it goes on until a stop.
        Raises what ThinkingThread.go() raises; no answer follows then.
        """
        if thinker is None:
            thinker = self.ready_engine()
        self._ticket += 1
        ticket, post = self._ticket, self._lines.post
        self.busy_since = now_s()
        self._thinker, self._pondering, self._endless = thinker, limits.ponder, endless
        try:
            thinker.go(
                position,
                limits,
                on_info=None if show is None else lambda info: post(lambda: self._pass_on(ticket, show, info)),
                on_result=lambda result: post(lambda: self._conclude(ticket, answer, result)),
                on_message=lambda text: post(lambda: self._notify(text)),
            )
        except BaseException:
            self._thinker, self._stopping = None, False
            raise
        if self.stopping:
            self.stop()

    def start_job(self, work: Callable[[], None], cancel: Callable[[], None]) -> None:
        """Do `work`, such as perft, on a thread of its own. `cancel` must end it soon; stop() calls it."""
        self.busy_since = now_s()
        self._cancel = cancel

        def run() -> None:
            try:
                work()
            finally:
                self._lines.post(self._end_job)

        try:
            threading.Thread(target=run, name="job", daemon=True).start()
        except RuntimeError:  # the system gives no thread
            self._cancel = None
            raise
        if self._lines.stop_follows:
            self.stop()

    def stop(self) -> None:
        """End the running search or job at once."""
        self._stopping = self.occupied
        if self._thinker is not None:
            self._thinker.stop()
        if self._cancel is not None:
            self._cancel()

    def stop_at(self, when: float) -> None:
        """End the running search at this time of now_s() if it still runs then."""
        ticket, thinker = self._ticket, self._thinker

        def stop() -> None:
            if (ticket, thinker) == (self._ticket, self._thinker):
                self.stop()

        self._lines.call_at(when, stop)

    def ponderhit(self) -> None:
        """The pondered move was played: the clock of the running search starts now, if it ponders."""
        if self._thinker is not None and self._pondering:
            self._pondering = False
            self._thinker.ponderhit()

    def abandon(self) -> None:
        """End the running search, if any, and drop its answer. `busy` until that answer has come."""
        self._ticket += 1
        self.stop()

    def interrupt(self) -> None:
        """End all work at once."""
        self.stop()
        if self._owed and self._engine is not None:
            self._engine.cancel()

    def close(self) -> None:
        """Free threads and memory of the engine."""
        if self._engine is not None:
            self._engine.close()

    def _pass_on(self, ticket: int, show: Callable[[Info], None], info: Info) -> None:
        if ticket == self._ticket:
            show(info)

    def _conclude(self, ticket: int, answer: Callable[[Result], None], result: Result) -> None:
        self._thinker = None
        if ticket == self._ticket:
            answer(result)
        if not self.occupied:  # the answer may have needed one more search
            self._stopping = False
        if self._on_end is not None:
            self._on_end()

    def _end_job(self) -> None:
        self._cancel = None
        self._stopping = False

    # The engine and its table

    def make_engine(self) -> Engine:
        """A new engine. Tests replace it to cap its searches."""
        from search_core.engine import Engine

        return Engine()

    @property
    def engine(self) -> Engine:
        """The engine; made when first needed."""
        if self._engine is None:
            self._engine = self.make_engine()
        return self._engine

    def ready_engine(self) -> Engine:
        """The engine as the settings are, for a search that begins now."""
        assert self._settings is not None
        engine = self.engine
        engine.hash_mb = self._settings.hash_mb
        engine.threads = self._settings.threads
        engine.parameters = dict(self._settings.parameters)
        self.say_owed()  # the host did not wait for the table
        return engine

    def say_when_ready(self, say: Callable[[], None]) -> None:
        """Make the table ready and then call `say`: now if it is ready or a search runs, else between two lines."""
        if self.occupied:
            say()
            return
        if not self._owed:
            self.busy_since = now_s()
        self._owed.append(say)
        ready = True
        try:
            ready = self.prepare_table()
        finally:
            if ready:
                self.say_owed()

    def prepare_table(self) -> bool:
        """Begin to make a table of the current size ready in the background; return whether nothing waits for it."""
        assert self._settings is not None
        if not self._settings.uses_table:
            return True
        try:
            self.engine.hash_mb = self._settings.hash_mb
            return self.engine.ensure_table(lambda: self._lines.post(self.say_owed))
        except (ImportError, MemoryError):
            return True  # the search that needs it reports the error

    def say_owed(self) -> None:
        """Send the answers that wait for the table."""
        while self._owed:
            self._owed.pop(0)()

    def new_game(self) -> None:
        """Clear what was learnt in the last game."""
        if self._engine is not None:
            self._engine.new_game()
            self.prepare_table()


class SearchProtocol(LineProtocol):
    """A LineProtocol whose answers come from a SearchDriver."""

    def __init__(self, channel: LineChannel, settings: EngineSettings | None = None) -> None:
        super().__init__(channel)
        self.driver = SearchDriver(self.lines, self.notify, settings, self.on_search_end)

    def on_search_end(self) -> None:
        """Called when a search is over and its answer was given or dropped."""

    @property
    def busy(self) -> bool:
        return self.driver.busy

    @property
    def busy_since(self) -> float:
        return self.driver.busy_since

    def interrupt(self) -> None:
        self.driver.interrupt()

    def close(self) -> None:
        self.driver.close()


def set_log(channel: LineChannel, path: str) -> None:
    """Append both directions to a file; "" ends it. Raises OptionError if it cannot be written."""
    try:
        channel.log_to(path)
    except (OSError, ValueError) as error:
        from search_core.failures import reason_of

        raise OptionError(f"cannot write the log {excerpt(path)}: {reason_of(error)}; nothing changed") from None
