"""The files of the board's page: their size, licences and words, and what its content policy demands."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

pytest.importorskip("websockets", reason="needs websockets")

from web_board.server import content_of

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "web_board" / "data"
BOARD_SCRIPT = ROOT / "board_pages" / "data" / "board.js"
SCRIPTS = [*sorted(FOLDER.glob("*.js")), BOARD_SCRIPT]
OWN_SCRIPTS = [path for path in SCRIPTS if path.name != "lit-html.js"]


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_sizes() -> None:
    assert sum(path.stat().st_size for path in [*FOLDER.iterdir(), BOARD_SCRIPT]) <= 300_000
    packed = [gzip.compress(content_of(path)) for path in [*SCRIPTS, *FOLDER.glob("*.css")]]
    assert sum(map(len, packed)) <= 45_000


def test_licences() -> None:
    """Each part that others have made is named."""
    licences = text_of(FOLDER / "LICENSES.txt")
    assert "lit-html.js:" in licences and "BSD 3-Clause" in licences
    assert "glyphs.json:" in licences and "SIL OPEN FONT LICENSE" in licences


def test_imports_are_files_of_the_page() -> None:
    for path in SCRIPTS:
        for name in re.findall(r"""(?:from|import\(|openFrom\(|openPanel\()\s*"\./([^"]+)\"""", text_of(path)):
            assert (FOLDER / name).is_file(), f"{path.name} imports {name}"


def test_nothing_that_the_content_policy_forbids() -> None:
    page = text_of(FOLDER / "index.html")
    assert "style=" not in page and not re.search(r"<script(?![^>]* src=)", page)
    forbidden = re.compile(r"""style="|setAttribute\("style|\beval\(|innerHTML|https?://(?!www\.w3\.org/)""")
    for path in OWN_SCRIPTS:
        assert not forbidden.search(text_of(path)), path.name


def test_every_word_has_a_chinese_one() -> None:
    known = set(json.loads(text_of(FOLDER / "chinese.json"))["words"])
    said = {word for path in OWN_SCRIPTS for word in re.findall(r'\bsay\("([^"]+)"', text_of(path))}
    assert len(said) > 50
    assert said - known == set()


def test_characters_of_the_boards_are_drawn() -> None:
    """They need no font."""
    glyphs = text_of(FOLDER / "glyphs.json")
    for path in ("ucci_engine/drawing.py", "ucci_engine/playback.py", "junqi_protocol/referee/match_game.py"):
        missing = [each for each in text_of(ROOT / path) if "\u4e00" <= each <= "\u9fff" and f'"{each}":' not in glyphs]
        assert missing == [], path
