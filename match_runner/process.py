"""An engine program as a child process: whole lines out, whole lines in with their time of arrival, certain death."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple

from search_core.child_process import (
    ENGINE_MARK,
    START_GROUP,
    ProcessGroup,
    command_in,
    end_marked,
    name_program,
    new_mark,
)
from search_core.clock import now_s

if sys.platform == "linux":
    import resource

LONGEST_LINE = 65536
"""Bytes kept of one line; the rest of a longer one is dropped."""
MOST_UNREAD = 10_000
"""Lines waiting to be read; an engine that floods loses further ones, not our memory."""
GOODBYE_S = 1.0
_PIPES_S = 0.2
"""So long after the last process that holds a pipe has been ended, it has been read to its end."""
MOST_COMPLAINTS = 16 << 20
"""Bytes kept of what one start of an engine writes to stderr."""
LAST_WORDS = 400
"""Bytes that the last line of it is looked for in."""


class EngineDied(Exception):
    """The engine's output ended; the message says how it went."""


class EngineSilent(Exception):
    """No line came before the deadline."""


class Line(NamedTuple):
    arrival: float
    """now_s() when its last byte had been read, in seconds."""
    text: str


@dataclass(frozen=True, slots=True)
class LineKinds:
    """What a process has to know of a protocol: patterns that lines begin with, and how to take leave."""

    answer: re.Pattern[bytes]
    """Of the lines that are kept, in their order."""
    report: re.Pattern[bytes]
    """Of the lines that tell how a search goes, of which the newest is kept. What is neither is noise."""
    depth: re.Pattern[bytes]
    """Anywhere in a report that tells the depth,"""
    nodes: re.Pattern[bytes]
    """and in one that tells the nodes,"""
    score: re.Pattern[bytes]
    """and in one that tells the score."""
    quit_command: str


UCI_LINES = LineKinds(
    answer=re.compile(rb"\s*(bestmove|nobestmove|readyok|uciok|ucciok|id|option)(\s|$)"),
    report=re.compile(rb"\s*info\s(?!.*\bmultipv (?!1\b))"),
    depth=re.compile(rb" depth "),
    nodes=re.compile(rb" nodes "),
    score=re.compile(rb" score (?:(?:cp )?(-?\d{1,6})|mate (-?\d{1,4}))(?!\d)"),
    quit_command="quit",
)
GOMOCUP_LINES = LineKinds(
    answer=re.compile(rb"(?!\s*(MESSAGE|DEBUG)\b)\s*\S", re.IGNORECASE),
    report=re.compile(rb"\s*(MESSAGE|DEBUG)\s", re.IGNORECASE),
    depth=re.compile(rb"\bdepth (\d{1,4})(?!\d)", re.IGNORECASE),
    nodes=re.compile(rb"\b(?:nodes?|n) (\d{1,15})(?!\d)([km]?)", re.IGNORECASE),
    score=re.compile(rb"\bev(?:al)? ([+-]?)(m?)(\d{1,6})(?!\d)", re.IGNORECASE),
    quit_command="END",
)


class StderrCapture:
    """What an engine writes to stderr, through a pipe: its last line, and if `path` is given a file that the beginning
    is added to. Raises OSError."""

    def __init__(self, path: Path | None) -> None:
        self._file = None if path is None else path.open("ab")
        self._reading, self.writing = os.pipe()
        self._tail = b""
        self._over = False
        self._thread = threading.Thread(target=self._read, name="complaints", daemon=True)

    def begun(self) -> None:
        """The engine has its end of the pipe."""
        os.close(self.writing)
        self._thread.start()

    def last_line(self) -> str:
        """The last one that is not empty, of an engine that has ended; '': there is none."""
        self._thread.join(GOODBYE_S)
        lines = self._tail.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self) -> None:
        """The engine has ended, or was not started. What a stranger that holds its end writes is not waited for."""
        if self._thread.ident is None:
            with contextlib.suppress(OSError):
                os.close(self.writing)
                os.close(self._reading)
        else:
            self._thread.join(GOODBYE_S)
        self._over = True
        if self._file is not None:
            self._file.close()

    def _read(self) -> None:
        kept = 0
        while data := os.read(self._reading, LONGEST_LINE):
            if self._over:
                break
            self._tail = (self._tail + data)[-LAST_WORDS:]
            if self._file is not None and kept < MOST_COMPLAINTS:
                kept += len(data)
                with contextlib.suppress(OSError, ValueError):  # a full disk is no matter of the game's; or closed
                    self._file.write(data[: MOST_COMPLAINTS - kept + len(data)])
                    self._file.flush()
        os.close(self._reading)


def limit_memory(pid: int, memory_mb: int) -> None:
    """Give a process that was just started so many MiB of address space at most; 0: as it is. Linux only."""
    if memory_mb and sys.platform == "linux":
        limit = memory_mb << 20
        # The process may be gone already: whoever listens to it will say so.
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_AS, (limit, limit))


def read_lines(
    descriptor: int, take: Callable[[bytes, float], None], wanted: Callable[[], bool] = lambda: True
) -> None:
    """Read an output to its end, or until it is not `wanted` any more. `take` gets each line without its end, of one
    that is too long the beginning, and now_s() when its last byte had been read, in seconds."""
    rest = b""
    while wanted():
        try:
            data = os.read(descriptor, LONGEST_LINE)
        except OSError:
            data = b""
        if not data:
            break
        arrival = now_s()
        *whole, rest = (rest + data).split(b"\n")
        rest = rest[:LONGEST_LINE]
        for line in whole:
            take(line, arrival)
    if rest:
        take(rest, now_s())


class EngineProcess:
    """A running engine in a process group of its own. Raises OSError if it cannot be started.

    `memory_mb`: MiB of address space that it may have, 0 for no limit. `complaints`: the file that its stderr is kept
    in (None: it is not).
    """

    def __init__(
        self,
        command: Sequence[str],
        directory: str | None = None,
        kinds: LineKinds = UCI_LINES,
        memory_mb: int = 0,
        complaints: Path | None = None,
    ) -> None:
        self._kinds = kinds
        self._complaints = StderrCapture(complaints)
        self._mark = new_mark(ENGINE_MARK)
        self._over = False
        try:
            self._process = subprocess.Popen(
                command_in(directory, command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints.writing,
                cwd=directory,
                bufsize=0,
                env={**os.environ, ENGINE_MARK: self._mark},
                **START_GROUP,
            )
        except (OSError, ValueError) as error:
            self._complaints.close()
            if isinstance(error, OSError) and error.filename is None:  # Windows does not say which
                error.filename = command[0] if directory is None or os.path.isdir(directory) else directory
            if isinstance(error, ValueError):
                raise OSError(str(error)) from None
            name_program(error, command)
            raise
        self._group = ProcessGroup(self._process.pid)
        self._complaints.begun()
        limit_memory(self._process.pid, memory_mb)
        # A match that is interrupted closes from its main thread what a game's thread may be closing too.
        self._ending = threading.Lock()
        self._lines: SimpleQueue[Line | None] = SimpleQueue()
        self.newest_depth = b""
        self.newest_nodes = b""
        self.newest_score = b""
        self._reader = threading.Thread(target=self._read, name=f"output of {command[0]}", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, line: str) -> None:
        """Write one line. Raises EngineDied."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
        except (OSError, ValueError):  # the pipe is broken, or we closed it ourselves
            raise EngineDied(self._last_words()) from None

    def receive(self, deadline: float) -> Line:
        """The next answer line. Raises EngineSilent at `deadline` (now_s() seconds), EngineDied at EOF."""
        ended = False
        while True:
            left = deadline - now_s()
            try:
                line = self._lines.get(timeout=max(0.0, min(left, GOODBYE_S)))
                break
            except Empty:
                if ended:
                    raise EngineDied(self._last_words()) from None
                if left <= GOODBYE_S:
                    raise EngineSilent from None
            # Its output does not end with it if something that it started holds the pipe.
            ended = self._process.poll() is not None
        if line is None:
            self._lines.put(None)  # for whoever asks again
            raise EngineDied(self._last_words())
        return line

    def forget_output(self) -> None:
        """Drop what was printed and not asked for, so that it is not taken for the answer to the next question."""
        self.newest_depth = self.newest_nodes = self.newest_score = b""
        with contextlib.suppress(Empty):
            while True:
                if self._lines.get_nowait() is None:
                    self._lines.put(None)
                    return

    def close(self) -> None:
        """Ask the engine to quit, then end it and all that it started. Never raises, never leaves a process."""
        assert self._process.stdin is not None
        try:
            with contextlib.suppress(EngineDied):
                self.send(self._kinds.quit_command)
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            self._reader.join(GOODBYE_S)
        finally:  # Ctrl-C may break off the wait
            self.kill()

    def kill(self) -> None:
        """End the process group at once."""
        with self._ending:
            if self._process.returncode is None:
                # Before wait(): until the leader is reaped its number cannot belong to a stranger.
                self._group.kill()
                with contextlib.suppress(subprocess.TimeoutExpired):  # it is not ours to kill
                    self._process.wait(GOODBYE_S)
            end_marked(ENGINE_MARK, self._mark)  # what has left the group
            if self._process.stdin is not None:
                with contextlib.suppress(OSError):
                    self._process.stdin.close()
            self._reader.join(_PIPES_S)
            if self._reader.is_alive() and not self._over:
                held = f"the {self._reader.name} is held by something that the ended engine started"
                print(f"sanqi: {held}; it may run on", file=sys.stderr)
            self._over = True
            self._complaints.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        read_lines(self._process.stdout.fileno(), self._sort, lambda: not self._over)
        self._lines.put(None)
        self._process.stdout.close()

    def _sort(self, line: bytes, arrival: float) -> None:
        if self._kinds.report.match(line):
            if self._kinds.depth.search(line):
                self.newest_depth = line
            if self._kinds.nodes.search(line):
                self.newest_nodes = line
            if self._kinds.score.search(line):
                self.newest_score = line
        elif self._kinds.answer.match(line) and self._lines.qsize() < MOST_UNREAD:
            self._lines.put(Line(arrival, line.decode("utf-8", "replace").strip()))

    def _last_words(self) -> str:
        try:
            status = self._process.wait(GOODBYE_S)
        except subprocess.TimeoutExpired:
            return "closed its input or output and goes on running"
        self._group.kill()  # what it started may have outlived it
        how = f"was ended by signal {-status}" if status < 0 else f"exited with status {status}"
        complaint = self._complaints.last_line()
        return f"{how}: {complaint}" if complaint else how
