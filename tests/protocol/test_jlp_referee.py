"""The referee's side of the Junqi line protocol: dialogues with engines that follow a script."""

from __future__ import annotations

import asyncio
from fnmatch import fnmatchcase
from pathlib import Path
from textwrap import dedent

from junqi_protocol.records.records import Replay
from junqi_protocol.referee.connections import Connection, NoLine
from junqi_protocol.referee.referee import Referee, RefereeConditions, Spectator
from junqi_protocol.rules.geometry import VARIANTS
from junqi_protocol.rules.lineup import parse
from junqi_protocol.rules.messages import Terms

LINEUP = "96317/5.3.5/81.37/B.2.4/6M2MB/4FM21"


class Scripted(Connection):
    """An engine that follows a dialogue from its `newgame` on.

    `> line` is what the referee must send next, as a pattern; `< line` is what the engine answers. Lines that are not
    named in `wanted` are left out of the dialogue.
    """

    def __init__(self, seats: tuple[int, ...], dialogue: str, wanted: tuple[str, ...]) -> None:
        super().__init__(seats)
        self.script = [line for line in dedent(dialogue).splitlines() if line]
        self.ready = True
        self._wanted = wanted

    async def open(self) -> None:
        pass

    def send(self, line: str) -> None:
        if line.split()[0] not in self._wanted:
            return
        expected = self.script.pop(0) if self.script else "> (nothing more)"
        assert fnmatchcase(f"> {line}", expected), f"expected {expected}\ngot      > {line}"

    async def receive(self, deadline: float) -> str:
        if not self.script or not self.script[0].startswith("< "):
            raise NoLine
        return self.script.pop(0)[2:]


def play(
    *dialogues: str,
    variant: str = "duel",
    wanted: tuple[str, ...] = ("go", "moved", "skipped", "left", "illegal", "gameover"),
    records: Path | None = None,
    **keys: int,
) -> None:
    """Play one game with one scripted engine for each seat."""
    terms = Terms(VARIANTS[variant], **keys)  # type: ignore[arg-type]
    players = [Scripted((seat,), dialogue, wanted) for seat, dialogue in enumerate(dialogues)]
    conditions = RefereeConditions(terms, movetime_ms=60_000, lineups=[parse(LINEUP)], records=records)
    asyncio.run(Referee(conditions, players, Spectator()).run())
    assert [player.script for player in players] == [[]] * len(players)


def test_a_refused_move_is_repeated_as_it_was_written(tmp_path: Path) -> None:
    """`illegal SEAT PLY MV WORD...`: another `bestmove` is owed; a seat's third is answered by `left ... illegal`."""
    play(
        """
        > go 0 1 movetime 60000
        < bestmove A6A6 ply 1
        > illegal 0 1 a6a6 is not legal: it stands there
        < bestmove to\ufffdnowhere_at_all ply 1
        > illegal 0 1 to?nowhere_at_al is no move
        < bestmove a6a7 ply 1
        > moved 1 0 a6a7 EAT
        > moved 2 1 e7e6 EAT
        > go 0 3 movetime 60000
        < bestmove 0000 ply 3
        > left 3 0 illegal
        > gameover win 1 illegal
        """,
        """
        > moved 1 0 a6a7 EAT
        > go 1 2 movetime 60000
        < bestmove a6a7 ply 2
        > illegal 1 2 a6a7 moves no piece of seat 1
        < bestmove e7e6 ply 2
        > moved 2 1 e7e6 EAT
        > left 3 0 illegal
        > gameover win 1 illegal
        """,
        records=tmp_path,
    )
    assert Replay((tmp_path / "game00001.jgr").read_bytes()).finished


class TestDraws:
    """`bestmove MV ply PLY draw 1` offers a draw; `go` with `draw 1` asks each living enemy seat for its answer."""

    def test_all_enemies_agree(self, tmp_path: Path) -> None:
        play(
            """
            > newgame variant siguo draws 1 id game1 seats 0 see own
            > go 0 1 movetime 60000
            < bestmove g6g9 ply 1 draw 1
            > gameover draw agreed
            """,
            """
            > newgame variant siguo draws 1 id game1 seats 1 see own
            > go 1 2 movetime 60000 draw 1
            < bestmove l11g11 ply 2 draw 1
            > gameover draw agreed
            """,
            """
            > newgame variant siguo draws 1 id game1 seats 2 see own
            > go 2 3 movetime 60000
            < bestmove pass ply 3
            > gameover draw agreed
            """,
            """
            > newgame variant siguo draws 1 id game1 seats 3 see own
            > go 3 4 movetime 60000 draw 1
            < bestmove pass ply 4 draw 1
            > gameover draw agreed
            """,
            variant="siguo",
            wanted=("newgame", "go", "gameover"),
            draws=True,
            records=tmp_path,
        )
        record = tmp_path / "game00001.jgr"
        kept = [line.split(" time ")[0] + line[line.find(" draw ") :] for line in record.read_text().splitlines()[7:9]]
        assert kept == ["moved 1 0 g6g9 MOVE draw 1", "moved 2 1 l11g11 MOVE draw 1"]
        replay = Replay(record.read_bytes())
        assert replay.finished
        assert replay.arbiter.outcome == "draw agreed"

    def test_one_declines_and_the_other_is_asked_all_the_same(self) -> None:
        play(
            """
            > go 0 1 movetime 60000
            < bestmove g6g9 ply 1 draw 1
            > go 0 5 movetime 60000
            < bestmove resign ply 5
            > gameover draw plies
            """,
            """
            > go 1 2 movetime 60000 draw 1
            < bestmove pass ply 2
            > go 1 6 movetime 60000
            < bestmove pass ply 6
            > gameover draw plies
            """,
            """
            > go 2 3 movetime 60000
            < bestmove pass ply 3 draw 1
            > gameover draw plies
            """,
            """
            > go 3 4 movetime 60000 draw 1
            < bestmove pass ply 4 draw 1
            > gameover draw plies
            """,
            variant="siguo",
            wanted=("go", "gameover"),
            draws=True,
            plies=6,
        )

    def test_a_refused_answer_agrees_to_nothing(self) -> None:
        play(
            """
            > go 0 1 movetime 60000
            < bestmove pass ply 1 draw 1
            > go 0 3 movetime 60000
            < bestmove pass ply 3
            > gameover draw plies
            """,
            """
            > go 1 2 movetime 60000 draw 1
            < bestmove zz ply 2 draw 1
            > illegal 1 2 zz is no move
            < bestmove pass ply 2
            > gameover draw plies
            """,
            wanted=("go", "illegal", "gameover"),
            draws=True,
            plies=3,
        )

    def test_without_the_option_nothing_is_offered(self) -> None:
        play(
            """
            > newgame variant duel plies 2 id game1 seats 0 see own
            > go 0 1 movetime 60000
            < bestmove pass ply 1 draw 1
            > gameover draw plies
            """,
            """
            > newgame variant duel plies 2 id game1 seats 1 see own
            > go 1 2 movetime 60000
            < bestmove pass ply 2 draw 1
            > gameover draw plies
            """,
            wanted=("newgame", "go", "gameover"),
            plies=2,
        )
