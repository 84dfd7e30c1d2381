"""Openings: the first moves of the games of a match, and files of openings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Protocol

from game_core.session import Session
from match_runner.refusal import Refused
from search_core.failures import named
from search_core.input_file import read_input
from search_core.line_protocol import excerpt
from search_core.text_file import unmarked

MAX_OPENINGS = 250_000
"""Of a file: each takes some 350 bytes of memory, however short its line is."""


class OpeningError(Refused):
    """The file of openings cannot be used; the message names file, line and move."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Moves from the position `start` (a FEN; '': the start of the game). `line` is its line in the file, from 1
    (0: it is from no file)."""

    moves: tuple[str, ...]
    line: int
    start: str = ""


class OpenedGame(Protocol):
    """What this module needs of a game."""

    @property
    def name(self) -> str:
        """The user's name for the game."""

    @property
    def shipped_openings(self) -> Path | None:
        """A file of openings; None: there is none."""

    @property
    def openings_command(self) -> str:
        """The command that makes openings, without the options of all games; '': there is none."""

    def open(self, start: str = "") -> Session:
        """A new game from a position (a FEN; '': the game's own start). Raises ValueError for a wrong position."""

    def read_openings(self, path: Path) -> Iterator[Opening]:
        """The openings of a file, in its order. Raises OpeningError."""


def openings_of_match(game: OpenedGame, path: Path | None, games: int, most_plies: int = 0) -> list[Opening]:
    """Openings for `games` games, each played twice: from `path`, else the shipped ones, else only the start position.
    Raises OpeningError."""
    if path is not None:
        return enough_openings(read_openings(path, game, most_plies), games, path, game.openings_command)
    if (shipped := game.shipped_openings) is not None:
        # A user's file is checked to its end; of ours, only what is needed is read.
        found = read_openings(shipped, game, most_plies, openings_for(games))
        return enough_openings(found, games, shipped, game.openings_command)
    if games > 2:
        raise OpeningError(
            f"{games} games need {openings_for(games)} distinct openings, and {game.name} has none of its own; give "
            "them as --openings FILE, or play --games 2 from the start position"
        )
    return [Opening((), 0)]


def openings_for(games: int) -> int:
    """The number of openings for a number of games: each is played twice."""
    return (games + 1) // 2


def read_openings(path: Path, game: OpenedGame, most_plies: int = 0, most: int = 0) -> list[Opening]:
    """The distinct openings of a file, or of all files of a folder, in their order, as `game` reads them. Two openings
    with different moves to the same position count as two. `most_plies` > 0 cuts off later plies; `most` > 0 ends the
    reading at so many openings.

    Raises OpeningError.
    """
    with named(f"openings {path}", OSError, OpeningError):
        files = [path]
        if path.is_dir():
            files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    openings: dict[tuple[str, tuple[str, ...]], Opening] = {}
    for file in files:
        for opening in game.read_openings(file):
            short = replace(opening, moves=opening.moves[:most_plies]) if most_plies else opening
            _check_open(file, game, short)
            openings.setdefault((short.start, short.moves), short)
            if len(openings) == most:
                return list(openings.values())
    return list(openings.values())


def _check_open(file: Path, game: OpenedGame, opening: Opening) -> None:
    session = game.open(opening.start)
    last = ""
    for move in (None, *opening.moves):
        if move is not None:
            session.play(move)
            last = f" after '{move}'"
        if session.verdict() is not None:
            raise OpeningError(f"openings {file}, line {opening.line}: the game is over{last}")


def opening_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines of a text file that are not empty, with their numbers from 1, as words; `#` begins a comment.

    Raises OpeningError.
    """
    with named(f"openings {path}", (OSError, UnicodeDecodeError), OpeningError):
        text = unmarked(read_input(path)).decode("utf-8")
    count = 0
    for number, line in enumerate(StringIO(text, newline=None), 1):
        if words := line.partition("#")[0].split():
            count += 1
            if count > MAX_OPENINGS:
                raise OpeningError(f"openings {path}, line {number}: more than {MAX_OPENINGS:,} openings")
            yield number, words


def legal_moves_of(
    path: Path, line: int, game: OpenedGame, start: str, words: list[str], read: Callable[[str], str]
) -> Opening:
    """The opening of a line. Each word is a move, read by `read`. Raises OpeningError."""
    with named(f"openings {path}, line {line}", ValueError, OpeningError):
        session = game.open(start)
    moves = []
    for word in words:
        with named(f"openings {path}, line {line}, move {excerpt(word)}", ValueError, OpeningError):
            move = read(word)
            session.play(move)
        moves.append(move)
    return Opening(tuple(moves), line, start)


def enough_openings(openings: list[Opening], games: int, path: Path, command: str = "") -> list[Opening]:
    """The first openings for `games` games, each played twice. Raises OpeningError if there are too few; it names the
    command that makes openings, if there is one."""
    needed = openings_for(games)
    if len(openings) < needed:
        advice = f"; make more with {command} --count {needed} --out FILE" if command else ""
        raise OpeningError(
            f"{games} games need {needed} distinct openings (each is played twice with colours swapped), "
            f"{path} has {len(openings)}{advice}"
        )
    return openings[:needed]
