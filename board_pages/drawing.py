"""The drawing of a board and its pieces, for pages and as SVG. It knows no game.

A *point* of the board is two digits in base 62, a *kind* of piece is one digit. A position is point and kind of each
piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class BoardDrawing:
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


def point_digits(number: int) -> str:
    """A point's number as the viewer reads it. Raises ValueError or IndexError if it is out of range."""
    if number < 0:
        raise ValueError(f"{number} is no point")
    return DIGITS[number // 62] + DIGITS[number % 62]


def start_text(pieces: Iterable[tuple[int, int]]) -> str:
    """A start position, from points and kinds of piece."""
    return "".join(point_digits(point) + DIGITS[kind] for point, kind in pieces)


_WOOD, _INK, _FIELD = "#e2c995", "#5a452a", "#efdcb4"
_FILLS = {"dark": "#23262b", "light": "#fffdf6"}
_TEXTS = {"dark": "#ffffff", "light": "#1c1e21", "light red": "#a3120b"}
_PIXELS = 40  # between two points


def svg(board: BoardDrawing, pieces: Iterable[tuple[int, int]], touched: Iterable[int] = (), title: str = "") -> str:
    """A position as an SVG document that needs no style sheet. Of the shapes of points it draws dots.

    `pieces`: points and kinds. `touched`: the points of the last move. `title`: what a screen reader says.
    """
    return "\n".join([*_elements(board, pieces, touched, title), "</svg>", ""])


def _elements(
    board: BoardDrawing, pieces: Iterable[tuple[int, int]], touched: Iterable[int], title: str
) -> Iterator[str]:
    left = min([-0.65, *(x - 0.4 for x, _, _ in board.texts)])
    right = max([board.width + 0.65, *(x + 0.4 for x, _, _ in board.texts)])
    top = min([-0.65, *(y - 0.3 for _, y, _ in board.texts)])
    bottom = max([board.height + 0.65, *(y + 0.3 for _, y, _ in board.texts)])
    width, height = right - left, bottom - top
    yield (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" font-family="sans-serif" text-anchor="middle"'
        f' width="{width * _PIXELS:.0f}" height="{height * _PIXELS:.0f}"'
        f' viewBox="{left:.2f} {top:.2f} {width:.2f} {height:.2f}">'
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{_WOOD}"/>'
    )
    yield f"<title>{escape(title)}</title>"
    for x1, y1, x2, y2, thickness in board.lines:
        yield f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{_INK}" stroke-width="{0.03 * thickness:.2f}"/>'
    for x, y, _, shape in board.points:
        if shape == "star":
            yield f'<circle cx="{x}" cy="{y}" r="0.1" fill="{_INK}"/>'
    for x, y, text in board.texts:
        yield _text(x, y, 0.45, _INK, text)
    for point, kind in pieces:
        x, y, _, _ = board.points[point]
        text, _, look = board.kinds[kind]
        fill = _FILLS.get(look.split()[0], _FIELD)
        yield f'<circle cx="{x}" cy="{y}" r="0.46" fill="{fill}" stroke="#1c1e21" stroke-width="0.05"/>'
        if text:
            yield _text(x, y, 0.6, _TEXTS.get(look, _INK), text)
    for point in touched:
        x, y, _, _ = board.points[point]
        frame = f'x="{x - 0.5:.2f}" y="{y - 0.5:.2f}" width="1" height="1"'
        yield f'<rect {frame} fill="none" stroke="#0b57d0" stroke-width="0.08"/>'


def _text(x: float, y: float, size: float, colour: str, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" dominant-baseline="central">{escape(text)}</text>'
