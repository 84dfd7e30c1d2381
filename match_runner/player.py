"""An engine as the match sees it: start, new game, think about a position. The protocols are its subclasses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from match_runner.process import EngineDied, EngineProcess, EngineSilent, Line, LineKinds
from match_runner.specification import EngineSpecification
from match_runner.time_control import Clocks, ThinkingLimit
from search_core.clock import now_s
from search_core.failures import failure_of

START_S = 15.0
"""For the whole handshake: the UCCI league's emulator waits 10 s, a loaded test machine needs some more."""
READY_S = 15.0


class Fault(Exception):
    """The engine lost the game by its behaviour. `kind` is 'crash', 'time' or 'illegal'; the text tells more."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: `move` as printed ('' = none), `resigned`, wall time, and the last reported depth and nodes,
    these with the time for them (0: not reported), and score in centipawns for the side that moved (None: not
    reported). `ponder` is the reply it expects, as printed."""

    move: str
    resigned: bool
    elapsed_ms: float
    depth: int
    nodes: int
    nodes_ms: float
    score_cp: int | None = None
    ponder: str = ""


MATE_CP = 30_000
"""A won game, less the moves or plies to its end."""


class Player(ABC):
    """One engine program, started when first needed and again after a fault."""

    line_kinds: LineKinds
    """What the lines of the subclass's protocol mean to the process."""

    def __init__(self, specification: EngineSpecification) -> None:
        self.specification = specification
        self.name = specification.name
        self.remarks: list[str] = []
        """What the user should know of its last start, though it plays."""
        self._process: EngineProcess | None = None
        self._is_shut_down = False
        self._start = ""

    def start(self) -> None:
        """Start the program and shake hands. Raises Fault ('crash') if that does not succeed."""
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
        self._process = process
        try:
            # Asked after the program is in its place: shut_down_for_good() finds it, or we find this.
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
        process = self._process
        if process is None:  # shut down meanwhile
            raise Fault("crash", "was ended")
        try:
            self._begin_game(process, limit)
        except EngineDied as error:
            self._end()
            raise Fault("crash", str(error)) from None
        except Fault:
            self._end()
            raise

    @abstractmethod
    def think(self, moves: Sequence[str], limit: ThinkingLimit, clocks: Clocks | None = None) -> Answer:
        """The engine's answer to the position after `moves`, all those of the game. `clocks`: if `limit` has time for
        a game. Raises Fault ('crash', 'time')."""

    def ponder(  # noqa: B027 - not every protocol has it
        self, moves: Sequence[str], limit: ThinkingLimit, clocks: Clocks | None, answer: Answer
    ) -> None:
        """Think on while the other does, after `moves`, the last of them by `answer`."""

    @abstractmethod
    def read_move(self, text: str) -> str:
        """The move that an answer means, as the game writes it. Raises ValueError if it means none."""

    @abstractmethod
    def reported_name(self) -> str:
        """The name, and often the version, by which a program that was started calls itself; '': it tells none.
        Raises Fault ('crash')."""

    def stop(self) -> None:
        """End the program politely; it may be started again."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def shut_down_for_good(self) -> None:
        """End the program for good. May be called by another thread than the one that plays."""
        self._is_shut_down = True
        self.stop()

    @abstractmethod
    def _shake_hands(self, process: EngineProcess) -> None:
        """Make a program that was just started ready. Raises Fault or EngineDied."""

    @abstractmethod
    def _begin_game(self, process: EngineProcess, limit: ThinkingLimit) -> None:
        """Make a running program ready for a new game. Raises Fault or EngineDied."""

    @abstractmethod
    def _wait_for_move(self, process: EngineProcess, deadline: float) -> Line:
        """The line with a move. Raises EngineSilent at `deadline`, EngineDied."""

    @abstractmethod
    def _overstepped(self, process: EngineProcess, allowed_ms: float) -> Fault:
        """The fault of an engine that has not moved in time, after it was made to stop or ended."""

    def _ask(self, lines: Sequence[str], allowed_ms: float, anew: bool = True) -> tuple[str, float, EngineProcess]:
        """Send `lines` and wait for the move. Returns its line, the wall time in milliseconds, and the process
        with its reports; `anew`: of those before nothing counts. Raises Fault ('crash' or 'time')."""
        process = self._process
        if process is None:
            raise Fault("crash", "is not running")
        if anew:
            process.forget_output()
        try:
            for line in lines:
                process.send(line)
            start = now_s()
            try:
                answer = self._wait_for_move(process, start + allowed_ms / 1000)
            except EngineSilent:
                raise self._overstepped(process, allowed_ms) from None
        except EngineDied as error:
            self._end()
            raise Fault("crash", str(error)) from None
        elapsed_ms = max(0.0, answer.arrival - start) * 1000
        if elapsed_ms > allowed_ms:  # came in just before the deadline was looked at
            raise Fault("time", f"moved after {elapsed_ms:.0f} ms")
        return answer.text, elapsed_ms, process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
