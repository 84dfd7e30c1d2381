"""Game records in files: the formats, their file suffixes, reading and writing.

A format's module is imported when it is first needed: SGF needs another distribution.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from gomoku_protocol.game_record import GameRecord, RecordError
from search_core.line_protocol import excerpt
from search_core.record_formats import RecordFormat

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


def _read(form: str, data: bytes) -> Iterator[GameRecord]:
    yield parse_record(data, form)


def _write(form: str, games: Sequence[GameRecord]) -> bytes:
    (game,) = games
    return serialise_record(game, form)


_ABOUT = {
    "psq": "Piskvork: board, names, moves with their times; no rule, no result",
    "sgf": "SGF, game 4: board, rule, names, set-up, moves, result; no times",
    "hex": "three digits a move: column, row, player, as in 881 782; boards up to 15x15",
}
_BEGINS = {"psq": rb"\s*Piskvorky", "sgf": rb"\s*\(\s*;", "hex": rb"\s*[1-9A-Fa-f]{2}[12](?:\s|\Z)"}
RECORD_FORMATS = tuple(
    RecordFormat(
        form,
        tuple(suffix for suffix, known in SUFFIXES.items() if known == form),
        about,
        functools.partial(_read, form),
        functools.partial(_write, form),
        begins=re.compile(_BEGINS[form]),
    )
    for form, about in _ABOUT.items()
)
"""The formats, for `sanqi convert`."""
