"""Tests of what only Windows has. Elsewhere they are not collected."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

if sys.platform == "win32":
    import _winapi

collect_ignore_glob = [] if sys.platform == "win32" else ["test_*.py"]

PATIENCE_S = 30
PYTHON = [sys.executable, "-I", "-m", "sanqi"]


class Watched:
    """A process, held by a handle, since its number could be used again."""

    def __init__(self, pid: int) -> None:
        if sys.platform == "win32":
            self._handle = _winapi.OpenProcess(_winapi.SYNCHRONIZE, False, pid)

    def ends(self, patience_s: float = 60) -> bool:
        """Whether it ends in time."""
        ended = False
        if sys.platform == "win32":
            ended = _winapi.WaitForSingleObject(self._handle, int(patience_s * 1000)) == _winapi.WAIT_OBJECT_0
        return ended


class Host:
    """host.c, running an engine in one of its modes."""

    def __init__(self, words: list[str], folder: Path, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env={**os.environ, **environment}
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self.engine = int(self.until("host: pid ").split()[2])

    def send(self, *lines: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(line + "\n" for line in lines).encode())
        self._process.stdin.flush()

    def until(self, beginning: str) -> str:
        """The first line with this beginning."""
        heard: list[str] = []
        try:
            while not heard or not heard[-1].startswith(beginning):
                heard.append(self._lines.get(timeout=PATIENCE_S))
        except queue.Empty:
            pytest.fail(f"no line begins with {beginning!r}:\n" + "\n".join(heard))
        return heard[-1]

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.decode().rstrip("\r\n"))

    def close(self) -> None:
        """End it, and the engine if it has not exited by itself."""
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            os.kill(self.engine, signal.SIGTERM)


class Hosts:
    """Starts the installed program, or another command, under a host."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder

    @contextmanager
    def __call__(self, manner: str, command: list[str] | None = None, **environment: str) -> Iterator[Host]:
        words = [self._program, manner, subprocess.list2cmdline(command or PYTHON)]
        host = Host(words, self._folder, environment)
        try:
            yield host
        finally:
            host.close()


@pytest.fixture
def under_host(tmp_path: Path) -> Hosts:
    """`with under_host(MANNER) as host:` with a mode (manner) of host.c. SANQI_TEST_HOST names the compiled program."""
    program = os.environ.get("SANQI_TEST_HOST", "")
    if not Path(program).is_file():
        pytest.skip("SANQI_TEST_HOST does not name host.c's program")
    return Hosts(program, tmp_path)


@pytest.fixture
def sanqi() -> str:
    """The installed command."""
    return str(Path(sysconfig.get_path("scripts")) / "sanqi.exe")
