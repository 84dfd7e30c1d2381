"""The drawing of a Xiangqi board, Red at the bottom. Its points are the squares, numbered as in points.py."""

from __future__ import annotations

from board_pages.drawing import BoardDrawing, start_text, svg
from ucci_engine.fen import LETTERS, parse_fen
from ucci_engine.points import START_FEN, square_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ucci_engine.position import Position

_SETS = ("帥仕相傌俥炮兵", "將士象馬車砲卒")
_LETTERS = "KAEHRCP" * 2
"""King, advisor, elephant, horse, rook, cannon, pawn."""


def position_svg(position: Position) -> str:
    """A position as SVG."""
    pieces = [(square, position.piece_at(square)) for square in range(90)]
    men = [(square, LETTERS.index(piece)) for square, piece in pieces if piece]
    return svg(xiangqi_board(), men, title=position.fen())


def xiangqi_board() -> BoardDrawing:
    """The board for the viewer, Red at the bottom. Points are numbered as squares."""
    points = [(square % 9, 9 - square // 9, square_text(square), "") for square in range(90)]
    lines = [(0, y, 8, y, 1) for y in range(10)]
    lines += [(0, 0, 0, 9, 1), (8, 0, 8, 9, 1)]
    lines += [(x, y, x, y + 4, 1) for x in range(1, 8) for y in (0, 5)]
    lines += [(3, y, 5, y + 2, 1) for y in (0, 7)] + [(5, y, 3, y + 2, 1) for y in (0, 7)]
    texts: list[tuple[float, float, str]] = [(x, 9.9, "abcdefghi"[x]) for x in range(9)]
    texts += [(-0.9, 9 - y, str(y)) for y in range(10)]
    texts += [(1.5, 4.5, "楚河"), (6.5, 4.5, "漢界")]
    kinds = [(text, side, look) for side, look in enumerate(("light red", "dark")) for text in _SETS[side]]
    legend = "Red has the light pieces, Black the dark ones."
    return BoardDrawing(8, 9, points, lines, texts, kinds, ("red", "black"), legend, fen_pieces(START_FEN), _LETTERS)


def fen_pieces(fen: str) -> str:
    """The pieces of a FEN as a start position for the viewer. Raises FenError for a wrong one."""
    return start_text(parse_fen(fen, composed=True).pieces)
