"""`sanqi board` and its pages without a browser: they send and get the messages of docs/board-messages.md."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

PATIENCE_S = 60
Message = dict[str, Any]

PERSON = {"player": "person", "level": ""}
GUEST = {"player": "guest"}


def sanqi(level: int | str) -> dict[str, str]:
    """A seat for our engine."""
    return {"player": "sanqi", "level": str(level)}


class BoardProcess:
    """`sanqi board` as a process.

    Parameters
    ----------
    folder : Path
        Where it runs, and keeps its data.
    arguments : str
        Of `sanqi board`.
    program : sequence of str
        What runs sanqi.
    environment : mapping of str to str, or None
        None: that of the tests.
    """

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        program: Sequence[str] = (sys.executable, "-m", "sanqi"),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self._pages = ExitStack()
        self._program = program
        self._environment = {**(os.environ if environment is None else environment), "SANQI_DATA": str(folder)}
        self.start(*arguments)

    def start(self, *arguments: str) -> None:
        """Start it, after its end again."""
        self.process = subprocess.Popen(
            [*self._program, "board", "--no-open", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=self._environment,
        )
        assert self.process.stdout is not None
        self.said = ""
        while "Ctrl-C ends it." not in self.said:
            line = self.process.stdout.readline()
            assert line, self.process.communicate()[1]
            self.said += line
        found = re.search(r"http://(\S+)/#(\S+)", self.said)
        assert found is not None
        self.host, self.token = found.groups()
        self.address = f"http://{self.host}"
        links = re.findall(r"http://(\S+)/#(\S+)  (?:player (\d)|who watches)", self.said)
        self.guests_host = links[0][0] if links else ""
        self.links = {str(int(number) - 1) if number else "w": token for _, token, number in links}
        """The tokens of guests: `w` for who watches, the number of a seat for the others."""

    @property
    def owner_link(self) -> str:
        """The address that it opens in the browser."""
        return f"{self.address}/#{self.token}"

    def kill(self) -> None:
        """As a crash does it."""
        self.process.kill()
        self.process.communicate()
        self.close_pages()

    def end(self, number: signal.Signals = signal.SIGINT) -> str:
        """End it as Ctrl-C or another signal does, on Windows as the task manager does. Returns its stderr."""
        self.close_pages()
        if sys.platform == "win32":
            self.process.terminate()
            return self.process.communicate(timeout=PATIENCE_S)[1]
        self.process.send_signal(number)
        said = self.process.communicate(timeout=PATIENCE_S)[1]
        assert self.process.returncode == 0
        return said

    def page(self, token: str | None = None, origin: str | None = "") -> BoardClient:
        """A page that is connected, with the right token and origin unless others are given."""
        token = self.token if token is None else token
        opened = BoardClient(self.host, token, self.address if origin == "" else origin)
        return self._pages.enter_context(opened)

    def join(self, token: str | None = None) -> BoardClient:
        """A page that has joined, and has the game at the table if there is one."""
        page = self.page(token)
        if page.join()["table"] is not None:
            page.wait("geometry")
            page.wait("state")
        return page

    def guest(self, whose: str) -> BoardClient:
        """The same over a link."""
        return self.join(self.links[whose])

    def close_pages(self) -> None:
        """Close those that are still open."""
        self._pages.close()

    def ask(self, path: str, method: str = "GET", host: str = "") -> tuple[int, dict[str, str], bytes]:
        """The status, the headers with names in small letters, and the body of the answer to an HTTP request."""
        connection = HTTPConnection(self.host, timeout=PATIENCE_S)
        connection.request(method, path, headers={"Host": host or self.host})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


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
                # With a limit, messages that no test reads hold the closing up for ten seconds.
                max_queue=None,
            )
        )
        self.hello: Message = {}
        self.geometry: Message = {}
        self.state: Message = {}

    def __enter__(self) -> BoardClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def send(self, type: str, **fields: Any) -> None:
        self.socket.send(json.dumps({"type": type, **fields}))

    def get(self) -> Message:
        """The next message."""
        message: Message = json.loads(self.socket.recv(timeout=PATIENCE_S))
        if message["type"] in ("hello", "geometry", "state"):
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

    def until_ply(self, ply: int) -> Message:
        """The first state that has so many moves."""
        return self.until(lambda state: len(state["moves"]) == ply)

    def until_over(self) -> Message:
        """The first state that has a verdict."""
        return self.until(lambda state: state["verdict"] is not None)

    def join(self) -> Message:
        self.send("join", table=None)
        return self.wait("hello")

    def new(self, game: str, players: str | Sequence[Message], level: str = "1", **options: str) -> Message:
        """Begin a game. Returns its first state.

        `players` has a letter a seat: p a person, g a guest, e the engine; or they are as in the message.
        """
        by_letter = {"p": PERSON, "g": GUEST, "e": sanqi(level)}
        self.send(
            "new",
            game=game,
            options=options,
            seats=[by_letter[player] if isinstance(player, str) else player for player in players],
        )
        return self.begun()

    def begun(self) -> Message:
        """The first state of a game that was asked for."""
        assert (answer := self.wait("geometry", "error"))["type"] == "geometry", answer
        return self.wait("state")

    def act(self, type: str, **fields: Any) -> None:
        """Do something with the game as it stands."""
        self.send(type, ply=len(self.state["moves"]), **fields)

    def play(self, *moves: str) -> Message:
        """Make moves. Returns the state after the last, in which nobody has answered it yet."""
        for move in moves:
            ply = len(self.state["moves"])
            self.act("move", text=move)
            self.until_ply(ply + 1)
        return self.state
