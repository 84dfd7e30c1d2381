"""Position strings, the form in which users of gomocalc and Rapfi send games: the stones in order, as in `h8i9g10`.

A point is the letter of its column and the number of its row from the bottom, from 1. No letter is left out. The string
does not say how large the board is, on which the rows depend: gomocalc's usual board is 15x15.
Source: `posStr` and `setPosStr` of dhbloo/gomoku-calculator, which ignores the case and what stands between points.
"""

from __future__ import annotations

import re

from gomoku_protocol.game_record import GameRecord, Points, RecordError, Stone
from gomoku_protocol.points import COLUMNS, MAX_SIZE
from search_core.line_protocol import decode_line, excerpt
from search_core.text_file import unmarked

_USUAL_SIZES = (15, 19, 20, MAX_SIZE)
_POINT = re.compile(r"([a-z])([0-9]{1,2})(?![0-9])")
_BETWEEN = re.compile(r"[\s,;_-]*")


def is_position_string(text: str) -> bool:
    """Whether a text may be one: nothing but points."""
    return bool(text) and not re.sub(_BETWEEN, "", re.sub(_POINT, "", text.lower()))


def parse(data: bytes, *, size: str | None = None) -> GameRecord:
    """The game in a position string. Raises RecordError, naming the point.

    `size`: of the board; without it, the smallest of 15, 19, 20 and 22 that has all points.
    """
    named = points_in(decode_line(unmarked(data)))
    side = int(size) if size is not None else _least_size(named)
    points = Points(side, side)
    moves: list[Stone] = []
    for column, row in named:
        x, y = COLUMNS.index(column), side - row
        points.take(x, y, f"{column}{row}")
        moves.append(Stone(len(moves) % 2, x, y))
    remarks: tuple[str, ...] = ()
    if size is None and side > _USUAL_SIZES[0]:
        remarks = (f"a position string does not say the size of its board; taken as {side}x{side}",)
    return GameRecord(side, side, tuple(moves), remarks=remarks)


def points_in(text: str) -> list[tuple[str, int]]:
    """The points of a position string, column and row. Raises RecordError."""
    text = text.strip().lower()
    at = 0
    found: list[tuple[str, int]] = []
    while at < len(text):
        point = _POINT.match(text, at)
        if point is None or point[1] not in COLUMNS or not 1 <= int(point[2]) <= MAX_SIZE:
            raise RecordError(f"stone {len(found) + 1}: expected a point as in h8i9, got {excerpt(text[at : at + 8])}")
        found.append((point[1], int(point[2])))
        between = _BETWEEN.match(text, point.end())
        at = point.end() if between is None else between.end()
    return found


def _least_size(named: list[tuple[str, int]]) -> int:
    needed = max((max(COLUMNS.index(column) + 1, row) for column, row in named), default=0)
    return next(size for size in _USUAL_SIZES if size >= needed)


def serialise(record: GameRecord) -> bytes:
    """The stones as a position string. Raises RecordError if the reader would take another board, or if the stones were
    not set in turn."""
    size = record.width
    named = [(COLUMNS[stone.x], record.height - stone.y) for stone in record.in_turn()]
    if record.height != size or _least_size(named) != size:
        raise RecordError(
            f"a position string does not say that the board is {record.width}x{record.height}; write psq or sgf"
        )
    return ("".join(f"{column}{row}" for column, row in named) + "\n").encode("ascii")
