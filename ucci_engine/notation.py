"""Read a move that a person typed, in any known notation: h2e2, 炮二平五, C2.5 or Che2."""

from __future__ import annotations

import re
import unicodedata

from search_core.line_protocol import excerpt
from ucci_engine import algebraic_notation, wxf_notation
from ucci_engine.algebraic_notation import algebraic_to_move
from ucci_engine.chinese_notation import NoSuchMove, NotationError, chinese_to_move
from ucci_engine.points import RANKS_FROM_0, MoveTextError, parse_move
from ucci_engine.position import Position
from ucci_engine.wxf_notation import wxf_to_move

_ICCS = re.compile("[a-iA-I][0-9]-?[a-iA-I][0-9]")


def read_move(position: Position, text: str) -> int:
    """The one legal move that the text names; ranks are counted from 0. Raises NotationError."""
    word = unicodedata.normalize("NFKC", text).strip()  # full-width letters and digits become plain ones
    if not word.isascii():
        return chinese_to_move(position, word)
    if _ICCS.fullmatch(word):
        try:
            move = parse_move(word.replace("-", ""))
        except MoveTextError as error:  # from a square to itself
            raise NotationError(str(error)) from None
        if not position.is_legal(move):
            raise NoSuchMove(f"'{word}' is not legal here")
        return move
    if re.fullmatch(wxf_notation.PATTERN, word):
        return wxf_to_move(position, word)
    if re.fullmatch(algebraic_notation.PATTERN, word):
        return algebraic_to_move(position, word, RANKS_FROM_0)
    raise NotationError(
        f"{excerpt(word)} is not a move; expected a notation such as h2e2, C2.5, Che2 or the Chinese one"
    )
