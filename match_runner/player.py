"""An engine that plays Xiangqi over UCCI or UCI, as the match sees it: start, new game, think about a position."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from match_runner.process import EngineDied, EngineProcess, EngineSilent, Line
from match_runner.specification import EngineSpecification
from ucci_engine.squares import START_FEN, move_text

START_S = 15.0
"""For the whole handshake: the UCCI league's emulator waits 10 s, a loaded test machine needs some more."""
READY_S = 15.0
STOP_S = 2.0
"""How long an engine that overstepped its time is given to answer `stop` before it is ended."""
NODES_S = 600.0
"""A search limited by nodes has no clock; an engine silent this long hangs."""


class Fault(Exception):
    """The engine lost the game by its behaviour. `kind` is 'crash', 'time' or 'illegal'; the text tells more."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class ThinkingLimit:
    """What every move gets: `movetime_ms` with `margin_ms` of grace, or `nodes`; the other is 0."""

    movetime_ms: int = 0
    nodes: int = 0
    margin_ms: int = 0

    def __str__(self) -> str:
        return f"{self.movetime_ms} ms a move" if self.movetime_ms else f"{self.nodes} nodes a move"


@dataclass(frozen=True, slots=True)
class Situation:
    """A position with its history: `moves` played from `fen`, and the same split after the last capture."""

    fen: str
    moves: tuple[int, ...]
    quiet_fen: str
    """The position after the last capture (or `fen` when there was none)."""
    quiet_moves: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: `move` as printed ('' = none), `resigned`, wall time, and the last reported depth and nodes,
    these with the engine's own time for them (0: not reported)."""

    move: str
    resigned: bool
    elapsed_ms: float
    depth: int
    nodes: int
    nodes_ms: int


class Wording(Protocol):
    """How one protocol words what a match has to say."""

    hello: str
    welcome: str
    new_game: str

    def set_option(self, name: str, value: str) -> str: ...

    def position(self, situation: Situation, ranks: str) -> str: ...

    def go(self, limit: ThinkingLimit) -> str: ...


class UciWording:
    hello = "uci"
    welcome = "uciok"
    new_game = "ucinewgame"

    def set_option(self, name: str, value: str) -> str:
        return f"setoption name {name} value {value}" if value else f"setoption name {name}"

    def position(self, situation: Situation, ranks: str) -> str:
        start = "startpos" if situation.fen == START_FEN else f"fen {situation.fen}"
        return _position(start, situation.moves, ranks)

    def go(self, limit: ThinkingLimit) -> str:
        return f"go movetime {limit.movetime_ms}" if limit.movetime_ms else f"go nodes {limit.nodes}"


class UcciWording:
    hello = "ucci"
    welcome = "ucciok"
    new_game = "setoption newgame"

    def set_option(self, name: str, value: str) -> str:
        return f"setoption {name} {value}".rstrip()

    def position(self, situation: Situation, ranks: str) -> str:
        # UCCI wants the position after the last capture and the quiet moves since: lines stay short.
        return _position(f"fen {situation.quiet_fen}", situation.quiet_moves, ranks)

    def go(self, limit: ThinkingLimit) -> str:
        # UCCI has no movetime: one move to the time control is a fixed time for it.
        return f"go time {limit.movetime_ms} movestogo 1" if limit.movetime_ms else f"go nodes {limit.nodes}"


def _position(start: str, moves: tuple[int, ...], ranks: str) -> str:
    if not moves:
        return f"position {start}"
    return f"position {start} moves {' '.join(move_text(move, ranks) for move in moves)}"


WORDINGS: dict[str, Wording] = {"uci": UciWording(), "ucci": UcciWording()}
_OPTION_NAME = {"uci": re.compile(r"option name (.+?) type "), "ucci": re.compile(r"option (\S+) type ")}


class Player:
    """One engine program, started when first needed and again after a fault."""

    def __init__(self, specification: EngineSpecification) -> None:
        self.specification = specification
        self.name = specification.name
        self.ranks = specification.ranks or "0-9"
        self._wording = WORDINGS[specification.protocol]
        self._process: EngineProcess | None = None
        self._retired = False

    def start(self) -> None:
        """Start the program and shake hands. Raises Fault ('crash') if that does not succeed."""
        try:
            process = EngineProcess(self.specification.command, self.specification.directory)
        except OSError as error:
            raise Fault("crash", f"cannot be started: {error}") from None
        self._process = process
        try:
            if self._retired:  # asked after the program is in its place: retire() finds it, or we find this
                raise Fault("crash", "is not to be started again")
            self._shake_hands(process)
        except BaseException:
            self.stop()
            raise

    def new_game(self) -> None:
        """Begin a game, starting the program if it is not running. Raises Fault ('crash')."""
        if self._process is None:
            self.start()
        process = self._process
        if process is None:  # retired meanwhile
            raise Fault("crash", "was ended")
        try:
            process.send(self._wording.new_game)
            self._wait_ready(process)
        except EngineDied as error:
            self._end()
            raise Fault("crash", str(error)) from None
        except Fault:
            self._end()
            raise

    def think(self, situation: Situation, limit: ThinkingLimit) -> Answer:
        """The engine's answer to the position. Raises Fault ('crash' or 'time')."""
        process = self._process
        if process is None:
            raise Fault("crash", "is not running")
        process.forget_output()
        try:
            process.send(self._wording.position(situation, self.ranks))
            process.send(self._wording.go(limit))
            start = time.monotonic()
            allowed_s = (limit.movetime_ms + limit.margin_ms) / 1000 if limit.movetime_ms else NODES_S
            try:
                line = self._best_move(process, start + allowed_s)
            except EngineSilent:
                self._stop_thinking(process)
                raise Fault("time", f"no move after {allowed_s * 1000:.0f} ms") from None
        except EngineDied as error:
            self._end()
            raise Fault("crash", str(error)) from None
        elapsed_s = line.arrival - start
        if elapsed_s > allowed_s:  # came in just before the deadline was looked at
            raise Fault("time", f"moved after {elapsed_s * 1000:.0f} ms")
        words = line.text.split()
        has_move = words[0] == "bestmove" and len(words) > 1 and words[1] not in ("(none)", "0000", "null", "resign")
        return Answer(
            move=words[1] if has_move else "",
            resigned=words[0] == "nobestmove" or "resign" in words[1:],
            elapsed_ms=max(0.0, elapsed_s) * 1000,
            depth=_number(process.newest_depth, b"depth"),
            nodes=_number(process.newest_nodes, b"nodes"),
            nodes_ms=_number(process.newest_nodes, b"time"),
        )

    def stop(self) -> None:
        """End the program politely; it may be started again."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def retire(self) -> None:
        """End the program for good. May be called by another thread than the one that plays."""
        self._retired = True
        self.stop()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    def _shake_hands(self, process: EngineProcess) -> None:
        offered: set[str] = set()
        pattern = _OPTION_NAME[self.specification.protocol]
        deadline = time.monotonic() + START_S
        try:
            process.send(self._wording.hello)
            while (line := process.receive(deadline).text) != self._wording.welcome:
                if match := pattern.match(line):
                    offered.add(match[1].lower())
            self._set_up(process, offered)
            self._wait_ready(process)
        except EngineSilent:
            raise Fault("crash", f"no {self._wording.welcome} in {START_S:.0f} s after {self._wording.hello}") from None
        except EngineDied as error:
            raise Fault("crash", f"ended during the handshake; {error}") from None

    def _set_up(self, process: EngineProcess, offered: set[str]) -> None:
        specification = self.specification
        wanted = list(specification.options)
        named = {name.lower() for name, _ in wanted}
        if specification.protocol == "ucci":
            for name, value in (("usemillisec", "true"), ("ponder", "false")):
                if name in offered and name not in named:
                    wanted.insert(0, (name, value))
        if specification.variant:
            wanted.insert(0, ("UCI_Variant", specification.variant))
        if not specification.ranks and "ranks" in named:
            self.ranks = next(value for name, value in wanted if name.lower() == "ranks")
        elif not specification.ranks and "ranks" in offered:
            wanted.append(("Ranks", "0-9"))
        elif not specification.ranks and specification.variant and "uci_variant" in offered:
            self.ranks = "1-10"  # Fairy-Stockfish and its kin number the ranks of every variant from 1
        for name, value in wanted:
            process.send(self._wording.set_option(name, value))

    def _wait_ready(self, process: EngineProcess) -> None:
        process.send("isready")
        deadline = time.monotonic() + READY_S
        try:
            while process.receive(deadline).text != "readyok":
                pass
        except EngineSilent:
            raise Fault("crash", f"no readyok in {READY_S:.0f} s after isready") from None

    @staticmethod
    def _best_move(process: EngineProcess, deadline: float) -> Line:
        while True:
            line = process.receive(deadline)
            if line.text.startswith(("bestmove", "nobestmove")):
                return line

    def _stop_thinking(self, process: EngineProcess) -> None:
        try:
            process.send("stop")
            self._best_move(process, time.monotonic() + STOP_S)
        except (EngineSilent, EngineDied):
            self._end()


def _number(info: bytes, key: bytes) -> int:
    words = info.split()
    for word, value in pairwise(words):
        if word == b"pv":
            break
        if word == key and value.isdigit():
            return int(value)
    return 0
