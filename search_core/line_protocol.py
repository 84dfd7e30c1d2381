"""The base of every protocol adapter: lines in, lines out, one command at a time.

A `LineChannel` carries the lines, a `LineLoop` takes them, a `LineProtocol` obeys them. One thread reads;
everything else happens on the thread that called `run()`, in this order:
the lines as they came, and between them what the search threads `post()`.
That thread never searches and never waits for a search, so `stop`, `quit`, the
end of the input and signals are seen at once. A command that has to wait for
the end of a search is put aside, and all later commands queue up behind it.

This module is imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import threading
import time
from collections import deque
from queue import Empty, SimpleQueue

from search_core.clock import now_s
from search_core.line_splitter import LineSplitter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType
    from typing import BinaryIO, TextIO, TypeVar

    T = TypeVar("T")

LOG_VARIABLE = "SANQI_LOG"
"""The environment variable that names a debug log, for hosts that cannot set options."""

LEAVE_GRACE_S = 0.2
"""Seconds that a search may run before `quit` ends it, so that `printf 'go …\\nquit\\n' |` shows a real move."""

MAX_LINE = 1 << 16
"""Largest line of an engine protocol in bytes, without its end. A game of 10,000 moves fits in."""

_CHUNK = 1 << 16
_SHOWN_LENGTH = 40
_PRINTABLE_LENGTH = 300

MAX_WAIT_S = 0.2
"""The main thread waits in short pieces. A signal does not end a wait on Windows, nor elsewhere if it comes just before
the wait begins, as one in 20 did while another thread started a process."""


def taken(queue: SimpleQueue[T]) -> T:
    """What comes next. The wait can be interrupted, on Windows too."""
    while True:
        with contextlib.suppress(Empty):
            return queue.get(timeout=MAX_WAIT_S)


def excerpt(text: str) -> str:
    """Foreign text for a message: quoted, in ASCII, of limited length."""
    return ascii(text if len(text) <= _SHOWN_LENGTH else text[:_SHOWN_LENGTH] + "...")


def legible(text: str) -> str:
    """As excerpt(), but letters of every script stay as they are: for people, not for a protocol."""
    return repr(text if len(text) <= _SHOWN_LENGTH else text[:_SHOWN_LENGTH] + "...")


def shown_path(path: str) -> str:
    """A file for a message to people: quoted, letters of every script as they are; of a long path its end."""
    return repr(path if len(path) <= _SHOWN_LENGTH else "..." + path[-_SHOWN_LENGTH:])


def printable(text: str, longest: int = _PRINTABLE_LENGTH) -> str:
    """A text with foreign text in it, such as an exception's, made safe for one line on a terminal."""
    cut = text if len(text) <= longest else text[:longest] + "..."
    return "".join(one if one.isprintable() else "\ufffd" for one in cut)


def series(words: Iterable[str], last_word: str = "or") -> str:
    """``psq, sgf or hex``."""
    *others, last = words
    return f"{', '.join(others)} {last_word} {last}" if others else last


def decode_line(raw: bytes) -> str:
    """The text of a line in UTF-8 or, failing that, GBK; bytes that are neither become U+FFFD."""
    for encoding in ("utf-8-sig", "gbk"):
        try:
            return raw.decode(encoding).strip()
        except UnicodeDecodeError:
            pass
    return raw.decode("utf-8", "replace").strip()


def first_word(line: str | None) -> str:
    """The command that a line begins with, in lower case."""
    return line.split(None, 1)[0].lower() if line else ""


class OverlongLine(str):
    """The beginning of a line that was dropped because it is too long. It must not be obeyed."""

    __slots__ = ("fault",)

    fault: str
    """What is wrong, for the user; names the limit."""


class LineChannel:
    """Lines over a pair of raw byte streams, and the debug log of both directions.

    Only one thread at a time may call `receive()`; any thread may call `send()`. Lines of more than `longest_line`
    bytes are dropped and never held in memory.
    """

    def __init__(self, source: BinaryIO | _TypedBytes, sink: BinaryIO, longest_line: int = MAX_LINE) -> None:
        self._source = source
        self._sink = sink
        self._splitter = LineSplitter(longest_line)
        self._lines: deque[tuple[bytes, int]] = deque()
        self._ended = False
        self._is_broken = False
        self._sink_lock = threading.Lock()
        self._log: TextIO | None = None
        self._log_lock = threading.Lock()

    def receive(self) -> str | None:
        """Wait for the next line and return it without its end; an OverlongLine if it was dropped, None at the end of
        the input."""
        while not self._lines and not self._ended:
            chunk = self._read_chunk()
            if chunk:
                self._lines.extend(self._splitter.feed(chunk))
                continue
            self._ended = True
            last = self._splitter.end()
            if last is not None:
                self._lines.append(last)
        if not self._lines:
            return None
        raw, length = self._lines.popleft()
        line = decode_line(raw)
        if length > self._splitter.longest:
            self.note(">", f"{line}... ({length} bytes, dropped)")
            dropped = OverlongLine(line or "blanks")
            dropped.fault = (
                f"{excerpt(dropped + '...')}: a line of {length} bytes, longer than the limit of"
                f" {self._splitter.longest}, was dropped"
            )
            return dropped
        self.note(">", line)
        return line

    @property
    def ended(self) -> bool:
        """Whether the other side has gone: the input is at its end, or a line could not be written."""
        return self._ended or self._is_broken

    def send(self, line: str) -> None:
        """Write one line, whole and at once. Raises OSError when nobody reads any more."""
        self.note("<", line)  # before the write, since the host may answer at once
        data = memoryview(line.encode("ascii", "backslashreplace") + b"\n")
        try:
            with self._sink_lock:
                while data:
                    written = self._sink.write(data)
                    if written is None:
                        self._wait_for([], [self._sink])
                    else:
                        data = data[written:]
                self._sink.flush()
        except OSError:
            self._is_broken = True
            raise

    def log_to(self, path: str) -> None:
        """Append both directions to the file `path` from now on; "" ends it. Raises OSError, keeping the old log."""
        log = open(path, "a", encoding="utf-8", errors="backslashreplace") if path else None  # noqa: SIM115
        with self._log_lock:
            if self._log is not None:
                self._log.close()
            self._log = log

    def _read_chunk(self) -> bytes:
        try:
            chunk = self._source.read(_CHUNK)
            while chunk is None:
                self._wait_for([self._source], [])
                chunk = self._source.read(_CHUNK)
        except (OSError, ValueError):  # the terminal is gone; the stream was closed
            return b""
        return chunk

    @staticmethod
    def _wait_for(sources: list[BinaryIO | _TypedBytes], sinks: list[BinaryIO]) -> None:
        """Wait for a stream that another process, which shares it with us, has set to non-blocking."""
        import select

        select.select(sources, sinks, [])

    def note(self, direction: str, line: str) -> None:
        """Add a line to the log, if one is kept: `>` from the host, `<` from us, `#` a remark."""
        if self._log is None:
            return
        now = time.time()
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
        with self._log_lock:
            if self._log is None:
                return
            try:
                self._log.write(f"{stamp}.{int(now % 1 * 1000):03d} {direction} {line}\n")
                self._log.flush()
            except OSError as error:  # the disk is full: the game matters more
                path = self._log.name
                with contextlib.suppress(OSError):  # the unwritten line, which it tries to write again
                    self._log.close()
                self._log = None
                _warn(f"the log {excerpt(path)} cannot be written: {error.strerror}; logging stops")


class _TypedBytes:
    """What a person types. A signal ends a read, also if it comes just before the read begins."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source

    def read(self, size: int) -> bytes | None:
        if sys.platform != "win32":  # where only sockets can be waited for
            import select

            while not select.select([self._source], [], [], MAX_WAIT_S)[0]:
                pass
        return self._source.read(size)

    def fileno(self) -> int:
        return self._source.fileno()


def standard_input() -> Callable[[], str | None]:
    """A function that reads what a person types, as LineChannel.receive() does. Closed input is at its end."""
    if sys.stdin is None:
        return lambda: None
    return LineChannel(_TypedBytes(sys.stdin.buffer.raw), sys.stdin.buffer).receive  # type: ignore[union-attr]


class LineProtocol:
    """A dialect between a host and the engine: what the host's lines mean, and how the answers are worded.

    A subclass implements `command()`, `notify()` and, if needed, the other methods. All are called by `lines`, on the
    thread of `run()`.
    """

    def __init__(self, channel: LineChannel) -> None:
        self.lines = LineLoop(channel, self)

    def run(self, first_line: str | None = None) -> int:
        """Serve the host, as LineLoop.run() does."""
        return self.lines.run(first_line)

    def command(self, line: str) -> None:
        """Obey one line. Blank lines and comments (``#``) do not come here."""
        raise NotImplementedError

    def answer_failure(self, line: str) -> None:
        """Answer a line at which `command()` failed by an internal error. The user has been notified already."""

    def notify(self, text: str) -> None:
        """Tell the user what was wrong and what happens now, in one line of the protocol."""
        raise NotImplementedError

    def refuse_overlong(self, line: OverlongLine) -> None:
        """Tell the user, when its turn comes, that a line was dropped."""
        self.notify(f"{line.fault}; nothing changed")

    def can_handle(self, line: str | None) -> bool:
        """Whether the line (None: the end of the input) can be obeyed now. If not, it and all later lines wait."""
        return True

    def handle_out_of_order(self, line: str | None) -> bool:
        """Look at a line that arrives while others wait. True: it was handled and need not wait."""
        if line is None:
            self.lines.leave()
        return line is None

    def interrupt(self) -> None:
        """End at once what makes it `busy`."""

    @property
    def busy(self) -> bool:
        """Whether an answer from another thread is still to come."""
        return False

    @property
    def busy_since(self) -> float:
        """When it became busy, on the clock of now_s()."""
        return 0.0

    def on_exit(self) -> None:
        """Send what the protocol wants sent before the end."""

    def close(self) -> None:
        """Free threads and memory."""


class LineLoop:
    """Has a LineProtocol obey the lines of a channel in order, and writes its answers."""

    def __init__(self, channel: LineChannel, protocol: LineProtocol) -> None:
        self.channel = channel
        self.waiting: deque[str | None] = deque()
        """The lines that wait for the end of a search."""
        self.stop_follows = False
        """Whether a stop came after the line that is being obeyed: a search that the line begins ends at once."""
        self.leaving = False
        self._protocol = protocol
        self._events: SimpleQueue[str | Callable[[], None] | None] = SimpleQueue()
        self._stopped_lines = 0  # how many of the waiting lines came before a stop
        self._alarm: tuple[float, Callable[[], None]] | None = None
        self._lost_output: OSError | None = None

    @property
    def posted(self) -> int:
        """How many lines and calls are still to be handled."""
        return self._events.qsize()

    def send(self, line: str) -> None:
        """Write one line to the host. If nobody reads it, the program ends quietly."""
        try:
            self.channel.send(line)
        except OSError as error:
            if not isinstance(error, ConnectionError) and error.errno != errno.EINVAL:  # Windows: broken pipe
                self._lost_output = error
            self.leave(at_once=True)

    def post(self, event: Callable[[], None]) -> None:
        """Call `event` between two commands. For other threads and signal handlers."""
        self._events.put(event)

    def call_at(self, when: float, event: Callable[[], None]) -> None:
        """Call `event` between two commands at this time of now_s(), in place of what was to be called so before. Not
        for other threads."""
        self._alarm = when, event

    def stop_waiting(self) -> None:
        """A stop has come: it also ends the searches that the waiting lines begin."""
        self._stopped_lines = len(self.waiting)

    def leave(self, at_once: bool = False) -> None:
        """End the program after the answer that is still due. A search may run until it is LEAVE_GRACE_S old."""
        self.leaving = True
        self.waiting.clear()
        if not self._protocol.busy:
            return
        if at_once:
            self._alarm = None
            self._protocol.interrupt()
        else:
            self.call_at(self._protocol.busy_since + LEAVE_GRACE_S, self._protocol.interrupt)

    def run(self, first_line: str | None = None) -> int:
        """Serve the host until it leaves, and return the exit status.

        `first_line` has been read already; it is obeyed before anything is set up. Raises OSError if output was lost
        although the host is there, as on a full disk.
        """
        on_main_thread = threading.current_thread() is threading.main_thread()
        if on_main_thread:
            threading.excepthook = self._report_crash
        if first_line is not None:
            self._dispatch(first_line)
        if on_main_thread:
            self._catch_signals()
        threading.Thread(target=self._listen, name="reader", daemon=True).start()
        while not self.leaving or self._protocol.busy:
            self._handle(self._next_event())
            while self.waiting and not self.leaving and self._protocol.can_handle(self.waiting[0]):
                self.stop_follows = self._stopped_lines > 0
                self._stopped_lines = max(self._stopped_lines - 1, 0)
                self._dispatch(self.waiting.popleft())
                self.stop_follows = False
        self._protocol.on_exit()
        self._protocol.close()
        if self._lost_output is not None:
            raise self._lost_output
        return 0

    def _listen(self) -> None:
        while True:
            line = self.channel.receive()
            if line is None or (line and not line.startswith("#")):
                self._events.put(line)
            if line is None:
                return

    def _next_event(self) -> str | Callable[[], None] | None:
        while True:
            timeout = MAX_WAIT_S
            if self._alarm is not None:
                when, event = self._alarm
                left = when - now_s()
                if left <= 0:
                    self._alarm = None
                    return event
                timeout = min(timeout, left)
            try:
                return self._events.get(timeout=timeout)
            except Empty:
                continue

    def _handle(self, event: str | Callable[[], None] | None) -> None:
        if event is not None and not isinstance(event, str):
            event()
        elif self.leaving:
            pass
        elif self.waiting or not self._protocol.can_handle(event):
            if isinstance(event, OverlongLine) or not self._protocol.handle_out_of_order(event):
                self.waiting.append(event)
        else:
            self._dispatch(event)

    def _dispatch(self, line: str | None) -> None:
        if line is None:
            self.leave()
        elif isinstance(line, OverlongLine):
            self._protocol.refuse_overlong(line)
        else:
            try:
                self._protocol.command(line)
            except Exception as error:  # noqa: BLE001 - an internal error must not end the user's game
                self._protocol.notify(
                    f"internal error at {excerpt(line)}: {type(error).__name__}: {excerpt(str(error))}"
                )
                self._protocol.answer_failure(line)

    def _catch_signals(self) -> None:
        def leave(number: int, frame: FrameType | None) -> None:
            self.leaving = True  # lines that came before the signal are not obeyed any more
            self.post(lambda: self.leave(at_once=True))

        for name in ("SIGINT", "SIGTERM", "SIGBREAK", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is None or (name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN):  # under nohup
                continue
            signal.signal(number, leave)

    def _report_crash(self, failure: threading.ExceptHookArgs) -> None:
        text = f"internal error: {failure.exc_type.__name__}: {excerpt(str(failure.exc_value))}"
        self.post(lambda: self._protocol.notify(text))


def _warn(text: str) -> None:
    """Write a message for the user to stderr, outside the dialogue."""
    if sys.stderr is not None:  # it is None in a program without a console
        with contextlib.suppress(OSError, ValueError):  # nobody reads it
            sys.stderr.write(f"sanqi: {text}\n")


def open_standard_channel(longest_line: int = MAX_LINE) -> LineChannel:
    """The channel over stdin and stdout, logging where LOG_VARIABLE says. Raises OSError if one of them is closed."""
    channel = LineChannel(
        open(0, "rb", buffering=0, closefd=False),  # noqa: SIM115
        open(1, "wb", buffering=0, closefd=False),  # noqa: SIM115
        longest_line,
    )
    path = os.environ.get(LOG_VARIABLE, "")
    if path:
        try:
            channel.log_to(path)
        except OSError as error:
            _warn(f"{LOG_VARIABLE}: cannot write {excerpt(path)}: {error.strerror}; no log is kept")
    return channel
