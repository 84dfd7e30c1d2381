"""Opening books: keys, BOOK.DAT, .obk and .pfBook, broken files, and books that are written."""

from __future__ import annotations

import os
import random
import sqlite3
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ucci_engine.book_dat import DatBook, dat_bytes, dat_move
from ucci_engine.book_files import SUFFIXES, new_book, open_book
from ucci_engine.book_merge import Merged, merge, reached, united
from ucci_engine.books import (
    BookChanged,
    BookError,
    BookMove,
    BookTooSlow,
    mirrored,
    mirrored_move,
    move_of_wide,
    pieces_of,
    wide_square,
)
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position import Position
from ucci_engine.sqlite_book import CREATE, CREATE_INDEX, OBK, PF_BOOK, TABLES, SqliteBook, obk_move, stored_keys

START_LOCK = 0x052656D5
START_KEY = 0x628D04D7C9C144AE


def after(*moves: str, fen: str = START_FEN) -> Position:
    position = Position(fen)
    for move in moves:
        position.push(parse_move(move))
    return position


def texts(moves: Sequence[BookMove]) -> list[tuple[str, int]]:
    return [(move_text(move.move), move.weight) for move in moves]


def dat_keys(position: Position) -> tuple[int, int]:
    pieces, black = pieces_of(position), position.side == 1
    return DatBook.key(pieces, black), DatBook.key(mirrored(pieces), black)


def obk_keys(position: Position) -> tuple[int, int]:
    pieces, black = pieces_of(position), position.side == 1
    return SqliteBook.key(pieces, black), SqliteBook.key(mirrored(pieces), black)


def write_dat(path: Path, records: list[tuple[int, str, int]]) -> str:
    path.write_bytes(dat_bytes([(lock, dat_move(parse_move(move)), weight) for lock, move, weight in sorted(records)]))
    return str(path)


def write_sqlite(path: Path, table: str, rows: list[tuple[object, ...]], index: bool = True) -> str:
    """`rows`: vkey, vmove, vscore, vwin, vdraw, vlost, vvalid, vmemo."""
    connection = sqlite3.connect(path)
    connection.execute(CREATE.format(table))
    connection.executemany(
        f"INSERT INTO {table} (vkey, vmove, vscore, vwin, vdraw, vlost, vvalid, vmemo) VALUES (?,?,?,?,?,?,?,?)", rows
    )
    if index:
        connection.execute(CREATE_INDEX.format(table))
    connection.commit()
    connection.close()
    return str(path)


# Keys: the values are in real books, those of BOOK.DAT in the one of ElephantEye


def test_keys_of_the_start() -> None:
    assert dat_keys(Position()) == (START_LOCK, START_LOCK)
    assert obk_keys(Position()) == (START_KEY, START_KEY)


def test_keys_after_a_move() -> None:
    assert dat_keys(after("h2e2"))[1] == 0x5396644F
    assert obk_keys(after("h2e2")) == (0xA1EAD1F6470E07EE, 0x29D430B1D3AF9B9E)


def test_the_mirror_image_of_a_game_has_the_mirrored_keys() -> None:
    one, other = after("h2e2", "b9c7", "h0g2"), after("b2e2", "h9g7", "b0c2")
    assert dat_keys(one) == dat_keys(other)[::-1]
    assert obk_keys(one) == obk_keys(other)[::-1]


def test_moves_as_the_formats_have_them() -> None:
    assert obk_move(parse_move("h2e2")) == 0xAAA7
    assert obk_move(parse_move("a9a8")) == 0x3343
    assert dat_move(parse_move("h2e2")) == 0xA7AA
    assert mirrored_move(parse_move("h2e2")) == parse_move("b2e2")


def test_squares_of_the_wide_board() -> None:
    for square in range(90):
        assert move_of_wide(wide_square(square), wide_square(89 - square)) == square | 89 - square << 7
    inside = {wide_square(square) for square in range(90)}
    assert all((move_of_wide(0x33, wide) is not None) == (wide in inside) for wide in range(256))


def test_a_large_key_is_asked_for_in_both_forms() -> None:
    assert stored_keys(START_KEY) == [START_KEY]
    signed, real = stored_keys(0xA1EAD1F6470E07EE)
    assert signed == 0xA1EAD1F6470E07EE - (1 << 64)
    assert struct.pack("<d", real) == struct.pack("<Q", 0xA1EAD1F6470E07EE)
    assert len(stored_keys(0xFFF8_0000_0000_0001)) == 1  # not a number


# BOOK.DAT


def test_dat(tmp_path: Path) -> None:
    records = [(START_LOCK, move, weight) for move, weight in (("c3c4", 546), ("h2e2", 1473), ("b2e2", 1473))]
    book = open_book(write_dat(tmp_path / "BOOK.DAT", [*records, (0x5396644F, "b9c7", 30), (0x5396644F, "h9g7", 900)]))
    assert book.name == "BOOK.DAT"
    assert texts(book.moves(Position())) == [("b2e2", 1473), ("h2e2", 1473), ("c3c4", 546)]
    assert texts(book.moves(after("h2e2"))) == [("b9c7", 900), ("h9g7", 30)]
    assert texts(book.moves(after("b2e2"))) == [("h9g7", 900), ("b9c7", 30)]
    assert book.moves(after("h2e2", "h9g7")) == []
    book.close()


def test_moves_that_cannot_be_played_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "BOOK.DAT"
    wrong = [0, 0xFFFF, 0xA7A7, 0x0033, dat_move(parse_move("e0e5"))]
    path.write_bytes(dat_bytes([(START_LOCK, move, 9) for move in [*wrong, dat_move(parse_move("h2e2"))]]))
    book = open_book(str(path))
    assert texts(book.moves(Position())) == [("h2e2", 9)]
    book.close()


def test_every_lock_of_a_large_book_is_found(tmp_path: Path) -> None:
    chance = random.Random(5)
    locks = sorted({0, 0xFFFFFFFF, *(chance.randrange(1 << 32) for _ in range(5000))})
    path = write_dat(tmp_path / "BOOK.DAT", [(lock, move, 1) for lock in locks for move in ("h2e2", "b2e2")])
    book = open_book(path)
    assert all(len(book.entries(lock)) == 2 for lock in locks)
    assert not any(book.entries(lock) for lock in {lock + 1 for lock in locks}.difference(locks))
    book.close()


def test_many_records_of_one_lock(tmp_path: Path) -> None:
    book = open_book(write_dat(tmp_path / "BOOK.DAT", [(START_LOCK, "h2e2", 7)] * 5000))
    assert texts(book.moves(Position())) == [("h2e2", 7)]
    book.close()


# SQLite


@pytest.mark.parametrize("table", TABLES)
def test_sqlite(table: str, tmp_path: Path) -> None:
    first, second = after("h2e2"), after("h2e2", "h9g7")
    large, small = obk_keys(first)[0], obk_keys(second)[1]
    assert large >= 1 << 63 > small
    stored = stored_keys(large)[-1 if table == OBK else 0]
    rows: list[tuple[object, ...]] = [
        (START_KEY, obk_move(parse_move("h2e2")), 35, 3, 2, 1, 1, "中炮".encode("gb18030")),
        (START_KEY, obk_move(parse_move("b2e2")), 30, 0, 0, 0, 1, "中炮\n 2"),
        (START_KEY, obk_move(parse_move("c3c4")), -5, None, None, None, 1, None),
        (START_KEY, obk_move(parse_move("g3g4")), 99, 0, 0, 0, 0, None),  # not valid
        (stored, obk_move(parse_move("h9g7")), 12, 0, 0, 0, 1, b""),
        (small, obk_move(parse_move("b0c2")), 8, 0, 0, 0, 1, b""),
        (None, None, "text", b"", 1.5, None, 1, None),
    ]
    book = open_book(write_sqlite(tmp_path / "book.obk", table, rows))
    moves = book.moves(Position())
    assert texts(moves) == [("h2e2", 35), ("b2e2", 30), ("c3c4", -5)]
    assert [move.note for move in moves] == ["won 3, drawn 2, lost 1; 中炮", "中炮 2", ""]
    assert texts(book.moves(first)) == [("h9g7", 12)]
    assert texts(book.moves(second)) == [("h0g2", 8)]  # from the mirror image
    book.close()


def test_rows_that_are_no_moves_are_left_out(tmp_path: Path) -> None:
    rows: list[tuple[object, ...]] = [
        (START_KEY, move, score, b"x", "y", 1.5, 1, 7)
        for move, score in [(-1, 1), (1 << 40, 1), ("h2e2", 1), (None, 1), (2.5, 1), (0x0001, 1), (0xAAA7, "many")]
    ]
    book = open_book(write_sqlite(tmp_path / "book.obk", OBK, rows))
    assert texts(book.moves(Position())) == [("h2e2", 0)]
    book.close()


def test_a_table_with_the_least_columns(tmp_path: Path) -> None:
    path = tmp_path / "开局 库#1%41?.obk"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE BHOBK (vkey, vmove, vscore)")
    connection.execute("INSERT INTO BHOBK VALUES (?, ?, 5)", (START_KEY, 0xAAA7))
    connection.commit()
    connection.close()
    book = open_book(str(path))
    assert texts(book.moves(Position())) == [("h2e2", 5)]
    book.close()


def test_files_are_only_read(tmp_path: Path) -> None:
    """Also in a mode of SQLite in which readers make files of their own, and in a folder that cannot be written."""
    folder = tmp_path / "books"
    folder.mkdir()
    path = write_sqlite(folder / "book.pfBook", PF_BOOK, [(START_KEY, 0xAAA7, 5, 0, 0, 0, 1, None)])
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    before = Path(path).read_bytes()
    os.chmod(path, 0o444)
    os.chmod(folder, 0o555)
    try:
        book = open_book(path)
        assert texts(book.moves(Position())) == [("h2e2", 5)]
        assert os.listdir(folder) == ["book.pfBook"]
        book.close()
        assert Path(path).read_bytes() == before
    finally:
        os.chmod(folder, 0o755)
        os.chmod(path, 0o644)


# Errors


def test_files_that_are_no_books(tmp_path: Path) -> None:
    other = tmp_path / "other.obk"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE notes (text)")
    connection.execute("CREATE VIEW bhobk AS SELECT text AS vkey, text AS vmove, text AS vscore FROM notes")
    connection.commit()
    connection.close()
    poor = tmp_path / "poor.obk"
    connection = sqlite3.connect(poor)
    connection.execute("CREATE TABLE bhobk (vkey, vwin)")
    connection.commit()
    connection.close()
    contents = {
        "empty": b"",
        "odd": b"123456789",
        "unsorted": struct.pack("<IHH", 9, 0, 0) + struct.pack("<IHH", 3, 0, 0),
        "cut.obk": b"SQLite format 3\0",
        "text.obk": b"SQLite format 3\0" + b"text" * 300,
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    expected = {
        "none": None,
        ".": "not a file",
        "a\0b": None,
        "other.obk": "an SQLite file without the table of a book (bhobk or pfBook)",
        "poor.obk": "its table bhobk has no vmove, vscore",
        "empty": "0 bytes are not a whole number of records of 8 bytes",
        "odd": "9 bytes are not a whole number of records of 8 bytes",
        "unsorted": "its records are not sorted, so it is not a BOOK.DAT",
        "cut.obk": None,
        "text.obk": None,
    }
    for name, message in expected.items():
        with pytest.raises(BookError) as caught:
            open_book(os.path.join(tmp_path, name))
        assert message in (None, str(caught.value)), name
        assert len(str(caught.value).splitlines()) == 1


@pytest.mark.skipif(sys.version_info < (3, 11), reason="sqlite3 has no limits before Python 3.11")
def test_a_comment_has_a_largest_size(tmp_path: Path) -> None:
    """A book of 400 MB with one comment takes no memory."""
    row = (START_KEY, obk_move(parse_move("h2e2")), 1, 0, 0, 0, 1, b"x" * ((1 << 20) + 1))
    book = SqliteBook(write_sqlite(tmp_path / "book.obk", OBK, [row]))
    for ask in (lambda: book.moves(Position()), lambda: list(book.rows())):
        with pytest.raises(BookError, match="has a value of more than 1 MiB"):
            ask()
    book.close()


def test_a_changed_file(tmp_path: Path) -> None:
    paths = [
        Path(write_dat(tmp_path / "BOOK.DAT", [(START_LOCK, "h2e2", 7)] * 3)),
        Path(write_sqlite(tmp_path / "book.obk", OBK, [(START_KEY, 0xAAA7, 5, 0, 0, 0, 1, None)])),
    ]
    for path in paths:
        book = open_book(str(path))
        with path.open("ab") as file:
            file.write(bytes(8))
        with pytest.raises(BookChanged):
            book.moves(Position())
        book.close()
        with pytest.raises(BookError):
            book.entries(START_LOCK)  # closed


def test_a_probe_that_takes_too_long(tmp_path: Path) -> None:
    late = -1.0  # milliseconds: over before it began
    rows: list[tuple[object, ...]] = [(number, 0xAAA7, 5, 0, 0, 0, 1, None) for number in range(20_000)]
    paths = [
        write_dat(tmp_path / "BOOK.DAT", [(lock, "h2e2", 7) for lock in range(2000)]),
        write_sqlite(tmp_path / "book.obk", OBK, [*rows, (START_KEY, 0xAAA7, 5, 0, 0, 0, 1, None)], index=False),
    ]
    for path in paths:
        book = open_book(path)
        book.limit_ms = late
        with pytest.raises(BookTooSlow):
            book.moves(Position())
        book.limit_ms = 0
        book.moves(Position())
        book.close()


def _played(seed: int, plies: int) -> list[Position]:
    """The positions of a random game, as far as it goes."""
    chance = random.Random(seed)
    position = Position()
    positions = [position.copy()]
    while len(positions) <= plies and position.legal_moves():
        position.push(chance.choice(position.legal_moves()))
        positions.append(position.copy())
    return positions


def _write_some(path: Path, positions: Sequence[Position]) -> None:
    writer = new_book(str(path))
    for position in positions:
        writer.add(position, [BookMove(move, 5, "a note") for move in position.legal_moves()[:4]])
    writer.finish()


@pytest.mark.parametrize("name", ["book.dat", "book.obk", "book.pfBook"])
def test_damaged_files_give_legal_moves_or_an_error(name: str, tmp_path: Path) -> None:
    positions = _played(1, 60)[:-1]
    assert len(positions) > 20
    _write_some(tmp_path / name, positions)
    good = (tmp_path / name).read_bytes()
    chance = random.Random(name)
    errors = 0
    for number in range(80):
        data = bytearray(good)
        for _ in range(chance.choice((1, 10, 200))):
            data[chance.randrange(16 if number % 2 else 100, len(data))] = chance.randrange(256)
        if number % 5 == 0:
            del data[chance.randrange(len(data)) :]
        if number % 7 == 0:
            start = chance.randrange(len(data) + 1)
            data[start:start] = chance.randbytes(chance.randrange(3000))
        path = tmp_path / f"damaged-{number}"
        path.write_bytes(data)
        try:
            book = open_book(str(path))
        except BookError as error:
            errors += 1
            assert len(str(error).splitlines()) == 1
            continue
        for position in positions[::10]:
            try:
                moves = book.moves(position)
            except BookError as error:
                errors += 1
                assert len(str(error).splitlines()) == 1
                continue
            assert {move.move for move in moves} <= set(position.legal_moves())
            assert all(len(move.note.splitlines()) <= 1 for move in moves)
        book.close()
    assert errors


# Books that are written


@pytest.mark.parametrize("suffix", [suffix for suffix in SUFFIXES if suffix != ".tsv"])
def test_what_was_written_is_read(suffix: str, tmp_path: Path) -> None:
    positions = _played(2, 80)[:-1]
    assert len(positions) > 20
    _write_some(tmp_path / f"book{suffix}", positions)
    book = open_book(str(tmp_path / f"book{suffix}"))
    for position in positions:
        expected = sorted(position.legal_moves()[:4])
        assert [move.move for move in book.moves(position)] == expected
        assert {(move.weight, move.note) for move in book.moves(position)} == {
            (5, "" if suffix == ".dat" else "a note")
        }
    book.close()


def test_large_keys_are_written_as_the_formats_have_them(tmp_path: Path) -> None:
    position = after("h2e2")
    for name, table, kind in (("book.obk", OBK, "real"), ("book.pfBook", PF_BOOK, "integer")):
        _write_some(tmp_path / name, [position])
        connection = sqlite3.connect(tmp_path / name)
        assert connection.execute(f"SELECT DISTINCT typeof(vkey) FROM {table}").fetchall() == [(kind,)]
        connection.close()


def test_weights_too_large_for_the_format(tmp_path: Path) -> None:
    writer = new_book(str(tmp_path / "book.dat"))
    moves = [BookMove(parse_move(move), weight) for move, weight in (("h2e2", 655_350), ("b2e2", 6553), ("c3c4", -8))]
    writer.add(Position(), moves)
    writer.finish()
    book = open_book(str(tmp_path / "book.dat"))
    assert texts(book.moves(Position())) == [("h2e2", 65535), ("b2e2", 655), ("c3c4", 0)]
    book.close()


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    for suffix in SUFFIXES:
        path = tmp_path / f"book{suffix}"
        path.write_bytes(b"mine")
        with pytest.raises(BookError, match="exists already"):
            new_book(str(path))
        assert path.read_bytes() == b"mine"
    with pytest.raises(BookError, match="the suffix of a book to write is one of"):
        new_book(str(tmp_path / "book.txt"))


def test_books_united(tmp_path: Path) -> None:
    one = open_book(write_dat(tmp_path / "one", [(START_LOCK, "h2e2", 5), (START_LOCK, "c3c4", 6)]))
    rows: list[tuple[object, ...]] = [(START_KEY, obk_move(parse_move(move)), 4, 0, 0, 0, 1, b"!") for move in
                                      ("h2e2", "g3g4")]  # fmt: skip
    other = open_book(write_sqlite(tmp_path / "other", OBK, rows))
    assert texts(united([one, other], Position())) == [("c3c4", 6), ("h2e2", 5), ("g3g4", 4)]
    assert texts(united([other, one], Position())) == [("c3c4", 6), ("h2e2", 4), ("g3g4", 4)]
    added = united([one, other], Position(), add_weights=True)
    assert texts(added) == [("h2e2", 9), ("c3c4", 6), ("g3g4", 4)]
    assert [move.note for move in added] == ["!", "", "!"]
    one.close()
    other.close()


def test_positions_that_a_book_reaches(tmp_path: Path) -> None:
    """The start, and each other position once, with its mirror image; no further than asked for."""
    mirror = dat_keys(after("h2e2"))[1]
    records = [(START_LOCK, "h2e2", 5), (START_LOCK, "b2e2", 5), (mirror, "h9g7", 3), (mirror, "b9c7", 2)]
    book = open_book(write_dat(tmp_path / "book", records))
    found = list(reached([book], most_plies=9))
    assert [texts(moves) for _, moves in found] == [[("b2e2", 5), ("h2e2", 5)], [("h9g7", 3), ("b9c7", 2)]]
    assert len(list(reached([book], most_plies=1))) == 1
    book.close()


def test_books_with_the_same_locks_are_copied(tmp_path: Path) -> None:
    """All records, also of positions that no move of the books reaches."""
    one = open_book(write_dat(tmp_path / "one", [(START_LOCK, "h2e2", 5), (7, "a0a1", 60_000), (9, "a0a1", 3)]))
    other = open_book(write_dat(tmp_path / "other", [(START_LOCK, "c3c4", 4), (7, "a0a1", 50_000), (7, "b0c2", 99)]))
    expected = [(7, "a0a1", 60_000), (7, "b0c2", 99), (9, "a0a1", 3), (START_LOCK, "h2e2", 5), (START_LOCK, "c3c4", 4)]
    assert merge([one, other], str(tmp_path / "new.dat"), 1) == Merged(5, 0)
    assert merge([one, other], str(tmp_path / "sum.dat"), 1, add_weights=True) == Merged(5, 0)
    one.close()
    other.close()
    for name, *weights in (("new.dat", 60_000, 99), ("sum.dat", 65_535, 99 * 65_535 // 110_000)):
        expected[:2] = [(7, "a0a1", weights[0]), (7, "b0c2", weights[1])]
        records = [(lock, dat_move(parse_move(move)), weight) for lock, move, weight in expected]
        assert (tmp_path / name).read_bytes() == dat_bytes(records)


@pytest.mark.parametrize("suffix", [".obk", ".pfBook"])
@pytest.mark.parametrize("add_weights", [False, True])
def test_books_with_the_same_keys_are_copied(suffix: str, add_weights: bool, tmp_path: Path) -> None:
    """With counts and comments; keys that are stored as a REAL, or as the integer that SQLite makes of some of them."""
    keys = [START_KEY, 5, 0xA1EAD1F6470E07EE, 0xC350_0000_0000_0123, 0xFFFF_FFFF_FFFF_FFFB]
    rows: list[tuple[object, ...]] = [
        (stored_keys(key)[-1], 0xAAA7, 30, 3, 2, 1, 1, "中炮".encode("gb18030")) for key in keys[:-1]
    ]
    one = open_book(write_sqlite(tmp_path / "one.obk", OBK, [*rows, (START_KEY, 0x6667, 30, 0, 0, 0, 0, None)]))
    signed: list[tuple[object, ...]] = [(stored_keys(key)[0], 0xAAA7, 8, 1, 1, 1, 1, None) for key in keys]
    other = open_book(write_sqlite(tmp_path / "other.pfBook", PF_BOOK, signed))
    assert merge([one, other], str(tmp_path / f"new{suffix}"), 1, add_weights) == Merged(5, 0)
    one.close()
    other.close()
    new = open_book(str(tmp_path / f"new{suffix}"))
    note = "won 4, drawn 3, lost 2; 中炮" if add_weights else "won 3, drawn 2, lost 1; 中炮"
    for key in keys[:-1]:
        assert new.entries(key) == [(parse_move("h2e2"), 38 if add_weights else 30, note)], hex(key)
    assert new.entries(keys[-1]) == [(parse_move("h2e2"), 8, "won 1, drawn 1, lost 1")]
    new.close()


@pytest.mark.parametrize("suffix", [".dat", ".obk", ".pfBook"])
def test_a_position_and_its_mirror_image_in_another_book_become_one(suffix: str, tmp_path: Path) -> None:
    """As far from the start as the merge is told to look; a position farther on is copied."""
    entries = (("one", "h2e2", {"h9g7": 100, "b9c7": 40}), ("other", "b2e2", {"b9c7": 500, "h9g7": 10}))
    books = []
    for name, first, replies in entries:
        path = str(tmp_path / f"{name}{suffix}")
        writer = new_book(path)
        for position, moves in ((Position(), {first: 1}), (after(first), replies)):
            writer.add(position, [BookMove(parse_move(move), weight) for move, weight in moves.items()])
        writer.finish()
        books.append(open_book(path))
    for plies, add_weights, expected in (
        (2, False, {"h9g7": 100, "b9c7": 40}),
        (2, True, {"h9g7": 600, "b9c7": 50}),
        (1, False, {"h9g7": 100, "b9c7": 40}),
    ):
        path = str(tmp_path / f"{plies}{add_weights}{suffix}")
        merge(books, path, plies, add_weights)
        merged = open_book(path)
        assert dict(texts(merged.moves(after("h2e2")))) == expected
        mirror = {move_text(mirrored_move(parse_move(move))): weight for move, weight in expected.items()}
        found = dict(texts(merged.moves(after("b2e2"))))
        assert found == (mirror if plies == 2 else {"b9c7": 500, "h9g7": 10})
        merged.close()
    for book in books:
        book.close()


def test_counts_and_comments_of_a_mirror_image_are_kept(tmp_path: Path) -> None:
    (own, _), (mirror, _) = obk_keys(after("h2e2")), obk_keys(after("b2e2"))
    note, paths = b"y" * 300, []
    for name, first, key, reply, counts in (
        ("one", "h2e2", own, "h9g7", (30, 20, 10)),
        ("two", "b2e2", mirror, "b9c7", (1, 2, 3)),
    ):
        rows: list[tuple[object, ...]] = [
            (START_KEY, obk_move(parse_move(first)), 1, 0, 0, 0, 1, None),
            (stored_keys(key)[-1], obk_move(parse_move(reply)), 7, *counts, 1, note),
        ]
        paths.append(write_sqlite(tmp_path / f"{name}.obk", OBK, rows))
    books = [open_book(path) for path in paths]
    for add_weights, expected in ((False, (7, 30, 20, 10)), (True, (14, 31, 22, 13))):
        path = tmp_path / f"{add_weights}.obk"
        merge(books, str(path), 2, add_weights)
        connection = sqlite3.connect(path)
        columns = "vscore, vwin, vdraw, vlost, vmemo"
        rows = connection.execute(f"SELECT {columns} FROM {OBK} WHERE vkey != ?", (START_KEY,)).fetchall()
        connection.close()
        assert rows == [(*expected, note)]
    for book in books:
        book.close()


def test_keys_that_are_no_number_beside_reals_are_copied(tmp_path: Path) -> None:
    """Of the bits of such a key no REAL can be made, so it is stored as an integer, in the same file as REALs."""
    keys = [0xFFF5123456789ABC, 0xA1EAD1F6470E07EE]
    path = write_sqlite(
        tmp_path / "one.obk", OBK, [(stored_keys(key)[-1], 0xAAA7, 5, 0, 0, 0, 1, None) for key in keys]
    )
    book = open_book(path)
    merge([book], str(tmp_path / "new.pfBook"), 1)
    book.close()
    new = open_book(str(tmp_path / "new.pfBook"))
    assert [new.entries(key) for key in keys] == [[(parse_move("h2e2"), 5, "")]] * 2
    new.close()


def test_a_merge_that_fails_leaves_no_file(tmp_path: Path) -> None:
    path = Path(write_dat(tmp_path / "one", [(START_LOCK, "h2e2", 5)] * 3))
    book = open_book(str(path))
    with path.open("r+b") as file:
        file.truncate(8)
    for suffix in SUFFIXES:
        with pytest.raises(BookError, match=r"^one: the file has "):
            merge([book], str(tmp_path / f"new{suffix}"), 9)
    book.close()
    assert os.listdir(tmp_path) == ["one"]
