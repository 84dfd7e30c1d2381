"""Child processes: each in a group of its own, marked in its environment, with limited memory and stderr, and ended
with all that it has started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from search_core.clock import now_s

if sys.platform == "win32":
    from search_core.windows_job import CREATE_SUSPENDED, Job
if sys.platform == "linux":
    import resource

ENGINE_MARK = "SANQI_ENGINE"
"""In the environment of an engine and of all that it starts: which start of it that was."""
STDERR_LIMIT = 16 << 20
"""Bytes kept of what one start of a program writes to stderr."""
if sys.platform == "win32":
    _START_GROUP: dict[str, Any] = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | CREATE_SUSPENDED}
else:
    _START_GROUP: dict[str, Any] = {"start_new_session": True}
_STDERR_TAIL = 400
"""Bytes that the last line of stderr is looked for in."""
_STDERR_END_S = 1.0
"""The stderr of a program that has ended is read to its end by then."""
_CHUNK = 1 << 16
_END_S = 2.0
"""What was killed is gone by then."""
_PROBE_S = 0.01


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


def name_program(error: OSError, command: Sequence[str], directory: str | None) -> None:
    """Have an error of starting a program name the program, or the directory if that is missing. Windows does not."""
    if error.filename is None:
        error.filename = command[0] if directory is None or os.path.isdir(directory) else directory


def limit_memory(pid: int, memory_mb: int) -> None:
    """Limit the address space of a process that was just started, in MiB; 0: no limit. Linux only."""
    if memory_mb and sys.platform == "linux":
        limit = memory_mb << 20
        # The process may be gone already: whoever listens to it will say so.
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_AS, (limit, limit))


class ProcessGroup:
    """A program that leads a process group, and the group. On Windows they end with this object."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        if sys.platform == "win32":
            self._job = Job(leader)

    def members(self) -> list[int]:
        """The living processes of the group. Linux only, elsewhere none."""
        if sys.platform != "linux":
            return []
        members = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                state, _parent, group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
                if int(group) == self._leader and state not in "ZX":  # nobody may ever collect an orphan's status
                    members.append(int(folder.name))
        return members

    def kill(self) -> None:
        """End all of them at once. On POSIX, nobody may have had the program's exit status from the system: from then
        on its number may be a stranger's."""
        if sys.platform == "win32":
            self._job.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._leader, signal.SIGKILL)


class ProcessTree:
    """A program in a process group of its own, and all that it starts.

    Ctrl-C passes the group by. What leaves the group is found by its mark, where there is a /proc.

    Parameters
    ----------
    mark_name : str
        The variable of the environment that holds the mark.
    """

    def __init__(self, mark_name: str = ENGINE_MARK) -> None:
        self._mark_name = mark_name
        # It begins with our own: who started us finds those processes, too.
        self._mark = f"{os.environ.get(mark_name, '')}.{uuid.uuid4().hex}"
        self.group: ProcessGroup | None = None

    def start_arguments(self) -> dict[str, Any]:
        """For subprocess.Popen and its like. Call begin() at once: on Windows the program does not run before."""
        return {"env": {**os.environ, self._mark_name: self._mark}, **_START_GROUP}

    def begin(self, pid: int) -> None:
        """The program was started, with this process id."""
        self.group = ProcessGroup(pid)

    def members(self) -> list[int]:
        """The living processes of it, those that have left the group too. Linux only, elsewhere none."""
        group = [] if self.group is None else self.group.members()
        return sorted({*group, *find_processes_by_env(self._mark_name, self._mark)})

    def kill(self) -> None:
        """End all of it at once. See ProcessGroup.kill()."""
        if self.group is not None:
            self.group.kill()
            self.end_marked()

    def end_marked(self) -> None:
        """End all processes with the mark, also those that they start meanwhile."""
        deadline = now_s() + _END_S
        while (left := find_processes_by_env(self._mark_name, self._mark)) and now_s() < deadline:
            kill(left)
            time.sleep(_PROBE_S)


class StderrCapture:
    """What a program writes to stderr, through a pipe: its last line, and if `path` is given a file that the beginning
    is added to. Raises OSError."""

    def __init__(self, path: Path | None = None) -> None:
        self._file = None if path is None else path.open("ab")
        self._reading, self.writing = os.pipe()
        self._tail = b""
        self._over = False
        self._thread = threading.Thread(target=self._read, name="stderr", daemon=True)

    def begin(self) -> None:
        """The program was started, and has its end of the pipe."""
        os.close(self.writing)
        self._thread.start()

    def last_line(self) -> str:
        """The last one that is not empty, of a program that has ended; '': there is none."""
        self._thread.join(_STDERR_END_S)
        lines = self._tail.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self) -> None:
        """The program has ended, or was not started. What a stranger that holds its end writes is not waited for."""
        if self._thread.ident is None:
            with contextlib.suppress(OSError):
                os.close(self.writing)
                os.close(self._reading)
        else:
            self._thread.join(_STDERR_END_S)
        self._over = True
        if self._file is not None:
            self._file.close()

    def _read(self) -> None:
        kept = 0
        while data := os.read(self._reading, _CHUNK):
            if self._over:
                break
            self._tail = (self._tail + data)[-_STDERR_TAIL:]
            if self._file is not None and kept < STDERR_LIMIT:
                kept += len(data)
                with contextlib.suppress(OSError, ValueError):  # a full disk is no matter of the game's; or closed
                    self._file.write(data[: STDERR_LIMIT - kept + len(data)])
                    self._file.flush()
        os.close(self._reading)


class ChildProcess:
    """A running program behind pipes, and all that it starts. Raises OSError, which names what cannot be started.

    Parameters
    ----------
    command : sequence of str
    mark_name : str
        The variable of its environment that marks it.
    directory : str, optional
        Where it runs; by default where we do.
    stderr : StderrCapture, optional
        By default it writes to our stderr.
    memory_mb : int
        MiB of address space that it may have; 0 for no limit. Linux only.
    bufsize : int
        Of its pipes, as subprocess.Popen has it.
    """

    def __init__(
        self,
        command: Sequence[str],
        mark_name: str = ENGINE_MARK,
        directory: str | None = None,
        stderr: StderrCapture | None = None,
        memory_mb: int = 0,
        bufsize: int = 0,
    ) -> None:
        self.tree = ProcessTree(mark_name)
        try:
            self.popen = subprocess.Popen(
                command_in(directory, command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if stderr is None else stderr.writing,
                cwd=directory,
                bufsize=bufsize,
                **self.tree.start_arguments(),
            )
        except BaseException as error:
            if stderr is not None:
                stderr.close()
            if isinstance(error, ValueError):
                raise OSError(str(error)) from None
            if isinstance(error, OSError):
                name_program(error, command, directory)
            raise
        self.tree.begin(self.popen.pid)
        if stderr is not None:
            stderr.begin()
        limit_memory(self.popen.pid, memory_mb)

    def kill(self) -> None:
        """End the program and all that it has started, at once, and take its exit status."""
        group = self.tree.group
        assert group is not None
        try:
            # Before wait(): until the leader is reaped its number cannot belong to a stranger.
            if self.popen.returncode is None or group.members():
                group.kill()
        finally:
            if self.popen.returncode is None:
                with contextlib.suppress(PermissionError):  # it is not ours to kill
                    self.popen.kill()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.popen.wait(_END_S)
            self.tree.end_marked()
