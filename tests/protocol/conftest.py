"""Hosts for the tests: they talk to the real program, or to an adapter in this process, line by line.

A dialogue is written as it goes over the wire::

    > isready            the host says this
    < readyok            the engine's next line; * and ? match as in file names, # digits
    ~ bestmove *         the engine's next line that matches; others before it may be anything
    | bye                the engine's next line, which is its last: it exits with status 0

No dialogue waits for a fixed time: to show that the engine says nothing, it
asks `isready` and gets `readyok` as the very next line.
"""

from __future__ import annotations

import os
import queue
import random
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.player import CHOOSERS
from search_core.engine import Engine, Info, Limits, Result
from search_core.game import Game
from search_core.line_protocol import LineChannel, LineProtocol
from search_core.search_driver import SearchProtocol
from search_core.thinking_thread import MoveSignals

if TYPE_CHECKING:
    from tests.helpers.board_client import BoardClient, BoardProcess

PATIENCE_S = 20
"""The time after which a missing line fails the test; otherwise no test waits this long."""

PROGRAM = (sys.executable, "-m", "sanqi")

EXAMPLES = int(os.environ.get("SANQI_EXAMPLES", "20"))
"""How many conversations a fuzz test has with an adapter in this process."""
PROGRAM_EXAMPLES = max(4, EXAMPLES // 10)
"""The same with the program."""


class Host:
    """One side of a conversation. Subclasses bring the other side."""

    def __init__(self) -> None:
        self.transcript: list[str] = []
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def write(self, data: bytes) -> None:
        """Bytes to the engine."""
        raise NotImplementedError

    def end_input(self) -> None:
        """Close the engine's input."""
        raise NotImplementedError

    def exit_status(self) -> int:
        """Wait for the end of the engine."""
        raise NotImplementedError

    def send(self, *lines: str) -> None:
        """Lines to the engine, all at once."""
        self.transcript += ["> " + line for line in lines]
        self.write("".join(line + "\n" for line in lines).encode())

    def line(self) -> str | None:
        """The engine's next line; None: it has closed its output."""
        try:
            line = self._lines.get(timeout=PATIENCE_S)
        except queue.Empty:
            pytest.fail(f"no answer in {PATIENCE_S} s\n" + self.told())
        self.transcript.append("(end)" if line is None else "< " + line)
        return line

    def until(self, pattern: str) -> list[str]:
        """The engine's lines up to the first that matches, which is the last of the list."""
        lines = []
        while True:
            line = self.line()
            if line is None:
                pytest.fail(f"the engine left before {pattern!r}\n" + self.told())
            lines.append(line)
            if matches(line, pattern):
                return lines

    def said(self, command: str) -> list[str]:
        """The engine's answer to a command that takes no time."""
        self.send(command, "isready")
        return self.until("readyok")[:-1]

    def play(self, dialogue: str) -> list[str]:
        """Follow a dialogue; returns the lines that its patterns matched."""
        matched: list[str] = []
        for row in dialogue.strip().splitlines():
            mark, text = row.strip()[:1], row.strip()[2:]
            if mark == ">":
                self.send(text)
            elif mark == "~":
                matched.append(self.until(text)[-1])
            elif mark in ("<", "|"):
                line = self.line()
                if line is None or not matches(line, text):
                    pytest.fail(f"expected {text!r}, got {line!r}\n" + self.told())
                matched.append(line)
                if mark == "|":
                    self.over()
            else:
                raise ValueError(f"not a row of a dialogue: {row!r}")
        return matched

    def over(self) -> None:
        """Check that the engine says nothing more and exits with status 0."""
        line = self.line()
        if line is not None:
            pytest.fail(f"expected the end, got {line!r}\n" + self.told())
        assert self.exit_status() == 0, self.told()

    def told(self) -> str:
        """The end of the conversation, for failures."""
        return "\n".join(self.transcript[-60:])


def matches(line: str, pattern: str) -> bool:
    """Whether a line fits a pattern in which * stands for anything, ? for one character and # for digits."""
    parts = re.split(r"([*?#])", pattern)
    expression = "".join({"*": ".*", "?": ".", "#": r"\d+"}.get(part, re.escape(part)) for part in parts)
    return re.fullmatch(expression, line) is not None


class ProgramHost(Host):
    """Talks to the installed program."""

    def __init__(self, *arguments: str, folder: Path, environment: dict[str, str] | None = None) -> None:
        super().__init__()
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, **(environment or {})},
        )
        self.errors: list[bytes] = []
        self._readers = [
            threading.Thread(target=self._read, args=(self._pipe(self.process.stdout),), daemon=True),
            threading.Thread(target=self._collect, args=(self._pipe(self.process.stderr),), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe

    def _read(self, output: IO[bytes]) -> None:
        for line in output:
            self._lines.put(line.decode("ascii").rstrip("\r\n"))
        self._lines.put(None)

    def _collect(self, output: IO[bytes]) -> None:
        self.errors.append(output.read())

    def write(self, data: bytes) -> None:
        pipe = self._pipe(self.process.stdin)
        pipe.write(data)
        pipe.flush()

    def end_input(self) -> None:
        self._pipe(self.process.stdin).close()

    def exit_status(self) -> int:
        return self.process.wait(PATIENCE_S)

    def warnings(self) -> str:
        """The expected stderr output of the program, which has ended."""
        self.process.wait(PATIENCE_S)
        for reader in self._readers:
            reader.join(PATIENCE_S)
        text = b"".join(self.errors).decode("ascii")
        self.errors.clear()
        return text

    def close(self) -> None:
        """End the program; fails on unexpected output on stderr."""
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join()
        assert b"".join(self.errors) == b"", self.told()


class CappedEngine(Engine):
    """The real engine; each search ends after 50 nodes, and the table stays small. Keeps the limits it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Limits] = []
        self.prepared: list[int] = []
        """The table sizes in MiB."""

    def ensure_table(self, on_ready: Callable[[], None] | None = None) -> bool:
        self.prepared.append(self.hash_mb)
        self.hash_mb = min(self.hash_mb, 2)
        return super().ensure_table(on_ready)

    def go(
        self,
        game: Game,
        limits: Limits,
        on_info: Callable[[Info], None] | None = None,
        on_result: Callable[[Result], None] | None = None,
        on_message: Callable[[str], None] | None = None,
    ) -> None:
        self.hash_mb = min(self.hash_mb, 2)
        self.threads = 1
        self.asked.append(limits)
        capped = {name: getattr(limits, name) for name in Limits.__dataclass_fields__}
        capped["nodes"] = min(limits.nodes or 50, 50)
        super().go(game, Limits(**capped), on_info, on_result, on_message)


class _Feed:
    """The readable end of a conversation within the process: raw reads wait for a write."""

    def __init__(self) -> None:
        self._chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def put(self, data: bytes) -> None:
        self._chunks.put(data)

    def read(self, size: int) -> bytes:
        return self._chunks.get()


class _Drain:
    """The writable end."""

    def __init__(self, lines: queue.SimpleQueue[str | None]) -> None:
        self._lines = lines

    def write(self, data: memoryview) -> int:
        self._lines.put(bytes(data).decode("ascii").rstrip("\n"))
        return len(data)

    def flush(self) -> None:
        pass


class ProcessHost(Host):
    """Talks to an adapter that runs on a thread of this process, its engine capped."""

    def __init__(self, adapter: Callable[[LineChannel], LineProtocol]) -> None:
        super().__init__()
        self._feed = _Feed()
        channel = LineChannel(self._feed, _Drain(self._lines))  # type: ignore[arg-type]
        self.adapter = adapter(channel)
        self.engine = CappedEngine()
        if isinstance(self.adapter, SearchProtocol):
            self.adapter.driver.make_engine = lambda: self.engine  # type: ignore[method-assign]
        self._status: list[int] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._status.append(self.adapter.run())
        self._lines.put(None)

    def write(self, data: bytes) -> None:
        if data:  # nothing would be the end
            self._feed.put(data)

    def end_input(self) -> None:
        self._feed.put(b"")

    def exit_status(self) -> int:
        self._thread.join(PATIENCE_S)
        return self._status[0]


HostMaker = Callable[..., ProgramHost]
CappedMaker = Callable[[Callable[[LineChannel], LineProtocol]], ProcessHost]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[HostMaker]:
    """Starts the program with arguments: ``start("ucci")``."""
    hosts: list[ProgramHost] = []

    def begin(*arguments: str, environment: dict[str, str] | None = None) -> ProgramHost:
        hosts.append(ProgramHost(*arguments, folder=tmp_path, environment=environment))
        return hosts[-1]

    yield begin
    for host in hosts:
        host.close()


@pytest.fixture
def ucci(start: HostMaker) -> ProgramHost:
    """The program, past its UCCI handshake."""
    host = start()
    host.send("ucci")
    host.until("ucciok")
    return host


@pytest.fixture
def uci(start: HostMaker) -> ProgramHost:
    """The program, past its UCI handshake."""
    host = start()
    host.send("uci")
    host.until("uciok")
    return host


@pytest.fixture
def capped() -> CappedMaker:
    """Runs an adapter in this process, its searches ending after 50 nodes."""
    return ProcessHost


def _take_all_the_time(view: PlayerView, limits: Limits, chance: random.Random, signals: MoveSignals) -> int:
    while not signals.is_due():
        pass
    return view.position.legal_moves()[0]


@pytest.fixture
def slow_level(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a level of Junqi that thinks until it is stopped, or its time is up: for adapters in this process."""
    level = "path"
    monkeypatch.setitem(CHOOSERS, level, _take_all_the_time)
    return level


# `sanqi board`


@pytest.fixture(scope="module")
def board_arguments() -> tuple[str, ...]:
    """The arguments of `shared_board`. A file of tests may have its own."""
    return ()


@pytest.fixture(scope="module")
def shared_board(board_arguments: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardProcess]:
    """A board for all tests of a file; at its end it has said nothing on stderr."""
    from tests.helpers.board_client import BoardProcess  # needs websockets

    board = BoardProcess(tmp_path_factory.mktemp("board"), *board_arguments)
    yield board
    assert board.end() == ""


@pytest.fixture
def board(shared_board: BoardProcess) -> Iterator[BoardProcess]:
    """The board of the file. The pages of a test end with it."""
    yield shared_board
    shared_board.close_pages()


@pytest.fixture
def page(board: BoardProcess) -> BoardClient:
    """A page of the board that has not joined: it knows nothing of the game of the test before."""
    return board.page()


BoardMaker = Callable[..., "BoardProcess"]


@pytest.fixture
def start_board(tmp_path: Path) -> Iterator[BoardMaker]:
    """Starts a board of the test's own, with its data in `tmp_path`: ``start_board("--watch", "games.jsonl")``."""
    from tests.helpers.board_client import BoardProcess

    boards: list[BoardProcess] = []

    def begin(*arguments: str) -> BoardProcess:
        boards.append(BoardProcess(tmp_path, *arguments))
        return boards[-1]

    yield begin
    for board in boards:
        if board.process.poll() is None:
            assert board.end() == ""
