"""An engine that plays any board game over UCI or UCCI."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

from engine_client.dialects import DIALECTS, position_command
from engine_client.engine_options import INSIST, OptionList
from engine_client.player import READY_S, START_S, Answer, Fault, Player
from engine_client.process import UCI_LINES, EngineDied, EngineProcess, EngineSilent, ReceivedLine
from engine_client.specification import EngineSpecification
from engine_client.time_control import Clocks, ThinkingLimit
from game_core.session import Session
from search_core.clock import now_s

STOP_S = 2.0
"""For the answer to `stop` of an engine that exceeded its time; after that it is ended."""


def common_plies(known: list[str], moves: Sequence[str]) -> int:
    """The number of plies at the start that two games share."""
    if list(moves[: len(known)]) == known:
        return len(known)
    return next(ply for ply, move in enumerate(known) if ply == len(moves) or moves[ply] != move)


class _FollowedGame:
    """A game in progress. It keeps its session, so the game is not replayed from the start for every question."""

    def __init__(self, start: str, session: Session) -> None:
        self.start = start
        self._session = session
        self._moves: list[str] = []

    def go_to(self, moves: Sequence[str]) -> None:
        """Go to the position after `moves`, all moves of the game."""
        common = common_plies(self._moves, moves)
        self._session.undo(len(self._moves) - common)
        del self._moves[common:]
        for move in moves[common:]:
            self._session.play(move)
            self._moves.append(move)

    def is_over_after(self, move: str) -> bool:
        """Whether a move would end the game. Raises IllegalMove."""
        self._session.play(move)
        over = self._session.verdict() is not None
        self._session.undo()
        return over


class UciPlayer(Player):
    """A UCI or UCCI program. `open_session` begins a game from a start position ('': the game's own)."""

    line_kinds = UCI_LINES

    def __init__(self, specification: EngineSpecification, open_session: Callable[[str], Session]) -> None:
        super().__init__(specification)
        self._dialect = DIALECTS[specification.protocol]
        self._open_session = open_session
        self._followed: _FollowedGame | None = None
        self._pondering: tuple[str, ...] | None = None
        """While it ponders: the moves of the game with the expected reply."""
        self._ponder_option = ""
        """The name of its ponder option; '': it has none."""
        self._reported_name = ""
        self.offered = OptionList(specification.protocol)
        """The options that it listed when it was started."""

    def reported_name(self) -> str:
        return self._reported_name

    def think(self, moves: Sequence[str], limit: ThinkingLimit, clocks: Clocks | None = None) -> Answer:
        expected, self._pondering = self._pondering, None
        if expected is not None and expected == tuple(moves):
            return self._answer(["ponderhit"], limit.allowed_ms(clocks), anew=False)
        if expected is not None:
            self._stop_pondering()
        return self._answer([self._position(moves), f"go {self._go(limit, clocks)}"], limit.allowed_ms(clocks))

    def ponder(self, moves: Sequence[str], limit: ThinkingLimit, clocks: Clocks | None, answer: Answer) -> None:
        process = self._process
        if process is None or not self._ponder_option:  # it may not know `go ponder`
            return
        try:
            reply = self.read_move(answer.ponder)
            if self._follow(moves).is_over_after(reply):
                return
        except ValueError:  # the expected reply is illegal
            return
        process.forget_output()
        with contextlib.suppress(EngineDied):  # its next turn reports that
            process.send(self._position((*moves, reply)))
            process.send(f"go ponder {self._go(limit, clocks)}")
            self._pondering = (*moves, reply)

    def end_game(self) -> None:
        pondered, self._pondering = self._pondering, None
        if pondered is not None and self._process is not None:
            with contextlib.suppress(Fault):  # the next game starts it again
                self._stop_pondering()

    def set_options(self, options: Sequence[tuple[str, str]]) -> None:
        """Set options, and return when all output of the last search has come. Raises Fault ('crash')."""
        with self._running() as process:
            process.forget_output()
            for name, value in options:
                process.send(self._dialect.set_option(name, value))
            self._wait_ready(process)

    def analyse(
        self,
        moves: Sequence[str],
        limits: Sequence[ThinkingLimit],
        allowed_ms: float,
        only: Sequence[str] = (),
        never: Sequence[str] = (),
    ) -> Answer:
        """The answer after `moves` under several limits at once. The root moves are `only` these (UCI), or `never`
        those (UCCI); empty: any. Raises Fault ('crash', 'time')."""
        words = [self._dialect.go(limit, None, 0) for limit in limits]
        lines = [self._position(moves)]
        if self.specification.protocol == "ucci":
            if never:
                lines.append(" ".join(["banmoves", *map(self.write_move, never)]))
        elif only:
            words += ["searchmoves", *map(self.write_move, only)]
        return self._answer([*lines, " ".join(["go", *words])], allowed_ms)

    def end_search(self) -> None:
        """Ask for the move at once. Any thread may call this."""
        process = self._process
        if process is not None:
            with contextlib.suppress(EngineDied):  # whoever waits for the move reports that
                process.send("stop")

    def _follow(self, moves: Sequence[str]) -> _FollowedGame:
        """The game after `moves`."""
        if self._followed is None or self._followed.start != self._start:
            self._followed = _FollowedGame(self._start, self._open_session(self._start))
        self._followed.go_to(moves)
        return self._followed

    def _go(self, limit: ThinkingLimit, clocks: Clocks | None) -> str:
        return self._dialect.go(limit, clocks, 0 if clocks is None else clocks.side)

    def _position(self, moves: Sequence[str]) -> str:
        """The command that sets up the position after `moves`."""
        return position_command(f"fen {self._start}" if self._start else "startpos", moves)

    def _stop_pondering(self) -> None:
        """Stop pondering and wait for the answer. Raises Fault ('crash')."""
        with self._running() as process:
            process.send("stop")
            try:
                self._wait_for_move(process, now_s() + STOP_S)
            except EngineSilent:
                self._end()
                raise Fault("crash", f"no bestmove in {STOP_S:.0f} s after the stop of its pondering") from None
            try:  # an engine that had already answered may answer `stop` with a second bestmove
                self._wait_ready(process)
            except Fault:
                self._end()
                raise

    def _answer(self, lines: Sequence[str], allowed_ms: float, anew: bool = True) -> Answer:
        text, elapsed_ms, process = self._ask(lines, allowed_ms, anew)
        words, report = text.split(), process.report
        has_move = words[0] == "bestmove" and len(words) > 1 and words[1] not in ("(none)", "0000", "null", "resign")
        return Answer(
            move=words[1] if has_move else "",
            sent=" ".join(words[1:2]) or words[0],
            resigned=words[0] == "nobestmove" or "resign" in words[1:],
            elapsed_ms=elapsed_ms,
            depth=report.depth or 0,
            nodes=report.nodes or 0,
            nodes_ms=report.time_ms or 0 if report.nodes is not None else 0,
            score_cp=report.centipawns,
            ponder=words[3] if len(words) > 3 and words[2] == "ponder" else "",
        )

    def read_move(self, text: str) -> str:
        return text

    def write_move(self, move: str) -> str:
        """A move of the game as the engine writes it."""
        return move

    def _shake_hands(self, process: EngineProcess) -> None:
        offered = self.offered = OptionList(self.specification.protocol)
        self._reported_name = ""
        deadline = now_s() + START_S
        self._pondering = None
        process.send(self._dialect.hello)
        try:
            while (line := process.receive(deadline).text) != self._dialect.welcome:
                offered.read(line)
                if line.startswith(("id name ", "id version ")):  # UCCI has an own line for the version
                    self._reported_name = f"{self._reported_name} {line.split(None, 2)[2]}".strip()
        except EngineSilent:
            other = next(name for name in DIALECTS if name != self.specification.protocol)
            raise Fault(
                "crash",
                f"no {self._dialect.welcome} in {START_S:.0f} s after {self._dialect.hello}; "
                f"if it speaks {other.upper()}, say so (proto={other}; in sanqi analyse --protocol {other})",
            ) from None
        self._set_up(process, offered)
        self._wait_ready(process)

    def _set_up(self, process: EngineProcess, offered: OptionList) -> None:
        """Set the options. Raises Fault ('crash') if the engine does not accept one, EngineDied."""
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
                elif option is None and name == "usemillisec":
                    self.remarks.append("has no option usemillisec: it must count times in milliseconds")
        wanted += self._game_options(offered, wanted)
        for name, value in wanted:
            process.send(self._dialect.set_option(name, value))

    def _game_options(self, offered: OptionList, wanted: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Options that the game needs in addition to `wanted`."""
        return []

    def _checked_options(self, offered: OptionList) -> list[tuple[str, str]]:
        """The user's options in the engine's spelling. Raises Fault ('crash') if the engine does not accept one."""
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
        if limit.ponder and self._ponder_option:
            process.send(self._dialect.set_option(self._ponder_option, "true"))
        process.send(self._dialect.new_game)
        self._wait_ready(process)

    def _wait_for_move(self, process: EngineProcess, deadline: float) -> ReceivedLine:
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
