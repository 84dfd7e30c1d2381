"""`sanqi COMMAND ...` without a process of its own, for wrong arguments, which end it before it does anything."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

from sanqi.cli import run


def refused_by(*arguments: str | Path, cwd: Path, data: bytes = b"") -> subprocess.CompletedProcess[str]:
    """What a command says to wrong arguments, and its exit status. `data`: its input."""
    streams, folder = (sys.stdin, sys.stdout, sys.stderr), os.getcwd()
    said, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for _ in range(2))
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))
    sys.stdout, sys.stderr = said, errors
    os.chdir(cwd)
    try:
        status: object = run(list(map(str, arguments)))
    except SystemExit as end:  # of the parser
        status = end.code
    finally:
        os.chdir(folder)
        sys.stdin, sys.stdout, sys.stderr = streams
    assert isinstance(status, int)
    for stream in (said, errors):
        stream.seek(0)
    return subprocess.CompletedProcess(arguments, status, said.read(), errors.read())
