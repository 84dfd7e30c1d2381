"""How a game declares itself to `sanqi play`."""

from __future__ import annotations

import argparse
import subprocess
import sys

import pytest

from game_core.display import GameDisplay
from game_core.session import Session
from gomoku_protocol.display import GomokuDisplay
from gomoku_protocol.session import GomokuSession
from junqi_protocol.display import JunqiDisplay
from ucci_engine.display import XiangqiDisplay
from ucci_engine.session import XiangqiSession


def no_session() -> Session:
    raise AssertionError("a session was opened")


@pytest.mark.parametrize(("display", "session"), [(XiangqiDisplay, XiangqiSession), (GomokuDisplay, GomokuSession)])
def test_the_options_name_the_sides_without_a_session(display: type[GameDisplay], session: type[Session]) -> None:
    parser = argparse.ArgumentParser()
    display("game", "Game", no_session).add_arguments(parser)
    for side in session().sides:
        assert parser.parse_args(["--side", side]).side == side
    assert parser.parse_args([]).side == session().sides[0] == display.sides[0]
    assert display.sides == session().sides


@pytest.mark.parametrize("display", [XiangqiDisplay, GomokuDisplay, JunqiDisplay])
def test_rules_and_commands_are_on_one_screen(display: type[GameDisplay]) -> None:
    for text in (display.rules, display("game", "Game", no_session).commands):
        lines = text.splitlines()
        assert 5 < len(lines) <= 23 and max(map(len, lines)) < 80


def test_a_display_without_sides_asks_the_session() -> None:
    parser = argparse.ArgumentParser()
    GameDisplay("game", "Game", GomokuSession).add_arguments(parser)
    assert parser.parse_args([]).side == "black"


@pytest.mark.parametrize("module", ["ucci_engine.display", "gomoku_protocol.display", "junqi_protocol.display"])
def test_displays_load_no_native_module(module: str) -> None:
    program = (
        f"import sys, {module}\n"
        "from importlib.machinery import EXTENSION_SUFFIXES\n"
        "own = {'search_core', 'ucci_engine', 'gomoku_protocol', 'junqi_protocol'}\n"
        "print(*(name for name, module in sys.modules.items() if name.partition('.')[0] in own\n"
        "    and (module.__file__ or '').endswith(tuple(EXTENSION_SUFFIXES))))"
    )
    loaded = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
