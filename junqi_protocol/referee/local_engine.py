"""An engine that plays for the referee in the same process: the opponent in `sanqi play junqi`."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from queue import SimpleQueue

from junqi_protocol.protocols.jlp import JlpProtocol
from junqi_protocol.referee.connections import Connection, NoLine, within
from search_core.clock import now_s
from search_core.line_protocol import LineChannel


class LocalEngine(Connection):
    """An adapter of the line protocol on a thread of this process."""

    def __init__(self, seats: tuple[int, ...], level: str, think_time_ms: int, seed: int | None = None) -> None:
        super().__init__(seats)
        self._level = level
        self._think_time_ms = think_time_ms
        self._seed = seed
        self._channel: _QueueChannel | None = None

    async def open(self) -> None:
        if self._channel is None:
            self._channel = _QueueChannel(asyncio.get_running_loop())
            protocol = JlpProtocol(self._channel, self._level, think_time_ms=self._think_time_ms)
            protocol.set_seed(self._seed or 0)
            threading.Thread(target=protocol.run, name="local engine", daemon=True).start()

    def send(self, line: str) -> None:
        if self._channel is not None:
            self._channel.lines.put(line)

    async def receive(self, deadline: float) -> str:
        left = deadline - now_s()
        if self._channel is None or left <= 0:
            raise NoLine
        return await within(left, self._channel.answers.get())

    async def close(self) -> None:
        if self._channel is not None:
            self._channel.lines.put(None)
            self._channel = None
        self.ready = False


class _QueueChannel(LineChannel):
    """Lines to and from an adapter that runs on another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.lines: SimpleQueue[str | None] = SimpleQueue()
        self.answers: asyncio.Queue[str] = asyncio.Queue()
        self._loop = loop

    def receive(self) -> str | None:
        return self.lines.get()

    def send(self, line: str) -> None:
        with contextlib.suppress(RuntimeError):  # the game is over, and the loop is closed
            self._loop.call_soon_threadsafe(self.answers.put_nowait, line)
