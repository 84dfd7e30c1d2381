"""A person's guesses of enemies' pieces. They move with the pieces."""

from __future__ import annotations

from collections.abc import Sequence

from junqi_protocol.rules import lineup
from junqi_protocol.rules.lineup import PIECES
from junqi_protocol.rules.messages import Happening, Moved
from junqi_protocol.rules.position import RESULTS, Position
from search_core.line_protocol import excerpt


class Notes:
    """The notes of one game."""

    def __init__(self) -> None:
        self._marks: list[tuple[int, int, str]] = []
        """Each with the number of plies before it, its point and its letter; '': the note there was removed."""

    def mark(self, position: Position, words: Sequence[str]) -> None:
        """Note a guess of a piece: a square, and a letter or nothing. Raises ValueError."""
        if len(words) not in (1, 2):
            raise ValueError("mark needs a square and a guess, such as mark g9 9")
        square, guess = words[0], words[1].upper() if len(words) == 2 else ""
        point = position.variant.numbers.get(square.lower())
        piece = None if point is None else position.piece_at(point)
        if point is None or piece is None or PIECES[piece[1]] != "?":
            raise ValueError(f"{excerpt(square)} has no unknown piece")
        if guess not in ("", *lineup.ARMY):
            raise ValueError(f"{excerpt(words[1])} is no piece, expected 1-9, B, M or F")
        self._marks.append((position.ply, point, guess))

    def take_back(self, ply: int) -> None:
        """The game has only this many plies now."""
        self._marks = [mark for mark in self._marks if mark[0] <= ply]

    def guesses(self, happenings: Sequence[Happening]) -> dict[int, str]:
        """The letters by point, after what has happened."""
        guesses: dict[int, str] = {}
        marks = iter([*self._marks, (len(happenings) + 1, 0, "")])
        ply, point, letter = next(marks)
        for number, happening in enumerate([*happenings, None]):
            while ply <= number:
                guesses[point] = letter
                ply, point, letter = next(marks)
            if isinstance(happening, Moved):
                guess, target = guesses.pop(happening.move >> 8, ""), happening.move & 255
                if RESULTS[happening.result] != "KILLED":
                    guesses.pop(target, None)
                if RESULTS[happening.result] in ("MOVE", "EAT"):
                    guesses[target] = guess
        return {point: letter for point, letter in guesses.items() if letter}
