"""Runs programs in a terminal of a given size. Needs a system with pseudo terminals."""

from __future__ import annotations

import os
import re
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def start_in_terminal(
    command: Sequence[str | Path], rows: int, columns: int, folder: Path
) -> tuple[subprocess.Popen[bytes], int]:
    """A program whose standard streams are a terminal, and the descriptor of the terminal's other side."""
    import fcntl
    import pty
    import termios

    master, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    program = subprocess.Popen(
        [*map(str, command)],
        stdin=end,
        stdout=end,
        stderr=end,
        cwd=folder,
        start_new_session=True,
        env=environment | {"TERM": "xterm", "PYTHONIOENCODING": "utf-8"},
    )
    os.close(end)
    return program, master


def shown_lines(command: Sequence[str | Path], columns: int, folder: Path) -> list[str]:
    """What a program shows, without colours; a line that it rewrites counts each time. Raises
    subprocess.CalledProcessError if it fails."""
    program, master = start_in_terminal(command, 24, columns, folder)
    written = bytearray()
    try:
        while data := os.read(master, 65536):
            written += data
    except OSError:  # on Linux, the end
        pass
    finally:
        os.close(master)
    text = _ESCAPE.sub("", written.decode(errors="replace"))
    if program.wait(timeout=60):
        raise subprocess.CalledProcessError(program.returncode, program.args, output=text)
    return re.split(r"[\r\n]+", text)
