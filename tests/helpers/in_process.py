"""`sanqi COMMAND ...` without a process of its own, which would take a tenth of a second to start."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sanqi.cli import run

ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def sanqi(
    *arguments: str | Path, cwd: Path, data: bytes = b"", encoding: str = "utf-8"
) -> subprocess.CompletedProcess[str]:
    """What a command says, and its exit status. `data`: its input. `encoding`: of its outputs.

    On Windows it is a process: consoles, pipes and line ends are the system's there.
    """
    if sys.platform == "win32":
        words = [sys.executable, "-m", "sanqi", *map(str, arguments)]
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run(words, input=data, capture_output=True, cwd=cwd, env=environment, timeout=120)
        said, errors = (output.decode(encoding).replace("\r\n", "\n") for output in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(arguments, done.returncode, said, errors)
    return run_here(*arguments, cwd=cwd, data=data, encoding=encoding)


def run_here(
    *arguments: str | Path, cwd: Path, data: bytes = b"", encoding: str = "utf-8"
) -> subprocess.CompletedProcess[str]:
    """As sanqi(), but without a process on any system: for wrong arguments, which end it before it does anything."""
    said, errors = io.BytesIO(), io.BytesIO()
    with instead_of_a_process(cwd, data, said, errors, encoding):
        try:
            status: object = run(list(map(str, arguments)))
        except SystemExit as end:  # of the parser
            status = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        texts = [output.getvalue().decode(encoding) for output in (said, errors)]
    assert isinstance(status, int)
    return subprocess.CompletedProcess(arguments, status, *texts)


@contextlib.contextmanager
def instead_of_a_process(cwd: Path, data: bytes, said: io.BytesIO, errors: io.BytesIO, encoding: str) -> Iterator[None]:
    """What a process has of its own: streams, folder and signals."""
    streams, folder = (sys.stdin, sys.stdout, sys.stderr), os.getcwd()
    handlers = [(number, signal.getsignal(number)) for number in ENDING]
    typed = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed with sys.stdin
    typed.write(data)
    typed.seek(0)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(typed), "utf-8")
    sys.stdout = io.TextIOWrapper(said, encoding, newline="\n")
    sys.stderr = io.TextIOWrapper(errors, encoding, "backslashreplace", newline="\n")
    os.chdir(cwd)
    try:
        yield
    finally:
        os.chdir(folder)
        sys.stdin.close()
        sys.stdin, sys.stdout, sys.stderr = streams
        for number, handler in handlers:
            signal.signal(number, handler)
