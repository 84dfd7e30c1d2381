"""A person lets positions be analysed on the page, and tries moves."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.board_page import BoardPage, violations
from tests.browser.test_access import PHONE
from tests.browser.test_play import PERSON_FIRST, PERSONS, play

OpenPage = Callable[..., BoardPage]
ANALYSE = '[data-act="analyse"]'
TRY = '[data-act="try"]'


def listen(board: BoardPage) -> list[dict[str, Any]]:
    """The messages `lines` of the server's next connection, as they come."""
    found: list[dict[str, Any]] = []

    def note(frame: str | bytes) -> None:
        message = json.loads(frame)
        if message["type"] == "lines":
            found.append(message)

    board.page.on("websocket", lambda socket: socket.on("framereceived", note))
    board.page.reload()
    board.page.wait_for_selector("main[data-ply]")
    return found


def test_four_lines(open_page: OpenPage) -> None:
    """Four arrows, three to ten updates a second; switched off, they go at once and nothing follows."""
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    play(board, "h2e2")
    messages = listen(board)
    page = board.page
    assert page.locator(".arrow, .analysis").count() == 0
    page.click(ANALYSE)
    page.select_option("#lines", "4")
    page.wait_for_selector("#board .arrow >> nth=3")
    assert page.locator("#board .arrow").count() == 4
    assert page.locator("#best-lines li").count() == 4
    assert page.locator("#best-lines li").first.inner_text()[0] in "+−"
    assert "Red" in page.inner_text(".analysis .bar")
    broken = "spans => spans.filter(span => span.getClientRects().length > 1).map(span => span.textContent)"
    assert page.locator("#best-lines span").count() > 8 and page.locator("#best-lines span").evaluate_all(broken) == []
    count, began = len(messages), page.evaluate("performance.now()")
    page.wait_for_timeout(2000)
    seconds = (page.evaluate("performance.now()") - began) / 1000
    assert 3 <= (len(messages) - count) / seconds <= 10
    page.click('.analysis [data-act="end"]')
    assert page.locator(".arrow, .analysis").count() == 0
    page.click('[data-act="hint"]')
    page.wait_for_selector(".arrow")
    assert messages[-1]["at"] is None


def test_the_curve_grows(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("gomoku", PERSONS, {}, size="15")
    play(board, "h8", "i9", "g8")
    page = board.page
    page.click(ANALYSE)
    page.wait_for_selector("#best-lines li")
    for points in (2, 3):
        page.click('[data-step="back"]')
        page.wait_for_selector(f".curve circle >> nth={points - 1}")
    assert page.locator(".arrow text").all_text_contents().count("1") == 1
    page.reload()
    page.wait_for_selector("main[data-ply]")
    assert page.locator(".analysis").count() == 0


def test_none_in_play(open_page: OpenPage) -> None:
    """Against an engine there is none before the game is over, and the reason is said."""
    board = open_page()
    board.begin("xiangqi", PERSON_FIRST, {1: "1"})
    board.page.click(ANALYSE)
    assert "when the game is over" in board.refusal()
    assert board.page.locator(".arrow, .analysis").count() == 0
    board.page.click('[data-act="resign"]')
    board.page.click('[data-act="resign"]')
    board.wait_over()
    board.page.click(ANALYSE)
    board.page.wait_for_selector(".arrow")


def test_tried_moves(open_page: OpenPage) -> None:
    """By clicks, with a second line, a comment and the keys; the game stays, and a reload shows the tree again."""
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    play(board, "h2e2", "h9g7")
    page = board.page
    tree = page.locator("#tree button")
    page.click(TRY)
    page.wait_for_selector(".tries")
    page.click('[data-step="back"]')
    board.click("b9", "c7")
    page.wait_for_selector("#tree button >> nth=0")
    board.click("h0", "g2")
    page.wait_for_selector("#tree button >> nth=1")
    tree.nth(1).focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector('#tree [aria-current="true"] >> text=馬2進3')
    board.type_move("b0c2")
    page.wait_for_selector("#tree ul button")
    assert tree.all_inner_texts() == ["馬2進3", "傌二進三", "傌八進七"]
    board.click("c9", "c5")
    assert "elephant" in board.refusal()
    page.fill("#comment", "better")
    page.press("#comment", "Enter")
    page.wait_for_selector("#tree .comment")
    assert board.moves() == ["炮二平五", "馬8進7"]
    page.click('[data-act="to-game"]')
    assert page.locator('[data-ply="1"]').get_attribute("aria-current") == "true"
    page.reload()
    page.wait_for_selector("#tree .comment")
    assert tree.count() == 3
    tree.nth(2).click()
    page.click('[data-act="remove"]')
    page.wait_for_selector("#tree ul button", state="detached")
    page.click('.tries [data-act="end"]')
    assert page.locator(".tries").count() == 0


def test_a_tried_move_that_is_removed_while_it_is_analysed(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    page = board.page
    page.click(ANALYSE)
    page.wait_for_selector(".analysis")
    page.click(TRY)
    page.wait_for_selector(".tries")
    for move in ("h2e2", "b2e2"):
        board.type_move(move)
        page.wait_for_selector('#tree [aria-current="true"]')
        page.fill("#comment", move)
        page.click('[data-act="to-game"]')
        page.wait_for_selector('#tree [aria-current="true"]', state="detached")
    page.locator("#tree button").nth(1).click()
    page.wait_for_selector('#status:has-text("Tried: ")')
    assert page.input_value("#comment") == "b2e2"
    page.click('[data-act="remove"]')
    page.wait_for_selector("#tree button >> nth=1", state="detached")
    page.wait_for_selector('#status:has-text("Try moves from here.")')
    assert board.messages == []


def test_the_steps_go_along_tried_moves(open_page: OpenPage) -> None:
    """By the buttons and the keys; what is said to be to move is the side in the position that is shown."""
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    play(board, "h2e2", "h9g7")
    page = board.page
    page.click(TRY)
    page.wait_for_selector(".tries")
    page.click('[data-step="back"]')

    def wait_shown(tried: str, to_move: str) -> None:
        page.wait_for_selector(f'#status:has-text("{tried} {to_move} to move.")')
        page.wait_for_selector(f'.seat.turn:has-text("{to_move} · to move")')
        assert page.locator(".seat.turn").count() == 1

    tried = (("b9c7", "馬2進3", "Red"), ("h0g2", "傌二進三", "Black"), ("a9a8", "車1進1", "Red"))
    for move, name, to_move in tried:
        board.type_move(move)
        wait_shown(f"Tried: {name}", to_move)
    assert page.locator('[data-step="next"]').is_disabled() and page.locator('[data-step="last"]').is_disabled()
    page.click('[data-step="back"]')
    wait_shown("Tried: 傌二進三", "Black")
    page.click('[data-step="back"]')
    wait_shown("Tried: 馬2進3", "Red")
    page.click('[data-step="back"]')
    wait_shown("Try moves from here.", "Black")
    assert page.locator('#tree [aria-current="true"]').count() == 0
    page.wait_for_selector('#moves [data-ply="1"][aria-current="true"]')
    page.locator("#tree button").first.click()
    wait_shown("Tried: 馬2進3", "Red")
    page.click('[data-step="next"]')
    wait_shown("Tried: 傌二進三", "Black")
    page.keyboard.press("End")
    wait_shown("Tried: 車1進1", "Red")
    page.keyboard.press("Home")
    wait_shown("Try moves from here.", "Red")
    page.click('[data-step="last"]')
    page.wait_for_selector('#moves [data-ply="2"][aria-current="true"]')


@pytest.mark.parametrize("context", [{"color_scheme": "dark"}, PHONE], ids=["dark", "phone"])
def test_axe_and_a_phone(open_page: OpenPage, context: dict[str, Any]) -> None:
    """Nothing is found, and nothing is wider than the screen."""
    board = open_page(**context)
    board.begin("xiangqi", PERSONS, {})
    page = board.page
    page.click(ANALYSE)
    page.click(TRY)
    page.wait_for_selector("#best-lines li")
    board.type_move("b2e2")
    page.wait_for_selector("#tree button")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert board.messages == []
