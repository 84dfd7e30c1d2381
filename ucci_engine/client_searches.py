"""The commands that a client gives to an engine: the handshake, a move, an analysis."""

from __future__ import annotations

import dataclasses
from typing import TypeVar

import chess
import chess.engine
from chess.engine import BestMove, EngineError, EngineTerminatedError, Info, InfoDict, Limit, PlayResult

from search_core.clock import now_s
from ucci_engine.client_dialogue import XiangqiDialogue, first_word
from ucci_engine.xiangqi_board import XiangqiBoard, XiangqiMove

T = TypeVar("T")


class Handshake(chess.engine.BaseCommand[None]):
    """The handshake."""

    def __init__(self, engine: XiangqiDialogue) -> None:
        super().__init__(engine)
        self.engine = engine

    def check_initialized(self) -> None:
        if self.engine.initialized:
            raise EngineError("engine already initialized")

    def start(self) -> None:
        self.engine.send_line(self.engine.dialect.hello)

    def line_received(self, line: str) -> None:
        word, rest = first_word(line)
        if word == "id":
            key, value = first_word(rest)
            self.engine.id[key] = value
        elif word == "option":
            self.engine.offer(rest)
        elif word == self.engine.dialect.welcome:
            self.engine.settle()
            self.engine.initialized = True
            self.result.set_result(None)
            self.set_finished()


@dataclasses.dataclass(frozen=True)
class Request:
    """What to search, and which information to return."""

    board: XiangqiBoard
    limit: Limit | None
    game: object
    info: Info
    root_moves: list[chess.Move] | None
    options: chess.engine.ConfigMapping


class Search(chess.engine.BaseCommand[T]):
    """A search, from what must be set before it to the best move."""

    def __init__(self, engine: XiangqiDialogue, request: Request) -> None:
        super().__init__(engine)
        self.engine = engine
        self.request = request
        self.waiting = False
        """Whether it waits for `readyok`; the search has not begun then."""
        self.stop_sent = False

    def set_up(self) -> None:
        """Set the options that the client manages. Raises EngineError."""
        raise NotImplementedError

    def go(self) -> None:
        raise NotImplementedError

    def take_info(self, info: InfoDict) -> None:
        raise NotImplementedError

    def take_best(self, line: str) -> None:
        raise NotImplementedError

    def start(self) -> None:
        engine, request = self.engine, self.request
        self.set_up()
        engine._configure(request.options)
        new_game = engine.first_game or engine.game != request.game
        if new_game:
            engine.game = request.game
            engine._ucinewgame()
        if new_game or engine.stopped:
            self.waiting = True
            engine._isready()
        else:
            self.go()

    def line_received(self, line: str) -> None:
        word, _ = first_word(line)
        if word == "info":
            if not self.waiting:
                self.take_info(self.engine.read_info(line, self.request.info))
        elif word in ("bestmove", "nobestmove"):
            # While waiting, it is the answer to a `stop` that crossed the best move of the last search.
            if not self.waiting:
                self.take_best(line)
        elif word == "readyok" and self.waiting:
            self.waiting = False
            self.engine.stopped = False
            if self.result.cancelled():
                self.set_finished()
            else:
                self.go()
        elif word not in ("", "bye"):
            self.engine.note("unexpected line", line)

    def cancel(self) -> None:
        # While waiting, there is nothing to stop, and an idle engine would answer.
        if not self.waiting and not self.stop_sent:
            self.stop_sent = True
            self.engine.stopped = True
            self.engine.send_line("stop")


class PlayOneMove(Search[PlayResult]):
    """One move, then perhaps pondering on the expected answer."""

    def __init__(self, engine: XiangqiDialogue, request: Request, *, ponder: bool, draw_offered: bool) -> None:
        super().__init__(engine, request)
        self.ponder = ponder
        self.draw_offered = draw_offered
        self.pondering: XiangqiBoard | None = None
        self.info: InfoDict = {}
        self.info_of_next_move: InfoDict = {}
        """From pondering: an engine that has thought long enough at `ponderhit` sends no more of it."""

    def start(self) -> None:
        self.started = now_s()
        if self.engine.ponderhit:
            self.engine.ponderhit = False
            self.engine.hit(draw=self.draw_offered)
        else:
            super().start()

    def set_up(self) -> None:
        engine = self.engine
        engine.manage("UCI_AnalyseMode", False)
        engine.manage("Ponder", self.ponder)
        if "MultiPV" in engine.options:
            engine.manage("MultiPV", engine.options["MultiPV"].default or 1)

    def go(self) -> None:
        self.engine.give(self.request.board)
        self.engine.search(self.request.limit, root_moves=self.request.root_moves, draw=self.draw_offered)

    def take_info(self, info: InfoDict) -> None:
        if info.get("multipv", 1) == 1:
            (self.info if self.pondering is None else self.info_of_next_move).update(info)

    def take_best(self, line: str) -> None:
        if self.pondering is not None or self.result.cancelled():
            self.set_finished()
            return
        best = self.engine.read_best(line)
        self.result.set_result(
            PlayResult(best.move, best.ponder, self.info, draw_offered=best.draw, resigned=best.resigned)
        )
        if self.ponder and best.move and best.ponder and not best.resigned:
            self._ponder_on(best.move, best.ponder)
        else:
            self.set_finished()

    def cancel(self) -> None:
        following = self.engine.next_command
        if self.pondering is not None and isinstance(following, PlayOneMove) and following.continues(self.pondering):
            if following.request.info == self.request.info:
                following.info = self.info_of_next_move
            self.engine.ponderhit = True
            self.set_finished()
        else:
            super().cancel()

    def continues(self, pondering: XiangqiBoard) -> bool:
        """Whether this asks for the search that the engine is already pondering."""
        engine, request = self.engine, self.request
        return (
            self.ponder
            and request.game == engine.game
            and request.root_moves is None
            and not engine._changed_options(request.options)
            and request.board == pondering
            and request.board.move_stack == pondering.move_stack
        )

    def engine_terminated(self, exc: Exception) -> None:
        if not self.result.done():  # an engine may be ended while it ponders
            super().engine_terminated(exc)

    def _ponder_on(self, move: XiangqiMove, answer: XiangqiMove) -> None:
        board = self.request.board.copy()
        board.push(move)
        board.push(answer)
        if not any(board.generate_legal_moves()):
            self.set_finished()
            return
        self.pondering = board
        self.engine.give(board)
        assert self.request.limit is not None
        used_s = now_s() - self.started
        limit = _limit_of_next_move(self.request.limit, board.turn, used_s)
        self.engine.search(limit, root_moves=None, ponder=True)


class Analyse(Search[chess.engine.AnalysisResult]):
    """A search that passes on each info as it comes."""

    def __init__(self, engine: XiangqiDialogue, request: Request, *, lines: int) -> None:
        super().__init__(engine, request)
        self.lines = lines
        self.analysis = chess.engine.AnalysisResult(stop=self.cancel)
        self.end: BestMove | Exception = EngineTerminatedError("engine process died before it stopped")

    def set_up(self) -> None:
        engine = self.engine
        if self.lines > 1 and "MultiPV" not in engine.options:
            raise EngineError(f"engine has no option MultiPV: it cannot show {self.lines} lines")
        engine.manage("UCI_AnalyseMode", True)
        engine.manage("Ponder", False)
        engine.manage("MultiPV", self.lines)

    def go(self) -> None:
        self.engine.give(self.request.board)
        self.engine.search(self.request.limit, root_moves=self.request.root_moves)
        self.add_finished_callback(self._end_analysis)
        self.result.set_result(self.analysis)

    def take_info(self, info: InfoDict) -> None:
        self.analysis.post(info)

    def take_best(self, line: str) -> None:
        try:
            best = self.engine.read_best(line)
            self.end = BestMove(best.move, best.ponder)
        except EngineError as error:
            self.end = error
        self.set_finished()

    def engine_terminated(self, exc: Exception) -> None:
        if self.result.done():
            self.end = exc
            self.set_finished()
        else:
            super().engine_terminated(exc)

    def _end_analysis(self) -> None:
        if isinstance(self.end, BestMove):
            self.analysis.set_finished(self.end)
        else:
            self.analysis.set_exception(self.end)


def _limit_of_next_move(limit: Limit, turn: chess.Color, used_s: float) -> Limit:
    """The limit of the mover's next move, after `used_s` seconds on this one. The opponent's time is not known: 0."""
    white_s, black_s = (used_s, 0.0) if turn == chess.WHITE else (0.0, used_s)
    return dataclasses.replace(
        limit,
        white_clock=None if limit.white_clock is None else limit.white_clock + (limit.white_inc or 0.0) - white_s,
        black_clock=None if limit.black_clock is None else limit.black_clock + (limit.black_inc or 0.0) - black_s,
        remaining_moves=limit.remaining_moves - 1 if limit.remaining_moves else None,
    )
