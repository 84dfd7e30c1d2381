"""A person plays on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.board_page import BoardPage
from tests.browser.conftest import BoardServer

PERSONS = {0: "person", 1: "person"}
PERSON_FIRST = {0: "person", 1: "sanqi"}
OpenPage = Callable[..., BoardPage]


def test_start(open_page: OpenPage, server: BoardServer) -> None:
    """Few requests, all to this machine, and no console message, also during a game."""
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    board.click("h2", "e2")
    board.wait_ply(1)
    origin = server.address.split("#")[0]
    assert len(board.requests) <= 25
    assert all(url.startswith(origin) for url in board.requests)
    assert board.messages == []


def test_xiangqi_by_clicks(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("xiangqi", PERSON_FIRST, {1: "1"})
    board.click("h2")
    assert board.page.locator(".target").count() == 12
    board.click("e2")
    board.wait_turn(2)
    assert board.moves()[0] == "炮二平五"
    assert board.pieces()["e2"].startswith("e2 cannon 炮 red")


@pytest.mark.parametrize("way", ["click", "drag", "tap", "type"])
def test_each_way_to_move(open_page: OpenPage, way: str) -> None:
    board = open_page(has_touch=way == "tap")
    board.begin("xiangqi", PERSONS, {})
    for ply, (start, end, typed) in enumerate([("h2", "e2", "炮二平五"), ("h9", "g7", "h9g7"), ("h0", "g2", "H2+3")], 1):
        if way == "click":
            board.click(start, end)
        elif way == "drag":
            board.drag(start, end)
        elif way == "tap":
            board.point(start).tap()
            board.point(end).tap()
        else:
            board.type_move(typed)
        board.wait_ply(ply)
    assert board.moves() == ["炮二平五", "馬8進7", "傌二進三"]


@pytest.mark.parametrize(
    ("moves", "refused", "reason"),
    [
        ((), ("h0", "f1"), "blocks the leg"),
        (("h2e2", "h9g7", "e2e6"), ("g7", "h5"), "in check"),
        (("e3e4", "e6e5", "e4e5", "i9i8", "e5d5", "i8i9"), ("d5", "d4"), "a pawn moves"),
    ],
)
def test_refusals_in_xiangqi(open_page: OpenPage, moves: tuple[str, ...], refused: tuple[str, str], reason: str) -> None:
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    for ply, move in enumerate(moves, 1):
        board.type_move(move)
        board.wait_ply(ply)
    before = board.pieces()
    board.click(*refused)
    assert reason in board.refusal()
    assert board.pieces() == before
    assert len(board.moves()) == len(moves)


def test_check_is_marked(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    for ply, move in enumerate(("h2e2", "h9g7", "e2e6"), 1):
        board.type_move(move)
        board.wait_ply(ply)
    assert board.page.locator(".danger").count() == 1
    assert "Check!" in board.page.inner_text("#status")


def test_undo(open_page: OpenPage) -> None:
    """Two plies when the engine has answered, one while it thinks; its late move is dropped."""
    board = open_page()
    board.begin("xiangqi", PERSON_FIRST, {1: "1"})
    board.click("h2", "e2")
    board.wait_turn(2)
    board.page.click('[data-act="undo"]')
    board.wait_turn(0)
    board.begin("xiangqi", PERSON_FIRST, {1: "full"}, movetime="60000")
    board.click("h2", "e2")
    board.page.wait_for_selector('main[data-ply="1"][data-turn="other"]')
    board.page.click('[data-act="undo"]')
    board.wait_turn(0)
    board.click("b2", "e2")
    board.wait_ply(1)
    assert board.moves() == ["炮八平五"]


def test_forbidden_points(open_page: OpenPage) -> None:
    """Renju forbids Black a double three; the point is marked, and says why."""
    board = open_page()
    board.begin("gomoku", PERSONS, {}, rule="renju")
    for ply, move in enumerate(("h8", "a1", "g7", "a15", "f8", "o1", "f9", "o15"), 1):
        board.type_move(move)
        board.wait_ply(ply)
