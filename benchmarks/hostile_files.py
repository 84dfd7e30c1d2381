"""Reads files that were damaged on purpose, 4,000 of each format, and prints what is not an error of the reader's own
kind, takes over 5 s, or changes the file. Each input depends on the format, the seed and its number.

    .venv/bin/python benchmarks/hostile_files.py [--inputs N] [--seed N] [FORMAT ...]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from engine_client.specification import SpecificationError, read_engines
from engine_doctor.replay import ReplayError, read_log
from game_core.json_fields import FieldError
from game_core.record_formats import RecordError, RecordFormat
from game_review.review_files import read_document
from gomoku_protocol import records as gomoku_records
from gomoku_protocol.match_game import Gomoku
from junqi_protocol.records import records as junqi_records
from junqi_protocol.rules import lineup
from match_runner.openings import OpeningError, read_openings
from ucci_engine import records as xiangqi_records
from ucci_engine.book_files import new_book, open_book
from ucci_engine.book_maker import SearchLog
from ucci_engine.books import BookError, BookMove
from ucci_engine.points import START_FEN, parse_move
from ucci_engine.position import Position

SLOW_S = 5.0
NODES = 1000
LINEUP = "96317/5.3.5/81.37/B.2.4/6M2MB/4FM21"
PGN = """[Game "Chinese Chess"]
[Event "炮"]
[Result "1-0"]
[FEN "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"]

1. h2e2 {a note} h9g7 (1... b9c7 2. h0g2 (2. b0c2)) 2. h0g2 i9h9 3. R1=2 1-0
"""
SGF = b"(;FF[4]GM[4]SZ[15]RU[renju]PB[a \\] b]PW[x];B[hh]C[note];W[gh](;B[aa];W[bb])(;B[cc]))"
PSQ = b"Piskvorky 15x15, 11:11, 0\n8,8,1203\n9,9,846\n7,8,10\npbrain-one.exe\npbrain-two.exe\n-1\n"
LOG = b"# sanqi\n2026-01-31 12:00:00.000 > ucci\n2026-01-31 12:00:00.010 < ucciok\n2026-01-31 12:00:00.020 > quit\n"
TOML = b'[one]\ncmd = "one -x"\nproto = "uci"\noption = { Hash = 64, "Use NNUE" = false }\n[two]\ncmd = "two"\n'
SCRAPS = (
    b"(", b")", b"[", b"]", b"{", b"}", b"\\", b'"', b";", b":", b",", b"/", b"\n", b"\r", b"\0", b"\xff", b"-1", b"0",
    b"9" * 20, b"1e999", b"NaN", b"null", b"(;", b"[]", b"{}", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf",
    b"a" * 300,
)  # fmt: skip

Read = Callable[[Path], object]


def mutated(samples: list[bytes], chance: random.Random) -> bytes:
    """A sample after one to six changes."""
    data = bytearray(chance.choice(samples))
    for _ in range(chance.randint(1, 6)):
        at, size = chance.randint(0, len(data)), min(chance.randint(1, 40), len(data))
        match chance.randint(0, 6):
            case 0 if data:
                data[chance.randrange(len(data))] ^= 1 << chance.randint(0, 7)
            case 1 if data:
                data[chance.randrange(len(data))] = chance.randint(0, 255)
            case 2:
                del data[at : at + size]
            case 3:
                data[at:at] = data[at : at + size] * chance.randint(1, 50)
            case 4:
                data[at:at] = chance.choice(SCRAPS)
            case 5:
                del data[at:]
            case _:
                other = chance.choice(samples)
                data[at:] = other[chance.randint(0, len(other)) :]
    return bytes(data)


def read_records(form: RecordFormat, file: Path) -> None:
    """Read all games, and write those that can be read."""
    games = form.read(file.read_bytes())
    refused: RecordError | None = None
    for _ in range(100):
        try:
            game = next(games)
            if form.write is not None:
                form.write([game])
        except StopIteration:
            break
        except RecordError as error:
            refused = error
    if refused is not None:
        raise refused


def read_book(file: Path) -> None:
    """Look a position up, and merge the book into books of two kinds."""
    from ucci_engine.book_merge import merge

    for suffix in (".tsv", ".obk"):
        book = open_book(str(file))
        target = file.with_name(f"target{suffix}")
        try:
            book.moves(Position())
            merge([book], str(target), 3)
        finally:
            book.close()
            target.unlink(missing_ok=True)


def read_searches(file: Path) -> None:
    SearchLog(str(file), NODES, resumed=True).__exit__()


def book_samples(suffix: str, folder: Path) -> list[bytes]:
    path = folder / f"sample{suffix}"
    writer = new_book(str(path))
    position = Position()
    for move in ("h2e2", "h9g7", "h0g2", "i9h9"):
        number = parse_move(move)
        writer.add(position, [BookMove(number, 7, "note")])
        position.push(number)
    writer.finish()
    return [path.read_bytes()]


def cbr_sample() -> bytes:
    data = bytearray(2214)
    data[:16] = b"CCBridge Record\0"
    data[2112], data[2116] = 2, 1
    at = 2120
    for letter in Position(START_FEN).fen().split()[0].replace("/", ""):
        if letter.isdecimal():
            at += int(letter)
        else:
            data[at] = ("RNBAKCP".index(letter.upper()) + 1) | (0x20 if letter.islower() else 0x10)
            at += 1
    return bytes(data) + bytes.fromhex("00000000 00004643 01000718")


def formats(folder: Path) -> Iterator[tuple[str, str, list[bytes], Read, tuple[type[Exception], ...]]]:
    """Name, suffix, samples, reader, and the errors that it may raise."""
    by_name = {
        form.name: form for module in (xiangqi_records, gomoku_records, junqi_records) for form in module.RECORD_FORMATS
    }
    games = list(by_name["pgn"].read(PGN.encode()))
    junqi = [path.read_bytes() for path in sorted((Path(__file__).parent.parent / "tests/data").glob("*.jgr"))]
    samples = {
        "pgn": [PGN.encode(), PGN.encode("gb18030"), PGN.encode() * 3],
        "cbr": [cbr_sample()],
        "cbl": [b"CCBridgeLibrary\0".ljust(101_952, b"\0") + cbr_sample()],
        "sgf": [SGF],
        "psq": [PSQ],
        "hex": [b"881 782 981 111\n"],
        "jgr": junqi,
    }
    for form in by_name.values():
        if form.name not in samples:
            assert form.write is not None, f"{form.name} needs a sample"
            samples[form.name] = [form.write(games)]
        read = lambda file, form=form: read_records(form, file)  # noqa: E731
        yield form.name, form.suffixes[0], samples[form.name], read, (RecordError,)
    for suffix in (".dat", ".obk", ".pfBook"):
        yield suffix[1:], suffix, book_samples(suffix, folder), read_book, (BookError,)
    moves = "h2e2 10 b2e2 5"
    place = f"{START_FEN.split()[0]} w"
    searches = f"sanqi book searches: {NODES} nodes, 4 moves\n{place}: {moves}\n".encode()
    yield "searches", ".searches", [searches], read_searches, (BookError,)
    document = {"version": 1, "settings": {}, "games": [{"source": "a", "number": 1, "plies": [{"ply": 1}]}]}
    yield "review", ".json", [json.dumps(document).encode()], lambda file: read_document(str(file)), (FieldError,)
    lineups = [f"{LINEUP}\n# other\n{LINEUP}\n".encode()]
    yield "lineups", ".txt", lineups, lineup.from_file, (lineup.LineupError,)
    yield "jql", ".jql", [lineup.to_jql(lineup.parse(LINEUP))], lineup.from_file, (lineup.LineupError,)
    yield "engines", ".toml", [TOML], read_engines, (SpecificationError,)
    gomoku = Gomoku(15, 15, 0)
    openings = [b"0,0 1,-2 3,3\n# note\n1,1, 2,2\n"]
    yield "openings", ".txt", openings, lambda file: read_openings(file, gomoku), (OpeningError,)
    yield "log", ".log", [LOG], read_log, (ReplayError,)


def findings(
    name: str, suffix: str, samples: list[bytes], read: Read, errors: tuple[type[Exception], ...], count: int, seed: int
) -> int:
    """Read `count` inputs of a format. Returns the number of findings, each of which is printed."""
    found = refused = 0
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"input{suffix}")
        for number in range(count):
            data = mutated(samples, random.Random(f"{name} {seed} {number}"))
            file.write_bytes(data)
            began = time.process_time()
            fault = ""
            try:
                read(file)
            except errors:
                refused += 1
            except Exception:  # noqa: BLE001 - this is what the program looks for
                fault = traceback.format_exc()
            spent = time.process_time() - began
            slowest = max(slowest, spent)
            if name != "searches" and file.read_bytes() != data:
                fault = "the file was changed"
            if os.listdir(folder) != [file.name]:
                fault = f"files were left: {os.listdir(folder)}"
            if fault or spent > SLOW_S:
                found += 1
                print(f"{name}, seed {seed}, input {number}: {fault or f'{spent:.1f} s'}", flush=True)
                for other in set(os.listdir(folder)) - {file.name}:
                    os.unlink(Path(folder, other))
    print(f"{name}: {count} inputs, {refused} refused, slowest {1000 * slowest:.0f} ms, {found} findings", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="only these (default: all)")
    parser.add_argument("--inputs", type=int, default=4000, metavar="N", help="of each format (default 4000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    args = parser.parse_args()
    sqlite3.enable_callback_tracebacks(True)
    with tempfile.TemporaryDirectory() as folder:
        total = sum(
            findings(*each, args.inputs, args.seed)
            for each in formats(Path(folder))
            if not args.formats or each[0] in args.formats
        )
    print(f"{total} findings")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
