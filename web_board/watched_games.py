"""Games that others play, as files have them while they grow: the file of a match (docs/matches.md) with the games in
progress beside it, or a folder of records, as the referee of Junqi writes them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from game_core.display import InputError
from game_core.session import DRAW, FIRST_WINS, SECOND_WINS, Verdict
from match_runner.live_game import LIVE, live_folder
from search_core.line_protocol import printable
from web_board.games import Opened, PageGame, by_suffix, game_of_file, open_file, open_new

LISTED = 200
"""Of more games the page lists the latest; of a match no other is kept in memory."""
_MAX_FILE = 64 << 20
_UNKNOWN = "player"


class WatchError(ValueError):
    """Nothing can be watched there; the message is one line."""


class GameNow(NamedTuple):
    """A game as far as it is known."""

    game: PageGame
    opened: Opened
    """After its last known move."""
    players: list[str]
    verdict: Verdict | None
    """How it ended, if not by the rules."""


class WatchedGame(NamedTuple):
    """`version` changes when the game has gone on."""

    key: str
    title: str
    version: object
    is_over: bool
    read: Callable[[], GameNow]
    """Raises InputError, OSError; KeyError, TypeError or ValueError if it is no game."""


class MatchGames:
    """The games of a match: those that are over, in the order of their ends, and those in progress."""

    def __init__(self, path: Path, games: Mapping[str, PageGame]) -> None:
        self._path = path
        self._games = games
        self._terms: Mapping[str, Any] = {}
        self._read_to = self._lines = 0
        """How many bytes and lines were read."""
        self._over: dict[str, WatchedGame] = {}

    def games(self) -> list[WatchedGame]:
        """Raises OSError; KeyError, TypeError or ValueError if it is no file of a match."""
        with self._path.open("rb") as file:
            file.seek(self._read_to)
            data = file.read(_MAX_FILE)
        for text in data.split(b"\n")[:-1]:
            if not self._terms:
                self._terms = _terms_of(json.loads(text))
            else:
                self._take(text)
            self._read_to += len(text) + 1
            self._lines += 1
        return [*self._over.values(), *self._live()]

    def _take(self, text: bytes) -> None:
        """Add the game of a line. One that is damaged is named and passed over."""
        try:
            line = json.loads(text)
            if "game" in line:
                game = self._game(line, is_over=True)
                self._over[game.key] = game
                if len(self._over) > LISTED:
                    del self._over[next(iter(self._over))]
        except FAULTS as error:
            what = printable(f"{self._path}, line {self._lines + 1}: {type(error).__name__}: {error}")
            print(f"sanqi board: --watch {what}; it is passed over", file=sys.stderr, flush=True)

    def _live(self) -> Iterator[WatchedGame]:
        for path in sorted(live_folder(self._path).glob(f"*{LIVE}")):
            try:
                game = self._game(json.loads(path.read_bytes()), is_over=False)
            except (OSError, ValueError, KeyError, TypeError):  # it has just ended
                continue
            if game.key not in self._over:
                yield game

    def _game(self, line: Mapping[str, Any], *, is_over: bool) -> WatchedGame:
        first, second = _sides(line)
        result = f" {line['result']}" if is_over else ""
        title = printable(f"{line['game']}. {line[first]} – {line[second]}{result}")
        version = (is_over, len(line["moves"]), len(line.get("notation", "")))
        return WatchedGame(str(line["game"]), title, version, is_over, lambda: self._open(line, is_over=is_over))

    def _open(self, line: Mapping[str, Any], *, is_over: bool) -> GameNow:
        game = self._games[self._terms["game"]]
        if line.get("notation"):
            opened = open_file(game, f"game.{game.page_board.formats[0]}", line["notation"].encode("ascii"), 1)
        else:
            opened = open_new(game, game.page_board.options_of(self._terms), 1, line["start"])
            for move in line["moves"]:
                opened.session.play(move)
        names = [str(line[side]) for side in _sides(line)]
        players = [names[seat % 2] for seat in range(len(opened.session.sides))]
        verdict = None
        if is_over and opened.session.verdict() is None:
            if line["result"] not in (FIRST_WINS, SECOND_WINS, DRAW):
                raise ValueError("no result")
            verdict = Verdict(line["result"], printable(line["detail"] or line["reason"]))
        return GameNow(game, opened, players, verdict)


class RecordGames:
    """The records of a folder; a record may grow ply by ply."""

    def __init__(self, folder: Path, games: Mapping[str, PageGame]) -> None:
        self._folder = folder
        self._games = games
        self._formats: dict[str, Sequence[PageGame]] = {}
        """The games that may be in a file, by its suffix."""
        self._known: dict[str, WatchedGame] = {}
        """By the names of their files."""

    def games(self) -> list[WatchedGame]:
        """Files that have not changed are not looked at again, but for their size and time. Raises OSError."""
        with os.scandir(self._folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_file())
        known, self._known = self._known, {}
        for name in names:
            if formats := self._formats_of(name):
                # Not the entry's stat(): on Windows that is out of date while the file is open.
                status = os.stat(os.path.join(self._folder, name))
                version = (status.st_size, status.st_mtime_ns)
                game = known.get(name)
                if game is None or game.version != version:
                    path = self._folder / name
                    game = WatchedGame(name, printable(path.stem), version, True, self._reader(path, formats))
                self._known[name] = game
        found = list(self._known.values())
        return [*found[:-1], *(game._replace(is_over=False) for game in found[-1:])]

    def _formats_of(self, name: str) -> Sequence[PageGame]:
        """The games that may be in a file of this name."""
        suffix = os.path.splitext(name)[1]
        if suffix not in self._formats:
            self._formats[suffix] = by_suffix(self._games.values(), name)
        return self._formats[suffix]

    def _reader(self, path: Path, formats: Sequence[PageGame]) -> Callable[[], GameNow]:
        def read() -> GameNow:
            data = path.read_bytes()
            game = game_of_file(formats, path.name, data)
            opened = open_file(game, path.name, data, 1)
            names = [*game.page_board(opened.session).players(opened.args.saved.game)]
            sides = len(opened.session.sides)
            return GameNow(game, opened, [name or _UNKNOWN for name in [*names, *[""] * sides][:sides]], None)

        return read


def open_games(path: Path, games: Mapping[str, PageGame]) -> MatchGames | RecordGames:
    """What is to be watched. Raises WatchError."""
    source = RecordGames(path, games) if path.is_dir() else MatchGames(path, games)
    try:
        source.games()
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "no file of a match"
        raise WatchError(f"--watch {printable(str(path))}: {why}") from None
    return source


def _terms_of(line: Any) -> Mapping[str, Any]:
    terms = line["match"]["terms"]
    if not isinstance(terms, dict) or not isinstance(terms["game"], str):
        raise TypeError
    return terms


def _sides(line: Mapping[str, Any]) -> list[str]:
    """The keys of the players' names: they follow the number of the game."""
    keys = list(line)
    return keys[keys.index("game") + 1 :][:2]


FAULTS = (InputError, OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError)
"""What reading a game may raise."""
