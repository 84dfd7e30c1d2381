"""Read moves in chess's algebraic notation: Che2 is the cannon of file h that goes to e2.

XBoard and servers of chess variants save games in it. A move is the piece, then its file, rank or both if others of its
kind can go there too, then the target square; `x` and `-` before the target mean nothing. A pawn needs no letter: c5
goes straight, cd5 sideways (XBoard). Letters K A E (B) H (N) R C P in upper case, files in lower case. Nothing in a
move says whether ranks are counted from 0 (XBoard) or from 1 (Fairy-Stockfish, pychess).
"""

from __future__ import annotations

import re

from search_core.line_protocol import legible
from ucci_engine.chinese_notation import NoSuchMove, NotationError
from ucci_engine.points import square_text
from ucci_engine.position import Position

PATTERN = r"(?:[KABENHRCP][a-i]?(?:10|[0-9])?[-x]?|(?:[a-i]x?)?)[a-i](?:10|[0-9])"
"""Regular expression for a possible move in this notation, without a sign for check or mate after it."""

_PARTS = re.compile(r"(?P<piece>[A-Z]?)(?P<file>[a-i]?)(?P<rank>10|[0-9])?[-x]?(?P<target>[a-i](?:10|[0-9]))")
_FEN_LETTERS = {"": "P", "E": "B", "H": "N"}
"""FEN letters of the pieces for which this notation has another letter."""


def algebraic_to_move(position: Position, text: str, ranks: str) -> int:
    """The one legal move that the text names; `ranks` as in `points`. Raises NotationError."""
    parts = re.fullmatch(PATTERN, text) and _PARTS.fullmatch(text)
    if not parts:
        raise NotationError(f"{legible(text)}: expected a piece, its file or rank if need be, and a square, as in Che2")
    letter = _FEN_LETTERS.get(parts["piece"], parts["piece"])
    named = []
    for move in position.legal_moves():
        origin = square_text(move & 127, ranks)
        if (
            position.piece_at(move & 127).upper() == letter
            and square_text(move >> 7, ranks) == parts["target"]
            and origin.startswith(parts["file"])
            and parts["rank"] in (None, origin[1:])
        ):
            named.append(move)
    if letter == "P" and not parts["file"] and len(named) > 1:
        named = [move for move in named if (move & 127) % 9 == (move >> 7) % 9] or named
    if len(named) != 1:
        found = "several legal moves" if named else "no legal move"
        raise NoSuchMove(f"{legible(text)} names {found}, ranks {ranks}")
    return named[0]
