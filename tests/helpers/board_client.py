"""A page of `sanqi board` without a browser: it sends and gets the messages of docs/board-messages.md."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

PATIENCE_S = 20
Message = dict[str, Any]


class BoardProcess:
    """`sanqi board` as a process, with its data in a folder.

    Parameters
    ----------
    folder : Path
    program : sequence of str
        What runs sanqi.
    environment : mapping of str to str, or None
        None: that of the tests.
    """

    def __init__(
        self,
        folder: Path,
        program: Sequence[str] = (sys.executable, "-m", "sanqi"),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = folder
        self._command = [*program, "board", "--no-open"]
        self._environment = {**(os.environ if environment is None else environment), "SANQI_DATA": str(folder)}
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            self._command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self._folder,
            env=self._environment,
        )
        assert self.process.stdout is not None
        line = next((line for line in self.process.stdout if "http://" in line), "")
        address = line[line.index("http://") :].strip()
        self.address, _, self.token = address.partition("/#")
        self.host = self.address.removeprefix("http://")

    def kill(self) -> None:
        """As a crash does it."""
        self.process.kill()
        self.process.communicate()

    def end(self) -> str:
        """End it as Ctrl-C does, or on Windows as the task manager does. Returns what it said on stderr."""
        if sys.platform == "win32":
            self.process.terminate()
            return self.process.communicate(timeout=PATIENCE_S)[1]
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=PATIENCE_S)[1]
        assert self.process.returncode == 0
        return said

    def page(self, token: str | None = None, origin: str | None = "") -> BoardClient:
        """A page that is connected, with the right token and origin unless others are given."""
        return BoardClient(self.host, self.token if token is None else token, self.address if origin == "" else origin)


class BoardClient:
    """One connection."""

    def __init__(self, host: str, token: str, origin: str | None) -> None:
        self._open = ExitStack()
        self.socket = self._open.enter_context(
            connect(
                f"ws://{host}/socket",
                origin=None if origin is None else Origin(origin),
                subprotocols=[Subprotocol("sanqi-board"), *([Subprotocol(token)] if token else [])],
                compression=None,
                max_size=None,
            )
        )
        self.state: Message = {}
        self.geometry: Message = {}

    def __enter__(self) -> BoardClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def send(self, kind: str, **fields: Any) -> None:
        self.socket.send(json.dumps({"type": kind, **fields}))

    def get(self) -> Message:
        """The next message."""
        message: Message = json.loads(self.socket.recv(timeout=PATIENCE_S))
        if message["type"] in ("state", "geometry"):
            setattr(self, message["type"], message)
        return message

    def wait(self, *kinds: str) -> Message:
        """The next message of these kinds; others before it are read."""
        while (message := self.get())["type"] not in kinds:
            pass
        return message

    def until(self, holds: Callable[[Message], bool]) -> Message:
        """The first state, this one or a later one, of which this holds. A refusal before it is a fault."""
        while not self.state or not holds(self.state):
            message = self.get()
            assert message["type"] not in ("refused", "error"), message
        return self.state

    def join(self) -> Message:
        self.send("join", table=None)
        return self.wait("hello")

    def new(self, game: str, players: str, level: str = "1", **options: str) -> Message:
        """Begin a game. `players` has a letter a seat: p a person, e the engine. Returns its first state."""
        seats = [
            {"player": "person", "level": ""} if player == "p" else {"player": "sanqi", "level": level}
            for player in players
        ]
        self.send("new", game=game, options=options, seats=seats)
        assert self.wait("geometry", "error")["type"] == "geometry"
        return self.wait("state")

    def act(self, kind: str, **fields: Any) -> None:
        """Do something with the game as it stands."""
        self.send(kind, ply=len(self.state["moves"]), **fields)
