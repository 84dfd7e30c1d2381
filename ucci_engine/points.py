"""Squares, moves, pieces and the start position as text.

A square is ``rank * 9 + file``: rank 0 is Red's home, file 0 (``a``) is on
Red's left. A move is ``from | to << 7``. Light: imported before the first
answer is given.
"""

from __future__ import annotations

from search_core.line_protocol import excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

START_FEN = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
"""The start position."""

RANKS_FROM_0 = "0-9"
"""How UCCI and the Chinese programs count the ranks."""
RANKS_FROM_1 = "1-10"
"""How Fairy-Stockfish and its hosts count them."""
VARIANT_RANKS = RANKS_FROM_1
"""How an engine of many variants counts them that has no option for it: Fairy-Stockfish and those based on it."""

CHARACTERS = dict(zip("RNBAKCPrnbakcp", "俥傌相仕帥炮兵車馬象士將砲卒"))
"""The traditional characters of the pieces, by FEN letter. No character is on both sides."""
SIMPLIFIED = dict(zip("RNBAKCPrnbakcp", "车马相仕帅炮兵车马象士将炮卒"))
"""The simplified characters. Rook, horse and cannon have the same one on both sides."""

_FILES = "abcdefghi"


class MoveTextError(ValueError):
    """A text is not a move. The arguments are the text and how its ranks are counted."""

    def __str__(self) -> str:  # made only on demand: a hostile line has thousands, of which few are shown
        text, ranks = self.args
        example = "h3e3" if ranks == RANKS_FROM_1 else "h2e2"
        return f"{excerpt(text)} is not a move; expected files a-i and ranks {ranks}, such as {example}"


class Move(int):
    """A move, an int that prints as ``h2e2``."""

    __slots__ = ()

    def __str__(self) -> str:
        return move_text(self)

    def __repr__(self) -> str:
        return f"<Move {self}>"


def move_text(move: int, ranks: str = RANKS_FROM_0) -> str:
    """A move as text, such as ``h2e2``; with `ranks` RANKS_FROM_1 the same move is ``h3e3``."""
    return square_text(move & 127, ranks) + square_text(move >> 7, ranks)


def square_text(square: int, ranks: str = RANKS_FROM_0) -> str:
    """A square as text."""
    rank, file = divmod(square, 9)
    return f"{_FILES[file]}{rank + (ranks == RANKS_FROM_1)}"


def _squares(ranks: str) -> dict[str, int]:
    return {square_text(square, ranks): square for square in range(90)}


_SQUARES = {ranks: _squares(ranks) for ranks in (RANKS_FROM_0, RANKS_FROM_1)}


def parse_move(text: str, ranks: str = RANKS_FROM_0) -> int:
    """The move that `text` writes, legal or not.

    Raises MoveTextError, which names the text.
    """
    squares = _SQUARES[ranks]
    lowered = text.lower()
    cut = 3 if ranks == RANKS_FROM_1 and lowered[1:3] == "10" else 2
    origin, target = squares.get(lowered[:cut]), squares.get(lowered[cut:])
    if origin is None or target is None or origin == target:
        raise MoveTextError(text, ranks)
    return Move(origin | target << 7)


def by_points(moves: Iterable[int]) -> list[int]:
    """The moves, sorted by origin and then by target."""
    return sorted(moves, key=lambda move: (move & 127, move >> 7))
