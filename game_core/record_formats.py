"""File formats of game records: what `sanqi convert` knows of them. A game names its own in its description."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple


class RecordError(ValueError):
    """A file that cannot be read, or a game that a format cannot hold. The message is one line; a reader's names the
    line or the offset."""


def remarks_of(read: object) -> tuple[str, ...]:
    """What a person should know of a record that was read, of a position or a game made of it: lines, from its
    attribute `remarks`, if it has one."""
    remarks: tuple[str, ...] = getattr(read, "remarks", ())
    return remarks


class RecordOption(NamedTuple):
    """An option of a reader or a writer, as a keyword argument and on the command line."""

    name: str
    choices: tuple[str, ...]
    """The values; the first is a writer's default. (): it is a switch, True or False."""
    purpose: str
    needs_from: bool = False
    """Whether it is a reader's that counts only if the format is named: it makes it read what it would refuse."""


class RecordFormat(NamedTuple):
    """A file format for games of one kind."""

    name: str
    """As in `--from NAME`; no other format has it."""
    suffixes: tuple[str, ...]
    """The file suffixes, with the dot, in lower case."""
    about: str
    """For people: what it is and what it does not hold."""
    read: Callable[..., Iterator[Any]]
    """Reads the games of a file, called with its bytes and the options, each when it is asked for. Raises RecordError;
    the next game may still be there."""
    write: Callable[..., bytes] | None = None
    """Writes games to a file, called with a sequence of them and the options; None: it is only read. Raises
    RecordError."""
    holds_many: bool = False
    """Whether a file can have several games."""
    options: tuple[RecordOption, ...] = ()
    """What `write` takes."""
    begins: re.Pattern[bytes] = re.compile(b"(?!)")
    """Matches the beginning of such a file, as `text_file.unmarked` has it: no other format begins so. By default
    nothing."""
    reading: tuple[RecordOption, ...] = ()
    """What `read` takes."""


def reader_of_one(parse: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """The `read` of a format that holds one game, which `parse` makes of the bytes and the options."""

    def read(data: bytes, **options: Any) -> Iterator[Any]:
        yield parse(data, **options)

    return read


def writer_of_one(serialise: Callable[..., bytes]) -> Callable[..., bytes]:
    """The `write` of a format that holds one game."""

    def write(games: Sequence[Any], **options: Any) -> bytes:
        (game,) = games
        return serialise(game, **options)

    return write
