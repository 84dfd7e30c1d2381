"""Seat links of `sanqi board --host`, by raw WebSockets: who may do what, and what each page gets."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("websockets", reason="needs sanqi[board]")

from websockets.exceptions import InvalidStatus

from tests.protocol.test_board import KILL, PERSON, Board, Page, engine

GUEST = {"player": "guest"}
HOST = "127.0.0.2"
"""Another address of this computer, on Linux."""
FORBIDDEN = (
    {"type": "new", "game": "xiangqi", "options": {}, "seats": [PERSON, PERSON]},
    {"type": "new", "game": "xiangqi", "options": {}, "seats": [engine(1), engine(1)]},
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


class HostedBoard(Board):
    """`sanqi board --host`, with the tokens of its links: `w` for who watches, the number of a seat for the others."""

    arguments: tuple[str, ...] = ("--host", HOST)
    links: dict[str, str]

    def start(self) -> None:
        super().start()
        self.links = {}
        self.said = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if found := re.search(r"http://([^/]+)/#(\S+)  (?:player (\d)|who watches)", line):
                self.guests_host, token, number = found.groups()
                self.links["w" if number is None else str(int(number) - 1)] = token
            if "Ctrl-C" in line:
                return

    def guest(self, whose: str) -> Page:
        return self.page(token=self.links[whose])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostedBoard]:
    board = HostedBoard(tmp_path_factory.mktemp("board"))
    yield board
    board.stop()


@pytest.fixture
def board(server: HostedBoard) -> Iterator[HostedBoard]:
    with server.pages:
        yield server


def test_links_and_a_warning_are_printed(board: HostedBoard) -> None:
    assert set(board.links) == {"w", "0", "1", "2", "3"}
    assert len({board.token, *board.links.values()}) == 6
    assert all(re.fullmatch(r"[\w-]{22}", token) for token in board.links.values())  # 128 bits
    assert "HTTP is not encrypted" in board.said
    assert board.guests_host == f"{HOST}:{board.host.partition(':')[2]}"


def test_the_links_are_kept_by_the_owner_alone(board: HostedBoard) -> None:
    if os.name != "nt":
        assert stat.S_IMODE((board.folder / "address.json").stat().st_mode) == 0o600


def test_hosts_and_origins(board: HostedBoard) -> None:
    port = board.host.partition(":")[2]
    assert board.get("/", Host=f"{HOST}:{port}")[0] == 200
    for name in (HOST, f"{HOST}:1", f"127.0.0.3:{port}", f"example.org:{port}"):
        assert board.get("/", Host=name)[0] == 421
    board.page(f"http://{HOST}:{port}", board.links["1"]).socket.close()
    for origin in (f"http://127.0.0.3:{port}", f"https://{HOST}:{port}", "http://example.org", "null"):
        with pytest.raises(InvalidStatus) as refusal:
            board.page(origin, board.links["1"])
        assert refusal.value.response.status_code == 403


@pytest.mark.parametrize("token", ["0" * 22, "owner", "seat 1", "seat"])
def test_no_socket_without_a_token_of_a_link(board: HostedBoard, token: str) -> None:
    with pytest.raises(InvalidStatus):
        board.page(token=token.replace(" ", "-"))
    with pytest.raises(InvalidStatus):
        board.page(token=board.links["1"][:-1])


def test_two_people_play(board: HostedBoard) -> None:
    owner = board.page()
    geometry = owner.begin("xiangqi", PERSON, GUEST)
    assert {name for name, _ in geometry["links"]} == {"who watches", "black"}
    assert dict(geometry["links"])["black"].endswith("#" + board.links["1"])
    guest, watcher, other = board.guest("1"), board.guest("w"), board.guest("0")
    assert guest.hello["role"] == "seat" and watcher.hello["role"] == "watcher"
    assert (owner.state["seat"], guest.state["seat"], watcher.state["seat"], other.state["seat"]) == ([0], [1], [], [])
    assert owner.state["legal"] and not guest.state["legal"] and not watcher.state["legal"]
    for page in (guest, other):
        page.do("move", text="h2e2")
        assert page.until("refused")["reason"] == "it is not your turn"
    watcher.do("move", text="h2e2")
    assert watcher.until("error")["reason"] == "you only watch"
    assert owner.move("h2e2")["moves"][0]["text"] == "h2e2"
    for page in (guest, watcher):
        page.until("state", lambda state: len(state["moves"]) == 1)
    owner.do("move", text="h9g7")
    assert owner.until("refused")["reason"] == "it is not your turn"
    assert guest.state["legal"]
    guest.move("h9g7")
    assert len(owner.until("state", lambda state: len(state["moves"]) == 2)["moves"]) == 2
    other.until("state", lambda state: len(state["moves"]) == 2)
    other.do("resign")
    assert other.until("refused")["reason"] == "that cannot be done in this game"
    guest.do("resign")
    verdict = owner.until("state", lambda state: state["verdict"] is not None)["verdict"]
    assert verdict == {"text": "Red wins: Black resigned. You win.", "won": True}
    assert guest.until("state", lambda state: state["verdict"] is not None)["verdict"]["won"] is False
    assert watcher.until("state", lambda state: state["verdict"] is not None)["verdict"]["won"] is None


@pytest.mark.parametrize("whose", ["1", "0", "w"])
def test_guests_cannot_do_what_is_the_owners(board: HostedBoard, whose: str) -> None:
    owner = board.page()
    owner.begin("xiangqi", PERSON, GUEST)
    guest = board.guest(whose)
    for message in FORBIDDEN:
        guest.send(**message)
        answer = guest.next()
        assert answer["type"] == "error", message
        assert answer["reason"] in ("only the owner of the board can do that", "you only watch")
    assert guest.state["can"] == (["resign"] if whose == "1" else [])
    guest.send("move", ply=0, text="h2e2", more="x" * 1000)
    assert guest.until("error")["reason"] == "the message is too long"
    owner.send("join", table=None)
    assert owner.until("state")["moves"] == []


def test_no_help_against_a_guest(board: HostedBoard) -> None:
    owner = board.page()
    owner.begin("gomoku", PERSON, GUEST)
    owner.move("8,8")
    board.guest("1").move("9,9")
    owner.until("state", lambda state: len(state["moves"]) == 2)
    assert owner.state["can"] == ["resign"]
    for action in ("hint", "undo"):
        owner.do(action)
        assert "over a link" in owner.until("refused")["reason"]
    owner.send("analyse", at=0, lines=1)
    assert owner.until("error")["reason"] == "the analysis begins when the game is over"


def test_junqi_shows_each_seat_its_own(board: HostedBoard) -> None:
    owner = board.page()
    owner.begin("junqi", GUEST, GUEST, variant="duel")
    pages = {whose: board.guest(whose) for whose in ("0", "1", "w")}
    starts = {**{whose: page.state["start"] for whose, page in pages.items()}, "owner": owner.state["start"]}
    assert starts["owner"] == starts["w"]
    assert len(set(starts.values())) == 3
    owner.send("save", format="jgr")
    assert "when it is over" in owner.until("error")["reason"]
    pages["0"].do("resign")
    over: dict[str, Any] = {whose: page.until("state", lambda state: state["verdict"]) for whose, page in pages.items()}
    assert len({state["start"] for state in over.values()}) == 1
    assert over["0"]["start"] != starts["0"]


def test_a_guest_comes_back_after_a_crash(tmp_path: Path) -> None:
    board = HostedBoard(tmp_path)
    with board.pages:
        owner = board.page()
        owner.begin("xiangqi", PERSON, GUEST)
        guest = board.guest("1")
        owner.move("h2e2")
        before = dict(board.links), board.host
        board.stop(KILL)
        board.start()
        assert (board.links, board.host) == before
        guest = board.guest("1")
        assert guest.state["seat"] == [1] and len(guest.state["moves"]) == 1
        guest.do("move", text="h9g7")
        assert guest.until("state")["moves"][1]["text"] == "h9g7"
    board.stop()
    board.arguments = ()
    board.start()
    with board.pages:
        assert "--host" in board.page().until("said")["text"]
    board.stop()


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "0", "127.1", "::", "0:0::0", "255.255.255.255", "192.0.2.1", "no.such.host.invalid"]
)
def test_hosts_that_cannot_be(tmp_path: Path, host: str) -> None:
    import subprocess

    from tests.protocol.conftest import PROGRAM

    ran = subprocess.run(
        [*PROGRAM, "board", "--no-open", "--host", host], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"sanqi board: --host {host}: ") and ran.stderr.count("\n") == 1


def test_a_guest_who_is_early_waits(tmp_path: Path) -> None:
    board = HostedBoard(tmp_path)
    with board.pages:
        guest = board.guest("1")
        assert guest.until("said")["text"] == "The game has not begun yet."
        board.page().begin("xiangqi", PERSON, GUEST)
        assert guest.until("geometry")["links"] == []
        assert guest.until("state")["seat"] == [1]
    board.stop()


class BoardWithAnEngine(HostedBoard):
    arguments = ("--host", HOST, "--engine", "name=absent cmd=/no/such/engine proto=ucci")


def test_what_an_engine_said_at_its_end_is_for_the_owner(tmp_path: Path) -> None:
    board = BoardWithAnEngine(tmp_path)
    with board.pages:
        owner = board.page()
        owner.begin("xiangqi", GUEST, {"player": "absent"})
        guest = board.guest("0")
        guest.do("move", text="h2e2")
        said = {
            page: page.until("state", lambda state: state["verdict"] is not None)["verdict"]["text"]
            for page in (owner, guest)
        }
        assert "/no/such/engine" in said[owner]
        assert said[guest] == "Red wins: Black has lost. You win."
    board.stop()


def test_a_draw_that_is_offered_again_and_again_fills_no_log(tmp_path: Path) -> None:
    """Only the offer that stands is kept, also over a kill."""
    board = HostedBoard(tmp_path)
    with board.pages:
        board.page().begin("junqi", GUEST, PERSON, variant="duel")
        guest = board.guest("0")
        (log,) = (board.folder / "tables").iterdir()

        def draw(said: str) -> list[str]:
            """Offer a draw, or no longer; what the log has of it."""
            guest.do("draw")
            assert guest.until("said")["text"] == said
            return log.read_text().splitlines()[1:]

        offered, withdrawn = "your next move offers a draw", "it no longer offers a draw"
        for _ in range(3):
            assert draw(offered) == ['{"draw":true}']
            assert draw(withdrawn) == []
        draw(offered)
        board.stop(KILL)
        board.start()
        guest = board.guest("0")
        assert draw(withdrawn) == []
        assert draw(offered) == ['{"draw":true}']
        guest.do("move", text=guest.state["legal"][0])
        guest.until("state", lambda state: len(state["moves"]) == 1)
        board.stop(KILL)
        board.start()
        owner = board.page()
        owner.do("draw")
        assert owner.until("said")["text"] == "your next move agrees to a draw"
        assert len(log.read_text().splitlines()) == 4
    board.stop()
