"""The page of `sanqi board --watch`: games that others play."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.board_page import BoardPage, violations
from tests.protocol.conftest import BoardMaker

if TYPE_CHECKING:
    from tests.helpers.board_client import BoardProcess

SANQI = str(Path(sysconfig.get_path("scripts")) / "sanqi")
OpenPage = Callable[..., BoardPage]
MOVES = ["h2e2", "h9g7", "h0g2", "i9h9"]
SELECT = ".card > select"


def line(number: int, moves: list[str], **more: str) -> str:
    return json.dumps({"game": number, "red": "tiger", "black": "crane", **more, "start": "", "moves": moves}) + "\n"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """The file of a match: one game is over, another one is played."""
    path = tmp_path / "games.jsonl"
    over = line(1, MOVES, result="1-0", reason="time", detail="crane is out of time")
    path.write_text(json.dumps({"match": {"terms": {"game": "xiangqi"}}, "format": 1}) + "\n" + over)
    (tmp_path / "games.jsonl.live").mkdir()
    play(path, MOVES[:2])
    return path


def play(games: Path, moves: list[str]) -> None:
    part = games.parent / "part"
    part.write_text(line(2, moves))
    part.replace(games.parent / "games.jsonl.live" / "game00002.live")


@pytest.fixture
def server(start_board: BoardMaker, games: Path) -> BoardProcess:
    return start_board("--watch", str(games))


@pytest.mark.parametrize("width", [1280, 390])
def test_a_match_is_watched(open_page: OpenPage, games: Path, width: int) -> None:
    board = open_page(viewport={"width": width, "height": 844})
    page = board.page
    board.wait_ply(2)
    assert page.locator("#far-seats b").inner_text() == "crane"
    play(games, MOVES[:3])
    board.wait_ply(3)
    page.click('[data-step="first"]')
    play(games, MOVES)
    board.wait_ply(4)
    assert board.moves() == ["炮二平五", "馬8進7", "傌二進三", "車9平8"]
    page.select_option(SELECT, label="1. tiger – crane 1-0")
    assert "out of time" in board.wait_over()
    page.select_option(SELECT, label="the newest game")
    page.wait_for_selector('main[data-turn="other"][data-ply="4"]')
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not board.messages
    assert violations(page) == []


def test_junqi_is_watched_without_its_pieces(start_board: BoardMaker, chromium: object, tmp_path: Path) -> None:
    players = [word for seat in "01" for word in ("--seats", seat, f"{SANQI} junqi --level random")]
    options = ["--variant", "duel", "--record", "played", "--max-plies", "30", "--seed", "1", "--movetime", "1000"]
    subprocess.run([SANQI, "referee", *players, *options], cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)
    lines = (tmp_path / "played" / "game00001.jgr").read_bytes().splitlines(keepends=True)
    record = tmp_path / "records" / "game00001.jgr"
    record.parent.mkdir()
    record.write_bytes(b"".join(lines[:15]))
    server = start_board("--watch", str(record.parent))
    context = chromium.new_context()  # type: ignore[attr-defined]
    board = BoardPage(context.new_page(), server.owner_link)
    board.page.wait_for_selector("#board [data-man]")
    assert board.pieces() and all("?" in text for text in board.pieces().values())
    record.write_bytes(b"".join(lines))
    board.wait_over()
    assert board.pieces() and not any("?" in text for text in board.pieces().values())
    context.close()
