"""`sanqi book`, from the command line."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.helpers.in_process import sanqi
from ucci_engine.book_files import new_book, open_book
from ucci_engine.book_merge import reached
from ucci_engine.books import BookMove
from ucci_engine.points import move_text, parse_move
from ucci_engine.position import Position

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"


def book(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return sanqi("book", *arguments, cwd=folder)


def make(path: Path, lines: dict[str, list[tuple[str, int, str]]]) -> Path:
    """A book: for each series of moves from the start the moves, weights and notes there."""
    writer = new_book(str(path))
    for series, moves in lines.items():
        position = Position()
        for move in series.split():
            position.push(parse_move(move))
        writer.add(position, [BookMove(parse_move(move), weight, note) for move, weight, note in moves])
    writer.finish()
    return path


@pytest.fixture
def books(tmp_path: Path) -> Path:
    """A folder with two books."""
    make(
        tmp_path / "one.obk",
        {
            "": [("h2e2", 30, "中炮"), ("c3c4", 10, ""), ("g3g4", -5, "")],
            "h2e2": [("h9g7", 7, "")],
            "h2e2 h9g7": [("h0g2", 7, "")],
            "a3a4": [("a6a5", 1, "")],  # not reached
        },
    )
    make(tmp_path / "two.DAT", {"": [("h2e2", 5, ""), ("b0c2", 5, "")], "b2e2": [("b9c7", 1, ""), ("h9g7", 2, "")]})
    return tmp_path


def test_show(books: Path) -> None:
    finished = book("show", "one.obk", "two.DAT", folder=books)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.splitlines() == [
        "one.obk:",
        "  h2e2  炮二平五       30   75 %  中炮",
        "  c3c4  兵七进一       10   25 %",
        "  g3g4  兵三进一       -5      -",
        "two.DAT:",
        "  b0c2  马八进七        5   50 %",
        "  h2e2  炮二平五        5   50 %",
    ]


def test_show_another_position(books: Path) -> None:
    finished = book("show", "two.DAT", "--moves", "炮二平五", folder=books)
    assert finished.stdout.splitlines() == [
        "two.DAT:",
        "  b9c7  马2进3          2   67 %",
        "  h9g7  马8进7          1   33 %",
    ]
    other = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b"
    assert book("show", "two.DAT", "--fen", other, folder=books).stdout == finished.stdout
    assert book("show", "two.DAT", "--fen", "startpos moves h2e2", folder=books).stdout == finished.stdout
    finished = book("show", "two.DAT", "--moves", "a0a1", "h9g7", folder=books)
    assert (finished.returncode, finished.stdout) == (0, "two.DAT:\n  no move\n")


@pytest.mark.parametrize("suffix", [".dat", ".obk", ".pfBook"])
def test_merge(books: Path, suffix: str) -> None:
    finished = book("merge", "one.obk", "two.DAT", f"new{suffix}", folder=books)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout == f"7 moves of 3 positions written to 'new{suffix}'\n"
    merged = open_book(str(books / f"new{suffix}"))
    position = Position()
    expected = [("h2e2", 30), ("c3c4", 10), ("b0c2", 5), ("g3g4", 0 if suffix == ".dat" else -5)]
    assert [(move_text(move.move), move.weight) for move in merged.moves(position)] == expected
    position.push(parse_move("h2e2"))
    assert {(move_text(move.move), move.weight) for move in merged.moves(position)} == {("h9g7", 7), ("b9c7", 2)}
    merged.close()


def test_books_with_the_same_keys_are_copied_as_a_whole(books: Path) -> None:
    finished = book("export", "one.obk", "new.pfBook", folder=books)
    assert finished.stdout == "6 moves written to 'new.pfBook'\n"
    finished = book("merge", "two.DAT", "two.DAT", "new.dat", folder=books)
    assert finished.stdout == "4 moves written to 'new.dat'\n"
    assert (books / "new.dat").read_bytes() == (books / "two.DAT").read_bytes()


def test_merge_with_added_weights(books: Path) -> None:
    assert book("merge", "--add-weights", "one.obk", "two.DAT", "new.dat", folder=books).returncode == 0
    merged = open_book(str(books / "new.dat"))
    assert [move.weight for move in merged.moves(Position())] == [35, 10, 5, 0]
    merged.close()


def test_export_as_text(books: Path) -> None:
    finished = book("export", "one.obk", "book.tsv", "--plies", "2", folder=books)
    assert finished.stdout == "4 moves of 2 positions written to 'book.tsv'\n"
    lines = [line.split("\t") for line in (books / "book.tsv").read_text(encoding="utf-8").splitlines()]
    assert [line[1:] for line in lines] == [
        ["h2e2", "30", "中炮"], ["c3c4", "10", ""], ["g3g4", "-5", ""], ["h9g7", "7", ""]
    ]  # fmt: skip
    assert lines[0][0] == Position().fen()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "none.obk"), "'none.obk': *"),
        (("show", "one.obk", "--fen", "x"), "--fen: *"),
        (("show", "one.obk", "--moves", "h2e2", "h2e2"), "--moves: move 2: *"),
        (("export", "none.obk", "new.obk"), "'none.obk': *"),
        (("export", "one.obk", "two.DAT"), "'two.DAT': the file exists already; nothing was written"),
        (("export", "one.obk", "new.txt"), "'new.txt': the suffix of a book to write is one of *"),
        (("export", "one.obk", "none/new.obk"), "'none/new.obk': *"),
        (("export", "far.dat", "new.obk"), "no move was found; nothing was written"),
    ],
)
def test_errors_are_one_line_and_write_nothing(books: Path, arguments: tuple[str, ...], message: str) -> None:
    make(books / "far.dat", {"a3a4": [("a6a5", 1, "")]})
    before = {path.name: path.read_bytes() for path in books.iterdir()}
    finished = book(*arguments, folder=books)
    assert (finished.returncode, finished.stdout) == (2, "")
    [line] = finished.stderr.splitlines()
    beginning = f"sanqi book {arguments[0]}: {message}"
    assert line == beginning or (beginning.endswith("*") and line.startswith(beginning[:-1]))
    assert {path.name: path.read_bytes() for path in books.iterdir()} == before


MAKE = ("--nodes", "2000", "--positions", "30")


def test_make(tmp_path: Path) -> None:
    finished = book("make", "own.dat", *MAKE, folder=tmp_path)
    assert (finished.returncode, finished.stderr) == (0, "")
    own = open_book(str(tmp_path / "own.dat"))
    found = list(reached([own], 100))
    assert finished.stdout == f"{sum(len(moves) for _, moves in found)} moves of {len(found)} positions" + (
        " written to 'own.dat'\n"
    )
    assert 5 <= len(found) <= 30
    for _, moves in found:
        assert moves[0].weight == 1000
        assert all(move.weight >= 125 for move in moves)  # 30 centipawns worse than the best
    own.close()


def test_make_the_same_book_with_several_jobs_and_in_several_runs(tmp_path: Path) -> None:
    assert book("make", "one.dat", *MAKE, folder=tmp_path).returncode == 0
    expected = (tmp_path / "one.dat").read_bytes()
    assert book("make", "two.dat", *MAKE, "--jobs", "3", folder=tmp_path).returncode == 0
    assert (tmp_path / "two.dat").read_bytes() == expected

    searches = (tmp_path / "one.dat.searches").read_bytes()
    (tmp_path / "three.dat.searches").write_bytes(searches[: len(searches) // 2])  # it was killed
    assert book("make", "three.dat", *MAKE, "--resume", folder=tmp_path).returncode == 0
    assert (tmp_path / "three.dat").read_bytes() == expected
    assert (tmp_path / "three.dat.searches").read_bytes() == searches

    assert book("make", "four.dat", "--nodes", "2000", "--positions", "10", folder=tmp_path).returncode == 0
    assert (tmp_path / "four.dat").read_bytes() != expected
    assert book("make", "four.dat", *MAKE, "--resume", folder=tmp_path).returncode == 0
    assert (tmp_path / "four.dat").read_bytes() == expected


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals between processes")
def test_ctrl_c_keeps_the_searches(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [SANQI, "book", "make", "own.dat", "--nodes", "50000"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    searches = tmp_path / "own.dat.searches"
    while not (searches.exists() and searches.read_bytes().count(b"\n") > 2):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    said, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.fullmatch(r"20,000 searches of 50,000 nodes, 1 at a time: estimated time \d.*\n", said)
    count = len(searches.read_bytes().splitlines()) - 1
    assert complaint == f"sanqi book make: interrupted after {count} searches; continue with --resume\n"
    assert [path.name for path in tmp_path.iterdir()] == ["own.dat.searches"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("two.DAT",), "'two.DAT': the file exists already; nothing was written"),
        (("new.txt",), "'new.txt': the suffix of a book to write is one of .dat, .obk, .pfBook, .tsv"),
        (("none/new.dat",), "'none/new.dat.searches': No such file or directory"),
        (("begun.dat",), "'begun.dat.searches': the file of the searches exists already; continue with --resume"),
        (
            ("begun.dat", "--resume"),
            "'begun.dat.searches': its searches are none of this program with as many nodes",
        ),
    ],
)
def test_make_refuses(books: Path, arguments: tuple[str, ...], message: str) -> None:
    (books / "begun.dat.searches").write_bytes(b"something else\n")
    before = {path.name: path.read_bytes() for path in books.iterdir()}
    finished = book("make", *arguments, *MAKE, folder=books)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr == f"sanqi book make: {message}\n"
    assert {path.name: path.read_bytes() for path in books.iterdir()} == before
