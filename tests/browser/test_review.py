"""Review and practice on the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.board_page import BoardPage, violations
from tests.browser.test_access import PHONE
from tests.helpers.in_process import sanqi
from tests.protocol.conftest import BoardMaker

if TYPE_CHECKING:
    from tests.helpers.board_client import BoardProcess

OpenPage = Callable[..., BoardPage]
REVIEW_MS = 90_000
RECORD = """[Game "Chinese Chess"]
[Result "*"]

1. h2e2 h9g7 2. h0g2 i9h9 3. i0h0 c6c5 4. h0h6 b9c7 5. e2e6 *
"""
"""Red's last move gives a cannon for a pawn."""
BLUNDER = '[data-mark="9"]'
FEEDBACK = "#feedback"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    file = tmp_path / "game.pgn"
    file.write_text(RECORD)
    return file


def review(board: BoardPage, record: Path) -> Any:
    """Load the record and review it. Returns the page."""
    page = board.page
    page.keyboard.press("Escape")  # the dialog of a new game
    with page.expect_file_chooser() as chooser:
        page.click('[data-act="open"]')
    chooser.value.set_files(record)
    board.wait_ply(9)
    page.click('[data-act="review"]')
    page.wait_for_selector(BLUNDER, timeout=REVIEW_MS)
    return page


def test_marks_have_the_numbers_of_the_list_of_moves(open_page: OpenPage, record: Path) -> None:
    page = review(open_page(), record)
    assert page.inner_text(BLUNDER).startswith("5. ")
    assert page.inner_text("#moves li.number:nth-last-child(2)") == "5."


def said(page: Any, text: str) -> None:
    page.wait_for_selector(f'{FEEDBACK}:has-text("{text}")')


def moved(before: dict[str, str], after: dict[str, str]) -> tuple[str, str]:
    """The points of the move between two boards."""
    (origin,) = before.keys() - after.keys()
    (target,) = (point for point, piece in after.items() if before.get(point) != piece)
    return origin, target


def test_a_blunder_is_shown_and_practised(open_page: OpenPage, server: BoardProcess, record: Path) -> None:
    board = open_page()
    page = board.page
    page.keyboard.press("Escape")
    with page.expect_file_chooser() as chooser:
        page.click('[data-act="open"]')
    chooser.value.set_files(record)
    board.wait_ply(9)
    page.click('[data-act="review"]')
    page.wait_for_selector("#review progress")  # at once
    page.wait_for_selector(BLUNDER, timeout=REVIEW_MS)
    # A sign, a word and a text tell the mark.
    assert page.inner_text(BLUNDER).split("\n")[0].startswith("5. 炮五進四 ?? blunder")
    assert page.inner_text('#moves [data-ply="9"] .sign').startswith("??")
    assert page.locator("#review-curve .mark").count() == 1
    assert violations(page) == []
    # Its position, with the move that was played and the better one.
    page.focus(BLUNDER)
    page.keyboard.press("Enter")
    assert page.locator("#board .arrow").count() == 2 and page.locator("#board .arrow.played").count() == 1
    assert "Lost" in page.inner_text("#detail") and "Better:" in page.inner_text("#detail")
    assert "blunder" in page.inner_text("#spoken")
    assert "cannon" in board.pieces()["e2"]
    # Along the better line and back to the game.
    before = board.pieces()
    page.keyboard.press("ArrowRight")
    better = moved(before, board.pieces())
    page.keyboard.press("ArrowRight")
    assert page.locator('[data-line="0.2"][aria-current="true"]').count() == 1
    assert violations(page) == []
    page.keyboard.press("Escape")
    assert board.pieces() == before and page.locator("#detail").count() == 0
    box = page.locator("#review-curve").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 3, box["y"] + 20)
    assert page.inner_text("#status") == "After 3 of 9 moves."
    # Practice: the mistake is wrong, the better move is right.
    page.click('#review [data-act="practise"]')
    said(page, "Find a better move")
    assert board.moves() == ["炮二平五", "馬8進7", "傌二進三", "車9平8", "俥一平二", "卒3進1", "俥二進六", "馬2進3"]
    assert violations(page) == []
    board.click("e2", "e6")
    said(page, "is not better")
    board.click("b0", "d1")
    page.wait_for_selector("#reason:not(:empty)")
    board.type_move("h6h7")
    said(page, "俥二進一 is not better. Try again.")
    board.drag(*better)
    said(page, "is right")
    assert page.inner_text("#practice .done") == "1 found"
    page.click('#practice [data-act="close"]')
    page.wait_for_selector(BLUNDER)
    # All is there again after the server was killed.
    server.kill()
    page.wait_for_selector("#lost")
    server.start()
    page.wait_for_selector("#lost", state="detached")
    page.reload()
    page.wait_for_selector(BLUNDER)
    page.click('header [data-act="practise"]')
    said(page, "Find a better move")
    assert page.inner_text("#practice .done") == "1 found"
    page.click('#practice [data-act="hint"]')
    page.wait_for_selector("#detail")
    assert page.locator("#board .arrow.played").count() == 1
    assert [text for text in board.messages if "WebSocket" not in text] == []


def test_review_on_a_phone_in_chinese(open_page: OpenPage, record: Path) -> None:
    board = open_page(**PHONE, locale="zh-CN", color_scheme="dark")
    page = review(board, record)
    assert "败着" in page.inner_text(BLUNDER)
    page.locator(BLUNDER).tap()
    page.wait_for_selector("#board .arrow.played")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(page) == []
    page.locator('#review [data-act="practise"]').tap()
    said(page, "请找出更好的着法")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(page) == []


def test_no_review_while_a_game_goes_on(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("xiangqi", {0: "person", 1: "sanqi"}, {1: "1"})
    board.click("h2", "e2")
    board.wait_turn(2)
    assert board.page.locator('[data-act="review"]').count() == 0
    board.page.click('[data-act="resign"]')
    board.page.click('[data-act="resign"]')
    board.wait_over()
    assert board.page.locator('[data-act="review"]').is_enabled()


def test_a_review_of_the_terminal_is_practised(start_board: BoardMaker, open_page: OpenPage, record: Path) -> None:
    """With --practise, before any game has begun on the page."""
    folder = record.parent / "practice"
    folder.mkdir()
    assert sanqi("review", record, "--nodes", "3000", "--json", "review.json", cwd=folder).returncode == 0
    board = open_page(start_board("--practise", str(folder / "review.json")).owner_link)
    page = board.page
    page.keyboard.press("Escape")
    page.click('header [data-act="practise"]')
    said(page, "Find a better move")
    board.click("e2", "e6")
    said(page, "is not better")
    board.type_move("h6h7")
    said(page, "is not better")
    page.click('#practice [data-act="hint"]')
    page.wait_for_selector("#detail")
    assert board.messages == []
