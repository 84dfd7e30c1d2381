"""Points in SGF: two letters, column and row, from `aa` at the top left."""

from __future__ import annotations

import re

from gomoku_protocol.game_record import RecordError
from search_core.line_protocol import decode_line, excerpt

_POINT = re.compile(r"[a-z]{2}")


def point_of_value(value: bytes, name: str) -> tuple[int, int]:
    """The point in a value of the property `name`. Raises RecordError."""
    text = decode_line(value)
    if not _POINT.fullmatch(text):
        raise RecordError(f"{name}[{excerpt(text)[1:-1]}] is no point; expected two letters such as {name}[hh]")
    return ord(text[0]) - ord("a"), ord(text[1]) - ord("a")


def letters(x: int, y: int) -> str:
    """A point as a value."""
    return chr(ord("a") + x) + chr(ord("a") + y)
