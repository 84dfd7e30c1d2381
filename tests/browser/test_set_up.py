"""A person sets up a position or a lineup, and pastes texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser.board_page import BoardPage

if TYPE_CHECKING:
    from tests.helpers.board_client import BoardProcess

PERSONS = {0: "person", 1: "person"}
OpenPage = Callable[..., BoardPage]
LINEUP = "58671/1.2.5/41.39/2.4.3/M72B3/MB6FM"


def wait_fault(board: BoardPage, text: str) -> None:
    """Wait for what is wrong; '': until nothing is wrong."""
    if text:
        board.page.wait_for_selector(f'#reason:has-text("{text}")')
        assert board.page.locator('.editor [data-act="next"]').is_disabled()
    else:
        board.page.wait_for_selector("#reason:empty", state="attached")


def wait_text(board: BoardPage, text: str) -> None:
    board.page.wait_for_function("text => document.querySelector('#position').value === text", arg=text)


def take(board: BoardPage, piece: str) -> None:
    """Choose a piece to put, or lay it down."""
    board.page.click(f'.palette [aria-label^="{piece}"]')


def begin(board: BoardPage) -> None:
    board.page.click('.editor [data-act="next"]:not([disabled])')
    board.page.wait_for_selector("#status")


def paste(board: BoardPage, text: str, selector: str = "body") -> None:
    script = """([selector, text]) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text", text);
        const event = new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true});
        document.querySelector(selector).dispatchEvent(event);
    }"""
    board.page.evaluate(script, [selector, text])


def test_a_position_is_set_up_and_played(open_page: OpenPage) -> None:
    """Pieces are put, moved by clicks and by dragging, and removed; each fault is named; then the game begins there,
    and undo ends there."""
    board = open_page()
    board.set_up("xiangqi", {0: "sanqi", 1: "person"}, {0: "1"})
    board.page.click('[data-act="clear"]')
    wait_fault(board, "FEN has no Red king")
    assert board.pieces() == {}
    take(board, "king 帥")
    board.click("e0")
    wait_fault(board, "FEN has no Black king")
    take(board, "king 將")
    board.click("e9")
    wait_fault(board, "the kings face each other")
    take(board, "rook 俥")
    board.click("d1", "a8")
    take(board, "rook 俥")
    board.click("e0", "d0")  # now clicks move
    wait_text(board, "4k4/R8/9/9/9/9/9/9/3R5/3K5 w - - 0 1")
    wait_fault(board, "")
    board.drag("d1", "e1")
    wait_fault(board, "the side that is not to move is in check: e1e9 takes the king")
    assert board.refusal().startswith("the side that is not to move")
    take(board, "Remove")
    board.click("e1")
    wait_fault(board, "")
    take(board, "Remove")
    take(board, "rook 車")
    board.click("b4")
    take(board, "rook 車")
    board.page.select_option('[name="to-move"]', "1")
    wait_text(board, "4k4/R8/9/9/9/1r7/9/9/9/3K5 b - - 0 1")
    begin(board)
    board.wait_turn(0)
    board.click("b4", "b0")
    board.wait_turn(2)
    board.page.click('[data-act="undo"]')
    board.wait_turn(0)
    assert sorted(board.pieces()) == ["a8", "b4", "d0", "e9"]


def test_a_game_is_left_from_the_editor_only_if_the_person_says_so(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    board.click("h2", "e2")
    board.wait_ply(1)
    board.set_up("xiangqi", PERSONS, {})
    board.answers = [False]
    board.page.click('.editor [data-act="next"]:not([disabled])')
    assert board.asked == ["Leave this game?"] and board.page.locator(".editor").count() == 1
    board.page.click('.editor [data-act="close"]')
    board.wait_ply(1)
    board.set_up("xiangqi", PERSONS, {})
    begin(board)
    board.wait_ply(0)
    assert len(board.asked) == 2


def test_an_option_that_cannot_be_is_named_in_the_dialog(open_page: OpenPage) -> None:
    """The editor does not open, and the game before it goes on."""
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    board.choose("xiangqi", PERSONS, {}, quiet_limit="abc")
    board.page.click("#set-up")
    board.page.wait_for_selector('#dialog .error:has-text("quiet limit")')
    board.page.keyboard.press("Escape")
    assert board.page.locator(".editor").count() == 0
    board.click("h2", "e2")
    board.wait_ply(1)


def test_a_piece_where_no_move_leads_is_named(open_page: OpenPage) -> None:
    """Seen and heard before the game begins; a king outside its palace is refused."""
    board = open_page(locale="zh-CN")
    board.set_up("xiangqi", PERSONS, {})
    take(board, "士 仕")
    board.click("a3")
    board.page.wait_for_selector('#remark:has-text("a3 的红方士：没有着法能走到那里")')
    assert "a3" in str(board.page.locator("#spoken").text_content())
    take(board, "将帅 帥")
    board.click("a4")
    wait_fault(board, "红帅不在九宫内")
    board.click("a4")
    wait_fault(board, "")
    begin(board)
    board.page.wait_for_selector('.remark:has-text("没有着法能走到那里")')


def test_a_piece_is_dropped_beside_the_board(open_page: OpenPage) -> None:
    board = open_page()
    board.set_up("xiangqi", PERSONS, {})
    box = board.point("a3").bounding_box()
    mouse = board.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(5, box["y"], steps=5)
    mouse.up()
    wait_text(board, "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/2P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1")


def test_a_bad_fen_is_named_and_a_good_one_shown(open_page: OpenPage) -> None:
    board = open_page()
    board.set_up("xiangqi", PERSONS, {})
    field = board.page.locator("#position")
    field.fill("4k4/9/9/4x4/9/9/9/9/9/3K5 w")
    field.blur()
    wait_fault(board, "FEN has an unknown piece 'x' in '4x4'")
    assert len(board.pieces()) == 32  # the board stays
    field.fill("position fen 4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1 moves a8a7")
    field.press("Enter")
    wait_fault(board, "")
    assert sorted(board.pieces()) == ["a7", "b0", "d0", "e9"]
    assert board.page.input_value('[name="to-move"]') == "1"
    board.page.click('[data-act="first"]')
    wait_text(board, "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1")


def test_stones_by_the_keyboard(open_page: OpenPage, server: BoardProcess) -> None:
    """Stones are put by keys alone; the position lasts when the program is killed, and in SGF."""
    board = open_page()
    board.set_up("gomoku", PERSONS, {}, size="9", rule="renju")
    keys = board.page.keyboard
    board.page.focus('.palette [aria-label^="black"]')
    keys.press("Enter")
    board.point("4,4").focus()
    for key in ("Enter", "ArrowRight", "ArrowRight", "Enter"):
        keys.press(key)
    board.page.focus('.palette [aria-label^="white"]')
    keys.press("Enter")
    board.point("5,4").focus()
    keys.press("Enter")
    board.page.wait_for_function("() => document.querySelector('#position').value.includes('AW[fe]')")
    begin(board)
    board.type_move("a1")
    board.wait_ply(1)
    server.kill()
    server.start()
    again = open_page(server.owner_link)
    again.wait_ply(1)
    assert sorted(again.pieces()) == ["0,8", "4,4", "5,4", "6,4"]
    again.page.click('[data-act="save"]')
    with again.page.expect_download() as saved:
        again.page.click('[data-format="sgf"]')
    assert b"AB[ee][ge]AW[fe]" in saved.value.path().read_bytes()


def test_the_shown_position_is_set_up(open_page: OpenPage) -> None:
    """The editor begins with the position on the board; its end leads back to the game."""
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    board.click("h2", "e2")
    board.wait_ply(1)
    board.set_up("xiangqi", PERSONS, {})
    assert "e2" in board.pieces() and board.page.input_value('[name="to-move"]') == "1"
    take(board, "Remove")
    board.click("e2")
    assert "e2" not in board.pieces()
    board.page.click('.editor [data-act="close"]')
    board.wait_ply(1)
    assert "e2" in board.pieces()


def test_the_shown_position_is_copied(open_page: OpenPage) -> None:
    board = open_page(permissions=["clipboard-read", "clipboard-write"])
    board.begin("xiangqi", PERSONS, {})
    for ply, move in enumerate(("h2e2", "h9g7"), 1):
        board.type_move(move)
        board.wait_ply(ply)
    for step, rest in (("first", "w - - 0 1"), ("next", "b - - 1 1"), ("last", "w - - 2 2")):
        board.page.click(f'[data-step="{step}"]')
        board.page.click('[data-act="copy"]')
        board.page.wait_for_selector('#reason:has-text("Copied.")')
        copied = "async rest => (await navigator.clipboard.readText()).endsWith(rest)"
        board.page.wait_for_function(copied, arg=rest)  # the words are there since the last copy


@pytest.mark.parametrize(
    ("text", "moves", "pieces"),
    [
        ("4k4/R8/9/9/9/9/9/9/9/1R1K5 w", 0, 4),
        ('[Game "Chinese Chess"]\n[Red "?"]\n\n1. 炮二平五 馬8進7\n2. 傌二進三 *', 3, 32),
        ("(;GM[4]SZ[15]AB[hh];W[ii])", 1, 2),
    ],
)
@pytest.mark.parametrize("way", ["page", "field"])
def test_a_text_is_pasted(open_page: OpenPage, text: str, moves: int, pieces: int, way: str) -> None:
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    paste(board, text, "#typed" if way == "field" else "body")
    count = "count => document.querySelectorAll('#board [data-man]').length === count"
    board.page.wait_for_function(count, arg=pieces)
    board.wait_ply(moves)


def test_a_game_under_way_is_left_only_if_the_person_says_so(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    assert board.asked == []
    board.type_move("h2e2")
    board.wait_ply(1)
    board.answers = [False, False]
    board.choose("xiangqi", PERSONS, {})
    board.page.click("#begin")
    board.page.press("#dialog", "Escape")
    paste(board, "4k4/R8/9/9/9/9/9/9/9/1R1K5 w")
    assert len(board.pieces()) == 32
    paste(board, "4k4/R8/9/9/9/9/9/9/9/1R1K5 w")
    board.wait_ply(0)
    assert len(board.pieces()) == 4 and board.asked == ["Leave this game?"] * 3
    board.type_move("no such move at all")
    assert "this is no position and no game" in board.refusal()


# Lineups


@pytest.mark.parametrize("variant", ["siguo", "duel"])
def test_a_lineup_is_arranged(open_page: OpenPage, variant: str) -> None:
    """Two pieces are exchanged, illegal lineups are refused with the reason, and the game begins with the lineup."""
    board = open_page()
    board.set_up("junqi", {0: "person", 1: "sanqi"}, {1: "1"}, variant=variant)
    field = board.page.locator("#position")
    field.fill(LINEUP)
    field.press("Enter")
    board.page.wait_for_selector('.point[data-point="0"][aria-label*="团"]')
    wait_fault(board, "")
    places = [at for at, letter in enumerate(LINEUP) if letter != "/"]
    home = {at: point for point, at in enumerate(places)}
    exchanges = [("5", "8", ""), ("5", "B", "a bomb stands at"), ("B", "5", ""), ("8", "M", "a mine stands at")]
    text = LINEUP
    for one, other, fault in exchanges:
        first, second = text.index(one), text.index(other)
        board.page.locator(f'.point[data-point="{home[first]}"]').click()
        board.page.locator(f'.point[data-point="{home[second]}"]').click()
        letters = list(text)
        letters[first], letters[second] = letters[second], letters[first]
        text = "".join(letters)
        wait_text(board, text)
        wait_fault(board, fault)
    field.fill("85671/1.2.5/41.39/2.4.3/M72B3/MB6FM")
    field.press("Enter")
    wait_fault(board, "")
    begin(board)
    board.wait_turn(0)
    first_point = board.page.locator('.point[data-point="0"]').get_attribute("data-name")
    assert "军" in board.pieces()[str(first_point)]
    assert board.page.locator("#board .man").filter(has_not_text="?").count() == 25


def test_a_pasted_text_is_answered_while_a_lineup_is_arranged(open_page: OpenPage) -> None:
    """A position of another game is refused with the reason, again when it is pasted again; a lineup is taken."""
    board = open_page()
    board.set_up("junqi", {0: "person", 1: "sanqi"}, {1: "1"}, variant="duel")
    for _ in range(2):
        paste(board, "4k4/R8/9/9/9/9/9/9/9/1R1K5 w")
        assert "is no lineup, expected six rows of five pieces" in board.refusal()
        wait_fault(board, "is no lineup")
        board.page.evaluate("document.querySelector('#refusal').textContent = ''")
    paste(board, LINEUP)
    board.page.wait_for_selector('#spoken:has-text("Shown on the board.")', state="attached")
    wait_text(board, LINEUP)
    wait_fault(board, "")


def test_the_game_goes_on_after_a_lineup_that_nobody_can_arrange(open_page: OpenPage) -> None:
    """Without a seat of one's own there is none."""
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    board.choose("junqi", {0: "sanqi", 1: "sanqi"}, {})
    board.page.click("#set-up")
    board.page.wait_for_selector("#dialog .error")
    board.page.press("#dialog", "Escape")
    board.type_move("h2e2")
    board.wait_ply(1)


def test_lineups_are_stored(open_page: OpenPage, server: BoardProcess) -> None:
    """By name, on the server: another browser loads and removes them."""
    board = open_page()
    board.set_up("junqi", {0: "person", 1: "sanqi"}, {1: "1"}, variant="duel")
    field = board.page.locator("#position")
    field.fill(LINEUP)
    field.press("Enter")
    wait_text(board, LINEUP)
    board.page.fill("#lineup-name", "wall")
    board.page.click('.editor [data-act="save"]:not([disabled])')
    board.page.wait_for_selector("#lineups")
    server.end()
    server.start()
    other = open_page(server.owner_link)
    other.set_up("junqi", {0: "person", 1: "sanqi"}, {1: "1"}, variant="siguo")
    other.page.select_option("#lineups", "wall")
    wait_text(other, LINEUP)
    other.page.click('.editor [data-act="clear"]:not([disabled])')
    other.page.wait_for_selector("#lineups", state="detached")


def test_a_game_begins_before_the_answer_about_its_lineup(open_page: OpenPage) -> None:
    board = open_page()
    board.set_up("junqi", {0: "person", 1: "sanqi"}, {1: "1"}, variant="duel")
    script = """text => {
        const field = document.querySelector("#position");
        field.value = text;
        field.dispatchEvent(new Event("change"));
        document.querySelector('.editor [data-act="next"]').click();
    }"""
    board.page.evaluate(script, LINEUP)
    board.page.wait_for_selector("#status")
    board.wait_turn(0)


def test_nothing_of_a_lineup_is_kept_in_the_browser(open_page: OpenPage) -> None:
    board = open_page()
    board.set_up("junqi", {0: "person", 1: "sanqi"}, {1: "1"}, variant="duel")
    field = board.page.locator("#position")
    field.fill(LINEUP)
    field.press("Enter")
    wait_text(board, LINEUP)
    begin(board)
    kept = board.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert re.search(r"58671", kept) is None
