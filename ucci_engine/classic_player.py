"""The classic players as Thinkers: docs/classic-players.md."""

from __future__ import annotations

import threading

from search_core.line_protocol import LONGEST_WAIT_S, excerpt
from search_core.signals import Signals
from search_core.thinker import Info, Limits, Result
from ucci_engine.classic import find
from ucci_engine.classic_names import CLASSIC_PLAYERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ucci_engine.position import Position


class ClassicPlayer:
    """A Thinker that plays as a classic player, on a thread for each move.

    It always thinks as far as its name says: limits of time, nodes and depth change nothing.

    Attributes
    ----------
    name : str
        One of CLASSIC_PLAYERS.
    seed : int
        Decides between moves of equal score.
    name, seed
        May be set at any time; they take effect at the next go().
    """

    def __init__(self, name: str = CLASSIC_PLAYERS[0], seed: int = 0) -> None:
        self.name = name
        self.seed = seed
        self._signals: Signals | None = None
        self._infinite = False
        self._released = threading.Event()
        self._delivered = threading.Event()
        self._delivered.set()
        self._thread: threading.Thread | None = None
        self._thinking = False

    def search(self, position: Position, limits: Limits = Limits()) -> Result:  # noqa: B008 - it is frozen
        """The move for a position, on the calling thread."""
        return self._find(position, limits, Signals(), self.name, self.seed)

    def go(
        self,
        position: Position,
        limits: Limits,
        /,
        on_info: Callable[[Info], None] | None = None,
        on_result: Callable[[Result], None] | None = None,
        on_message: Callable[[str], None] | None = None,
    ) -> None:
        """Begin to think about a copy of `position` and return at once, as Thinker.go() says."""
        if self._thinking:
            raise RuntimeError("a search is on; stop() and wait() first")
        self.wait()
        signals = Signals(limits.ponder)
        delivered = threading.Event()
        self._released.clear()
        self._infinite = limits.infinite
        if not limits.infinite and not limits.ponder:
            self._released.set()
        thread = threading.Thread(
            target=self._think,
            args=(position.copy(), limits, signals, self.name, self.seed, on_info, on_result, on_message, delivered),
            name="search",
            daemon=True,
        )
        self._signals, self._delivered, self._thread, self._thinking = signals, delivered, thread, True
        try:
            thread.start()
        except RuntimeError:
            self._thinking = False
            delivered.set()
            raise

    def stop(self) -> None:
        """End the search at once; its result follows. Harmless when idle."""
        if self._signals is not None:
            self._signals.stop()
        self._released.set()

    def ponderhit(self) -> None:
        """The pondered move was played: the result may be given."""
        if not self._infinite:
            self._released.set()

    def wait(self) -> None:
        """Return when the result of the last go() has been delivered."""
        if threading.current_thread() is not self._thread:
            while not self._delivered.wait(LONGEST_WAIT_S):
                pass

    def close(self) -> None:
        """Stop and wait."""
        self.stop()
        self.wait()

    def _find(self, position: Position, limits: Limits, signals: Signals, name: str, seed: int) -> Result:
        best, score, depth, nodes, pv = find(position, name, seed, signals, limits.root_moves, limits.excluded_moves)
        elapsed_ms = signals.elapsed_ms
        lines: tuple[Info, ...] = ()
        if best is not None:
            lines = (
                Info(depth, depth, 1, score, "exact", nodes, elapsed_ms, nodes * 1000 // max(elapsed_ms, 1), 0, pv),
            )
        return Result(best, pv[1] if len(pv) > 1 else None, score, depth, nodes, elapsed_ms, lines)

    def _think(
        self,
        position: Position,
        limits: Limits,
        signals: Signals,
        name: str,
        seed: int,
        on_info: Callable[[Info], None] | None,
        on_result: Callable[[Result], None] | None,
        on_message: Callable[[str], None] | None,
        delivered: threading.Event,
    ) -> None:
        result: Result | None = None
        try:
            result = self._find(position, limits, signals, name, seed)
            if on_info is not None:
                for line in result.lines:
                    on_info(line)
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
