"""Books in the format of BOOK.DAT, which ElephantEye and XQWizard use.

Records of 8 bytes, little-endian: lock (32 bits), move (16), weight (16), sorted by lock. Format and random numbers are
those of ElephantEye's book.h, pregen.cpp and rc4prng.h (https://github.com/xqbase/eleeye).
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from search_core.clock import now_s
from search_core.failures import becoming
from ucci_engine.books import (
    MAX_ENTRIES,
    BookError,
    BookTooSlow,
    Entries,
    KeyedBook,
    Pieces,
    move_of_wide,
    wide_square,
)

MAX_WEIGHT = 0xFFFF

Record: TypeAlias = "tuple[int, int, int]"
"""(lock, move, weight) as in the file."""

NOT_SORTED = "its records are not sorted, so it is not a BOOK.DAT"

_RECORD = struct.Struct("<IHH")
_BLOCK = 64  # records that are read at once, at the end of a binary search
_CHUNK = 8192  # records that are read at once to read all
_SAMPLES = 16  # records that must be in order when the book is opened
_KINDS = 14


class DatBook(KeyedBook):
    """A book in the format of BOOK.DAT. The file is read where it is needed, never as a whole."""

    def __init__(self, path: str, limit_ms: float = 0) -> None:
        super().__init__(path, limit_ms)
        self._count, rest = divmod(self.size, _RECORD.size)
        if rest or not self._count:
            raise BookError(f"{self.size} bytes are not a whole number of records of {_RECORD.size} bytes")
        with becoming(OSError, BookError):
            self._file = open(path, "rb", buffering=0)  # noqa: SIM115 - open as long as the book
        _random_numbers()  # they take some milliseconds once, which no probe may
        try:
            self._require_order()
        except BookError:
            self.close()
            raise

    @staticmethod
    def key(pieces: Pieces, black_to_move: bool) -> int:
        locks, black_lock = _random_numbers()
        key = black_lock if black_to_move else 0
        for kind, square in pieces:
            key ^= locks[kind][square]
        return key

    def entries(self, key: int) -> Entries:
        found: Entries = []
        for lock, wide_move, weight in self._records_from(key):
            if lock != key or len(found) == MAX_ENTRIES:
                break
            move = move_of_wide(wide_move & 255, wide_move >> 8)
            if move is not None:
                found.append((move, weight, ""))
        return found

    def records(self) -> Iterator[Record]:
        """All records. Raises BookError."""
        last = 0
        for first in range(0, self._count, _CHUNK):
            for record in self._read(first, min(_CHUNK, self._count - first)):
                if record[0] < last:
                    raise BookError(NOT_SORTED)
                last = record[0]
                yield record

    def close(self) -> None:
        self._file.close()

    def _records_from(self, key: int) -> Iterator[Record]:
        """The records from the first one on whose lock is not below `key`, as far as they may be needed."""
        low, high = 0, self._count  # the record looked for is in low..high
        while high - low > _BLOCK:
            middle = (low + high) // 2
            if self._read(middle, 1)[0][0] < key:
                low = middle + 1
            else:
                high = middle
            if now_s() > self.deadline:
                raise BookTooSlow
        records = self._read(low, min(high - low + MAX_ENTRIES, self._count - low))
        return (record for record in records if record[0] >= key)

    def _require_order(self) -> None:
        step = max(self._count // _SAMPLES, 1)
        locks = [self._read(number, 1)[0][0] for number in range(0, self._count, step)]
        if locks != sorted(locks):
            raise BookError(NOT_SORTED)

    def _read(self, first: int, count: int) -> list[Record]:
        size = count * _RECORD.size
        with becoming((OSError, ValueError), BookError):  # ValueError: closed
            self._file.seek(first * _RECORD.size)
            data = self._file.read(size)
        if data is None or len(data) != size:
            raise BookError("the file has become shorter")
        return list(_RECORD.iter_unpack(data))


def dat_move(move: int) -> int:
    """A move as the records have it."""
    return wide_square(move & 127) | wide_square(move >> 7) << 8


def dat_bytes(records: Iterable[Record]) -> bytes:
    """The content of a file with these records, in this order, which must be that of the locks."""
    return b"".join(_RECORD.pack(*record) for record in records)


@functools.cache
def _random_numbers() -> tuple[list[list[int]], int]:
    """The number of each kind on each square, and that of Black to move.

    Three numbers are drawn for the side, then for each kind and each of the 256 squares; the book uses the third.
    """
    draws = _rc4_draws()
    black = next(draws)
    wide = [[next(draws) for _ in range(256)] for _ in range(_KINDS)]
    return [[numbers[wide_square(square)] for square in range(90)] for numbers in wide], black


def _rc4_draws() -> Iterator[int]:
    """The third of each three 32-bit numbers that RC4 makes with a key of four zero bytes."""
    state = list(range(256))
    other = 0
    for index in range(256):
        other = (other + state[index]) & 255
        state[index], state[other] = state[other], state[index]
    index = other = 0
    while True:
        number = 0
        for count in range(12):
            index = (index + 1) & 255
            one = state[index]
            other = (other + one) & 255
            two = state[other]
            state[index], state[other] = two, one
            if count >= 8:
                number |= state[(one + two) & 255] << (count - 8) * 8
        yield number
