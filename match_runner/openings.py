"""Openings: a text file with one list of moves a line, `#` begins a comment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from match_runner.game import BoardGame

DATA = Path(__file__).parent / "data"
"""Where the shipped ones are."""


class OpeningError(ValueError):
    """A file of openings that cannot be used; the message names file, line and move."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Moves from the start position; `line` is the line of the file, counted from 1."""

    moves: tuple[int, ...]
    line: int


def read_openings(path: Path, game: BoardGame) -> list[Opening]:
    """The distinct openings of a file, in its order, written as `game` reads them. Two that reach one position by
    other moves count as two.

    Raises OpeningError.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OpeningError(f"openings {path}: {error}") from None
    openings: dict[tuple[int, ...], Opening] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        referee = game.referee()
        moves = []
        for word in words:
            try:
                move = game.opening_move(word)
                referee.play(move)
            except ValueError as error:
                raise OpeningError(f"openings {path}, line {number}, move '{word}': {error}") from None
            moves.append(move)
        if referee.verdict() is not None:
            raise OpeningError(f"openings {path}, line {number}: the game is over after '{words[-1]}'")
        openings.setdefault(tuple(moves), Opening(tuple(moves), number))
    return list(openings.values())


def enough_openings(openings: list[Opening], games: int, path: Path) -> list[Opening]:
    """The first half as many openings as games, each to be played twice. Raises OpeningError if there are too few."""
    needed = (games + 1) // 2
    if len(openings) < needed:
        raise OpeningError(
            f"{games} games need {needed} distinct openings (each is played twice with colours swapped), "
            f"{path} has {len(openings)}"
        )
    return openings[:needed]
