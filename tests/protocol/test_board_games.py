"""Whole games at `sanqi board`, and what lasts when it ends."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("websockets", reason="needs websockets")

from tests.helpers.board_client import BoardClient
from tests.protocol.conftest import BoardMaker


@pytest.mark.parametrize(
    ("game", "players", "options"),
    [
        ("gomoku", "ee", {"size": "15"}),
        ("xiangqi", "ee", {}),
        ("junqi", "eeee", {"variant": "siguo"}),
        ("junqi", "ee", {"variant": "duel"}),
    ],
    ids=("gomoku", "xiangqi", "siguo", "duel"),
)
@pytest.mark.long
def test_a_whole_game_of_engines(page: BoardClient, game: str, players: str, options: dict[str, str]) -> None:
    page.new(game, players, **options)
    state = page.until_over()
    assert state["verdict"]["text"]
    assert state["legal"] == []
    formats = page.geometry["formats"]
    for form in formats:
        page.send("save", format=form)
        file = page.wait("file")
        if form == "txt":
            continue  # a list of moves for people, which is not read
        page.send("load", name=file["name"], data=file["data"])
        assert [move["text"] for move in page.begun()["moves"]] == [move["text"] for move in state["moves"]]


@pytest.mark.parametrize("players", ["pe", "epee"], ids=("duel", "siguo"))
@pytest.mark.long
def test_a_person_plays_junqi_to_the_end(page: BoardClient, players: str) -> None:
    page.new("junqi", players, variant="duel" if len(players) == 2 else "siguo")
    seat = players.index("p")

    def is_next(state: dict[str, object]) -> bool:
        return bool(state["verdict"]) or (state["toMove"] == seat and bool(state["legal"]))

    while page.until(is_next)["verdict"] is None:
        page.send("save", format="jgr")
        assert "when it is over" in page.wait("error")["reason"]
        page.until(is_next)
        ply = len(page.state["moves"])
        page.act("move", text=page.state["legal"][ply * 7 % (len(page.state["legal"]) - 1)])
        page.until(lambda state, ply=ply: len(state["moves"]) > ply)  # type: ignore[misc]
    page.send("save", format="jgr")
    assert page.wait("file")["data"]


# What lasts


def test_a_game_of_junqi_lies_in_the_log_alone(start_board: BoardMaker, tmp_path: Path) -> None:
    board = start_board()
    page = board.page()
    page.new("junqi", "pe", variant="duel")
    page.act("move", text=page.state["legal"][0])
    page.until_ply(2)
    before = page.state
    board.kill()
    board.start()
    page = board.join()
    assert (page.state["moves"], page.state["start"]) == (before["moves"], before["start"])
    board.kill()
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "address.json"]
    assert len(files) == 1


def test_nothing_is_left_of_a_log_that_is_broken(start_board: BoardMaker, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "20260101-000000-1.table").write_text("no log\n")
    assert start_board().join().hello["table"] is None


def test_two_programs_do_not_write_into_one_log(start_board: BoardMaker) -> None:
    first = start_board()
    page = first.page()
    page.new("xiangqi", "pp")
    page.play("h2e2")
    second = start_board()
    assert second.join().hello["table"] is None
    second.end()
    before = page.play("h9g7")
    first.end()
    first.start()
    assert first.join().state == before


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
def test_a_game_goes_on_when_its_log_cannot(start_board: BoardMaker, tmp_path: Path) -> None:
    import resource

    board = start_board()
    page = board.page()
    page.new("xiangqi", "pe")
    (log,) = (tmp_path / "tables").iterdir()
    size = log.stat().st_size
    resource.prlimit(board.process.pid, resource.RLIMIT_FSIZE, (size + 10, size + 10))
    page.act("move", text="h2e2")
    assert page.wait("error")["reason"].startswith("the game is kept no longer")
    page.until_ply(2)
    assert log.stat().st_size == size
    assert board.end() == ""
    board.start()
    assert board.join().state["moves"] == []
