"""Whole games at `sanqi board`, and what lasts when it ends."""

from __future__ import annotations

import base64
import random
import sys
from pathlib import Path

import pytest

pytest.importorskip("websockets", reason="needs websockets")

from junqi_protocol.records.records import record_text
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import SIGUO
from junqi_protocol.rules.lineup import random_lineup
from junqi_protocol.rules.messages import DEPARTURES, Terms
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
        page.send("load", name=file["name"], data=file["data"])
        assert [move["text"] for move in page.begun()["moves"]] == [move["text"] for move in state["moves"]]


PLAYED = {
    "gomoku": ("pp", ["7,7", "8,8", "7,8"], {"size": "15"}),
    "xiangqi": ("pp", ["h2e2", "h9g7", "h0g2"], {}),
    "junqi": ("pe", [], {"variant": "duel"}),
}
BINARY = {"xqf"}


@pytest.mark.parametrize("game", PLAYED)
def test_what_is_saved_is_loaded_and_pasted(page: BoardClient, game: str) -> None:
    players, played, options = PLAYED[game]
    page.new(game, players, **options)
    page.play(*played)
    if game == "junqi":  # is saved when it is over
        page.act("move", text=page.state["legal"][0])
        page.until_ply(2)
        page.act("resign")
        page.until_over()
    moves = [move["text"] for move in page.state["moves"]]
    formats = page.geometry["formats"]
    assert moves and formats
    for form in formats:
        page.send("save", format=form)
        file = page.wait("file")
        page.new("gomoku", "pp")
        page.send("load", name=file["name"], data=file["data"])
        assert [move["text"] for move in page.begun()["moves"]] == moves, form
        assert page.geometry["game"] == game
        if form in BINARY:
            continue
        page.new("gomoku", "pp")
        page.send("paste", text=base64.b64decode(file["data"]).decode())
        assert [move["text"] for move in page.begun()["moves"]] == moves, form
        assert page.geometry["game"] == game


@pytest.mark.parametrize("comments", ["# sanqi play xiangqi --level=3\r\n# 炮二平五\r\n", "\ufeff", "\n\n# \n\n#\n"])
def test_a_position_line_is_loaded_from_a_text_file(page: BoardClient, comments: str) -> None:
    """Also one that `sanqi play` or another program has written; other text files are Gomoku's as before."""
    line = f"{comments}position startpos moves h2e2\r\n".encode()
    page.send("load", name="my game.TXT", data=base64.b64encode(line).decode())
    assert [move["text"] for move in page.begun()["moves"]] == ["h2e2"]
    wrong = line.replace(b"h2e2", b"h2e3")
    page.send("load", name="game.txt", data=base64.b64encode(wrong).decode())
    assert "'h2e3' is not legal there" in page.wait("error")["reason"]
    page.send("load", name="game.txt", data=base64.b64encode(b"881 782 111\n").decode())
    assert [move["text"] for move in page.begun()["moves"]] == ["7,7", "6,7", "0,0"]
    page.send("load", name="game.txt", data=base64.b64encode(b"h8i9\n").decode())
    assert [move["text"] for move in page.begun()["moves"]] == ["7,7", "8,6"]
    page.send("load", name="notes.txt", data=base64.b64encode(b"no game\n").decode())
    assert page.wait("error")["reason"] == "notes.txt: no game has such files"


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


@pytest.mark.parametrize("reason", DEPARTURES)
def test_a_record_in_which_a_seat_has_left_is_loaded(page: BoardClient, reason: str) -> None:
    chance = random.Random(1)
    arbiter = Arbiter(Terms(SIGUO, quiet=70, skips=5), [random_lineup(chance) for _ in range(4)])
    arbiter.leave(reason)
    arbiter.skip("pass")
    page.send("load", name="game.jgr", data=base64.b64encode(record_text(arbiter).encode()).decode())
    state = page.begun()
    assert [move["text"] for move in state["moves"]] == [reason, "pass"]
    assert [seat["isOut"] for seat in state["seats"]] == [True, False, False, False]


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


def test_a_log_without_a_beginning_hides_no_game(start_board: BoardMaker, tmp_path: Path) -> None:
    board = start_board()
    page = board.page()
    page.new("xiangqi", "pp")
    page.play("h2e2")
    board.end()
    for name, text in (("20990101-000000-1", ""), ("20990101-000000-2", '{"sanqi board": 1, "game')):
        (tmp_path / "tables" / f"{name}.table").write_text(text)
    board.start()
    assert [move["text"] for move in board.join().state["moves"]] == ["h2e2"]


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
