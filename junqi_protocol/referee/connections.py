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
import sys
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from junqi_protocol.protocols.keepalive import keep_alive
from junqi_protocol.rules.messages import LONGEST_LINE, VERSION
from search_core.child_process import ProcessTree, command_in, name_program
from search_core.clock import now_s
from search_core.command_line import join_words, split_words
from search_core.failures import failure_of
from search_core.line_protocol import excerpt

T = TypeVar("T")

_CHUNK = 1 << 16
_MOST_UNREAD = 1 << 20
"""Bytes that a player may leave unread before it counts as gone."""
_GOODBYE_S = 1.0
_PIPES_S = 0.2
"""Time from ending the processes that hold a pipe to closing it."""
_END_S = 2.0
"""Time for a killed program to be gone and our ends of its pipes to be closed."""
_ADMISSION_S = 10.0
MOST_STRANGERS = 32
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
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._buffer = bytearray()
        self._overlong = False

    def on_handshake_line(self, line: str) -> None:
        """Called for each handshake line before the last. Does nothing; a subclass may read the engine's options."""

    async def open(self) -> None:
        """Connect the player. Raises Gone if that fails; does nothing if it is connected."""
        raise NotImplementedError

    async def close(self) -> None:
        """Send `quit` and close the connection. Leaves no process behind."""

    def send(self, line: str) -> None:
        """Send a line, without waiting until it is written."""
        if self._writer is None:
            return
        with contextlib.suppress(OSError, RuntimeError):
            self._writer.write(line.encode("ascii", "backslashreplace") + b"\n")
            if self._writer.transport.get_write_buffer_size() > _MOST_UNREAD:
                self._writer.transport.abort()

    async def receive(self, deadline: float) -> str:
        """The next line from the player; overlong ones are skipped.

        `deadline` is on the clock of now_s(). Raises Gone, NoLine or CameBack.
        """
        while True:
            end = self._buffer.find(b"\n")
            if end >= 0:
                raw = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                overlong, self._overlong = self._overlong or end >= LONGEST_LINE, False
                if overlong:
                    continue
                return raw.decode("ascii", "replace").strip()
            if len(self._buffer) >= LONGEST_LINE:
                self._buffer.clear()
                self._overlong = True
            left = deadline - now_s()
            if left <= 0:
                raise NoLine
            await self._read(left)

    async def _read(self, timeout_s: float) -> None:
        """Wait for more bytes."""
        if self._reader is None:
            raise Gone
        try:
            chunk = await within(timeout_s, self._reader.read(_CHUNK))
        except OSError:
            chunk = b""
        if not chunk:
            self._detach()
            raise Gone
        self._buffer += chunk

    def _attach(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._buffer.clear()
        self._overlong = False
        self.ready = False

    def _detach(self) -> None:
        self._reader = self._writer = None
        self.ready = False


class _Program(asyncio.subprocess.SubprocessStreamProtocol):
    """A child process whose output ends when it exits, even if a process that it started holds the pipes.

    Such a process is found by its mark and ended. If it cannot be found, our ends of the pipes are closed and the user
    gets a message.
    """

    def __init__(self, command: str, tree: ProcessTree, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(_CHUNK, loop)
        self._command = command
        self._tree = tree
        self._started_on = loop
        self._pipes: list[asyncio.BaseTransport] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._tree.begin(transport.get_pid())
        self._pipes = [pipe for pipe in map(transport.get_pipe_transport, (0, 1)) if pipe is not None]

    @property
    def _held_pipes(self) -> list[asyncio.BaseTransport]:
        """Pipes that are open, or that are closing with data that cannot be written."""
        return [
            pipe
            for pipe in self._pipes
            if not pipe.is_closing() or (isinstance(pipe, asyncio.WriteTransport) and pipe.get_write_buffer_size())
        ]

    def process_exited(self) -> None:
        super().process_exited()
        self._started_on.call_later(_GOODBYE_S, self._end_the_rest)

    def _end_the_rest(self) -> None:
        if self._held_pipes:
            self._tree.end_marked()
            self._started_on.call_later(_PIPES_S, self._close_pipes)

    def _close_pipes(self) -> None:
        held = self._held_pipes
        if held:
            print(
                f"sanqi: {excerpt(self._command)} has ended, but a process that it started holds its input or output"
                " and may run on",
                file=sys.stderr,
            )
        for pipe in held:
            if isinstance(pipe, asyncio.WriteTransport):
                pipe.abort()
            else:
                pipe.close()


class ProcessConnection(Connection):
    """A player that is a program, started by the referee. Its stderr goes to `complaints`, a file descriptor (None:
    the referee's stderr)."""

    def __init__(
        self,
        seats: tuple[int, ...],
        command: str | Sequence[str],
        directory: str | None = None,
        complaints: int | None = None,
    ) -> None:
        super().__init__(seats)
        self._command = split_words(command) if isinstance(command, str) else list(command)
        self._directory = directory
        self._complaints = complaints
        self._process: asyncio.subprocess.Process | None = None
        self._transport: asyncio.SubprocessTransport | None = None
        self._tree = ProcessTree()

    @property
    def command(self) -> str:
        """The command line of the program."""
        return join_words(self._command)

    async def open(self) -> None:
        if self._reader is not None:
            return
        await self.close()
        starting = asyncio.ensure_future(self._start())
        try:
            # A caller that is cancelled here closes the connection, which must then know the process.
            self._process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            with contextlib.suppress(OSError, ValueError, IndexError):
                self._process = await starting
            raise
        except OSError as error:
            raise Gone(failure_of(error)) from None
        except (ValueError, IndexError) as error:
            raise Gone(f"{' '.join(self._command)}: {error}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._attach(self._process.stdout, self._process.stdin)
        self._started(self._process.pid)

    async def _start(self) -> asyncio.subprocess.Process:
        self._tree = tree = ProcessTree()
        loop = asyncio.get_running_loop()
        try:
            # As asyncio.create_subprocess_exec() does it, but with our own protocol.
            transport, program = await loop.subprocess_exec(
                lambda: _Program(self.command, tree, loop),
                *command_in(self._directory, self._command),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=self._complaints,
                cwd=self._directory,
                **tree.start_arguments(),
            )
        except OSError as error:
            name_program(error, self._command, self._directory)
            raise
        self._transport = transport
        return asyncio.subprocess.Process(transport, program, loop)

    def _started(self, pid: int) -> None:
        """Does nothing; a subclass may limit what the program can do."""

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        try:
            self.send("quit")
            if process.stdin is not None:
                process.stdin.close()
            with contextlib.suppress(NoLine):
                await within(_GOODBYE_S, self._end_of(process))
        finally:  # the caller may be cancelled
            self.kill()
            self._detach()
        with contextlib.suppress(NoLine):
            await within(_END_S, self._end_of(process))
        if self._transport is not None:
            with contextlib.suppress(PermissionError):  # we may not kill it, and it lives on
                self._transport.close()

    def kill(self) -> None:
        """Kill the program and all processes that it has started, without waiting for its exit status."""
        self._tree.kill()

    @staticmethod
    async def _end_of(process: asyncio.subprocess.Process) -> None:
        """Wait until a process is gone. asyncio notices that only when all its output has been read, or when _Program
        has closed our ends of its pipes."""
        assert process.stdout is not None
        while await process.stdout.read(_CHUNK):
            pass
        await process.wait()


class SocketConnection(Connection):
    """A player that connects over TCP. If its connection is lost, it may reconnect with a new secret."""

    def __init__(self, seats: tuple[int, ...], announce: Callable[[tuple[int, ...], str], None]) -> None:
        super().__init__(seats)
        self._announce = announce
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
        self._attach(reader, writer)
        self._arrival.set()
        return True

    async def _read(self, timeout_s: float) -> None:
        if self._reader is not None:
            with contextlib.suppress(Gone):
                await super()._read(timeout_s)
                return
        # The connection is lost: the player has until the deadline to come back.
        self.invite()
        await within(timeout_s, self._arrival.wait())
        self._arrival.clear()
        raise CameBack

    @property
    def came_back(self) -> bool:
        """Whether a client has connected again and needs the whole game; True only once."""
        if self._arrival.is_set():
            self._arrival.clear()
            return True
        return False

    async def close(self) -> None:
        writer = self._writer
        if writer is not None:
            self.send("quit")
            writer.close()
            with contextlib.suppress(OSError, NoLine):
                await within(_GOODBYE_S, writer.wait_closed())
        self._detach()


class Reception:
    """The TCP server that admits clients to the connections waiting for them.

    A stranger is a client that has not sent its secret yet. At most MOST_STRANGERS are connected; the oldest makes room
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
                if len(self._strangers) >= MOST_STRANGERS:
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
            reader, writer = await asyncio.open_connection(sock=client, limit=LONGEST_LINE)
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
