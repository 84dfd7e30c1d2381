"""The drawing of a Gomoku board. Its points are numbered row by row, from the top left."""

from __future__ import annotations

from board_pages.drawing import BoardDrawing, svg
from gomoku_protocol.points import COLUMNS, point_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gomoku_protocol.position import Position

_BLOCKED = ("✕", 0, "blocked")
"""The kind of a point on which nobody may play."""


_MARKS = {-1: ".", 0: "X", 1: "O", 2: "#"}


def position_text(position: Position) -> str:
    """A position as lines of text: X is Black, O is White, # is blocked; x is counted from the left, y from the top."""
    lines = [f"   {' '.join(str(x % 10) for x in range(position.width))}"]
    for y in range(position.height):
        lines.append(f"{y:2} {' '.join(_MARKS[position.stone_at(x, y)] for x in range(position.width))}")
    return "\n".join([*lines, repr(position)])


def position_svg(position: Position) -> str:
    """A position as SVG; the last stone is framed."""
    width, height = position.width, position.height
    points = [(x, y) for y in range(height) for x in range(width)]
    men = [(y * width + x, position.stone_at(x, y)) for x, y in points if position.stone_at(x, y) >= 0]
    last = [y * width + x for x, y in map(point_of, position.moves[-1:])]
    return svg(gomoku_board(width, height), men, last, repr(position))


def gomoku_board(width: int, height: int, letters: bool = False) -> BoardDrawing:
    """The board for the viewer. Points are numbered row by row. Around it stand the numbers of the Gomocup protocol, or
    letters and the rows from below."""
    stars = {(x, y) for x in _star_lines(width) for y in _star_lines(height)} if width == height else set()
    points = [(x, y, f"{x},{y}", "star" if (x, y) in stars else "") for y in range(height) for x in range(width)]
    lines = [(0, y, width - 1, y, 1) for y in range(height)] + [(x, 0, x, height - 1, 1) for x in range(width)]
    texts: list[tuple[float, float, str]] = [(x, height - 0.1, COLUMNS[x] if letters else str(x)) for x in range(width)]
    texts += [(-0.9, y, str(height - y if letters else y)) for y in range(height)]
    kinds = (("", 0, "dark"), ("", 1, "light"), _BLOCKED)
    return BoardDrawing(width - 1, height - 1, points, lines, texts, kinds, ("black", "white"), "")


def _star_lines(size: int) -> tuple[int, ...]:
    """The columns with dots, which help to find a point: near the edges, and in the middle if there is one."""
    if size < 13:
        return ()
    return (3, size // 2, size - 4) if size % 2 else (3, size - 4)
