"""Another engine that analyses Gomoku over the Gomocup protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from engine_client.player_analyst import PlayerAnalyst
from engine_client.reports import Report
from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from game_core.analysis import AnalysisError, AnalysisTask, Finding, Variation
from gomoku_protocol.analysis import GomokuSubject
from gomoku_protocol.game_record import BLACK, WHITE
from gomoku_protocol.match_player import GomocupPlayer
from gomoku_protocol.points import RENJU, move_at, parse_point
from search_core.line_protocol import excerpt

_OWN, _OPPONENT, _BLOCKED = 1, 2, 3
"""Fields of BOARD."""
_SHARE = 0.5
"""Of the longest wait: the time that an engine is given which knows no other limit."""


class _BoardPlayer(GomocupPlayer):
    """Gets every position as a BOARD, and reports a refusal as an error."""

    board: Sequence[str] = ()
    """The lines between BOARD and DONE."""

    def _situation(self, moves: Sequence[str]) -> list[str]:
        return ["BOARD", *self.board, "DONE"] if self.board else ["BEGIN"]

    def _read_answer(self, text: str) -> bool:
        if text.upper().startswith(("ERROR", "UNKNOWN")):
            raise AnalysisError(f"the engine answered {excerpt(text)}")
        return super()._read_answer(text)


class GomokuAnalyst(PlayerAnalyst[_BoardPlayer]):
    """Starts the engine for each board and rule anew."""

    def __init__(self, specification: EngineSpecification, timeout_s: float) -> None:
        super().__init__(specification, timeout_s)
        self._board: tuple[int, int, int] | None = None
        self._report: Report | None = None

    def _begin(self) -> None:
        self._report = None

    def _ask(self, task: AnalysisTask, notify: Callable[[str], None]) -> Finding:
        subject, limits = task.subject, task.limits
        assert isinstance(subject, GomokuSubject)
        if limits.root_moves or limits.excluded_moves:
            raise AnalysisError("over the Gomocup protocol an engine cannot be told which moves to consider")
        if limits.multipv > 1:
            self.warn_once("over the Gomocup protocol an engine gives one line", notify)
        if subject.set_up.blocked and subject.rule == RENJU:
            raise AnalysisError("over the Gomocup protocol there are no blocked points in renju")
        board = subject.width, subject.height, subject.rule
        player = self._player
        if player is None or board != self._board:
            player = self.use(_BoardPlayer(self._specification, *board))
            self._board = board
        allowed_ms = self.allowed_ms(task)
        movetime_ms = limits.hard_ms or max(int(allowed_ms * _SHARE), 1)
        margin_ms = round(allowed_ms) - movetime_ms
        limit = ThinkingLimit(movetime_ms, limits.nodes, margin_ms, depth=limits.depth)
        player.new_game(limit)
        player.board = _board_lines(subject, task.number, task.turn.to_move)
        if task.stopped.is_set():
            return Finding(())
        self._report = None
        answer = player.think(subject.moves[: task.number], limit)
        return self._finding(task, answer.move)

    def _found(self, task: AnalysisTask, best: int | None = None) -> Finding | None:
        report = self._report
        if report is None:
            return None
        pv = self._legal_line(task, report.pv)
        if best is not None and pv[:1] != [best]:
            pv = [best]
        if not pv:
            return None
        line = Variation(tuple(pv), report.score_cp, report.mate, None, report.depth, report.seldepth)
        return Finding((line,), report.depth, report.nodes, report.time_ms)

    def _read_move(self, text: str) -> int:
        return move_at(*parse_point(text))

    def _hear(self, report: Report) -> None:
        if report != Report():
            merged = Report() if self._report is None else replace(self._report)
            merged.update(report)
            self._report = merged  # another thread may read the one before


def _board_lines(subject: GomokuSubject, turn: int, to_move: str | int) -> list[str]:
    """All stones, as BOARD takes them from the engine's side."""
    own = BLACK if to_move == "black" else WHITE
    set_up = subject.set_up
    stones = [(point, BLACK) for point in set_up.black] + [(point, WHITE) for point in set_up.white]
    stones += [(move, (set_up.first + number) % 2) for number, move in enumerate(subject.moves[:turn])]
    lines = [f"{point},{_OWN if side == own else _OPPONENT}" for point, side in stones]
    return lines + [f"{point},{_BLOCKED}" for point in set_up.blocked]


open_analyst = GomokuAnalyst
