"""What an opening book is, and what books of every format share: mirrored positions, legal moves, a file that changes.

A format is a subclass of KeyedBook in its own module; book_files.py finds the format of a file.
"""

from __future__ import annotations

import math
import os
import stat
from abc import ABC, abstractmethod
from typing import Any, NamedTuple, TypeAlias

from search_core.clock import now_s
from search_core.failures import becoming
from search_core.line_protocol import printable
from ucci_engine.fen import LETTERS
from ucci_engine.position import Position

PROBE_MS = 20
"""How long a book may take for a move in a game."""
MAX_ENTRIES = 256
"""How many entries of a position are read at most; no position has more moves."""

_MAX_NOTE = 200

Pieces: TypeAlias = "list[tuple[int, int]]"
"""(kind, square) of every piece: kinds as in `ucci_engine.fen.LETTERS`, squares from 0 to 89."""
Entries: TypeAlias = "list[tuple[int, int, str]]"
"""(move, weight, note) as the file has them; the moves may be illegal."""


class BookError(ValueError):
    """A book cannot be used. The message is one line for the user, without the name of the file."""


class BookChanged(BookError):
    """The file has changed since it was opened. Opening it again may help."""


class BookTooSlow(BookError):
    """A probe took longer than it may. The next one may be faster."""

    def __init__(self) -> None:
        super().__init__("no answer in the time for a probe")


class BookMove(NamedTuple):
    """What a book says about a move."""

    move: int
    weight: int
    """As the file has it; only weights of one position in one book can be compared. They may be negative."""
    note: str = ""
    """A comment, on one line."""


class KeyedBook(ABC):
    """A book in a file that has no positions, only a number for each, the key.

    Parameters
    ----------
    path : str
    limit_ms : float
        How long a probe may take; 0: as long as it needs.

    Raises BookError.
    """

    def __init__(self, path: str, limit_ms: float = 0) -> None:
        self.path = path
        self.name = printable(os.path.basename(path))
        """The file's name, without its folder."""
        self.limit_ms = limit_ms
        self.deadline = math.inf
        """When the running probe must end, on the clock of now_s()."""
        self._stamp = self._read_stamp()
        self.size = int(self._stamp[0])
        """Of the file in bytes."""

    @staticmethod
    @abstractmethod
    def key(pieces: Pieces, black_to_move: bool) -> int:
        """The key of a position."""

    @abstractmethod
    def entries(self, key: int) -> Entries:
        """What the file has for a key, MAX_ENTRIES at most. Raises BookError."""

    @abstractmethod
    def close(self) -> None:
        """Close the file. The book cannot be used any more."""

    def moves(self, position: Position) -> list[BookMove]:
        """The legal moves that the book has in a position, the largest weight first: under its own key and under that
        of its mirror image. Raises BookError."""
        self.deadline = now_s() + self.limit_ms / 1000 if self.limit_ms else math.inf
        if self._read_stamp() != self._stamp:
            raise BookChanged("the file has changed")
        pieces, black = pieces_of(position), position.side == 1
        key, mirrored_key = self.key(pieces, black), self.key(mirrored(pieces), black)
        found = [BookMove(*entry) for entry in self.entries(key)]
        if mirrored_key != key:  # else each move would come twice
            found += [BookMove(mirrored_move(move), weight, note) for move, weight, note in self.entries(mirrored_key)]
        first: dict[int, BookMove] = {}
        for entry in found:
            if position.is_legal(entry.move):  # another position may have the same key
                first.setdefault(entry.move, entry)
        return sorted(first.values(), key=lambda entry: (-entry.weight, entry.move))

    def _read_stamp(self) -> tuple[Any, ...]:
        """The size of the file and when it was last written, and what else tells that it has changed."""
        with becoming((OSError, ValueError), BookError):
            status = os.stat(self.path)
        if not stat.S_ISREG(status.st_mode):
            raise BookError("not a file")
        return status.st_size, status.st_mtime_ns


def pieces_of(position: Position) -> Pieces:
    """The pieces on the board."""
    return [(LETTERS.index(letter), square) for square in range(90) if (letter := position.piece_at(square))]


def mirrored(pieces: Pieces) -> Pieces:
    """The pieces with left and right exchanged."""
    return [(kind, mirrored_square(square)) for kind, square in pieces]


def mirrored_square(square: int) -> int:
    """The square with left and right exchanged."""
    return square + 8 - 2 * (square % 9)


def mirrored_move(move: int) -> int:
    """The move with left and right exchanged."""
    return mirrored_square(move & 127) | mirrored_square(move >> 7) << 7


def wide_square(square: int) -> int:
    """The number of a square in the books: a board of 16 x 16, from the upper left, around the real one."""
    rank, file = divmod(square, 9)
    return (12 - rank) << 4 | (3 + file)


def move_of_wide(origin: int, target: int) -> int | None:
    """The move between two squares of the wide board; None if one of them is outside of the real board."""
    squares = []
    for wide in (origin, target):
        rank, file = 12 - (wide >> 4), (wide & 15) - 3
        if not (0 <= rank <= 9 and 0 <= file <= 8):
            return None
        squares.append(rank * 9 + file)
    return squares[0] | squares[1] << 7


def one_line(text: str) -> str:
    """A comment of a book as a note: printable, on one line, not too long."""
    return printable(" ".join(text.split()), _MAX_NOTE)
