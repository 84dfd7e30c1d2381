"""The checks of `sanqi doctor` for hosts that play Xiangqi over UCI and UCCI."""

from __future__ import annotations

import asyncio
import logging
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import chess
import chess.engine

from engine_doctor.check import (
    HANDSHAKE_S,
    LEAVE_S,
    MARGIN_S,
    MEND_ENDED,
    OVERRUN_S,
    READY_S,
    UCCI,
    UCI,
    Check,
    CheckFailed,
    EngineUnderTest,
    NotSpoken,
    Overrun,
    take_leave,
)
from engine_doctor.dialogue import Dialogue, Ended, Silent, Transcript, quoted
from search_core.clock import now_s
from search_core.processes import ProcessGroup
from ucci_engine.client import open_ucci, open_uci
from ucci_engine.position import Position
from ucci_engine.squares import RANKS_FROM_0, RANKS_FROM_1, START_FEN, move_text, parse_move
from ucci_engine.xiangqi_board import XiangqiBoard, XiangqiMove

_PROBE_S = 1.0
"""TCHESS waits so long after `uci`, and again after `ucci`."""
_STOP_S = 0.2
"""The league's referee waits so long after `stop`."""
_STARTS = 2
_TRIES = 3
"""Of what has to be done within a fraction of a second; the machine may be busy with something else once."""
_SECOND_ANSWER_S = 0.5
"""What is waited for a second answer to one go."""
_MOVE_S = 0.15
_CLOCK_S = 5
_LONG_S = 600
"""A clock that no engine uses up by itself."""
_NO_MOVE_FEN = "3rkr3/9/9/9/9/9/9/9/4p4/3K5 w - - 0 1"
"""Red is mated."""
_LICHESS_BOT_OPTIONS: dict[str, chess.engine.ConfigValue] = {
    "Move Overhead": 100, "Threads": 4, "Hash": 512, "SyzygyPath": "./syzygy/", "UCI_ShowWDL": True,
}  # fmt: skip
"""What lichess-bot's stock configuration sets."""
_TROUBLESOME_WORDS = ("name", "type", "default")
_NO_MOVE_WORDS = ("(none)", "none", "null", "0000", "resign", "draw")


class _Illegal(CheckFailed):
    """A move that is no legal one."""


@dataclass
class _Answer:
    """What one `go` was answered by."""

    line: str
    elapsed_s: float
    infos: list[str] = field(default_factory=list)


class _Session:
    """One start of the engine, spoken to in UCI or UCCI."""

    def __init__(self, under_test: EngineUnderTest, protocol: str, line_end: str = "\n") -> None:
        self.protocol = protocol
        self.settings = under_test.settings
        self.dialogue = under_test.start(line_end)
        self.greeting: list[str] = []
        """What it said in the handshake."""
        self.second = 1000
        """As the engine counts: 1 for one that counts in seconds."""

    def shake_hands(self) -> None:
        """The greeting, and the options that the user wants set."""
        hello = self.protocol.lower()
        self.dialogue.send(hello)
        try:
            _, self.greeting = self.dialogue.until(lambda line: line.strip() == f"{hello}ok", HANDSHAKE_S)
        except Silent as silent:
            raise Silent(f"no {hello}ok within {HANDSHAKE_S:g} s of {hello!r}, {silent}") from None
        offered = {name.lower() for name in self.option_names()}
        if self.protocol == UCCI:
            self.second = 1000 if "usemillisec" in offered else 1
            if self.second > 1:
                self.set("usemillisec", "true")
        for name, value in self.settings:
            if name.lower() in offered:
                self.set(name, value)

    def set(self, name: str, value: str = "") -> None:
        if self.protocol == UCCI:
            self.dialogue.send(f"setoption {name} {value}".rstrip())
        else:
            self.dialogue.send(f"setoption name {name}" + (f" value {value}" if value else ""))

    def option_names(self) -> list[str]:
        """The options that the handshake listed."""
        pattern = r"option (.+?) type" if self.protocol == UCCI else r"option name (.+?) type"
        found = (re.match(pattern, line) for line in self.greeting)
        return [match[1] for match in found if match is not None]

    @property
    def knows_other_games(self) -> bool:
        """Whether Xiangqi is one of its variants, and nobody has set it."""
        return not any(name.lower() == "uci_variant" for name, _ in self.settings) and any(
            line.startswith("option name UCI_Variant type combo") and "default xiangqi" not in line
            and "var xiangqi" in line for line in self.greeting
        )  # fmt: skip

    def ready(self, patience_s: float = READY_S) -> list[str]:
        """`isready`; returns what else was said before `readyok`."""
        self.dialogue.send("isready")
        try:
            return self.dialogue.until(lambda line: line.strip() == "readyok", patience_s)[1]
        except Silent as silent:
            raise Silent(f"no readyok within {patience_s:g} s of 'isready', {silent}") from None

    def ask(self, *lines: str, patience_s: float = READY_S) -> _Answer:
        """Send lines, the last of them `go`, and take the move."""
        began = now_s()
        self.dialogue.send(*lines)
        return self.answer(lines[-1], began, patience_s)

    def ask_in(self, allowed_s: float, *lines: str) -> _Answer:
        """The same where `go` tells the time. Raises Overrun."""
        answer = self.ask(*lines, patience_s=allowed_s + MARGIN_S)
        _must_be_in_time(answer.elapsed_s, allowed_s, lines[-1])
        return answer

    def search(self, *lines: str) -> _Answer:
        """Send lines, and a `go` of _MOVE_S, or of a second if the engine counts no less. Raises Overrun."""
        time_given = max(1, int(_MOVE_S * self.second))
        go = f"go time {time_given} movestogo 1" if self.protocol == UCCI else f"go movetime {time_given}"
        return self.ask_in(time_given / self.second, *lines, go)

    def answer(self, asked: str, began: float, patience_s: float) -> _Answer:
        try:
            best, before = self.dialogue.until(_is_best, patience_s)
        except Silent as silent:
            raise Silent(f"no bestmove within {patience_s:g} s of {asked!r}, {silent}") from None
        return _Answer(best.text.strip(), best.arrival - began, [line for line in before if line.startswith("info")])

    def stop(self, *lines: str) -> _Answer | None:
        """Send lines, the last of them a `go` without end, `isready` and `stop`; returns the answer and the time since
        `stop`. None: the answer came before `stop`, as from an opening book, and was a legal first move."""
        self.dialogue.send(*lines)
        early = [line for line in self.ready(MARGIN_S) if _is_best(line)]
        if early:
            _judge(_Answer(early[0].strip(), 0.0), Position())
            return None
        began = now_s()
        self.dialogue.send("stop")
        answer = self.answer("stop", began, MARGIN_S)
        _judge(answer, Position())
        return answer


@contextmanager
def _session(under_test: EngineUnderTest, protocol: str, line_end: str = "\n") -> Iterator[_Session]:
    """A session that nothing is left of."""
    session = _Session(under_test, protocol, line_end)
    with session.dialogue:
        try:
            yield session
        except _Illegal as fault:
            if session.knows_other_games:
                raise CheckFailed(
                    str(fault), "it plays another game by default: try --set UCI_Variant=xiangqi"
                ) from None
            raise


def _must_be_in_time(elapsed_s: float, allowed_s: float, asked: str) -> None:
    """Raises Overrun."""
    if elapsed_s > allowed_s + OVERRUN_S:
        raise Overrun(
            f"took {elapsed_s * 1000:.0f} ms for {asked!r}, which allows {allowed_s * 1000:.0f}",
            "keep to the time of go, on a wall clock, with a margin",
        )  # fmt: skip


def _is_best(line: str) -> bool:
    return line.split(" ", 1)[0].strip() in ("bestmove", "nobestmove")


def _position(moves: list[str]) -> str:
    return "position startpos" + (f" moves {' '.join(moves)}" if moves else "")


def _judge(answer: _Answer, position: Position) -> str:
    """The move of the answer. Raises CheckFailed if it is not legal in the position, or not four letters and digits."""
    line = answer.line
    words = line.split()
    word = words[1] if words[0] == "bestmove" and len(words) > 1 else ""
    if not word or word in _NO_MOVE_WORDS:
        raise CheckFailed(f"{quoted(line)} where there are legal moves", "answer every go with a legal move")
    if not _legal(word, position, RANKS_FROM_0):
        if _legal(word, position, RANKS_FROM_1):
            raise CheckFailed(
                f"{quoted(line)} counts the ranks 1-10 without being asked",
                "print the ranks as 0-9, or let an option choose; Fairy-Stockfish's hosts alone count 1-10",
            )
        raise _Illegal(f"{quoted(line)} is no legal move in {position.fen()}", "play legal moves, written as h2e2")
    if len(word) != 4 or word != word.lower():
        raise CheckFailed(f"{quoted(line)}: expected four characters, as in h2e2", "print moves as in h2e2")
    return word


def _legal(word: str, position: Position, ranks: str) -> bool:
    try:
        return position.is_legal(parse_move(word, ranks))
    except ValueError:
        return False


def _must_be_plain(dialogue: Dialogue) -> None:
    """Raises CheckFailed if anything that was said is not ASCII."""
    for heard in dialogue.heard:
        if not heard.text.isascii():
            raise CheckFailed(
                f"{quoted(heard.text)} is not ASCII", "print ASCII alone: hosts read the output in codes of their own"
            )


# TCHESS


def _answers_at_once(under_test: EngineUnderTest, protocol: str) -> None:
    """TCHESS looks for a protocol: `uci`, a second, `ucci`, a second."""
    for _ in range(_STARTS):
        with under_test.start() as dialogue:
            for hello in ("uci", "ucci"):
                dialogue.send(hello)
                try:
                    dialogue.until(re.compile(rf"{hello}ok\s*$").match, _PROBE_S)
                    return
                except Silent as silent:
                    heard = str(silent)
    raise Silent(f"neither uciok nor ucciok within {_PROBE_S:g} s of uci and ucci, in {_STARTS} starts; heard {heard}")


def _options_can_be_read(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol) as session:
        session.shake_hands()
        for line in session.greeting:
            words = line.split()
            if words[:1] != ["option"]:
                continue
            if words[-1] == "default":
                raise CheckFailed(f"{quoted(line)} ends in the bare word 'default'")
            if "type" not in words:
                raise CheckFailed(f"{quoted(line)} has no type")
            head = words[2 if words[1] == "name" else 1 : len(words) - words[::-1].index("type") - 1]
            for word in _TROUBLESOME_WORDS:
                if word in map(str.lower, head):
                    raise CheckFailed(f"{quoted(line)} has the word {word!r} in the option's name", "rename the option")
        _must_be_plain(session.dialogue)


def _moves_and_lines_can_be_shown(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol) as session:
        session.shake_hands()
        session.ready()
        position, moves, infos = Position(), list[str](), list[str]()
        for _ in range(3):
            # TCHESS says `stop` before each search, be there one or not.
            session.dialogue.send("stop")
            for line in session.ready():
                if line.startswith("bestmove"):
                    raise CheckFailed(
                        f"'stop' without a search was answered by {quoted(line)}",
                        "answer it with nothing in UCI, nobestmove in UCCI",
                    )
            answer = session.search(_position(moves))
            if not moves:
                _must_be_one_answer(session, answer)
            moves.append(_judge(answer, position))
            position.push(parse_move(moves[-1]))
            infos += answer.infos
        _must_be_plain(session.dialogue)
        _judge_lines(under_test, infos)


def _must_be_one_answer(session: _Session, answer: _Answer) -> None:
    """Raises CheckFailed if a second answer comes."""
    try:
        second, _ = session.dialogue.until(re.compile(r"\s*bestmove\b").match, _SECOND_ANSWER_S)
    except Silent:
        return
    raise CheckFailed(
        f"{quoted(second.text)} came behind {quoted(answer.line)}: two answers to one go", "answer a go once"
    )


def _judge_lines(under_test: EngineUnderTest, infos: list[str]) -> None:
    """Raises CheckFailed for a line with a variation that TCHESS would not show."""
    shown = 0
    for line in infos:
        words = line.split()
        if "pv" not in words or "string" in words or "message" in words:
            continue
        shown += 1
        if "nps" not in words:
            raise CheckFailed(
                f"{quoted(line)} has no nps: such a line is not shown", "print nps in every line with a pv"
            )
        for word in words[words.index("pv") + 1 :]:
            if not re.fullmatch(r"[a-i]\d+[a-i]\d+", word):
                raise CheckFailed(
                    f"{quoted(line)}: {word!r} stands behind pv", "print pv and its moves last in the line"
                )
    if not shown:
        under_test.remark("no info line has a pv: the host shows nothing of the search")


def _can_be_stopped(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol) as session:
        session.shake_hands()
        session.ready()
        answer = session.stop(_position([]), "go infinite")
        if answer is None:
            under_test.remark("'go infinite' was answered before 'stop'")
        else:
            _must_be_one_answer(session, answer)


def _goes_when_told(under_test: EngineUnderTest, protocol: str) -> None:
    """`quit`, and the end of the input, in the middle of a search; neither leaves a process."""
    for word in ("quit", ""):
        with _session(under_test, protocol) as session:
            session.shake_hands()
            session.ready()
            session.dialogue.send(_position([]), "go infinite")
            session.ready(MARGIN_S)
            take_leave(session.dialogue, word, LEAVE_S)


# XQWizard


def _takes_what_it_did_not_offer(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol) as session:
        session.shake_hands()
        for setting in ("usemillisec true", "newgame", "noSuchOption 17", "bookfiles /no/such/book"):
            session.dialogue.send(f"setoption {setting}")
        said = session.ready()
        if any(_is_best(line) for line in said):
            raise CheckFailed(f"setoption was answered by {quoted(said[-1])}")
        _judge(session.ask("position startpos", "go depth 1"), Position())


def _counts_milliseconds(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol) as session:
        session.shake_hands()
        session.dialogue.send("setoption usemillisec true")
        session.ready()
        try:
            _judge(session.ask_in(0.5, "position startpos", "go time 500 movestogo 1"), Position())
        except Silent as silent:
            raise CheckFailed(f"after 'setoption usemillisec true' {silent}") from None


# The referee of the UCCI league


def _plays_a_league_game(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol) as session:
        session.shake_hands()
        for setting in ("promotion false", "ponder false", "newgame"):
            session.dialogue.send(f"setoption {setting}")
        if session.second == 1:
            under_test.remark("offers no option usemillisec: it is sent seconds")
        session.ready()
        position, moves = Position(), list[str]()
        fen = START_FEN
        for draw in ("", "", "draw ", "", "", ""):
            left = _CLOCK_S * session.second
            clocks = f"time {left} increment 0 opptime {left} oppincrement 0"
            line = f"position fen {fen}" + (f" moves {' '.join(moves)}" if moves else "")
            answer = session.ask_in(_CLOCK_S, line, f"go {draw}{clocks}")
            move = _judge(answer, position)
            taken = position.piece_at(parse_move(move) >> 7)
            position.push(parse_move(move))
            # It sends the position after the last capture, and the quiet moves since.
            fen, moves = (f"{position.fen().rsplit(' ', 4)[0]} - - 0 1", []) if taken else (fen, [*moves, move])
        _must_be_plain(session.dialogue)


def _keeps_from_banned_moves(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol) as session:
        session.shake_hands()
        session.ready()
        wished = _judge(session.search("position startpos"), Position())
        answer = session.search("position startpos", f"banmoves {wished}")
        if _judge(answer, Position()) == wished:
            raise CheckFailed(f"{quoted(answer.line)} right after 'banmoves {wished}'")


def _says_that_it_has_no_move(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol) as session:
        session.shake_hands()
        session.ready()
        answer = session.ask(f"position fen {_NO_MOVE_FEN}", "go depth 3")
        if answer.line != "nobestmove":
            raise CheckFailed(f"{quoted(answer.line)} where it is mated; expected nobestmove")


def _stops_at_once(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol) as session:
        session.shake_hands()
        session.ready()
        fastest = float("inf")
        for _ in range(_TRIES):
            answer = session.stop("position startpos", f"go time {_LONG_S * session.second} increment 0")
            if answer is None:
                under_test.remark("moves at once: 'stop' came too late to be tried")
                return
            fastest = min(fastest, answer.elapsed_s)
            if fastest <= _STOP_S:
                return
            session.ready()  # an engine that has crossed `stop` with its move may answer that too
        raise CheckFailed(
            f"needs {fastest * 1000:.0f} ms from stop to bestmove; the game is lost after {_STOP_S * 1000:.0f}"
        )


def _leaves_the_league(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol) as session:
        session.shake_hands()
        session.dialogue.send("quit")
        try:
            session.dialogue.until(lambda line: line.strip() == "bye", LEAVE_S)
        except Ended:
            under_test.remark("ends at quit without 'bye'")
        except Silent as silent:
            raise Silent(f"no 'bye' within {LEAVE_S:g} s of 'quit', {silent}") from None
        session.dialogue.wait_end(LEAVE_S)


# UCI-Cyclone


def _takes_positions_without_the_word(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol) as session:
        session.shake_hands()
        session.ready()
        after = Position()
        after.push(parse_move("h2e2"))
        for line, position in (("startpos moves h2e2", after), (f"fen {after.fen()} moves h9g7", after.copy())):
            if "h9g7" in line:
                position.push(parse_move("h9g7"))
            # What it would play if it did not know the line.
            session.dialogue.send("position startpos")
            answer = session.search(line)
            try:
                _judge(answer, position)
            except CheckFailed:
                word = answer.line.split()[1:2]
                if word and any(_legal(word[0], Position(), ranks) for ranks in (RANKS_FROM_0, RANKS_FROM_1)):
                    raise NotSpoken(
                        f"takes no notice of '{line[:20]}...' without the word 'position': {quoted(answer.line)}"
                    ) from None
                raise


# cchess


def _reads_carriage_returns(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol, line_end="\r\n") as session:
        session.shake_hands()
        session.dialogue.send(f"setoption name {'hashsize' if protocol == UCCI else 'Hash'} value 16")
        session.ready()
        position = Position()
        infos: list[str] = []
        for _ in range(3):
            # It sends the position alone, with two of the fields of a FEN.
            fen = " ".join(position.fen().split()[:2])
            answer = session.ask(f"position fen {fen}", "go depth 3")
            infos += answer.infos
            position.push(parse_move(_judge(answer, position)))
        score = r"info .*\bdepth \d+ .*\bscore (cp |mate )?-?\d+\b.* pv [a-i]\d"
        if not any(re.match(score, line) for line in infos):
            said = f"; the last line was {quoted(infos[-1])}" if infos else ""
            raise CheckFailed(f"no line 'info depth D ... score S ... pv MOVES' in a search to depth 3{said}")
        _must_be_plain(session.dialogue)


# python-chess


class _Listener(logging.Handler):
    """What python-chess says and hears, and what it complains of, which is kept from the terminal."""

    def __init__(self, transcript: Transcript) -> None:
        super().__init__(logging.DEBUG)
        self.complaints: list[str] = []
        self.group: ProcessGroup | None = None
        """The engine's; known as soon as there is one."""
        self._transcript = transcript

    def emit(self, record: logging.LogRecord) -> None:
        protocol = record.args[0] if isinstance(record.args, tuple) and record.args else None
        if isinstance(protocol, chess.engine.Protocol) and protocol.transport is not None:
            pid = protocol.transport.get_pid()
            if self.group is None and pid:
                self.group = ProcessGroup(pid)
        # It names the process before all it has to tell.
        text = re.sub(r"^<.*?>: ", "", record.getMessage(), count=1)
        if record.levelno >= logging.WARNING:
            self.complaints.append(text)
        elif said := re.match(r"(<<|>>) ", text):
            self._transcript.note(">" if said[1] == "<<" else "<", text[said.end() :])


@contextmanager
def _library(
    under_test: EngineUnderTest, start: Callable[..., chess.engine.SimpleEngine]
) -> Iterator[tuple[chess.engine.SimpleEngine, _Listener]]:
    """The engine in python-chess, and what is to be heard of them; their end is a CheckFailed."""
    transcript = under_test.transcript()
    listener = _Listener(transcript)
    logger = chess.engine.LOGGER
    logger.addHandler(listener)
    logger.setLevel(logging.DEBUG)
    try:
        with start(
            list(under_test.command), timeout=READY_S, stderr=subprocess.DEVNULL, setpgrp=True
        ) as engine:
            offered = {name.lower(): name for name in engine.options}
            engine.configure(
                {offered[name.lower()]: value for name, value in under_test.settings
                 if name.lower() in offered and not engine.options[offered[name.lower()]].is_managed()}
            )  # fmt: skip
            yield engine, listener
    except chess.engine.EngineTerminatedError as error:
        raise CheckFailed(str(error), MEND_ENDED) from None
    except chess.engine.EngineError as error:
        raise CheckFailed(f"python-chess gave up: {error}") from None
    except asyncio.TimeoutError:
        raise CheckFailed(
            "python-chess gave up: no answer in time", "answer every command in time, and flush"
        ) from None
    finally:
        if listener.group is not None:
            listener.group.kill()
        logger.setLevel(logging.NOTSET)
        logger.removeHandler(listener)
        transcript.end()


def _tell(under_test: EngineUnderTest, listener: _Listener) -> None:
    for text in listener.complaints:
        under_test.remark(f"it complains: {text[:100]}")


class _Board(XiangqiBoard):
    """A board for python-chess itself, which knows nothing of the ranks that engines count from 1."""

    ranks = RANKS_FROM_0

    def parse_uci(self, uci: str) -> XiangqiMove:
        return super().parse_uci(move_text(parse_move(uci, self.ranks)) if uci != "0000" else uci)


class _BoardFrom1(_Board):
    ranks = RANKS_FROM_1


def _is_driven_by_python_chess(under_test: EngineUnderTest, protocol: str) -> None:
    with _library(under_test, chess.engine.SimpleEngine.popen_uci) as (engine, listener):
        if "UCI_Variant" not in engine.options:
            raise CheckFailed(
                "no option UCI_Variant: python-chess refuses any board but the 8x8 one",
                "offer 'option name UCI_Variant type combo default xiangqi var xiangqi'",
            )
        board = _Board() if "Ranks" in engine.options or not _counts_from_1(under_test, protocol) else _BoardFrom1()
        for _ in range(2):
            result = _play_in(_MOVE_S, engine, board, chess.engine.Limit(time=_MOVE_S))
            if result.move is None or not result.move:
                raise CheckFailed("no best move at the start of a game", "answer every go with a legal move")
        engine.ping()
        _tell(under_test, listener)


def _play_in(
    allowed_s: float, engine: chess.engine.SimpleEngine, board: chess.Board, limit: chess.engine.Limit
) -> chess.engine.PlayResult:
    """A move of one game. Raises Overrun."""
    began = now_s()
    result = engine.play(board, limit, game="one", info=chess.engine.INFO_SCORE)
    _must_be_in_time(now_s() - began, allowed_s, f"a move in {allowed_s:g} s")
    return result


def _counts_from_1(under_test: EngineUnderTest, protocol: str) -> bool:
    """Whether the engine counts the ranks from 1 once `UCI_Variant` is set, as python-chess does."""
    with _session(under_test, protocol) as session:
        session.shake_hands()
        session.set("UCI_Variant", "xiangqi")
        session.ready()
        word = session.search("position startpos").line.split()[1:2]
        return bool(word) and not _legal(word[0], Position(), RANKS_FROM_0)


def _is_driven_by_the_client(under_test: EngineUnderTest, protocol: str) -> None:
    with _library(under_test, open_ucci if protocol == UCCI else open_uci) as (engine, listener):
        board = XiangqiBoard()
        for clocks in (None, _CLOCK_S, None, _CLOCK_S):
            limit = (
                chess.engine.Limit(time=_MOVE_S) if clocks is None
                else chess.engine.Limit(white_clock=clocks, black_clock=clocks)
            )  # fmt: skip
            result = _play_in(clocks or _MOVE_S, engine, board, limit)
            if not result.move:
                raise CheckFailed("no best move at the start of a game", "answer every go with a legal move")
            board.push(result.move)
        engine.analyse(board, chess.engine.Limit(time=_MOVE_S), multipv=2 if "MultiPV" in engine.options else None)
        engine.ping()
        _tell(under_test, listener)


def _is_silent_between_searches(under_test: EngineUnderTest, protocol: str) -> None:
    with _session(under_test, protocol) as session:
        session.shake_hands()
        said = session.ready()
        session.search("position startpos")
        said += session.ready()
        for line in said:
            if re.match(r"info\s+(?!string\b)", line):
                raise CheckFailed(f"{quoted(line)} came outside of a search")


# lichess-bot


def _takes_lichess_bot_s_options(under_test: EngineUnderTest, protocol: str) -> None:
    with _library(under_test, chess.engine.SimpleEngine.popen_uci) as (engine, _):
        missing = [name for name in _LICHESS_BOT_OPTIONS if name not in engine.options]
        if missing:
            raise CheckFailed(f"no option {', '.join(missing)}: the bot sets it and ends")
        engine.configure(_LICHESS_BOT_OPTIONS)
        engine.ping()


CHECKS = (
    Check("tchess", "one-second probe", (UCI, UCCI), _answers_at_once,
          "print the handshake before importing, loading or allocating anything; flush it; ship no one-file bundle"),
    Check("tchess", "options", (UCI, UCCI), _options_can_be_read,
          "print 'option name NAME type KIND default VALUE' (UCCI: without 'name'), with '<empty>' for an empty text"),
    Check("tchess", "search", (UCI, UCCI), _moves_and_lines_can_be_shown,
          "answer every go with one bestmove and a legal move, in the time given"),
    Check("tchess", "analysis", (UCI, UCCI), _can_be_stopped,
          "read the input while searching: answer isready at once, and stop with bestmove"),
    Check("tchess", "leaving", (UCI, UCCI), _goes_when_told,
          "read the input while searching, and end at quit and at the end of the input"),
    Check("xqwizard", "unknown options", (UCCI,), _takes_what_it_did_not_offer,
          "pass over options that are not known: the host reads no list of them"),
    Check("xqwizard", "milliseconds", (UCCI,), _counts_milliseconds,
          "count in milliseconds once usemillisec is set, and by default"),
    Check("league", "game", (UCCI,), _plays_a_league_game,
          "take 'position fen F moves ...' and 'go [draw] time T increment I opptime T oppincrement I'"),
    Check("league", "banmoves", (UCCI,), _keeps_from_banned_moves,
          "leave the moves of banmoves out at the root until the next position"),
    Check("league", "mated", (UCCI,), _says_that_it_has_no_move, "print 'nobestmove' where there is no legal move"),
    Check("league", "stop", (UCCI,), _stops_at_once, "look for stop more often in the search"),
    Check("league", "leaving", (UCCI,), _leaves_the_league, "answer quit with 'bye' and end"),
    Check("cyclone", "positions", (UCI,), _takes_positions_without_the_word,
          "take 'fen F moves ...' and 'startpos moves ...' without the word position"),
    Check("cchess", "UCI", (UCI,), _reads_carriage_returns,
          "take lines that end in CR LF and a FEN of two fields; print depth, score and pv in one line"),
    Check("cchess", "UCCI", (UCCI,), _reads_carriage_returns,
          "take lines that end in CR LF and 'setoption name X value Y'; print depth, score and pv in one line"),
    Check("python-chess", "plain", (UCI,), _is_driven_by_python_chess,
          "play legal moves, and word the lines as the protocol does"),
    Check("python-chess", "UCI client", (UCI,), _is_driven_by_the_client,
          "play legal moves, and word the lines as the protocol does"),
    Check("python-chess", "UCCI client", (UCCI,), _is_driven_by_the_client,
          "play legal moves, and word the lines as the protocol does"),
    Check("python-chess", "quiet", (UCI,), _is_silent_between_searches,
          "print info lines only between go and bestmove; what must be told at other times as 'info string'"),
    Check("lichess-bot", "options", (UCI,), _takes_lichess_bot_s_options,
          "offer the options of its stock configuration, even if they do nothing"),
)  # fmt: skip
