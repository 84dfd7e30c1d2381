"""The board on the pages of matches and of `sanqi board`."""

from board_pages.drawing import BoardDrawing, point_digits, start_text
from breakthrough.session import FILES, BreakthroughSession, square_number, square_text


def breakthrough_board() -> BoardDrawing:
    lines = [(i - 0.5, -0.5, i - 0.5, 7.5, 1) for i in range(9)] + [(-0.5, i - 0.5, 7.5, i - 0.5, 1) for i in range(9)]
    return BoardDrawing(
        width=7,
        height=7,
        points=[(square % 8, 7 - square // 8, square_text(square), "") for square in range(64)],
        lines=lines,
        texts=[(i, 7.9, FILES[i]) for i in range(8)] + [(-0.9, 7 - i, str(i + 1)) for i in range(8)],
        kinds=[("", 0, "light"), ("", 1, "dark")],
        sides=BreakthroughSession.sides,
        legend="White begins at the bottom.",
        start=start_text(BreakthroughSession().men()),
    )


def ply_code(move: str, side: str = "", outcome: str = "") -> str:
    return f"m{point_digits(square_number(move[:2]))}{point_digits(square_number(move[2:]))}"
