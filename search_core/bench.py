"""Fixed searches: how fast they are, and a signature that any change of the tree shows in."""

from __future__ import annotations

from collections.abc import Sequence

from search_core.clock import now_s
from search_core.engine import Engine, Limits
from search_core.game import Game


class BenchResult:
    """What a run came to."""

    def __init__(self, nodes: list[int], time_ms: int, depth: int, threads: int) -> None:
        self.nodes = nodes
        """Of each position."""
        self.time_ms = time_ms
        self.depth = depth
        self.threads = threads

    def lines(self) -> list[str]:
        """The report. The signature is the sum of all nodes; several threads have none, since each run differs."""
        total = sum(self.nodes)
        lines = [f"position {number:2}  nodes {nodes}" for number, nodes in enumerate(self.nodes, 1)]
        lines += [
            f"depth     {self.depth}",
            f"time      {self.time_ms} ms",
            f"nodes     {total}",
            f"nodes/s   {total * 1000 // max(self.time_ms, 1)}",
            f"signature {total if self.threads == 1 else '-'}",
        ]
        return lines


class Bench:
    """One run over all positions, by an engine that starts with nothing learnt.

    Parameters
    ----------
    positions : sequence of Game
        Of one game.
    depth : int
        Plies.
    threads : int
    hash_mb : int
        The signature depends on it.
    """

    def __init__(self, positions: Sequence[Game], depth: int, threads: int, hash_mb: int) -> None:
        self._positions = positions
        self._depth = depth
        self._cancelled = False
        self._engine = Engine()
        self._engine.threads = threads
        self._engine.hash_mb = hash_mb

    def cancel(self) -> None:
        """End run() soon. May be called from any thread."""
        self._cancelled = True
        self._engine.stop()

    def run(self) -> BenchResult | None:
        """Search all positions; None if cancelled. Not for the main thread, which must stay open to signals."""
        nodes: list[int] = []
        start = now_s()
        for position in self._positions:
            self._engine.go(position, Limits(depth=self._depth), on_result=lambda result: nodes.append(result.nodes))
            if self._cancelled:  # perhaps before the search could hear of it
                self._engine.stop()
            self._engine.wait()
            if self._cancelled:
                return None
        result = BenchResult(nodes, int((now_s() - start) * 1000), self._depth, self._engine.threads)
        self._engine.close()
        return result
