"""What a person at the terminal is shown. The lines of the referee are given, and so is what the person types."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable

import pytest
from rich.cells import cell_len

from junqi_protocol.records.display import losses
from junqi_protocol.referee.person import Person
from junqi_protocol.rules.geometry import DUEL
from search_core.clock import now_s

LINEUP = "96317/5.3.5/81.37/B.2.4/6M2MB/4FM21"
PATIENCE_S = 30
Dialogue = Callable[..., str]


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Dialogue:
    """Play a game of two as seat 0: `> line` is from the referee, `< line` is typed. Returns what was printed since the
    last referee's line before the end."""

    def play(*lines: str) -> str:
        typed = [line[2:] for line in lines if line.startswith("< ")]
        read_next = lambda: typed.pop(0) if typed else None  # noqa: E731
        monkeypatch.setattr("junqi_protocol.referee.typed_lines.standard_input", lambda: read_next)
        person = Person((0,), random.Random(1))

        async def run() -> None:
            await person.open()
            answers = 0
            for line in ("> newgame variant duel seats 0 draws 1", f"> lineup 0 {LINEUP}", "> start 0", *lines):
                if line.startswith("> "):
                    person.send(line[2:])
                elif line.startswith("= "):
                    answers += 1
                    assert await person.receive(now_s() + PATIENCE_S) == line[2:]

        asyncio.run(run())
        return capsys.readouterr().out

    return play


def test_a_board_has_names_the_last_move_and_the_dead(show: Dialogue) -> None:
    printed = show("> moved 1 0 e6e7 EAT", "> moved 2 1 d7e7 BOMB", "> moved 3 0 c6c7 EAT", "> moved 4 1 a7a6 KILLED",
                   "> go 0 5")  # fmt: skip
    assert "9 司令 commander   8 军长 general   7 师长 division   6 旅长 brigade\n" in printed
    board = printed.split("4. seat 1: a7a6 dies\n")[1]
    assert "\n 7 * +  v?  ^连  +   + \n 6 *^司 ^旅  +  ^兵  + \n" in board
    assert "^ lost 1: 7 师长\n" in board
    assert "v lost 4: 7 师长, ?, ?, ?\n" in board


def test_names_of_lost_pieces_are_never_broken() -> None:
    dead = [[1 << number for number in range(1, 10)], []]
    lines = [line.plain for line in losses(DUEL, dead, 30)]
    assert lines[0] == "   ^ lost 9: 9 司令, 8 军长,"
    assert len(lines) == 4
    assert all(cell_len(line) <= 30 and re.search(r"\d [^ ]+,?$", line) for line in lines)


def test_a_draw_that_is_not_accepted_is_said(show: Dialogue) -> None:
    printed = show("> go 0 1", "< draw", "< a6a7", "= bestmove a6a7 ply 1 draw 1", "> moved 1 0 a6a7 EAT",
                   "> moved 2 1 e7e6 EAT", "> go 0 3", "< pass", "= bestmove pass ply 3", "> skipped 3 0 1 pass",
                   "> moved 4 1 c7c6 EAT", "> go 0 5")  # fmt: skip
    assert printed.count("Your offer of a draw was not accepted.\n") == 1


def test_an_accepted_draw_says_nothing_in_the_next_game(show: Dialogue) -> None:
    printed = show("> go 0 1", "< draw", "< a6a7", "= bestmove a6a7 ply 1 draw 1", "> moved 1 0 a6a7 EAT",
                   "> gameover draw agreed", "> newgame variant duel seats 0 draws 1", f"> lineup 0 {LINEUP}",
                   "> start 0", "> go 0 1")  # fmt: skip
    assert "was not accepted" not in printed


def test_notes_go_with_the_pieces(show: Dialogue) -> None:
    printed = show(
        "> go 0 1", "< mark e7 9", "< mark c7 f", "< mark z1 9", "< mark a6 9", "< mark c7 x", "< mark b7 B",
        "< mark b7", "< a6a7", "= bestmove a6a7 ply 1", "> moved 1 0 a6a7 EAT", "> moved 2 1 e7e6 EAT",
        "> skipped 3 0 1 pass", "> moved 4 1 c7c6 KILLED", "> go 0 5",
    )  # a dialogue, many words a line  # fmt: skip
    for message in (
        "'z1' has no unknown piece",
        "'a6' has no unknown piece",
        "'x' is no piece, expected 1-9, B, M or F",
    ):
        assert printed.count(message) == 1
    first, *_, noted, removed, last, _ = printed.split("\n   ^ seat 0   v seat 1\n")
    assert first.count("?") == 25
    assert " 7  v? ?v炸?v旗 v? ?v司\n" in noted
    assert " 7  v?  v? ?v旗 v? ?v司\n" in removed
    assert "\n 6   +  ^旅 ^连 ^兵?v司" in last.replace("*", " ")
    assert "v旗" not in last


def test_a_draw_is_offered_and_agreed_to(show: Dialogue) -> None:
    printed = show(
        "> go 0 1", "< draw", "< draw", "< draw", "< a6a7", "= bestmove a6a7 ply 1 draw 1", "> moved 1 0 a6a7 EAT",
        "> skipped 2 1 1 pass", "> go 0 3 draw 1", "< pass", "= bestmove pass ply 3", "> skipped 3 0 1 pass",
        "> skipped 4 1 2 pass", "> go 0 5 draw 1", "< draw", "< pass", "= bestmove pass ply 5 draw 1",
    )  # a dialogue, many words a line  # fmt: skip
    assert printed.count("your next move offers a draw") == 2
    assert printed.count("it no longer offers a draw") == 1
    assert printed.count("The enemies offer a draw.") == 2
    assert printed.count("your next move agrees to a draw") == 1


def test_the_end_shows_all_pieces_also_of_the_side_that_has_just_fallen(show: Dialogue) -> None:
    printed = show("> moved 1 0 a6a7 EAT", "> skipped 2 1 1 pass", "> left 3 0 resign", "> gameover win 1 resign",
                   f"> lineup 0 {LINEUP}", f"> lineup 1 {LINEUP}")  # fmt: skip
    end = printed.split(f"seat 1 began with {LINEUP}\n")[1]
    assert "?" not in end
    assert end.startswith("12  v兵[v排 v雷[v旗 v营")
    assert "\n 7  ^司 v兵 v连 v旅 v司\n 6   +  ^旅" in end.replace("*", " ")
