"""Engine programs as child processes: sends lines, receives lines with their time of arrival, always ends them."""

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

from engine_client.reports import Report, read_info, read_message
from search_core.child_process import ENGINE_MARK, ChildProcess, StderrCapture
from search_core.clock import now_s

MAX_LINE = 65536
"""Bytes kept of one line; the rest of a longer one is dropped."""
MAX_UNREAD = 10_000
"""Lines waiting to be read; if an engine floods its output, further lines are dropped to save memory."""
GOODBYE_S = 1.0
_PIPES_S = 0.2
"""For reading the rest of a pipe after the last process that had it open was killed."""


class EngineDied(Exception):
    """The engine's output ended; the message says why."""


class EngineSilent(Exception):
    """The expected line did not come before the deadline; the message says what came instead."""


class ReceivedLine(NamedTuple):
    """A line of the engine, without its end."""

    arrival: float
    """now_s() when its last byte was read, in seconds."""
    text: str


@dataclass(frozen=True, slots=True)
class LineKinds:
    """The lines of a protocol, and its command to quit. All others are ignored."""

    answer: re.Pattern[bytes]
    """Matches the beginning of lines that somebody waits for."""
    report: re.Pattern[bytes]
    """The same of reports on a search."""
    read_report: Callable[[str], Report | None]
    quit_command: str


UCI_LINES = LineKinds(
    answer=re.compile(rb"\s*(bestmove|nobestmove|readyok|uciok|ucciok|id|option)(\s|$)"),
    report=re.compile(rb"\s*info\s"),
    read_report=read_info,
    quit_command="quit",
)
GOMOCUP_LINES = LineKinds(
    answer=re.compile(rb"(?!\s*(MESSAGE|DEBUG)\b)\s*\S", re.IGNORECASE),
    report=re.compile(rb"\s*(MESSAGE|DEBUG)\s", re.IGNORECASE),
    read_report=read_message,
    quit_command="END",
)


class LineProcess:
    """A running program in a process group of its own. A thread reads its output; `_take` gets each line there.

    Raises OSError if it cannot be started.

    Parameters
    ----------
    command : sequence of str
    directory : str, optional
        Where it runs; by default where we do.
    memory_mb : int
        MiB of address space that it may have; 0 for no limit.
    stderr : StderrCapture, optional
        By default it writes to our stderr.
    mark_name : str
        The environment variable that marks it and all that it starts.
    """

    def __init__(
        self,
        command: Sequence[str],
        directory: str | None = None,
        memory_mb: int = 0,
        stderr: StderrCapture | None = None,
        mark_name: str = ENGINE_MARK,
    ) -> None:
        self._stderr = stderr
        self._over = False
        self._child = ChildProcess(command, mark_name, directory, stderr, memory_mb)
        self.process = self._child.popen
        # When a match is interrupted, its main thread and the game's thread may close this at the same time.
        self._ending = threading.Lock()
        self._lines: SimpleQueue[ReceivedLine | None] = SimpleQueue()
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write, name=f"input of {command[0]}", daemon=True)
        # Two counters: each is written by one thread only.
        self._bytes_sent = self._bytes_written = 0
        self._reader = threading.Thread(target=self._read, name=f"output of {command[0]}", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self.process.pid

    def receive(self, deadline: float) -> ReceivedLine:
        """The next line. Raises EngineSilent at `deadline` (now_s() seconds), EngineDied at the end of the output."""
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
                    raise EngineSilent("nothing") from None
            # If the engine's child process has the pipe open, the output does not end with the engine.
            ended = self.process.poll() is not None
        if line is None:
            self._lines.put(None)  # for the next call
            raise EngineDied(self._last_words())
        return line

    def kill(self) -> None:
        """Kill the program and its child processes at once."""
        with self._ending:
            self._child.kill()
            self.close_input()
            self._reader.join(_PIPES_S)
            if self._reader.is_alive() and not self._over:
                held = f"the {self._reader.name} is held by something that the ended engine started"
                print(f"sanqi: {held}; it may run on", file=sys.stderr)
            self._over = True
            if self._stderr is not None:
                self._stderr.close()

    def send_bytes(self, data: bytes) -> None:
        """Send some lines in one piece. Another thread writes them: the program may not read."""
        if self._writer.ident is None:
            self._writer.start()
        self._bytes_sent += len(data)
        self._outgoing.put(data)

    @property
    def unread_bytes(self) -> int:
        """How much of that the program has not read yet, beside what its pipe holds."""
        return self._bytes_sent - self._bytes_written

    def close_input(self) -> None:
        """Close the program's input, after all that was sent."""
        if self._writer.ident is None:
            self._close_stdin()
        else:
            self._outgoing.put(None)

    def _write(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # the program closed its input; the reader notices its end
            while (data := self._outgoing.get()) is not None:
                view = memoryview(data)
                while view:
                    view = view[self.process.stdin.write(view) :]
                self._bytes_written += len(data)
        self._close_stdin()

    def _close_stdin(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        rest = b""
        while not self._over:
            try:
                data = os.read(self.process.stdout.fileno(), MAX_LINE)
            except OSError:
                data = b""
            if not data:
                break
            arrival = now_s()
            *whole, rest = (rest + data).split(b"\n")
            rest = rest[:MAX_LINE]
            for line in whole:
                self._take(line[:MAX_LINE], arrival)
        if rest:
            self._take(rest, now_s())
        self._lines.put(None)
        self.process.stdout.close()

    def _take(self, line: bytes, arrival: float) -> None:
        """Pass a line on to receive(), or not. It is without its end; of one that is too long it is only the beginning.
        `arrival`: now_s() when its last byte was read, in seconds."""
        raise NotImplementedError

    def _how_it_ended(self, patience_s: float) -> str:
        """In words; '' if it is still running."""
        try:
            status = self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            return ""
        return f"was ended by signal {-status}" if status < 0 else f"exited with status {status}"

    def _last_words(self) -> str:
        """Why no more lines come."""
        if not (how := self._how_it_ended(GOODBYE_S)):
            return "closed its input or output and is still running"
        self._child.kill_group()  # its child processes may still run
        complaint = self._last_complaint()
        return f"{how}: {complaint}" if complaint else how

    def _last_complaint(self) -> str:
        """The last line of its stderr, for a program that has ended."""
        return "" if self._stderr is None else self._stderr.last_line()


class EngineProcess(LineProcess):
    """An engine whose lines are sorted: receive() gets the answers, and of the reports only the newest are kept."""

    def __init__(
        self,
        command: Sequence[str],
        directory: str | None = None,
        kinds: LineKinds = UCI_LINES,
        memory_mb: int = 0,
        complaints: Path | None = None,
    ) -> None:
        self._kinds = kinds
        self.report = Report()
        """All that was reported on the best line of the search. A bound is no score: nobody adjudicates by it."""
        self.watch: Callable[[Report], None] | None = None
        """Gets every report, on the thread that reads the output."""
        super().__init__(command, directory, memory_mb, StderrCapture(complaints))

    def send(self, line: str) -> None:
        """Write one line. Raises EngineDied."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line.encode() + b"\n")
        except (OSError, ValueError):  # the pipe is broken, or we closed it ourselves
            raise EngineDied(self._last_words()) from None

    def forget_output(self) -> None:
        """Drop all output so far, so that it is not taken for the answer to the next command."""
        self.report = Report()
        with contextlib.suppress(Empty):
            while True:
                if self._lines.get_nowait() is None:
                    self._lines.put(None)
                    return

    def close(self) -> None:
        """Ask the engine to quit, then kill it and its child processes. Never raises, never leaves a process."""
        try:
            with contextlib.suppress(EngineDied):
                self.send(self._kinds.quit_command)
            self.close_input()
            self._reader.join(GOODBYE_S)
        finally:  # Ctrl-C may interrupt the wait
            self.kill()

    def _take(self, line: bytes, arrival: float) -> None:
        if self._kinds.report.match(line):
            report = self._kinds.read_report(line.decode("utf-8", "replace"))
            if report is None:
                return
            if self.watch is not None:
                self.watch(report)
            if report.line == 1:
                self.report.update(report.without_bound())
        elif self._kinds.answer.match(line) and self._lines.qsize() < MAX_UNREAD:
            self._lines.put(ReceivedLine(arrival, line.decode("utf-8", "replace").strip()))
