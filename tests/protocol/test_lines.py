"""Rules of every protocol: detection, strange bytes, signals, pipes, the log."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.protocol.conftest import HostMaker, ProgramHost

PROGRAM = [sys.executable, "-m", "sanqi"]
PROTOCOLS = [("ucci", "ucciok", "info message "), ("uci", "uciok", "info string ")]

EXPECTED = "'ucci', 'uci', 'START n' or 'junqi 1'"


def begin(host: ProgramHost, protocol: str) -> ProgramHost:
    host.send(protocol)
    host.until(f"{protocol}ok")
    return host


# Detection by the first line


@pytest.mark.parametrize(
    ("first", "answer"), [("ucci", "ucciok"), ("UCI", "uciok"), ("\ufeffuci", "uciok"), (" ucci ", "ucciok")]
)
def test_the_first_line_decides_the_protocol(start: HostMaker, first: str, answer: str) -> None:
    host = start()
    host.send("", "# a comment", "   ", first)
    host.until(answer)


@pytest.mark.parametrize("first", ["position startpos", "START15", "junqi2 1", "isready", "炮二平五"])
def test_any_other_first_line_gets_one_line_and_the_wait_goes_on(start: HostMaker, first: str) -> None:
    start().play(f"""
        > {first}
        < error: '*' is not the first line of a known protocol, expected {EXPECTED}; still waiting
        > uci
        < id name sanqi *
        ~ uciok
    """)


@pytest.mark.parametrize("words", [["quit"], ["#", "", "exit"], []])
def test_leaving_before_any_protocol(start: HostMaker, words: list[str]) -> None:
    host = start()
    host.send(*words)
    host.end_input()
    host.over()


def test_comments_and_blanks_are_skipped(ucci: ProgramHost) -> None:
    ucci.play("""
        > # stop
        >
        > isready
        < readyok
    """)


# Bytes


@pytest.mark.parametrize(("protocol", "ready", "remark"), PROTOCOLS)
def test_strange_bytes_do_no_harm(start: HostMaker, protocol: str, ready: str, remark: str) -> None:
    host = begin(start(), protocol)
    for data in (
        b"\x00\xff\xfe\x01\n",
        b"position fen \xc5\xda\xb6\xfe\xc6\xbd\xce\xe5\n",  # GBK
        bytes(range(256)) + b"\n",
        b"x" * 1_000_000 + b"\n",
        b"position startpos moves " + b"h2e2 " * 200_000 + b"\n",
        b"setoption name Hash value " + b"9" * 1_000_000 + b"\n",
        b"go depth " + b"9" * 10_000 + b"\n",
        b"\r\n\r\r\n",
    ):
        host.write(data)
        host.send("stop", "setoption name Hash value 1", "isready")  # so the table stays small
        host.until("readyok")
    host.write(b"position startpos\r\nisready\r\n")
    host.until("readyok")
    told = [line for line in host.transcript if line.startswith("< info") and " score " not in line]
    assert told and all(line.startswith(f"< {remark}") for line in told)
    host.send("stop", "position startpos", "go depth 2")
    host.until("bestmove *")


def test_gbk_and_utf_8_name_the_same_option_value(ucci: ProgramHost, tmp_path: Path) -> None:
    for encoding in ("utf-8", "gbk"):
        name = f"日志 {encoding}.txt"
        ucci.write(f"setoption debuglogfile {tmp_path / name}\n".encode(encoding))
        ucci.play("> isready\n< readyok")
        assert "readyok" in (tmp_path / name).read_text(encoding="utf-8")


def test_a_last_line_without_its_end_is_obeyed(ucci: ProgramHost) -> None:
    ucci.write(b"isready")
    ucci.end_input()
    ucci.play("< readyok\n| bye")


# Signals and pipes


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals between processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("protocol", ["ucci", "uci"])
def test_signals_end_a_search_and_the_program(start: HostMaker, protocol: str, number: signal.Signals) -> None:
    host = begin(start(), protocol)
    host.play("> position startpos\n> go infinite\n~ info depth *")
    host.process.send_signal(number)
    host.until("bestmove *")
    if protocol == "ucci":
        host.play("< bye")
    host.over()


def interrupt(host: ProgramHost, number: signal.Signals) -> None:
    """End the idle program. A signal right before it begins to read waits for the next line, so it comes again."""
    while host.process.poll() is None:
        host.process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            host.process.wait(1)
    host.over()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals between processes")
def test_signals_end_the_idle_program(uci: ProgramHost) -> None:
    uci.play("> isready\n< readyok")
    interrupt(uci, signal.SIGTERM)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals between processes")
def test_what_began_under_nohup_outlives_its_terminal(start: HostMaker) -> None:
    ignored = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        host = begin(start(), "uci")
    finally:
        signal.signal(signal.SIGHUP, ignored)
    host.process.send_signal(signal.SIGHUP)
    host.play("> isready\n< readyok\n> quit")
    host.over()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals between processes")
def test_ctrl_c_before_the_first_line(start: HostMaker) -> None:
    host = start()
    host.play("> hello\n< error: *")
    interrupt(host, signal.SIGINT)


def test_a_host_that_reads_no_more_ends_the_program_quietly(tmp_path: Path) -> None:
    for first in ("uci", "ucci"):
        process = subprocess.Popen(
            PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
        )
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write(f"{first}\nposition startpos\ngo infinite\n".encode())
        process.stdin.flush()
        while not process.stdout.readline().startswith(b"info depth"):
            pass
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""
        process.stdin.close()
        process.stderr.close()


# The log


ROW = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [<>] .*"


def test_log_of_both_directions_by_environment(start: HostMaker, tmp_path: Path) -> None:
    path = tmp_path / "with blanks 日志.txt"
    host = start(environment={"SANQI_LOG": str(path)})
    host.play("> hello\n< error*\n> ucci\n~ ucciok\n> isready\n< readyok\n> quit\n| bye")
    rows = path.read_text(encoding="utf-8").splitlines()
    assert all(re.fullmatch(ROW, row) for row in rows)
    said = [row[24:] for row in rows]
    assert said[0] == "> hello"
    assert said[2] == "> ucci"
    assert said[-4:] == ["> isready", "< readyok", "> quit", "< bye"]


def test_log_by_option(uci: ProgramHost, tmp_path: Path) -> None:
    path = tmp_path / "log with blanks.txt"
    uci.play(f"""
        > setoption name Debug Log File value {path}
        > isready
        < readyok
        > d
        ~ result ongoing
        > setoption name Debug Log File value <empty>
        > isready
        < readyok
        > compiler
        < info string *
    """)
    said = [row[24:] for row in path.read_text(encoding="utf-8").splitlines()]
    assert "> d" in said and "< result ongoing" in said
    assert not [row for row in said if "compiler" in row]


def test_a_log_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    done = subprocess.run(
        PROGRAM,
        input=b"uci\nquit\n",
        capture_output=True,
        cwd=tmp_path,
        check=True,
        env={**os.environ, "SANQI_LOG": str(tmp_path / "no" / "log")},
    )
    assert b"uciok" in done.stdout
    assert done.stderr.decode().count("\n") == 1
    assert "SANQI_LOG" in done.stderr.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full, a disk that is always full")
def test_a_full_disk_ends_the_log_and_not_the_game(start: HostMaker) -> None:
    host = start(environment={"SANQI_LOG": "/dev/full"})
    host.play("> ucci\n~ ucciok\n> isready\n< readyok\n> quit\n| bye")
    assert host.warnings() == "sanqi: the log '/dev/full' cannot be written: No space left on device; logging stops\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes on Windows are always blocking")
def test_streams_may_be_set_to_non_blocking(tmp_path: Path) -> None:
    to_engine, from_host = os.pipe()
    to_host, from_engine = os.pipe()
    os.set_blocking(to_engine, False)
    os.set_blocking(from_engine, False)
    process = subprocess.Popen(PROGRAM, stdin=to_engine, stdout=from_engine, stderr=subprocess.PIPE, cwd=tmp_path)
    os.close(to_engine)
    os.close(from_engine)
    with open(from_host, "wb", buffering=0) as host, open(to_host, "rb") as engine:
        host.write(b"uci\nposition startpos\n" + b"d\n" * 1000)  # more than a pipe holds
        host.write(b"quit\n")
        assert engine.read().count(b"result ongoing\n") == 1000
    assert process.communicate()[1] == b""
    assert process.returncode == 0


# The start


HEAVY = ["argparse", "asyncio", "ctypes", "dataclasses", "inspect", "json", "logging", "subprocess", "typing"]
if sys.platform == "win32":
    HEAVY.remove("ctypes")  # needed from the start, to watch the host


@pytest.mark.parametrize("protocol", ["ucci", "uci"])
def test_the_handshake_comes_before_anything_heavy(tmp_path: Path, protocol: str) -> None:
    script = f"""
import sys
import search_core.line_protocol as line_protocol
send = line_protocol.LineChannel.send
def watch(self, line):
    if line == "{protocol}ok":
        found = [name for name in {HEAVY} if name in sys.modules]
        native = [name for name, module in sys.modules.items()
                  if name.split(".")[0] in ("search_core", "ucci_engine") and not module.__file__.endswith(".py")]
        print(found, native, file=sys.stderr)
    send(self, line)
line_protocol.LineChannel.send = watch
from sanqi.__main__ import main
sys.argv = ["sanqi"]
sys.exit(main())
"""
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path = {sys.path!r}\n{script}"],
        input=f"{protocol}\nquit\n".encode(),
        capture_output=True,
        cwd=tmp_path,
        check=True,
    )
    assert done.stderr.decode().splitlines()[0] == "[] []"
