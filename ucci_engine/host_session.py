"""One start of an engine under a Xiangqi host, in UCI or UCCI."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from engine_client.check import (
    HANDSHAKE_S,
    MARGIN_S,
    OVERRUN_S,
    READY_S,
    CheckedProtocol,
    CheckFailed,
    EngineUnderTest,
    Overrun,
)
from engine_client.dialects import DIALECTS
from engine_client.dialogue import quoted
from engine_client.engine_options import OptionList
from search_core.clock import now_s
from ucci_engine.points import RANKS_FROM_0, RANKS_FROM_1, parse_move
from ucci_engine.position import Position

UCI = CheckedProtocol("UCI", "uci", re.compile(r"uciok\b|id name |option name "))
UCCI = CheckedProtocol("UCCI", "ucci", re.compile(r"ucciok\b|id name |option (?!name )\S+ type "))

MOVE_S = 0.15
"""Time for a move, in checks that are not about time."""
CLOCK_S = 5
"""Each side's clock in a check that plays a game."""
_NO_MOVE_WORDS = ("(none)", "none", "null", "0000", "resign", "draw")


class IllegalMove(CheckFailed):
    """The engine played an illegal move."""


@dataclass
class Answer:
    """The answer to one `go`."""

    line: str
    elapsed_s: float
    infos: list[str] = field(default_factory=list)


class XiangqiSession:
    """One start of the engine, in UCI or UCCI."""

    def __init__(self, under_test: EngineUnderTest, protocol: CheckedProtocol, line_end: str = "\n") -> None:
        self.protocol = protocol
        self.dialect = DIALECTS[protocol.greeting]
        self.offered = OptionList(protocol.greeting)
        self.settings = under_test.settings
        self.dialogue = under_test.start(line_end)
        self.greeting: list[str] = []
        """The engine's lines of the handshake."""
        self.greeted: list[str] = []
        """The lines between the handshake and the first `readyok`."""
        self.second = 1000
        """Units of time per second: 1000, or 1 for an engine that counts in seconds."""

    def shake_hands(self) -> None:
        """Greet the engine, and set the options that the user gave."""
        hello, welcome = self.dialect.hello, self.dialect.welcome
        self.dialogue.send(hello)
        _, self.greeting = self.dialogue.until(
            lambda line: line.strip() == welcome, HANDSHAKE_S, welcome, f"of {hello!r}"
        )
        for line in self.greeting:
            self.offered.read(line)
        if self.protocol == UCCI and self._offers("usemillisec"):
            self.set("usemillisec", "true")
        elif self.protocol == UCCI:
            self.second = 1
        given = {name.lower() for name, _ in self.settings}
        if "uci_variant" in given and self._offers("UCI_Variant") and self._offers("Ranks") and "ranks" not in given:
            self.set("Ranks", RANKS_FROM_0)  # hosts that set UCI_Variant may count from 1, those of the checks do not
        for name, value in self.settings:
            if self._offers(name):
                self.set(name, value)

    def _offers(self, name: str) -> bool:
        """Whether the handshake listed an option of exactly this name, in any case."""
        option = self.offered.find(name)
        return option is not None and option.name.lower() == name.lower()

    def set(self, name: str, value: str = "") -> None:
        """Set an option; a button has no value."""
        self.dialogue.send(self.dialect.set_option(name, value))

    @property
    def knows_other_games(self) -> bool:
        """Whether Xiangqi is one of several variants and is not set."""
        variants = self.offered.find("UCI_Variant")
        is_set = any(name.lower() == "uci_variant" for name, _ in self.settings)
        return not is_set and variants is not None and "xiangqi" in variants.choices and variants.default != "xiangqi"

    def ready(self, patience_s: float = READY_S) -> list[str]:
        """Send `isready`; returns the lines before `readyok`."""
        self.dialogue.send("isready")
        return self.dialogue.until(lambda line: line.strip() == "readyok", patience_s, "readyok", "of 'isready'")[1]

    def ask(self, *lines: str, patience_s: float = READY_S) -> Answer:
        """Send lines, the last of them `go`, and wait for the move."""
        began = now_s()
        self.dialogue.send(*lines)
        return self.answer(lines[-1], began, patience_s)

    def ask_in(self, allowed_s: float, *lines: str) -> Answer:
        """Like ask(), but the answer must come in the time of `go`. Raises Overrun."""
        answer = self.ask(*lines, patience_s=allowed_s + MARGIN_S)
        check_time(answer.elapsed_s, allowed_s, lines[-1])
        return answer

    def search(self, *lines: str) -> Answer:
        """Send lines, and a `go` of MOVE_S, or of one second if the engine counts in seconds. Raises Overrun."""
        time_given = max(1, int(MOVE_S * self.second))
        return self.ask_in(time_given / self.second, *lines, f"go {self.dialect.movetime(time_given)}")

    def answer(self, asked: str, began: float, patience_s: float) -> Answer:
        """Wait for the best move. Raises EngineSilent, which names the command; EngineDied."""
        best, before = self.dialogue.until(is_best, patience_s, "bestmove", f"of {asked!r}")
        return Answer(best.text.strip(), best.arrival - began, [line for line in before if line.startswith("info")])

    def stop(self, *lines: str) -> Answer | None:
        """Send lines, the last of them a `go` without end, then `isready` and `stop`. Returns the answer with the time
        since `stop`. None: a legal first move came before `stop`, for example from an opening book."""
        self.dialogue.send(*lines)
        early = [line for line in self.ready(MARGIN_S) if is_best(line)]
        if early:
            check_move(Answer(early[0].strip(), 0.0), Position())
            return None
        began = now_s()
        self.dialogue.send("stop")
        answer = self.answer("stop", began, MARGIN_S)
        check_move(answer, Position())
        return answer


@contextmanager
def xiangqi_session(
    under_test: EngineUnderTest, protocol: CheckedProtocol, *commands: str, line_end: str = "\n", ready: bool = True
) -> Iterator[XiangqiSession]:
    """Start the engine and shake hands; then send `commands`, and unless `ready` is false, wait until it is ready. At
    the end of the body, kill it and its child processes."""
    session = XiangqiSession(under_test, protocol, line_end)
    with session.dialogue:
        session.shake_hands()
        for command in commands:
            session.dialogue.send(command)
        session.greeted = session.ready() if ready else []
        try:
            yield session
        except IllegalMove as fault:
            if session.knows_other_games:
                raise CheckFailed(
                    str(fault), "it plays another game by default: try --set UCI_Variant=xiangqi"
                ) from None
            raise


def check_time(elapsed_s: float, allowed_s: float, asked: str) -> None:
    """Raise Overrun if an answer took longer than the engine was given."""
    if elapsed_s > allowed_s + OVERRUN_S:
        raise Overrun(
            f"took {elapsed_s * 1000:.0f} ms for {asked!r}, which allows {allowed_s * 1000:.0f}",
            "keep to the time of go, on a wall clock, with a margin",
        )


def is_best(line: str) -> bool:
    """Whether the line answers a `go`."""
    return line.split(" ", 1)[0].strip() in ("bestmove", "nobestmove")


def check_move(answer: Answer, position: Position) -> str:
    """The move of the answer. Raises CheckFailed if it is illegal in the position, or not four letters and digits."""
    line = answer.line
    words = line.split()
    word = words[1] if words[0] == "bestmove" and len(words) > 1 else ""
    if not word or word in _NO_MOVE_WORDS:
        raise CheckFailed(f"{quoted(line)} where there are legal moves", "answer every go with a legal move")
    if not is_legal(word, position, RANKS_FROM_0):
        if is_legal(word, position, RANKS_FROM_1):
            raise CheckFailed(
                f"{quoted(line)} counts the ranks 1-10 without being asked",
                "print the ranks as 0-9, or let an option choose; only Fairy-Stockfish's hosts count 1-10",
            )
        raise IllegalMove(f"{quoted(line)} is no legal move in {position.fen()}", "play legal moves, written as h2e2")
    if len(word) != 4 or word != word.lower():
        raise CheckFailed(f"{quoted(line)}: expected four characters, as in h2e2", "print moves as in h2e2")
    return word


def is_legal(word: str, position: Position, ranks: str) -> bool:
    """Whether the word is a legal move, with the ranks counted as `ranks` says."""
    try:
        return position.is_legal(parse_move(word, ranks))
    except ValueError:
        return False
