"""The base class of an engine in a match: start, new game, think about a position. Each protocol is a subclass."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine_client.process import EngineDied, EngineProcess, EngineSilent, LineKinds, ReceivedLine
from engine_client.reports import Report
from engine_client.specification import EngineSpecification
from engine_client.time_control import Clocks, ThinkingLimit
from search_core.clock import now_s
from search_core.failures import failure_of

START_S = 15.0
"""For the whole handshake: the UCCI league's emulator waits 10 s; a busy test machine needs a little more."""
READY_S = 15.0


class Fault(Exception):
    """The engine lost the game by its behaviour. `kind` is 'crash', 'time' or 'illegal'; the text has the details."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Answer:
    """The engine's answer: `move` as printed ('': none), `resigned`, the wall time, and the last reports: depth, nodes
    and the time for these nodes (0: not reported), and the score in centipawns for the side that moved (None: not
    reported, or only as a bound). `ponder` is the expected reply, as printed. `sent` is what stood in the place of a
    missing move."""

    move: str
    resigned: bool
    elapsed_ms: float
    depth: int
    nodes: int
    nodes_ms: float
    score_cp: int | None = None
    ponder: str = ""
    sent: str = ""


class Player(ABC):
    """One engine program, started when first needed and again after a fault."""

    line_kinds: LineKinds
    """The kinds of lines of the subclass's protocol."""

    def __init__(self, specification: EngineSpecification) -> None:
        self.specification = specification
        self.name = specification.name
        self.remarks: list[str] = []
        """Warnings for the user about its last start."""
        self.watch: Callable[[Report], None] | None = None
        """As in EngineProcess, from the next start."""
        self._process: EngineProcess | None = None
        self._is_shut_down = False
        self._start = ""

    @property
    def is_running(self) -> bool:
        """Whether the program was started, and has not been ended since."""
        return self._process is not None

    def start(self) -> None:
        """Start the program and shake hands. Raises Fault ('crash') if this fails."""
        try:
            process = EngineProcess(
                self.specification.command,
                self.specification.directory,
                self.line_kinds,
                self.specification.memory_mb,
                self.specification.complaints,
            )
        except OSError as error:
            raise Fault("crash", f"cannot be started: {failure_of(error)}") from None
        process.watch = self.watch
        self._process = process
        try:
            # Test this after setting _process: so shut_down_for_good() ends the process, or we see the flag.
            if self._is_shut_down:
                raise Fault("crash", "is not to be started again")
            try:
                self._shake_hands(process)
            except EngineDied as error:
                raise Fault("crash", f"ended during the handshake; {error}") from None
        except BaseException:
            self.stop()
            raise

    def new_game(self, limit: ThinkingLimit, start: str = "") -> None:
        """Begin a game under `limit` from the position `start` (a FEN; '': the game's own), starting the program if it
        is not running. Raises Fault ('crash')."""
        self._start = start
        if self._process is None:
            self.start()
        try:
            with self._running("was ended") as process:  # shut down meanwhile
                self._begin_game(process, limit)
        except Fault:
            self._end()
            raise

    @abstractmethod
    def think(self, moves: Sequence[str], limit: ThinkingLimit, clocks: Clocks | None = None) -> Answer:
        """The engine's answer after `moves`, all moves of the game so far. `clocks`: if `limit` has time for a game.
        Raises Fault ('crash', 'time')."""

    def ponder(  # noqa: B027 - not every protocol has it
        self, moves: Sequence[str], limit: ThinkingLimit, clocks: Clocks | None, answer: Answer
    ) -> None:
        """Think on the opponent's time after `moves`; `answer` was the last of them."""

    def end_game(self) -> None:  # noqa: B027 - only who ponders has something to end
        """The game is over."""

    @abstractmethod
    def read_move(self, text: str) -> str:
        """The move of an answer, as the game writes it. Raises ValueError if it is not a move."""

    @abstractmethod
    def reported_name(self) -> str:
        """The name, often with the version, that a started program reports; '': none. Raises Fault ('crash')."""

    def stop(self) -> None:
        """Ask the program to quit, then end it; it may be started again."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def shut_down_for_good(self) -> None:
        """End the program for good. Any thread may call this."""
        self._is_shut_down = True
        self.stop()

    @abstractmethod
    def _shake_hands(self, process: EngineProcess) -> None:
        """Make a program that was just started ready. Raises Fault or EngineDied."""

    @abstractmethod
    def _begin_game(self, process: EngineProcess, limit: ThinkingLimit) -> None:
        """Make a running program ready for a new game. Raises Fault or EngineDied."""

    @abstractmethod
    def _wait_for_move(self, process: EngineProcess, deadline: float) -> ReceivedLine:
        """The line with a move. Raises EngineSilent at `deadline`, EngineDied."""

    @abstractmethod
    def _overstepped(self, process: EngineProcess, allowed_ms: float) -> Fault:
        """Stop or end an engine that has not moved in time; returns its fault."""

    @contextlib.contextmanager
    def _running(self, otherwise: str = "is not running") -> Iterator[EngineProcess]:
        """The running program; Fault ('crash') if there is none, or if it dies in the body."""
        process = self._process
        if process is None:
            raise Fault("crash", otherwise)
        try:
            yield process
        except EngineDied as error:
            self._end()
            raise Fault("crash", str(error)) from None

    def _ask(self, lines: Sequence[str], allowed_ms: float, anew: bool = True) -> tuple[str, float, EngineProcess]:
        """Send `lines` and wait for the move. Returns its line, the wall time in milliseconds, and the process with
        its reports. `anew`: drop earlier reports first. Raises Fault ('crash' or 'time')."""
        with self._running() as process:
            if anew:
                process.forget_output()
            for line in lines:
                process.send(line)
            start = now_s()
            try:
                answer = self._wait_for_move(process, start + allowed_ms / 1000)
            except EngineSilent:
                raise self._overstepped(process, allowed_ms) from None
        elapsed_ms = max(0.0, answer.arrival - start) * 1000
        if elapsed_ms > allowed_ms:  # it came between the deadline and our test of the clock
            raise Fault("time", f"moved after {elapsed_ms:.0f} ms")
        return answer.text, elapsed_ms, process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
