"""Seat links of `sanqi board --host`, by raw WebSockets: who may do what, and what each page gets."""

from __future__ import annotations

import base64
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("websockets", reason="needs sanqi[board]")

from websockets.exceptions import InvalidStatus

from tests.helpers.board_client import GUEST, PERSON, BoardProcess, sanqi
from tests.helpers.in_process import run_here
from tests.protocol.conftest import BoardMaker

HOST = "127.0.0.2"
"""Another address of this computer, on Linux."""
FORBIDDEN = (
    {"type": "new", "game": "xiangqi", "options": {}, "seats": [PERSON, PERSON]},
    {"type": "new", "game": "xiangqi", "options": {}, "seats": [sanqi(1), sanqi(1)]},
    {"type": "load", "name": "a.pgn", "data": ""},
    {"type": "save", "format": "pgn"},
    {"type": "level", "level": "1"},
    {"type": "hint", "ply": 0},
    {"type": "undo", "ply": 0},
    {"type": "analyse", "at": 0, "lines": 1},
    {"type": "look", "at": 0},
    {"type": "add", "after": 0, "text": "h2e2"},
    {"type": "review", "ply": 0},
    {"type": "stop-review"},
    {"type": "practise", "table": None},
    {"type": "try", "table": "a", "ply": 1, "text": "h2e2"},
    {"type": "set-up", "game": "xiangqi", "options": {}, "seats": [PERSON, PERSON], "text": ""},
    {"type": "paste", "text": "h2e2"},
    {"type": "lineups"},
    {"type": "keep-lineup", "name": "a", "text": "a"},
    {"type": "drop-lineup", "name": "a"},
)


@pytest.fixture(scope="module")
def board_arguments() -> tuple[str, ...]:
    return ("--host", HOST)


def test_the_owner_sees_who_is_at_a_seat(board: BoardProcess) -> None:
    """When joining, at a new game, and when a guest comes or goes; who watches is none."""
    owner = board.join()
    owner.send("new", game="xiangqi", options={}, seats=[PERSON, GUEST])
    owner.begun()
    assert owner.wait("guests")["seats"] == [[1, False]]
    board.guest("w")
    guest = board.guest("1")
    assert owner.wait("guests")["seats"] == [[1, True]]
    assert board.join().wait("guests")["seats"] == [[1, True]]
    second = board.guest("1")
    assert owner.wait("guests")["seats"] == [[1, True]]
    for page, is_there in ((guest, True), (second, False)):
        page.socket.close()
        assert owner.wait("guests")["seats"] == [[1, is_there]]


def test_links_and_a_warning_are_printed(board: BoardProcess) -> None:
    assert set(board.links) == {"w", "0", "1", "2", "3"}
    assert len({board.token, *board.links.values()}) == 6
    assert all(re.fullmatch(r"[\w-]{22}", token) for token in board.links.values())  # 128 bits
    assert "HTTP is not encrypted" in board.said
    assert board.guests_host == f"{HOST}:{board.host.partition(':')[2]}"


def test_the_links_are_kept_by_the_owner_alone(board: BoardProcess) -> None:
    if os.name != "nt":
        assert stat.S_IMODE((board.folder / "address.json").stat().st_mode) == 0o600


def test_hosts_and_origins(board: BoardProcess) -> None:
    port = board.host.partition(":")[2]
    assert board.ask("/", host=f"{HOST}:{port}")[0] == 200
    for name in (HOST, f"{HOST}:1", f"127.0.0.3:{port}", f"example.org:{port}"):
        assert board.ask("/", host=name)[0] == 421
    board.page(board.links["1"], f"http://{HOST}:{port}").socket.close()
    for origin in (f"http://127.0.0.3:{port}", f"https://{HOST}:{port}", "http://example.org", "null"):
        with pytest.raises(InvalidStatus) as refusal:
            board.page(board.links["1"], origin)
        assert refusal.value.response.status_code == 403


@pytest.mark.parametrize("token", ["0" * 22, "owner", "seat 1", "seat"])
def test_no_socket_without_a_token_of_a_link(board: BoardProcess, token: str) -> None:
    with pytest.raises(InvalidStatus):
        board.page(token=token.replace(" ", "-"))
    with pytest.raises(InvalidStatus):
        board.page(token=board.links["1"][:-1])


def test_two_people_play(board: BoardProcess) -> None:
    owner = board.join()
    owner.new("xiangqi", "pg")
    links = owner.geometry["links"]
    assert {name for name, _ in links} == {"who watches", "black"}
    assert dict(links)["black"].endswith("#" + board.links["1"])
    guest, watcher, other = board.guest("1"), board.guest("w"), board.guest("0")
    assert guest.hello["role"] == "seat" and watcher.hello["role"] == "watcher"
    assert (owner.state["seat"], guest.state["seat"], watcher.state["seat"], other.state["seat"]) == ([0], [1], [], [])
    assert owner.state["legal"] and not guest.state["legal"] and not watcher.state["legal"]
    for page in (guest, other):
        page.act("move", text="h2e2")
        assert page.wait("refused")["reason"] == "it is not your turn"
    watcher.act("move", text="h2e2")
    assert watcher.wait("error")["reason"] == "you only watch"
    assert owner.play("h2e2")["moves"][0]["text"] == "h2e2"
    for page in (guest, watcher):
        page.until_ply(1)
    owner.act("move", text="h9g7")
    assert owner.wait("refused")["reason"] == "it is not your turn"
    assert guest.state["legal"]
    guest.play("h9g7")
    assert len(owner.until_ply(2)["moves"]) == 2
    other.until_ply(2)
    other.act("resign")
    assert other.wait("refused")["reason"] == "that cannot be done in this game"
    guest.act("resign")
    verdict = owner.until_over()["verdict"]
    assert verdict == {"text": "Red wins: Black resigned. You win.", "won": True}
    assert guest.until_over()["verdict"]["won"] is False
    assert watcher.until_over()["verdict"]["won"] is None


@pytest.mark.parametrize("whose", ["1", "0", "w"])
def test_guests_cannot_do_what_is_the_owners(board: BoardProcess, whose: str) -> None:
    owner = board.join()
    owner.new("xiangqi", "pg")
    guest = board.guest(whose)
    for message in FORBIDDEN:
        guest.send(**message)
        answer = guest.get()
        assert answer["type"] == "error", message
        assert answer["reason"] in ("only the owner of the board can do that", "you only watch")
    assert guest.state["can"] == (["resign", "draw"] if whose == "1" else [])
    guest.send("move", ply=0, text="h2e2", more="x" * 1000)
    assert guest.wait("error")["reason"] == "the message is too long"
    owner.send("join", table=None)
    assert owner.wait("state")["moves"] == []


def test_no_help_against_a_guest(board: BoardProcess) -> None:
    owner = board.join()
    owner.new("gomoku", "pg")
    owner.play("8,8")
    board.guest("1").play("9,9")
    owner.until_ply(2)
    assert owner.state["can"] == ["resign", "draw"]
    for action in ("hint", "undo"):
        owner.act(action)
        assert "over a link" in owner.wait("refused")["reason"]
    owner.send("analyse", at=0, lines=1)
    assert owner.wait("error")["reason"] == "the analysis begins when the game is over"


def test_junqi_shows_each_seat_its_own(board: BoardProcess) -> None:
    owner = board.join()
    owner.new("junqi", "gg", variant="duel")
    pages = {whose: board.guest(whose) for whose in ("0", "1", "w")}
    starts = {**{whose: page.state["start"] for whose, page in pages.items()}, "owner": owner.state["start"]}
    assert starts["owner"] == starts["w"]
    assert len(set(starts.values())) == 3
    owner.send("save", format="jgr")
    assert "when it is over" in owner.wait("error")["reason"]
    pages["0"].act("resign")
    over: dict[str, Any] = {whose: page.until_over() for whose, page in pages.items()}
    assert len({state["start"] for state in over.values()}) == 1
    assert over["0"]["start"] != starts["0"]


def test_a_guest_comes_back_after_a_crash(start_board: BoardMaker) -> None:
    board = start_board("--host", HOST)
    owner = board.join()
    owner.new("xiangqi", "pg")
    owner.play("h2e2")
    before = dict(board.links), board.host
    board.kill()
    board.start("--host", HOST)
    assert (board.links, board.host) == before
    guest = board.guest("1")
    assert guest.state["seat"] == [1] and len(guest.state["moves"]) == 1
    guest.act("move", text="h9g7")
    assert guest.wait("state")["moves"][1]["text"] == "h9g7"
    board.end()
    board.start()
    assert "--host" in board.join().wait("said")["text"]


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "0", "127.1", "::", "0:0::0", "255.255.255.255", "192.0.2.1", "no.such.host.invalid"]
)
def test_hosts_that_cannot_be(tmp_path: Path, host: str) -> None:
    ran = run_here("board", "--no-open", "--host", host, cwd=tmp_path)
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"sanqi board: --host {host}: ") and ran.stderr.count("\n") == 1


def test_a_guest_who_is_early_waits(start_board: BoardMaker) -> None:
    board = start_board("--host", HOST)
    guest = board.guest("1")
    assert guest.wait("said")["text"] == "The game has not begun yet."
    board.join().new("xiangqi", "pg")
    assert guest.wait("geometry")["links"] == []
    assert guest.wait("state")["seat"] == [1]


def test_what_an_engine_said_at_its_end_is_for_the_owner(start_board: BoardMaker) -> None:
    board = start_board("--host", HOST, "--engine", "name=absent cmd=/no/such/engine proto=ucci")
    owner = board.join()
    owner.new("xiangqi", [GUEST, {"player": "absent"}])
    guest = board.guest("0")
    guest.act("move", text="h2e2")
    assert "/no/such/engine" in owner.until_over()["verdict"]["text"]
    assert guest.until_over()["verdict"]["text"] == "Red wins: Black has lost. You win."


def task_is(text: str) -> Callable[[dict[str, Any]], bool]:
    return lambda state: state["task"] == text


def test_people_agree_on_a_draw(start_board: BoardMaker) -> None:
    """An offer stands until the next move; it can be taken back; the record has the result, also after a kill."""
    board = start_board("--host", HOST)
    owner = board.page()
    owner.new("xiangqi", "pg")
    guest = board.guest("1")
    for offers in ("Red offers a draw.", "", "Red offers a draw."):
        owner.act("draw")
        assert guest.until(task_is(offers))["verdict"] is None
    owner.play("h2e2")
    assert guest.until(lambda state: state["moves"])["task"] == ""
    guest.act("draw")
    assert owner.until(lambda state: state["task"])["task"] == "Black offers a draw."
    owner.act("draw")
    for page in (owner, guest):
        assert page.until_over()["verdict"] == {"text": "Draw: both agreed.", "won": None}
    board.kill()
    board.start("--host", HOST)
    owner = board.join()
    assert owner.state["verdict"]["text"] == "Draw: both agreed."
    owner.send("save", format="pgn")
    assert '[Result "1/2-1/2"]' in base64.b64decode(owner.wait("file")["data"]).decode()


def test_an_agreed_draw_that_is_taken_back_leaves_no_offers(start_board: BoardMaker) -> None:
    page = start_board().page()
    page.new("xiangqi", "pp")
    page.act("draw")
    page.until_over()
    page.act("undo")
    assert page.until(lambda state: state["verdict"] is None)["task"] == ""
    page.act("draw")
    page.until_over()


def test_an_engine_agrees_to_no_draw(start_board: BoardMaker) -> None:
    owner = start_board().page()
    owner.new("gomoku", "pe", level="1")
    assert not owner.state["hasDraws"] and "draw" not in owner.state["can"]
    owner.act("draw")
    assert owner.wait("refused")["reason"] == "an engine agrees to no draw"


def test_a_draw_that_is_offered_again_and_again_fills_no_log(start_board: BoardMaker) -> None:
    """Only the offer that stands is kept, also over a kill."""
    board = start_board("--host", HOST)
    board.page().new("junqi", "gp", variant="duel")
    guest = board.guest("0")
    (log,) = (board.folder / "tables").iterdir()

    def draw(said: str) -> list[str]:
        """Offer a draw, or no longer; what the log has of it."""
        guest.act("draw")
        assert guest.wait("said")["text"] == said
        return log.read_text().splitlines()[1:]

    offered, withdrawn = "your next move offers a draw", "it no longer offers a draw"
    for _ in range(3):
        assert draw(offered) == ['{"draw":true}']
        assert draw(withdrawn) == []
    draw(offered)
    board.kill()
    board.start("--host", HOST)
    guest = board.guest("0")
    assert draw(withdrawn) == []
    assert draw(offered) == ['{"draw":true}']
    guest.play(guest.state["legal"][0])
    board.kill()
    board.start("--host", HOST)
    owner = board.join()
    assert owner.state["task"] == "The enemies offer a draw."
    owner.act("draw")
    assert owner.wait("said")["text"] == "your next move agrees to a draw"
    assert len(log.read_text().splitlines()) == 4
