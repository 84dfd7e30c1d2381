"""The checks of `sanqi doctor` for python-chess, alone and with our client for it, and for lichess-bot."""

from __future__ import annotations

import asyncio
import logging
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import chess
import chess.engine

from engine_client.check import FIX_ENDED, READY_S, Check, CheckedProtocol, CheckFailed, EngineUnderTest
from engine_client.dialogue import Transcript, end_engines, interrupted_by, quoted
from search_core.child_process import ProcessGroup
from search_core.clock import now_s
from ucci_engine.client import open_ucci, open_uci
from ucci_engine.host_session import CLOCK_S, MOVE_S, UCCI, UCI, check_time, is_legal, xiangqi_session
from ucci_engine.points import RANKS_FROM_0, RANKS_FROM_1, move_text, parse_move
from ucci_engine.position import Position
from ucci_engine.xiangqi_board import XiangqiBoard, XiangqiMove

_LICHESS_BOT_OPTIONS: dict[str, chess.engine.ConfigValue] = {
    "Move Overhead": 100,
    "Threads": 4,
    "Hash": 512,
    "SyzygyPath": "./syzygy/",
    "UCI_ShowWDL": True,
}
"""The options of lichess-bot's default configuration."""


class _Listener(logging.Handler):
    """Records python-chess's dialogue with the engine, and its warnings, which are not printed.

    There is one for all checks: making and freeing a handler takes the lock of logging, and an interrupt then could
    leave it held.
    """

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.complaints: list[str] = []
        self.group: ProcessGroup | None = None
        """The engine's process group; None until it runs."""
        self._transcript: Transcript | None = None
        self._interrupted = False

    def begin(self, transcript: Transcript) -> None:
        """Record the dialogue with a new start of an engine."""
        self.complaints.clear()
        self.group = None
        self._transcript = transcript

    def interrupt(self) -> None:
        """Kill engines that start from now on: one may have been starting when the signal came."""
        self._interrupted = True

    def emit(self, record: logging.LogRecord) -> None:
        transcript = self._transcript
        if transcript is None:
            return
        if self._interrupted:
            end_engines()
        # Every message of python-chess begins with the process.
        text = re.sub(r"^<.*?>: ", "", record.getMessage(), count=1)
        if record.levelno >= logging.WARNING:
            self.complaints.append(text)
        elif said := re.match(r"(<<|>>) ", text):
            protocol = record.args[0] if isinstance(record.args, tuple) else None
            if self.group is None and isinstance(protocol, chess.engine.Protocol) and protocol.transport is not None:
                self.group = ProcessGroup(protocol.transport.get_pid())
            transcript.note(">" if said[1] == "<<" else "<", text[said.end() :])

    def end(self) -> None:
        """Kill the engine and write the transcript."""
        transcript, self._transcript = self._transcript, None
        if self.group is not None:
            self.group.kill()
        if transcript is not None:
            transcript.end()


_LISTENER = _Listener()
chess.engine.LOGGER.addHandler(_LISTENER)
chess.engine.LOGGER.setLevel(logging.DEBUG)


@contextmanager
def _library(
    under_test: EngineUnderTest, start: Callable[..., chess.engine.SimpleEngine]
) -> Iterator[chess.engine.SimpleEngine]:
    """The engine in python-chess. Raises CheckFailed if the engine ends or python-chess gives up."""
    with interrupted_by(_LISTENER.interrupt):
        _LISTENER.begin(under_test.transcript())
        try:
            with start(list(under_test.command), timeout=READY_S, stderr=subprocess.DEVNULL, setpgrp=True) as engine:
                options = engine.options
                given = [(options[name], value) for name, value in under_test.settings if name in options]
                engine.configure({option.name: value for option, value in given if not option.is_managed()})
                # An engine may read its net at the first isready, which is no part of a move's time.
                engine.ping()
                yield engine
        except chess.engine.EngineTerminatedError as error:
            raise CheckFailed(str(error), FIX_ENDED) from None
        except chess.engine.EngineError as error:
            raise CheckFailed(f"python-chess gave up: {error}") from None
        except asyncio.TimeoutError:
            raise CheckFailed(
                "python-chess gave up: no answer in time", "answer every command in time, and flush"
            ) from None
        finally:
            _LISTENER.end()


def _tell(under_test: EngineUnderTest) -> None:
    for text in _LISTENER.complaints:
        under_test.remark(f"it complains: {text[:100]}")


class _Board(XiangqiBoard):
    """A board for python-chess itself."""

    ranks = RANKS_FROM_0

    def parse_uci(self, uci: str) -> XiangqiMove:
        return super().parse_uci(move_text(parse_move(uci, self.ranks)) if uci != "0000" else uci)


class _BoardFrom1(_Board):
    ranks = RANKS_FROM_1


def _is_driven_by_python_chess(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with _library(under_test, chess.engine.SimpleEngine.popen_uci) as engine:
        if "UCI_Variant" not in engine.options:
            raise CheckFailed(
                "no option UCI_Variant: python-chess refuses any board but the 8x8 one",
                "offer 'option name UCI_Variant type combo default xiangqi var xiangqi'",
            )
        board = _BoardFrom1() if _counts_from_1(under_test, protocol) else _Board()
        for _ in range(2):
            _play_in(MOVE_S, engine, board, chess.engine.Limit(time=MOVE_S))
        engine.ping()
        _tell(under_test)


def _play_in(
    allowed_s: float, engine: chess.engine.SimpleEngine, board: chess.Board, limit: chess.engine.Limit
) -> chess.Move:
    """Let the engine choose a move of one game. Raises CheckFailed, Overrun."""
    began = now_s()
    result = engine.play(board, limit, game="one", info=chess.engine.INFO_SCORE)
    check_time(now_s() - began, allowed_s, f"a move in {allowed_s:g} s")
    if not result.move:
        raise CheckFailed("no best move at the start of a game", "answer every go with a legal move")
    return result.move


def _counts_from_1(under_test: EngineUnderTest, protocol: CheckedProtocol) -> bool:
    """Whether the engine counts the ranks from 1 in python-chess, which sets `UCI_Variant` unless it is the default."""
    with xiangqi_session(under_test, protocol, ready=False) as session:
        variants = session.offered.find("UCI_Variant")
        if variants is None or variants.default != "xiangqi":
            session.set("UCI_Variant", "xiangqi")
        session.ready()
        word = session.search("position startpos").line.split()[1:2]
        return bool(word) and not is_legal(word[0], Position(), RANKS_FROM_0)


def _is_driven_by_the_client(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with _library(under_test, open_ucci if protocol == UCCI else open_uci) as engine:
        board = XiangqiBoard()
        for clocks in (None, CLOCK_S, None, CLOCK_S):
            limit = chess.engine.Limit(MOVE_S if clocks is None else None, white_clock=clocks, black_clock=clocks)
            board.push(_play_in(clocks or MOVE_S, engine, board, limit))
        engine.analyse(board, chess.engine.Limit(time=MOVE_S), multipv=2 if "MultiPV" in engine.options else None)
        engine.ping()
        _tell(under_test)


def _is_silent_between_searches(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with xiangqi_session(under_test, protocol) as session:
        session.search("position startpos")
        for line in session.greeted + session.ready():
            if re.match(r"info\s+(?!string\b)", line):
                raise CheckFailed(f"{quoted(line)} came outside of a search")


# lichess-bot


def _takes_lichess_bot_s_options(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with _library(under_test, chess.engine.SimpleEngine.popen_uci) as engine:
        missing = [name for name in _LICHESS_BOT_OPTIONS if name not in engine.options]
        if missing:
            raise CheckFailed(f"no option {', '.join(missing)}: the bot sets it and ends")
        engine.configure(_LICHESS_BOT_OPTIONS)
        engine.ping()


CHECKS = (
    Check("python-chess", "plain", (UCI,), _is_driven_by_python_chess,
          "play legal moves, and word the lines as the protocol does"),
    Check("python-chess", "UCI client", (UCI,), _is_driven_by_the_client,
          "play legal moves, and word the lines as the protocol does"),
    Check("python-chess", "UCCI client", (UCCI,), _is_driven_by_the_client,
          "play legal moves, and word the lines as the protocol does"),
    Check("python-chess", "quiet", (UCI,), _is_silent_between_searches,
          "print info lines only between go and bestmove; at other times print 'info string'"),
    Check("lichess-bot", "options", (UCI,), _takes_lichess_bot_s_options,
          "offer the options of its default configuration, even if they do nothing"),
)  # a table, one row a line  # fmt: skip
