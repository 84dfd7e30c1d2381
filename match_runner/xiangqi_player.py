"""An engine that plays Xiangqi over UCCI or UCI."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from match_runner.engine_options import INSIST, OptionList
from match_runner.player import MATE_CP, READY_S, START_S, Answer, Fault, Player
from match_runner.process import UCI_LINES, EngineDied, EngineProcess, EngineSilent, Line
from match_runner.specification import EngineSpecification
from match_runner.time_control import Clock, Clocks, ThinkingLimit
from search_core.clock import now_s
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position import Position

STOP_S = 2.0
"""How long an engine that overstepped its time is given to answer `stop` before it is ended."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A position with its history: `moves` played from `fen`, and the same split after the last capture."""

    fen: str
    moves: tuple[int, ...]
    quiet_fen: str
    """The position after the last capture (or `fen` when there was none)."""
    quiet_moves: tuple[int, ...]


class _MoveHistory:
    """A game as it goes on: what was played before is not gone through again, which by the hundredth move would take
    longer than all else that a match has to do for one."""

    def __init__(self, start: str) -> None:
        self.start = start
        self._moves: list[int] = []
        self._position = Position(start)
        self._quiet_fen = self._position.fen()
        self._quiet_from = 0

    def leads_to(self, moves: Sequence[int]) -> bool:
        """Whether these are the moves so far, or go on from them."""
        return self._moves == list(moves[: len(self._moves)])

    def situation(self, moves: Sequence[int]) -> Situation:
        """Where legal moves, all those of the game, lead from here."""
        for move in moves[len(self._moves) :]:
            captures = self._position.piece_at(move >> 7) != ""
            self._position.push(move)
            self._moves.append(move)
            if captures:
                self._quiet_fen = self._position.fen()
                self._quiet_from = len(self._moves)
        return Situation(self.start, tuple(moves), self._quiet_fen, tuple(moves[self._quiet_from :]))


class Dialect(Protocol):
    """How one protocol words what a match has to say."""

    hello: str
    welcome: str
    new_game: str

    def set_option(self, name: str, value: str) -> str: ...

    def position(self, situation: Situation, ranks: str) -> str: ...

    def go(self, limit: ThinkingLimit, clocks: Clocks | None, side: int) -> str:
        """What stands behind `go`."""


class UciDialect:
    hello = "uci"
    welcome = "uciok"
    new_game = "ucinewgame"

    def set_option(self, name: str, value: str) -> str:
        return f"setoption name {name} value {value}" if value else f"setoption name {name}"

    def position(self, situation: Situation, ranks: str) -> str:
        start = "startpos" if situation.fen == START_FEN else f"fen {situation.fen}"
        return _position(start, situation.moves, ranks)

    def go(self, limit: ThinkingLimit, clocks: Clocks | None, side: int) -> str:
        if clocks is None:
            return f"movetime {limit.movetime_ms}" if limit.movetime_ms else _size_of_search(limit)
        sides = [("wb"[side], clocks.own)]
        if clocks.other is not None:
            sides.insert(1 - side, ("bw"[side], clocks.other))
        words = [f"{letter}time {_left_ms(clock)}" for letter, clock in sides]
        words += [f"{letter}inc {clock.increment_ms}" for letter, clock in sides]
        if clocks.own.moves_to_go:
            words.append(f"movestogo {clocks.own.moves_to_go}")
        return " ".join(words)


class UcciDialect:
    hello = "ucci"
    welcome = "ucciok"
    new_game = "setoption newgame"

    def set_option(self, name: str, value: str) -> str:
        return f"setoption {name} {value}".rstrip()

    def position(self, situation: Situation, ranks: str) -> str:
        # UCCI wants the position after the last capture and the quiet moves since: lines stay short.
        return _position(f"fen {situation.quiet_fen}", situation.quiet_moves, ranks)

    def go(self, limit: ThinkingLimit, clocks: Clocks | None, side: int) -> str:
        if clocks is None:
            # UCCI has no movetime: one move to the time control is a fixed time for it.
            return f"time {limit.movetime_ms} movestogo 1" if limit.movetime_ms else _size_of_search(limit)
        words = ["time", *self._clock(clocks.own, "")]
        if clocks.other is not None:
            words += ["opptime", *self._clock(clocks.other, "opp")]
        return " ".join(words)

    @staticmethod
    def _clock(clock: Clock, whose: str) -> list[str]:
        # UCCI has moves to go or an increment, not both.
        if clock.moves_to_go:
            return [str(_left_ms(clock)), f"{whose}movestogo", str(clock.moves_to_go)]
        return [str(_left_ms(clock)), f"{whose}increment", str(clock.increment_ms)]


def _left_ms(clock: Clock) -> int:
    return max(round(clock.left_ms), 1)


def _size_of_search(limit: ThinkingLimit) -> str:
    return f"nodes {limit.nodes}" if limit.nodes else f"depth {limit.depth}"


def _position(start: str, moves: tuple[int, ...], ranks: str) -> str:
    if not moves:
        return f"position {start}"
    return f"position {start} moves {' '.join(_text(move, ranks) for move in moves)}"


_text = functools.cache(move_text)  # long games say the same moves again and again

DIALECTS: dict[str, Dialect] = {"uci": UciDialect(), "ucci": UcciDialect()}


class XiangqiPlayer(Player):
    """A UCCI or UCI program, as its specification says."""

    line_kinds = UCI_LINES

    def __init__(self, specification: EngineSpecification) -> None:
        super().__init__(specification)
        self._ranks = specification.ranks or "0-9"
        self._dialect = DIALECTS[specification.protocol]
        self._history: _MoveHistory | None = None
        self._pondering: tuple[int, ...] | None = None
        """The moves of the game as it expects them while it thinks on the other's time."""
        self._ponder_option = ""
        """As it calls it; '': it has none."""
        self._reported_name = ""

    def reported_name(self) -> str:
        return self._reported_name

    def think(self, moves: Sequence[int], limit: ThinkingLimit, clocks: Clocks | None = None) -> Answer:
        expected, self._pondering = self._pondering, None
        if expected is not None and expected == tuple(moves):
            return self._answer(["ponderhit"], limit.allowed_ms(clocks), anew=False)
        if expected is not None:
            self._stop_pondering()
        situation = self._situation(moves)
        return self.think_about(situation, limit, clocks, _side_after(situation))

    def ponder(self, moves: Sequence[int], limit: ThinkingLimit, clocks: Clocks | None, answer: Answer) -> None:
        process = self._process
        if not self._ponder_option:  # it may not know the word
            return
        position = Position(self._start or START_FEN)
        for move in moves:
            position.push(move)
        try:
            reply = self.read_move(answer.ponder)
            position.push(reply)
        except ValueError:  # it expects what cannot be played
            return
        if process is None or position.result() != "ongoing":
            return
        situation = self._situation((*moves, reply))
        process.forget_output()
        with contextlib.suppress(EngineDied):  # its next turn tells
            process.send(self._dialect.position(situation, self._ranks))
            process.send(f"go ponder {self._dialect.go(limit, clocks, _side_after(situation))}")
            self._pondering = (*moves, reply)

    def _situation(self, moves: Sequence[int]) -> Situation:
        start = self._start or START_FEN
        if self._history is None or self._history.start != start or not self._history.leads_to(moves):
            self._history = _MoveHistory(start)
        return self._history.situation(moves)

    def _stop_pondering(self) -> None:
        """Have it answer that it gave up. Raises Fault ('crash')."""
        process = self._process
        if process is None:
            raise Fault("crash", "is not running")
        try:
            process.send("stop")
            self._wait_for_move(process, now_s() + STOP_S)
            # An engine that had answered before it was told to may answer a second time now.
            self._wait_ready(process)
        except EngineSilent:
            self._end()
            raise Fault("crash", f"no bestmove in {STOP_S:.0f} s after the stop of its pondering") from None
        except EngineDied as error:
            self._end()
            raise Fault("crash", str(error)) from None

    def think_about(
        self, situation: Situation, limit: ThinkingLimit, clocks: Clocks | None = None, side: int = 0
    ) -> Answer:
        """The engine's answer to any position, with `side` (0: red) to move. Raises Fault ('crash' or 'time')."""
        go = f"go {self._dialect.go(limit, clocks, side)}"
        return self._answer([self._dialect.position(situation, self._ranks), go], limit.allowed_ms(clocks))

    def _answer(self, lines: Sequence[str], allowed_ms: float, anew: bool = True) -> Answer:
        text, elapsed_ms, process = self._ask(lines, allowed_ms, anew)
        words = text.split()
        has_move = words[0] == "bestmove" and len(words) > 1 and words[1] not in ("(none)", "0000", "null", "resign")
        return Answer(
            move=words[1] if has_move else "",
            resigned=words[0] == "nobestmove" or "resign" in words[1:],
            elapsed_ms=elapsed_ms,
            depth=_number(process.newest_depth, b"depth"),
            nodes=_number(process.newest_nodes, b"nodes"),
            nodes_ms=_number(process.newest_nodes, b"time"),
            score_cp=_score_cp(process.newest_score),
            ponder=words[3] if len(words) > 3 and words[2] == "ponder" else "",
        )

    def read_move(self, text: str) -> int:
        return parse_move(text, self._ranks)

    def _shake_hands(self, process: EngineProcess) -> None:
        offered = OptionList(self.specification.protocol)
        self._reported_name = ""
        deadline = now_s() + START_S
        self._pondering = None
        process.send(self._dialect.hello)
        try:
            while (line := process.receive(deadline).text) != self._dialect.welcome:
                offered.read(line)
                if line.startswith(("id name ", "id version ")):  # UCCI has a line for the version
                    self._reported_name = f"{self._reported_name} {line.split(None, 2)[2]}".strip()
        except EngineSilent:
            raise Fault("crash", f"no {self._dialect.welcome} in {START_S:.0f} s after {self._dialect.hello}") from None
        self._set_up(process, offered)
        self._wait_ready(process)

    def _set_up(self, process: EngineProcess, offered: OptionList) -> None:
        """Raises Fault ('crash') if the engine does not take an option, EngineDied."""
        specification = self.specification
        wanted = self._checked_options(offered)
        named = {name.lower() for name, _ in wanted}
        ponder = offered.find("ponder")
        self._ponder_option = "" if ponder is None else ponder.name
        if specification.protocol == "ucci":
            for name, value in (("usemillisec", "true"), ("ponder", "false")):
                option = offered.find(name)
                if option is not None and name not in named:
                    wanted.insert(0, (option.name, value))
        if not specification.ranks and "ranks" in named:
            self._ranks = next(value for name, value in wanted if name.lower() == "ranks")
        elif not specification.ranks and offered.find("Ranks") is not None:
            wanted.append(("Ranks", "0-9"))
        elif not specification.ranks and specification.variant and offered.find("UCI_Variant") is not None:
            self._ranks = "1-10"  # Fairy-Stockfish and its kin number the ranks of every variant from 1
        for name, value in wanted:
            process.send(self._dialect.set_option(name, value))

    def _checked_options(self, offered: OptionList) -> list[tuple[str, str]]:
        """What the user wants set, in the engine's own spelling. Raises Fault ('crash') for what it does not take."""
        specification = self.specification
        variant = [("UCI_Variant", specification.variant)] if specification.variant else []
        options, faults = offered.match([*variant, *specification.options])
        self.remarks = [f"{fault}; sent anyway" for fault in faults]
        if faults and not specification.allows_unknown:
            raise Fault("crash", f"{'; '.join(faults)} ({INSIST} sends them anyway)")
        return options

    def _wait_ready(self, process: EngineProcess) -> None:
        process.send("isready")
        deadline = now_s() + READY_S
        try:
            while process.receive(deadline).text != "readyok":
                pass
        except EngineSilent:
            raise Fault("crash", f"no readyok in {READY_S:.0f} s after isready") from None

    def _begin_game(self, process: EngineProcess, limit: ThinkingLimit) -> None:
        if self._pondering is not None:
            self._pondering = None
            self._stop_pondering()
        if limit.ponder and self._ponder_option:
            process.send(self._dialect.set_option(self._ponder_option, "true"))
        process.send(self._dialect.new_game)
        self._wait_ready(process)

    def _wait_for_move(self, process: EngineProcess, deadline: float) -> Line:
        while True:
            line = process.receive(deadline)
            if line.text.startswith(("bestmove", "nobestmove")):
                return line

    def _overstepped(self, process: EngineProcess, allowed_ms: float) -> Fault:
        try:
            process.send("stop")
            self._wait_for_move(process, now_s() + STOP_S)
        except (EngineSilent, EngineDied):
            self._end()
        return Fault("time", f"no move after {allowed_ms:.0f} ms")


def _side_after(situation: Situation) -> int:
    """Who is on move, 0: red."""
    return (situation.fen.split()[1] in ("b", "B")) ^ len(situation.moves) % 2


def _score_cp(info: bytes) -> int | None:
    score = UCI_LINES.score.search(info)
    if score is None:
        return None
    if score[1] is not None:
        return int(score[1])
    moves = int(score[2])
    return MATE_CP - moves if moves > 0 else -MATE_CP - moves


_MOST_DIGITS = 15


def _number(info: bytes, key: bytes) -> int:
    words = info.split()
    for word, value in pairwise(words):
        if word == b"pv":
            break
        if word == key and value.isdigit() and len(value) <= _MOST_DIGITS:
            return int(value)
    return 0
