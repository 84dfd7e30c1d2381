"""The README lists the options and defaults that the engine lists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[3] / "README.md").read_text(encoding="utf-8")
COLUMNS = {"ucci": 1, "uci": 2}
SAID_IN_TEXT = {"UCI_Variant", "SyzygyPath"}
WORDS = {"true": "on", "false": "off", "<empty>": "", None: ""}


def listed(protocol: str, folder: Path) -> dict[str, str]:
    """The options that the engine lists, with their defaults in the README's words."""
    handshake = subprocess.run(
        [sys.executable, "-m", "sanqi", protocol],
        input=f"{protocol}\nquit\n",
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=60,
        check=True,
    ).stdout
    options = {}
    for line in handshake.splitlines():
        option = re.fullmatch(r"option (?:name )?(.+?) type \w+(?:.*? default (\S+))?.*", line)
        if option:
            options[option[1]] = WORDS.get(option[2], option[2])
    assert options
    return options


def documented(protocol: str) -> dict[str, str]:
    """The options in the README's table, with their defaults."""
    table = README[README.index("## Options") :]
    rows = [[cell.strip() for cell in row.split("|")] for row in re.findall(r"^\|.*\|$", table, re.MULTILINE)[2:]]
    return {row[COLUMNS[protocol]].strip("`"): row[3] for row in rows if row[COLUMNS[protocol]]}


@pytest.mark.parametrize("protocol", COLUMNS)
def test_options_are_documented(protocol: str, tmp_path: Path) -> None:
    options = {name: default for name, default in listed(protocol, tmp_path).items() if name not in SAID_IN_TEXT}
    assert documented(protocol) == options


def test_options_said_in_text() -> None:
    for name in SAID_IN_TEXT:
        assert f"`{name}`" in README


def test_links_have_targets() -> None:
    root = Path(__file__).resolve().parents[3]
    for page in (root / "README.md", *(root / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
