"""Game records in files: the formats, their file suffixes, reading and writing.

A format's module is imported when it is first needed: SGF needs another distribution.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import PurePath

from game_core.record_formats import RecordFormat, RecordOption, reader_of_one, writer_of_one
from gomoku_protocol.game_record import RULE_NAMES, GameRecord, RecordError
from gomoku_protocol.points import MAX_SIZE, MIN_SIZE
from search_core.line_protocol import excerpt
from search_core.parts import load_part

_MODULES = {"psq": "psq", "sgf": "sgf", "hex": "hex_record", "pos": "position_string"}
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
    record: GameRecord = load_part(f"gomoku_protocol.{_MODULES[form]}:parse")(data, **options)
    return record


def serialise_record(record: GameRecord, form: str) -> bytes:
    """The game as a file of a format in FORMATS. Raises RecordError if the format cannot hold it."""
    data: bytes = load_part(f"gomoku_protocol.{_MODULES[form]}:serialise")(record)
    return data


def _read_sgf(data: bytes, **options: str) -> Iterator[GameRecord]:
    """The games of a collection."""
    games: Iterator[GameRecord] = load_part("gomoku_protocol.sgf:read_games")(data, **options)
    return games


def _write_sgf(games: Sequence[GameRecord]) -> bytes:
    return b"".join(serialise_record(game, "sgf") for game in games)


_RULE = RecordOption(
    "rule", tuple(RULE_NAMES.values()), "reads an SGF of another game (GM) as Gomoku by this rule", needs_from=True
)
_SIZE = RecordOption("size", tuple(map(str, range(MIN_SIZE, MAX_SIZE + 1))), "the board's size for a position string")
_TEXTS: dict[str, tuple[str, bytes, tuple[RecordOption, ...]]] = {
    # what the format is, how a file begins, the reader's options
    "psq": ("Piskvork: board, names, moves with their times; no rule, no result", rb"\s*Piskvorky", ()),
    "sgf": (
        "SGF, game 4: board, rule, names, set-up, moves, variations, comments, result; no times",
        rb"\s*\(\s*;",
        (_RULE,),
    ),
    "hex": (
        "three digits a move: column, row, player, as in 881 782; boards up to 15x15",
        rb"\s*[1-9A-Fa-f]{2}[12](?:\s|\Z)",
        (),
    ),
    "pos": (
        "a position string as in h8i9g10, of gomocalc and Rapfi: points from the bottom left; no size",
        rb"\s*(?:[A-Va-v]\d{1,2}[\s,;_-]*){1,2}(?:[A-Va-v]\d{1,2}|\Z)",
        (_SIZE,),
    ),
}
_ALSO_READ = {"pos": (".txt",)}
"""Suffixes of files that are read in a format but not written."""
RECORD_FORMATS = tuple(
    RecordFormat(
        form,
        (*(suffix for suffix, known in SUFFIXES.items() if known == form), *_ALSO_READ.get(form, ())),
        about,
        _read_sgf if form == "sgf" else reader_of_one(partial(parse_record, form=form)),
        _write_sgf if form == "sgf" else writer_of_one(partial(serialise_record, form=form)),
        holds_many=form == "sgf",
        begins=re.compile(begins),
        reading=reading,
    )
    for form, (about, begins, reading) in _TEXTS.items()
)
"""The formats, for `sanqi convert`."""
