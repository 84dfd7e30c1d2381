"""A private copy of an SQLite file that another program is writing, as of its last commit.

What is committed may be in FILE-wal only, and what FILE holds may have to be rolled back by FILE-journal. SQLite does
both, but it writes to the files. So it works on a copy.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from typing import TypeAlias

JOURNALS = ("-wal", "-journal")
"""What SQLite adds to the name of a file for the file of what is not in it yet, and of what was in it before."""

Stamps: TypeAlias = "tuple[tuple[int, int] | None, ...]"

_TRIES = 5  # to copy the files while nobody writes them


class JournalError(Exception):
    """The journal cannot be read; the message is one line."""


def journal_stamps(path: str) -> Stamps:
    """Size and time of the journals of a file; None for one that is missing or empty. Raises OSError, JournalError."""
    return tuple(_stamp(path + suffix) for suffix in JOURNALS)


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise JournalError(f"{os.path.basename(path)} is not a file")
    return (status.st_size, status.st_mtime_ns) if status.st_size else None


def committed_copy(path: str) -> tempfile.TemporaryDirectory[str]:
    """A folder with the file, under the name `book`. It needs no journal any more. Raises OSError, JournalError,
    sqlite3.Error."""
    folder = tempfile.TemporaryDirectory(prefix="sanqi-", ignore_cleanup_errors=True)
    try:
        book = os.path.join(folder.name, "book")
        _copy(path, book)
        _apply_journal(book)
    except BaseException:
        folder.cleanup()
        raise
    return folder


def _copy(path: str, book: str) -> None:
    """Copy the file and its journals. No lock is taken, which would be a file beside it."""
    for _ in range(_TRIES):
        before = (_stamp(path), *journal_stamps(path))
        for suffix in ("", *JOURNALS):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(book + suffix)
            if not suffix or _stamp(path + suffix) is not None:
                shutil.copyfile(path + suffix, book + suffix)
        if (_stamp(path), *journal_stamps(path)) == before:
            return
    raise JournalError("another program is writing it; try again, or close that program")


def _apply_journal(book: str) -> None:
    import sqlite3

    with contextlib.closing(sqlite3.connect(book)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()  # rolls back, or reads the log
        [(mode,)] = connection.execute("PRAGMA journal_mode = DELETE")  # writes the log into the file
    if mode != "delete":
        raise JournalError("its journal cannot be read")
