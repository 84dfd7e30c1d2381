"""Recorded games of Gomoku on the board of a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from board_pages.drawing import point_digits, start_text
from board_pages.playback import Drawing
from gomoku_protocol.drawing import gomoku_board
from gomoku_protocol.points import MAX_SIZE, parse_point
from gomoku_protocol.session import COLOURS
from gomoku_protocol.swap2 import NAMES

_USUAL_SIZE = 15
_SIDES = COLOURS
"""Kinds of stones. A third kind is a point on which nobody may play."""


def draw(start: Mapping[str, Any], notation: str) -> Drawing:
    """The numbers around the board are those of the notation. Raises ValueError, IndexError, TypeError or
    OverflowError."""
    size = start.get("size", _USUAL_SIZE)
    sizes = size.lower().split("x") if isinstance(size, str) else size if isinstance(size, list) else [size]
    width, height = int(sizes[0]), int(sizes[-1])
    if not (1 <= width <= MAX_SIZE and 1 <= height <= MAX_SIZE):
        raise ValueError(f"no board of {width}x{height}")
    board = gomoku_board(width, height, letters=notation != "gomocup")

    def point(text: object) -> int:
        x, y = parse_point(str(text))
        if x >= width or y >= height:
            raise ValueError(f"{x},{y} is not on the board")
        return y * width + x

    def ply_code(move: str, side: str, outcome: str) -> str:
        if move in NAMES:  # a choice puts no stone
            return f"s{_SIDES.index(side)}"
        return f"p{point_digits(point(move))}{_SIDES.index(side)}"

    fields = (*_SIDES, "blocked")
    pieces = [(point(text), kind) for kind, field in enumerate(fields) for text in start.get(field) or ()]
    return Drawing(board, ply_code, start_text(pieces))
