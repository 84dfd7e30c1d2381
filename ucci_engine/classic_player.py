"""The classic players as Thinkers: docs/classic-players.md."""

from __future__ import annotations

from search_core.signals import Signals
from search_core.thinker import Info, Limits, Result
from search_core.thinking_thread import MoveSignals, OnInfo, OnMessage, Think, ThinkingThread
from ucci_engine.classic import find
from ucci_engine.levels import CLASSIC_PLAYERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ucci_engine.position import Position


class ClassicPlayer(ThinkingThread["Position"]):
    """A ThinkingThread that plays as a classic player, on a thread for each move.

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
        super().__init__()
        self.name = name
        self.seed = seed

    def search(self, position: Position, limits: Limits = Limits()) -> Result:  # noqa: B008 - it is frozen
        """The move for a position, on the calling thread."""
        return self._find(position, limits, Signals(), self.name, self.seed)

    def prepare(self, position: Position, limits: Limits, on_info: OnInfo, on_message: OnMessage) -> Think:
        name, seed = self.name, self.seed

        def think(signals: MoveSignals) -> Result:
            result = self._find(position, limits, signals.search, name, seed)
            if on_info is not None:
                for line in result.lines:
                    on_info(line)
            return result

        return think

    def _find(self, position: Position, limits: Limits, signals: Signals, name: str, seed: int) -> Result:
        best, score, depth, nodes, pv = find(position, name, seed, signals, limits.root_moves, limits.excluded_moves)
        elapsed_ms = signals.elapsed_ms
        lines: tuple[Info, ...] = ()
        if best is not None:
            lines = (
                Info(depth, depth, 1, score, "exact", nodes, elapsed_ms, nodes * 1000 // max(elapsed_ms, 1), 0, pv),
            )
        return Result(best, pv[1] if len(pv) > 1 else None, score, depth, nodes, elapsed_ms, lines)
