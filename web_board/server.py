"""The server of the page: a fixed list of files over HTTP, and one WebSocket. Only who has a token may use it, and only
this machine, unless guests are invited."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import re
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

import board_pages
from game_core.display import InputError
from search_core.failures import reason_of
from search_core.line_protocol import printable
from web_board.address import HOST, name_of, open_address
from web_board.games import GUEST, PageGame, game_of_file, new_seed, reopen
from web_board.hosted_table import HostedTable, Message
from web_board.lineups import ACTIONS as LINEUPS
from web_board.lineups import Lineups
from web_board.practice import Practice, Reviewed
from web_board.roles import OWNER, WATCHER, ForRole, Role, check_action, role_of, tokens_of_guests
from web_board.set_up import pasted, set_up, start_text
from web_board.study import ACTIONS as STUDY
from web_board.table_log import TableLog, latest, new_log
from web_board.watch import LOOK_S, Watch
from web_board.watched_games import GameNow, MatchGames, RecordGames
from web_board.watched_table import WatchedTable

PROTOCOL = Subprotocol("sanqi-board")
SOCKET = "/socket"
_USUAL_PORT = 80
"""Browsers leave it out of the names of servers."""
MAX_FILE = 4 << 20
MAX_MESSAGE = 6 << 20
"""Bytes: a file in base64, and what stands around it."""
MAX_OF_GUEST = 1000
"""Characters: a move, and what stands around it."""
_DATA = Path(__file__).parent / "data"
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_NO_CODE = {
    ".js": re.compile(rb"^\s*//.*\n|^\s+|[ \t]+// .*$|(?<=[{,;])\n", re.MULTILINE),
    ".css": re.compile(rb"^\s+|/\*[^*]*\*/\n?|(?<=[{};,])\s+|(?<=:) +| +(?=\{)", re.MULTILINE),
}
"""What a browser does not need of the lines of a script or a style sheet."""
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def page_files() -> dict[str, Path]:
    """The files that are served, by their paths."""
    files = {f"/{path.name}": path for path in _DATA.iterdir() if path.suffix in _KINDS}
    return files | {"/": _DATA / "index.html", "/board.js": Path(board_pages.__file__).parent / "data" / "board.js"}


def content_of(path: Path) -> bytes:
    """A file as it is served: scripts and style sheets without comments, indentation and needless ends of lines; of
    style sheets also without the spaces between parts."""
    data = path.read_bytes()
    no_code = _NO_CODE.get(path.suffix)
    return data if no_code is None else no_code.sub(b"", data)


class Started(NamedTuple):
    """What the person needs: the owner's address, and those of guests with words for each."""

    address: str
    links: Sequence[tuple[str, str]]


class BoardServer:
    """The tables of one person.

    Parameters
    ----------
    games : mapping of str to PageGame
    folder : Path
        Where the logs of tables are.
    host : str
        Another address of this computer, at which guests reach it; '': there are no guests.
    watched : MatchGames, RecordGames or None
        Games that others play, which are shown.
    reviewed : mapping of str to Reviewed, optional
        Games of files, whose mistakes are practised.
    """

    def __init__(
        self,
        games: Mapping[str, PageGame],
        folder: Path,
        host: str = "",
        watched: MatchGames | RecordGames | None = None,
        reviewed: Mapping[str, Reviewed] | None = None,
    ) -> None:
        self._games = games
        self._folder = folder
        self._host = host
        self._roles: dict[str, Role] = {}
        """By tokens."""
        self._files = page_files()
        self._pages: dict[ServerConnection, Role] = {}
        self._table: HostedTable | None = None
        self._endings: list[threading.Thread] = []
        """Of tables that were left."""
        self._names: set[str] = set()
        """Of this server, in the headers of requests."""
        self._guests_name = ""
        """That in the links of guests."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watch = None if watched is None else Watch(watched, self._show_watched, self._tell)
        self._lineups = Lineups(folder.parent)
        self._practice = Practice(games, folder, self._tell, self._practice_is_ready, reviewed or {})

    async def serve(self, port: int, started: Callable[[Started], None]) -> None:
        """Serve until cancelled. Raises OSError if the port is taken."""
        self._loop = asyncio.get_running_loop()
        hosts = [*dict.fromkeys((HOST, self._host or HOST))]
        port, token = open_address(self._folder.parent, port, hosts)
        self._roles = {token: OWNER}
        if self._host:
            self._roles |= tokens_of_guests(token, max(len(game.seat_names) for game in self._games.values()))
        async with serve(
            self._talk,
            hosts,  # type: ignore[arg-type]  # asyncio takes several
            port,
            process_request=self._answer,
            subprotocols=[PROTOCOL],
            max_size=MAX_MESSAGE,
            server_header=None,
        ):
            self._guests_name = name_of(hosts[-1], port)
            self._names = {f"127.0.0.1:{port}", f"localhost:{port}", self._guests_name}
            if port == _USUAL_PORT:
                self._names |= {name.removesuffix(f":{port}") for name in self._names}
            if self._watch is None:
                self._go_on()
            else:
                self._look(self._watch)
            started(Started(f"http://127.0.0.1:{port}/#{token}", self._links()))
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                self._leave_table()
                self._practice.close()
                for ending in self._endings:
                    ending.join()

    # HTTP

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """The answer to a request; None lets the WebSocket open."""
        hosts = request.headers.get_all("Host")
        if len(hosts) != 1 or hosts[0] not in self._names:
            return _response(HTTPStatus.MISDIRECTED_REQUEST)
        if request.path == SOCKET:
            return None if self._may_open(request) else _response(HTTPStatus.FORBIDDEN)
        if getattr(request, "method", "GET") != "GET":
            return _response(HTTPStatus.METHOD_NOT_ALLOWED)
        path = self._files.get(request.path)
        if path is None:
            return _response(HTTPStatus.NOT_FOUND)
        return _response(HTTPStatus.OK, content_of(path), _KINDS[path.suffix])

    def _may_open(self, request: Request) -> bool:
        """Whether a page of ours asks, with a token."""
        origins = request.headers.get_all("Origin")
        is_ours = len(origins) == 1 and origins[0].removeprefix("http://") in self._names
        return is_ours and self._role_of(request) is not None

    def _role_of(self, request: Request) -> Role | None:
        return role_of(self._roles, ",".join(request.headers.get_all("Sec-WebSocket-Protocol")))

    def _links(self) -> list[tuple[str, str]]:
        """The links of guests, each with who it is for: a seat with what it is called in each game, or who watches."""
        links = []
        for token, role in self._roles.items():
            if role != OWNER:
                names = [game.seat_names[role.seat or 0 :][:1] for game in self._games.values()]
                sides = ", ".join(dict.fromkeys(name for found in names for name in found))
                whose = "who watches" if role.seat is None else f"player {role.seat + 1} ({sides})"
                links.append((whose, self._link(token)))
        return links

    def _link(self, token: str) -> str:
        return f"http://{self._guests_name}/#{token}"

    # WebSocket

    async def _talk(self, page: ServerConnection) -> None:
        assert page.request is not None
        role = self._role_of(page.request)
        assert role is not None
        self._pages[page] = role
        if role.seat is not None:
            self._tell_guests()
        try:
            async for text in page:
                for message in self._obeyed(text, role):
                    await page.send(_json(message))
        except ConnectionClosed:
            pass
        finally:
            del self._pages[page]
            if role.seat is not None:
                self._tell_guests()
            if OWNER not in self._pages.values() and self._table is not None:
                self._table.study.end()  # nobody looks

    def _obeyed(self, text: str | bytes, role: Role) -> list[Message]:
        """Obey a message; what this page alone is answered."""
        if role != OWNER and len(text) > MAX_OF_GUEST:
            return [_error("the message is too long")]
        try:
            message = json.loads(text)
            _json(message).encode()  # half of a surrogate pair can be kept nowhere
        except (ValueError, RecursionError):
            return [_error("a message that is no JSON")]
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            return [_error("a message needs a type")]
        try:
            check_action(role, message["type"])
            return self._obey(message, role)
        except InputError as error:
            return [_error(printable(str(error)))]
        except OSError as error:
            return [_error(f"the game cannot be kept: {reason_of(error)}")]

    def _obey(self, message: Message, role: Role) -> list[Message]:
        table = self._table
        match message["type"]:
            case "join":
                hello = self._hello(role)
                watched = [self._watch.message()] if self._watch is not None and role == OWNER else []
                if table is None:
                    waits = [] if role == OWNER else [{"type": "said", "text": "The game has not begun yet."}]
                    return [hello, *watched, *waits]
                guests = [self._guests(table)] if role == OWNER and table.guests else []
                return [hello, *watched, *self._messages(table, role), *guests]
            case "watch" if self._watch is not None:
                self._watch.choose(message.get("game"))
            case "new":
                self._begin(message)
            case "load":
                self._load(message)
            case "set-up":
                return [set_up(self._game(message), message)]
            case "paste":
                here = "" if table is None else table.game_name
                games = sorted(self._games.values(), key=lambda game: game.name != here)
                self._open(pasted(games, start_text(message)))
            case action if action in LINEUPS:
                return [self._lineups.obey(message)]
            case "practise" | "exercise" | "try" | "solution":
                if message["type"] == "try" and table is not None and table.is_searching:
                    raise InputError("a try can be judged when no other search runs")
                return self._practice.obey(message)
            case "review" | "analyse" if self._practice.is_judging and message.get("lines") != 0:
                raise InputError("a try is being judged")
            case "save" if table is not None:
                return [table.file(str(message.get("format")))]
            case "analyse" if table is not None and table.review.is_running and message.get("lines"):
                raise InputError("a review is running")
            case action if table is not None and action in STUDY:
                return table.study.act(message)
            case action if table is not None:
                return table.act(message, role)
            case action:
                raise InputError(f"no game has begun: {action[:20]} cannot be done")
        return []

    def _hello(self, role: Role) -> Message:
        return {
            "type": "hello",
            "role": role.name,
            "table": None if self._table is None else self._table.identity,
            "games": [{**game.summary, "guests": bool(self._host)} for game in self._games.values()],
        }

    def _messages(self, table: HostedTable, role: Role) -> list[Message]:
        """All that a page gets of a table, the owner also the links to it."""
        geometry, *others = table.messages(role)
        used = {WATCHER: "who watches", **{Role("seat", seat): table.side_names[seat] for seat in table.guests}}
        links = [[used[whose], self._link(token)] for token, whose in self._roles.items() if whose in used]
        if table.guests and not self._host:
            others.append({"type": "said", "text": "Who plays over a link can come back after a start with --host."})
        return [{**geometry, "links": links if role == OWNER else []}, *others]

    def _guests(self, table: HostedTable) -> Message:
        """Whether somebody is at each seat that is played over a link."""
        there = {role.seat for role in self._pages.values()}
        return {"type": "guests", "seats": [[seat, seat in there] for seat in table.guests]}

    def _tell_guests(self) -> None:
        if self._table is not None and self._table.guests:
            self._tell(self._guests(self._table))

    def _tell(self, message: Message) -> None:
        """Send a message to the owner's pages."""
        broadcast([page for page, role in self._pages.items() if role == OWNER], _json(message))

    def _show(self, message_for: ForRole) -> None:
        """Send each page the message for its role."""
        for role in set(self._pages.values()):
            broadcast([page for page, other in self._pages.items() if other == role], _json(message_for(role)))

    # Tables

    def _begin(self, message: Message) -> None:
        """A new game. Raises InputError, OSError."""
        game = self._game(message)
        options, seats = message.get("options", {}), message.get("seats")
        if not isinstance(options, dict) or not isinstance(seats, list):
            raise InputError("a new game needs options and seats")
        if not self._host and any(isinstance(seat, dict) and seat.get("player") == GUEST for seat in seats):
            raise InputError("others can play over links after a start with --host")
        self._open({
            "game": game.name,
            "options": {name: str(text) for name, text in options.items()},
            "seats": seats,
            "clock": str(message.get("clock") or ""),
            **({"start": start} if (start := start_text(message, "start")) else {}),
        })  # fmt: skip

    def _game(self, message: Message) -> PageGame:
        game = self._games.get(str(message.get("game")))
        if game is None:
            raise InputError("there is no such game")
        return game

    def _load(self, message: Message) -> None:
        """The game of a file: people play all seats, or one where a seat does not see all. Raises InputError,
        OSError."""
        name, data = message.get("name"), message.get("data")
        if not isinstance(name, str) or not isinstance(data, str):
            raise InputError("a file needs a name and data")
        try:
            content = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            raise InputError("the file's data are no base64") from None
        if len(content) > MAX_FILE:
            raise InputError(f"a file may have {MAX_FILE >> 20} MiB")
        name = Path(name).name[:200]
        game = game_of_file(self._games.values(), name, content)
        self._open({"game": game.name, "options": {}, "file": name, "data": data, "seats": None})

    def _open(self, beginning: Message) -> None:
        """Begin a table, in place of the one that there is. Raises InputError, OSError."""
        beginning = {**beginning, "seed": new_seed(), "table": secrets.token_hex(8)}
        table = self._made(beginning, lambda: new_log(self._folder, beginning))
        if self._watch is not None:
            self._watch.leave()
        self._leave_table()
        self._seat(table)

    def _look(self, watch: Watch) -> None:
        """Look at what others play, again and again."""
        assert self._loop is not None
        self._loop.call_later(LOOK_S, self._look, watch)
        watch.look()

    def _show_watched(self, key: str, now: GameNow) -> None:
        table, identity = self._table, f"watched {key}"
        if isinstance(table, WatchedTable) and table.identity == identity and table.follow(now):
            return
        self._leave_table()
        self._seat(WatchedTable(now, identity, self._tell, self._show))

    def _go_on(self) -> None:
        """The last table, if it can be read."""
        path = latest(self._folder)
        if path is None:
            return
        with ExitStack() as opened:
            try:
                log = TableLog(path)
                opened.callback(log.close)
                beginning, *done = log.entries()
                table = self._made(beginning, lambda: log)
                table.restore(done)
            except (OSError, ValueError, KeyError, TypeError) as error:  # InputError is a ValueError
                print(f"sanqi board: {path} cannot be used: {printable(reason_of(error))}", flush=True)
            else:
                opened.pop_all()
                self._seat(table)

    def _made(self, beginning: Message, log: Callable[[], TableLog]) -> HostedTable:
        game = self._games[beginning["game"]]
        opened = reopen(game, beginning)
        seats = game.seats(opened, beginning["seats"])
        time_control = game.time_control(beginning.get("clock", ""))
        return HostedTable(game, opened, seats, beginning["table"], log(), self._tell, self._show, time_control)

    def _seat(self, table: HostedTable) -> None:
        """Let a table begin, and show it."""
        loop = self._loop
        assert loop is not None

        def wait() -> None:
            if table is self._table:
                table.wait()

        self._table = table
        for page, role in self._pages.items():
            for message in self._messages(table, role):
                broadcast([page], _json(message))
        self._tell_guests()

        def wait_soon() -> None:
            loop.call_soon_threadsafe(wait)

        def tick() -> None:
            if table is self._table:
                table.tick()
                loop.call_later(1, tick)

        table.start(wait_soon)
        if table.has_clocks:
            tick()

    def _practice_is_ready(self) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._practice.take_over)

    def _leave_table(self) -> None:
        """Its engines may take seconds to end; pages and other tables do not wait for that."""
        if self._table is not None:
            table, self._table = self._table, None
            self._endings = [ending for ending in self._endings if ending.is_alive()] + [table.leave()]


def _response(status: HTTPStatus, body: bytes = b"", kind: str = "text/plain") -> Response:
    headers = {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
    return Response(status.value, status.phrase, Headers(headers), body)


def _json(message: object) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


def _error(reason: str) -> Message:
    return {"type": "error", "reason": reason}
