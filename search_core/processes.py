"""Child processes and what they start: found by a mark in their environment, and ended."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

ENGINE_MARK = "SANQI_ENGINE"
"""In the environment of an engine and of all that it starts: which start of it that was."""
_END_S = 1.0
"""What was killed is gone by then."""
_PROBE_S = 0.01


def new_mark(name: str) -> str:
    """A value for a variable that marks processes. It begins with our own: who started us finds those, too."""
    return f"{os.environ.get(name, '')}.{uuid.uuid4().hex}"


def marked(name: str, beginning: str) -> list[int]:
    """The processes in whose environment a variable has a value that begins so. None where there is no /proc."""
    wanted = f"{name}={beginning}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if any(entry.startswith(wanted) for entry in (folder / "environ").read_bytes().split(b"\0")):
                found.append(int(folder.name))
    return found


def kill(pids: Sequence[int]) -> None:
    """End processes at once; those that are gone do not matter."""
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)


def kill_group(leader: int) -> None:
    """End all processes of a group at once. Does nothing on Windows."""
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def end_marked(name: str, mark: str) -> None:
    """End all processes with a mark, also those that they start meanwhile. Does nothing where there is no /proc."""
    deadline = time.monotonic() + _END_S
    while (left := marked(name, mark)) and time.monotonic() < deadline:
        kill(left)
        time.sleep(_PROBE_S)
