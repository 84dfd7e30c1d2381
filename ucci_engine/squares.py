"""Squares, moves and the start position as text.

A square is ``rank * 9 + file``: rank 0 is Red's home, file 0 (``a``) is on
Red's left. A move is ``from | to << 7``. Light: imported before the first
answer is given.
"""

from __future__ import annotations

from search_core.line_protocol import shown

START_FEN = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
"""The start position."""

RANKS_FROM_0 = "0-9"
"""How UCCI and the Chinese programs count the ranks."""
RANKS_FROM_1 = "1-10"
"""How Fairy-Stockfish and its hosts count them."""

_FILES = "abcdefghi"


class MoveTextError(ValueError):
    """The text is not written like a move."""


def move_text(move: int, ranks: str = RANKS_FROM_0) -> str:
    """A move as text, such as ``h2e2``; with `ranks` RANKS_FROM_1 the same move is ``h3e3``."""
    return square_text(move & 127, ranks) + square_text(move >> 7, ranks)


def square_text(square: int, ranks: str = RANKS_FROM_0) -> str:
    """A square as text."""
    rank, file = divmod(square, 9)
    return f"{_FILES[file]}{rank + (ranks == RANKS_FROM_1)}"


def parse_move(text: str, ranks: str = RANKS_FROM_0) -> int:
    """The move that `text` writes; whether it is legal anywhere is another question.

    Raises MoveTextError, which names the text.
    """
    origin, rest = _parse_square(text.lower(), text, ranks)
    target, rest = _parse_square(rest, text, ranks)
    if rest or origin == target:
        raise _no_move(text, ranks)
    return origin | target << 7


def _parse_square(rest: str, text: str, ranks: str) -> tuple[int, str]:
    file = _FILES.find(rest[0]) if rest else -1
    length = 2 if ranks == RANKS_FROM_1 and rest[1:3] == "10" else 1
    digits = rest[1 : 1 + length]
    if file < 0 or not (digits.isascii() and digits.isdigit()):
        raise _no_move(text, ranks)
    rank = int(digits) - (ranks == RANKS_FROM_1)
    if not 0 <= rank <= 9:
        raise _no_move(text, ranks)
    return rank * 9 + file, rest[1 + length :]


def _no_move(text: str, ranks: str) -> MoveTextError:
    example = "h3e3" if ranks == RANKS_FROM_1 else "h2e2"
    return MoveTextError(f"{shown(text)} is not a move; expected files a-i and ranks {ranks}, such as {example}")
