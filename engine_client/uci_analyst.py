"""A UCI or UCCI engine as an Analyst, for any board game."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine_client.player_analyst import PlayerAnalyst, thinking_limits
from engine_client.reports import Report
from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from engine_client.uci_player import UciPlayer
from game_core.analysis import AnalysisError, AnalysisTask, Finding, Variation
from game_core.win_probability import Chances
from search_core.line_protocol import excerpt

_MAX_LINES = 500
_STOP_S = 3.0
"""How long an engine may take to answer a stop; then it is ended."""
_FOR_ANALYSIS = (("UCI_ShowWDL", "true"), ("UCI_AnalyseMode", "true"))
"""Options that are set if the engine has them."""


class UciAnalyst(PlayerAnalyst[UciPlayer]):
    """A subclass has the game."""

    def __init__(self, specification: EngineSpecification, timeout_s: float) -> None:
        super().__init__(timeout_s)
        self._specification = specification
        self._reports: dict[int, Report] = {}
        """The last with a variation of each line."""
        self._last = Report()
        """The last numbers of nodes, time and depth."""
        self._stopped_again = False
        self._lock = threading.Lock()
        self._game: object = None

    # What the game gives

    @abstractmethod
    def _make_player(self, specification: EngineSpecification) -> UciPlayer: ...

    @abstractmethod
    def _situation(self, task: AnalysisTask) -> tuple[str, Sequence[str]]:
        """The start of the game ('': the usual one) and the moves from there."""

    @abstractmethod
    def _legal_line(self, task: AnalysisTask, moves: Sequence[str]) -> list[int]:
        """The moves up to the first that is not legal."""

    # What the base asks for

    def _begin(self) -> None:
        with self._lock:
            self._reports = {}
            self._last = Report()
            self._stopped_again = False

    def _ask(self, task: AnalysisTask, notify: Callable[[str], None]) -> Finding:
        if self._player is None:
            self.use(self._make_player(self._specification))
        player = self._player
        assert player is not None
        start, moves = self._situation(task)
        game = (start, task.turn.context)
        if game != self._game or not player.is_running:
            self._game = None
            player.new_game(ThinkingLimit(), start)
            self._game = game
            for remark in player.remarks:
                self.warn_once(remark, notify)
        options = [(found.name, value) for name, value in _FOR_ANALYSIS if (found := player.offered.find(name))]
        wanted = task.limits.multipv
        multipv = player.offered.find("MultiPV")
        if multipv is not None:
            most = multipv.maximum or _MAX_LINES
            options.append((multipv.name, str(min(wanted, most))))
        elif wanted > 1:
            self.warn_once("the engine has no option MultiPV; it gives one line", notify)
        only, never = self._root_moves(task)
        if task.stopped.is_set():
            return Finding(())
        player.set_options(options)
        self._begin()  # a report that came late was on another position
        answer = player.analyse(moves, thinking_limits(task), self.allowed_ms(task), only, never)
        return self._finding(task, answer.move, only)

    def _root_moves(self, task: AnalysisTask) -> tuple[list[str], list[str]]:
        """The moves that the engine may choose from, and the other legal ones; both empty: there is no restriction."""
        limits, turn = task.limits, task.turn
        if not limits.root_moves and not limits.excluded_moves:
            return [], []
        legal = turn.legal_moves()
        allowed = set(limits.root_moves or legal).difference(limits.excluded_moves)
        only = [turn.move_text(move) for move in legal if move in allowed]
        return only, [turn.move_text(move) for move in legal if move not in allowed]

    def _finding(self, task: AnalysisTask, answered: str, only: Sequence[str]) -> Finding:
        """What the engine has said, the move that it answered first. Raises AnalysisError."""
        if not answered:
            found = self._found(task)
            if found is None:
                raise AnalysisError("the engine gave no move")
            return found
        best = self._legal_line(task, [answered])
        if not best:
            raise AnalysisError(f"the engine gave {excerpt(answered)}, which is not legal")
        if only and task.turn.move_text(best[0]) not in only:
            raise AnalysisError(f"the engine gave {excerpt(answered)}, which the request does not allow")
        return self._found(task, best[0]) or Finding((Variation((best[0],)),))

    def _found(self, task: AnalysisTask, best: int | None = None) -> Finding | None:
        with self._lock:
            reports, last = dict(self._reports), replace(self._last)
        lines: dict[int, Variation] = {} if best is None else {best: Variation((best,))}
        for number in sorted(reports):
            report = reports[number]
            pv = self._legal_line(task, report.pv)
            if pv and (pv[0] not in lines or lines[pv[0]].depth is None):
                lines[pv[0]] = self._line(pv, report)
        if not lines:
            return None
        wanted = tuple(lines.values())[: task.limits.multipv]
        return Finding(wanted, last.depth, last.nodes, last.time_ms)

    def _line(self, pv: Sequence[int], report: Report) -> Variation:
        has_score = report.score_cp is not None or report.mate is not None
        is_exact = has_score and self._specification.protocol == "uci"  # UCCI has no word for bounds
        chances = None
        if report.wdl is not None:
            total = sum(report.wdl)
            chances = Chances(*(share / total for share in report.wdl))
        return Variation(
            tuple(pv),
            report.score_cp,
            report.mate,
            report.bound or ("exact" if is_exact else None),
            report.depth,
            report.seldepth,
            chances,
        )

    def _is_stub(self, report: Report) -> bool:
        """Whether it ends where a window failed, and among several lines would hide the line that is known."""
        task = self._task
        several = task is not None and task.limits.multipv > 1
        return several and report.bound is not None and report.line in self._reports

    def _hear(self, report: Report) -> None:
        with self._lock:
            if report.pv and 1 <= report.line <= _MAX_LINES and not self._is_stub(report):
                self._reports[report.line] = report
            self._last.update(report)
        if self.is_stopped and not self._stopped_again:  # the stop may have come before the search
            self._stopped_again = True
            self.stop()

    def clear(self) -> None:
        self._game = None  # so the engine is told that a new game begins

    def _end_search(self, player: UciPlayer) -> None:
        player.end_search()
        ending = threading.Timer(_STOP_S, self._end_engine, (player, self._task))
        ending.daemon = True
        ending.start()
