"""The plain hexadecimal record: three digits a move, `XYP`, as in `881 782`.

Column and row count from 1 at the top left, up to F. The player is 1 (Black) or
2 (White). Nothing else is recorded, so the board is taken to be 15x15. A text that
holds a position string instead, which has the same suffix, is read as that.
"""

from __future__ import annotations

import re

from gomoku_protocol.game_record import GameRecord, Points, RecordError, Stone
from gomoku_protocol.position_string import is_position_string
from gomoku_protocol.position_string import parse as parse_position_string
from search_core.failures import named
from search_core.line_protocol import decode_line, excerpt
from search_core.text_file import unmarked

_SIZE = 15
_LARGEST = 1 << 16  # in bytes; a full board has 900
_MOVE = re.compile(r"([1-9A-Fa-f])([1-9A-Fa-f])([12])")


def parse(data: bytes) -> GameRecord:
    """The game in a hexadecimal record. Raises RecordError, naming the line and the move."""
    if len(data) > _LARGEST:
        raise RecordError(f"larger than {_LARGEST >> 10} KiB, the limit of a hexadecimal record")
    data = unmarked(data)
    text = decode_line(data)
    if not all(map(_MOVE.fullmatch, text.split())) and is_position_string(text):
        return parse_position_string(data)
    points = Points(_SIZE, _SIZE)
    moves = []
    for number, raw in enumerate(data.split(b"\n"), 1):
        for word in decode_line(raw).split():
            match = _MOVE.fullmatch(word)
            if match is None:
                raise RecordError(f"line {number}: expected column, row (1-F) and player (1, 2), got {excerpt(word)}")
            x, y = int(match[1], 16) - 1, int(match[2], 16) - 1
            with named(f"line {number}", RecordError):
                points.take(x, y, word)
            moves.append(Stone(int(match[3]) - 1, x, y))
    return GameRecord(_SIZE, _SIZE, tuple(moves), first=moves[0].side if moves else 0)


def serialise(record: GameRecord) -> bytes:
    """The stones as a hexadecimal record, the set-up's first. Raises RecordError if the board is larger than 15x15."""
    if record.width > _SIZE or record.height > _SIZE:
        raise RecordError(
            f"a board of {record.width}x{record.height} cannot be written in hexadecimal (at most {_SIZE}x{_SIZE})"
        )
    words = [f"{stone.x + 1:X}{stone.y + 1:X}{stone.side + 1}" for stone in record.stones()]
    return (" ".join(words) + "\n").encode("ascii")
