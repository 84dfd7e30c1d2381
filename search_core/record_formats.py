"""File formats of game records: what `sanqi convert` knows of them. A game names its own in its description."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple


class RecordError(ValueError):
    """A file that cannot be read, or a game that a format cannot hold. The message is one line; a reader's names the
    line or the offset."""


class RecordOption(NamedTuple):
    """An option of a writer, as a keyword argument and on the command line."""

    name: str
    choices: tuple[str, ...]
    """The values; the first is the default. (): it is a switch, True or False."""
    purpose: str


class RecordFormat(NamedTuple):
    """A file format for games of one kind."""

    name: str
    """As in `--from NAME`; no other format has it."""
    suffixes: tuple[str, ...]
    """The file suffixes, with the dot, in lower case."""
    about: str
    """For people: what it is and what it does not hold."""
    read: Callable[[bytes], Iterator[Any]]
    """Reads the games of a file, each when it is asked for. Raises RecordError; the next game may still be there."""
    write: Callable[..., bytes] | None = None
    """Writes games to a file, called with a sequence of them and the options; None: it is only read. Raises
    RecordError."""
    holds_many: bool = False
    """Whether a file can have several games."""
    options: tuple[RecordOption, ...] = ()
    """What `write` takes."""
    begins: re.Pattern[bytes] = re.compile(b"(?!)")
    """Matches the beginning of such a file, without a byte order mark: no other format begins so. By default
    nothing."""


def format_names(formats: Sequence[RecordFormat]) -> str:
    """For messages: ``psq, sgf or hex``."""
    *others, last = (each.name for each in formats)
    return f"{', '.join(others)} or {last}" if others else last
