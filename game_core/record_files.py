"""Files with game records, for the commands: the formats of all games, and how to find and read one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from game_core.description import GameDescription
from game_core.record_formats import RecordError, RecordFormat
from search_core.failures import named
from search_core.input_file import MAX_FILE, read_input
from search_core.line_protocol import excerpt, series, shown_path
from search_core.parts import load_part
from search_core.text_file import unmarked

STANDARD_STREAM = "-"


class NamedFormat(NamedTuple):
    """A format and the game that it is of."""

    game: str
    form: RecordFormat


def formats_of(games: Iterable[GameDescription]) -> list[NamedFormat]:
    """The formats of the games that have some."""
    return [NamedFormat(game.name, form) for game in games if game.records for form in load_part(game.records)]


def read_record_file(known: Sequence[NamedFormat], source: str, name: str | None) -> tuple[NamedFormat, bytes]:
    """The format and the bytes of a file, or of the standard input for ``-``. The format is the one that has the name
    (of `--from`), else that of the suffix. The beginning shows that of the standard input, and which one it is where
    several have the suffix. Raises RecordError."""
    is_unnamed = source == STANDARD_STREAM and name is None
    possible = known if is_unnamed else find_formats(known, source, name, "--from")
    data = read_source(source)
    if len(possible) == 1:
        return possible[0], data
    beginning = unmarked(data)
    for each in possible:
        if each.form.begins.match(beginning):
            return each, data
    names = series(each.form.name for each in possible)
    if is_unnamed:
        raise RecordError(f"- has no format of its own; give --from {names}")
    raise RecordError(f"{shown_path(source)} begins like no file in {names}; give --from")


def find_formats(known: Sequence[NamedFormat], file: str, name: str | None, option: str) -> Sequence[NamedFormat]:
    """The formats that a file can have: the one that has the name, or those of its suffix if that is None. `option`:
    gives the name on the command line. Raises RecordError if there is none."""
    if name is not None:
        return [each for each in known if each.form.name == name]
    if file == STANDARD_STREAM:
        raise RecordError(f"- has no format of its own; give {option} {series(each.form.name for each in known)}")
    suffix = Path(file).suffix
    if found := [each for each in known if suffix.lower() in each.form.suffixes]:
        return found
    suffixes = ", ".join(dict.fromkeys(suffix for each in known for suffix in each.form.suffixes))
    raise RecordError(f"{excerpt(suffix or file)} does not name a record; expected a file that ends in {suffixes}")


def reading_options(form: RecordFormat, args: argparse.Namespace) -> dict[str, str]:
    """The options of the command line that the reader of a format takes."""
    found = {}
    for option in form.reading:
        value = getattr(args, option.name, None)
        if value is not None and not (option.needs_from and args.source_format is None):
            found[option.name] = value
    return found


def read_source(source: str) -> bytes:
    """The bytes of a file; those of the standard input for ``-``. Raises RecordError."""
    if source == STANDARD_STREAM and sys.stdin is None:
        raise RecordError("the standard input is closed")
    with named(f"{shown_path(source)} cannot be read", OSError, RecordError):
        data = sys.stdin.buffer.read(MAX_FILE + 1) if source == STANDARD_STREAM else read_input(source)
    if len(data) > MAX_FILE:
        raise RecordError(f"{shown_path(source)} is larger than {MAX_FILE >> 20} MiB")
    return data
