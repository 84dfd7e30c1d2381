"""The command line: each command, its help, and what wrong input gets."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "sanqi"]
COMMANDS = ("ucci", "uci", "bench", "perft", "eval", "match", "play")

BENCH_SIGNATURES = {"xiangqi": 1307993, "gomoku": 818952}
"""Nodes of `sanqi bench xiangqi`. It changes only when the tree is meant to change."""


def sanqi(folder: Path, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and check its exit status."""
    done = subprocess.run(
        [*PROGRAM, *arguments], capture_output=True, encoding="utf-8", cwd=folder, stdin=subprocess.DEVNULL, check=False
    )
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


def test_eval(tmp_path: Path) -> None:
    text = sanqi(tmp_path, "eval").stdout
    assert "Red" in text and "Black" in text
    assert text.splitlines()[-1].startswith("total ")


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
        (["bench"], "required: game"),
        (["bench", "chess"], "'chess'"),
        (["bench", "xiangqi", "--depth", "-1"], "expected a number from 1 to 127, got '-1'"),
        (["--nosuchoption"], "--nosuchoption"),
        (["ucci", "uci"], "uci"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(tmp_path: Path, arguments: list[str], complaint: str) -> None:
    done = sanqi(tmp_path, *arguments, status=2)
    assert done.stdout == ""
    assert complaint in done.stderr
    assert done.stderr.startswith("sanqi")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals between processes")
def test_ctrl_c_ends_a_long_count_at_once(tmp_path: Path) -> None:
    position = "4k4/9/9/p3p3p/9/9/P3P3P/9/9/4K4 w"  # few moves: the first of them is soon counted
    process = subprocess.Popen(
        [*PROGRAM, "perft", "11", "--divide", "--fen", position],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    assert b": " in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert process.stderr.read() == b""
    process.stdout.close()
    process.stderr.close()


def test_a_reader_that_leaves_early_is_no_fault(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [*PROGRAM, "perft", "1", "--divide"], stdout=writing, stderr=subprocess.PIPE, cwd=tmp_path
    )
    os.close(writing)
    assert process.communicate()[1] == b""
    assert process.returncode == 0
