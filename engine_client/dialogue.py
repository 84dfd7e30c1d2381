"""The host's side of a dialogue with an engine program. Lines that come in have their time of arrival. Every wait has
a deadline. At the end no process of the program is left."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from engine_client.process import MAX_UNREAD, EngineSilent, LineProcess, ReceivedLine
from search_core.child_process import ENDING_SIGNALS, StderrCapture, find_processes_by_env, kill
from search_core.clock import now_s
from search_core.command_line import split_words, this_program
from search_core.failures import named
from search_core.line_protocol import LOG_VARIABLE, excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_MARK = "SANQI_EXAMINED"
"""Environment variable that marks the processes of one start of an engine."""
_MAX_UNREAD_BYTES = 4 << 20
"""If an engine floods its output, lines beyond this are dropped to save memory."""
_MAX_KEPT = 4096
"""Bytes kept of a line."""
_END_S = 2.0
"""For killed processes to disappear."""
_GOODBYE_S = 0.3
_PROBE_S = 0.02
_instead: list[Callable[[], object]] = []
"""Actions of `interrupted_by`; a signal calls the last one."""
_MAX_QUOTE = 70


class CommandError(ValueError):
    """A text is not a command line; the message is one line for the user."""


class LogError(Exception):
    """The log cannot be written; the message is one line for the user."""


@contextmanager
def engines_ended() -> Iterator[None]:
    """At the end of the body, or at a signal, kill all engines started in it, with their child processes.

    The engines do not inherit the variable that names our debug log.
    """
    mark = os.urandom(16).hex()
    before = {name: os.environ.pop(name, None) for name in (_MARK, LOG_VARIABLE)}
    os.environ[_MARK] = mark

    def interrupt(number: int, frame: FrameType | None) -> None:
        # Kill first, so that nothing waits for an engine while the program ends.
        kill(find_processes_by_env(_MARK, mark))
        if not _instead:
            raise KeyboardInterrupt
        _instead[-1]()

    numbers = [number for number in ENDING_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]  # as under nohup
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
    """In the body, a signal kills the engines and calls `act`; KeyboardInterrupt is raised behind the body.

    Raised at any moment, it could leave a lock held for which another thread waits, and an event loop cannot handle it.
    """
    has_come = False

    def come() -> None:
        nonlocal has_come
        has_come = True
        act()

    _instead.append(come)
    try:
        yield
    finally:
        _instead.pop()
        if has_come:
            raise KeyboardInterrupt


def end_engines() -> None:
    """Kill all running engines that this program started, with their child processes. Linux only."""
    if _MARK in os.environ:
        kill(find_processes_by_env(_MARK, os.environ[_MARK]))


def _end_all(mark: str) -> None:
    """Kill all processes with the mark, also those that our other threads are just starting."""
    deadline = now_s() + _END_S
    quiet = 0
    while now_s() < deadline:
        left = find_processes_by_env(_MARK, mark)
        ours = threading.current_thread()
        starting = [thread for thread in threading.enumerate() if not thread.daemon and thread is not ours]
        # A process that is loading its program has no environment for a moment: look twice.
        quiet = 0 if left or starting else quiet + 1
        if quiet == 2:
            break
        kill(left)
        time.sleep(_PROBE_S)


def engine_command(text: str | None) -> list[str]:
    """The words of the command that `--engine` gives; None: this program. Raises CommandError."""
    if text is None:
        return [str(this_program())]
    with named(f"--engine {excerpt(text)}", ValueError, CommandError):
        command = split_words(text)
    if not command:
        raise CommandError("--engine: an empty command")
    return command


class Transcript:
    """The dialogue of a host with one start of an engine. `file`: it is written there in one piece, without a buffer;
    None: it is not kept."""

    def __init__(self, title: str, file: IO[bytes] | None) -> None:
        self._file = file
        self._lines = [f"# {title}"]

    def note(self, direction: str, text: str) -> None:
        """Note a line: direction `>` for the host's, `<` for the engine's."""
        if self._file is None:
            return
        now = time.time()
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
        self._lines.append(f"{stamp}.{int(now % 1 * 1000):03d} {direction} {text[:_MAX_KEPT]}")

    def end(self) -> None:
        """Write the transcript. Later notes are lost. Raises LogError."""
        file, self._file = self._file, None
        if file is not None:
            write_log(file, self._lines)


def write_log(file: IO[bytes], lines: Sequence[str]) -> None:
    """Write lines to a file whose errors name it. Raises LogError."""
    try:
        file.write("".join(line + "\n" for line in lines).encode("utf-8", "backslashreplace"))
        file.flush()
    except OSError as error:
        raise LogError(f"--log {excerpt(str(error.filename))} cannot be written: {error.strerror}") from None


class Dialogue(LineProcess, contextlib.AbstractContextManager["Dialogue"]):
    """An engine whose every line is kept. Raises OSError if it cannot be started.

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
        self.heard: list[ReceivedLine] = []
        """All that was received."""
        self._last_said = ""
        # Two counters: each is written by one thread only.
        self._bytes_in = self._bytes_out = 0
        super().__init__(command, stderr=StderrCapture(), mark_name=_MARK)

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, *lines: str) -> None:
        """Write lines in one piece. Does not wait for the engine to read them."""
        if self._transcript is not None:
            for line in lines:
                self._transcript.note(">", line)
        self._last_said = lines[-1]
        self.send_bytes(b"".join(line.encode() + self._line_end for line in lines))

    def receive(self, deadline: float) -> ReceivedLine:
        line = super().receive(deadline)
        self._bytes_out += len(line.text)
        self.heard.append(line)
        return line

    def until(
        self, wanted: Callable[[str], object], patience_s: float, name: str = "", asked: str = ""
    ) -> tuple[ReceivedLine, list[str]]:
        """The first wanted line, and the texts of the lines before it.

        Raises EngineSilent after `patience_s` or after a flood of lines; EngineDied. `name` and `asked` say for the
        message what did not come, and after what: `readyok`, `of 'isready'`.
        """
        deadline = now_s() + patience_s
        missing = f"no {name} within {patience_s:g} s {asked}, " if name else ""
        before: list[str] = []
        passed_over = 0
        while True:
            if len(before) > MAX_UNREAD or passed_over > _MAX_UNREAD_BYTES:
                raise EngineSilent(f"{missing}but a flood of lines, such as {quoted(before[-1])}")
            try:
                heard = self.receive(deadline)
            except EngineSilent:
                raise EngineSilent(missing + (f"only {quoted(before[-1])}" if before else "nothing")) from None
            if wanted(heard.text):
                return heard, before
            before.append(heard.text)
            passed_over += len(heard.text)

    def left_behind(self) -> list[int]:
        """IDs of child processes that are still running; the program itself must have ended. On Linux this includes
        those that became leaders of a process group."""
        deadline = now_s() + _GOODBYE_S
        while (left := self._child.members()) and now_s() < deadline:
            time.sleep(_PROBE_S)  # a child may need a moment to end after its parent
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
        """Kill the program and its child processes. Raises LogError."""
        try:
            self.kill()
        finally:
            if self._transcript is not None:
                self._transcript.end()

    def _take(self, line: bytes, arrival: float) -> None:
        if self._lines.qsize() < MAX_UNREAD and self._bytes_in - self._bytes_out < _MAX_UNREAD_BYTES:
            text = line[:_MAX_KEPT].decode("utf-8", "replace").strip("\r\n")
            self._bytes_in += len(text)
            if self._transcript is not None:
                self._transcript.note("<", text)
            self._lines.put(ReceivedLine(arrival, text))

    def _last_words(self) -> str:
        """As the base says it. The child processes run on: a check may ask for them."""
        how = self._how_it_ended(_GOODBYE_S)
        last = self._last_complaint() if how else ""
        words = f"it {how}" if how else "it closed its output and is still running"
        said = f", after {quoted(self._last_said)}" if self._last_said else ""
        return words + (f", saying {quoted(last)}" if last else "") + said


def quoted(text: str) -> str:
    """A line of an engine, made safe and short for a report."""
    return ascii(text if len(text) <= _MAX_QUOTE else text[:_MAX_QUOTE] + "...")


def family(pid: int) -> list[int]:
    """A process and its descendants, as far as their parents still run. Linux only."""
    children: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += map(int, (task / "children").read_text().split())
    return [pid, *(member for child in children for member in family(child))]


def private_bytes(pid: int) -> int:
    """The process's unique set size (USS): what the system would get back if it ended. 0 if it is gone. Linux only."""
    try:
        pages = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(kilobytes) for kilobytes in re.findall(r"^Private_\w+: +(\d+)", pages, re.MULTILINE)) << 10
