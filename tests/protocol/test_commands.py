"""The command line: each command, its help, and its answer to wrong input."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import in_process
from ucci_engine.points import START_FEN

PROGRAM = [sys.executable, "-m", "sanqi"]
STREAM_COMMANDS = (
    "perft 2", "eval", "setup xboard", "--help", "--version", "play xiangqi", "analyse --fen startpos --nodes 9",
    "uci", "",
)  # a command line, many words a line  # fmt: skip
"""The last two are protocols."""
CLIENTS = ("referee", "--variant", "duel", "--seats", "0", "tcp", "--seats", "1", "tcp")
COMMANDS = ("ucci", "uci", "bench", "perft", "eval", "match", "play")

BENCH_SIGNATURES = {"xiangqi": 1095762, "gomoku": 438299}
"""Nodes of `sanqi bench xiangqi`. It changes only when the tree is meant to change."""


def sanqi(folder: Path, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and check its exit status."""
    done = in_process.sanqi(*arguments, cwd=folder)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_has_an_example(tmp_path: Path, command: tuple[str, ...]) -> None:
    text = sanqi(tmp_path, *command, "--help").stdout
    assert "example" in text
    assert f"usage: {' '.join(('sanqi', *command))}" in text


def test_version(tmp_path: Path) -> None:
    assert sanqi(tmp_path, "--version").stdout.startswith("sanqi ")


def test_perft(tmp_path: Path) -> None:
    assert sanqi(tmp_path, "perft", "3").stdout == "79666\n"
    lines = sanqi(tmp_path, "perft", "2", "--divide").stdout.splitlines()
    assert len(lines) == 45
    assert lines[-1] == "total: 1920"
    assert any(line.startswith("h2e2: ") for line in lines)


def test_perft_of_a_position(tmp_path: Path) -> None:
    assert sanqi(tmp_path, "perft", "1", "--fen", "4k4/9/9/9/9/9/9/9/R8/3K5 b").stdout == "2\n"


@pytest.mark.parametrize(
    "position", ["startpos moves h2e2", f"{START_FEN} moves h2e2", f"position fen {START_FEN} moves h2e2"]
)
def test_a_position_as_hosts_write_it(tmp_path: Path, position: str) -> None:
    after = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1"
    for command in (["eval"], ["perft", "2"]):
        finished = sanqi(tmp_path, *command, "--fen", position)
        assert finished.stdout and finished.stdout == sanqi(tmp_path, *command, "--fen", after).stdout


def test_eval(tmp_path: Path) -> None:
    text = sanqi(tmp_path, "eval").stdout
    assert "Red" in text and "Black" in text
    assert text.splitlines()[-1].startswith("total ")


def test_eval_as_json(tmp_path: Path) -> None:
    found = json.loads(sanqi(tmp_path, "eval", "--json", "--fen", "startpos moves h2e2").stdout)
    assert list(found) == ["fen", "toMove", "perspective", "scoreCp", "netCp", "phase", "terms"]
    assert (found["toMove"], found["perspective"], found["phase"]) == ("black", "sideToMove", 48)
    text = sanqi(tmp_path, "eval", "--fen", found["fen"]).stdout
    assert f"total {found['scoreCp']:+} centipawns" in text
    assert f"net   {found['netCp']:+}, at full strength" in text
    for term in found["terms"]:
        assert list(term) == ["name", "red", "black"] and list(term["red"]) == list(term["black"]) == ["mg", "eg"]
        assert any(line.split() == row for line in text.splitlines() for row in [_row(term)]), term


def _row(term: dict[str, Any]) -> list[str]:
    """The line of a term in the table."""
    red, black = term["red"], term["black"]
    numbers = (red["mg"], red["eg"], black["mg"], black["eg"], red["mg"] - black["mg"], red["eg"] - black["eg"])
    return [*term["name"].split(), *map(str, numbers)]


def test_bench(tmp_path: Path) -> None:
    once, again = (sanqi(tmp_path, "bench", "xiangqi", "--depth", "4").stdout.splitlines() for _ in range(2))
    assert [line.split()[0] for line in once[-5:]] == ["depth", "time", "nodes", "nodes/s", "signature"]
    assert [line for line in once if "nodes  " in line] == [line for line in again if "nodes  " in line]
    assert once[-1] == again[-1]


@pytest.mark.parametrize(("game", "signature"), BENCH_SIGNATURES.items())
def test_bench_signature(tmp_path: Path, game: str, signature: int) -> None:
    assert sanqi(tmp_path, "bench", game).stdout.splitlines()[-1] == f"signature {signature}"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nonsense"], "'nonsense'"),
        (["perft"], "required: N"),
        (["perft", "many"], "expected a number from 1 to 20, got 'many'"),
        (["perft", "0"], "expected a number from 1 to 20, got '0'"),
        (["perft", "2", "--fen", "nonsense"], "nonsense"),
        (["eval", "--fen", "9/9 w"], "--fen"),
        (["eval", "--fen", "4k4/9/9/9/9/9/9/9/9/4K4 b"], "--fen: the game is over: e9e0 takes the king"),
        (["perft", "2", "--fen", "3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1 moves e0e2"], "--fen: move 1: 'e0e2' is not legal"),
        (["perft", "2", "--fen", "3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1 garbage"], "'garbage' behind its counters"),
        (["perft", "2", "--fen", "fen"], "--fen: empty FEN"),
        (["perft", "2", "--fen", "startpos h2e2"], "--fen: expected 'moves' after startpos, got 'h2e2'"),
        (["eval", "--fen", "3k5/9/9/9/9/9/9/9/9/4K4 w move e0e1"], "'move' where - or a counter is expected"),
        (["eval", "--fen", "position startpos moves h2e2 up"], "--fen: move 2: 'up' is not a move"),
        (["perft", "9" * 5000], "expected a number from 1 to 20, got '9999"),
        (["perft", "1_0"], "expected a number from 1 to 20, got '1_0'"),
        (["x" * 5000 + "\x1b[31m"], "unknown command 'xxxx"),
        (["perft", "2", "\x1b[31m" * 5000], "unexpected argument '\\x1b[31m"),
        (["junqi", "--connect", "localhost:" + "9" * 5000], "--connect 'localhost:9999"),
        (["junqi-udp", "--team", "even", "--gui", "localhost:" + "9" * 5000], "--gui 'localhost:9999"),
        ([*CLIENTS, "--listen", "h:" + "9" * 5000], "--listen 'h:9999"),
        (["referee", "--games", "9" * 5000], "expected a number from 1 to 1073741824, got '9999"),
        (["match", "--games", "9" * 5000], "'9999"),
        (["match", "--size", "9" * 5000], "'9999"),
        (["junqi-record", "show", "x.jgr", "--ply", "9" * 4000], "'9999"),
        (["bench"], "required: game"),
        (["bench", "chess"], "'chess'"),
        (["bench", "xiangqi", "--depth", "-1"], "expected a number from 1 to 127, got '-1'"),
        (["--nosuchoption"], "--nosuchoption"),
        (["ucci", "uci"], "uci"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(tmp_path: Path, arguments: list[str], complaint: str) -> None:
    done = in_process.run_here(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert done.stderr.startswith("sanqi")
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 600 and done.stderr.strip().isprintable()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals between processes")
def test_ctrl_c_ends_a_long_count_at_once(tmp_path: Path) -> None:
    position = "4k4/9/9/p3p3p/9/9/P3P3P/9/9/4K4 w"  # few moves: the first of them is soon counted
    process = subprocess.Popen(
        [*PROGRAM, "perft", "11", "--divide", "--fen", position],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert process.stdout is not None and process.stderr is not None
    assert b": " in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert process.stderr.read() == b""
    process.stdout.close()
    process.stderr.close()


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the streams")
@pytest.mark.parametrize(
    ("command", "streams", "status", "complaint"),
    [
        *((command, ">&-", 2, "closed|must be open") for command in STREAM_COMMANDS),
        *((command, ">/dev/full", 2, "standard output: No space left") for command in STREAM_COMMANDS),
        *((command, "2>&-", 0, "") for command in STREAM_COMMANDS),
        *((command, "<&-", 0, "") for command in STREAM_COMMANDS[:-2]),
        *((command, "<&-", 2, "must be open") for command in STREAM_COMMANDS[-2:]),
        ("convert - out.sgf --from hex", "<&-", 2, "the standard input is closed"),
        ("perft 2", "<&- >&- 2>&-", 2, ""),
        *((command, ">/dev/full # unbuffered", 2, "standard output: No space left") for command in STREAM_COMMANDS[:4]),
    ],
)
def test_closed_and_full_streams(tmp_path: Path, command: str, streams: str, status: int, complaint: str) -> None:
    if "/dev/full" in streams and not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full, a disk that is always full")
    line = f"{shlex.join(PROGRAM)} {command} {streams}"
    said = "uci\nquit\n" if command in ("uci", "") else ""
    done = subprocess.run(
        ["sh", "-c", line],
        input=said,
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": "1" if "unbuffered" in streams else ""},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (status, 1 if complaint else 0), done.stderr
    assert re.search(complaint, done.stderr), done.stderr


def test_a_reader_that_closes_early_is_no_error(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [*PROGRAM, "perft", "1", "--divide"], stdout=writing, stderr=subprocess.PIPE, cwd=tmp_path
    )
    os.close(writing)
    assert process.communicate()[1] == b""
    assert process.returncode == 0
