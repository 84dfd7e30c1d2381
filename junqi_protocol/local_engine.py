"""The engine at the referee's table without a process of its own: for a person who only wants to play."""

from __future__ import annotations

from junqi_protocol.connections import Connection, NoLine
from junqi_protocol.jlp import JlpProtocol
from search_core.line_protocol import LineChannel


class LocalEngine(Connection):
    """Hands the referee's lines to the engine's adapter, and keeps its answers."""

    def __init__(self, seats: tuple[int, ...], level: str) -> None:
        super().__init__(seats)
        self._answers: list[str] = []
        self._protocol = JlpProtocol(_AnswerWire(self._answers), level)

    async def open(self) -> None:
        if not self.ready:
            self.send("junqi 1")
            self._answers.clear()
            self.ready = True

    def send(self, line: str) -> None:
        self._protocol.command(line)

    async def receive(self, deadline: float) -> str:
        if not self._answers:
            raise NoLine
        return self._answers.pop(0)


class _AnswerWire(LineChannel):
    def __init__(self, answers: list[str]) -> None:
        self._answers = answers

    def send(self, line: str) -> None:
        self._answers.append(line)
