"""UCCI engines, and UCI engines that play Xiangqi, driven by python-chess's chess.engine.

`open_ucci` and `open_uci` give a SimpleEngine, `popen_ucci` and `popen_uci` the same for asyncio. All take a
XiangqiBoard where python-chess takes its own. What an engine prints against its protocol is read as it is meant, where
that can be known, and logged once for each kind of fault.
"""

from __future__ import annotations

import abc
import asyncio
import dataclasses
import warnings
from collections import deque
from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple, TypeVar

import chess
import chess.engine
from chess.engine import (
    LOGGER,
    BestMove,
    EngineError,
    EngineTerminatedError,
    Info,
    InfoDict,
    Limit,
    Option,
    PlayResult,
)

from search_core.clock import now_s
from search_core.line_protocol import legible
from ucci_engine.points import RANKS_FROM_0, RANKS_FROM_1, move_text, parse_move
from ucci_engine.xiangqi_board import XiangqiBoard, XiangqiMove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")

_NO_OPTIONS: chess.engine.ConfigMapping = {}
_MANAGED = frozenset((*chess.engine.MANAGED_OPTIONS, "uci_analysemode", "usemillisec", "ranks"))
"""Options, in lower case, that the client sets as it needs them."""

_OPTION_TYPES = frozenset(("check", "spin", "combo", "button", "string"))
_NO_MOVE = frozenset(("", "(none)", "none", "null", "0000", "resign", "draw"))
_COUNTS = frozenset(("depth", "seldepth", "nodes", "nps", "hashfull", "tbhits", "cpuload", "currmovenumber", "multipv"))
_MOST_LINES = 128
"""No Xiangqi position has more moves: an engine that numbers a line higher has lost its way."""

_MATE_SCORE = 10000  # UCCI has no word for a mate: as ElephantEye counts, it is this less the plies to it
_LEAST_MATE_SCORE = 9900  # from here down ElephantEye tells of wins by perpetual check


class _Best(NamedTuple):
    """What a `bestmove` or `nobestmove` says."""

    move: XiangqiMove | None
    ponder: XiangqiMove | None
    draw: bool
    resigned: bool


class XiangqiProtocol(chess.engine.UciProtocol):
    """The dialogue that UCCI and UCI have in common; the subclasses word it."""

    hello: ClassVar[str]
    welcome: ClassVar[str]
    no_move: ClassVar[str]
    """How the engine is to say that it has none."""
    bare_scores: ClassVar[bool]
    """Whether a score is a number without `cp` or `mate` before it."""
    named_options: ClassVar[bool]
    """Whether the word `name` stands before that of an option."""

    ranks = RANKS_FROM_0
    """How the engine counts the ranks."""

    def __init__(self) -> None:
        super().__init__()
        self.board: chess.Board = XiangqiBoard()
        self.stopped = False
        """A `stop` was sent since the last `readyok`: it may have crossed a best move and still be answered."""
        self._noted: set[str] = set()

    @abc.abstractmethod
    def settle(self) -> None:
        """Set what holds for the whole session; the handshake is over."""

    @abc.abstractmethod
    def give(self, board: XiangqiBoard) -> None:
        """Send the position to search."""

    @abc.abstractmethod
    def search(
        self, limit: Limit | None, *, root_moves: list[chess.Move] | None, ponder: bool = False, draw: bool = False
    ) -> None:
        """Send `go`; without a limit, until `stop`. `draw`: the opponent offers one."""

    @abc.abstractmethod
    def hit(self, *, draw: bool) -> None:
        """Send that the opponent has played the move pondered on."""

    async def initialize(self) -> None:
        await self.communicate(_Initialize)

    async def play(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        game: object = None,
        info: Info = chess.engine.INFO_NONE,
        ponder: bool = False,
        draw_offered: bool = False,
        root_moves: Iterable[chess.Move] | None = None,
        options: chess.engine.ConfigMapping = _NO_OPTIONS,
        opponent: chess.engine.Opponent | None = None,
    ) -> PlayResult:
        request = _Request(
            _xiangqi_board(board),
            limit,
            game,
            info,
            _xiangqi_moves(root_moves),
            {**options, **self._opponent_configuration(opponent=opponent)},
        )
        return await self.communicate(lambda engine: _Play(engine, request, ponder=ponder, draw_offered=draw_offered))

    async def analysis(
        self,
        board: chess.Board,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = chess.engine.INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: chess.engine.ConfigMapping = _NO_OPTIONS,
    ) -> chess.engine.AnalysisResult:
        request = _Request(_xiangqi_board(board), limit, game, info, _xiangqi_moves(root_moves), options)
        return await self.communicate(lambda engine: _Analysis(engine, request, lines=multipv or 1))

    def offer(self, text: str) -> None:
        """Take down an option that the engine lists; `text` is what follows the word `option`."""
        key, rest = _first_word(text)
        named = key == "name"
        if named != self.named_options:
            self.note("option is not worded as in the protocol", text)
        option = self._parse_option(rest if named else text)
        if option is None:
            return
        self.options[option.name] = option
        if option.default is not None:
            self.config[option.name] = option.default
            if option.name.lower() not in _MANAGED:
                self.target_config[option.name] = option.default

    def manage(self, name: str, value: chess.engine.ConfigValue) -> None:
        """Set an option if the engine has it, unless the user has set it."""
        if name in self.options and name not in self.target_config:
            self._setoption(name, value)

    def note(self, fault: str, line: str) -> None:
        """Log what the engine got wrong, each fault once: it may be in every line."""
        if fault not in self._noted:
            self._noted.add(fault)
            LOGGER.warning("%s: %s: %r", self, fault, line)

    def read_move(self, text: str) -> XiangqiMove:
        """The move that the engine writes. Raises MoveTextError."""
        return XiangqiMove.from_code(parse_move(text, self.ranks))

    def write_moves(self, moves: Iterable[chess.Move]) -> str:
        """The moves as the engine reads them, with a blank before each."""
        return "".join(f" {_text(move, self.ranks)}" for move in moves)

    def read_best(self, line: str) -> _Best:
        """The answer to a search. Raises EngineError for a move that is not legal."""
        words = line.lower().split()
        word = words[1] if words[0] == "bestmove" and len(words) > 1 else ""
        draw, resigned = "draw" in words[1:], "resign" in words[1:]
        if word in _NO_MOVE:
            if line.strip() != self.no_move:
                self.note(f"expected {self.no_move} where there is no move", line)
            return _Best(None, None, draw, resigned)
        board = self.board.copy(stack=False)
        try:
            move = self.read_move(word)
            board.push(move)
        except ValueError as error:
            raise EngineError(f"{legible(line)}: {error}{self._miscounted(word)}") from None
        ponder = None
        if "ponder" in words[2:-1]:
            text = words[words.index("ponder") + 1]
            try:
                ponder = self.read_move(text) if text not in _NO_MOVE else None
                if ponder is not None and not board.is_legal(ponder):
                    raise chess.IllegalMoveError(text)
            except ValueError:
                ponder = None
                self.note("ponder move is not legal", line)
        return _Best(move, ponder, draw, resigned)

    def read_info(self, line: str, wanted: Info) -> InfoDict:
        """What an `info` line says; what cannot be read is left out and noted."""
        info: InfoDict = {}
        words = deque(line.split()[1:])
        while wanted and words:
            word = words.popleft()
            if word in ("string", "message"):
                info["string"] = " ".join(words)
                break
            try:
                if word in _COUNTS:
                    info[word] = int(words.popleft())  # type: ignore[literal-required]
                elif word == "time":
                    info["time"] = int(words.popleft()) / 1000
                elif word == "score":
                    score = self._read_score(words, line)
                    if wanted & chess.engine.INFO_SCORE:
                        info["score"] = chess.engine.PovScore(score, self.board.turn)
                elif word in ("lowerbound", "upperbound"):
                    info[word] = True  # type: ignore[literal-required]  # python-chess leaves the bounds untyped
                elif word == "wdl":
                    chances = chess.engine.Wdl(int(words.popleft()), int(words.popleft()), int(words.popleft()))
                    info["wdl"] = chess.engine.PovWdl(chances, self.board.turn)
                elif word == "currmove":
                    info["currmove"] = self.read_move(words.popleft())
                elif word == "pv" and wanted & chess.engine.INFO_PV and (moves := self._read_variation(words, line)):
                    info["pv"] = moves
            except (ValueError, IndexError):
                self.note(f"unreadable {word} in info", line)
        if not 1 <= info.get("multipv", 1) <= _MOST_LINES:
            self.note("impossible multipv in info", line)
            return {}
        return info

    def _read_score(self, words: deque[str], line: str) -> chess.engine.Score:
        kind = words.popleft()
        bare = kind not in ("cp", "mate")
        number = int(kind if bare else words.popleft())
        if bare != self.bare_scores:
            self.note("score is not worded as in the protocol", line)
        if kind == "mate":
            return chess.engine.Mate(number)
        if bare and _LEAST_MATE_SCORE < abs(number) <= _MATE_SCORE:
            moves = (_MATE_SCORE - abs(number) + 1) // 2
            return chess.engine.Mate(max(moves, 1) if number > 0 else -moves)
        return chess.engine.Cp(number)

    def _read_variation(self, words: deque[str], line: str) -> list[chess.Move]:
        """The moves at the head of `words`, which are taken off, up to the first that is not legal."""
        board = self.board.copy(stack=False)
        moves: list[chess.Move] = []
        while words:
            try:
                move = self.read_move(words[0])
            except ValueError:
                break
            words.popleft()
            if not board.is_legal(move):
                self.note("pv holds a move that is not legal", line)
                break
            board.push(move)
            moves.append(move)
        return moves

    def _miscounted(self, word: str) -> str:
        """What to say of a move that is legal if the ranks are counted the other way."""
        other = RANKS_FROM_0 if self.ranks == RANKS_FROM_1 else RANKS_FROM_1
        try:
            legal = self.board.is_legal(XiangqiMove.from_code(parse_move(word, other)))
        except ValueError:
            legal = False
        return f"; with ranks {other} it would be legal" if legal else ""

    def _configure(self, options: chess.engine.ConfigMapping) -> None:
        for name in options:
            if name.lower() in _MANAGED - {"uci_analysemode"}:
                raise EngineError(f"cannot set {name}: the client manages it")
        # python-chess would take another spelling of a name for another option, and set the old value after the new.
        super()._configure(chess.engine.UciOptionMap(options.items()))

    def _parse_option(self, text: str) -> Option | None:
        head, _, tail = f"{text} ".partition(" type ")
        name = " ".join(head.split())
        words = tail.split()
        if not name or not words or words[0] not in _OPTION_TYPES:
            self.note("unreadable option", text)
            return None
        values: dict[str, list[str]] = {"min": [], "max": [], "default": []}
        choices: list[list[str]] = []
        value: list[str] = []  # what stands before the first keyword belongs to nothing
        for word in words[1:]:
            if words[0] == "string" and value is values["default"]:
                value.append(word)  # a path may hold any word
            elif word == "var":
                value = []
                choices.append(value)
            elif word in values:
                value = values[word]
            else:
                value.append(word)
        var = [" ".join(choice) for choice in choices]
        option = Option(name, words[0], None, self._bound(values["min"], text), self._bound(values["max"], text), var)
        return dataclasses.replace(option, default=self._default(option, " ".join(values["default"]), text))

    def _bound(self, words: list[str], text: str) -> int | None:
        try:
            return int(words[0]) if words else None
        except ValueError:
            self.note("unreadable bound of an option", text)
            return None

    def _default(self, option: Option, value: str, text: str) -> chess.engine.ConfigValue:
        """The value that the option has; None if there is none, or none that it may have."""
        if option.type == "check":
            return value.lower() in ("true", "on", "1")
        if option.type != "string" and not value:
            return None
        try:
            return option.parse(value)
        except EngineError:
            self.note("impossible default of an option", text)
            return None


class UcciClientProtocol(XiangqiProtocol):
    """A UCCI engine."""

    hello = "ucci"
    welcome = "ucciok"
    no_move = "nobestmove"
    bare_scores = True
    named_options = False

    usemillisec: bool | None = None
    """Whether times are in milliseconds, or in seconds; None until it is known."""

    @classmethod
    async def popen(
        cls,
        command: str | list[str],
        *,
        setpgrp: bool = False,
        usemillisec: bool | None = None,
        **popen_args: Any,
    ) -> tuple[asyncio.SubprocessTransport, Self]:
        """Start an engine. `usemillisec`: its unit of time, where it does not offer the option of that name."""
        transport, protocol = await super().popen(command, setpgrp=setpgrp, **popen_args)
        protocol.usemillisec = usemillisec
        return transport, protocol

    def settle(self) -> None:
        if "usemillisec" in self.options:
            # Said even if it is the default: there are engines that start otherwise than they list.
            self.send_line("setoption usemillisec true")
            self.usemillisec = True
        elif self.usemillisec is None:
            LOGGER.warning("%s: No option usemillisec: times are sent in seconds, as the protocol says", self)
            self.usemillisec = False

    def give(self, board: XiangqiBoard) -> None:
        # UCCI wants the position after the last capture and the quiet moves since.
        start = board.root()
        fen = start.fen()
        quiet: list[chess.Move] = []
        for move in board.move_stack:
            captures = start.is_capture(move)
            start.push(move)
            if captures:
                fen = start.fen()
                quiet.clear()
            else:
                quiet.append(move)
        self.send_line(f"position fen {fen}" + (f" moves{self.write_moves(quiet)}" if quiet else ""))
        self.board = board.copy(stack=False)

    def search(
        self, limit: Limit | None, *, root_moves: list[chess.Move] | None, ponder: bool = False, draw: bool = False
    ) -> None:
        if root_moves is not None:
            banned = [move for move in self.board.legal_moves if move not in root_moves]
            if banned:
                self.send_line(f"banmoves{self.write_moves(banned)}")
        words = ["go"]
        if ponder:
            words.append("ponder")
        elif draw:
            words.append("draw")
        words += self._bounds(limit or Limit()) or ["infinite"]
        self.send_line(" ".join(words))

    def hit(self, *, draw: bool) -> None:
        self.send_line("ponderhit draw" if draw else "ponderhit")

    def _bounds(self, limit: Limit) -> list[str]:
        if limit.mate is not None:
            raise EngineError("UCCI has no search for a mate")
        words = []
        if limit.time is not None:
            # UCCI has no movetime: one move to the time control is a fixed time for it.
            words += ["time", self._time(limit.time, least=1), "movestogo", "1"]
        else:
            white, black = (limit.white_clock, limit.white_inc), (limit.black_clock, limit.black_inc)
            own, other = (white, black) if self.board.turn == chess.WHITE else (black, white)
            words += self._clock("", limit.remaining_moves, *own)
            if words:
                words += self._clock("opp", limit.remaining_moves, *other)
        if limit.depth is not None:
            words += ["depth", str(max(1, limit.depth))]
        if limit.nodes is not None:
            words += ["nodes", str(max(1, limit.nodes))]
        return words

    def _clock(self, whose: str, moves: int | None, clock: float | None, increment: float | None) -> list[str]:
        if clock is None:
            return []
        words = [f"{whose}time", self._time(clock, least=1)]
        if moves:
            return [*words, f"{whose}movestogo", str(moves)]
        # A time alone may be read as the time of one move.
        return [*words, f"{whose}increment", self._time(increment or 0, least=0)]

    def _time(self, seconds: float, *, least: int) -> str:
        milliseconds = round(seconds * 1000)
        return str(max(least, milliseconds if self.usemillisec else milliseconds // 1000))

    def _ucinewgame(self) -> None:
        self.send_line("setoption newgame")
        self.first_game = False
        self.ponderhit = False

    def _setoption(self, name: str, value: chess.engine.ConfigValue) -> None:
        if name not in self.options:
            raise EngineError(f"engine has no option {name}, only {', '.join(self.options)}")
        option = self.options[name]
        value = option.parse(value)
        if value is None:
            self.send_line(f"setoption {option.name}")
        elif value != self.config.get(name):
            self.send_line(f"setoption {option.name} {str(value).lower() if isinstance(value, bool) else value}")
        self.config[name] = value


class XiangqiUciProtocol(XiangqiProtocol):
    """A UCI engine that plays Xiangqi."""

    hello = "uci"
    welcome = "uciok"
    no_move = "bestmove (none)"
    bare_scores = False
    named_options = True

    given_ranks: str | None = None

    @classmethod
    async def popen(
        cls, command: str | list[str], *, setpgrp: bool = False, ranks: str | None = None, **popen_args: Any
    ) -> tuple[asyncio.SubprocessTransport, Self]:
        """Start an engine. `ranks`: how it counts them, RANKS_FROM_0 or RANKS_FROM_1, if not as its options tell."""
        if ranks not in (None, RANKS_FROM_0, RANKS_FROM_1):
            raise ValueError(f"ranks are {RANKS_FROM_0} or {RANKS_FROM_1}, not {ranks!r}")
        transport, protocol = await super().popen(command, setpgrp=setpgrp, **popen_args)
        protocol.given_ranks = ranks
        return transport, protocol

    def settle(self) -> None:
        self.manage("UCI_Variant", XiangqiBoard.uci_variant)
        if self.given_ranks is not None:
            self.ranks = self.given_ranks
        elif "UCI_Variant" in self.options and "Ranks" not in self.options:
            self.ranks = RANKS_FROM_1  # Fairy-Stockfish and its kin, for every variant
        self.manage("Ranks", self.ranks)

    def give(self, board: XiangqiBoard) -> None:
        moves = f" moves{self.write_moves(board.move_stack)}" if board.move_stack else ""
        self.send_line(f"position fen {board.root().fen()}{moves}")
        self.board = board.copy(stack=False)

    def search(
        self, limit: Limit | None, *, root_moves: list[chess.Move] | None, ponder: bool = False, draw: bool = False
    ) -> None:
        spelt = root_moves
        if root_moves is not None and self.ranks == RANKS_FROM_1:
            spelt = [_MoveFromRank1(move.from_square, move.to_square) for move in root_moves]
        self._go(limit or Limit(), root_moves=spelt, ponder=ponder, infinite=limit is None)

    def hit(self, *, draw: bool) -> None:
        self.send_line("ponderhit")


class _MoveFromRank1(XiangqiMove):
    """A move whose text counts the ranks from 1."""

    def uci(self) -> str:
        return _text(self, RANKS_FROM_1)


class _Initialize(chess.engine.BaseCommand[None]):
    """The handshake."""

    def __init__(self, engine: XiangqiProtocol) -> None:
        super().__init__(engine)
        self.engine = engine

    def check_initialized(self) -> None:
        if self.engine.initialized:
            raise EngineError("engine already initialized")

    def start(self) -> None:
        self.engine.send_line(self.engine.hello)

    def line_received(self, line: str) -> None:
        word, rest = _first_word(line)
        if word == "id":
            key, value = _first_word(rest)
            self.engine.id[key] = value
        elif word == "option":
            self.engine.offer(rest)
        elif word == self.engine.welcome:
            self.engine.settle()
            self.engine.initialized = True
            self.result.set_result(None)
            self.set_finished()


@dataclasses.dataclass(frozen=True)
class _Request:
    """What is to be searched, and what is to be told of it."""

    board: XiangqiBoard
    limit: Limit | None
    game: object
    info: Info
    root_moves: list[chess.Move] | None
    options: chess.engine.ConfigMapping


class _Search(chess.engine.BaseCommand[T]):
    """A search, from what must be set before it to the best move."""

    def __init__(self, engine: XiangqiProtocol, request: _Request) -> None:
        super().__init__(engine)
        self.engine = engine
        self.request = request
        self.waiting = False
        """For `readyok`; nothing is searched yet."""
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
        word, _ = _first_word(line)
        if word == "info":
            if not self.waiting:
                self.take_info(self.engine.read_info(line, self.request.info))
        elif word in ("bestmove", "nobestmove"):
            # While waiting it is the answer to a `stop` that crossed the best move of the search before.
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
        # While waiting there is nothing to stop, and an idle engine would answer.
        if not self.waiting and not self.stop_sent:
            self.stop_sent = True
            self.engine.stopped = True
            self.engine.send_line("stop")


class _Play(_Search[PlayResult]):
    """One move, and then perhaps pondering on the answer expected."""

    def __init__(self, engine: XiangqiProtocol, request: _Request, *, ponder: bool, draw_offered: bool) -> None:
        super().__init__(engine, request)
        self.ponder = ponder
        self.draw_offered = draw_offered
        self.pondering: XiangqiBoard | None = None
        self.info: InfoDict = {}
        self.info_of_next_move: InfoDict = {}
        """Said while pondering: an engine that has thought long enough by `ponderhit` says nothing more."""

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
        if self.pondering is not None and isinstance(following, _Play) and following.continues(self.pondering):
            if following.request.info == self.request.info:
                following.info = self.info_of_next_move
            self.engine.ponderhit = True
            self.set_finished()
        else:
            super().cancel()

    def continues(self, pondering: XiangqiBoard) -> bool:
        """Whether this is the move that the engine ponders on already."""
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


class _Analysis(_Search[chess.engine.AnalysisResult]):
    """A search whose infos are handed on as they come."""

    def __init__(self, engine: XiangqiProtocol, request: _Request, *, lines: int) -> None:
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


async def popen_ucci(
    command: str | list[str], *, usemillisec: bool | None = None, **popen_args: Any
) -> tuple[asyncio.SubprocessTransport, UcciClientProtocol]:
    """Start a UCCI engine and shake hands; the other arguments are those of chess.engine.popen_uci.

    `usemillisec`: its unit of time, where it does not offer the option of that name.
    """
    return await _initialized(await UcciClientProtocol.popen(command, usemillisec=usemillisec, **popen_args))


async def popen_uci(
    command: str | list[str], *, ranks: str | None = None, **popen_args: Any
) -> tuple[asyncio.SubprocessTransport, XiangqiUciProtocol]:
    """Start a UCI engine that plays Xiangqi and shake hands; the other arguments are those of chess.engine.popen_uci.

    `ranks`: how it counts them, ``0-9`` or ``1-10``, if not as its options tell.
    """
    return await _initialized(await XiangqiUciProtocol.popen(command, ranks=ranks, **popen_args))


def open_ucci(
    command: str | list[str], *, usemillisec: bool | None = None, **popen_args: Any
) -> chess.engine.SimpleEngine:
    """A UCCI engine; the arguments are those of `popen_ucci` and of chess.engine.SimpleEngine.popen_uci."""
    return chess.engine.SimpleEngine.popen(UcciClientProtocol, command, usemillisec=usemillisec, **popen_args)


def open_uci(command: str | list[str], *, ranks: str | None = None, **popen_args: Any) -> chess.engine.SimpleEngine:
    """A UCI engine that plays Xiangqi; the arguments are those of `popen_uci` and of SimpleEngine.popen_uci."""
    return chess.engine.SimpleEngine.popen(XiangqiUciProtocol, command, ranks=ranks, **popen_args)


_ProtocolT = TypeVar("_ProtocolT", bound=XiangqiProtocol)


async def _initialized(
    started: tuple[asyncio.SubprocessTransport, _ProtocolT],
) -> tuple[asyncio.SubprocessTransport, _ProtocolT]:
    transport, protocol = started
    try:
        await protocol.initialize()
    except BaseException:
        transport.close()
        raise
    return started


def _limit_of_next_move(limit: Limit, turn: chess.Color, used_s: float) -> Limit:
    """The limit of the mover's next move, after `used_s` seconds on this one; the other's clock is not known better."""
    white_s, black_s = (used_s, 0.0) if turn == chess.WHITE else (0.0, used_s)
    return dataclasses.replace(
        limit,
        white_clock=None if limit.white_clock is None else limit.white_clock + (limit.white_inc or 0.0) - white_s,
        black_clock=None if limit.black_clock is None else limit.black_clock + (limit.black_inc or 0.0) - black_s,
        remaining_moves=limit.remaining_moves - 1 if limit.remaining_moves else None,
    )


def _xiangqi_board(board: chess.Board) -> XiangqiBoard:
    if not isinstance(board, XiangqiBoard):
        raise TypeError(f"expected a XiangqiBoard, got {board!r}")
    return board


def _xiangqi_moves(moves: Iterable[chess.Move] | None) -> list[chess.Move] | None:
    if moves is None:
        return None
    listed = list(moves)
    for move in listed:
        if not isinstance(move, XiangqiMove):
            raise TypeError(f"expected a XiangqiMove, got {move!r}")
    return listed


def _text(move: chess.Move, ranks: str) -> str:
    return move_text(move.from_square | move.to_square << 7, ranks)


def _first_word(line: str) -> tuple[str, str]:
    """The first word of a line, and the rest of it without blanks around."""
    words = line.split(maxsplit=1)
    return words[0] if words else "", words[1].strip() if len(words) > 1 else ""


def __getattr__(name: str) -> object:
    """The former name of UcciClientProtocol."""
    if name == "UcciProtocol":
        warnings.warn("UcciProtocol was renamed to UcciClientProtocol", DeprecationWarning, stacklevel=2)
        return UcciClientProtocol
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
