"""Child processes and what they start: one group, or found by a mark in their environment, and ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from search_core.clock import now_s

if sys.platform == "win32":
    from search_core.windows_job import CREATE_SUSPENDED, Job

ENGINE_MARK = "SANQI_ENGINE"
"""In the environment of an engine and of all that it starts: which start of it that was."""
if sys.platform == "win32":
    START_GROUP: dict[str, Any] = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | CREATE_SUSPENDED}
else:
    START_GROUP: dict[str, Any] = {"start_new_session": True}
"""Arguments for subprocess.Popen and its like, of a program that Ctrl-C passes by. Make it a ProcessGroup at once: on
Windows it does not run before."""
_END_S = 1.0
"""What was killed is gone by then."""
_PROBE_S = 0.01


def new_mark(name: str) -> str:
    """A value for a variable that marks processes. It begins with our own: who started us finds those, too."""
    return f"{os.environ.get(name, '')}.{uuid.uuid4().hex}"


def find_processes_by_env(name: str, beginning: str) -> list[int]:
    """The processes in whose environment a variable has a value that begins so. None where there is no /proc."""
    if sys.platform == "win32":  # under Wine there is one, of another system's processes
        return []
    wanted = f"{name}={beginning}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if any(entry.startswith(wanted) for entry in (folder / "environ").read_bytes().split(b"\0")):
                found.append(int(folder.name))
    return found


def kill(pids: Sequence[int]) -> None:
    """End processes at once; those that are gone do not matter."""
    if sys.platform == "win32":
        number = signal.SIGTERM  # ends it at once there
    else:
        number = signal.SIGKILL
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def command_in(directory: str | None, command: Sequence[str]) -> list[str]:
    """What to start for a command that is to run in a directory (None: ours): a relative path of the program begins
    there, as on POSIX. Windows would begin at ours."""
    if sys.platform == "win32" and directory is not None and os.path.dirname(command[0]):
        return [os.path.abspath(os.path.join(directory, command[0])), *command[1:]]
    return list(command)


def name_program(error: OSError, command: Sequence[str]) -> None:
    """Have an error of starting a program know which one it was. Windows does not say."""
    if error.filename is None:
        error.filename = command[0]


class ProcessGroup:
    """A program that was started with START_GROUP, and all that it starts. On Windows they end with this object."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        if sys.platform == "win32":
            self._job = Job(leader)

    def kill(self) -> None:
        """End all of them at once. On POSIX, nobody may have had the program's exit status from the system: from then
        on its number may be a stranger's."""
        if sys.platform == "win32":
            self._job.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._leader, signal.SIGKILL)


def end_marked(name: str, mark: str) -> None:
    """End all processes with a mark, also those that they start meanwhile. Does nothing where there is no /proc."""
    deadline = now_s() + _END_S
    while (left := find_processes_by_env(name, mark)) and now_s() < deadline:
        kill(left)
        time.sleep(_PROBE_S)
