"""Recorded games of Xiangqi on the board of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from board_pages.drawing import point_digits
from board_pages.playback import Drawing
from ucci_engine.drawing import fen_pieces, xiangqi_board
from ucci_engine.points import START_FEN, parse_move


def draw(start: Mapping[str, Any], notation: str) -> Drawing:
    """The numbers around the board are those of the notation. Raises ValueError or IndexError."""
    board = replace(xiangqi_board(), texts=_labels(notation))
    fen = str(start.get("fen") or START_FEN)
    return Drawing(board, ply_code, "" if fen == START_FEN else fen_pieces(fen))


def ply_code(move: str, side: str, outcome: str) -> str:
    """A move as a ply. Raises ValueError or IndexError."""
    number = parse_move(move)
    return f"m{point_digits(number & 127)}{point_digits(number >> 7)}"


def _labels(notation: str) -> list[tuple[float, float, str]]:
    """What stands around the board: files and ranks as the moves are written."""
    labels: list[tuple[float, float, str]] = [(1.5, 4.5, "楚河"), (6.5, 4.5, "漢界")]
    if notation in ("iccs", "algebraic"):
        labels += [(x, 9.9, "abcdefghi"[x]) for x in range(9)]
        labels += [(-0.9, 9 - y, str(y)) for y in range(10)]
    else:  # each side counts the files from its right
        numbers = "987654321" if notation == "wxf" else "九八七六五四三二一"
        labels += [(x, 9.9, numbers[x]) for x in range(9)]
        labels += [(x, -0.9, str(x + 1)) for x in range(9)]
    return labels
