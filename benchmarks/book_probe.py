"""The time of a probe in opening books of 500 MB, made for the purpose, before and after they are in memory.

    python benchmarks/book_probe.py FOLDER

No probe may take more than 20 ms; on a busy machine look at the time of the processor. FOLDER needs 1.1 GB; the two
books in it are made if they are not there. The first round follows a request to the system to forget the file (Linux
only).
"""

from __future__ import annotations

import os
import random
import sqlite3
import statistics
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from search_core.clock import now_s
from ucci_engine.book_files import open_book
from ucci_engine.books import PROBE_MS
from ucci_engine.position import Position
from ucci_engine.sqlite_book import CREATE, CREATE_INDEX, KEEP, OBK, stored_keys

POSITIONS = 2000
ROWS = 2_100_000
LOCK_STEP = 68  # between two locks of the 63 million
CHUNK = 1_000_000 * LOCK_STEP
MOVE_AND_WEIGHT = 5 << 16 | 0xA7AA


def make_dat(path: Path) -> None:
    with path.open("wb") as file:
        for start in range(0, 1 << 32, CHUNK):
            locks = array("I", range(start, min(start + CHUNK, 1 << 32), LOCK_STEP))
            records = array("I", [MOVE_AND_WEIGHT]) * (2 * len(locks))
            records[::2] = locks
            records.tofile(file)


def make_obk(path: Path) -> None:
    chance = random.Random(1)

    def rows() -> Iterator[tuple[object, ...]]:
        for _ in range(ROWS):
            yield stored_keys(chance.getrandbits(64))[-1], 0xAAA7, 5, 0, 0, 0, bytes(200)

    connection = sqlite3.connect(path)
    connection.execute(CREATE.format(OBK))
    connection.execute(CREATE_INDEX.format(OBK))
    connection.executemany(KEEP.format(OBK), rows())
    connection.commit()
    connection.close()


def random_positions(count: int) -> list[Position]:
    chance = random.Random(3)
    positions: list[Position] = []
    while len(positions) < count:
        position = Position()
        for _ in range(30):
            moves = position.legal_moves()
            if not moves:
                break
            position.push(chance.choice(moves))
            positions.append(position.copy())
    return positions[:count]


def forget(path: Path) -> None:
    """Ask the system to drop what it has of the file in memory."""
    if hasattr(os, "posix_fadvise"):
        descriptor = os.open(path, os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def main() -> int:
    folder = Path(sys.argv[1])
    positions = random_positions(POSITIONS)
    slow = 0
    for name, make in (("probe.dat", make_dat), ("probe.obk", make_obk)):
        path = folder / name
        if not path.exists():
            make(path)
        forget(path)
        book = open_book(str(path))
        for state in ("not in memory", "in memory"):
            times_ms, cpu_ms = [], []
            for position in positions:
                begin, cpu_begin = now_s(), process_time()
                book.moves(position)
                times_ms.append((now_s() - begin) * 1000)
                cpu_ms.append((process_time() - cpu_begin) * 1000)
            slow += sum(time_ms > PROBE_MS for time_ms in times_ms)
            print(
                f"{name}, {path.stat().st_size / 1e6:.0f} MB, {state}: mean {statistics.mean(times_ms):.2f} ms,"
                f" 99 % {statistics.quantiles(times_ms, n=100)[-1]:.2f}, most {max(times_ms):.2f}"
                f" (of the processor: {max(cpu_ms):.2f})"
            )
        book.close()
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
