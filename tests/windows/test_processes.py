"""Engines as child processes on Windows: what they start ends with them, and Ctrl-C does not reach them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from engine_client.process import EngineProcess
from search_core.clock import now_s
from search_core.transposition_table import free_memory
from tests.windows.conftest import Watched

CREATE_NEW_CONSOLE = 0x10  # subprocess has the name on Windows only

# Prints its process number as a UCI engine may, then runs on without reading.
HANGING = "import os, time; print('id name', os.getpid(), flush=True); time.sleep(600)"


def hanging(folder: Path) -> str:
    """A batch file that runs a hanging engine."""
    (folder / "hanging.py").write_text(HANGING, encoding="ascii")
    batch = folder / "hanging engine.bat"
    batch.write_text(f'@"{sys.executable}" "%~dp0hanging.py"\n', encoding="ascii")
    return str(batch)


def test_the_engine_of_a_batch_file_ends_with_it(tmp_path: Path) -> None:
    engine = EngineProcess([hanging(tmp_path)])
    inner = Watched(int(engine.receive(now_s() + 60).text.split()[2]))
    engine.kill()
    assert inner.ends()


def test_an_engine_ends_with_its_parent(tmp_path: Path) -> None:
    owner = subprocess.Popen(
        [
            sys.executable,
            "-I",
            "-c",
            textwrap.dedent(f"""
                import time
                from engine_client.process import EngineProcess
                from search_core.clock import now_s
                engine = EngineProcess([{hanging(tmp_path)!r}])
                print(engine.receive(now_s() + 60).text, flush=True)
                time.sleep(600)
            """),
        ],
        stdout=subprocess.PIPE,
    )
    assert owner.stdout is not None
    inner = Watched(int(owner.stdout.readline().split()[2]))
    owner.kill()
    owner.communicate()
    assert inner.ends()


def test_ctrl_c_reaches_only_the_match(tmp_path: Path) -> None:
    """In their own console, since Ctrl-C goes to all processes of a console."""
    outcome = tmp_path / "outcome"
    program = textwrap.dedent(f"""
        import ctypes, signal, sys, time
        from engine_client.process import EngineProcess
        from search_core.clock import now_s
        engine = EngineProcess([sys.executable, "-I", "-m", "sanqi", "uci"])
        engine.send("uci")
        while engine.receive(now_s() + 60).text != "uciok":
            pass
        try:
            ctypes.windll.kernel32.GenerateConsoleCtrlEvent(signal.CTRL_C_EVENT, 0)
            time.sleep(60)
            interrupted = False
        except KeyboardInterrupt:
            interrupted = True
        engine.send("isready")
        with open({str(outcome)!r}, "w") as file:
            print(interrupted, engine.receive(now_s() + 60).text, file=file)
        engine.close()
    """)
    subprocess.run(
        [sys.executable, "-I", "-c", program],
        creationflags=CREATE_NEW_CONSOLE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=200,
    )
    assert outcome.read_text() == "True readyok\n"


def test_ctrl_c_in_play_does_not_wait_for_the_move(tmp_path: Path) -> None:
    """If it waited for the engine's move, the test would run into its time limit."""
    outcome = tmp_path / "outcome"
    program = textwrap.dedent(f"""
        import ctypes, signal, subprocess, sys
        person = subprocess.Popen(
            [sys.executable, "-I", "-m", "sanqi", "play", "gomoku", "--movetime", "600000"],
            cwd={str(tmp_path)!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        person.stdin.write("h8\\n")
        person.stdin.flush()
        times = [ctypes.c_ulonglong() for _ in range(4)]
        while times[3].value < 3 * 10**7:  # it has worked for three seconds, so it thinks
            ctypes.windll.kernel32.GetProcessTimes(int(person._handle), *map(ctypes.byref, times))
        signal.signal(signal.SIGINT, lambda number, frame: None)
        ctypes.windll.kernel32.GenerateConsoleCtrlEvent(signal.CTRL_C_EVENT, 0)
        told, errors = person.communicate()
        with open({str(outcome)!r}, "w") as file:
            print(person.returncode, errors, "saved 1 move" in told, file=file)
    """)
    subprocess.run(
        [sys.executable, "-I", "-c", program],
        creationflags=CREATE_NEW_CONSOLE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=200,
    )
    assert outcome.read_text() == "130  True\n"


def test_ctrl_break_works_like_ctrl_c(tmp_path: Path) -> None:
    """The program raises it itself: Wine 8 delivers none from other processes."""
    program = textwrap.dedent(f"""
        import signal
        from engine_client.process import EngineProcess
        from engine_client.dialogue import engines_ended
        from search_core.clock import now_s
        try:
            with engines_ended():
                engine = EngineProcess([{hanging(tmp_path)!r}])
                print(engine.receive(now_s() + 60).text, flush=True)
                signal.raise_signal(signal.SIGBREAK)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """)
    run = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=200)
    _, told = run.stdout.splitlines()
    assert told == "interrupted"
    assert run.stderr == ""


@pytest.mark.parametrize("words", [["perft", "4", "--divide"], ["bench", "gomoku"], ["--help"]], ids=" ".join)
def test_output_that_nobody_reads_is_no_error(sanqi: str, words: list[str]) -> None:
    """The pipe is closed before anything is written to it: to Windows that is EINVAL."""
    reading, writing = os.pipe()
    process = subprocess.Popen([sanqi, *words], stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    os.close(reading)
    _, errors = process.communicate(timeout=200)
    assert (process.returncode, errors) == (0, b"")


def test_free_memory_limits_the_table() -> None:
    """No machine has 32 TiB; an engine that tried to use them would end, or make the machine swap."""
    run = subprocess.run(
        [sys.executable, "-I", "-m", "sanqi", "uci"],
        capture_output=True,
        text=True,
        timeout=200,
        input="uci\nsetoption name Hash value 33554432\nisready\nposition startpos\ngo depth 2\nquit\n",
    )
    assert "readyok" in run.stdout
    assert "bestmove " in run.stdout
    assert run.stderr == ""


def test_free_memory_is_known() -> None:
    assert free_memory() > 100 << 20
