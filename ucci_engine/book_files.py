"""Open a book of any format, and write new ones."""

from __future__ import annotations

import itertools
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

from search_core.failures import becoming, named
from search_core.line_protocol import excerpt
from search_core.whole_file import UnfinishedFile
from ucci_engine.book_dat import MAX_WEIGHT, DatBook, Record, dat_bytes, dat_move
from ucci_engine.books import BookError, BookMove, KeyedBook, pieces_of
from ucci_engine.points import move_text
from ucci_engine.position import Position
from ucci_engine.sqlite_book import (
    ADD,
    CREATE,
    CREATE_INDEX,
    KEEP,
    NO_SQLITE,
    OBK,
    PF_BOOK,
    SIGNATURE,
    Row,
    SqliteBook,
    obk_move,
    stored_keys,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self

_CHUNK = 8192  # records that are written at once


def open_book(path: str, limit_ms: float = 0) -> KeyedBook:
    """Open a book; its first bytes say which format it has. Raises BookError.

    `limit_ms`: how long a probe may take; 0: as long as it needs.
    """
    if not os.path.isfile(path) and os.path.exists(path):  # a pipe would wait for a writer
        raise BookError("not a file")
    # ValueError: a null character in the name
    with becoming((OSError, ValueError), BookError), open(path, "rb") as file:
        head = file.read(len(SIGNATURE))
    return SqliteBook(path, limit_ms) if head == SIGNATURE else DatBook(path, limit_ms)


class BookWriter(ABC):
    """A new book. Raises BookError, which names the file; an existing file stays until finish(), and without `replace`
    it is never changed. As a context, it is finished at the end of the block, or discarded if that raises anything."""

    _failures: tuple[type[Exception], ...] = (OSError,)

    def __init__(self, path: str, replace: bool = False) -> None:
        self._name = excerpt(path)
        with self._named():
            try:
                self._unfinished = UnfinishedFile(path, replace)
            except FileExistsError:
                raise BookError(f"{self._name}: the file exists already; nothing was written") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:  # an interrupt, too, leaves no half of a book
            self.discard()
            return
        try:
            self.finish()
        except BaseException:
            self.discard()
            raise

    @abstractmethod
    def add(self, position: Position, moves: Sequence[BookMove]) -> None:
        """Add a position. Neither it nor its mirror image may have been added before."""

    def finish(self) -> None:
        """Write what is not written yet. Now the file has its name."""
        with self._named():
            self._unfinished.finish()

    def discard(self) -> None:
        """Delete the file, for a book that did not get ready."""
        self._unfinished.discard()

    def _named(self) -> AbstractContextManager[None]:
        """Turns what may fail into a BookError."""
        return named(self._name, self._failures, BookError)


class DatWriter(BookWriter):
    """Writes the format of BOOK.DAT. It has weights from 0 to 65535 and no notes."""

    def __init__(self, path: str, replace: bool = False) -> None:
        super().__init__(path, replace)
        self._records: list[Record] = []

    def add(self, position: Position, moves: Sequence[BookMove]) -> None:
        lock = DatBook.key(pieces_of(position), position.side == 1)
        for move, weight in zip(moves, scaled([move.weight for move in moves])):
            self._records.append((lock, dat_move(move.move), weight))

    def write_records(self, records: Iterator[Record]) -> int:
        """Write these records, which are sorted, instead of positions. Returns how many there are."""
        count = 0
        while chunk := list(itertools.islice(records, _CHUNK)):
            with self._named():
                self._unfinished.file.write(dat_bytes(chunk))
            count += len(chunk)
        return count

    def finish(self) -> None:
        self.write_records(iter(sorted(self._records)))
        super().finish()


def scaled(weights: Sequence[int]) -> list[int]:
    """The weights of a position as BOOK.DAT holds them."""
    top = max(weights, default=0)
    kept = (max(weight, 0) for weight in weights)
    return [weight * MAX_WEIGHT // top for weight in kept] if top > MAX_WEIGHT else list(kept)


class SqliteWriter(BookWriter):
    """Writes .obk or .pfBook."""

    def __init__(self, path: str, table: str, replace: bool = False) -> None:
        try:
            import sqlite3
        except ImportError:
            raise BookError(NO_SQLITE) from None
        super().__init__(path, replace)
        if self._unfinished.part is None:
            raise BookError(f"{self._name}: a database needs a file")
        self._failures = (sqlite3.Error, OSError, OverflowError)
        self._table = table
        try:
            with self._named():
                self._connection = sqlite3.connect(self._unfinished.part)
                self._connection.execute("PRAGMA journal_mode = OFF")  # a book that did not get ready is deleted anyway
                self._connection.execute("PRAGMA synchronous = OFF")
                self._connection.execute(CREATE.format(table))
                self._connection.execute(CREATE_INDEX.format(table))
        except BookError:
            super().discard()
            raise

    def add(self, position: Position, moves: Sequence[BookMove]) -> None:
        key = SqliteBook.key(pieces_of(position), position.side == 1)
        self.add_rows((key, obk_move(move.move), move.weight, 0, 0, 0, move.note.encode()) for move in moves)

    def add_rows(self, rows: Iterable[Row], add_weights: bool = False) -> None:
        """Add rows instead of a position. A row for the same key and move as an earlier one adds its weight to that
        one, or is left out."""
        query = (ADD if add_weights else KEEP).format(self._table)
        with self._named():
            self._connection.executemany(query, ((self._stored(key), *rest) for key, *rest in rows))

    def remove_rows(self, keys: Iterable[int]) -> None:
        """Remove the rows that some keys have."""
        with self._named():
            self._connection.executemany(
                f"DELETE FROM {self._table} WHERE vkey = ?", ((self._stored(key),) for key in keys)
            )

    def count(self) -> int:
        """How many rows there are."""
        [count] = self._connection.execute(f"SELECT count(*) FROM {self._table}").fetchone()
        return int(count)

    def finish(self) -> None:
        with self._named():
            self._connection.commit()
            self._connection.close()
        super().finish()

    def discard(self) -> None:
        self._connection.close()
        super().discard()

    def _stored(self, key: int) -> int | float:
        forms = stored_keys(key)
        return forms[-1] if self._table == OBK else forms[0]


class TextWriter(BookWriter):
    """Writes a line for each move: FEN, move, weight and note, between tabs."""

    def add(self, position: Position, moves: Sequence[BookMove]) -> None:
        fen = position.fen()
        with self._named():
            for move in moves:
                line = f"{fen}\t{move_text(move.move)}\t{move.weight}\t{move.note}\n"
                self._unfinished.file.write(line.encode())


_WRITERS: dict[str, Callable[[str, bool], BookWriter]] = {
    ".dat": DatWriter,
    ".obk": lambda path, replace: SqliteWriter(path, OBK, replace),
    ".pfbook": lambda path, replace: SqliteWriter(path, PF_BOOK, replace),
    ".tsv": TextWriter,
}
SUFFIXES = (".dat", ".obk", ".pfBook", ".tsv")
"""Of the files that can be written."""


def new_book(path: str, replace: bool = False) -> BookWriter:
    """A new book in the format of the file's suffix. `replace`: whether an old file is. Raises BookError."""
    return _WRITERS[check_suffix(path)](path, replace)


def check_suffix(path: str) -> str:
    """The suffix of a book to write, in lower case. Raises BookError for an unknown one."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in _WRITERS:
        raise BookError(f"{excerpt(path)}: the suffix of a book to write is one of {', '.join(SUFFIXES)}")
    return suffix
