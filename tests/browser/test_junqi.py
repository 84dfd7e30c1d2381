"""Junqi on the page: four seats and two, what a seat sees, guesses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.board_page import BoardPage

OpenPage = Callable[..., BoardPage]


def begin(board: BoardPage, variant: str, own: int) -> None:
    """A game in which a person has one seat, and random players the others."""
    seats = range(4 if variant == "siguo" else 2)
    players = {seat: "person" if seat == own else "sanqi" for seat in seats}
    board.begin("junqi", players, {seat: "1" for seat in seats if seat != own}, variant=variant)


@pytest.mark.parametrize("own", range(4))
def test_the_own_seat_is_at_the_bottom(open_page: OpenPage, own: int) -> None:
    board = open_page()
    begin(board, "siguo", own)
    page = board.page
    page.wait_for_selector('main[data-turn="mine"]')
    assert page.locator(".point").count() == 129
    own_men = page.locator(f"#board .man.seat{own}")
    boxes = own_men.evaluate_all("nodes => nodes.map(node => node.getBoundingClientRect().top)")
    # The others have made up to three moves, each of which may have taken a piece.
    assert 25 - own <= len(boxes) <= 25 and own_men.filter(has_text="?").count() == 0
    svg = page.locator("#board").bounding_box()
    assert min(boxes) > svg["y"] + svg["height"] * 0.6


def test_guesses_stay_in_the_browser(open_page: OpenPage) -> None:
    """They survive a reload, go with their piece, and send nothing."""
    board = open_page()
    sent: list[str] = []
    board.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    begin(board, "duel", 0)
    board.page.reload()
    board.wait_turn(0)
    sent.clear()
    hidden = board.page.locator("#board .man", has_text="?").first.get_attribute("data-man")
    point = board.page.locator(f'.point[data-point="{hidden}"]')
    point.click(button="right")
    board.page.wait_for_selector("#dialog[open] .guesses")
    board.page.press("#dialog", "Escape")
    point.click()
    board.page.click('[data-guess="雷"]')
    assert board.page.locator(".guess").count() == 1
    assert sent == []
    board.page.reload()
    board.page.wait_for_selector(".guess", state="attached")
    point.focus()
    board.page.keyboard.press("m")
    board.page.click('[data-guess=""]')
    assert board.page.locator(".guess").count() == 0


PLAY = """() => {
    const click = point => point.dispatchEvent(new MouseEvent("click", {bubbles: true}));
    const any = list => list[Math.floor(Math.random() * list.length)];
    const mine = [...document.querySelectorAll(".point.mine")];
    for (let tries = 0; tries < 200; tries += 1) {
        const piece = any(mine);
        click(piece);
        const targets = [...document.querySelectorAll(".point.can-go")];
        const attacks = targets.filter(point => document.querySelector(`[data-man="${point.dataset.point}"]`));
        if (attacks.length || (targets.length && tries > 60)) {
            click(any(attacks.length ? attacks : targets));
            return;
        }
        if (document.querySelector(".chosen")) click(piece);
    }
    document.querySelector('[data-act="pass"]').click();
}"""


@pytest.mark.parametrize("variant", ["duel", "siguo"])
def test_a_whole_game(open_page: OpenPage, variant: str) -> None:
    """A person who attacks whenever it is possible plays to the end, which shows all pieces."""
    board = open_page()
    begin(board, variant, 0)
    page = board.page
    for _ in range(400):
        page.wait_for_selector('main[data-turn="mine"], main[data-turn="over"]')
        if page.locator('main[data-turn="over"]').count():
            break
        ply = page.locator("main").get_attribute("data-ply")
        page.evaluate(PLAY)
        page.wait_for_selector(f'main:not([data-ply="{ply}"])')
    assert board.wait_over()
    assert page.locator("#board .man", has_text="?").count() == 0
    assert page.locator("#moves button").count() == int(page.locator("main").get_attribute("data-ply") or 0)
    page.click('[data-step="first"]')
    assert page.locator("#board .man").count() == (50 if variant == "duel" else 100)
    assert page.locator("#board .man", has_text="?").count() == 0
    assert board.messages == []
