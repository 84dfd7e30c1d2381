"""Two people with a browser each: the owner of the board and who has the link of a seat."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser.board_page import BoardPage, violations
from tests.protocol.conftest import BoardMaker

if TYPE_CHECKING:
    from tests.helpers.board_client import BoardProcess

OpenPage = Callable[..., BoardPage]
HOST = "127.0.0.2"


@pytest.fixture
def server(start_board: BoardMaker) -> BoardProcess:
    return start_board("--host", HOST)


def link_of(owner: BoardPage, whose: str) -> str:
    """The link of a seat, from the dialog."""
    page = owner.page
    page.click('[data-act="links"]')
    link = page.locator("#dialog label", has_text=whose).locator("input").input_value()
    assert violations(page) == []
    page.press("#dialog", "Escape")
    page.wait_for_selector("#dialog:not([open])", state="attached")
    return str(link)


def test_the_owner_sees_who_is_at_a_seat(open_page: OpenPage) -> None:
    """Beside the seat's name, at once, in both languages; a screen reader says who comes and goes."""
    owner = open_page()
    owner.begin("xiangqi", {0: "person", 1: "guest"}, {})
    page = owner.page
    page.wait_for_selector('[data-seat="1"]:has-text("nobody there")')
    link = link_of(owner, "black")
    guest = open_page(link)
    page.wait_for_selector('[data-seat="1"]:has-text("connected")')
    assert page.locator("#spoken").text_content() == "Black: connected"
    assert page.locator('[data-seat="0"]:has-text("connected")').count() == 0
    guest.page.close()
    page.wait_for_selector('[data-seat="1"]:has-text("nobody there")')
    assert page.locator("#spoken").text_content() == "Black: nobody there"
    page.click('[data-act="settings"]')
    page.select_option('[name="language"]', "zh")
    page.wait_for_selector('[data-seat="1"]:has-text("无人")')
    page.press("#dialog", "Escape")
    open_page(link)
    page.wait_for_selector('[data-seat="1"]:has-text("已连接")')
    assert page.locator("#spoken").text_content() == "黑方: 已连接"


def test_two_browsers_play(open_page: OpenPage, server: BoardProcess) -> None:
    owner = open_page()
    owner.begin("xiangqi", {0: "person", 1: "guest"}, {})
    link = link_of(owner, "black")
    guest, watcher = open_page(link), open_page(link_of(owner, "who watches"))
    for page in (guest, watcher):
        page.wait_ply(0)
        assert page.page.url == f"http://{server.guests_host}/"
        for name in ("new", "open", "save", "links", "practise", "try", "review"):
            assert page.page.locator(f'[data-act="{name}"]').count() == 0
    assert guest.page.locator("#near-seats").inner_text().startswith("You")
    guest.type_move("h9g7")
    assert "not your turn" in guest.refusal()
    owner.click("h2", "e2")
    guest.wait_turn(1)
    owner.type_move("h9g7")
    assert "not your turn" in owner.refusal()
    watcher.type_move("h9g7")
    assert "only watch" in watcher.refusal()
    guest.click("h9", "g7")
    for page in (owner, watcher):
        page.wait_ply(2)
    assert owner.moves() == guest.moves() == watcher.moves() == ["炮二平五", "馬8進7"]
    guest.page.click('[data-act="analyse"]')
    assert "only the owner" in guest.refusal()
    assert not any(page.messages for page in (owner, guest, watcher))
    assert violations(guest.page) == []


def test_a_guest_comes_back_after_a_crash(open_page: OpenPage, server: BoardProcess) -> None:
    owner = open_page()
    owner.begin("gomoku", {0: "person", 1: "guest"}, {})
    guest = open_page(link_of(owner, "white"))
    owner.click("7,7")
    guest.wait_turn(1)
    server.kill()
    guest.page.wait_for_selector("#lost")
    server.start("--host", HOST)
    guest.page.wait_for_selector("#lost", state="detached")
    guest.wait_turn(1)
    guest.click("8,8")
    owner.wait_turn(2)


def test_junqi_over_links(open_page: OpenPage, server: BoardProcess) -> None:
    """Each sees the own pieces alone, who watches none, and all after the end."""
    owner = open_page()
    owner.begin("junqi", {0: "person", 1: "guest"}, {}, variant="duel")
    guest, watcher = open_page(link_of(owner, "seat 1")), open_page(link_of(owner, "who watches"))
    known = []
    for page in (owner, guest, watcher):
        page.wait_ply(0)
        known.append({name for name, text in page.pieces().items() if "?" not in text})
    assert [len(names) for names in known] == [25, 25, 0]
    assert not known[0] & known[1]
    owner.page.click('[data-act="resign"]')
    owner.page.click('[data-act="resign"]')
    for page in (owner, guest, watcher):
        page.wait_over()
        assert not [text for text in page.pieces().values() if "?" in text]


def test_a_new_game_reaches_the_guests(open_page: OpenPage, server: BoardProcess) -> None:
    owner = open_page()
    owner.begin("xiangqi", {0: "person", 1: "guest"}, {})
    link = link_of(owner, "black")
    guest = open_page(link)
    owner.begin("gomoku", {0: "guest", 1: "guest"}, {})
    guest.page.wait_for_selector('.point[data-name="7,7"]')
    assert "You\nWhite" in guest.page.locator("#near-seats").inner_text()
