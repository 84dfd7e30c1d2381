"""Games are listed in one place; the rest of the shared packages names no game."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from game_core.description import GameDescription, protocol_of_line
from sanqi.cli import command_line
from sanqi.registry import COMMANDS, GAMES, SHORT_COMMANDS
from search_core.parts import load_part

CHECKOUT = Path(__file__).resolve().parents[3]
NAME = re.compile("xiangqi|gomoku|junqi|ucci_engine", re.IGNORECASE)
SUFFIXES = {".py", ".pyi", ".pyx", ".pxd", ".h", ".js", ".html"}
MAY_NAME = {
    **dict.fromkeys(("search_core", "game_core", "board_pages", "engine_client", "match_runner"), ()),
    **dict.fromkeys(("game_review", "engine_doctor"), ()),
    "sanqi": (
        "registry.py",
        "setup_host.py",  # a text for each GUI
        "__init__.py*",
    ),
}
"""The files in each package that may name games: those of one game, protocol or host, and the registry."""


@pytest.mark.parametrize("package", MAY_NAME)
def test_no_other_file_names_a_game(package: str) -> None:
    files = [file for file in (CHECKOUT / package).rglob("*") if file.suffix in SUFFIXES]
    assert files
    wrong = [
        f"{file.relative_to(CHECKOUT)}:{number}: {line.strip()}"
        for file in files
        if not any(fnmatch(file.name, pattern) for pattern in MAY_NAME[package])
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if NAME.search(line)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("package", MAY_NAME)
def test_every_exception_is_still_needed(package: str) -> None:
    for pattern in MAY_NAME[package]:
        assert any(NAME.search(file.read_text(encoding="utf-8")) for file in (CHECKOUT / package).glob(pattern))


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_the_parts_that_a_description_names_exist(game: GameDescription) -> None:
    named = [game.session, game.bench, game.match, game.openings, game.records, game.analysis, game.analysts]
    named += [game.review, game.drawing]
    named += [protocol.adapter for protocol in game.protocols] + [protocol.options for protocol in game.protocols]
    named += [command.module for command in game.commands] + [host.checks for host in game.hosts]
    if game.session:
        named.append(game.display)
    for name in filter(None, named):
        assert load_part(name) is not None
    for host in game.hosts:
        assert any(check.host == host.name for check in load_part(host.checks).CHECKS)


def test_every_command_is_listed_once() -> None:
    of_games = [name for game in GAMES.values() for name in game.command_names()]
    names = [*(command.name for command in COMMANDS), *SHORT_COMMANDS, *of_games]
    assert len(set(names)) == len(names)
    assert {*command_line(()).commands, "match-worker"} == set(names)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("UCCI", "ucci"),
        ("uci now", "uci"),
        ("Start 15", "gomocup"),
        ("yxshowinfo", "gomocup"),
        ("INFO 1.0", "contest"),
        ("info  1.0 ", "contest"),
        ("INFO rule 1", "gomocup"),
        ("junqi 1", "junqi"),
        ("junqi2 1", None),
        ("  ", None),
    ],
)
def test_first_lines(line: str, name: str | None) -> None:
    found = protocol_of_line(line, GAMES.values())
    assert (found and found.name) == name
