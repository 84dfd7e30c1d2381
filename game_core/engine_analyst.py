"""Our own engine as an Analyst: one search thread, with a table of its own."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from queue import SimpleQueue

from game_core.analysis import AnalysisError, AnalysisTask, Finding, Variation, mate_in_moves, rule_win_in_moves
from search_core.engine import Engine
from search_core.thinker import Info, Limits, Result


class EngineAnalyst:
    """`hash_mb`: the size of the table in MiB."""

    def __init__(self, hash_mb: int) -> None:
        self._engine = Engine()
        self._engine.plays_late_wins = False
        self._engine.hash_mb = hash_mb
        self._context: Hashable = None
        self._task: AnalysisTask | None = None
        self._infos: dict[int, Info] = {}
        """The last of each line."""
        self._iterations: dict[int, Info] = {}
        """The best line of each finished depth."""

    def analyse(self, task: AnalysisTask, notify: Callable[[str], None]) -> Finding:
        context = (type(task.turn), task.turn.context)
        if context != self._context:
            self._context = context
            self._engine.new_game()
        self._infos, self._iterations, self._task = {}, {}, task
        try:
            return self._analyse(task, task.limits, notify)
        finally:
            self._task = None

    def _analyse(self, task: AnalysisTask, limits: Limits, notify: Callable[[str], None]) -> Finding:
        results: SimpleQueue[Result] = SimpleQueue()
        said: list[str] = []
        assert task.turn.game is not None
        self._engine.go(task.turn.game, limits, self._note, results.put, said.append)
        if task.stopped.is_set():
            self._engine.stop()
        result = results.get()
        if result.best is None and limits.excluded_moves and not limits.root_moves and not task.stopped.is_set():
            # A game may search some of its moves only: those that are left are the others.
            others = tuple(move for move in task.turn.legal_moves() if move not in limits.excluded_moves)
            if others:
                return self._analyse(task, replace(limits, root_moves=others), notify)
        if result.best is None and not task.stopped.is_set():
            raise AnalysisError(said[-1] if said else "there is no legal move that the request allows")
        for text in said:
            notify(text)
        # By the result alone: which bounds are reported on the way depends on the machine's speed.
        lines = result.lines if result.unfinished is None else (result.unfinished, *result.lines)
        iterations = tuple(self._line(task, info) for _, info in sorted(self._iterations.items()))
        return Finding(self._lines(task, lines), result.depth, result.nodes, result.time_ms, iterations)

    def snapshot(self) -> Finding | None:
        task, infos = self._task, dict(self._infos)
        if task is None or 1 not in infos:
            return None
        first = infos[1]
        return Finding(
            self._lines(task, [infos[line] for line in sorted(infos)]), first.depth, first.nodes, first.time_ms
        )

    def stop(self) -> None:
        self._engine.stop()

    def clear(self) -> None:
        self._context = None

    def close(self) -> None:
        self._engine.close()

    def _note(self, info: Info) -> None:
        self._infos[info.multipv] = info
        if info.multipv == 1 and info.bound == "exact":
            self._iterations[info.depth] = info

    @classmethod
    def _lines(cls, task: AnalysisTask, infos: Iterable[Info]) -> tuple[Variation, ...]:
        """The lines that begin with different moves, not more than were asked for."""
        by_move: dict[int, Info] = {}
        for info in infos:
            by_move.setdefault(info.pv[0], info)
        return tuple(cls._line(task, info) for info in list(by_move.values())[: task.limits.multipv])

    @staticmethod
    def _line(task: AnalysisTask, info: Info) -> Variation:
        turn = task.turn
        return Variation(
            pv=tuple(turn.line(info.pv)),
            score_cp=info.score,
            mate=mate_in_moves(info.score),
            bound=info.bound,
            depth=info.depth,
            seldepth=info.seldepth,
            chances=turn.chances(info.score),
            rule_win=rule_win_in_moves(info.score),
        )
