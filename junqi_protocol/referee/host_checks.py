"""The checks of `sanqi doctor` for the Junqi referee. It speaks the line protocol."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Sequence
from functools import partial

from engine_client.check import (
    HANDSHAKE_S,
    MARGIN_S,
    READY_S,
    Check,
    CheckedProtocol,
    CheckFailed,
    EngineUnderTest,
    Overrun,
    take_leave,
)
from engine_client.dialogue import Dialogue, interrupted_by, quoted
from engine_client.process import MAX_UNREAD
from junqi_protocol.referee.connections import EndableWork, Gone, ProcessConnection
from junqi_protocol.referee.referee import FROM_ENGINES, Referee, RefereeConditions, Spectator
from junqi_protocol.rules.geometry import VARIANTS, Variant
from junqi_protocol.rules.messages import Happening, Left, Skipped, Terms

JUNQI = CheckedProtocol("Junqi", "junqi 1", re.compile(r"junqiok\b|id name |option name "))

_MOVETIME_MS = 1000
"""The referee's time for a move. Engines may use all of it, so games are short."""
_PLIES = 4
"""One move of each of four seats, two of each of two."""
_QUIT_S = 1.0
_NEW_GAME = (
    "newgame variant duel seats 0",
    "deploy 0",
    "lineup 0 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21",
    "start 0",
)


class _Watched(ProcessConnection):
    """A player that checks every line of the engine. Raises CheckFailed for the first wrong one."""

    def __init__(self, under_test: EngineUnderTest, seats: tuple[int, ...]) -> None:
        super().__init__(seats, under_test.command)
        self.options = under_test.settings
        self.said: list[str] = []
        self._transcript = under_test.transcript()
        self._ply = ""

    def end(self) -> None:
        """Kill the engine and write the transcript. Raises LogError."""
        self.kill()
        self._transcript.end()

    def send(self, line: str) -> None:
        self._transcript.note(">", line)
        words = line.split()
        if words[0] == "go":
            self._ply = words[2]
        elif words[0] == "illegal":
            raise CheckFailed(
                f"{quoted(self.said[-1])} was refused: {line!r}", "answer with moves that are legal for the seat of go"
            )
        super().send(line)

    async def receive(self, deadline: float) -> str:
        line = await super().receive(deadline)
        self._transcript.note("<", line)
        self.said.append(line)
        if len(self.said) > MAX_UNREAD:
            raise CheckFailed(f"a flood of lines, such as {quoted(line)}", "report on a search less often")
        if not line.isascii() or "\ufffd" in line:
            raise CheckFailed(f"{quoted(line)} is not ASCII", "print ASCII only")
        if line.startswith("error"):
            raise CheckFailed(f"refuses a line of the referee: {quoted(line)}", "obey newgame, lineup, start and moved")
        if line.startswith("bestmove") and line.split()[-1] != self._ply:
            raise CheckFailed(
                f"{quoted(line)} answered the go of ply {self._ply}",
                "repeat the PLY of the go: 'bestmove MV ply PLY'",
            )
        return line


class _Witness(Spectator):
    """Raises CheckFailed for the first seat that falls, Overrun for the first ply that is not played in time."""

    def __init__(self, variant: Variant, players: Sequence[_Watched]) -> None:
        self._variant = variant
        self._player_of = {seat: player for player in players for seat in player.seats}

    def happened(self, happening: Happening) -> None:
        said = self._player_of[happening.seat].said
        last = f"the last line was {quoted(said[-1])}" if said else "nothing was said"
        if isinstance(happening, Left):
            raise CheckFailed(f"'{happening.text(self._variant)}': the seat fell; {last}")
        if isinstance(happening, Skipped) and happening.kind == "time":
            raise Overrun(
                f"'{happening.text(self._variant)}': no answer in {_MOVETIME_MS} ms; {last}",
                "keep to the movetime on a wall clock",
            )


def _shakes_hands(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with under_test.start() as dialogue:
        dialogue.send("junqi 1")
        for line in _await(dialogue, "'junqiok 1'", r"junqiok\s+1$", HANDSHAKE_S, "'junqi 1'")[:-1]:
            if not re.match(r"id (name|author) |option name .+ type ", line):
                raise CheckFailed(
                    f"{quoted(line)} came before junqiok", "print id and option lines only, then 'junqiok 1'"
                )
        dialogue.send("isready")
        _await(dialogue, "readyok", "readyok$", READY_S, "'isready'")


def _await(dialogue: Dialogue, name: str, wanted: str, patience_s: float, asked: str) -> list[str]:
    """Wait for a line that matches `wanted`; returns the lines up to it. Raises EngineDied, EngineSilent."""
    wanted_line = re.compile(wanted)
    heard, before = dialogue.until(lambda line: wanted_line.match(line.strip()), patience_s, name, f"of {asked}")
    return [*before, heard.text]


def _play(variant_name: str, under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    """The engine plays all seats under the referee, and chooses its lineups. Raises CheckFailed."""
    variant = VARIANTS[variant_name]
    players = [_Watched(under_test, variant.team(team)) for team in range(2)]
    conditions = RefereeConditions(Terms(variant, plies=_PLIES), movetime_ms=_MOVETIME_MS, lineups=FROM_ENGINES)
    work = EndableWork()
    with contextlib.ExitStack() as both:
        for player in players:
            both.callback(player.end)
        try:
            with interrupted_by(work.end):
                asyncio.run(work.run(Referee(conditions, players, _Witness(variant, players)).run()))
        except Gone as gone:
            raise CheckFailed(str(gone)) from None
    for player in players:
        for seat in player.seats:
            if not any(re.match(rf"lineup {seat} \S+", line) for line in player.said):
                raise CheckFailed(
                    f"'deploy {seat}' was not answered by 'lineup {seat} L'", "answer deploy with a lineup"
                )


def _can_be_stopped(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    with under_test.start() as dialogue:
        dialogue.send("junqi 1", *_NEW_GAME, "isready")
        _await(dialogue, "readyok", "readyok$", READY_S, "'isready' after 'start 0'")
        dialogue.send("go 0 1 infinite", "isready")
        said = _await(dialogue, "readyok", "readyok$", MARGIN_S, "'isready' in a search")
        best = [line for line in said if line.startswith("bestmove")]
        if not best:
            dialogue.send("stop")
            best = _await(dialogue, "bestmove", "bestmove", MARGIN_S, "'stop'")[-1:]
        if not re.fullmatch(r"bestmove \S+ ply 1", best[0].strip()):
            raise CheckFailed(f"'go 0 1 infinite' was answered by {quoted(best[0])}; expected 'bestmove MV ply 1'")


def _exits_on_request(under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    for word in ("quit", ""):
        with under_test.start() as dialogue:
            dialogue.send("junqi 1", *_NEW_GAME)
            _await(dialogue, "junqiok", "junqiok", READY_S, "'junqi 1'")
            take_leave(dialogue, word, _QUIT_S)


CHECKS = (
    Check(
        "junqi-referee",
        "handshake",
        (JUNQI,),
        _shakes_hands,
        "answer 'junqi 1' with id and option lines and 'junqiok 1', and isready with readyok",
    ),
    *(
        Check("junqi-referee", name, (JUNQI,), partial(_play, name), "see docs/junqi-line-protocol.md")
        for name in ("duel", "siguo")
    ),
    Check(
        "junqi-referee",
        "stop",
        (JUNQI,),
        _can_be_stopped,
        "read the input while searching: answer isready at once, and stop with 'bestmove MV ply PLY'",
    ),
    Check(
        "junqi-referee", "leaving", (JUNQI,), _exits_on_request, "end within a second of quit, and at the input's end"
    ),
)
