"""A game as the report's viewer plays it: the board of the game once, and each game as a short text.

The viewer (data/viewer.js) knows no game. A *point* of the board is two digits in base 62, a *kind* of piece one. A
start is a text of point and kind for each piece. A game is its plies parted by blanks, a ply of one or more changes:

    m FROM TO     a piece moves, and takes what stands there
    k FROM TO     a piece attacks and is lost, the other stays
    b FROM TO     both are lost
    p POINT KIND  a piece is put on the board
    r POINT       a piece is taken off the board
    s SIDE        a side does not move, or leaves the game (a digit)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Board:
    """What is drawn. Lengths are in steps from one point to the next, from the top left corner.

    Attributes
    ----------
    points : sequence of (x, y, name, shape)
        The shape is '' or 'camp', 'house'.
    lines : sequence of (x1, y1, x2, y2, thickness)
    texts : sequence of (x, y, text)
    kinds : sequence of (text, side, look)
        The kinds of pieces: what is written on one, '' for a stone; whose it is; classes of the page's style.
    legend : str
        How the sides are told apart.
    sides : sequence of str
        Who moves.
    start : str
        The pieces at the beginning of a game that does not say otherwise.
    """

    width: float
    height: float
    points: Sequence[tuple[float, float, str, str]]
    lines: Sequence[tuple[float, float, float, float, int]]
    texts: Sequence[tuple[float, float, str]]
    kinds: Sequence[tuple[str, int, str]]
    sides: Sequence[str]
    legend: str
    start: str = ""

    def values(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Playback:
    """One game: its `plies`, and the `start` if it is not the board's."""

    plies: str
    start: str = ""


def point_digits(number: int) -> str:
    """A point's number as the viewer reads it. Raises ValueError or IndexError if there is none such."""
    if number < 0:
        raise ValueError(f"{number} is no point")
    return DIGITS[number // 62] + DIGITS[number % 62]


def start_text(pieces: Iterable[tuple[int, int]]) -> str:
    """A start of points with the kinds of their pieces."""
    return "".join(point_digits(point) + DIGITS[kind] for point, kind in pieces)
