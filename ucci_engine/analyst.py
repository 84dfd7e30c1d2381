"""Another engine that analyses Xiangqi over UCI or UCCI."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine_client.engine_options import OptionList
from engine_client.player_analyst import PlayerAnalyst, thinking_limits
from engine_client.reports import Report
from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from game_core.analysis import AnalysisTask, Finding, Variation
from game_core.win_probability import Chances
from ucci_engine.analysis import XiangqiSubject
from ucci_engine.extra_pieces import open_position
from ucci_engine.match_player import XiangqiPlayer
from ucci_engine.points import START_FEN, VARIANT_RANKS, parse_move

_MAX_LINES = 500
_STOP_S = 3.0
"""How long an engine may take to answer a stop; then it is ended."""
_FOR_ANALYSIS = (("UCI_ShowWDL", "true"), ("UCI_AnalyseMode", "true"))
"""Options that are set if the engine has them."""
_VARIANT = "xiangqi"


class _VariantPlayer(XiangqiPlayer):
    """Chooses Xiangqi by itself in an engine of many variants."""

    def _game_options(self, offered: OptionList, wanted: list[tuple[str, str]]) -> list[tuple[str, str]]:
        more = super()._game_options(offered, wanted)
        variants = offered.find("UCI_Variant")
        if variants is None or _VARIANT not in variants.choices:
            return more
        if len(variants.choices) > 1 and not self.specification.ranks and offered.find("Ranks") is None:
            self._ranks = VARIANT_RANKS
        return more if "uci_variant" in {name.lower() for name, _ in wanted} else [(variants.name, _VARIANT), *more]


class XiangqiAnalyst(PlayerAnalyst[_VariantPlayer]):
    def __init__(self, specification: EngineSpecification, timeout_s: float) -> None:
        super().__init__(specification, timeout_s)
        self._reports: dict[int, Report] = {}
        """The last with a variation of each line."""
        self._last = Report()
        """The last numbers of nodes, time and depth."""
        self._stopped_again = False
        self._lock = threading.Lock()
        self._game: object = None

    def _begin(self) -> None:
        with self._lock:
            self._reports = {}
            self._last = Report()
            self._stopped_again = False

    def _ask(self, task: AnalysisTask, notify: Callable[[str], None]) -> Finding:
        player = self._player or self.use(_VariantPlayer(self._specification))
        subject = task.subject
        assert isinstance(subject, XiangqiSubject)
        start, moves = open_position(subject.start).fen(), subject.moves[: task.number]
        start = "" if start == START_FEN else start
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

    def _read_move(self, text: str) -> int:
        return parse_move(text if self._player is None else self._player.read_move(text))

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

    def _end_search(self, player: _VariantPlayer) -> None:
        player.end_search()
        ending = threading.Timer(_STOP_S, self._end_engine, (player, self._task))
        ending.daemon = True
        ending.start()


open_analyst = XiangqiAnalyst
