"""Whole games at `sanqi board`, and what lasts when it ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("websockets", reason="needs websockets")

from tests.helpers.board_client import BoardProcess


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardProcess]:
    """A server that the tests of games use; at its end it has said nothing on stderr."""
    process = BoardProcess(tmp_path_factory.mktemp("board"))
    yield process
    assert process.end() == ""


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
def test_a_whole_game_of_engines(board: BoardProcess, game: str, players: str, options: dict[str, str]) -> None:
    with board.page() as page:
        page.new(game, players, **options)
        state = page.until(lambda state: state["verdict"] is not None)
        assert state["verdict"]["text"]
        assert state["legal"] == []
        formats = page.geometry["formats"]
        for form in formats:
            page.send("save", format=form)
            file = page.wait("file")
            if form == "txt":
                continue  # a list of moves for people, which is not read
            page.send("load", name=file["name"], data=file["data"])
            assert page.wait("geometry", "error")["type"] == "geometry"
            assert [move["text"] for move in page.wait("state")["moves"]] == [move["text"] for move in state["moves"]]


@pytest.mark.parametrize("players", ["pe", "epee"], ids=("duel", "siguo"))
@pytest.mark.long
def test_a_person_plays_junqi_to_the_end(board: BoardProcess, players: str) -> None:
    with board.page() as page:
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


def test_a_game_of_junqi_lies_in_the_log_alone(tmp_path: Path) -> None:
    board = BoardProcess(tmp_path)
    with board.page() as page:
        page.new("junqi", "pe", variant="duel")
        page.act("move", text=next(move for move in page.state["legal"]))
        page.until(lambda state: len(state["moves"]) == 2)
        before, start = page.state["moves"], page.state["start"]
    board.kill()
    board.start()
    with board.page() as page:
        page.join()
        state = page.wait("state")
        assert (state["moves"], state["start"]) == (before, start)
    board.kill()
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "address.json"]
    assert len(files) == 1


def test_nothing_is_left_of_a_log_that_is_broken(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "20260101-000000-1.table").write_text("no log\n")
    board = BoardProcess(tmp_path)
    with board.page() as page:
        assert page.join()["table"] is None
    board.kill()


def test_two_programs_do_not_write_into_one_log(tmp_path: Path) -> None:
    first = BoardProcess(tmp_path)
    with first.page() as page:
        page.new("xiangqi", "pp")
        page.act("move", text="h2e2")
        page.wait("state")
        second = BoardProcess(tmp_path)
        with second.page() as other:
            assert other.join()["table"] is None
        second.end()
        page.act("move", text="h9g7")
        before = page.wait("state")
    first.end()
    first.start()
    with first.page() as page:
        page.join()
        assert page.wait("state") == before
    first.end()


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
def test_a_game_goes_on_when_its_log_cannot(tmp_path: Path) -> None:
    import resource

    board = BoardProcess(tmp_path)
    with board.page() as page:
        page.new("xiangqi", "pe")
        (log,) = (tmp_path / "tables").iterdir()
        size = log.stat().st_size
        resource.prlimit(board.process.pid, resource.RLIMIT_FSIZE, (size + 10, size + 10))
        page.act("move", text="h2e2")
        assert page.wait("error")["reason"].startswith("the game is kept no longer")
        page.until(lambda state: len(state["moves"]) == 2)
    assert log.stat().st_size == size
    assert board.end() == ""
    board.start()
    with board.page() as page:
        page.join()
        assert page.wait("state")["moves"] == []
    board.end()
