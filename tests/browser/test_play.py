"""A person plays on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser.board_page import BoardPage

if TYPE_CHECKING:
    from tests.helpers.board_client import BoardProcess

PERSONS = {0: "person", 1: "person"}
PERSON_FIRST = {0: "person", 1: "sanqi"}
OpenPage = Callable[..., BoardPage]


def play(board: BoardPage, *moves: str) -> None:
    """Type the moves of two people."""
    for ply, move in enumerate(moves, len(board.moves()) + 1):
        board.type_move(move)
        board.wait_ply(ply)


def test_start(open_page: OpenPage, server: BoardProcess) -> None:
    """Few requests, all to this machine, and no console message, also during a game."""
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    board.click("h2", "e2")
    board.wait_ply(1)
    origin = server.owner_link.partition("#")[0]
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


def test_the_list_of_moves_follows_the_game(open_page: OpenPage) -> None:
    board = open_page(viewport={"width": 1280, "height": 600})
    board.begin("xiangqi", PERSONS, {})
    red = [f"{file}1{after}1" for file, after in zip("abcdefgh", "bcdefghi")]
    black = ["a9a8", *(f"{file}8{after}8" for file, after in zip("abcdefgh", "bcdefghi"))]
    pawns = ["c3c4", "c6c5", "g3g4", "g6g5", "e3e4", "e6e5"]
    play(board, "a0a1", *(move for pair in zip(black, red) for move in pair), black[-1], *pawns)
    seen = """node => {
        const list = document.getElementById("moves").getBoundingClientRect(), own = node.getBoundingClientRect();
        return own.top >= list.top && own.bottom <= list.bottom + 1;
    }"""
    assert board.page.locator("#moves button").last.evaluate(seen)


def test_a_choice_that_was_refused_is_not_kept(open_page: OpenPage) -> None:
    board = open_page()
    board.choose("xiangqi", PERSONS, {}, fen="no position")
    board.page.click("#begin")
    board.page.wait_for_selector("#dialog .error")
    board.page.press("#dialog", "Escape")
    board.page.evaluate(
        """text => {
        const data = new DataTransfer();
        data.setData("text", text);
        document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
    }""",
        "4k4/9/9/9/9/9/9/9/9/1R1K5 w",
    )  # another game of Xiangqi begins
    board.page.wait_for_selector("main[data-ply]")
    board.page.reload()
    board.page.wait_for_selector("main[data-ply]")
    board.begin("xiangqi", PERSONS, {})
    board.page.wait_for_function("document.querySelectorAll('#board [data-man]').length === 32")


@pytest.mark.parametrize("way", ["click", "drag", "tap", "type"])
def test_each_way_to_move(open_page: OpenPage, way: str) -> None:
    board = open_page(has_touch=way == "tap")
    board.begin("xiangqi", PERSONS, {})
    moves = [("h2", "e2", "炮二平五"), ("h9", "g7", "h9g7"), ("h0", "g2", "H2+3")]
    for ply, (start, end, typed) in enumerate(moves, 1):
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
    ("fen", "refused", "reason"),
    [
        ("", ("h0", "f1"), "the piece on g0 blocks the leg of the horse"),
        ("", ("a0", "a3"), "a piece of your own stands on a3"),
        ("3k4r/9/9/9/9/9/9/9/9/4K3R w - - 0 1", ("e0", "d0"), "the kings would face each other"),
        ("4k3r/9/9/9/9/9/9/9/4R4/3K5 b - - 0 1", ("i9", "i8"), "you are in check"),
    ],
)
@pytest.mark.parametrize("way", ["click", "type"])
def test_refusals(open_page: OpenPage, fen: str, refused: tuple[str, str], reason: str, way: str) -> None:
    """The reason is shown and spoken, and the position stays."""
    board = open_page()
    board.begin("xiangqi", PERSONS, {}, **({"fen": fen} if fen else {}))
    before = board.pieces()
    if way == "type":
        board.type_move("".join(refused))
    else:
        board.click(*refused)
        if reason.startswith("a piece of your own"):  # this click has chosen the other piece
            assert board.point("a3").get_attribute("aria-pressed") == "true"
            return
    assert reason in board.refusal()
    assert board.page.inner_text("#reason") == board.refusal()
    assert board.pieces() == before
    assert board.moves() == []


def test_check_and_mate_are_marked(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("xiangqi", PERSONS, {}, fen="4k4/9/9/9/9/9/9/9/R8/1R1K5 w - - 0 1")
    play(board, "b0b9")
    assert board.page.locator(".danger").count() == 1
    assert "Check!" in board.page.inner_text("#status")
    assert "Check!" in board.page.inner_text("#spoken")
    board.begin("xiangqi", PERSONS, {}, fen="4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1")
    play(board, "b0b9")
    assert "checkmate" in board.wait_over()
    assert board.page.locator(".danger").count() == 1


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


def test_hint_and_resignation(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("xiangqi", PERSON_FIRST, {1: "1"}, movetime="100")
    assert board.page.locator(".better").count() == 0
    board.page.click('[data-act="hint"]')
    board.page.wait_for_selector(".better")
    assert board.page.inner_text("#spoken").startswith("Hint: ")
    board.page.click('[data-act="resign"]')
    board.page.click('[data-act="resign"]')
    assert "Red resigned" in board.wait_over()


def test_forbidden_points(open_page: OpenPage) -> None:
    """Renju forbids Black a double three; the point is marked, and says why."""
    board = open_page()
    board.begin("gomoku", PERSONS, {}, rule="renju")
    play(board, "h8", "a1", "g8", "a15", "i9", "o1", "i10", "o15")
    assert board.page.locator(".forbidden").count() == 1
    point = board.page.locator(".is-forbidden")
    assert point.get_attribute("data-name") == "8,7"
    assert "3-3" in str(point.get_attribute("aria-label"))
    point.click()
    assert "3-3" in board.refusal()
    board.wait_ply(8)


def test_an_opening_of_renju(open_page: OpenPage) -> None:
    """Its three stones stand, White plays the fourth one, and nothing takes them back."""
    board = open_page()
    board.begin("gomoku", PERSONS, {}, rule="renju", opening="D4 花月 Kagetsu")
    stones = {"7,7": "h8 black", "7,6": "h9 white", "8,6": "i9 black"}
    assert board.pieces() == stones
    assert board.page.inner_text("#status") == "Your turn: White."
    board.click("8,7")
    board.wait_ply(1)
    assert board.pieces()["8,7"] == "i8 white"
    board.page.click('[data-act="undo"]')
    board.wait_ply(0)
    assert board.pieces() == stones
    assert board.page.is_disabled('[data-act="undo"]')
    board.page.click('[data-act="new"]')
    board.page.select_option('[name="rule"]', "freestyle")
    board.page.click("#begin")
    board.page.wait_for_selector('.error:text("choose the rule renju")')


def test_two_people_play_swap2_to_the_end(open_page: OpenPage) -> None:
    """Buttons offer the choices; the seats get their colours, and a screen reader says what is to be done."""
    board = open_page()
    page = board.page
    board.begin("gomoku", PERSONS, {}, opening="swap2")
    assert page.inner_text("#status") == "Your turn: First player. Place stone 1 of 3: black."
    for ply, point in enumerate(["7,7", "8,7", "9,9"], 1):
        board.click(point)
        board.wait_ply(ply)
    assert page.inner_text("#spoken").endswith("Choose your colour, or place two more stones.")
    assert page.locator("button.main[data-act]").all_inner_texts() == ["Take Black", "Take White", "Place two more"]
    board.click("3,3")
    assert "choose first" in board.refusal()
    page.click('[data-act="two"]')
    for ply, point in enumerate(["3,3", "4,4"], 5):
        board.wait_ply(ply - 1)
        board.click(point)
    board.wait_ply(6)
    page.click('[data-act="white"]')
    board.wait_ply(7)
    assert page.locator(".seat").all_inner_texts() == ["person\nWhite · to move", "person\nBlack"]
    assert page.locator("button.main[data-act]").count() == 0
    page.reload()
    for ply, point in enumerate(["0,0", "6,7", "0,14", "5,7", "14,0", "4,7", "14,14", "3,7"], 8):
        board.wait_ply(ply - 1)
        board.click(point)
    assert board.wait_over() == "Black wins."
    assert page.locator(".row").count() == 5
    assert board.moves()[3:7] == ["Place two more", "d12", "e11", "Take White"]


def test_the_engine_chooses_in_swap2(open_page: OpenPage) -> None:
    """It takes the better colour; the person's next stone has the other one."""
    board = open_page()
    board.begin("gomoku", PERSON_FIRST, {1: "3"}, opening="swap2", movetime="300")
    for ply, point in enumerate(["7,7", "0,0", "8,8"], 1):
        board.click(point)
        board.wait_ply(ply)
    board.wait_turn(4)
    assert board.moves()[-1] == "Take Black"
    board.click("9,9")
    board.wait_turn(6)
    assert board.pieces()["9,9"] == "j6 white"
    for ply in (4, 2):  # the choice is taken back with the stone before it
        board.page.click('[data-act="undo"]')
        board.wait_turn(ply)


@pytest.mark.parametrize("size", ["15", "20"])
@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju", "caro"])
def test_five_is_marked(open_page: OpenPage, size: str, rule: str) -> None:
    board = open_page()
    board.begin("gomoku", PERSONS, {}, rule=rule, size=size)
    for ply, point in enumerate(["3,3", "3,9", "4,3", "5,9", "5,3", "7,9", "6,3", "9,9", "7,3"], 1):
        board.click(point)
        board.wait_ply(ply)
    assert "Black wins" in board.wait_over()
    assert board.page.locator(".row").count() == 5


def test_the_game_goes_on_after_a_reload(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    play(board, "h2e2", "h9g7")
    board.page.reload()
    board.wait_ply(2)
    assert "#" not in board.page.url
    other = board.page.context.new_page()
    other.goto("about:blank")
    board.click("h0", "g2")
    board.wait_ply(3)


def test_moves_are_shown_again(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    start = board.pieces()
    play(board, "h2e2", "h9g7", "h0g2")
    board.page.locator("main").press("ArrowLeft")
    board.page.click('[data-step="first"]')
    assert board.pieces() == start
    board.page.click('[data-ply="1"]')
    assert set(board.pieces()) == {*start, "e2"} - {"h2"}
    board.page.click('[data-step="last"]')
    board.click("b9", "c7")
    board.wait_ply(4)


def test_settings_are_kept(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    page = board.page
    page.click('[data-act="settings"]')
    page.select_option('[name="faces"]', "letter")
    page.select_option('[name="theme"]', "dark")
    page.select_option('[name="language"]', "zh")
    page.click("#dialog .foot button")
    page.reload()
    board.wait_ply(0)
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    assert page.inner_text("#status") == "轮到你走：红方。"
    board.click("h0", "f1")
    assert "蹩住马腿" in board.refusal()
    board.begin("gomoku", PERSONS, {})
    board.begin("xiangqi", PERSONS, {})
    page.click('[data-act="settings"]')
    assert page.input_value('[name="faces"]') == "letter"


def test_a_clock_runs_down_for_who_is_to_move(open_page: OpenPage) -> None:
    board = open_page()
    board.begin("xiangqi", PERSONS, {}, clock="3+2")

    def shows(seat: int, pattern: str) -> None:
        board.page.wait_for_selector(f'.seat[data-seat="{seat}"] time:text-matches("^{pattern}$")')

    shows(0, "2:5.")
    shows(1, "3:00")
    play(board, "h2e2")
    shows(1, "2:5.")


def test_a_level_follows_the_person(open_page: OpenPage) -> None:
    """Who always loses meets lower levels, until a game is won."""
    board = open_page()
    page = board.page
    wins = "4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1"
    for level, is_won in (("5", False), ("4", False), ("3", True)):
        board.begin("xiangqi", PERSON_FIRST, {1: "follows"}, fen=wins)
        assert f"level {level}" in page.locator('.seat[data-seat="1"]').inner_text()
        if is_won:
            board.type_move("b0b9")
        else:
            page.click('[data-act="resign"]')
            page.click('[data-act="resign"]')
        page.wait_for_selector("#status.over")
        page.wait_for_selector(
            f'#reason:text-is("The level that follows you is {4 if is_won else int(level) - 1} now.")'
        )
    page.reload()
    page.wait_for_selector("#status.over")
    page.click('[data-act="new"]')
    assert page.locator('[name="level1"] option:checked').inner_text() == "follows you: 4"
    assert "overlook an attack" in page.locator(".seat-row small").inner_text()
