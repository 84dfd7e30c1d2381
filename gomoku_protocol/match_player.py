"""An engine that plays Gomoku over the Gomocup protocol, as Piskvork uses it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence

from engine_client.player import READY_S, START_S, Answer, Fault, Player
from engine_client.process import GOMOCUP_LINES, EngineDied, EngineProcess, EngineSilent, ReceivedLine
from engine_client.specification import EngineSpecification
from engine_client.time_control import NODES_S, Clocks, ThinkingLimit
from gomoku_protocol.points import parse_point
from search_core.clock import now_s

RESTART_S = 2.0
"""For the answer to RESTART; after that the engine is started again."""
MEMORY = 350 << 20
"""Bytes of INFO max_memory, as in the tournament; memory=MIB or option.max_memory=N change it."""
NO_CLOCK_MS = 2147483647
"""The protocol's number for unlimited time."""
_AGAINST_AN_ENGINE = 1

_POINT = re.compile(r"\s*-?\d+\s*,\s*-?\d+\s*")
_ABOUT = re.compile(r'(\w+)\s*=\s*"([^"]*)"')


def is_move(line: str) -> bool:
    """Whether a line of an engine is a move. A point off the board, even below 0, is an illegal one."""
    return _POINT.fullmatch(line) is not None


def board_command(moves: Sequence[str]) -> list[str]:
    """The lines of BOARD with the stones of these moves, for the side to move."""
    side = len(moves) % 2
    return ["BOARD", *(f"{move},{1 if number % 2 == side else 2}" for number, move in enumerate(moves)), "DONE"]


def _is_word(text: str, *words: str) -> bool:
    """Whether a line begins with one of the words, in any case."""
    return text.upper().startswith(words)


class GomocupPlayer(Player):
    """A Gomocup program for one board and rule. As in most managers, lines other than a move or OK are ignored; the
    last one is quoted if the engine does not move in time."""

    line_kinds = GOMOCUP_LINES

    def __init__(self, specification: EngineSpecification, width: int, height: int, rule: int) -> None:
        super().__init__(specification)
        self._width = width
        self._height = height
        self._rule = rule
        self._fresh = False
        self._known: list[str] | None = None
        self._passed_over = ""

    def think(self, moves: Sequence[str], limit: ThinkingLimit, clocks: Clocks | None = None) -> Answer:
        time_left = NO_CLOCK_MS if clocks is None else max(int(clocks.own.left_ms), 0)
        lines = [f"INFO time_left {time_left}", *self._situation(moves)]
        text, elapsed_ms, process = self._ask(lines, limit.allowed_ms(clocks))
        try:
            self._known = [*moves, self.read_move(text)]
        except ValueError:  # play_game() reports it
            self._known = None
        report = process.report
        return Answer(
            move=text,
            resigned=False,  # the protocol has no word for it
            elapsed_ms=elapsed_ms,
            depth=report.depth or 0,
            nodes=report.nodes or 0,
            nodes_ms=elapsed_ms if report.nodes is not None else 0,
            score_cp=report.centipawns,
        )

    def read_move(self, text: str) -> str:
        x, y = parse_point(text)
        if x >= self._width or y >= self._height:
            raise ValueError(f"off a board of {self._width}x{self._height}")
        return f"{x},{y}"

    def _situation(self, moves: Sequence[str]) -> list[str]:
        """The lines that ask for a move after `moves`: only TURN if the engine has the moves before."""
        if not moves:
            return ["BEGIN"]
        if self._known is not None and self._known == list(moves[:-1]):
            return [f"TURN {moves[-1]}"]
        return board_command(moves)

    def _shake_hands(self, process: EngineProcess) -> None:
        square = self._width == self._height
        start = f"START {self._width}" if square else f"RECTSTART {self._width},{self._height}"
        process.send(start)
        try:
            answer = self._next_answer(process, now_s() + START_S)
        except EngineSilent:
            raise Fault("crash", f"no OK in {START_S:.0f} s after {start}{self._quoted()}") from None
        if answer != "OK":
            raise Fault("crash", f"answered '{answer}' to {start}")
        self._fresh = True
        if names := ", ".join(name for name, _ in self.specification.options):
            self.remarks = [f"not checked, since Gomocup engines list no options: {names}"]

    def reported_name(self) -> str:
        """From the answer to ABOUT, between games: `name="Rapfi", version="0.4", ...`."""
        with self._running() as process:
            about = self._ask_about(process)
        found = {key.lower(): value for key, value in _ABOUT.findall(about)}
        return " ".join(found[key] for key in ("name", "version") if key in found)

    def _begin_game(self, process: EngineProcess, limit: ThinkingLimit) -> None:
        if not self._fresh:
            process = self._clear_board(process)
        self._fresh = False
        self._known = []
        settings = [
            ("timeout_turn", str(limit.movetime_ms or limit.match_ms or int(NODES_S * 1000))),
            ("timeout_match", str(limit.match_ms)),
            ("max_memory", str(self.specification.memory_mb << 20 or MEMORY)),
            ("rule", str(self._rule)),
            ("game_type", str(_AGAINST_AN_ENGINE)),
            ("show_detail", "1"),  # Yixin and related engines then report depth, nodes and score
        ]
        if limit.nodes:
            settings.append(("max_node", str(limit.nodes)))
        if limit.depth:
            settings.append(("max_depth", str(limit.depth)))
        for key, value in (*settings, *self.specification.options):
            process.send(f"INFO {key} {value}")
        # Wait until the engine has obeyed all settings, so that the time for them is not part of its first move.
        self._ask_about(process)

    def _ask_about(self, process: EngineProcess) -> str:
        """The engine's answer to ABOUT. Raises Fault ('crash'), EngineDied."""
        process.send("ABOUT")
        try:
            # Answers to INFO may come first. Only the answer to ABOUT has an equals sign.
            return self._until(process, now_s() + READY_S, lambda text: "=" in text or _is_word(text, "UNKNOWN")).text
        except EngineSilent:
            raise Fault("crash", f"no answer in {READY_S:.0f} s to ABOUT{self._quoted()}") from None

    def _clear_board(self, process: EngineProcess) -> EngineProcess:
        """Send RESTART; if the engine does not know it, start the program again. Returns the running process."""
        process.forget_output()
        process.send("RESTART")
        # An engine that is still in its last search may ignore a command, as Rapfi does.
        with contextlib.suppress(EngineSilent):
            if self._next_answer(process, now_s() + RESTART_S) == "OK":
                return process
        self.stop()
        self.start()
        if self._process is None:  # shut down meanwhile
            raise EngineDied("was ended")
        return self._process

    def _next_answer(self, process: EngineProcess, deadline: float) -> str:
        """The next line that is OK, ERROR or UNKNOWN. Raises EngineSilent at `deadline`, EngineDied."""
        return self._until(process, deadline, lambda text: text == "OK" or _is_word(text, "ERROR", "UNKNOWN")).text

    def _wait_for_move(self, process: EngineProcess, deadline: float) -> ReceivedLine:
        return self._until(process, deadline, self._read_answer)

    def _until(self, process: EngineProcess, deadline: float, wanted: Callable[[str], bool]) -> ReceivedLine:
        """The next wanted line. Raises EngineSilent at `deadline`, EngineDied."""
        self._passed_over = ""
        while not wanted((line := process.receive(deadline)).text):
            self._passed_over = line.text
        return line

    def _read_answer(self, text: str) -> bool:
        """Whether a line is the move."""
        return is_move(text)

    def _overstepped(self, process: EngineProcess, allowed_ms: float) -> Fault:
        self._end()  # the protocol has no command that stops a search
        return Fault("time", f"no move after {allowed_ms:.0f} ms{self._quoted()}")

    def _quoted(self) -> str:
        return f", but '{self._passed_over[:80]}'" if self._passed_over else ""
