"""The page for people who use the keyboard, a screen reader or a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.board_page import BoardPage, violations

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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_colours_are_chosen(open_page: OpenPage, scheme: str) -> None:
    board = open_page(color_scheme=scheme, viewport={"width": 390, "height": 844})
    board.begin("gomoku", PERSONS, {}, opening="swap2")
    for ply, move in enumerate(("h8", "i8", "j6"), 1):
        board.type_move(move)
        board.wait_ply(ply)
    board.page.wait_for_selector('[data-act="two"]')
    assert violations(board.page) == []
    assert board.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("name", ["xiangqi", "gomoku", "siguo", "duel"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_a_game_is_set_up(open_page: OpenPage, name: str, scheme: str) -> None:
    game, options = GAMES[name]
    board = open_page(color_scheme=scheme, viewport={"width": 390, "height": 844})
    board.set_up(game, {0: "person"}, {}, **options)
    assert violations(board.page) == []
    assert board.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_high_contrast_in_chinese(open_page: OpenPage) -> None:
    board = open_page(contrast="more", locale="zh-CN")
    begin(board, "xiangqi")
    assert board.page.locator("html").get_attribute("data-contrast") == "more"
    assert violations(board.page) == []


PLACE = """name => {
    const box = document.querySelector(`.point[data-name="${name}"]`).getBoundingClientRect();
    return [box.x, box.y];
}"""


def walk(board: BoardPage, target: str) -> None:
    """Go to a point with the arrow keys."""
    page = board.page
    for _ in range(60):
        here = page.evaluate("document.activeElement.dataset.name")
        if here == target:
            return
        (x, y), (to_x, to_y) = page.evaluate(PLACE, here), page.evaluate(PLACE, target)
        across, along = "ArrowRight" if to_x > x else "ArrowLeft", "ArrowDown" if to_y > y else "ArrowUp"
        keys = ([across] if abs(to_x - x) > 2 else []) + ([along] if abs(to_y - y) > 2 else [])
        for key in keys:  # where the board ends, the other way leads on
            page.keyboard.press(key)
            if page.evaluate("document.activeElement.dataset.name") != here:
                break
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


@pytest.mark.parametrize("variant", ["duel", "siguo"])
def test_ten_plies_of_junqi_by_keyboard(open_page: OpenPage, variant: str) -> None:
    board = open_page()
    seats = range(4 if variant == "siguo" else 2)
    players = {seat: "sanqi" if seat else "person" for seat in seats}
    board.begin("junqi", players, {seat: "1" for seat in seats if seat}, variant=variant)
    page = board.page
    names = "nodes => nodes.map(node => node.dataset.name)"
    page.locator('.point[tabindex="0"]').focus()
    for _ in range(10):
        page.wait_for_selector('main[data-turn="mine"]')
        ply = page.locator("main").get_attribute("data-ply")
        for piece in reversed(page.locator(".point.mine").evaluate_all(names)):
            walk(board, piece)
            page.keyboard.press("Enter")
            targets = page.locator(".point.can-go").evaluate_all(names)
            if targets:
                walk(board, targets[0])
                page.keyboard.press("Enter")
                break
            page.keyboard.press("Escape")
        page.wait_for_selector(f'main:not([data-ply="{ply}"])')
    assert len(board.moves()) >= 10


@pytest.mark.parametrize("name", ["xiangqi", "siguo"])
@pytest.mark.parametrize("faces", ["text", "both"])
def test_pieces_need_no_font(open_page: OpenPage, name: str, faces: str) -> None:
    """Chinese characters are paths, on the pieces and around the board, so they look alike with any fonts."""
    board = open_page()
    begin(board, name)
    page = board.page
    page.click('[data-act="settings"]')
    page.select_option('#dialog [name="faces"]', faces)
    if page.locator('#dialog [name="labels"]').count():
        page.select_option('#dialog [name="labels"]', "numerals")
    texts = page.locator("#board text").evaluate_all("nodes => nodes.map(node => node.textContent)")
    assert not [text for text in texts if any(ord(each) > 0x2E80 for each in text)]
    assert page.locator("#board .man path").count() >= 25
