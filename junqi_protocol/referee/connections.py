"""Connections from a referee to its players: child processes, or TCP clients that know a secret.

A connection never holds up the referee: sending is buffered and receiving has a deadline. A player may die, flood or
never read; the referee only gets a line, Gone, NoLine or CameBack.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import secrets
import socket
import threading
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar

from engine_client.process import GOODBYE_S, EngineDied, EngineSilent, LineProcess, ReceivedLine
from junqi_protocol.protocols.keepalive import keep_alive
from junqi_protocol.rules.messages import MAX_LINE, VERSION
from search_core.child_process import StderrCapture
from search_core.clock import now_s
from search_core.command_line import join_words, split_words
from search_core.failures import failure_of

T = TypeVar("T")

_MAX_UNREAD = 1 << 20
"""Bytes that a player may leave unread before it counts as gone."""
_MAX_WAITING = 1000
"""Lines of a program that wait for the referee; then its output is not read."""
_ROOM_S = 0.05
_ADMISSION_S = 10.0
MAX_STRANGERS = 32
"""Connections at a time that have not sent a secret yet; the game needs descriptors, too."""
_BACKLOG = 128
"""Connections that the system queues until we accept them."""
_ACCEPT_AGAIN_S = 0.02
_SECRET_BYTES = 16


class Gone(Exception):
    """The player's end of the connection is closed; no more lines will come."""


class CameBack(Exception):
    """The player has reconnected and needs the whole game again."""


class NoLine(Exception):
    """No line came before the deadline."""


async def within(timeout_s: float, coroutine: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns. Raises NoLine if it takes too long.

    Not asyncio.wait_for(): before Python 3.12 it loses a cancellation that comes at the same time as the result, and
    the referee could not be ended.
    """
    task = asyncio.ensure_future(coroutine)
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout_s)
        if not done:
            raise NoLine
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})  # a stream has one reader at a time


class EndableWork:
    """Runs coroutines, one after the other; end() cancels them for good."""

    def __init__(self) -> None:
        self._is_over = False
        self._running: asyncio.Task[object] | None = None

    def end(self) -> None:
        """Cancel what is running, and run nothing more. Any thread may call this, a signal handler too."""
        self._is_over = True
        running = self._running
        if running is not None:
            with contextlib.suppress(RuntimeError):  # it has just ended
                running.get_loop().call_soon_threadsafe(running.cancel)

    async def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` in the current task."""
        self._running = asyncio.current_task()
        try:
            if self._is_over:
                work.close()
            else:
                await work
        finally:
            self._running = None


class Connection:
    """Lines to and from one player, which plays `seats`."""

    def __init__(self, seats: tuple[int, ...]) -> None:
        self.seats = seats
        self.ready = False
        """Whether the handshake is done."""
        self.options: Sequence[tuple[str, str]] = ()
        """Names and values to set after the handshake."""
        self.movetime_ms: int | None = None
        """Milliseconds per move for this player; None: what the referee gives to all."""

    @property
    def came_back(self) -> bool:
        """Whether a client has connected again, is ready and needs the whole game; True only once."""
        return False

    def on_handshake_line(self, line: str) -> None:
        """Called for each handshake line before the last. Does nothing; a subclass may read the engine's options."""

    async def open(self) -> None:
        """Connect the player. Raises Gone if that fails; does nothing if it is connected."""
        raise NotImplementedError

    async def close(self) -> None:
        """Send `quit` and close the connection. Leaves no process behind."""

    def send(self, line: str) -> None:
        """Send a line, without waiting until it is written."""
        raise NotImplementedError

    async def receive(self, deadline: float) -> str:
        """The next line from the player; overlong ones are skipped.

        `deadline` is on the clock of now_s(). Raises Gone, NoLine or CameBack.
        """
        raise NotImplementedError


class _Program(LineProcess):
    """A program that plays on an event loop. Its output is not read faster than its lines are received."""

    def __init__(
        self, command: Sequence[str], directory: str | None, memory_mb: int, stderr: StderrCapture | None
    ) -> None:
        self.arrived = asyncio.Event()
        """Whether there may be a line, or the end."""
        self._loop = asyncio.get_running_loop()
        self._room = threading.Semaphore(_MAX_WAITING)
        self._is_closing = False
        super().__init__(command, directory, memory_mb, stderr)

    def receive(self, deadline: float) -> ReceivedLine:
        line = super().receive(deadline)
        self._room.release()
        return line

    def close(self) -> None:
        """Ask the program to quit, then kill it and its child processes. May take seconds."""
        self._is_closing = True
        self.send_bytes(b"quit\n")
        self.close_input()
        self._reader.join(GOODBYE_S)
        self.kill()

    def kill(self) -> None:
        self._is_closing = True
        super().kill()

    def _take(self, line: bytes, arrival: float) -> None:
        while len(line) < MAX_LINE and not self._is_closing:
            if self._room.acquire(timeout=_ROOM_S):
                self._lines.put(ReceivedLine(arrival, line.decode("ascii", "replace").strip()))
                if self._lines.qsize() <= 1:  # else the loop has not taken what came before
                    self._wake()
                return

    def _read(self) -> None:
        super()._read()
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self.arrived.set)

    def _last_words(self) -> str:
        return ""


class ProcessConnection(Connection):
    """A player that is a program, started by the referee. `memory_mb`: the MiB that it may have (0: no limit).
    `stderr`: by default it writes to the referee's."""

    def __init__(
        self,
        seats: tuple[int, ...],
        command: str | Sequence[str],
        directory: str | None = None,
        memory_mb: int = 0,
        stderr: StderrCapture | None = None,
    ) -> None:
        super().__init__(seats)
        self._command = split_words(command) if isinstance(command, str) else list(command)
        self._start = partial(_Program, self._command, directory, memory_mb, stderr)
        self._program: _Program | None = None
        self._is_gone = False

    @property
    def command(self) -> str:
        """The command line of the program."""
        return join_words(self._command)

    async def open(self) -> None:
        if self._program is not None and not self._is_gone:
            return
        await self.close()
        try:
            self._program = self._start()
        except OSError as error:
            raise Gone(failure_of(error)) from None
        except IndexError as error:
            raise Gone(f"{self.command}: {error}") from None
        self._is_gone = self.ready = False

    def send(self, line: str) -> None:
        program = self._program
        if program is not None and not self._is_gone:
            program.send_bytes(line.encode("ascii", "backslashreplace") + b"\n")
            self._is_gone = program.unread_bytes > _MAX_UNREAD

    async def receive(self, deadline: float) -> str:
        program = self._program
        while program is not None and not self._is_gone:
            program.arrived.clear()
            try:
                return program.receive(0).text
            except EngineDied:
                break
            except EngineSilent:
                left = deadline - now_s()
            if left <= 0:
                raise NoLine
            # If a process that the program started has the pipe open, the output does not end with the program.
            has_ended = program.process.poll() is not None
            try:
                await within(min(left, GOODBYE_S), program.arrived.wait())
            except NoLine:
                if has_ended and left > GOODBYE_S:
                    break
        self._is_gone, self.ready = True, False
        raise Gone

    async def close(self) -> None:
        program, self._program = self._program, None
        if program is not None:
            await asyncio.to_thread(program.close)

    def kill(self) -> None:
        """Kill the program and all processes that it has started."""
        if self._program is not None:
            self._program.kill()


class SocketConnection(Connection):
    """A player that connects over TCP. If its connection is lost, it may reconnect with a new secret."""

    def __init__(self, seats: tuple[int, ...], announce: Callable[[tuple[int, ...], str], None]) -> None:
        super().__init__(seats)
        self._announce = announce
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._overlong = False
        """Whether the next line is the rest of one that is too long."""
        self._arrival = asyncio.Event()
        self.secret = ""
        """The secret for the next client; "" while a client is connected."""

    async def open(self) -> None:
        """Wait for the client as long as it takes."""
        if self._reader is None:
            self.invite()
            await self._arrival.wait()
            self._arrival.clear()

    def invite(self) -> None:
        """Make a new secret and announce it, unless there is an unused one."""
        if not self.secret:
            self.secret = secrets.token_hex(_SECRET_BYTES)
            self._announce(self.seats, self.secret)

    def admit(self, secret: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Take a client if it knows the secret; else return False and change nothing."""
        if not self.secret or not hmac.compare_digest(secret.encode(), self.secret.encode()):
            return False
        self.secret = ""
        self._reader, self._writer = reader, writer
        self._overlong = self.ready = False
        self._arrival.set()
        return True

    def send(self, line: str) -> None:
        if self._writer is None:
            return
        with contextlib.suppress(OSError, RuntimeError):
            self._writer.write(line.encode("ascii", "backslashreplace") + b"\n")
            if self._writer.transport.get_write_buffer_size() > _MAX_UNREAD:
                self._writer.transport.abort()

    async def receive(self, deadline: float) -> str:
        while self._reader is not None:
            if (left := deadline - now_s()) <= 0:  # a client that floods has always sent a line
                raise NoLine
            try:
                line = await within(left, self._line(self._reader))
            except (OSError, EOFError):
                self._detach()
            else:
                if line is not None:
                    return line.decode("ascii", "replace").strip()
        # The connection is lost: the player has until the deadline to come back.
        self.invite()
        await within(deadline - now_s(), self._arrival.wait())
        self._arrival.clear()
        raise CameBack

    async def _line(self, reader: asyncio.StreamReader) -> bytes | None:
        """The next line; None: it was a part of one that is too long."""
        try:
            line = await reader.readuntil(b"\n")
        except asyncio.LimitOverrunError as overrun:
            await reader.readexactly(overrun.consumed)
            self._overlong = True
            return None
        overlong, self._overlong = self._overlong, False
        return None if overlong else line

    def _detach(self) -> None:
        self._reader = self._writer = None
        self.ready = False

    @property
    def came_back(self) -> bool:
        if self._arrival.is_set():
            self._arrival.clear()
            self.ready = True
            return True
        return False

    async def close(self) -> None:
        writer = self._writer
        if writer is not None:
            self.send("quit")
            writer.close()
            with contextlib.suppress(OSError, NoLine):
                await within(GOODBYE_S, writer.wait_closed())
        self._detach()


class Reception:
    """The TCP server that admits clients to the connections waiting for them.

    A stranger is a client that has not sent its secret yet. At most MAX_STRANGERS are connected; the oldest makes room
    for the next. None is accepted while no client is expected. `tell` gets a line for the user if accepting fails.
    """

    def __init__(self, expected: list[SocketConnection], tell: Callable[[str], None]) -> None:
        self._expected = expected
        self._tell = tell
        self._told = False
        self._listeners: list[socket.socket] = []
        self._accepting: list[asyncio.Task[None]] = []
        self._strangers: dict[asyncio.Task[None], None] = {}
        """The oldest first."""

    async def open(self, host: str, port: int) -> tuple[str, int]:
        """Listen at all addresses of a host, at the same port; returns the first. Raises OSError."""
        loop = asyncio.get_running_loop()
        for family, _, _, _, address in dict.fromkeys(
            await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        ):
            try:
                listener = socket.create_server((address[0], port, *address[2:]), family=family, backlog=_BACKLOG)
            except OSError:
                if self._listeners:
                    continue
                raise
            listener.setblocking(False)
            self._listeners.append(listener)
            port = listener.getsockname()[1]
        self._accepting = [loop.create_task(self._accept(listener)) for listener in self._listeners]
        return self._listeners[0].getsockname()[0], port

    async def close(self) -> None:
        """Stop listening, and close the connections of all strangers."""
        tasks = [*self._accepting, *self._strangers]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for listener in self._listeners:
            listener.close()

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                client, _ = await loop.sock_accept(listener)
            except ConnectionError:  # gone before it was accepted
                continue
            except OSError as error:
                if not self._told:
                    self._told = True
                    self._tell(f"cannot accept connections: {error.strerror}; trying again until it works")
                self._make_room()
                await asyncio.sleep(_ACCEPT_AGAIN_S)
                continue
            if any(connection.secret for connection in self._expected):
                if len(self._strangers) >= MAX_STRANGERS:
                    self._make_room()
                task = loop.create_task(self._receive(client))
                self._strangers[task] = None
                task.add_done_callback(self._forget)
            else:
                client.close()
            await asyncio.sleep(0)  # let other tasks run even if clients never stop coming

    def _make_room(self) -> None:
        """Disconnect the oldest stranger."""
        oldest = next(iter(self._strangers), None)
        if oldest is not None:
            self._forget(oldest)
            oldest.cancel()

    def _forget(self, stranger: asyncio.Task[None]) -> None:
        self._strangers.pop(stranger, None)

    async def _receive(self, client: socket.socket) -> None:
        """Greet one client, then admit it or disconnect it without an answer."""
        writer: asyncio.StreamWriter | None = None
        admitted = False
        try:
            reader, writer = await asyncio.open_connection(sock=client, limit=MAX_LINE - 1)
            writer.write(f"junqi {VERSION}\n".encode())
            line = await within(_ADMISSION_S, reader.readuntil(b"\n"))
            words = line.decode("ascii", "replace").split()
            admitted = (
                len(words) == 2
                and words[0].lower() == "secret"
                and any(connection.admit(words[1], reader, writer) for connection in self._expected)
            )
        except (OSError, EOFError, asyncio.LimitOverrunError, NoLine):
            pass
        finally:
            if admitted:
                keep_alive(client)
            elif writer is not None:
                writer.close()
            else:
                client.close()
