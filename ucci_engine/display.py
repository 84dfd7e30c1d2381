"""Positions and evaluations as lines of ASCII, for people at a terminal."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ucci_engine.position import Position


def board_lines(position: Position) -> list[str]:
    """The board as Red sees it, and what else there is to know of the position."""
    lines = []
    for rank in range(9, -1, -1):
        pieces = " ".join(position.piece_at(rank * 9 + file) or "." for file in range(9))
        lines.append(f"{rank}  {pieces}")
        if rank == 5:
            lines.append("   -----------------")
    lines += [
        "",
        "   a b c d e f g h i",
        "",
        f"fen    {position.fen()}",
        f"key    {position.key:016x}",
        f"turn   {'Black' if position.side else 'Red'}{', in check' if position.checked else ''}",
        f"result {position.result()}",
    ]
    return lines


def evaluation_lines(position: Position) -> list[str]:
    """Every term of the static evaluation, in centipawns: middle game and end game of either side, and their sum."""
    terms, total = position.trace()
    lines = [
        f"{'':24}{'Red':^14} {'Black':^14} {'Red - Black':^14}",
        f"{'term':24}{'mg':>7}{'eg':>7} {'mg':>7}{'eg':>7} {'mg':>7}{'eg':>7}",
    ]
    for term in terms:
        lines.append(
            f"{term.name:24}{term.red_mg:7}{term.red_eg:7} {term.black_mg:7}{term.black_eg:7}"
            f" {term.red_mg - term.black_mg:7}{term.red_eg - term.black_eg:7}"
        )
    lines += ["", f"total {total:+} centipawns for the side to move ({'Black' if position.side else 'Red'})"]
    return lines
