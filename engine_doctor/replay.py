"""`sanqi replay`: sends a logged dialogue to an engine again and shows where the answers differ.

Answers that depend on time are not compared word by word: docs/doctor.md says what is compared and how.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import re
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol, TypeAlias

from engine_client.dialects import DIALECTS
from engine_client.dialogue import CommandError, Dialogue, engine_command, engines_ended
from engine_client.process import EngineDied, EngineSilent
from game_core.description import ProtocolDescription
from search_core.clock import now_s
from search_core.failures import named
from search_core.line_protocol import MAX_LINE, excerpt

EXAMPLE = """\
examples:
  write a log while a GUI uses the engine:
    SANQI_LOG=bug.log sanqi
  send it to this program, or to another one:
    sanqi replay bug.log
    sanqi replay bug.log --engine "./sanqi-new ucci"
"""

_LINE = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\.(\d{3}) ([<>])(?: (.*))?")
_MAX_LINE = 2 * MAX_LINE
"""In characters: a line of the host with the time before it."""
_PATIENCE_S = 3.0
"""An answer may take this much longer than in the log."""
_SPENT_PATIENCE_S = 0.2
"""The same, once an answer of the session was missing."""
_QUIT_S = 2.0
_MAX_DIFFERENCES = 20
"""For one start of the engine; after this many the log and the replay no longer match at all."""
_QUIT_COMMANDS = ("quit", "end")
_GOMOCUP_WORDS = ("start", "rectstart", "begin", "turn", "board", "info", "about", "restart", "swap2board")

# Only the kind of these lines is compared: an engine's name and version change.
_ENGINE_ID = re.compile(r"id\s+\w+|name\s*=", re.IGNORECASE)
# Reports on a search. They depend on speed and are not compared.
_REPORT = re.compile(r"info(?!\s+(string|message)\b)|(MESSAGE|DEBUG)\b", re.IGNORECASE)
_POINT = re.compile(r"\d+,\d+")
_BOOK_MOVE = re.compile(r"info (string|message) book .*: \w+\d, ")
_BY_CHANCE = {
    "randomness": ("none",),
    "level": ("full",),
    "skill level": ("20",),
    "uci_limitstrength": ("false",),
    "ownbook": ("false",),
    "usebook": ("false",),
    "bookfiles": ("", "<empty>"),
}
"""Options by which a move is drawn, with their values that draw none."""


_FindProtocol: TypeAlias = "Callable[[str], ProtocolDescription | None]"
"""Finds the protocol that a host's first line begins."""


class Games(Protocol):
    """The games of the program, as far as a replay asks for them."""

    def protocol_of_line(self, line: str) -> ProtocolDescription | None:
        """The protocol that a host's first line begins; None if it begins none."""


class ReplayError(ValueError):
    """A log or an argument cannot be read; the message is one line."""


@dataclass(frozen=True)
class Entry:
    """A line of the log."""

    number: int
    """In the file, from 1."""
    stamp_s: float
    """When it was logged, in seconds."""
    from_host: bool
    text: str


@dataclass
class _Tally:
    """What was compared."""

    hosts_lines: int = 0
    answers: int = 0
    by_kind: int = 0
    """Answers that depend on time: only their kind was compared."""
    differences: int = 0


@dataclass
class _Game:
    """The state of the dialogue that decides how to compare an answer."""

    gomocup: bool = False
    threads: bool = False
    """The engine uses several threads: its moves may differ."""
    chances: set[str] = field(default_factory=set)
    """The options that are on by which it plays at random among moves: the same."""
    seeded: bool = False
    """Their choices are those of a seed."""
    timed: bool = False
    """The table has results of a search that depended on time; the next search uses them."""
    searches: deque[bool] = field(default_factory=deque)
    """For each `go` without an answer yet: whether only depth or nodes limit it."""
    stones: list[tuple[str, str]] = field(default_factory=list)
    """Gomocup: the points of the game in order, each in the log and in the replay."""


def add_arguments(parser: argparse.ArgumentParser, games: Games) -> None:
    """Declare the options of `sanqi replay`, for the protocols of the games."""
    parser.epilog = EXAMPLE
    parser.add_argument("log", type=Path, metavar="LOG", help="a log of SANQI_LOG, debuglogfile or `doctor --log`")
    parser.add_argument("--engine", metavar="CMD", help="the engine's command (default: this program)")
    parser.set_defaults(find_protocol=games.protocol_of_line)


def run(args: argparse.Namespace) -> int:
    """Replay the log. Returns the exit status: 0 the same, 1 it differs, 2 for a wrong log or argument."""
    try:
        command = engine_command(args.engine)
        sessions = list(_sessions(read_log(args.log), args.find_protocol))
        if not sessions:
            raise ReplayError(f"{excerpt(str(args.log))}: no line of a host in it")
        tally = _Tally()
        with engines_ended():
            for session in sessions:
                _replay(command, session, _missing_greeting(session, args.find_protocol), tally)
    except (CommandError, ReplayError) as error:
        print(f"sanqi replay: {error}", file=sys.stderr)
        return 2
    compared = f"{tally.hosts_lines} lines of the host, {tally.answers} answers compared, {tally.by_kind} by kind alone"
    if not tally.differences:
        print(f"the same: {compared}")
        return 0
    print(f"{tally.differences} difference{'s' if tally.differences > 1 else ''}: {compared}")
    return 1


def read_log(path: Path) -> list[Entry | None]:
    """The lines of a log; None for a `#` line, which marks the start of another program. Raises ReplayError."""
    entries: list[Entry | None] = []
    for number, line in enumerate(_lines_of(path), 1):
        if not line.strip():
            continue
        if line.startswith("#"):
            entries.append(None)
            continue
        match = _LINE.fullmatch(line)
        try:
            if match is None:
                raise ValueError
            seconds = time.mktime(time.strptime(f"{match[1]} {match[2]}", "%Y-%m-%d %H:%M:%S"))
        except (ValueError, OverflowError):
            raise ReplayError(f"{excerpt(str(path))}, line {number}: {_bad_token(line)}") from None
        entries.append(Entry(number, seconds + int(match[3]) / 1000, match[4] == ">", (match[5] or "").strip()))
    return entries


def _lines_of(path: Path) -> Iterator[str]:
    """The lines of a log, without their ends. Raises ReplayError."""
    try:
        # An engine may have printed a carriage return in the middle of a line.
        with path.open(encoding="utf-8-sig", errors="replace", newline="\n") as file:
            for number, line in enumerate(iter(partial(file.readline, _MAX_LINE + 1), ""), 1):
                if len(line) > _MAX_LINE:
                    raise ReplayError(f"{excerpt(str(path))}, line {number}: longer than {_MAX_LINE} characters")
                yield line.rstrip("\r\n")
    except OSError as error:
        raise ReplayError(f"{excerpt(str(path))} cannot be read: {error.strerror}") from None


def _bad_token(line: str) -> str:
    words = line.split()
    patterns = (
        (r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", "a date, 2026-01-31"),
        (r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}", "a time, 12:34:56.789"),
        (r"[<>]", "'>' for the host's lines or '<' for the engine's"),
    )
    for at, (pattern, expected) in enumerate(patterns):
        if at >= len(words) or not re.fullmatch(pattern, words[at]):
            return f"{excerpt(words[at]) if at < len(words) else 'its end'}: expected {expected}"
    return f"{excerpt(line)} is no line of a log"


def _sessions(entries: Sequence[Entry | None], find_protocol: _FindProtocol) -> Iterator[list[Entry]]:
    """Split the log where another program starts. Parts without a line of the host are dropped."""
    session: list[Entry] = []
    greeted = left = False
    for entry in entries:
        if entry is None or (entry.from_host and (left or (greeted and _greets(entry.text, find_protocol)))):
            if greeted:
                yield session
            session, greeted, left = [], False, False
        if entry is not None and (entry.from_host or entry.text):
            session.append(entry)
            greeted = greeted or entry.from_host
            left = left or (entry.from_host and entry.text.lower() in _QUIT_COMMANDS)
    if greeted:
        yield session


# The replay


class _Replay:
    """One session of the log, and the engine that it is sent to."""

    def __init__(self, dialogue: Dialogue, tally: _Tally) -> None:
        self.dialogue = dialogue
        self.tally = tally
        self.game = _Game()
        self.asked = Entry(0, 0.0, True, "")
        """The host's last line."""
        self.patience_s = _PATIENCE_S
        self.ended = ""
        """How the engine ended; '': it runs."""
        self.reports = False
        """Whether a report has come since the host's last line."""
        self.unbounded = False
        """Whether an infinite search is running."""
        self.last_words = False
        """Whether the log has no more lines of the host: the input may have ended."""
        self.held: list[tuple[Entry, str]] = []
        """Answers that the log does not have at this place, each with the host's line before it."""
        self.differences = 0

    def play(self, session: Sequence[Entry], greeting: str) -> None:
        """Send the session. `greeting` is sent first if the log lacks it ('': the log has it)."""
        self.asked = Entry(session[0].number, session[0].stamp_s, True, "")
        if greeting:
            self.dialogue.send(greeting)
            self._pass_over_greeting(greeting)
            session = list(itertools.dropwhile(lambda entry: not entry.from_host, session))
        wants_report = False
        last = max(number for number, entry in enumerate(session) if entry.from_host)
        for number, entry in enumerate(session):
            self.last_words = number > last
            if entry.from_host:
                if wants_report and not self.reports:
                    self._await_report(entry)
                wants_report = False
                self._say(entry)
            elif _REPORT.match(entry.text):
                wants_report = True
            else:
                wants_report = False
                self._expect(entry)
            if self.ended:
                break
            if self.differences + len(self.held) >= _MAX_DIFFERENCES:
                print(f"line {entry.number}: the rest of this start of the engine is left out")
                break
        else:
            self._take_leave()
        for asked, text in self.held[: _MAX_DIFFERENCES - self.differences]:
            self._differ(f"line {asked.number}, at {excerpt(asked.text)} or before", "nothing", text)

    def _say(self, entry: Entry) -> None:
        """Send a line of the host."""
        self.asked = entry
        self.reports = False
        words = entry.text.lower().split()
        if words[:1] == ["setoption"] and re.search(r"debug ?log ?file", entry.text, re.IGNORECASE):
            return  # the engine would write into this log
        self.tally.hosts_lines += 1
        self._note_settings(words)
        lines = self._note_gomocup(entry.text, words)
        if words[:1] in (["go"], ["stop"]):
            self.unbounded = "infinite" in words
        self.dialogue.send(*lines)

    def _note_settings(self, words: Sequence[str]) -> None:
        game = self.game
        match words:
            case ["ucinewgame"] | ["setoption", "newgame"] | ["setoption", "name", "clear", "hash"]:
                game.timed = False
            case ["setoption", *rest]:
                self._note_option(*_option(rest))
            case ["info", "thread_num", number]:
                game.threads = number != "1"
            case ["go", *rest]:
                bounded = any(word in rest for word in ("depth", "nodes"))
                clocked = any(re.search("time|infinite|ponder|movestogo", word) for word in rest)
                seats = words[1:2] != [] and words[1].isdecimal()  # these players use random numbers
                game.searches.append(bounded and not clocked and not seats)
            case ["stop" | "quit" | "end" | "ponderhit", *_]:
                game.searches = deque([False] * len(game.searches))

    def _note_option(self, option: str, value: str) -> None:
        """Follow the options that make moves differ."""
        if option == "threads":
            self.game.threads = value != "1"
        elif option == "seed":
            self.game.seeded = value != "0"
        elif option in _BY_CHANCE:
            self.game.chances.discard(option)
            if value not in _BY_CHANCE[option]:
                self.game.chances.add(option)

    def _note_gomocup(self, text: str, words: Sequence[str]) -> list[str]:
        """Follow the game of the log; returns what to send: the whole position if the engine's game differs."""
        game = self.game
        if words and words[0] in _GOMOCUP_WORDS:
            game.gomocup = True
        match words:
            case ["start" | "rectstart" | "restart" | "board" | "swap2board", *_]:
                game.stones.clear()
            case ["turn", point]:
                game.stones.append((point, point))
                if any(logged != own for logged, own in game.stones):
                    return self._whole_position()
            case ["takeback", point]:
                logged = [stone for stone, _ in game.stones]
                if point in logged:
                    return [f"TAKEBACK {game.stones.pop(logged.index(point))[1]}"]
            case [stone] if game.gomocup and re.fullmatch(r"\d+,\d+,[12]", stone):
                game.stones.append((stone[:-2], stone[:-2]))
        return [text]

    def _whole_position(self) -> list[str]:
        """Clear the engine's board; returns the lines that set up the log's board and ask for a move."""
        # Some engines clear their board only at RESTART.
        self.dialogue.send("RESTART")
        with contextlib.suppress(EngineSilent, EngineDied):
            self.dialogue.until(re.compile("OK|UNKNOWN", re.IGNORECASE).match, self.patience_s)
        stones = [logged for logged, _ in self.game.stones]
        self.game.stones = [(stone, stone) for stone in stones]
        side = len(stones) % 2
        return ["BOARD", *(f"{stone},{1 if n % 2 == side else 2}" for n, stone in enumerate(stones)), "DONE"]

    def _expect(self, logged: Entry) -> None:
        """Wait for the answer that the log has here, and compare."""
        deadline = self._deadline(logged)
        self.tally.answers += 1
        if self.last_words and (self.unbounded or _kind(logged.text) == "bye"):
            self.dialogue.close_input()
        # The threads of an engine may answer in another order than in the log.
        for at, (_, early) in enumerate(self.held):
            if _kind(early) == _kind(logged.text):
                del self.held[at]
                self._compare(logged, early)
                return
        while (text := self._next_answer(deadline)) is not None:
            if _kind(text) == _kind(logged.text):
                self._compare(logged, text)
                return
            self.held.append((self.asked, text))
        self.patience_s = _SPENT_PATIENCE_S
        self._miss(logged, logged.text)

    def _compare(self, logged: Entry, text: str) -> None:
        game = self.game
        is_move = logged.text.lower().startswith("bestmove") or _kind(logged.text) == "a move"
        if is_move and game.gomocup:
            game.stones.append((logged.text, text))
        searched = is_move or _kind(logged.text) == "nobestmove"
        exact = game.searches.popleft() if searched and game.searches else False
        is_random = game.chances and not game.seeded
        if is_move and (not exact or game.threads or is_random or game.timed):
            game.timed = True
            self.tally.by_kind += 1
        elif (is_random and _BOOK_MOVE.match(logged.text)) or (
            _ENGINE_ID.match(logged.text) or _kind(logged.text) == "lineup"
        ):
            self.tally.by_kind += 1
        elif text.split() != logged.text.split():
            self._differ(self._place(logged), logged.text, text)

    def _deadline(self, logged: Entry) -> float:
        """When to give up waiting for what came before this line of the log."""
        return now_s() + self.patience_s + max(0.0, logged.stamp_s - self.asked.stamp_s)

    def _next_answer(self, deadline: float, or_report: bool = False) -> str | None:
        """The next line to compare; None at the deadline, or when the engine has ended. `or_report`: '' for a report
        that comes before it."""
        while True:
            try:
                text = self.dialogue.receive(deadline).text.strip()
            except EngineSilent:
                return None
            except EngineDied as ended:
                self.ended = str(ended)
                return None
            if _REPORT.match(text):
                self.reports = True
                if or_report:
                    return ""
            elif text:
                return text

    def _await_report(self, entry: Entry) -> None:
        """Let the engine search until it prints a report, as it did in the log before this line."""
        text = self._next_answer(self._deadline(entry), or_report=True)
        if text:
            self.held.append((self.asked, text))  # the search may be over
        elif text is None:
            self.patience_s = _SPENT_PATIENCE_S
            self._miss(entry, "a report on the search before this line")

    def _pass_over_greeting(self, greeting: str) -> None:
        welcome = DIALECTS[greeting].welcome
        with named(
            f"the log lacks its greeting, and {greeting!r} was not answered", (EngineSilent, EngineDied), ReplayError
        ):
            self.dialogue.until(lambda line: line.strip() == welcome, _PATIENCE_S)

    def _take_leave(self) -> None:
        """Close the input, and look for answers that the log does not have."""
        self.dialogue.close_input()
        deadline = now_s() + _QUIT_S
        while (text := self._next_answer(deadline)) is not None:
            if _kind(text) not in ("bye", "bestmove", "a move"):  # the answer of an interrupted search
                self.held.append((self.asked, text))

    def _place(self, logged: Entry) -> str:
        return f"line {logged.number}, after {excerpt(self.asked.text)}"

    def _miss(self, logged: Entry, wanted: str) -> None:
        """Report that an answer of the log did not come."""
        self._differ(self._place(logged), wanted, f"nothing: {self.ended}" if self.ended else "nothing")

    def _differ(self, place: str, logged: str, now: str) -> None:
        self.differences += 1
        self.tally.differences += 1
        print(f"{place}:\n  log: {_escaped(logged)}\n  now: {_escaped(now)}", flush=True)


def _escaped(text: str) -> str:
    """A line for the terminal: what an engine or a log says may not move its cursor."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def _replay(command: Sequence[str], session: Sequence[Entry], greeting: str, tally: _Tally) -> None:
    """Start the engine for a session of the log. Raises ReplayError."""
    with named(f"--engine {excerpt(command[0])} cannot be started", OSError, ReplayError):
        dialogue = Dialogue(command)
    with dialogue:
        _Replay(dialogue, tally).play(session, greeting)


def _option(words: Sequence[str]) -> tuple[str, str]:
    """Name and value of the words after `setoption`: `level 3` (UCCI), `name Skill Level value 3` (UCI)."""
    if words[:1] != ["name"]:
        return " ".join(words[:1]), " ".join(words[1:])
    name, _, value = " ".join(words[1:]).partition(" value")
    return name, value.strip()


def _kind(text: str) -> str:
    """The kind of answer that a line is."""
    words = text.split()
    if _POINT.match(text):
        return "a move"
    if re.match(r"bestmove .* ply \d", text):
        return f"{words[0]} {' '.join(words[2:])}"
    if text.startswith("info"):
        return " ".join(words[:2])
    if re.match(r"name\s*=", text, re.IGNORECASE):
        return "about"
    return words[0].lower() if words else ""


def _greets(line: str, find_protocol: _FindProtocol) -> bool:
    """Whether a host says this only to a program that it has just started: it is the one word that begins a protocol.
    A protocol with several such words may use them at any time, as Gomocup does START."""
    protocol = find_protocol(line)
    return protocol is not None and protocol.first_words == (line.split()[0].lower(),)


def _missing_greeting(session: Sequence[Entry], find_protocol: _FindProtocol) -> str:
    """The greeting that came before the log, if an option switched the log on later; "" if the log has it, or if it is
    unknown."""
    first = next(entry.text for entry in session if entry.from_host)
    if find_protocol(first) is not None:
        return ""
    texts = [entry.text.lower() for entry in session]
    if any(re.match(r"setoption name |ucinewgame|go (movetime|wtime)|info .*score (cp|mate)", text) for text in texts):
        return "uci"
    return "ucci" if any(text.startswith(("position", "setoption")) for text in texts) else ""
