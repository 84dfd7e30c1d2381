"""Positions and lineups that are set up at `sanqi board`, pasted texts and stored lineups, by their messages."""

from __future__ import annotations

import base64
import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("websockets", reason="needs websockets")

from tests.helpers.board_client import GUEST, PERSON, BoardClient, sanqi
from tests.protocol.conftest import BoardMaker

PERSONS = [PERSON, PERSON]
AGAINST_ENGINE = [PERSON, sanqi(1)]
FACING = "4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1"
TWO_ROOKS = "4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1"
LINEUP = "58671/1.2.5/41.39/2.4.3/M72B3/MB6FM"


def set_up(page: BoardClient, game: str, seats: list[dict[str, str]] = PERSONS, **fields: Any) -> dict[str, Any]:
    page.send("set-up", **{"game": game, "options": {}, "seats": seats, **fields})
    return page.wait("set-up", "error")


def begin(page: BoardClient, game: str, start: str, seats: list[dict[str, str]] = PERSONS, **options: str) -> None:
    page.send("new", game=game, options=options, seats=seats, start=start)
    page.begun()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (FACING, "the kings face each other"),
        ("position fen 4k4/4R4/9/9/9/9/9/9/9/3K5 w", "the side that is not to move is in check: e8e9 takes the king"),
        ("9/9/9/9/9/9/9/9/9/3K5 w", "FEN has no Black king"),
        ("4k4/9/9/9/9/9/9/9/9/3KK4 w", "FEN has more than 1 of Red king 'K'"),
        ("4k4/9/9/4x4/9/9/9/9/9/3K5 w", "FEN has an unknown piece 'x' in '4x4'"),
        ("4k4/9/9/9 w", "FEN has 4 ranks instead of 10: '4k4/9/9/9'"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 x", "FEN has an unknown side to move 'x', expected w or b"),
        ("3kR4/5R3/9/9/9/9/9/9/9/4K4 b", "the game is over: Red wins: checkmate."),
    ],
)
def test_a_bad_fen_is_named(page: BoardClient, text: str, fault: str) -> None:
    answer = set_up(page, "xiangqi", text=text)
    assert answer["fault"] == fault


def test_a_game_begins_with_pieces_that_were_set_up(page: BoardClient) -> None:
    """The side to move is chosen; undo ends at the position; PGN and XQF keep it."""
    shown = set_up(page, "xiangqi")
    number = {name: at for at, (_, _, name, _) in enumerate(shown["geometry"]["board"]["points"])}
    pieces = [[number["e9"], 7], [number["d0"], 0], [number["a8"], 4], [number["a4"], 11]]
    answer = set_up(page, "xiangqi", pieces=pieces, toMove=1)
    assert answer == {
        "type": "set-up",
        "game": "xiangqi",
        "text": "4k4/R8/9/9/9/r8/9/9/9/3K5 b - - 0 1",
        "fault": "",
        "remarks": [],
    }
    begin(page, "xiangqi", answer["text"], AGAINST_ENGINE[::-1])
    assert page.state["toMove"] == 1 and page.state["fen"] == answer["text"]
    page.act("move", text="a4a8")
    page.until_ply(2)
    page.act("undo")
    assert page.until_ply(0)["fen"] == answer["text"]
    for form in ("pgn", "xqf"):
        page.send("save", format=form)
        file = page.wait("file")
        page.send("load", name=file["name"], data=file["data"])
        assert page.wait("geometry", "error")["type"] == "geometry"
        assert page.wait("state")["fen"].split()[:2] == answer["text"].split()[:2]


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("4k4/9/9/9/9/9/A8/9/9/3K4R w", "Red advisor on a3"),
        ("4k4/9/4B4/9/9/9/9/9/9/3K4R w", "Red elephant on e7"),
        ("4k4/9/9/9/9/9/9/p8/P8/3K5 w", "Red pawn on a1"),
    ],
)
def test_pieces_where_no_move_leads_are_named(page: BoardClient, text: str, odd: str) -> None:
    """A composed position may have them: the page hears of them before the game begins, and in the game."""
    answer = set_up(page, "xiangqi", text=text)
    assert answer["fault"] == ""
    assert answer["remarks"] == [f"{odd}: no move leads there; the position is searched all the same"]
    begin(page, "xiangqi", answer["text"])
    assert page.state["remarks"] == answer["remarks"]


def test_a_king_outside_its_palace_is_refused(page: BoardClient) -> None:
    answer = set_up(page, "xiangqi", text="4k4/9/9/9/9/9/9/9/9/2K6 w")
    assert "a Red king where none can stand, outside its palace" in answer["fault"] and answer["remarks"] == []


@pytest.mark.parametrize("pieces", [[[999, 0]], [[0, 99]], [["a", 1]], [0], None, [[0]]])
def test_no_such_pieces(page: BoardClient, pieces: object) -> None:
    for game in ("xiangqi", "gomoku", "junqi"):
        answer = set_up(page, game, AGAINST_ENGINE, pieces=pieces, toMove=0)
        assert answer["type"] == "error" or answer["fault"]


def test_stones_are_set_up(page: BoardClient) -> None:
    """On the board of the options; SGF keeps them and who is to move."""
    answer = set_up(
        page, "gomoku", options={"size": "9", "rule": "renju"}, pieces=[[40, 0], [41, 1], [42, 0]], toMove=0
    )
    assert answer["fault"] == ""
    begin(page, "gomoku", answer["text"], size="9", rule="renju")
    assert len(page.geometry["board"]["points"]) == 81 and page.state["toMove"] == 0
    assert page.state["legal"] and "4,4" not in page.state["legal"]
    page.act("move", text="0,0")
    page.until_ply(1)
    page.send("save", format="sgf")
    file = page.wait("file")
    assert b"AB[ee][ge]" in base64.b64decode(file["data"])
    page.send("load", name=file["name"], data=file["data"])
    page.wait("geometry")
    assert page.wait("state")["moves"][0]["text"] == "0,0"
    five = [[point, 0] for point in range(5)]
    assert set_up(page, "gomoku", pieces=five, toMove=1)["fault"] == "the game is over: Black wins."


def test_a_record_is_set_up_as_it_ends(page: BoardClient) -> None:
    answer = set_up(page, "xiangqi", text="1. 炮二平五 馬8進7")
    assert answer["text"] == "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2"
    answer = set_up(page, "gomoku", text="h8i9h9")
    assert answer["state"]["toMove"] == 1 and answer["fault"] == ""


@pytest.mark.parametrize(
    ("text", "game", "moves"),
    [
        (TWO_ROOKS, "xiangqi", []),
        (f"position fen {TWO_ROOKS} moves b0b9", "xiangqi", ["b0b9"]),
        ("startpos moves h2e2 h9g7", "xiangqi", ["h2e2", "h9g7"]),
        ("炮二平五 馬8進7", "xiangqi", ["h2e2", "h9g7"]),
        ('[Game "Chinese Chess"]\n[Result "*"]\n\n1. C2.5 {a comment} H8+7 *', "xiangqi", ["h2e2", "h9g7"]),
        ("(;GM[4]SZ[15];B[hh];W[ii])", "gomoku", ["7,7", "8,8"]),
        ("h8i9h9", "gomoku", ["7,7", "8,6", "7,6"]),
    ],
)
def test_a_pasted_text_is_loaded(page: BoardClient, text: str, game: str, moves: list[str]) -> None:
    page.send("paste", text=text)
    assert page.wait("geometry", "error")["type"] == "geometry"
    assert page.geometry["game"] == game
    state = page.wait("state")
    assert [move["text"] for move in state["moves"]] == moves
    assert [seat["isPerson"] for seat in state["seats"]] == [True, True]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("good morning", "this is no position and no game"),
        ("", "this is no position and no game"),
        (FACING, "the kings face each other"),
        (LINEUP, "FEN has 6 ranks instead of 10"),
    ],
)
def test_another_text_is_refused_and_the_game_stays(page: BoardClient, text: str, reason: str) -> None:
    page.new("gomoku", "pp")
    page.send("paste", text=text)
    assert reason in page.wait("error")["reason"]
    page.act("move", text="7,7")
    page.until_ply(1)


def test_a_set_up_game_survives_a_crash(start_board: BoardMaker) -> None:
    board = start_board()
    page = board.page()
    begin(page, "xiangqi", TWO_ROOKS)
    page.play("b0b8")
    board.kill()
    board.start()
    page = board.join()
    assert [move["text"] for move in page.state["moves"]] == ["b0b8"]
    page.act("undo")
    assert page.until_ply(0)["fen"] == TWO_ROOKS


# Lineups


@pytest.mark.parametrize(
    ("lineup", "fault"),
    [
        (LINEUP, ""),
        ("B8671/1.2.5/41.39/2.4.3/M7253/MB6FM", "a bomb stands at {}, in the front row"),
        ("M8671/1.2.5/41.39/2.4.3/572B3/MB6FM", "a mine stands at {}, not in the two back rows"),
        ("F8671/1.2.5/41.39/2.4.3/M72B3/MB65M", "the flag stands at {}, not in a headquarters"),
        ("98671/1.2.5/41.39/2.4.3/M72B3/MB6FM", "2 pieces 9, an army has 1"),
    ],
)
@pytest.mark.parametrize("variant", ["siguo", "duel"])
def test_illegal_lineups_are_refused(page: BoardClient, variant: str, lineup: str, fault: str) -> None:
    seats = AGAINST_ENGINE * (2 if variant == "siguo" else 1)
    seats = [{**seat, "player": "person" if at == 1 else "sanqi"} for at, seat in enumerate(seats)]
    fault = fault.format({"siguo": "l7", "duel": "e7"}[variant])  # as the board labels the seat's first point
    assert set_up(page, "junqi", seats, options={"variant": variant}, text=lineup)["fault"] == fault
    page.send("new", game="junqi", options={"variant": variant}, seats=seats, start=lineup)
    answer = page.wait("geometry", "error")
    assert answer == {"type": "error", "reason": fault} if fault else answer["type"] == "geometry"


def test_a_game_with_an_own_lineup(start_board: BoardMaker, tmp_path: Path) -> None:
    """Two pieces are exchanged on the board. The lineup is known to the seat and to the log."""
    page = start_board().page()
    options = {"variant": "duel"}
    shown = set_up(page, "junqi", AGAINST_ENGINE, options=options, text=LINEUP)
    kinds = shown["geometry"]["board"]["kinds"]
    start = shown["state"]["start"]
    codes = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    pieces = [
        [62 * codes.index(a) + codes.index(b), codes.index(kind)]
        for a, b, kind in zip(start[::3], start[1::3], start[2::3])
    ]
    assert sum(kinds[kind][0] == "?" for _, kind in pieces) == 25  # the other seat's
    own = [piece for piece in pieces if piece[0] < 30]
    own[0][1], own[1][1] = own[1][1], own[0][1]
    answer = set_up(page, "junqi", AGAINST_ENGINE, options=options, text=LINEUP, pieces=pieces, toMove=0)
    assert (answer["text"], answer["fault"]) == ("85671/1.2.5/41.39/2.4.3/M72B3/MB6FM", "")
    begin(page, "junqi", answer["text"], AGAINST_ENGINE, variant="duel")
    assert page.state["start"][2] == codes[own[0][1]] and page.state["fen"] == ""
    [log] = (tmp_path / "tables").iterdir()
    assert answer["text"] in log.read_text()
    if os.name != "nt":
        assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_lineup_is_not_told_to_others(start_board: BoardMaker) -> None:
    """What a guest and a watcher get does not depend on the pieces of the owner's lineup, but for the table's id."""
    board = start_board("--host", "127.0.0.2")
    owner, told = board.page(), []
    for lineup in (LINEUP, "85671/1.2.5/41.39/2.4.3/M72B3/MB6FM"):
        fields = {"game": "junqi", "options": {"variant": "duel"}, "seats": [PERSON, GUEST]}
        owner.send("set-up", **fields, text=lineup)
        assert owner.wait("set-up")["text"] == lineup
        owner.send("new", **fields, start=lineup)
        owner.begun()
        got = []
        for page in (board.guest("1"), board.guest("w")):
            page.send("join", table=None)
            for kind in ("hello", "geometry", "state"):
                got.append(json.dumps(page.wait(kind)))
        told.append([re.sub(r'"table": "\w+"', "", text) for text in got])
    watcher, other_watcher = told[0][3:], told[1][3:]
    assert watcher == other_watcher
    shown = [json.loads(texts[2])["start"][:75] for texts in told]
    assert shown[0] == shown[1]  # of the guest, whose own pieces come last and are drawn anew
    assert not any(lineup in text for text in [*told[0], *told[1]] for lineup in (LINEUP, "85671"))


def test_random_lineups_differ_and_are_legal(page: BoardClient) -> None:
    answers = [set_up(page, "junqi", AGAINST_ENGINE, options={"variant": "duel"}) for _ in range(5)]
    assert {answer["fault"] for answer in answers} == {""}
    assert len({answer["text"] for answer in answers}) > 1


def test_lineups_are_stored_by_name(start_board: BoardMaker, tmp_path: Path) -> None:
    board = start_board()
    page = board.page()

    def asked(kind: str, **fields: str) -> dict[str, str]:
        page.send(kind, **fields)
        lineups: dict[str, str] = page.wait("lineups")["lineups"]
        return lineups

    other = "85671/1.2.5/41.39/2.4.3/M72B3/MB6FM"
    assert asked("lineups") == {}
    assert asked("keep-lineup", name="wall", text=LINEUP) == {"wall": LINEUP}
    assert asked("keep-lineup", name="快攻", text=other) == {"wall": LINEUP, "快攻": other}
    page.send("keep-lineup", name=" ", text=other)
    assert page.wait("error")["reason"] == "a lineup needs a name"
    file = tmp_path / "lineups.json"
    assert json.loads(file.read_bytes())["wall"] == LINEUP
    if os.name != "nt":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    board.kill()
    board.start()
    page = board.page()
    assert asked("drop-lineup", name="wall") == {"快攻": other}


# What people do from a position


@pytest.mark.parametrize(
    ("game", "start", "moves"),
    [
        ("xiangqi", TWO_ROOKS, ("b0b9",)),
        ("gomoku", "(;GM[4]SZ[15]AB[dh][eh][fh][gh]AW[aa][ac][ae]PL[B])", ("7,7",)),
    ],
)
def test_a_position_is_analysed_tried_and_reviewed(
    page: BoardClient, game: str, start: str, moves: tuple[str, ...]
) -> None:
    begin(page, game, start)
    page.send("analyse", at=0, lines=1)
    while not (found := page.wait("lines"))["lines"] or found["lines"][0]["winrate"] < 0.99:
        assert found["running"] or found["lines"], found
    page.send("analyse", at=0, lines=0)
    page.send("add", after=0, text=moves[0])
    tried = page.wait("added", "refused", "error")
    assert tried["type"] == "added"
    page.send("look", at=tried["at"])
    assert page.wait("position")["fen"] != start
    assert page.play(*moves)["verdict"]
    page.act("review")
    while (review := page.wait("review"))["status"] == "running":
        pass
    assert review["status"] == "done" and review["plies"] == []


@pytest.mark.parametrize("opening", ["swap2", "d1"])
def test_a_position_takes_the_place_of_an_opening(page: BoardClient, opening: str) -> None:
    options = {"rule": "renju" if opening == "d1" else "freestyle", "opening": opening}
    shown = set_up(page, "gomoku", options=options)
    assert shown["fault"] == "" and shown["state"]["start"].count(".") == 0
    answer = set_up(page, "gomoku", options=options, pieces=[[112, 0]], toMove=1)
    begin(page, "gomoku", answer["text"], PERSONS, **options)
    assert page.state["toMove"] == 1 and len(page.state["legal"]) == 224
