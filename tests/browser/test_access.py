"""The page for people who use the keyboard, a screen reader or a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.board_page import BoardPage

OpenPage = Callable[..., BoardPage]
PERSONS = {0: "person", 1: "person"}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
GAMES = {
    "xiangqi": ("xiangqi", {}),
    "gomoku": ("gomoku", {"size": "15"}),
    "gomoku 20": ("gomoku", {"size": "20"}),
    "siguo": ("junqi", {"variant": "siguo"}),
    "duel": ("junqi", {"variant": "duel"}),
}


def begin(board: BoardPage, name: str) -> None:
    game, options = GAMES[name]
    players = PERSONS if game != "junqi" else {0: "person"}
    board.begin(game, players, {}, **options)


def violations(page: Any) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page: OpenPage, name: str, scheme: str) -> None:
    board = open_page(color_scheme=scheme)
    assert violations(board.page) == []  # the dialog of a new game
    begin(board, name)
    assert violations(board.page) == []
    board.page.click('[data-act="settings"]')
    board.page.wait_for_selector("#dialog[open]")
    assert violations(board.page) == []


def test_high_contrast_in_chinese(open_page: OpenPage) -> None:
    board = open_page(contrast="more", locale="zh-CN")
    begin(board, "xiangqi")
    assert board.page.locator("html").get_attribute("data-contrast") == "more"
    assert violations(board.page) == []


def walk(board: BoardPage, target: str) -> None:
    """Go to a point with the arrow keys."""
    place = 'name => { const box = document.querySelector(`.point[data-name="${name}"]`).getBoundingClientRect();'
    place += " return [box.x, box.y]; }"
    for _ in range(40):
        here = board.page.evaluate("document.activeElement.dataset.name")
        if here == target:
            return
        (x, y), (to_x, to_y) = board.page.evaluate(place, here), board.page.evaluate(place, target)
        key = "ArrowRight" if to_x > x + 2 else "ArrowLeft" if to_x < x - 2 else "ArrowDown" if to_y > y else "ArrowUp"
        board.page.keyboard.press(key)
    raise AssertionError(f"no way to {target}")


XIANGQI = ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "b9c7", "g3g4", "c6c5", "b0a2", "b7b3"]
GOMOKU = ["7,7", "8,8", "7,8", "8,7", "6,7", "9,7", "8,6", "6,8", "9,6", "5,9"]


@pytest.mark.parametrize(("name", "moves"), [("xiangqi", XIANGQI), ("gomoku", GOMOKU)])
def test_ten_plies_by_keyboard(open_page: OpenPage, name: str, moves: list[str]) -> None:
    """Each move is told in a live region."""
    board = open_page()
    begin(board, name)
    board.page.locator('.point[tabindex="0"]').focus()
    for ply, move in enumerate(moves, 1):
        for point in [move] if "," in move else [move[:2], move[2:]]:
            walk(board, point)
            board.page.keyboard.press("Enter")
        board.wait_ply(ply)
        side = ("Red", "Black") if name == "xiangqi" else ("Black", "White")
        assert board.page.inner_text("#spoken").startswith(f"{side[(ply - 1) % 2]}: {board.moves()[-1]}")


@pytest.mark.parametrize("name", GAMES)
def test_a_phone(open_page: OpenPage, name: str) -> None:
    """No sideways scrolling; points of 24 pixels, or a zoom that makes them so."""
    board = open_page(**PHONE)
    begin(board, name)
    page = board.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    unit = "document.querySelector('.point').getBoundingClientRect().width"
    if page.evaluate(unit) < 24:
        page.locator("button.zoom").tap()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(unit) >= 24
