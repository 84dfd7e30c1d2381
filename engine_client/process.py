"""An engine program as a child process: sends lines, receives lines with their time of arrival, always ends it."""

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

from search_core.child_process import ChildProcess, StderrCapture
from search_core.clock import now_s

LONGEST_LINE = 65536
"""Bytes kept of one line; the rest of a longer one is dropped."""
MOST_UNREAD = 10_000
"""Lines waiting to be read; if an engine floods its output, further lines are dropped to save memory."""
GOODBYE_S = 1.0
_PIPES_S = 0.2
"""For reading the rest of a pipe after the last process that had it open was killed."""


class EngineDied(Exception):
    """The engine's output ended; the message says why."""


class EngineSilent(Exception):
    """No line came before the deadline."""


class Line(NamedTuple):
    arrival: float
    """now_s() when its last byte was read, in seconds."""
    text: str


@dataclass(frozen=True, slots=True)
class LineKinds:
    """The lines of a protocol: patterns that match their beginning, and the command to quit."""

    answer: re.Pattern[bytes]
    """Answers; all are kept, in order."""
    report: re.Pattern[bytes]
    """Reports on a search; only the newest is kept. All other lines are ignored."""
    depth: re.Pattern[bytes]
    """Found anywhere in a report that has the depth."""
    nodes: re.Pattern[bytes]
    """The same for the nodes."""
    score: re.Pattern[bytes]
    """The same for the score."""
    quit_command: str


UCI_LINES = LineKinds(
    answer=re.compile(rb"\s*(bestmove|nobestmove|readyok|uciok|ucciok|id|option)(\s|$)"),
    report=re.compile(rb"\s*info\s(?!.*\bmultipv (?!1\b))"),
    depth=re.compile(rb" depth "),
    nodes=re.compile(rb" nodes "),
    # A bound says that the search is not done with the move: it is no score to adjudicate by.
    score=re.compile(rb"^(?!.* (?:lower|upper)bound\b).*? score (?:(?:cp )?(-?\d{1,6})|mate (-?\d{1,4}))(?!\d)"),
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


def read_lines(
    descriptor: int, take: Callable[[bytes, float], None], wanted: Callable[[], bool] = lambda: True
) -> None:
    """Read an output to its end, or until `wanted` returns false. `take` gets each line without its end (only the
    beginning of a line that is too long), and now_s() when its last byte was read, in seconds."""
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

    `memory_mb`: limit of its address space in MiB (0: none). `complaints`: the file for its stderr (None: it is not
    kept).
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
        self._stderr = StderrCapture(complaints)
        self._over = False
        self._child = ChildProcess(command, directory=directory, stderr=self._stderr, memory_mb=memory_mb)
        self._process = self._child.popen
        # When a match is interrupted, its main thread and the game's thread may close this at the same time.
        self._ending = threading.Lock()
        self._lines: SimpleQueue[Line | None] = SimpleQueue()
        self.newest_depth = b""
        self.newest_nodes = b""
        self.newest_score = b""
        self.watch: Callable[[bytes], None] | None = None
        """Gets every line of the output, on the thread that reads it."""
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
            # If the engine's child process has the pipe open, the output does not end with the engine.
            ended = self._process.poll() is not None
        if line is None:
            self._lines.put(None)  # for the next call
            raise EngineDied(self._last_words())
        return line

    def forget_output(self) -> None:
        """Drop all output so far, so that it is not taken for the answer to the next command."""
        self.newest_depth = self.newest_nodes = self.newest_score = b""
        with contextlib.suppress(Empty):
            while True:
                if self._lines.get_nowait() is None:
                    self._lines.put(None)
                    return

    def close(self) -> None:
        """Ask the engine to quit, then kill it and its child processes. Never raises, never leaves a process."""
        assert self._process.stdin is not None
        try:
            with contextlib.suppress(EngineDied):
                self.send(self._kinds.quit_command)
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            self._reader.join(GOODBYE_S)
        finally:  # Ctrl-C may interrupt the wait
            self.kill()

    def kill(self) -> None:
        """Kill the engine and its child processes at once."""
        with self._ending:
            self._child.kill()
            if self._process.stdin is not None:
                with contextlib.suppress(OSError):
                    self._process.stdin.close()
            self._reader.join(_PIPES_S)
            if self._reader.is_alive() and not self._over:
                held = f"the {self._reader.name} is held by something that the ended engine started"
                print(f"sanqi: {held}; it may run on", file=sys.stderr)
            self._over = True
            self._stderr.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        read_lines(self._process.stdout.fileno(), self._sort, lambda: not self._over)
        self._lines.put(None)
        self._process.stdout.close()

    def _sort(self, line: bytes, arrival: float) -> None:
        if self.watch is not None:
            self.watch(line)
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
            return "closed its input or output and is still running"
        self._child.tree.kill()  # its child processes may still run
        how = f"was ended by signal {-status}" if status < 0 else f"exited with status {status}"
        complaint = self._stderr.last_line()
        return f"{how}: {complaint}" if complaint else how
