"""The base of adapters that search with the Engine: its settings, and a table that is ready before a clock runs.

Imported before the first answer is given: it must stay light. The native modules are imported when first needed.
"""

from __future__ import annotations

from search_core.line_protocol import LineChannel, excerpt
from search_core.options import OptionError
from search_core.thinking_protocol import ThinkingProtocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from search_core.engine import Engine
    from search_core.thinker import Info, Limits, Result, Thinker

    class EngineSettings(Protocol):
        """The engine settings of every game; they apply from the next search on."""

        threads: int
        parameters: dict[str, int]
        """Search parameters that override the game's own, by name."""

        @property
        def hash_mb(self) -> int:
            """The size of the transposition table in MiB."""


class SetUpError(ValueError):
    """A position cannot be set up; the message is one line for the user."""


class EngineProtocol(ThinkingProtocol):
    """An adapter of a game that the Engine searches. A subclass gives the `settings`."""

    settings: EngineSettings

    def __init__(self, channel: LineChannel) -> None:
        super().__init__(channel)
        self._engine: Engine | None = None
        self._owed: list[Callable[[], None]] = []  # to be called when the table is ready

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

    @property
    def thinker(self) -> Thinker[Any]:
        return self.engine

    @property
    def busy(self) -> bool:
        return self.occupied or self.is_preparing

    @property
    def is_preparing(self) -> bool:
        """Whether an answer waits for the table."""
        return bool(self._owed)

    def start(
        self,
        position: Any,
        limits: Limits,
        answer: Callable[[Result], None],
        show: Callable[[Info], None] | None = None,
        *,
        endless: bool = False,
    ) -> None:
        engine = self.engine
        engine.hash_mb = self.settings.hash_mb
        engine.threads = self.settings.threads
        engine.parameters = dict(self.settings.parameters)
        self.say_owed()  # the host did not wait for the table
        super().start(position, limits, answer, show, endless=endless)

    def interrupt(self) -> None:
        super().interrupt()
        if self._owed:
            self.engine.cancel()

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()

    # The table

    def say_when_ready(self, say: Callable[[], None]) -> None:
        """Make the table ready and then call `say`: now if it is ready, else between two later commands."""
        if not self._owed:
            self._begin_work()
        self._owed.append(say)
        ready = True
        try:
            ready = self.prepare_table()
        finally:
            if ready:
                self.say_owed()

    def prepare_table(self) -> bool:
        """Begin to make a table of the current size ready in the background; return whether it is ready."""
        try:
            self.engine.hash_mb = self.settings.hash_mb
            return self.engine.ensure_table(lambda: self.post(self.say_owed))
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

    # The log

    def set_log(self, path: str) -> None:
        """Append both directions to a file; "" ends it. Raises OptionError if it cannot be written."""
        try:
            self.channel.log_to(path)
        except (OSError, ValueError) as error:
            from search_core.failures import reason_of

            raise OptionError(f"cannot write the log {excerpt(path)}: {reason_of(error)}; nothing changed") from None
