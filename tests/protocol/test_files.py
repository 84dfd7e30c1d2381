"""The files around the engine: a full disk leaves the old file or none, and what is read has limits."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ucci_engine
from ucci_engine.pgn import read_games

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits on files and memory")

DATA = Path(__file__).resolve().parents[1] / "data"
BOOK = Path(ucci_engine.__file__).parent / "data" / "book.dat"
LINEUP = "96317/5.3.5/81.37/B.2.4/6M2MB/4FM21"
PGN = '[Game "Chinese Chess"]\n\n1. h2e2 h9g7 2. h0g2 i9h9 *\n\n'
PSQ = "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n7,8,0\n-1\n"
ENGINE = f"{sys.executable} -m sanqi"
HELPERS = Path(__file__).resolve().parents[1] / "helpers"
QUICK = {
    "xiangqi": f"{sys.executable} {HELPERS / 'fake_engine.py'} random",
    "gomoku": f"{sys.executable} {HELPERS / 'fake_gomocup_engine.py'} random",
    "junqi": f"{sys.executable} {HELPERS / 'fake_junqi_engine.py'} plain",
}
"""Engines that start fast."""


def match_of(game: str) -> list[str]:
    engines = [word for name in "ab" for word in ("--engine", f'name={name} cmd="{QUICK[game]}"')]
    return ["match", *engines, "--game", game, "--movetime", "5"]


MATCH = ("match", "--engine", "name=a cmd=a", "--engine", "name=b cmd=b", "--games", "2", "--movetime", "10")

CHILD = """
import json, resource, sys
limit, size, calls = json.loads(sys.argv[1])
if limit:
    resource.setrlimit(getattr(resource, limit), (size, size))
from sanqi.cli import run
for arguments in calls:
    try:
        status = run(arguments)
    except SystemExit as end:
        status = end.code
    print("status", status, file=sys.stderr, flush=True)
"""
"""Calls of the program, one after the other, under a limit of the system."""

WRITERS = {
    "convert": (["convert", "games.pgn", "new.pgn"], 500),
    "convert to a record": (["convert", "game.psq", "new.sgf"], 10),
    "explain": (["junqi-record", "explain", "game.jgr", "--ply", "4", "--output", "old.html"], 500),
    "show": (["junqi-record", "show", "game.jgr", "--svg", "old.html"], 500),
    "book as text": (["book", "merge", "book.dat", "new.tsv", "--plies", "3"], 2000),
    "book as a database": (["book", "merge", "book.dat", "new.obk", "--plies", "3"], 10_000),
    "book as records": (["book", "merge", "book.dat", "new.dat"], 2000),
    "made book": (["book", "make", "old.obk", "--positions", "1", "--nodes", "100", "--resume"], 2000),
    "review": (["review", "game.psq", "--nodes", "10", "--json", "new.json"], 500),
    "page": (["review", "game.psq", "--nodes", "10", "--html", "new.html"], 500),
    "openings": (["openings", "xiangqi", "--count", "1", "--out", "new.txt"], 10),
    "log of the doctor": (
        ["doctor", "--engine", ENGINE, "--host", "piskvork", "--log", "old.log"],
        10,
    ),
}
"""What is written, and at most how many bytes of it the disk has room for."""

READERS = {
    "convert": ["convert", "FILE.pgn", "new.pgn"],
    "review": ["review", "FILE.sgf"],
    "review of another": ["review", "game.psq", "--nodes", "10", "--json", "FILE.json", "--resume"],
    "verify": ["junqi-record", "verify", "FILE.jgr"],
    "show": ["junqi-record", "show", "FILE.jgr"],
    "replay": ["junqi-record", "replay", "FILE.jgr"],
    "explain": ["junqi-record", "explain", "FILE.jgr", "--ply", "1"],
    "log": ["replay", "FILE.log"],
    "openings": [*MATCH, "--openings", "FILE.txt"],
    "engines": [*MATCH, "--engines", "FILE.toml"],
    "match": [*MATCH, "--resume", "--out", "FILE.jsonl"],
    "lineups": ["referee", "--lineups", "FILE.txt"],
    "searches": ["book", "make", "book.obk", "--positions", "1", "--nodes", "100", "--resume"],
    "book": ["book", "show", "FILE.obk"],
    "game to go on with": ["play", "xiangqi", "--resume", "FILE.pgn"],
    "game of Junqi to go on with": ["play", "junqi", "--resume", "FILE.jgr"],
    "game of Gomoku to go on with": ["play", "gomoku", "--resume", "FILE.psq"],
}


def sanqi(folder: Path, limit: str, size: int, *calls: list[str], typed: str = "") -> tuple[str, list[list[str]]]:
    """What the calls print, and for each what it says on the standard error, its status last. `limit` "": none."""
    run = subprocess.run(
        [sys.executable, "-c", CHILD, json.dumps([limit, size, calls])],
        cwd=folder, capture_output=True, text=True, input=typed, timeout=300,
    )  # fmt: skip
    said: list[list[str]] = [[]]
    for line in run.stderr.splitlines():
        said[-1].append(line)
        if line.startswith("status "):
            said.append([])
    assert run.returncode == 0, run.stderr
    assert len(said) == len(calls) + 1, run.stderr
    return run.stdout, said[:-1]


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in os.listdir(folder)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path = tmp_path / "work"
    tmp_path.mkdir()
    (tmp_path / "games.pgn").write_text(PGN * 20)
    (tmp_path / "game.psq").write_text(PSQ)
    (tmp_path / "old.html").write_text("old")
    (tmp_path / "old.obk").write_text("old")
    (tmp_path / "old.log").write_text("# sanqi doctor")
    shutil.copy(DATA / "duel.jgr", tmp_path / "game.jgr")
    shutil.copy(BOOK, tmp_path / "book.dat")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["junqi-record", "show", "game.jgr", "--svg", "game.jgr"], "it is the file to write, too"),
        (["junqi-record", "explain", "game.jgr", "--ply", "4", "--output", "game.jgr"], "it is the file to write, too"),
        (["doctor", "--engine", ENGINE, "--host", "piskvork", "--log", "old.html"], "is no log of sanqi doctor"),
        (
            ["book", "make", "book.dat", "--positions", "1", "--nodes", "100", "--resume"],
            "'book.dat': the file exists already",
        ),
    ],
)
def test_a_file_of_another_kind_is_not_replaced(arguments: list[str], complaint: str, folder: Path) -> None:
    before = contents(folder)
    _, [said] = sanqi(folder, "", 0, arguments)
    assert said[-1] == "status 2" and any(complaint in line for line in said), said
    assert contents(folder) == before


def test_the_log_of_the_doctor_may_be_a_device(folder: Path) -> None:
    _, [said] = sanqi(folder, "", 0, ["doctor", "--engine", ENGINE, "--host", "piskvork", "--log", os.devnull])
    assert said[-1] in ("status 0", "status 1"), said


@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_leaves_the_old_file_or_none(writer: str, folder: Path) -> None:
    arguments, size = WRITERS[writer]
    before = contents(folder)
    (folder / "old.obk.searches").touch()  # by which the old book is known as one of ours
    _, [said] = sanqi(folder, "RLIMIT_FSIZE", size, arguments)
    *errors, status = said
    assert status == "status 2", said
    target = next(word for word in arguments[::-1] if word.startswith(("new.", "old.")))
    assert any(target in line for line in errors), errors
    after = contents(folder)
    after.pop("old.obk.searches", None)  # to go on with
    assert after == before


def test_a_lineup_that_does_not_fit_is_not_left(folder: Path) -> None:
    dialogue = """
import random, resource
from rich.console import Console
from junqi_protocol.referee.lineup_dialogue import choose
from junqi_protocol.rules.lineup import sound_lineup
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
choose(iter(["save new.jql", None]).__next__, Console(width=200), lambda: sound_lineup(random.Random(1)))
"""
    before = contents(folder)
    run = subprocess.run([sys.executable, "-c", dialogue], cwd=folder, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert "new.jql: File too large" in run.stdout
    assert contents(folder) == before


def test_a_match_on_a_full_disk_keeps_whole_games_and_resumes(folder: Path) -> None:
    """Games and records are logs, which keep whole lines; the report is the old one or the new one."""
    out, pgn, report = (folder / name for name in ("games.jsonl", "played.pgn", "report.html"))
    options = ["--out", out.name, "--records", pgn.name, "--report", report.name, "--max-plies", "12", "--games", "12"]
    _, [[*errors, status]] = sanqi(folder, "RLIMIT_FSIZE", 5000, [*match_of("xiangqi"), *options])
    assert status == "status 1"
    assert re.fullmatch(r"sanqi match: games.jsonl: File too large; stopped after \d+ games", errors[0])
    assert errors[1:] == ["sanqi match: --report report.html: File too large"]
    begun = pgn.read_text()
    played = list(read_games(begun))
    assert 1 <= len(played) < 12
    assert len([line for line in map(json.loads, out.read_text().splitlines()) if "game" in line]) == len(played)
    assert not report.exists()

    resume = ["match", "--resume", out.name]
    _, [[status]] = sanqi(folder, "", 0, resume)
    assert status == "status 0"
    assert pgn.read_text().startswith(begun)
    numbers = [game.get("game") for game in map(json.loads, out.read_text().splitlines()[1:])]
    assert sorted(filter(None, numbers)) == list(range(1, 13))
    assert len(list(read_games(pgn.read_text()))) == 12

    # Once more, with no room for anything: all stays, also the records, which a resumed match has to write again.
    before = contents(folder)
    _, [[*errors, status]] = sanqi(folder, "RLIMIT_FSIZE", 10, resume)
    assert (errors, status) == (["sanqi match: --report report.html: File too large"], "status 1")
    assert contents(folder) == before


@pytest.mark.parametrize("game", ["gomoku", "junqi"])
def test_a_record_of_a_match_that_does_not_fit_is_not_left(game: str, folder: Path) -> None:
    options = ["--games", "2", "--max-plies", "12", "--records", "records"]
    _, [[*errors, status]] = sanqi(folder, "RLIMIT_FSIZE", 10, [*match_of(game), *options])
    suffix = {"gomoku": "psq", "junqi": "jgr"}[game]
    assert status == "status 1"
    assert errors == [f"sanqi match: records/game00001.{suffix}: File too large; stopped after 1 games"]
    assert os.listdir(folder / "records") == []


PLAYS = {
    "xiangqi": (["--movetime", "10"], "h2e2", "a3a4", "pgn"),
    "gomoku": (["--movetime", "10"], "h8", "a1", "sgf"),
    "junqi": (["--level", "random", "--variant", "duel", "--lineup", LINEUP], "pass", "pass", "jgr"),
}
"""For each game, options, two moves, and the format of its files."""


@pytest.mark.parametrize("game", PLAYS)
def test_a_game_of_a_person_that_cannot_be_saved_leaves_the_old_file(game: str, folder: Path) -> None:
    options, move, next_move, suffix = PLAYS[game]
    name = f"saved.{suffix}"
    play = ["play", game, *options]
    printed, [[status]] = sanqi(folder, "", 0, play, typed=f"{move}\nsave {name}\nquit\n")
    assert f"to {name}; go on with: " in printed
    before = contents(folder)
    # The resumed game is saved to its own file again, by name and when the person leaves.
    typed = f"{next_move}\nsave {name}\nsave new.{suffix}\nquit\nquit\n"
    printed, [[status]] = sanqi(folder, "RLIMIT_FSIZE", 50, ["play", game, "--resume", name], typed=typed)
    assert status == "status 0"
    assert printed.count(f"'{name}' cannot be written: File too large") == 3
    assert f"'new.{suffix}' cannot be written: File too large" in printed
    assert printed.count(f"the game is not saved: '{name}' cannot be written: File too large") == 2
    assert "'quit' again leaves without saving" in printed
    assert contents(folder) == before


@pytest.mark.parametrize("game", PLAYS)
def test_a_game_that_is_interrupted_and_cannot_be_saved_leaves_no_file(game: str, folder: Path) -> None:
    options, move, _, suffix = PLAYS[game]
    before = contents(folder)
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, json.dumps(["RLIMIT_FSIZE", 50, [["play", game, *options]]])],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as child:  # fmt: skip
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None
        child.stdin.write(f"{move}\nnonsense\n".encode())
        child.stdin.flush()
        while b"nonsense" not in child.stdout.readline():
            pass
        child.send_signal(signal.SIGINT)
        printed, errors = child.stdout.read().decode(), child.stderr.read().decode()
    assert errors == "status 130\n"
    assert f"the game is not saved: 'sanqi-{game}-1.{suffix}' cannot be written: File too large" in printed
    assert contents(folder) == before


@pytest.mark.parametrize("reader", READERS)
def test_what_is_read_has_limits(reader: str, folder: Path) -> None:
    """A device, a folder, a file without sense that was cut off, and a huge one."""
    (folder / "folder").mkdir()
    (folder / "cut").write_bytes(b"\x01\x02[(;{\n\n[x")
    with (folder / "huge").open("wb") as file:
        file.truncate((4 << 30) + 1)  # no whole number of the records of a book
    calls = []
    pattern = "book.obk.searches" if reader == "searches" else next(w for w in READERS[reader] if w.startswith("FILE"))
    for source in ("/dev/zero", "folder", "cut", "huge"):
        name = pattern if reader == "searches" else f"{Path(source).name}-{pattern}"
        call = [name if word == pattern else word for word in READERS[reader]]
        if reader == "searches":
            call[2] = f"{Path(source).name}.obk"
            name = f"{call[2]}.searches"
        (folder / name).symlink_to(source)
        calls.append(call)
    printed, said = sanqi(folder, "RLIMIT_AS", 2 << 30, *calls)
    for call, (*errors, status) in zip(calls, said):
        assert status in ("status 1", "status 2"), (call, errors)
        assert len(errors) <= 1 or call[0] in ("match", "book"), (call, errors)
        assert "Traceback" not in printed + "".join(errors)


@pytest.mark.skipif(sys.platform != "linux", reason="the largest amount of memory is read from /proc")
@pytest.mark.parametrize("suffix", ["sgf", "xqf", "pgn", "psq", "hex", "jgr"])
def test_memory_does_not_follow_what_is_in_a_file(suffix: str, folder: Path) -> None:
    xqf = bytearray(0x400)
    xqf[:3] = b"XQ\x0a"
    squares = "0 10 20 30 40 50 60 70 80 12 72 3 23 43 63 83 89 79 69 59 49 39 29 19 9 77 17 86 66 46 26 6"
    xqf[0x10:0x30] = bytes(map(int, squares.split()))
    moves = "0000f000 00000000 1821f000 00000000 2128f000 00000000 1920f000 00000000 2029f000 00000000"
    start, *steps = (bytes.fromhex(moves)[at : at + 8] for at in range(0, 40, 8))
    content = {
        "sgf": b"(;GM[4]" + b"C[]" * 600_000 + b")",
        "xqf": bytes(xqf) + start + b"".join(steps) * 30_000,
        "pgn": PGN.encode().replace(b"*", b"a0a1 a9a8 a1a0 a8a9 " * 30_000 + b"*"),
        "psq": PSQ.encode() + b"x\n" * 1_000_000,
        "hex": b"11 " * 1_000_000,
        "jgr": b"record 1\n" + b"#\n" * 1_000_000,
    }[suffix]
    (folder / f"big.{suffix}").write_bytes(content)
    child = CHILD + "print(*(line for line in open('/proc/self/status') if line.startswith('VmHWM:')))"
    calls = [["convert", f"big.{suffix}", f"new.{suffix}"]]
    run = subprocess.run(
        [sys.executable, "-c", child, json.dumps(["RLIMIT_AS", 4 << 30, calls])],
        cwd=folder, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    error, status = run.stderr.splitlines()
    assert status == "status 2"
    assert f"big.{suffix}" in error
    assert 1024 * int(run.stdout.split()[1]) < 20 * len(content) + 100_000_000
