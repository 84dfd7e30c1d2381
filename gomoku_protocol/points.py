"""Points of the board, and the rules that can be played on it.

A *point* has a column x from the left and a row y from the top, both from 0.
The engine's *move* is a point's number on a board of 32 columns with a margin
of five on all sides, so that it is never 0 and lines never wrap.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from search_core.line_protocol import excerpt

MIN_SIZE = 5
MAX_SIZE = 22
"""Of a board, in either direction."""

FREESTYLE = 0
STANDARD = 1
RENJU = 4
CARO = 8
CARO_EXACT = 9
RULES = (FREESTYLE, STANDARD, RENJU, CARO, CARO_EXACT)
"""As the Gomocup protocol numbers them: five or more wins; exactly five; renju; five not closed at both
ends, or six and more; exactly five not closed at both ends."""

COLUMNS = "abcdefghijklmnopqrstuv"
"""The letters of the columns, for people."""

MARGIN = 5
STRIDE = 32


class PointError(ValueError):
    """A text that is no point; the message is one line for the user."""


class Move(int):
    """A move, an int that prints as ``7,7``."""

    __slots__ = ()

    def __str__(self) -> str:
        return point_text(self)

    def __repr__(self) -> str:
        return f"<Move {self}>"


def move_at(x: int, y: int) -> int:
    """The engine's number for a point."""
    return Move((y + MARGIN) * STRIDE + x + MARGIN)


def point_of(move: int) -> tuple[int, int]:
    """Column and row of a move."""
    return move % STRIDE - MARGIN, move // STRIDE - MARGIN


def point_text(move: int) -> str:
    """A move as the Gomocup protocol writes it: ``x,y``."""
    x, y = point_of(move)
    return f"{x},{y}"


def parse_numbers(text: str, count: int) -> list[int]:
    """`count` whole numbers separated by commas; blanks around them are allowed. Raises PointError."""
    words = [word.strip() for word in text.split(",")]
    if len(words) != count or not all(word.isascii() and word.isdecimal() and len(word) < 6 for word in words):
        expected = "x,y" if count == 2 else "x,y,field"
        raise PointError(f"expected {expected}, got {excerpt(text)}")
    return [int(word) for word in words]


def parse_point(text: str) -> tuple[int, int]:
    """Column and row from ``x,y``. Raises PointError for other text. Does not check the board's size."""
    x, y = parse_numbers(text, 2)
    return x, y
