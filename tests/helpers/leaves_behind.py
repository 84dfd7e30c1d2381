"""An engine that leaves a process behind: python leaves_behind.py HOW PIDS COMMAND...

Starts a process in its own session, adds its number to the file PIDS, and becomes COMMAND. HOW says what the
process does: `holds` all pipes, holds `stderr` alone, `writes` without end, is `unmarked` (it has another environment
and holds all pipes), or is a `zombie`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

SLEEP = "import time; time.sleep(700)"
WRITE = "import os\nwhile True: os.write(1, b'info\\n' * 800)"


def main() -> None:
    how, pids, *command = sys.argv[1:]
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        with Path(pids).open("a") as file:
            file.write(f"{os.getpid()}\n")
        os.write(writing, b"\n")
        if how == "zombie":
            os._exit(0)
        if how == "stderr":
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, 0)
            os.dup2(nothing, 1)
        arguments = [sys.executable, "-I", "-S", "-c", WRITE if how == "writes" else SLEEP]
        os.execve(arguments[0], arguments, {} if how == "unmarked" else dict(os.environ))
    os.read(reading, 1)
    os.execvp(command[0], command)


main()
