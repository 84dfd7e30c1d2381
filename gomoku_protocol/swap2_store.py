"""The Swap2 openings that come with the program: three stones each, after which neither side is ahead.

``data/swap2.txt`` has a part for each board, which begins with its name in brackets. A line is an opening: black,
white, black, as ``x,y``. `benchmarks/swap2_openings.py` makes the file. No two openings of a board are alike after
turning and mirroring.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Callable
from functools import partial

from gomoku_protocol.game_record import RULE_NAMES
from gomoku_protocol.points import move_at, parse_point

_FILE = os.path.join(os.path.dirname(__file__), "data", "swap2.txt")

Turn = Callable[[int, int], "tuple[int, int]"]
"""Where a point goes when the board is turned or mirrored."""


def board_name(rule: int, width: int, height: int) -> str:
    """A board in the file, such as ``freestyle 15x15``."""
    return f"{RULE_NAMES[rule]} {width}x{height}"


def symmetries(size: int) -> list[Turn]:
    """The eight ways to turn and mirror a board of `size` columns and rows."""

    def turned(transposes: bool, flips_y: bool, flips_x: bool, x: int, y: int) -> tuple[int, int]:
        x, y = (y, x) if transposes else (x, y)
        return size - 1 - x if flips_x else x, size - 1 - y if flips_y else y

    return [partial(turned, *each) for each in itertools.product((False, True), repeat=3)]


def openings(rule: int, width: int, height: int) -> list[list[tuple[int, int]]]:
    """The openings of a board; none: the file has no such board."""
    header = f"[{board_name(rule, width, height)}]"
    found = []
    with open(_FILE, encoding="ascii") as file:
        inside = False
        for line in file:
            if line.startswith("["):
                inside = line.rstrip() == header
            elif inside:
                found.append([parse_point(point) for point in line.split()])
    return found


def draw_opening(rule: int, width: int, height: int, chance: random.Random) -> list[int] | None:
    """The moves of a random opening, turned or mirrored at random; None: the file has no such board."""
    stored = openings(rule, width, height)
    if not stored:
        return None
    turn = chance.choice(symmetries(width))
    return [move_at(*turn(x, y)) for x, y in chance.choice(stored)]
