"""UCCI engines, and UCI engines that play Xiangqi, driven by python-chess's chess.engine.

`open_ucci` and `open_uci` give a SimpleEngine, `popen_ucci` and `popen_uci` the same for asyncio. All take a
XiangqiBoard where python-chess takes its own. Lines that break the engine's protocol are read as they are meant, if
that is clear, and each kind of fault is logged once.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import chess
import chess.engine
from chess.engine import (
    LOGGER,
    EngineError,
    Info,
    Limit,
    PlayResult,
)

from engine_client.dialects import DIALECTS, position_command
from engine_client.time_control import Clock, Clocks, ThinkingLimit
from ucci_engine.client_dialogue import XiangqiDialogue, spelt
from ucci_engine.client_searches import Analyse, Handshake, PlayOneMove, Request
from ucci_engine.points import RANKS_FROM_0, RANKS_FROM_1, VARIANT_RANKS
from ucci_engine.quiet_moves import QuietMoves
from ucci_engine.xiangqi_board import XiangqiBoard, XiangqiMove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self

_NO_OPTIONS: chess.engine.ConfigMapping = {}


class XiangqiProtocol(XiangqiDialogue):
    """A Xiangqi engine with the interface of chess.engine; the subclasses word its protocol."""

    async def initialize(self) -> None:
        await self.communicate(Handshake)

    def given_as(self, board: XiangqiBoard) -> tuple[str, Sequence[chess.Move]]:
        """A position before the board's, as a FEN, and the moves from there, as the engine is sent them."""
        return board.root().fen(), board.move_stack

    def give(self, board: XiangqiBoard) -> None:
        fen, moves = self.given_as(board)
        self.send_line(position_command(f"fen {fen}", self.write_moves(moves)))
        self.board = board.copy(stack=False)

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
        request = Request(
            _xiangqi_board(board),
            limit,
            game,
            info,
            _xiangqi_moves(root_moves),
            {**options, **self._opponent_configuration(opponent=opponent)},
        )
        return await self.communicate(
            lambda engine: PlayOneMove(engine, request, ponder=ponder, draw_offered=draw_offered)
        )

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
        request = Request(_xiangqi_board(board), limit, game, info, _xiangqi_moves(root_moves), options)
        return await self.communicate(lambda engine: Analyse(engine, request, lines=multipv or 1))


class UcciClientProtocol(XiangqiProtocol):
    """A UCCI engine."""

    dialect = DIALECTS["ucci"]
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
        """Start an engine. `usemillisec`: whether it counts in milliseconds, if it has no option of that name."""
        transport, protocol = await super().popen(command, setpgrp=setpgrp, **popen_args)
        protocol.usemillisec = usemillisec
        return transport, protocol

    def settle(self) -> None:
        if "usemillisec" in self.options:
            # Sent even if it is the default: some engines do not start with the default that they list.
            self.send_line(self.dialect.set_option("usemillisec", "true"))
            self.usemillisec = True
        elif self.usemillisec is None:
            LOGGER.warning("%s: No option usemillisec: times are sent in seconds, as the protocol says", self)
            self.usemillisec = False

    def given_as(self, board: XiangqiBoard) -> tuple[str, Sequence[chess.Move]]:
        fen, quiet = QuietMoves(board.root().fen()).split([spelt(move, RANKS_FROM_0) for move in board.move_stack])
        return fen, board.move_stack[len(board.move_stack) - len(quiet) :]

    def search(
        self, limit: Limit | None, *, root_moves: list[chess.Move] | None, ponder: bool = False, draw: bool = False
    ) -> None:
        if root_moves is not None:
            banned = [move for move in self.board.legal_moves if move not in root_moves]
            if banned:
                self.send_line(" ".join(["banmoves", *self.write_moves(banned)]))
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
            words.append(self.dialect.movetime(self._time(limit.time, least=1)))
        else:
            white = self._clock(limit.white_clock, limit.white_inc, limit.remaining_moves)
            black = self._clock(limit.black_clock, limit.black_inc, limit.remaining_moves)
            own, other = (white, black) if self.board.turn == chess.WHITE else (black, white)
            if own is not None:
                words.append(self.dialect.go(ThinkingLimit(), Clocks(own, other), 0))
        if limit.depth is not None:
            words += ["depth", str(max(1, limit.depth))]
        if limit.nodes is not None:
            words += ["nodes", str(max(1, limit.nodes))]
        return words

    def _clock(self, left_s: float | None, increment_s: float | None, moves: int | None) -> Clock | None:
        """A clock in the engine's unit of time."""
        if left_s is None:
            return None
        left, increment = self._time(left_s, least=1), self._time(increment_s or 0, least=0)
        return Clock(ThinkingLimit(match_ms=left, increment_ms=increment, period_moves=moves or 0))

    def _time(self, seconds: float, *, least: int) -> int:
        milliseconds = round(seconds * 1000)
        return max(least, milliseconds if self.usemillisec else milliseconds // 1000)

    def _ucinewgame(self) -> None:
        self.send_line(self.dialect.new_game)
        self.first_game = False
        self.ponderhit = False

    def _setoption(self, name: str, value: chess.engine.ConfigValue) -> None:
        if name not in self.options:
            raise EngineError(f"engine has no option {name}, only {', '.join(self.options)}")
        option = self.options[name]
        value = option.parse(value)
        if value is None:
            self.send_line(self.dialect.set_option(option.name))
        elif value != self.config.get(name):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            self.send_line(self.dialect.set_option(option.name, text))
        self.config[name] = value


class XiangqiUciProtocol(XiangqiProtocol):
    """A UCI engine that plays Xiangqi."""

    dialect = DIALECTS["uci"]
    no_move = "bestmove (none)"
    bare_scores = False
    named_options = True

    given_ranks: str | None = None

    @classmethod
    async def popen(
        cls, command: str | list[str], *, setpgrp: bool = False, ranks: str | None = None, **popen_args: Any
    ) -> tuple[asyncio.SubprocessTransport, Self]:
        """Start an engine. `ranks`: how it counts ranks, RANKS_FROM_0 or RANKS_FROM_1; None: as its options say."""
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
            self.ranks = VARIANT_RANKS
        # Sent even if it is the default: an engine may count otherwise once UCI_Variant is set, as sanqi does.
        self.config.pop("Ranks", None)
        self.manage("Ranks", self.ranks)

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
        return spelt(self, RANKS_FROM_1)


async def popen_ucci(
    command: str | list[str], *, usemillisec: bool | None = None, **popen_args: Any
) -> tuple[asyncio.SubprocessTransport, UcciClientProtocol]:
    """Start a UCCI engine and shake hands; the other arguments are those of chess.engine.popen_uci.

    `usemillisec`: whether it counts in milliseconds, if it has no option of that name.
    """
    return await _initialized(await UcciClientProtocol.popen(command, usemillisec=usemillisec, **popen_args))


async def popen_uci(
    command: str | list[str], *, ranks: str | None = None, **popen_args: Any
) -> tuple[asyncio.SubprocessTransport, XiangqiUciProtocol]:
    """Start a UCI engine that plays Xiangqi and shake hands; the other arguments are those of chess.engine.popen_uci.

    `ranks`: how it counts ranks, ``0-9`` or ``1-10``; None: as its options say.
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


def _xiangqi_board(board: chess.Board) -> XiangqiBoard:
    if not isinstance(board, XiangqiBoard):
        raise TypeError(f"expected a XiangqiBoard, got {board!r}")
    return board


def _xiangqi_moves(moves: Iterable[chess.Move] | None) -> list[chess.Move] | None:
    listed = None if moves is None else list(moves)
    for move in listed or ():
        if not isinstance(move, XiangqiMove):
            raise TypeError(f"expected a XiangqiMove, got {move!r}")
    return listed


def __getattr__(name: str) -> object:
    """The former name of UcciClientProtocol."""
    if name == "UcciProtocol":
        warnings.warn("UcciProtocol was renamed to UcciClientProtocol", DeprecationWarning, stacklevel=2)
        return UcciClientProtocol
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
