"""Child processes. Each has its own process group, a mark in its environment, limited memory and limited stderr. It is
ended together with all that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from search_core.clock import now_s

if sys.platform == "win32":
    from search_core.windows_job import CREATE_SUSPENDED, WindowsJob
if sys.platform == "linux":
    import resource

ENGINE_MARK = "SANQI_ENGINE"
"""Environment variable of an engine and of all that it starts. Its value differs for each start."""
STDERR_LIMIT = 16 << 20
"""Bytes of a program's stderr that are kept, for each start."""
if sys.platform == "win32":
    _START_GROUP: dict[str, Any] = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | CREATE_SUSPENDED}
else:
    _START_GROUP: dict[str, Any] = {"start_new_session": True}
_STDERR_TAIL = 400
"""Bytes at the end of stderr in which the last line is searched."""
_STDERR_END_S = 1.0
"""Longest wait for the rest of stderr after a program has ended."""
_CHUNK = 1 << 16
_END_S = 2.0
"""Longest wait for the end of a killed process."""
_PROBE_S = 0.01


def find_processes_by_env(name: str, beginning: str) -> list[int]:
    """Ids of the processes whose environment variable `name` begins with `beginning`. Empty without /proc."""
    if sys.platform == "win32":  # Wine has a /proc, but with the processes of Linux
        return []
    wanted = f"\0{name}={beginning}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in b"\0" + (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def kill(pids: Sequence[int]) -> None:
    """End processes at once. Those that are already gone are ignored."""
    if sys.platform == "win32":
        number = signal.SIGTERM  # on Windows, it ends the process at once
    else:
        number = signal.SIGKILL
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def command_in(directory: str | None, command: Sequence[str]) -> list[str]:
    """The command to start in a directory (None: ours). A relative program path begins at that directory, as on POSIX;
    Windows itself would begin at ours."""
    if sys.platform == "win32" and directory is not None and os.path.dirname(command[0]):
        return [os.path.abspath(os.path.join(directory, command[0])), *command[1:]]
    return list(command)


class ProcessGroup:
    """A process group and the program that leads it. On Windows they end with this object."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        if sys.platform == "win32":
            self._job = WindowsJob(leader)

    def members(self) -> list[int]:
        """The living processes of the group. Linux only, elsewhere none."""
        if sys.platform != "linux":
            return []
        members = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                state, _parent, group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
                if int(group) == self._leader and state not in "ZX":  # an orphan may stay a zombie for ever
                    members.append(int(folder.name))
        return members

    def kill(self) -> None:
        """End all of them at once. On POSIX, only before the program's exit status is collected: after that, another
        process may get its id."""
        if sys.platform == "win32":
            self._job.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._leader, signal.SIGKILL)


class StderrCapture:
    """Reads a program's stderr from a pipe and keeps its last line. If `path` is given, appends the first STDERR_LIMIT
    bytes to that file. Raises OSError."""

    def __init__(self, path: Path | None = None) -> None:
        self._file = None if path is None else path.open("ab")
        self._tail = b""
        self._over = False
        self._thread = threading.Thread()

    def begin(self, pipe: IO[bytes]) -> None:
        """Begin to read: the program was started and has its end of the pipe."""
        self._thread = threading.Thread(target=self._read, args=(pipe,), name="stderr", daemon=True)
        self._thread.start()

    def last_line(self) -> str:
        """The last line that is not empty, or ''; for a program that has ended."""
        self._thread.join(_STDERR_END_S)
        lines = self._tail.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self) -> None:
        """Stop reading: the program has ended or was not started. Does not wait long if others hold the pipe."""
        if self._over:
            return
        if self._thread.ident is not None:
            self._thread.join(_STDERR_END_S)
        self._over = True
        if self._file is not None:
            self._file.close()

    def _read(self, pipe: IO[bytes]) -> None:
        kept = 0
        while data := os.read(pipe.fileno(), _CHUNK):
            if self._over:
                break
            self._tail = (self._tail + data)[-_STDERR_TAIL:]
            if self._file is not None and kept < STDERR_LIMIT:
                kept += len(data)
                with contextlib.suppress(OSError, ValueError):  # disk full or file closed: the game goes on
                    self._file.write(data[: STDERR_LIMIT - kept + len(data)])
                    self._file.flush()
        pipe.close()


class ChildProcess:
    """A running program behind pipes, and all that it starts. Raises OSError, which names what cannot be started.

    It has a process group of its own, which Ctrl-C does not reach. A process that leaves the group is found by its
    mark, where there is a /proc.

    Parameters
    ----------
    command : sequence of str
    mark_name : str
        The environment variable that holds its mark.
    directory : str, optional
        Where it runs; by default where we do.
    stderr : StderrCapture, optional
        By default it writes to our stderr.
    memory_mb : int
        MiB of address space that it may have; 0 for no limit. Linux only.
    bufsize : int
        For its pipes, as in subprocess.Popen.
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
        # Its mark begins with our own, so the program that started us finds its processes too.
        self._mark = mark_name, f"{os.environ.get(mark_name, '')}.{os.urandom(16).hex()}"
        try:
            self.popen = subprocess.Popen(
                command_in(directory, command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if stderr is None else subprocess.PIPE,
                cwd=directory,
                bufsize=bufsize,
                env=dict([*os.environ.items(), self._mark]),
                **_START_GROUP,
            )
        except BaseException as error:
            if stderr is not None:
                stderr.close()
            if isinstance(error, ValueError):
                raise OSError(str(error)) from None
            if isinstance(error, OSError) and error.filename is None:  # Windows leaves it out
                error.filename = command[0] if directory is None or os.path.isdir(directory) else directory
            raise
        self._group = ProcessGroup(self.popen.pid)  # on Windows the program does not run before that
        if stderr is not None and self.popen.stderr is not None:
            stderr.begin(self.popen.stderr)
        if memory_mb and sys.platform == "linux":
            limit = memory_mb << 20
            # The process may be gone already; the code that reads its output reports that.
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(self.popen.pid, resource.RLIMIT_AS, (limit, limit))

    def members(self) -> list[int]:
        """Its living processes, also those that have left the group. Linux only, elsewhere none."""
        return sorted({*self._group.members(), *find_processes_by_env(*self._mark)})

    def kill_group(self) -> None:
        """End all of it at once. See ProcessGroup.kill()."""
        self._group.kill()
        self._end_marked()

    def kill(self) -> None:
        """End the program and all that it has started, at once, and collect its exit status."""
        try:
            # Before wait(): until the leader is reaped, no other process can have its id.
            if self.popen.returncode is None or self._group.members():
                self._group.kill()
        finally:
            if self.popen.returncode is None:
                with contextlib.suppress(PermissionError):  # it is not ours to kill
                    self.popen.kill()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.popen.wait(_END_S)
            self._end_marked()

    def _end_marked(self) -> None:
        """End all processes with the mark, also those that they start meanwhile."""
        deadline = now_s() + _END_S
        while (left := find_processes_by_env(*self._mark)) and now_s() < deadline:
            kill(left)
            time.sleep(_PROBE_S)


ENDING_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
]
"""The signals that end a program; not every system has all of them."""


def interrupt_by_any_signal() -> None:
    """Let all signals that end a program raise KeyboardInterrupt, as Ctrl-C does. So it can end its child processes.

    What is ignored stays so: SIGHUP under nohup, SIGINT in the background of a shell.
    """
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore these signals for as long as it takes to save something. On the main thread only."""
    handlers = [(number, signal.signal(number, signal.SIG_IGN)) for number in ENDING_SIGNALS]
    try:
        yield
    finally:
        for number, handler in handlers:
            signal.signal(number, handler)
