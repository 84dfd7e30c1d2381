"""A book that another program holds open is read as of the last commit, and not changed."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ucci_engine.book_files import open_book
from ucci_engine.books import BookChanged, BookError, pieces_of
from ucci_engine.position import Position
from ucci_engine.sqlite_book import CREATE, CREATE_INDEX, OBK, SqliteBook

INSERT = "INSERT INTO bhobk (vkey, vmove, vscore, vvalid) VALUES (?, 43687, ?, 1)"
KEY = SqliteBook.key(pieces_of(Position()), black_to_move=False)

HOT_JOURNAL = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA cache_size = 1")  # so that pages are written before the commit
connection.execute("UPDATE bhobk SET vscore = 4242 WHERE vscore = 5")
connection.executemany("INSERT INTO bhobk (vkey, vmove, vscore) VALUES (?, 1, 1)", ((n,) for n in range(9000)))
os.kill(os.getpid(), signal.SIGKILL)
"""


def write_book(path: Path, mode: str = "DELETE") -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute(CREATE.format(OBK))
    connection.execute(CREATE_INDEX.format(OBK))
    connection.execute(INSERT, (KEY, 5))
    connection.executemany("INSERT INTO bhobk (vkey, vmove, vscore) VALUES (?, 2, 1)", ((n,) for n in range(9000)))
    connection.commit()
    return connection


def weights(path: Path) -> list[int]:
    book = open_book(str(path))
    try:
        return [move.weight for move in book.moves(Position())]
    finally:
        book.close()


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {name: ((folder / name).read_bytes(), (folder / name).stat().st_mtime_ns) for name in os.listdir(folder)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the book. Its copies are in another folder, and do not stay."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    (tmp_path / "books").mkdir()
    yield tmp_path / "books"
    assert os.listdir(temporary) == []


def test_a_book_in_wal_mode(folder: Path) -> None:
    path = folder / "book.obk"
    with write_book(path, "WAL") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("UPDATE bhobk SET vscore = 77 WHERE vscore = 5")
        connection.commit()
        connection.execute("UPDATE bhobk SET vscore = 99 WHERE vscore = 77")  # not committed
        before = contents(folder)
        assert before["book.obk-wal"][0]
        assert weights(path) == [77]
        assert contents(folder) == before
    connection.close()
    assert weights(path) == [99]


@pytest.mark.skipif(sys.platform == "win32", reason="it kills a process in the middle of a commit")
def test_a_book_with_a_hot_journal(folder: Path) -> None:
    path = folder / "book.obk"
    write_book(path).close()
    run = subprocess.run([sys.executable, "-c", HOT_JOURNAL, path])
    assert run.returncode == -signal.SIGKILL
    before = contents(folder)
    assert before["book.obk-journal"][0]
    assert weights(path) == [5]
    assert contents(folder) == before
    # So does SQLite itself read it.
    shutil.copytree(folder, folder.parent / "copy")
    other = sqlite3.connect(folder.parent / "copy" / "book.obk")
    assert other.execute("SELECT vscore FROM bhobk WHERE vkey = ?", (KEY,)).fetchall() == [(5,)]
    other.close()


def test_a_journal_that_does_not_count_any_more(folder: Path) -> None:
    path = folder / "book.obk"
    connection = write_book(path, "PERSIST")
    assert (folder / "book.obk-journal").stat().st_size
    assert weights(path) == [5]
    connection.close()


def test_a_commit_during_a_game_is_seen(folder: Path) -> None:
    path = folder / "book.obk"
    connection = write_book(path, "WAL")
    book = open_book(str(path))
    assert [move.weight for move in book.moves(Position())] == [5]
    connection.execute("UPDATE bhobk SET vscore = 77 WHERE vscore = 5")
    connection.commit()
    with pytest.raises(BookChanged):
        book.moves(Position())
    book.close()
    assert weights(path) == [77]
    connection.close()


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_what_is_no_journal_changes_nothing(folder: Path, suffix: str) -> None:
    path = folder / "book.obk"
    write_book(path).close()
    (folder / f"book.obk{suffix}").write_bytes(b"no journal" * 1000)
    assert weights(path) == [5]  # as SQLite does
    (folder / f"book.obk{suffix}").unlink()
    (folder / f"book.obk{suffix}").mkdir()
    with pytest.raises(BookError, match=f"book.obk{suffix} is not a file"):
        open_book(str(path))


def test_a_full_disk_for_the_copy_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "book.obk"
    write_book(path, "PERSIST").close()
    monkeypatch.setattr("tempfile.tempdir", str(folder / "missing"))
    with pytest.raises(BookError, match="No such file or directory"):
        open_book(str(path))
    monkeypatch.setattr("tempfile.tempdir", str(folder.parent / "temporary"))
