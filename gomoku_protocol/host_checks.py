"""The checks of `sanqi doctor` for Gomoku managers. They speak the Gomocup protocol."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from engine_client.check import (
    HANDSHAKE_S,
    LEAVE_S,
    Check,
    CheckedProtocol,
    CheckFailed,
    EngineUnderTest,
    NotTried,
    Overrun,
    check_ascii,
    take_leave,
)
from engine_client.dialogue import Dialogue, family, private_bytes, quoted
from engine_client.process import EngineSilent
from gomoku_protocol.match_player import board_command, is_move
from gomoku_protocol.points import PointError, parse_point
from search_core.clock import now_s

GOMOCUP = CheckedProtocol("Gomocup", "START 15\nABOUT", re.compile(r"[Oo][Kk]\b|.*\bname *= *\""))

_SIZE = 20
"""Every program must support this board size."""
_TOLERANCE_S = 1.0
"""A turn may exceed its limit by this, as in Piskvork and GomocupJudge."""
_TURN_MS, _MATCH_MS = 200, 20_000
_JUDGED_MOVES = 4
"""Too few for a five: after one, the engine need not move."""
_MEMORY = 350 << 20
"""Bytes that a program may use in the tournament."""
_PAUSE_S = 0.05
"""Between a move and the manager's next command, as with managers that have a window."""
_END_S = 1.0
"""For the program to end after END. Piskvork kills it after 0.7 s; the protocol's text says one second."""
_ANSWER_S = 3.0
"""For an answer without a search."""
_FREE_POINTS = ((2, 9), (4, 13), (6, 11), (8, 3), (10, 1), (12, 5), (14, 7))
"""The free points of an otherwise full board of size _CROWDED. If x and y are swapped, or both are one too large, a
free point never becomes another free point."""
_CROWDED = 15
_FIRST_WORDS = ("OK", "ERROR", "UNKNOWN", "MESSAGE", "DEBUG", "SUGGEST")
_REPORTS = ("MESSAGE", "DEBUG")

Point = tuple[int, int]


class _Board:
    """The stones of a game."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.stones: list[Point] = []

    def host_moves(self) -> Point:
        """Put the host's stone on a free point, far from its others: it makes no threat."""
        apart = range(0, self.size, 4)
        point = next((x, y) for y in apart for x in apart if (x, y) not in self.stones)
        self.stones.append(point)
        return point

    def engine_moves(self, text: str) -> None:
        """Play the engine's move. Raises CheckFailed."""
        point = _point(text)
        if max(point) >= self.size:
            raise CheckFailed(
                f"{quoted(text)} is off the board of {self.size}x{self.size}",
                "count columns and rows from 0, and keep to the size of START",
            )
        if point in self.stones:
            raise CheckFailed(f"{quoted(text)} is a taken point", "put every stone of TURN and BOARD on your board")
        self.stones.append(point)

    def crowd(self) -> None:
        """Fill the board except _FREE_POINTS. No three stones are in a row; one more makes three at most."""
        full = [(x, y) for y in range(self.size) for x in range(self.size) if (x, y) not in _FREE_POINTS]
        sides = [[(x, y) for x, y in full if ((x + 2 * y) % 4 < 2) is first] for first in (True, False)]
        self.stones = [point for pair in zip(*sides, strict=True) for point in pair]

    def lines(self) -> list[str]:
        """The BOARD command with all stones, for the side to move."""
        return board_command([f"{x},{y}" for x, y in self.stones])


def _point(text: str) -> Point:
    """The point of an engine's answer. Raises CheckFailed."""
    try:
        return parse_point(text)
    except PointError:
        raise CheckFailed(f"{quoted(text)} is no move", "answer with x,y and nothing else, both from 0") from None


class _Session:
    """One start of the engine under a manager."""

    def __init__(self, under_test: EngineUnderTest, size: int = _SIZE, line_end: str = "\r\n") -> None:
        self.settings = dict(under_test.settings)
        self.board = _Board(size)
        self.dialogue: Dialogue = under_test.start(line_end)

    def begin(self, turn_ms: int = _TURN_MS) -> None:
        """START, and the settings of a game. Raises CheckFailed for another answer than OK."""
        start = f"START {self.board.size}"
        answer = self.ask(start, patience_s=HANDSHAKE_S, pause_s=0.0)
        if answer != "OK":
            raise CheckFailed(f"{start} was answered by {quoted(answer)}, not by 'OK'", "answer START with OK only")
        self.dialogue.send(*self.infos(turn_ms))

    def infos(self, turn_ms: int = _TURN_MS) -> list[str]:
        """The settings of a game, the user's among them."""
        settings = {
            "timeout_turn": turn_ms,
            "timeout_match": _MATCH_MS,
            "max_memory": _MEMORY,
            "game_type": 1,
            "rule": 0,
            "time_left": _MATCH_MS,
            **self.settings,
        }
        return [f"INFO {name} {value}" for name, value in settings.items()]

    def ask(self, *lines: str, patience_s: float = _ANSWER_S, pause_s: float = _PAUSE_S) -> str:
        """The answer to lines: the next line that is not MESSAGE or DEBUG."""
        time.sleep(pause_s)
        began = now_s()
        self.dialogue.send(*lines)
        heard, _ = self.dialogue.until(_is_reply, patience_s, "answer", f"to {lines[0]!r}")
        self.elapsed_s = heard.arrival - began
        return heard.text.strip()

    def move(self, *lines: str, turn_ms: int = _TURN_MS, pause_s: float = _PAUSE_S) -> float:
        """Let the engine move and play its move; returns the seconds. Raises CheckFailed."""
        self.board.engine_moves(self.ask(*lines, patience_s=_patience_s(turn_ms), pause_s=pause_s))
        return self.elapsed_s

    def turn(self, turn_ms: int = _TURN_MS, pause_s: float = _PAUSE_S) -> float:
        """The host moves, then the engine."""
        x, y = self.board.host_moves()
        return self.move(f"TURN {x},{y}", turn_ms=turn_ms, pause_s=pause_s)

    def about(self, under_test: EngineUnderTest) -> list[str]:
        """Send ABOUT; returns the replies that came before its answer."""
        self.dialogue.send("ABOUT")
        heard, before = self.dialogue.until(
            lambda line: _is_reply(line) and ("=" in line or _first_word(line) == "UNKNOWN"),
            _ANSWER_S,
            "answer",
            "to 'ABOUT'",
        )
        if "=" not in heard.text:
            under_test.remark(f"ABOUT was answered by {quoted(heard.text)}, without name=")
        return [line for line in before if _is_reply(line)]


@contextmanager
def _session(
    under_test: EngineUnderTest, size: int = _SIZE, line_end: str = "\r\n", turn_ms: int | None = _TURN_MS
) -> Iterator[_Session]:
    """A session, which begins unless `turn_ms` is None; at the end its engine is killed."""
    session = _Session(under_test, size, line_end)
    with session.dialogue:
        if turn_ms is not None:
            session.begin(turn_ms)
        yield session


def _patience_s(turn_ms: int) -> float:
    """How long to wait for a move."""
    return turn_ms / 1000 + 3 * _TOLERANCE_S


def _first_word(line: str) -> str:
    words = line.split(None, 1)
    return words[0].upper() if words else ""


def _is_reply(line: str) -> bool:
    return line.strip() != "" and _first_word(line) not in _REPORTS


# Piskvork


def _starts(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    for size in (_SIZE, 15):
        with _session(under_test, size):
            pass


def _plays(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with _session(under_test) as session:
        session.move("BEGIN")
        for _ in range(2):
            session.turn()
        check_ascii(session.dialogue, "print ASCII only")
        try:
            for _ in range(2):
                session.turn(pause_s=0.0)
        except (CheckFailed, EngineSilent):
            under_test.remark("a command that comes right after its move is lost")


def _keeps_quiet_on_info(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with _session(under_test) as session:
        session.dialogue.send("INFO folder .", *session.infos())
        for line in session.about(under_test):
            raise CheckFailed(f"INFO was answered by {quoted(line)}")
        for rare in ("INFO evaluate 3,3", "INFO no_such_key 17"):
            session.dialogue.send(rare)
            for line in session.about(under_test):
                under_test.remark(f"{rare!r} was answered by {quoted(line)}")


def _takes_positions(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with _session(under_test) as session:
        session.board.stones += [(9, 9), (10, 9), (11, 11)]
        session.move(*session.board.lines())
        session.turn()
        check_ascii(session.dialogue, "print ASCII only")
    with _session(under_test, _CROWDED) as session:
        session.board.crowd()
        _must_be_free(session.ask(*session.board.lines(), patience_s=_patience_s(_TURN_MS)))


def _must_be_free(answer: str) -> None:
    """Raises CheckFailed if the move is not on one of _FREE_POINTS."""
    x, y = _point(answer)
    if (x, y) in _FREE_POINTS:
        return
    if (y, x) in _FREE_POINTS:
        raise CheckFailed(f"{quoted(answer)} is a taken point; {y},{x} is free", "write the column first, then the row")
    if (x - 1, y - 1) in _FREE_POINTS:
        raise CheckFailed(
            f"{quoted(answer)} is a taken point; {x - 1},{y - 1} is free", "count columns and rows from 0"
        )
    free = " ".join(f"{x},{y}" for x, y in _FREE_POINTS)
    raise CheckFailed(f"{quoted(answer)} is not free; {free} are", "put every stone of BOARD on your board")


def _starts_again(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with _session(under_test) as session:
        session.move("BEGIN")
        session.turn()
        answer = session.ask("RESTART")
        if _first_word(answer) == "UNKNOWN":
            return  # the manager starts the program again
        if answer != "OK":
            raise CheckFailed(f"RESTART was answered by {quoted(answer)}")
        former = session.board.stones[0]
        session.board.stones.clear()
        session.dialogue.send(*session.infos())
        _take_again(session, former, "RESTART", "clear the board at RESTART")
        session.ask("RESTART")
        session.board.stones = [(0, 0), (0, 4), (4, 0)]
        session.dialogue.send(*session.infos())
        session.move(*session.board.lines())


def _take_again(session: _Session, point: Point, command: str, fix: str) -> None:
    """The host moves to a point that a command made free. Raises CheckFailed."""
    x, y = point
    session.board.stones.append(point)
    answer = session.ask(f"TURN {x},{y}", patience_s=_patience_s(_TURN_MS))
    if not is_move(answer):
        raise CheckFailed(f"'TURN {x},{y}', a stone before {command}, was answered by {quoted(answer)}", fix)
    session.board.engine_moves(answer)


def _takes_back(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with _session(under_test) as session:
        session.move("BEGIN")
        session.turn()
        former = session.board.stones[-1]
        for _ in range(2):
            x, y = session.board.stones.pop()
            answer = session.ask(f"TAKEBACK {x},{y}")
            if _first_word(answer) == "UNKNOWN":
                return  # the manager starts the program again
            if answer != "OK":
                raise CheckFailed(f"TAKEBACK {x},{y} was answered by {quoted(answer)}")
        _take_again(session, former, "TAKEBACK", "take the stone off at TAKEBACK")


def _answers_unknown_commands(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with _session(under_test) as session:
        answer = session.ask("NOSUCHCOMMAND")
        if _first_word(answer) not in ("UNKNOWN", "ERROR"):
            raise CheckFailed(f"'NOSUCHCOMMAND' was answered by {quoted(answer)}")
        session.move("BEGIN")


def _keeps_to_the_clock(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    for turn_ms in (0, 100):
        allowed_s = turn_ms / 1000 + _TOLERANCE_S
        with _session(under_test, turn_ms=turn_ms) as session:
            session.about(under_test)  # wait, so that START and INFO are not part of the turn's time
            for _ in range(3):
                elapsed_s = session.turn(turn_ms)
                if elapsed_s > allowed_s:
                    raise Overrun(
                        f"takes {elapsed_s * 1000:.0f} ms for a move at 'INFO timeout_turn {turn_ms}';"
                        f" more than {allowed_s * 1000:.0f} loses"
                    )


def _exits_on_request(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    for word in ("END", ""):
        with _session(under_test) as session:
            session.move("BEGIN")
            time.sleep(_PAUSE_S)
            take_leave(session.dialogue, word, _END_S)


# GomocupJudge


def _survives_suspension(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    """Send START and all INFO in one write, suspend the process between its turns, and measure its memory."""
    if sys.platform != "linux":
        raise NotTried("needs Linux, to suspend the program and to count its memory")
    with _session(under_test, 15, turn_ms=None) as session:
        dialogue, board = session.dialogue, session.board
        dialogue.send("START 15", *session.infos())
        dialogue.suspend()
        left_ms = float(_MATCH_MS)
        for number in range(_JUDGED_MOVES):
            if number:
                x, y = board.host_moves()
                lines = [f"TURN {x},{y}"]
            else:
                board.stones += [(7, 7), (8, 7), (9, 9)]
                lines = board.lines()
            time.sleep(_PAUSE_S)
            began = now_s()
            dialogue.resume()
            dialogue.send(f"INFO time_left {left_ms:.0f}", *lines)
            patience_s = _TURN_MS / 1000 + _TOLERANCE_S
            heard, _ = dialogue.until(is_move, 2 * patience_s, "move", f"of {lines[0]!r}")
            elapsed_s = heard.arrival - began
            left_ms -= elapsed_s * 1000
            board.engine_moves(heard.text.strip())
            memory = sum(map(private_bytes, family(dialogue.process.pid)))
            dialogue.suspend()
            if memory > _MEMORY:
                raise CheckFailed(
                    f"holds {memory >> 20} MB after move {number + 1} of {_MEMORY >> 20} allowed",
                    "keep to INFO max_memory, children and libraries included",
                )
            if elapsed_s > patience_s:
                raise Overrun(
                    f"took {elapsed_s * 1000:.0f} ms of {_TURN_MS} for move {number + 1}, what START needs included",
                    "load and allocate nothing heavy before the first move, and count START in its time",
                )
        dialogue.resume()
        take_leave(dialogue, "END", LEAVE_S)


# qpiskvork


def _begins_lines_with_known_words(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with _session(under_test, 15, line_end="\n", turn_ms=None) as session:
        try:
            session.begin()
            session.move("BEGIN")
            for _ in range(3):
                session.turn()
            session.ask("RESTART")
        finally:
            # Check this last: a wrong first word may be the reason why an answer looked wrong.
            for heard in session.dialogue.heard:
                _must_be_known(heard.text)


def _must_be_known(line: str) -> None:
    """Raises CheckFailed unless the line begins with a move or a word of the protocol."""
    if line.strip() and not re.match(r"\d+\s*,\s*\d+", line) and _first_word(line) not in _FIRST_WORDS:
        raise CheckFailed(f"{quoted(line)} begins with none of x,y {' '.join(_FIRST_WORDS)}")


CHECKS: Sequence[Check] = (
    Check("piskvork", "START", (GOMOCUP,), _starts, "answer START with the line OK, before anything else"),
    Check("piskvork", "moves", (GOMOCUP,), _plays, "answer BEGIN and TURN with x,y within the time, and flush"),
    Check("piskvork", "INFO", (GOMOCUP,), _keeps_quiet_on_info,
          "do not answer INFO, whatever its key is; answer ABOUT with name=\"...\""),
    Check("piskvork", "BOARD", (GOMOCUP,), _takes_positions, "read the lines up to DONE, then answer with x,y"),
    Check("piskvork", "RESTART", (GOMOCUP,), _starts_again,
          "clear the board and answer OK; a program that cannot answers UNKNOWN"),
    Check("piskvork", "TAKEBACK", (GOMOCUP,), _takes_back,
          "take the stone off and answer OK; a program that cannot answers UNKNOWN"),
    Check("piskvork", "unknown command", (GOMOCUP,), _answers_unknown_commands,
          "answer 'UNKNOWN ...' to unknown commands, and go on"),
    Check("piskvork", "clock", (GOMOCUP,), _keeps_to_the_clock,
          "keep to timeout_turn on a wall clock; 0 means as fast as possible"),
    Check("piskvork", "leaving", (GOMOCUP,), _exits_on_request, "end at END and at the end of the input"),
    Check("gomocup-judge", "suspended game", (GOMOCUP,), _survives_suspension,
          "accept START, all INFO and the first command in one piece, and need no time between turns"),
    Check("qpiskvork", "first words", (GOMOCUP,), _begins_lines_with_known_words,
          "begin every line except moves with MESSAGE, DEBUG or another word of the protocol"),
)  # a table, one row a line  # fmt: skip
