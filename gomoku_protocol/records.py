"""Game records in files: the formats, their file suffixes, reading and writing.

A format's module is imported when it is first needed: SGF needs another distribution.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from game_core.record_formats import RecordFormat, RecordOption
from gomoku_protocol.game_record import RULE_NAMES, GameRecord, RecordError
from gomoku_protocol.points import MAX_SIZE, MIN_SIZE
from search_core.line_protocol import excerpt

_MODULES = {
    "psq": "gomoku_protocol.psq",
    "sgf": "gomoku_protocol.sgf",
    "hex": "gomoku_protocol.hex_record",
    "pos": "gomoku_protocol.position_string",
}
FORMATS = tuple(_MODULES)
SUFFIXES = {".psq": "psq", ".sgf": "sgf", ".hex": "hex", ".txt": "hex", ".pos": "pos"}
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


def parse_record(data: bytes, form: str, **options: str) -> GameRecord:
    """The game in a file of a format in FORMATS. Raises RecordError, naming what is wrong and where."""
    record: GameRecord = importlib.import_module(_MODULES[form]).parse(data, **options)
    return record


def serialise_record(record: GameRecord, form: str) -> bytes:
    """The game as a file of a format in FORMATS. Raises RecordError if the format cannot hold it."""
    data: bytes = importlib.import_module(_MODULES[form]).serialise(record)
    return data


def _read(form: str, data: bytes, **options: str) -> Iterator[GameRecord]:
    yield parse_record(data, form, **options)


def _write(form: str, games: Sequence[GameRecord]) -> bytes:
    (game,) = games
    return serialise_record(game, form)


_ABOUT = {
    "psq": "Piskvork: board, names, moves with their times; no rule, no result",
    "sgf": "SGF, game 4: board, rule, names, set-up, moves, result; no times",
    "hex": "three digits a move: column, row, player, as in 881 782; boards up to 15x15",
    "pos": "a position string as in h8i9g10, of gomocalc and Rapfi: points from the bottom left; no size; also in .txt",
}
_READING = {
    "sgf": (
        RecordOption(
            "rule",
            tuple(RULE_NAMES.values()),
            "reads an SGF of another game (GM) as Gomoku by this rule",
            needs_from=True,
        ),
    ),
    "pos": (
        RecordOption("size", tuple(map(str, range(MIN_SIZE, MAX_SIZE + 1))), "the board's size for a position string"),
    ),
}
_BEGINS = {
    "psq": rb"\s*Piskvorky",
    "sgf": rb"\s*\(\s*;",
    "hex": rb"\s*[1-9A-Fa-f]{2}[12](?:\s|\Z)",
    "pos": rb"\s*(?:[A-Va-v]\d{1,2}){3}",
}
RECORD_FORMATS = tuple(
    RecordFormat(
        form,
        tuple(suffix for suffix, known in SUFFIXES.items() if known == form),
        about,
        functools.partial(_read, form),
        functools.partial(_write, form),
        begins=re.compile(_BEGINS[form]),
        reading=_READING.get(form, ()),
    )
    for form, about in _ABOUT.items()
)
"""The formats, for `sanqi convert`."""
