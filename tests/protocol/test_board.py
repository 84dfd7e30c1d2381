"""The server of `sanqi board`, by its messages (docs/board-messages.md), over a real WebSocket."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import signal
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("websockets", reason="needs sanqi[board]")

from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tests.protocol.conftest import PROGRAM

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Ends a process at once; on Windows every signal does."""

PERSON = {"player": "person", "level": ""}
Message = dict[str, Any]


def engine(level: int) -> dict[str, str]:
    return {"player": "sanqi", "level": str(level)}


class Board:
    """`sanqi board` as a process."""

    arguments: tuple[str, ...] = ()

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pages = ExitStack()
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, "board", "--no-open", *self.arguments],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "SANQI_DATA": str(self.folder)},
        )
        assert self.process.stdout is not None
        found = re.search(r"http://([^/]+)/#(\S+)", self.process.stdout.readline())
        assert found is not None
        self.host, self.token = found.groups()

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)
        self.process.communicate(timeout=20)

    def page(self, origin: str = "", token: str = "") -> Page:
        words = [Subprotocol(word) for word in ("sanqi-board", token or self.token)]
        origin = origin or f"http://{self.host}"
        opened = connect(f"ws://{self.host}/socket", origin=Origin(origin), subprotocols=words, max_size=None)
        return Page(self.pages.enter_context(opened))

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection(self.host, timeout=20)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()


class Page:
    """What a page sends, and gets."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.send("join", table=None)
        self.state: Message = {}
        self.hello = self.until("hello")
        if self.hello["table"] is not None:
            self.until("geometry")
            self.until("state")

    def send(self, type: str, **fields: Any) -> None:
        self.socket.send(json.dumps({"type": type, **fields}))

    def next(self) -> Message:
        message: Message = json.loads(self.socket.recv(timeout=60))
        if message["type"] == "state":
            self.state = message
        return message

    def until(self, type: str, wanted: Callable[[Message], bool] = lambda message: True) -> Message:
        while not ((message := self.next())["type"] == type and wanted(message)):
            pass
        return message

    def begin(self, game: str, *seats: dict[str, str], **options: str) -> Message:
        self.send("new", game=game, options=options, seats=list(seats))
        geometry = self.until("geometry")
        self.until("state")
        return geometry

    def do(self, type: str, **fields: Any) -> None:
        self.send(type, ply=len(self.state["moves"]), **fields)

    def move(self, text: str) -> Message:
        self.do("move", text=text)
        return self.until("state", lambda state: bool(state["moves"]))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    board = Board(tmp_path_factory.mktemp("board"))
    yield board
    board.stop()


@pytest.fixture
def board(server: Board) -> Iterator[Board]:
    with server.pages:
        yield server


def test_a_game_of_xiangqi(board: Board) -> None:
    page = board.page()
    assert [game["name"] for game in page.hello["games"]] == ["xiangqi", "gomoku", "junqi"]
    geometry = page.begin("xiangqi", PERSON, engine(1))
    assert len(geometry["board"]["points"]) == 90 and geometry["notations"][0] == "chinese"
    state = page.move("炮二平五")
    assert state["moves"][0]["names"] == {"chinese": "炮二平五", "ucci": "h2e2"}
    state = page.until("state", lambda state: len(state["moves"]) == 2)
    assert not state["thinking"] and state["legal"]
    page.do("move", text="b0d1")
    assert "leg" in page.until("refused")["reason"]
    page.send("move", ply=0, text="h0g2")
    assert page.until("refused")["reason"] == "the game has gone on"
    page.do("hint")
    assert len(page.until("hint")["points"]) == 2
    page.do("undo")
    assert page.until("state", lambda state: state["moves"] == [])["thinking"] is False
    page.do("resign")
    verdict = page.until("state", lambda state: state["verdict"] is not None)["verdict"]
    assert verdict["text"] == "Black wins: Red resigned. You lose."


def test_a_late_move_of_the_engine_is_dropped(board: Board) -> None:
    page = board.page()
    page.begin("xiangqi", PERSON, {"player": "sanqi", "level": "full"}, movetime="60000")
    assert page.move("h2e2")["thinking"]
    page.do("undo")
    assert page.until("state")["moves"] == []
    page.send("level", level="1")
    page.until("state")
    page.move("h0g2")
    assert len(page.until("state", lambda state: len(state["moves"]) == 2)["moves"]) == 2


def test_points_that_renju_forbids_have_their_reason(board: Board) -> None:
    page = board.page()
    page.begin("gomoku", PERSON, PERSON, rule="renju")
    for point in ("7,7", "0,0", "8,7", "0,2", "9,8", "0,4", "9,9", "0,6"):
        state = page.move(point)
    assert "3-3" in state["forbidden"]["9,7"]
    page.do("move", text="9,7")
    assert "3-3" in page.until("refused")["reason"]


def test_no_review_while_a_game_goes_on(board: Board) -> None:
    page = board.page()
    page.begin("junqi", PERSON, engine(1), variant="duel")
    page.do("move", text=page.state["legal"][0])
    page.until("state", lambda state: len(state["moves"]) == 2)
    page.do("review")
    assert page.until("refused")["reason"] == "the game can be reviewed when it is over"
    page.begin("xiangqi", PERSON, PERSON)
    assert "review" not in page.move("h2e2")["can"]
    page.do("review")
    assert page.until("refused")["reason"] == "the game can be reviewed when it is over"
    page.do("resign")
    assert "review" in page.until("state", lambda state: state["verdict"] is not None)["can"]
    page.do("undo")
    assert "review" not in page.until("state")["can"]


def test_engines_play_a_game_to_its_end(board: Board) -> None:
    page = board.page()
    page.begin("gomoku", engine(3), engine(2), size="9")
    state = page.until("state", lambda state: state["verdict"] is not None)
    assert state["can"] == ["review"] and (state["row"] or "Draw" in state["verdict"]["text"])


def test_hidden_pieces_stay_hidden_until_the_end(board: Board) -> None:
    page = board.page()
    geometry = page.begin("junqi", PERSON, engine(1), variant="duel")
    hidden = [number for number, kind in enumerate(geometry["board"]["kinds"]) if kind[0] == "?"]
    codes = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    shown = [codes.index(letter) for letter in page.state["start"][2::3]]
    enemy = [number for number in shown if geometry["board"]["kinds"][number][1] == 1]
    assert len(enemy) == 25 and set(enemy) == {hidden[1]}
    page.send("save", format="jgr")
    assert "when it is over" in page.until("error")["reason"]
    page.do("resign")
    state = page.until("state", lambda state: state["verdict"] is not None)
    assert not any(codes.index(letter) in hidden for letter in state["start"][2::3])
    page.send("save", format="jgr")
    assert base64.b64decode(page.until("file")["data"]).startswith(b"record 1\n")


def test_a_game_of_four_seats_goes_on_without_the_person(board: Board) -> None:
    page = board.page()
    page.begin("junqi", PERSON, *(engine(1) for _ in range(3)), variant="siguo")
    page.do("move", text=page.state["legal"][0])
    page.until("state", lambda state: len(state["moves"]) == 4)
    page.do("resign")
    assert page.until("state", lambda state: len(state["moves"]) > 8)["seats"][0]["isOut"]


def test_a_table_outlives_the_program(tmp_path: Path) -> None:
    board = Board(tmp_path)
    page = board.page()
    assert page.hello["table"] is None
    page.begin("xiangqi", PERSON, PERSON)
    for move in ("h2e2", "h9g7", "h0g2", "i9h9"):
        page.move(move)
    page.do("undo")
    page.until("state")
    before = page.state
    board.stop(KILL)
    (log,) = (board.folder / "tables").iterdir()
    if os.name != "nt":
        assert stat.S_IMODE(log.stat().st_mode) == 0o600
    with log.open("ab") as file:
        file.write(b'{"move": "b9c')
    board.start()
    page = board.page()
    assert page.hello["table"] is not None
    assert page.state == before
    page.move("b9c7")
    assert len(page.state["moves"]) == 4
    board.stop()


def test_clocks_go_on_after_a_kill(tmp_path: Path) -> None:
    board = Board(tmp_path)
    page = board.page()
    page.send("new", game="xiangqi", options={}, seats=[PERSON, PERSON], clock="10+5")
    page.until("state")
    assert page.state["hasClocks"] and page.state["running"] == 0
    page.move("h2e2")
    assert page.state["running"] == 1
    assert page.state["seats"][0]["clockMs"] <= 605_000
    (log,) = (board.folder / "tables").iterdir()

    def thought() -> int:
        return max(int(json.loads(line).get("thought", 0)) for line in log.read_bytes().splitlines()[-2:])

    while thought() <= 1000:
        board.get("/")
    board.stop(KILL)
    board.start()
    page = board.page()
    assert page.state["running"] == 1
    assert page.state["seats"][1]["clockMs"] <= 600_000 - thought()
    page.do("resign")
    assert page.until("state")["running"] is None
    board.stop()


def test_a_game_is_saved_and_loaded(board: Board) -> None:
    page = board.page()
    page.begin("xiangqi", PERSON, PERSON)
    page.move("h2e2")
    page.send("save", format="pgn")
    file = page.until("file")
    named = base64.b64decode(file["data"]).decode().replace('[Red "?"]', '[Red "Hu Ronghua"]')
    file["data"] = base64.b64encode(named.encode()).decode()
    page.begin("gomoku", PERSON, PERSON)
    page.send("load", name=file["name"], data=file["data"])
    page.until("geometry")
    assert [move["names"]["chinese"] for move in page.until("state")["moves"]] == ["炮二平五"]
    assert [seat["who"] for seat in page.state["seats"]] == ["Hu Ronghua", "person"]
    page.send("save", format="pgn")
    assert '[Red "Hu Ronghua"]' in base64.b64decode(page.until("file")["data"]).decode()
    page.send("load", name="game.pgn", data=base64.b64encode(b"[nothing").decode())
    assert page.until("error")["reason"].startswith("'game.pgn': line 1")
    page.send("load", name="game.exe", data="")
    assert page.until("error")["reason"] == "game.exe: no game has such files"


def test_two_pages_see_the_same_game(board: Board) -> None:
    one, two = board.page(), board.page()
    one.begin("gomoku", PERSON, PERSON)
    two.until("geometry")
    two.until("state")
    one.move("7,7")
    assert [move["text"] for move in two.until("state")["moves"]] == ["7,7"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"game": "chess", "options": {}, "seats": []}, "there is no such game"),
        ({"game": "xiangqi", "options": {}, "seats": [PERSON]}, "the game has 2 seats"),
        ({"game": "xiangqi", "options": {"fen": "9/9 w"}, "seats": [PERSON, PERSON]}, "--fen"),
        ({"game": "xiangqi", "options": {"resume": "/etc/passwd"}, "seats": [PERSON, PERSON]}, "no option resume"),
        ({"game": "gomoku", "options": {"size": "99"}, "seats": [PERSON, PERSON]}, "--size"),
        ({"game": "gomoku", "options": {}, "seats": [PERSON, {"player": "rm -rf"}]}, "there is no player"),
        ({"game": "junqi", "options": {"variant": "duel"}, "seats": [PERSON, PERSON]}, "one person can play"),
        ({"game": "xiangqi", "options": {}, "seats": [PERSON, PERSON], "clock": "ten"}, "clocks are written as 10+5"),
    ],
)
def test_a_game_that_cannot_be(board: Board, fields: Message, reason: str) -> None:
    page = board.page()
    page.send("new", **fields)
    assert reason in page.until("error")["reason"]


def test_only_the_page_of_this_machine_with_the_token(board: Board) -> None:
    status, headers, body = board.get("/")
    assert status == 200 and b"<script" in body
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    assert board.get("/", "POST")[0] in (400, 405) and board.get("/", "HEAD")[0] in (400, 405)
    assert board.get("/../setup.cfg")[0] == board.get("/data/index.html")[0] == 404
    assert board.get("/", Host="evil.example")[0] == 421
    for wrong in ({"origin": "http://evil.example"}, {"token": "guessed"}):
        with pytest.raises(InvalidStatus, match="403"):
            board.page(**wrong)
