"""The page and its server: several tabs, a lost connection, files, speed."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from tests.browser.board_page import BoardPage
from tests.browser.test_play import PERSONS, play

if TYPE_CHECKING:
    from tests.helpers.board_client import BoardProcess

OpenPage = Callable[..., BoardPage]


def test_two_tabs_agree(open_page: OpenPage, server: BoardProcess) -> None:
    one = open_page()
    one.begin("xiangqi", PERSONS, {})
    other = open_page()
    other.wait_ply(0)
    one.click("h2", "e2")
    other.wait_ply(1)
    other.click("h9", "g7")
    one.wait_ply(2)
    assert one.moves() == other.moves() == ["炮二平五", "馬8進7"]


def test_a_lost_connection_comes_back(open_page: OpenPage, server: BoardProcess) -> None:
    """The server is killed and starts again: the tab finds the same game, and the browser its settings."""
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    play(board, "h2e2")
    board.page.click('[data-act="settings"]')
    board.page.select_option('[name="theme"]', "dark")
    board.page.click("#dialog .foot button")
    server.kill()
    board.page.wait_for_selector("#lost")
    board.click("h9", "g7")
    assert "Connection lost" in board.refusal()
    server.start()
    board.page.wait_for_selector("#lost", state="detached")
    assert board.moves() == ["炮二平五"]
    board.click("h9", "g7")
    board.wait_ply(2)
    again = board.page.context.new_page()
    again.goto(server.owner_link)
    again.wait_for_selector('main[data-ply="2"]')
    assert again.locator("html").get_attribute("data-theme") == "dark"


def test_clocks_stand_still_while_the_connection_is_lost(open_page: OpenPage, server: BoardProcess) -> None:
    board = open_page()
    page = board.page
    board.begin("xiangqi", PERSONS, {}, clock="3+2")
    page.clock.install()
    page.reload()
    clock = page.locator('.seat[data-seat="0"] time')
    page.wait_for_selector('.seat[data-seat="0"] time:text-matches("^2:5.$")')
    page.clock.fast_forward("00:30")
    page.wait_for_selector('.seat[data-seat="0"] time:text-matches("^2:2.$")')
    server.kill()
    page.wait_for_selector('.seat[data-seat="0"] time.stopped')
    shown = clock.inner_text()
    page.clock.fast_forward("00:30")
    page.wait_for_selector("#lost")
    assert clock.inner_text() == shown
    server.start()
    page.clock.resume()
    page.wait_for_selector('.seat[data-seat="0"] time:not(.stopped)')
    page.wait_for_selector("#lost", state="detached")


def test_save_and_load(open_page: OpenPage, tmp_path: Path) -> None:
    board = open_page()
    board.begin("xiangqi", PERSONS, {})
    play(board, "h2e2", "h9g7", "h0g2")
    board.page.click('[data-act="save"]')
    with board.page.expect_download() as download:
        board.page.click('[data-format="pgn"]')
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    board.page.wait_for_selector('#reason.note:has-text("Saved as xiangqi.pgn.")')
    board.begin("gomoku", PERSONS, {})
    with board.page.expect_file_chooser() as chooser:
        board.page.click('[data-act="open"]')
    chooser.value.set_files(file)
    board.wait_ply(3)
    assert board.moves() == ["炮二平五", "馬8進7", "傌二進三"]
    damaged = tmp_path / "damaged.xqf"
    damaged.write_bytes(b"XQ" * 20)
    with board.page.expect_file_chooser() as chooser:
        board.page.click('[data-act="open"]')
    chooser.value.set_files(damaged)
    assert "damaged.xqf" in board.refusal()
    assert board.page.locator("#reason.note").count() == 0
    assert len(board.moves()) == 3


def saved(board: BoardPage, form: str, file: Path) -> bytes:
    board.page.click('[data-act="save"]')
    with board.page.expect_download() as download:
        board.page.click(f'[data-format="{form}"]')
    download.value.save_as(file)
    board.page.wait_for_selector("#dialog:not([open])", state="attached")
    return file.read_bytes()


def load(board: BoardPage, file: Path) -> None:
    with board.page.expect_file_chooser() as chooser:
        board.page.click('[data-act="open"]')
    chooser.value.set_files(file)


@pytest.mark.parametrize(
    ("form", "game", "moves", "tried"),
    [
        ("pgn", "xiangqi", ["h2e2", "h9g7", "h0g2"], "b9c7"),
        ("xqf", "xiangqi", ["h2e2", "h9g7", "h0g2"], "b9c7"),
        ("sgf", "gomoku", ["h8", "i9", "j10"], "k5"),
        ("psq", "gomoku", ["h8", "i9", "j10"], ""),
        ("jgr", "junqi", [], ""),
    ],
)
def test_a_file_is_the_same_after_load_and_save(
    open_page: OpenPage, tmp_path: Path, form: str, game: str, moves: list[str], tried: str
) -> None:
    """With the move that was tried after the first one, where the format has a place for it, and its comment."""
    board = open_page()
    page = board.page
    if game == "junqi":
        board.begin(game, {0: "person", 1: "sanqi"}, {1: "1"}, variant="duel")
        page.locator(".mine").first.wait_for()
        page.click('[data-act="resign"]')
        page.click('[data-act="resign"]')
        board.wait_over()
    else:
        board.begin(game, PERSONS, {})
        play(board, *moves)
    if tried:
        page.click('[data-act="try"]')
        page.click('[data-ply="1"]')
        board.type_move(tried)
        page.fill("#comment", "solid \\ ]")
        page.press("#comment", "Enter")
        page.wait_for_selector("#tree .comment")
    shown = board.moves()
    first = saved(board, form, tmp_path / f"first.{form}")
    board.begin("gomoku" if game == "xiangqi" else "xiangqi", PERSONS, {})
    load(board, tmp_path / f"first.{form}")
    page.wait_for_selector(f'h1 small:text-is("{game.capitalize()}")')
    assert board.moves() == shown
    if tried:
        assert page.inner_text("#tree .comment") == "solid \\ ]"
    assert saved(board, form, tmp_path / f"again.{form}") == first


@pytest.mark.parametrize("game", ["xiangqi", "gomoku"])
def test_the_board_is_saved_as_a_picture(game: str, open_page: OpenPage, tmp_path: Path) -> None:
    board = open_page()
    board.begin(game, PERSONS, {})
    play(board, "h2e2" if game == "xiangqi" else "h8")
    for kind in ("svg", "png"):
        board.page.click('[data-act="save"]')
        with board.page.expect_download() as download:
            board.page.click(f'[data-picture="{kind}"]')
        assert download.value.suggested_filename == f"{game}.{kind}"
        download.value.save_as(tmp_path / f"board.{kind}")
    drawn = ElementTree.parse(tmp_path / "board.svg").getroot()
    men = [node for node in drawn.iter() if "man" in node.get("class", "").split()]
    assert len(men) == (32 if game == "xiangqi" else 1)
    assert max(int(drawn.get(side, 0)) for side in ("width", "height")) == 1200
    assert "var(" not in (tmp_path / "board.svg").read_text(encoding="utf-8")
    picture = (tmp_path / "board.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert 1200 in struct.unpack(">II", picture[16:24])
