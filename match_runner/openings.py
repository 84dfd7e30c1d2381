"""Openings: how a game of a match begins, and the files that hold many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from search_core.failures import reason_of
from search_core.line_protocol import excerpt

if TYPE_CHECKING:
    from match_runner.game import BoardGame

DATA = Path(__file__).parent / "data"
"""Where the shipped ones are."""


class OpeningError(ValueError):
    """A file of openings that cannot be used; the message names file, line and move."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Moves from a position, `start` (a FEN; '': the start of the game); `line` is the line of the file, counted
    from 1 (0: the file has none)."""

    moves: tuple[int, ...]
    line: int
    start: str = ""


def read_openings(path: Path, game: BoardGame, most_plies: int = 0) -> list[Opening]:
    """The distinct openings of a file, or of all files of a folder, in their order, as `game` reads them. Two that
    reach one position by other moves count as two. `most_plies` > 0 leaves out what comes behind so many.

    Raises OpeningError.
    """
    try:
        files = [path]
        if path.is_dir():
            files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    except OSError as error:
        raise OpeningError(f"openings {path}: {reason_of(error)}") from None
    openings: dict[tuple[str, tuple[int, ...]], Opening] = {}
    for file in files:
        for opening in game.read_openings(file):
            short = replace(opening, moves=opening.moves[:most_plies]) if most_plies else opening
            _check_open(file, game, short)
            openings.setdefault((short.start, short.moves), short)
    return list(openings.values())


def _check_open(file: Path, game: BoardGame, opening: Opening) -> None:
    referee = game.referee(opening.start)
    last = ""
    for move in (None, *opening.moves):
        if move is not None:
            referee.play(move)
            last = f" after '{game.move_text(move)}'"
        if referee.verdict() is not None:
            raise OpeningError(f"openings {file}, line {opening.line}: the game is over{last}")


def opening_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines of a text file that are not empty, with their numbers from 1, as words; `#` begins a comment.

    Raises OpeningError.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")  # Windows puts a mark at the beginning
    except (OSError, UnicodeDecodeError) as error:
        raise OpeningError(f"openings {path}: {reason_of(error)}") from None
    for number, line in enumerate(text.splitlines(), 1):
        if words := line.partition("#")[0].split():
            yield number, words


def legal_moves_of(
    path: Path, line: int, game: BoardGame, start: str, words: list[str], read: Callable[[str], int]
) -> Opening:
    """The opening that the words of a line write, each one a move as `read` takes it. Raises OpeningError."""
    try:
        referee = game.referee(start)
    except ValueError as error:
        raise OpeningError(f"openings {path}, line {line}: {error}") from None
    moves = []
    for word in words:
        try:
            move = read(word)
            referee.play(move)
        except ValueError as error:
            raise OpeningError(f"openings {path}, line {line}, move {excerpt(word)}: {error}") from None
        moves.append(move)
    return Opening(tuple(moves), line, start)


def enough_openings(openings: list[Opening], games: int, path: Path) -> list[Opening]:
    """The first half as many openings as games, each to be played twice. Raises OpeningError if there are too few."""
    needed = (games + 1) // 2
    if len(openings) < needed:
        raise OpeningError(
            f"{games} games need {needed} distinct openings (each is played twice with colours swapped), "
            f"{path} has {len(openings)}"
        )
    return openings[:needed]
