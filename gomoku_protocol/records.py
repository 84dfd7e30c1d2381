"""Game records in files: the formats, their file suffixes, reading and writing.

A format's module is imported when it is first needed: SGF needs another distribution.
"""

from __future__ import annotations

import importlib
from pathlib import PurePath

from gomoku_protocol.game_record import GameRecord, RecordError
from search_core.line_protocol import excerpt

_MODULES = {
    "psq": "gomoku_protocol.psq",
    "sgf": "gomoku_protocol.sgf",
    "hex": "gomoku_protocol.hex_record",
}
FORMATS = tuple(_MODULES)
SUFFIXES = {".psq": "psq", ".sgf": "sgf", ".hex": "hex", ".txt": "hex"}
"""The format of each suffix."""


def format_of(file: str) -> str:
    """The format of a file by its suffix, in any case. Raises RecordError for another suffix."""
    suffix = PurePath(file).suffix
    try:
        return SUFFIXES[suffix.lower()]
    except KeyError:
        raise RecordError(
            f"{excerpt(suffix or file)} does not name a record; expected a file that ends in {', '.join(SUFFIXES)}"
        ) from None


def parse_record(data: bytes, form: str) -> GameRecord:
    """The game in a file of a format in FORMATS. Raises RecordError, naming what is wrong and where."""
    record: GameRecord = importlib.import_module(_MODULES[form]).parse(data)
    return record


def serialise_record(record: GameRecord, form: str) -> bytes:
    """The game as a file of a format in FORMATS. Raises RecordError if the format cannot hold it."""
    data: bytes = importlib.import_module(_MODULES[form]).serialise(record)
    return data
