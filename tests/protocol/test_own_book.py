"""Moves from opening books, over UCCI and UCI: the options, when a book is used, and books that cannot be used."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ucci_engine.book_dat import DatBook, dat_bytes, dat_move
from ucci_engine.book_files import new_book, open_book
from ucci_engine.books import BookMove, pieces_of
from ucci_engine.own_book import SHIPPED
from ucci_engine.points import parse_move
from ucci_engine.position import Position

if TYPE_CHECKING:
    from tests.protocol.conftest import ProgramHost

LINE = ("h2e2", "h9g7", "h0g2", "i9h9")
SEARCHED = "info depth *"


def write_line(path: Path, moves: tuple[str, ...] = LINE) -> Path:
    """A book of one game, in the format of the suffix."""
    writer = new_book(str(path))
    position = Position()
    for move in map(parse_move, moves):
        writer.add(position, [BookMove(move, 5)])
        position.push(move)
    writer.finish()
    return path


def write_choice(path: Path, weights: dict[str, int]) -> Path:
    """A book with several moves at the start."""
    lock = DatBook.key(pieces_of(Position()), False)
    path.write_bytes(dat_bytes([(lock, dat_move(parse_move(move)), weight) for move, weight in weights.items()]))
    return path


def board_of(position: Position) -> str:
    """Board and side to move."""
    return " ".join(position.fen().split()[:2])


def best(host: ProgramHost, go: str = "go depth 1") -> str:
    """The answer to a `go`: the move, and "searched" before it if it was searched."""
    host.send(go)
    lines = host.until("bestmove *")
    move = lines[-1].split()[1]
    return f"searched {move}" if any(line.startswith("info depth") for line in lines) else move


@pytest.mark.parametrize("name", ["BOOK.DAT", "开局 库.obk", "book.pfBook"])
def test_ucci(ucci: ProgramHost, tmp_path: Path, name: str) -> None:
    shown = "'" + name.encode("ascii", "backslashreplace").decode() + "'"
    ucci.play(f"""
        > setoption bookfiles {write_line(tmp_path / name)}
        > position startpos
        > go time 1000 increment 0
        < info message book {shown}: h2e2, weight 5 of 5
        < bestmove h2e2
        > position startpos moves h2e2
        > go depth 3
        < info message book {shown}: h9g7, weight 5 of 5
        < bestmove h9g7
        > position startpos moves b2e2
        > go depth 3
        < info message book {shown}: b9c7, weight 5 of 5
        < bestmove b9c7
        > position startpos moves h2e2 h9g7 h0g2 i9h9
        > go depth 1
        < {SEARCHED}
        ~ bestmove *
        > setoption usebook false
        > position startpos
        > go depth 1
        < {SEARCHED}
        ~ bestmove *
        > stop
        < nobestmove
        > quit
        | bye
    """)


def test_uci_uses_a_book_only_when_told_to(uci: ProgramHost, tmp_path: Path) -> None:
    uci.play(f"""
        > setoption name BookFiles value {write_line(tmp_path / "book.obk")}
        > position startpos
        > go depth 1
        < {SEARCHED}
        ~ bestmove *
        > setoption name OwnBook value true
        > go wtime 1000 btime 1000
        < info string book 'book.obk': h2e2, weight 5 of 5
        < bestmove h2e2
        > setoption name Ranks value 1-10
        > go movetime 100
        < info string book 'book.obk': h3e3, weight 5 of 5
        < bestmove h3e3
    """)


def test_the_shipped_book_is_for_a_host_that_wants_books_and_names_none(
    uci: ProgramHost, ucci: ProgramHost, tmp_path: Path
) -> None:
    for host, option in ((uci, "OwnBook"), (ucci, "usebook")):
        host.send("position startpos")
        assert best(host).startswith("searched")
        host.send(f"setoption {option} true")
        host.send("go depth 1")
        assert any(" book 'book.dat': " in line for line in host.until("bestmove *"))
        host.send(f"setoption bookfiles {write_choice(tmp_path / 'BOOK.DAT', {'a0a1': 1})}")
        assert best(host) == "a0a1"
        host.send("setoption bookfiles <empty>" if option == "OwnBook" else "setoption bookfiles")
        assert not best(host).startswith("searched")
        host.send(f"setoption {option} false")
        assert best(host).startswith("searched")


def test_the_shipped_book_knows_what_its_own_moves_reach() -> None:
    assert 400_000 < os.path.getsize(SHIPPED) < 1_000_000, "8 bytes a move"
    with closing(open_book(SHIPPED)) as book:
        places = [Position()]
        seen = {board_of(places[0])}
        for place in places:  # it grows
            entries = book.moves(place)
            assert entries, place.fen()
            for entry in entries:
                after = place.copy()
                after.push(entry.move)
                if len(places) < 300 and (board := board_of(after)) not in seen:
                    seen.add(board)
                    places.append(after)


def test_a_host_that_wants_to_know_what_a_search_thinks_gets_no_book_move(uci: ProgramHost, tmp_path: Path) -> None:
    uci.send("setoption OwnBook true", f"setoption BookFiles {write_line(tmp_path / 'BOOK.DAT')}", "position startpos")
    assert best(uci) == "h2e2"
    for go in ("go depth 1 searchmoves b0c2", "go mate 1 depth 1"):
        assert best(uci, go).startswith("searched")
    for go in ("go infinite", "go ponder depth 1", "go"):
        uci.send(go)
        uci.until(SEARCHED)
        uci.send("stop")
        uci.until("bestmove *")
    for on, off in (("MultiPV value 2", "MultiPV value 1"), ("UCI_AnalyseMode value true",) * 2):
        uci.send(f"setoption name {on}")
        assert best(uci).startswith("searched")
        uci.send(f"setoption name {off}")
    uci.send("setoption name UCI_AnalyseMode value false")
    assert best(uci) == "h2e2"


def test_the_last_move_from_a_book(uci: ProgramHost, tmp_path: Path) -> None:
    uci.send("setoption OwnBook true", f"setoption BookFiles {write_line(tmp_path / 'BOOK.DAT')}")
    uci.send("setoption BookDepth 1", "position startpos moves h2e2")
    assert best(uci) == "h9g7"
    uci.send("position startpos moves h2e2 h9g7")
    assert best(uci).startswith("searched")
    uci.send("setoption BookDepth 2")
    assert best(uci) == "h0g2"


def test_a_position_that_comes_again_is_searched(uci: ProgramHost, tmp_path: Path) -> None:
    uci.send("setoption OwnBook true", f"setoption BookFiles {write_line(tmp_path / 'BOOK.DAT')}")
    uci.send("position startpos moves a0a1 a9a8 a1a0 a8a9")
    assert best(uci).startswith("searched")


def test_choice_by_weight(uci: ProgramHost, tmp_path: Path) -> None:
    book = write_choice(tmp_path / "BOOK.DAT", {"h2e2": 300, "c3c4": 100, "g3g4": 0})
    uci.send("setoption OwnBook true", f"setoption BookFiles {book}", "position startpos")
    chosen = {}
    for seed in range(1, 41):
        uci.send(f"setoption Seed {seed}")
        chosen[seed] = best(uci)
    assert set(chosen.values()) == {"h2e2", "c3c4"}
    assert 20 <= list(chosen.values()).count("h2e2") <= 39
    for seed in (1, 2, 3):  # the same seed, the same move
        uci.send(f"setoption Seed {seed}")
        assert best(uci) == chosen[seed]
    uci.send("setoption BestBookMove true")
    for seed in range(1, 6):
        uci.send(f"setoption Seed {seed}")
        assert best(uci) == "h2e2"


def test_without_a_weight_above_0_the_largest_counts(uci: ProgramHost, tmp_path: Path) -> None:
    writer = new_book(str(tmp_path / "book.obk"))
    writer.add(Position(), [BookMove(parse_move("h2e2"), -9), BookMove(parse_move("c3c4"), -2)])
    writer.finish()
    uci.play(f"""
        > setoption name OwnBook value true
        > setoption name BookFiles value {tmp_path / "book.obk"}
        > position startpos
        > go depth 1
        < info string book 'book.obk': c3c4
        < bestmove c3c4
    """)


def test_banned_moves_are_not_taken_from_a_book(ucci: ProgramHost, tmp_path: Path) -> None:
    ucci.send(f"setoption bookfiles {write_choice(tmp_path / 'BOOK.DAT', {'h2e2': 300, 'c3c4': 1})}")
    ucci.send("position startpos", "banmoves h2e2")
    assert best(ucci) == "c3c4"
    ucci.send("banmoves h2e2 c3c4")
    assert best(ucci).startswith("searched")


def test_several_books(ucci: ProgramHost, tmp_path: Path) -> None:
    """The first book that has the position is used; a book that cannot be used costs one line."""
    short = write_line(tmp_path / "short.dat", LINE[:1])
    long = write_line(tmp_path / "long.obk", ("c3c4", "h9g7"))
    other = write_line(tmp_path / "other.obk")
    (tmp_path / "broken.obk").write_bytes(b"SQLite format 3\0" + b"text" * 300)
    files = [short, tmp_path / "none.dat", tmp_path / "broken.obk", long, other, short]
    ucci.play(f"""
        > setoption bookfiles {" ; ".join(map(str, files))}
        < info message book 'none.dat': *; it is not used
        < info message book 'broken.obk': *; it is not used
        > position startpos
        > go depth 1
        < info message book 'short.dat': h2e2, weight 5 of 5
        < bestmove h2e2
        > position startpos moves h2e2
        > go depth 1
        < info message book 'other.obk': h9g7, weight 5 of 5
        < bestmove h9g7
    """)
    many = ";".join(f"none{number}" for number in range(20))
    ucci.send("setoption usebook false")
    assert ucci.said(f"setoption bookfiles {many}") == ["info message book: only the first 16 files are used"]
    assert len(ucci.said("setoption usebook true")) == 16
    assert ucci.said("setoption usebook true") == []


def test_a_book_that_changes_is_opened_again(ucci: ProgramHost, tmp_path: Path) -> None:
    book = write_choice(tmp_path / "BOOK.DAT", {"h2e2": 3})
    ucci.send(f"setoption bookfiles {book}", "position startpos")
    assert best(ucci) == "h2e2"
    write_choice(book, {"c3c4": 3, "g3g4": 0})
    ucci.play("""
        > go depth 1
        < info message book 'BOOK.DAT': the file has changed; it is opened again
        < info message book 'BOOK.DAT': c3c4, weight 3 of 3
        < bestmove c3c4
    """)
    os.truncate(book, 9)
    ucci.play(f"""
        > go depth 1
        < info message book 'BOOK.DAT': 9 bytes are not a whole number of records of 8 bytes; it is not used
        < {SEARCHED}
        ~ bestmove *
        > go depth 1
        < {SEARCHED}
        ~ bestmove *
    """)


def test_a_damaged_part_of_a_book_is_one_warning(ucci: ProgramHost, tmp_path: Path) -> None:
    book = tmp_path / "book.obk"
    writer = new_book(str(book))
    position = Position()
    for _ in range(300):
        moves = position.legal_moves()
        if not moves:
            break
        writer.add(position, [BookMove(move, 5) for move in moves[:3]])
        position.push(moves[0])
    writer.finish()
    content = bytearray(book.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)  # all pages but the first, which has the names of the tables
    book.write_bytes(content)
    ucci.play(f"""
        > setoption bookfiles {book}
        > position startpos
        > go depth 1
        < info message book 'book.obk': *; it is no longer used
        < {SEARCHED}
        ~ bestmove *
        > go depth 1
        < {SEARCHED}
        ~ bestmove *
    """)
