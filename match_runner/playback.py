"""The format of the boards on our pages: the board once, and each game as a short text.

The script that draws and plays it (data/board.js) knows no game. A *point* of the board is two digits in base 62, a
*kind* of piece is one. A start position is point and kind of each piece. A game is its plies, separated by blanks; a
ply is one or more changes:

    m FROM TO     a piece moves, and takes what stands there
    k FROM TO     a piece attacks and is lost, the other one stays
    b FROM TO     both are lost
    p POINT KIND  a piece is put on the board
    r POINT       a piece is taken off the board
    s SIDE        a side does not move, or leaves the game (a digit)
    o SIDE        all pieces of a side are taken off the board (a digit)
    t POINT KIND  the piece there is seen to be of this kind
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Board:
    """The drawing of a board. Coordinates are from the top left corner; the unit is the distance of two points.

    Attributes
    ----------
    points : sequence of (x, y, name, shape)
        The shape is '', 'camp', 'house' or 'star' (a dot).
    lines : sequence of (x1, y1, x2, y2, thickness)
    texts : sequence of (x, y, text)
    kinds : sequence of (text, side, look)
        The kinds of pieces: its text, '' for a stone; its side; its CSS classes.
    legend : str
        How to tell the sides apart.
    sides : sequence of str
        Their names.
    start : str
        The start position of games without their own.
    letters : sequence of str
        For each kind of piece a letter for people who do not read its text; empty: none.
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
    letters: Sequence[str] = ()

    def values(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Playback:
    """One game: its `plies`, and its `start` position ('': the board's)."""

    plies: str
    start: str = ""


@dataclass(frozen=True, slots=True)
class HiddenDrawing:
    """How the board of a game is drawn in which a side does not see everything.

    Attributes
    ----------
    views : mapping of str to str
        By side, the start position as it sees it.
    ply_code : callable
        As that of Drawing, with how the move ended, as the review's document has it.
    reveal_code : callable
        A point, the side that has the piece there, and the type that another side knows from now on, as a ply.
    """

    views: Mapping[str, str]
    ply_code: Callable[[str, str, str], str]
    reveal_code: Callable[[str, str, str], str]


@dataclass(frozen=True, slots=True)
class Drawing:
    """The board of a recorded game, and how it plays the game's moves.

    Attributes
    ----------
    ply_code : callable
        A move, as the game's protocol writes it, and the name of the side that plays it, as a ply. Raises ValueError
        or IndexError.
    start : str
        The start position; '': the board's.
    hidden : HiddenDrawing or None
        None: every side sees everything.
    """

    board: Board
    ply_code: Callable[[str, str], str]
    start: str = ""
    hidden: HiddenDrawing | None = None


def point_digits(number: int) -> str:
    """A point's number as the viewer reads it. Raises ValueError or IndexError if it is out of range."""
    if number < 0:
        raise ValueError(f"{number} is no point")
    return DIGITS[number // 62] + DIGITS[number % 62]


def start_text(pieces: Iterable[tuple[int, int]]) -> str:
    """A start position, from points and kinds of piece."""
    return "".join(point_digits(point) + DIGITS[kind] for point, kind in pieces)
