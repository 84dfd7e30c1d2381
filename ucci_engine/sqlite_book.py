"""Books in SQLite files: .obk (of 兵河五四 and others) and .pfBook. They differ in the table's name and in large keys.

Layout and keys are those that public-Xiangqi reads (https://github.com/sojourners/public-Xiangqi, BhOpenBook.java,
PfOpenBook.java and ZobristUtils.java).
"""

from __future__ import annotations

import functools
import math
import os
import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from search_core.clock import now_s
from search_core.failures import becoming, reason_of
from ucci_engine.books import (
    MAX_ENTRIES,
    BookError,
    BookTooSlow,
    Entries,
    KeyedBook,
    Pieces,
    move_of_wide,
    one_line,
    wide_square,
)
from ucci_engine.sqlite_copy import JournalError, committed_copy, journal_stamps

OBK = "bhobk"
PF_BOOK = "pfBook"
TABLES = (OBK, PF_BOOK)
"""The names of the table in .obk and .pfBook."""

MAX_KEY = (1 << 64) - 1

Row: TypeAlias = "tuple[int, int, int, int, int, int, bytes]"
"""Key, move as in the file, score, games won, drawn and lost, comment."""

NO_SQLITE = "this build of the program has no SQLite, which .obk and .pfBook need"

SIGNATURE = b"SQLite format 3\0"
"""How every SQLite file begins."""

CREATE = (
    "CREATE TABLE {0} (id INTEGER PRIMARY KEY, vkey INTEGER, vmove INTEGER, vscore INTEGER, vwin INTEGER,"
    " vdraw INTEGER, vlost INTEGER, vvalid INTEGER, vmemo BLOB, vindex INTEGER)"
)
CREATE_INDEX = "CREATE UNIQUE INDEX idx_key_move ON {0} (vkey, vmove)"
INSERT = (
    "INSERT INTO {0} (vkey, vmove, vscore, vwin, vdraw, vlost, vvalid, vmemo, vindex) VALUES (?,?,?,?,?,?,1,?,0)"
    " ON CONFLICT (vkey, vmove) DO "
)
KEEP = INSERT + "NOTHING"
"""A row for a key and a move that are there already changes nothing."""
ADD = INSERT + (
    "UPDATE SET vscore = vscore + excluded.vscore, vwin = vwin + excluded.vwin, vdraw = vdraw + excluded.vdraw,"
    " vlost = vlost + excluded.vlost"
)
"""It adds its score and its counts."""

_KEYS = Path(__file__).with_name("data") / "obk-keys.txt"
_REQUIRED = {"vkey", "vmove", "vscore"}
_COUNTS = ("vwin", "vdraw", "vlost")
_MAX_MEMO = 1000  # bytes or characters that are read of a comment in a game
_MAX_VALUE = 1 << 20  # bytes of a comment, which SQLite has whole in memory
_FIRST_SIGNED = 1 << 52
"""Keys whose bits are no number are stored as integers from its negative on: their first 12 bits are ones."""
_CHECK_EVERY = 5000  # instructions of SQLite between two looks at the clock; a usual probe needs some hundred


class SqliteBook(KeyedBook):
    """An .obk or .pfBook file."""

    def __init__(self, path: str, limit_ms: float = 0) -> None:
        super().__init__(path, limit_ms)
        try:
            import sqlite3
        except ImportError:
            raise BookError(NO_SQLITE) from None
        _random_numbers()  # they take a millisecond once, which no probe may
        self._failures = (sqlite3.Error, OSError, ValueError, OverflowError, MemoryError, JournalError)
        self._is_interrupted = False
        self._copy = None
        try:
            if any(self._stamp[2:]):
                self._copy = committed_copy(path)
                path = os.path.join(self._copy.name, "book")
            self._connection = sqlite3.connect(_uri(path), uri=True)
            if sys.version_info >= (3, 11):
                self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
        except self._failures as error:
            raise BookError(one_line(reason_of(error))) from None
        if self._copy is not None and os.name != "nt":
            self._copy.cleanup()  # the open file stays, whatever ends this process
        try:
            self._make_queries()
        except self._failures as error:
            self.close()
            raise (error if isinstance(error, BookError) else self._failure(error)) from None

    @staticmethod
    def key(pieces: Pieces, black_to_move: bool) -> int:
        numbers = _random_numbers()
        key = 0 if black_to_move else numbers[-1]
        for kind, square in pieces:
            key ^= numbers[kind * 90 + (9 - square // 9) * 9 + square % 9]
        return key

    def entries(self, key: int) -> Entries:
        found: Entries = []
        try:
            for stored in stored_keys(key):
                for row in self._connection.execute(self._query, (stored,)):
                    entry = _entry(row)
                    if entry is not None:
                        found.append(entry)
        except self._failures as error:
            raise self._failure(error) from None
        return found

    def rows(self) -> Iterator[Row]:
        """All rows that moves() may find. Raises BookError."""
        self.deadline = math.inf
        try:
            [has_real] = self._connection.execute(
                f"SELECT EXISTS (SELECT 1 FROM {self._table} WHERE typeof(vkey) = 'real')"
            ).fetchone()
            for vkey, *columns in self._connection.execute(self._query_all):
                if isinstance(vkey, int | float) and (row := _row(columns)) is not None:
                    for key in _keys_of(vkey, bool(has_real)):
                        yield key, *row
        except self._failures as error:
            raise self._failure(error) from None

    def rows_of(self, key: int) -> Iterator[Row]:
        """The rows of a key that entries() may find. Raises BookError."""
        try:
            for stored in stored_keys(key):
                for _, *columns in self._connection.execute(f"{self._query_all} AND vkey = ?", (stored,)):
                    if (row := _row(columns)) is not None:
                        yield key, *row
        except self._failures as error:
            raise self._failure(error) from None

    def close(self) -> None:
        self._connection.close()
        if self._copy is not None:
            self._copy.cleanup()

    def _read_stamp(self) -> tuple[Any, ...]:
        with becoming((OSError, JournalError), BookError):
            return (*super()._read_stamp(), *journal_stamps(self.path))

    def _failure(self, error: BaseException) -> BookError:
        if self._is_interrupted:
            self._is_interrupted = False
            return BookTooSlow()
        if getattr(error, "sqlite_errorname", "") == "SQLITE_TOOBIG":
            return BookError(f"has a value of more than {_MAX_VALUE >> 20} MiB")
        return BookError(one_line(reason_of(error)))

    def _must_end(self) -> bool:
        """Called by SQLite now and then; True ends the query with an error."""
        self._is_interrupted = now_s() > self.deadline
        return self._is_interrupted

    def _make_queries(self) -> None:
        """Raises BookError if the file has no table of a book."""
        connection = self._connection
        connection.text_factory = bytes  # a text may be in any encoding
        connection.set_progress_handler(self._must_end, _CHECK_EVERY)
        connection.execute("PRAGMA trusted_schema = OFF")
        names = {_text(name).lower(): _text(name) for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        )}  # fmt: skip
        table = next((names[known.lower()] for known in TABLES if known.lower() in names), None)
        if table is None:
            raise BookError(f"an SQLite file without the table of a book ({' or '.join(TABLES)})")
        columns = {_text(row[1]).lower() for row in connection.execute(f"PRAGMA table_info({table})")}
        if missing := sorted(_REQUIRED - columns):
            raise BookError(f"its table {table} has no {', '.join(missing)}")
        wanted = ", ".join(name if name in columns else "NULL" for name in ("vmove", "vscore", *_COUNTS))
        memo, short_memo = "NULL", "NULL"
        if "vmemo" in columns:
            memo, short_memo = f"substr(vmemo, 1, {_MAX_VALUE})", f"substr(vmemo, 1, {_MAX_MEMO})"
        # The + keeps SQLite from another index than that of the key.
        valid = " AND +vvalid = 1" if "vvalid" in columns else ""
        self._table = table
        self._query = f"SELECT {wanted}, {short_memo} FROM {table} WHERE vkey = ?{valid} LIMIT {MAX_ENTRIES}"
        self._query_all = f"SELECT vkey, {wanted}, {memo} FROM {table} WHERE vkey IS NOT NULL{valid}"


def stored_keys(key: int) -> list[int | float]:
    """How a file may have a key of 64 bits: as an integer with a sign, and, if that is negative, as the REAL of the
    same bits. .obk has the second; the REAL cannot be stored if it is no number."""
    if key < 1 << 63:
        return [key]
    real: float = struct.unpack("<d", struct.pack("<Q", key))[0]
    signed = key - (1 << 64)
    return [signed] if math.isnan(real) else [signed, real]


def _keys_of(stored: int | float, has_real: bool) -> list[int]:
    """Which keys a file may mean by a number. `has_real`: whether it has REALs; one without a fraction may have become
    an integer when it was stored."""
    signed = [] if isinstance(stored, float) else [stored & MAX_KEY]
    if isinstance(stored, int) and not (has_real and stored < 0 and int(float(stored)) == stored):
        return signed
    real: list[int] = [*struct.unpack("<Q", struct.pack("<d", stored))]
    # The signed integer of a key that no REAL can have is so small; nobody asks for the other key, which is wrong.
    return [*signed, *real] if stored >= -_FIRST_SIGNED and signed else real


def obk_move(move: int) -> int:
    """A move as the files have it."""
    return wide_square(move & 127) << 8 | wide_square(move >> 7)


@functools.cache
def _random_numbers() -> list[int]:
    """For each kind the 90 squares from the upper left on; the last number is that of Red to move."""
    lines = _KEYS.read_text(encoding="utf-8").splitlines()
    return [int(line, 16) for line in lines if not line.startswith("#")]


def _uri(path: str) -> str:
    """The address with which SQLite opens a file for reading alone: no lock, no file beside it."""
    absolute = os.path.abspath(path)
    if os.sep == "\\":
        absolute = "/" * (not absolute.startswith("\\")) + absolute.replace("\\", "/")
    return f"file://{quote(os.fsencode(absolute))}?mode=ro&immutable=1"


def _entry(row: tuple[Any, ...]) -> tuple[int, int, str] | None:
    """The move, its weight and a note; None for a row that is none of a book."""
    wide, score, *counts, memo = row
    if not isinstance(wide, int) or not 0 <= wide <= 0xFFFF:
        return None
    move = move_of_wide(wide >> 8, wide & 255)
    if move is None:
        return None
    remarks = []
    if any(isinstance(count, int) and count for count in counts):
        numbers = [count if isinstance(count, int) else 0 for count in counts]
        remarks.append("won {}, drawn {}, lost {}".format(*numbers))
    if isinstance(memo, bytes) and (text := one_line(_text(memo))):
        remarks.append(text)
    return move, score if isinstance(score, int) else 0, "; ".join(remarks)


def _row(columns: Sequence[Any]) -> tuple[int, int, int, int, int, bytes] | None:
    """A row without its key; None if it is none of a book."""
    wide, *numbers, memo = columns
    if _entry((wide, *numbers, None)) is None:
        return None
    score, won, drawn, lost = (number if isinstance(number, int) else 0 for number in numbers)
    return wide, score, won, drawn, lost, memo if isinstance(memo, bytes) else b""


def _text(data: bytes | str) -> str:
    if isinstance(data, str):
        return data
    data = data.rstrip(b"\0")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("gb18030", "replace")
