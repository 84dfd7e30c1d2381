"""Fixed searches: their speed, and a signature that changes whenever the search tree does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from search_core.clock import now_s
from search_core.engine import Engine, Limits, Result
from search_core.game import Game


class BenchResult(NamedTuple):
    """The result of a run."""

    nodes: list[int]
    """Of each position."""
    solver_nodes: int
    """Those of them that the game's solver played."""
    time_ms: int
    depth: int
    threads: int

    def lines(self) -> list[str]:
        """The report. The signature is the sum of all nodes; with several threads there is none: each run differs."""
        total = sum(self.nodes)
        lines = [f"position {number:2}  nodes {nodes}" for number, nodes in enumerate(self.nodes, 1)]
        lines += [
            f"depth     {self.depth}",
            f"time      {self.time_ms} ms",
            f"nodes     {total}",
            *([f"tree      {total - self.solver_nodes}"] if self.solver_nodes else []),
            f"nodes/s   {total * 1000 // max(self.time_ms, 1)}",
            f"signature {total if self.threads == 1 else '-'}",
        ]
        return lines


class Bench:
    """One run over all positions, with a new engine.

    Parameters
    ----------
    positions : sequence of Game
        All of the same game.
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
        """End run() soon. Any thread may call it."""
        self._cancelled = True
        self._engine.stop()

    def run(self) -> BenchResult | None:
        """Search all positions; None if cancelled. Not for the main thread, which must stay free for signals."""
        results: list[Result] = []
        start = now_s()
        for position in self._positions:
            self._engine.go(position, Limits(depth=self._depth), on_result=results.append)
            if self._cancelled:  # cancel() may have come before go()
                self._engine.stop()
            self._engine.wait()
            if self._cancelled:
                return None
        time_ms = int((now_s() - start) * 1000)
        nodes = [result.nodes for result in results]
        solver_nodes = sum(result.solver_nodes for result in results)
        result = BenchResult(nodes, solver_nodes, time_ms, self._depth, self._engine.threads)
        self._engine.close()
        return result
