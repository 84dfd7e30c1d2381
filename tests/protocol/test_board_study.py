"""Analysis and tried moves at `sanqi board`, by their messages."""

from __future__ import annotations

import base64

import pytest

pytest.importorskip("websockets", reason="needs websockets")

from tests.helpers.board_client import BoardClient
from tests.protocol.conftest import BoardMaker

pytestmark = pytest.mark.long


def add(page: BoardClient, after: int | str, text: str) -> int | str:
    page.send("add", after=after, text=text)
    answer = page.wait("added", "refused", "error")
    assert answer["type"] == "added", answer
    at: int | str = answer["at"]
    return at


@pytest.mark.parametrize(("game", "moves"), [("xiangqi", ["h2e2"]), ("gomoku", ["7,7"])])
def test_lines_of_the_shown_position(page: BoardClient, game: str, moves: list[str]) -> None:
    page.new(game, "pp")
    page.play(*moves)
    page.send("analyse", at=1, lines=4)
    while len((found := page.wait("lines"))["lines"]) < 4:
        assert found["at"] == 1
    assert len({tuple(line["points"]) for line in found["lines"]}) == 4
    for line in found["lines"]:
        assert all(line["names"][name] for name in page.geometry["notations"])
    assert 0 < found["winrate"] < 1
    page.send("analyse", lines=0)
    while (last := page.wait("lines"))["at"] is not None:
        pass
    assert last["lines"] == [] and last["wanted"] == 0
    page.send("look", at=1)
    assert page.get()["type"] == "position"  # nothing came after the end


def test_an_answer_is_of_the_position_that_was_asked_for_last(page: BoardClient) -> None:
    """A tried move that was then played is another position of the page; one that asks again gets the last answer."""
    page.new("xiangqi", "pp", fen="4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1")
    page.send("analyse", at=add(page, 0, "b0b9"), lines=1)
    page.wait("lines")
    page.play("b0b9")
    for _ in range(2):
        page.send("analyse", at=1, lines=1)
        while (found := page.wait("lines"))["at"] != 1 or found["running"]:
            pass


def test_scores_are_of_the_first_side(page: BoardClient) -> None:
    """Black, to move, is mated in one; the curve is there for a page that joins."""
    page.new("xiangqi", "pp", fen="4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1")
    for at in (0, 1):
        page.send("analyse", at=at, lines=1)
        while not (found := page.wait("lines"))["lines"]:
            if at == 1 and found["winrate"] == 1:
                break
        if at == 0:
            assert found["lines"][0]["mate"] == 1
            page.play("b0b9")
    page.send("join")
    assert page.wait("curve")["scores"] == [[0, pytest.approx(1, abs=0.02)], [1, 1]]


def test_no_analysis_against_an_engine(page: BoardClient) -> None:
    """It begins when the game is over, and ends when that is taken back."""
    page.new("xiangqi", "pe")
    assert page.state["whyNoAnalysis"]
    page.send("analyse", at=0, lines=1)
    assert page.wait("lines", "error")["reason"] == page.state["whyNoAnalysis"]
    page.act("resign")
    page.until_over()
    page.send("analyse", at=0, lines=1)
    assert page.wait("lines", "error")["at"] == 0
    page.act("undo")
    while page.wait("lines")["at"] is not None:
        pass


def test_no_analysis_for_a_seat_of_junqi(page: BoardClient) -> None:
    page.new("junqi", "pe", variant="duel")
    page.send("analyse", at=0, lines=1)
    assert page.wait("lines", "error")["type"] == "error"
    for type, fields in (("look", {"at": 0}), ("add", {"after": 0, "text": "a6a7"})):
        page.send(type, **fields)
        assert "hidden" in page.wait("position", "added", "error")["reason"]


def test_tried_moves_last(start_board: BoardMaker) -> None:
    """A tree with comments beside the game, after kill -9 and a restart, too."""
    board = start_board()
    page = board.page()
    page.new("xiangqi", "pp")
    page.play("h2e2", "h9g7")
    assert add(page, 1, "h9g7") == 2  # a move of the game
    first = add(page, 1, "b9c7")
    second = add(page, first, "傌二进三")
    other = add(page, first, "b0c2")
    assert add(page, first, "h0g2") == second
    assert add(page, 0, "b2e2") not in (first, second, other)
    page.send("comment", at=second, text='象棋 " & <b>')
    page.send("add", after=first, text="h0f1")
    assert "blocks the leg" in page.wait("refused")["reason"]
    page.send("look", at=second)
    position = page.wait("position")
    assert position["toMove"] == 1 and "h9g7" in position["legal"]
    page.send("remove", at=other)
    nodes = page.wait("tree")["nodes"]
    board.kill()
    board.start()
    page = board.join()
    assert page.wait("tree")["nodes"] == nodes
    assert [(node["after"], node["text"], node["comment"]) for node in nodes] == [
        (1, "b9c7", ""),
        (first, "h0g2", '象棋 " & <b>'),
        (0, "b2e2", ""),
    ]
    page.until_ply(2)
    page.act("undo")
    page.until_ply(1)
    page.act("undo")
    assert [node["after"] for node in page.wait("tree")["nodes"]] == [0]


def test_nothing_is_left_after_the_end(start_board: BoardMaker) -> None:
    """An analysis that runs does not keep the program from its end."""
    board = start_board()
    page = board.page()
    page.new("gomoku", "pp")
    page.send("analyse", at=0, lines=5)
    page.wait("lines")
    board.process.terminate()
    assert board.process.wait(timeout=20) is not None


VARIATIONS = """[Game "Chinese Chess"]
[Result "*"]

1. h2e2 (1. b2e2 h9g7 (1... b9c7 2. b0c2)) h9g7 2. h0g2 (2. b0c2 {slow}) i9h9 *
"""


@pytest.mark.parametrize("suffix", ["pgn", "xqf"])
def test_side_lines_of_a_record_are_loaded_and_saved(page: BoardClient, suffix: str) -> None:
    load(page, "game.pgn", VARIATIONS.encode())
    tree = page.wait("tree")["nodes"]
    assert [(move["after"], move["text"]) for move in tree] == [
        (0, "b2e2"), ("t1", "h9g7"), ("t1", "b9c7"), ("t3", "b0c2"), (2, "b0c2"),
    ]  # fmt: skip
    assert tree[-1]["comment"] == "slow"
    tried = add(page, 3, "b9c7")
    page.send("comment", at=tried, text="solid")
    page.send("save", format=suffix)
    file = page.wait("file")
    page.send("load", name=f"again.{suffix}", data=file["data"])
    page.wait("geometry")
    again = page.wait("tree")["nodes"]
    assert [(move["text"], move["comment"]) for move in again] == [
        ("b2e2", ""), ("h9g7", ""), ("b9c7", ""), ("b0c2", ""), ("b0c2", "slow"), ("b9c7", "solid"),
    ]  # fmt: skip


def load(page: BoardClient, name: str, data: bytes) -> None:
    page.send("load", name=name, data=base64.b64encode(data).decode())
    assert page.wait("geometry", "error")["type"] == "geometry"


SGF = "(;GM[4]SZ[15];B[hh](;W[hi];B[ih])(;W[gg]C[slow];B[ff](;W[ee])(;W[ei])))"


def test_variations_of_sgf_are_loaded_and_saved(page: BoardClient) -> None:
    load(page, "game.sgf", SGF.encode())
    tree = page.wait("tree")["nodes"]
    assert [(move["after"], move["text"], move["comment"]) for move in tree] == [
        (1, "6,6", "slow"), ("t1", "5,5", ""), ("t2", "4,4", ""), ("t2", "4,8", ""),
    ]  # fmt: skip
    tried = add(page, 2, "k10")
    page.send("comment", at=tried, text="a ] and \\")
    add(page, tried, "l11")
    page.send("save", format="sgf")
    page.send("load", name="again.sgf", data=page.wait("file")["data"])
    page.wait("geometry")
    again = page.wait("tree")["nodes"]
    assert [(move["after"], move["text"], move["comment"]) for move in again] == [
        (1, "6,6", "slow"), ("t1", "5,5", ""), ("t2", "4,4", ""), ("t2", "4,8", ""),
        (2, "10,5", "a ] and \\"), ("t5", "11,4", ""),
    ]  # fmt: skip


def test_variations_that_the_rule_forbids_are_left_out(page: BoardClient) -> None:
    """Black's double three in renju, and a stone after a five."""
    moves = "B[hh];W[aa];B[gh];W[ao];B[ig];W[oa]"
    load(page, "game.sgf", f"(;GM[4]RU[renju];{moves}(;B[aj];W[ja])(;B[if];W[oo];B[ih];W[kk])(;B[ba]))".encode())
    assert [move["text"] for move in page.wait("tree")["nodes"]] == ["8,5", "14,14", "1,0"]


def test_variations_of_a_game_with_swap2(page: BoardClient) -> None:
    """They begin after the choice; a choice that was tried is no move of a record."""
    page.new("gomoku", "pp", opening="swap2")
    page.play("7,7", "8,7", "9,9", "white", "1,1")
    add(page, 4, "2,2")
    other = add(page, add(page, 3, "black"), "3,3")
    assert add(page, other, "4,4")
    page.send("save", format="sgf")
    page.send("load", name="again.sgf", data=page.wait("file")["data"])
    page.wait("geometry")
    assert [(move["after"], move["text"]) for move in page.wait("tree")["nodes"]] == [
        (4, "2,2"), (4, "3,3"), ("t2", "4,4"),
    ]  # fmt: skip
