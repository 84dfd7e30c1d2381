"""The server of `sanqi board`, by its messages (docs/board-messages.md), over a real WebSocket."""

from __future__ import annotations

import base64
import json
import os
import stat

import pytest

pytest.importorskip("websockets", reason="needs sanqi[board]")

from tests.helpers.board_client import PERSON, BoardProcess, Message, sanqi
from tests.protocol.conftest import BoardMaker


def test_a_game_of_xiangqi(board: BoardProcess) -> None:
    page = board.join()
    assert [game["name"] for game in page.hello["games"]] == ["xiangqi", "gomoku", "junqi"]
    page.new("xiangqi", "pe")
    assert len(page.geometry["board"]["points"]) == 90 and page.geometry["notations"][0] == "chinese"
    state = page.play("炮二平五")
    assert state["moves"][0]["names"] == {"chinese": "炮二平五", "ucci": "h2e2"}
    state = page.until_ply(2)
    assert not state["thinking"] and state["legal"]
    page.act("move", text="b0d1")
    assert "leg" in page.wait("refused")["reason"]
    page.send("move", ply=0, text="h0g2")
    assert page.wait("refused")["reason"] == "the game has gone on"
    page.act("hint")
    assert len(page.wait("hint")["points"]) == 2
    page.act("undo")
    assert page.until_ply(0)["thinking"] is False
    page.act("resign")
    verdict = page.until_over()["verdict"]
    assert verdict["text"] == "Black wins: Red resigned. You lose."


def test_a_late_move_of_the_engine_is_dropped(board: BoardProcess) -> None:
    page = board.join()
    page.new("xiangqi", "pe", level="full", movetime="60000")
    assert page.play("h2e2")["thinking"]
    page.act("undo")
    assert page.wait("state")["moves"] == []
    page.send("level", level="1")
    page.wait("state")
    page.play("h0g2")
    assert len(page.until_ply(2)["moves"]) == 2


def test_points_that_renju_forbids_have_their_reason(board: BoardProcess) -> None:
    page = board.join()
    page.new("gomoku", "pp", rule="renju")
    state = page.play("7,7", "0,0", "8,7", "0,2", "9,8", "0,4", "9,9", "0,6")
    assert "3-3" in state["forbidden"]["9,7"]
    page.act("move", text="9,7")
    assert "3-3" in page.wait("refused")["reason"]


def test_no_review_while_a_game_goes_on(board: BoardProcess) -> None:
    page = board.join()
    page.new("junqi", "pe", variant="duel")
    page.act("move", text=page.state["legal"][0])
    page.until_ply(2)
    page.act("review")
    assert page.wait("refused")["reason"] == "the game can be reviewed when it is over"
    page.new("xiangqi", "pp")
    assert "review" not in page.play("h2e2")["can"]
    page.act("review")
    assert page.wait("refused")["reason"] == "the game can be reviewed when it is over"
    page.act("resign")
    assert "review" in page.until_over()["can"]
    page.act("undo")
    assert "review" not in page.wait("state")["can"]


def test_engines_play_a_game_to_its_end(board: BoardProcess) -> None:
    page = board.join()
    page.new("gomoku", [sanqi(3), sanqi(2)], size="9")
    state = page.until_over()
    assert state["can"] == ["review"] and (state["row"] or "Draw" in state["verdict"]["text"])


def test_hidden_pieces_stay_hidden_until_the_end(board: BoardProcess) -> None:
    page = board.join()
    page.new("junqi", "pe", variant="duel")
    kinds = page.geometry["board"]["kinds"]
    hidden = [number for number, kind in enumerate(kinds) if kind[0] == "?"]
    codes = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    shown = [codes.index(letter) for letter in page.state["start"][2::3]]
    enemy = [number for number in shown if kinds[number][1] == 1]
    assert len(enemy) == 25 and set(enemy) == {hidden[1]}
    page.send("save", format="jgr")
    assert "when it is over" in page.wait("error")["reason"]
    page.act("resign")
    state = page.until_over()
    assert not any(codes.index(letter) in hidden for letter in state["start"][2::3])
    page.send("save", format="jgr")
    assert base64.b64decode(page.wait("file")["data"]).startswith(b"record 1\n")


def test_a_game_of_four_seats_goes_on_without_the_person(board: BoardProcess) -> None:
    page = board.join()
    page.new("junqi", "peee", variant="siguo")
    page.act("move", text=page.state["legal"][0])
    page.until_ply(4)
    assert [seat["partner"] for seat in page.state["seats"]] == ["partner of seat 2", "", "", ""]
    page.act("resign")
    assert page.until(lambda state: len(state["moves"]) > 8)["seats"][0]["isOut"]


def test_a_table_outlives_the_program(start_board: BoardMaker) -> None:
    board = start_board()
    page = board.join()
    assert page.hello["table"] is None
    page.new("xiangqi", "pp")
    page.play("h2e2", "h9g7", "h0g2", "i9h9")
    page.act("undo")
    page.wait("state")
    before = page.state
    board.kill()
    (log,) = (board.folder / "tables").iterdir()
    if os.name != "nt":
        assert stat.S_IMODE(log.stat().st_mode) == 0o600
    with log.open("ab") as file:
        file.write(b'{"move": "b9c')
    board.start()
    page = board.join()
    assert page.hello["table"] is not None
    assert page.state == before
    page.play("b9c7")
    assert len(page.state["moves"]) == 4


def test_clocks_go_on_after_a_kill(start_board: BoardMaker) -> None:
    board = start_board()
    page = board.join()
    page.send("new", game="xiangqi", options={}, seats=[PERSON, PERSON], clock="10+5")
    page.begun()
    assert page.state["hasClocks"] and page.state["running"] == 0
    page.play("h2e2")
    assert page.state["running"] == 1
    assert page.state["seats"][0]["clockMs"] <= 605_000
    (log,) = (board.folder / "tables").iterdir()

    def thought() -> int:
        return max(int(json.loads(line).get("thought", 0)) for line in log.read_bytes().splitlines()[-2:])

    while thought() <= 1000:
        board.ask("/")
    board.kill()
    board.start()
    page = board.join()
    assert page.state["running"] == 1
    assert page.state["seats"][1]["clockMs"] <= 600_000 - thought()
    page.act("resign")
    assert page.wait("state")["running"] is None


def test_a_game_is_saved_and_loaded(board: BoardProcess) -> None:
    page = board.join()
    page.new("xiangqi", "pp")
    page.play("h2e2")
    page.send("save", format="pgn")
    file = page.wait("file")
    named = base64.b64decode(file["data"]).decode().replace('[Red "?"]', '[Red "Hu Ronghua"]')
    file["data"] = base64.b64encode(named.encode()).decode()
    page.new("gomoku", "pp")
    page.send("load", name=file["name"], data=file["data"])
    assert [move["names"]["chinese"] for move in page.begun()["moves"]] == ["炮二平五"]
    assert [seat["who"] for seat in page.state["seats"]] == ["Hu Ronghua", "person"]
    page.send("save", format="pgn")
    assert '[Red "Hu Ronghua"]' in base64.b64decode(page.wait("file")["data"]).decode()
    page.send("load", name="game.pgn", data=base64.b64encode(b"[nothing").decode())
    assert page.wait("error")["reason"].startswith("'game.pgn': line 1")
    page.send("load", name="game.exe", data="")
    assert page.wait("error")["reason"] == "game.exe: no game has such files"


def test_two_pages_see_the_same_game(board: BoardProcess) -> None:
    one, two = board.join(), board.join()
    one.new("gomoku", "pp")
    two.wait("geometry")
    two.wait("state")
    one.play("7,7")
    assert [move["text"] for move in two.wait("state")["moves"]] == ["7,7"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"game": "chess", "options": {}, "seats": []}, "there is no such game"),
        ({"game": "xiangqi", "options": {}, "seats": [PERSON]}, "the game has 2 seats"),
        ({"game": "xiangqi", "options": {"fen": "9/9 w"}, "seats": [PERSON, PERSON]}, "fen: FEN has"),
        ({"game": "xiangqi", "options": {"resume": "/etc/passwd"}, "seats": [PERSON, PERSON]}, "no option resume"),
        ({"game": "gomoku", "options": {"size": "99"}, "seats": [PERSON, PERSON]}, "size: expected a number"),
        ({"game": "gomoku", "options": {}, "seats": [PERSON, {"player": "rm -rf"}]}, "there is no player"),
        ({"game": "gomoku", "options": {}, "seats": [PERSON, {"player": "guest"}]}, "after a start with --host"),
        ({"game": "junqi", "options": {"variant": "duel"}, "seats": [PERSON, PERSON]}, "one person can play"),
        ({"game": "xiangqi", "options": {}, "seats": [PERSON, PERSON], "clock": "ten"}, "clocks are written as 10+5"),
    ],
)
def test_a_game_that_cannot_be(board: BoardProcess, fields: Message, reason: str) -> None:
    page = board.join()
    page.send("new", **fields)
    assert reason in page.wait("error")["reason"]
