"""Moves that a person tries beside the game: a tree whose lines begin at positions of the game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from game_core.display import InputError

At: TypeAlias = "int | str"
"""A position: the number of moves of the game, or the id of a tried move."""

MAX_MOVES = 1000
MAX_COMMENT = 2000
"""Characters."""


@dataclass(frozen=True, slots=True)
class TriedMove:
    """A move of the tree. `after`: where it was tried. `code`: for the page's board."""

    id: str
    after: At
    text: str
    seat: int
    names: Mapping[str, str]
    code: str
    comment: str = ""


class TriedMoves:
    """The tree. Moves have the ids t1, t2, ... in the order in which they were tried."""

    def __init__(self) -> None:
        self._moves: dict[str, TriedMove] = {}
        self._count = 0

    def __iter__(self) -> Iterator[TriedMove]:
        """The moves, each after the one that it follows."""
        return iter(self._moves.values())

    def __len__(self) -> int:
        return len(self._moves)

    def read(self, at: object, last_ply: int) -> At:
        """A position of a message. Raises InputError."""
        if isinstance(at, int) and not isinstance(at, bool) and 0 <= at <= last_ply:
            return at
        if isinstance(at, str) and at in self._moves:
            return at
        raise InputError("there is no such position")

    def path(self, at: At) -> tuple[int, list[TriedMove]]:
        """How a position came about: the moves of the game, then the tried ones."""
        tried: list[TriedMove] = []
        while isinstance(at, str):
            tried.append(self._moves[at])
            at = tried[-1].after
        return at, tried[::-1]

    def find(self, after: At, text: str) -> TriedMove | None:
        """The move if it was tried there before."""
        return next((move for move in self if (move.after, move.text) == (after, text)), None)

    def new(self, after: At, text: str, seat: int, names: Mapping[str, str], code: str) -> dict[str, Any]:
        """A move that is legal there, as nodes() has it, with an id of its own. Raises InputError."""
        if len(self._moves) >= MAX_MOVES:
            raise InputError(f"a game may have {MAX_MOVES:,} tried moves")
        return asdict(TriedMove(f"t{self._count + 1}", after, text, seat, names, code))

    def put(self, move: TriedMove) -> None:
        """Add a move that new() has made."""
        self._count += 1
        self._moves[move.id] = move

    def comment(self, id: str, text: str) -> None:
        self._moves[id] = replace(self._moves[id], comment=text)

    def remove(self, id: str) -> None:
        """Remove a move and all that follows it."""
        gone = {id}
        for move in self:
            if move.after in gone:
                gone.add(move.id)
        self._moves = {id: move for id, move in self._moves.items() if id not in gone}

    def cut(self, ply: int) -> None:
        """Moves of the game were taken back: remove the lines that began after them."""
        for move in [move for move in self if isinstance(move.after, int) and move.after > ply]:
            self.remove(move.id)

    def nodes(self) -> list[dict[str, Any]]:
        """The tree as the message `tree` has it."""
        return [asdict(move) for move in self]
