"""The host's side of a dialogue with an engine program: lines out, lines in with the time they came, nothing waits
without a deadline, and nothing is left of the program afterwards."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, NamedTuple

from match_runner.process import MOST_UNREAD, read_lines
from search_core.child_process import ChildProcess, StderrCapture, find_processes_by_env, kill
from search_core.clock import now_s
from search_core.command_line import split_words, this_program
from search_core.line_protocol import LOG_VARIABLE, excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from typing_extensions import Self

_MARK = "SANQI_EXAMINED"
"""In the environment of an engine and of all that it starts: which start of it that was."""
_MOST_UNREAD_BYTES = 4 << 20
"""Of an engine that floods, further lines are lost, and not our memory."""
_LONGEST_KEPT = 4096
"""Bytes of a line."""
_END_S = 2.0
"""What was killed is gone by then."""
_GOODBYE_S = 0.3
_PROBE_S = 0.02
_instead: list[Callable[[], object]] = []
"""What a signal does within `interrupted_by`."""
_LONGEST_QUOTE = 70


class Silent(Exception):
    """What was waited for did not come before the deadline; the message says what did."""


class Ended(Exception):
    """The engine's output has ended; the message says how."""


class CommandError(ValueError):
    """A text that is no command line; the message is one line for the user."""


class LogError(Exception):
    """The log cannot be written; the message is one line for the user."""


@contextmanager
def engines_ended() -> Iterator[None]:
    """Whatever ends the body, signals too, ends at once every engine that was started in it, with all that these have
    started. None of them gets the debug log that our environment names."""
    mark = uuid.uuid4().hex
    before = {name: os.environ.pop(name, None) for name in (_MARK, LOG_VARIABLE)}
    os.environ[_MARK] = mark

    def interrupt(number: int, frame: FrameType | None) -> None:
        # Nobody then waits for an engine on the way out.
        kill(find_processes_by_env(_MARK, mark))
        if not _instead:
            raise KeyboardInterrupt
        _instead[-1]()

    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
    numbers = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]  # as under nohup
    handlers = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        _end_all(mark)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def interrupted_by(act: Callable[[], object]) -> Iterator[None]:
    """A signal that comes in the body ends the engines, and does this instead of raising KeyboardInterrupt: an event
    loop does not bear that at any moment."""
    _instead.append(act)
    try:
        yield
    finally:
        _instead.pop()


def end_engines() -> None:
    """Kill all engines of this program's that run, with all that they have started. Linux only."""
    if _MARK in os.environ:
        kill(find_processes_by_env(_MARK, os.environ[_MARK]))


def _end_all(mark: str) -> None:
    """Have all that bears the mark gone, also what other threads of ours are about to start."""
    deadline = now_s() + _END_S
    while now_s() < deadline:
        left = find_processes_by_env(_MARK, mark)
        ours = threading.current_thread()
        starting = [thread for thread in threading.enumerate() if not thread.daemon and thread is not ours]
        if not left and not starting:
            break
        kill(left)
        time.sleep(_PROBE_S)


def engine_command(text: str | None) -> list[str]:
    """The words of the command that `--engine` gives; None: this program. Raises CommandError."""
    if text is None:
        return [str(this_program())]
    try:
        command = split_words(text)
    except ValueError as error:
        raise CommandError(f"--engine {excerpt(text)}: {error}") from None
    if not command:
        raise CommandError("--engine: an empty command")
    return command


class Heard(NamedTuple):
    """A line of the engine's, without its end."""

    arrival: float
    """now_s() when its last byte had been read, in seconds."""
    text: str


class Transcript:
    """What a host and one start of an engine say to each other. `file`: where it goes in one piece, without a buffer;
    None: it is not kept."""

    def __init__(self, title: str, file: IO[bytes] | None) -> None:
        self._file = file
        self._lines = [f"# {title}"]

    def note(self, direction: str, text: str) -> None:
        """A line: `>` of the host's, `<` of the engine's."""
        if self._file is None:
            return
        now = time.time()
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
        self._lines.append(f"{stamp}.{int(now % 1 * 1000):03d} {direction} {text[:_LONGEST_KEPT]}")

    def end(self) -> None:
        """Write it. What is noted afterwards is lost. Raises LogError."""
        file, self._file = self._file, None
        if file is not None:
            write_log(file, self._lines)


def write_log(file: IO[bytes], lines: Sequence[str]) -> None:
    """Write lines to a file without a buffer. Raises LogError."""
    view = memoryview("".join(line + "\n" for line in lines).encode("utf-8", "backslashreplace"))
    try:
        while view:
            view = view[file.write(view) :]
    except OSError as error:
        raise LogError(f"--log {excerpt(str(file.name))} cannot be written: {error.strerror}") from None


class Dialogue:
    """An engine, started in a process group of its own. Raises OSError if it cannot be.

    Parameters
    ----------
    command : sequence of str
    transcript : Transcript, optional
    line_end : str
        How the host ends its lines.
    """

    def __init__(self, command: Sequence[str], transcript: Transcript | None = None, line_end: str = "\n") -> None:
        self._transcript = transcript
        self._line_end = line_end.encode()
        self._stderr = StderrCapture()
        self._child = ChildProcess(command, _MARK, stderr=self._stderr)
        self.process = self._child.popen
        self.heard: list[Heard] = []
        """All that was received."""
        self._last_said = ""
        self._incoming: SimpleQueue[Heard | None] = SimpleQueue()
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        # Counted apart by the threads that put in and take out.
        self._bytes_in = self._bytes_out = 0
        for work in (self._read, self._write):
            threading.Thread(target=work, name=f"{work.__name__} {command[0]}", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, *lines: str) -> None:
        """Write lines, at once and as one piece; never waits for the engine to read them."""
        if self._transcript is not None:
            for line in lines:
                self._transcript.note(">", line)
        self._last_said = lines[-1]
        self._outgoing.put(b"".join(line.encode() + self._line_end for line in lines))

    def close_input(self) -> None:
        """Let the engine see the end of its input, once it has read all that was sent."""
        self._outgoing.put(None)

    def receive(self, deadline: float) -> Heard:
        """The next line. Raises Silent at `deadline` (now_s() seconds), Ended at the end of the output."""
        try:
            heard = self._incoming.get(timeout=max(0.0, deadline - now_s()))
        except Empty:
            raise Silent("nothing") from None
        if heard is None:
            self._incoming.put(None)  # for whoever asks again
            raise Ended(self._last_words() + (f", after {quoted(self._last_said)}" if self._last_said else ""))
        self._bytes_out += len(heard.text)
        self.heard.append(heard)
        return heard

    def until(self, wanted: Callable[[str], object], patience_s: float) -> tuple[Heard, list[str]]:
        """The first line that is wanted, and the texts of those before it.

        Raises Silent after `patience_s`, or a flood of lines; Ended.
        """
        deadline = now_s() + patience_s
        before: list[str] = []
        passed_over = 0
        while True:
            if len(before) > MOST_UNREAD or passed_over > _MOST_UNREAD_BYTES:
                raise Silent(f"but a flood of lines, such as {quoted(before[-1])}")
            try:
                heard = self.receive(deadline)
            except Silent:
                raise Silent(f"only {quoted(before[-1])}" if before else "nothing") from None
            if wanted(heard.text):
                return heard, before
            before.append(heard.text)
            passed_over += len(heard.text)

    def wait_end(self, patience_s: float) -> None:
        """Wait until the program has ended. Raises Silent if it goes on running."""
        try:
            self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            raise Silent(f"runs on {patience_s:g} s after {quoted(self._last_said)}") from None

    def left_behind(self) -> list[int]:
        """Numbers of the processes that the program has started and that outlive it; it must have ended. On Linux
        those too that have made themselves leaders of a group."""
        deadline = now_s() + _GOODBYE_S
        while (left := self._child.tree.members()) and now_s() < deadline:
            time.sleep(_PROBE_S)  # a child that saw the end of its parent is just leaving
        return left

    def suspend(self) -> None:
        """Stop the program itself, but not its children. Not on Windows."""
        if sys.platform != "win32":
            self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a suspended program go on."""
        if sys.platform != "win32":
            self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """End the program and all that it has started, at once. Raises LogError."""
        try:
            self._child.kill()
        finally:
            self.close_input()
            self._stderr.close()
            if self._transcript is not None:
                self._transcript.end()

    def _write(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # it has closed its end; the reader sees it leave
            while (data := self._outgoing.get()) is not None:
                view = memoryview(data)
                while view:
                    view = view[self.process.stdin.write(view) :]
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        read_lines(self.process.stdout.fileno(), self._take)
        self._incoming.put(None)
        self.process.stdout.close()

    def _take(self, line: bytes, arrival: float) -> None:
        if self._incoming.qsize() < MOST_UNREAD and self._bytes_in - self._bytes_out < _MOST_UNREAD_BYTES:
            text = line[:_LONGEST_KEPT].decode("utf-8", "replace").strip("\r\n")
            self._bytes_in += len(text)
            if self._transcript is not None:
                self._transcript.note("<", text)
            self._incoming.put(Heard(arrival, text))

    def _last_words(self) -> str:
        try:
            status = self.process.wait(_GOODBYE_S)
        except subprocess.TimeoutExpired:
            return "it closed its output and goes on running"
        how = f"it was ended by signal {-status}" if status < 0 else f"it exited with status {status}"
        last = self._stderr.last_line()
        return f"{how}, saying {quoted(last)}" if last else how


def quoted(text: str) -> str:
    """What an engine said, fit to be shown in a line of a report."""
    return ascii(text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "...")


def family(pid: int) -> list[int]:
    """A process and all that came of it, as far as their parents live. Linux only."""
    children: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += map(int, (task / "children").read_text().split())
    return [pid, *(member for child in children for member in family(child))]


def private_bytes(pid: int) -> int:
    """What would be given back if the process ended (USS), 0 if it is gone. Linux only."""
    try:
        pages = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(kilobytes) for kilobytes in re.findall(r"^Private_\w+: +(\d+)", pages, re.MULTILINE)) << 10
