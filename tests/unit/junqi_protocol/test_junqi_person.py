"""A person at the terminal: what is shown of the end of a game of Junqi, and what is typed too late."""

from __future__ import annotations

import asyncio
import random
from queue import SimpleQueue

import pytest

from junqi_protocol.records.display import ending_text
from junqi_protocol.referee.connections import NoLine
from junqi_protocol.referee.person import Person
from junqi_protocol.rules.messages import Left, Skipped
from search_core.clock import now_s

LINEUP = "96317/5.3.5/81.37/B.2.4/6M2MB/4FM21"


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ("win 1,3 flag", "Seats 1 and 3 win: your flag has fallen."),
        ("win 1,3 nomove", "Seats 1 and 3 win: you have no legal move."),
        ("win 1,3 resign", "Seats 1 and 3 win: you have resigned."),
        ("win 1,3 skips", "Seats 1 and 3 win: you have skipped too often."),
        ("win 1,3 time", "Seats 1 and 3 win: your time is used up."),
        ("win 1,3 illegal", "Seats 1 and 3 win: you have given too many illegal answers."),
        ("win 1,3 exit", "Seats 1 and 3 win: you have left the game."),
        ("win 1,3 quiet", "Seats 1 and 3 win: seat 2 has reached the limit of plies without a clash."),
        ("win 0,2 flag", "Seats 0 and 2 win: seat 3's flag has fallen."),
        ("win 0,2 nomove", "Seats 0 and 2 win: seat 3 has no legal move."),
        ("draw agreed", "The game is drawn: the teams have agreed."),
        ("draw quiet", "The game is drawn: the limit of plies without a clash is reached."),
        ("draw plies", "The game is drawn: the limit of plies is reached."),
        ("draw nomove", "The game is drawn: no team has a legal move."),
    ],
)
def test_each_end_is_a_sentence(outcome: str, expected: str) -> None:
    left = [Left(ply, seat, "resign") for ply, seat in enumerate((1, 2, 3, 0))]
    assert ending_text(outcome, (0,), [*left, Skipped(5, 2, 1, "pass", False)]) == expected


@pytest.mark.parametrize(
    ("variant", "plies", "outcome", "expected"),
    [
        ("duel", ["left 1 0 resign"], "win 1 resign", "Seat 1 wins: you have resigned."),
        ("duel", ["skipped 1 0 1 pass", "left 2 1 exit"], "win 0 exit", "You win: seat 1 has left the game."),
        ("duel", ["moved 1 0 c6c7 EAT out 1 nomove"], "win 0 nomove", "You win: seat 1 has no legal move."),
        (
            "siguo",
            ["left 1 0 resign", "skipped 2 1 1 pass", "skipped 3 2 1 pass out 2 skips"],
            "win 1,3 skips",
            "Seats 1 and 3 win: seat 2 has skipped too often.",
        ),
        (
            "siguo",
            ["skipped 1 0 1 pass", "left 2 1 exit", "left 3 2 exit", "skipped 4 3 1 pass", "left 5 0 time"],
            "win 1,3 time",
            "Seats 1 and 3 win: your time is used up.",
        ),
    ],
)
def test_a_person_is_told_who_lost_the_game_and_how(
    capsys: pytest.CaptureFixture[str], variant: str, plies: list[str], outcome: str, expected: str
) -> None:
    person = Person((0,), random.Random(1))
    for line in (f"newgame variant {variant} seats 0", f"lineup 0 {LINEUP}", "start 0", *plies, f"gameover {outcome}"):
        person.send(line)
    assert capsys.readouterr().out.splitlines()[-1] == expected


def test_what_is_typed_too_late_answers_no_later_question(monkeypatch: pytest.MonkeyPatch) -> None:
    typed: SimpleQueue[str | None] = SimpleQueue()
    monkeypatch.setattr("junqi_protocol.referee.typed_lines.standard_input", lambda: typed.get)
    person = Person((0,), random.Random(1))

    async def play() -> str:
        await person.open()
        for line in ("newgame variant duel seats 0", f"lineup 0 {LINEUP}", "start 0", "go 0 1 movetime 1"):
            person.send(line)
        with pytest.raises(NoLine):
            await person.receive(now_s())
        typed.put("b6b5")
        while person._typed.is_empty:
            await asyncio.sleep(0)
        for line in ("skipped 1 0 1 time", "skipped 2 1 1 pass", "go 0 3"):
            person.send(line)
        typed.put("pass")
        return await person.receive(now_s() + 30)

    assert asyncio.run(play()) == "bestmove pass ply 3"
    typed.put(None)
