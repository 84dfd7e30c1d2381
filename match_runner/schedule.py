"""Who plays whom, from which opening, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from match_runner.openings import Opening

ROUND_ROBIN, GAUNTLET = "round-robin", "gauntlet"
TOURNAMENTS = (ROUND_ROBIN, GAUNTLET)
"""All pairs; or the first engine against each of the others."""


class ScheduledGame(NamedTuple):
    """One game: its number in the match, from 0, and the numbers of the engines in the order of the game's sides."""

    number: int
    players: tuple[int, int]
    opening: Opening

    @property
    def pairing(self) -> tuple[int, int]:
        """The two engines in the order of the command line, independent of their sides."""
        first, second = self.players
        return min(first, second), max(first, second)

    @property
    def swapped(self) -> bool:
        """Whether the first engine of the pairing has the second side."""
        return self.players[0] > self.players[1]


@dataclass(frozen=True, slots=True)
class Schedule:
    """`games` for each pairing of `engines` engines. Every pairing plays an opening twice, with sides swapped, before
    the next opening comes. The number of a game does not depend on how many games there are."""

    engines: int
    games: int
    openings: Sequence[Opening]
    tournament: str = ROUND_ROBIN

    @property
    def pairings(self) -> list[tuple[int, int]]:
        if self.tournament == GAUNTLET:
            return [(0, other) for other in range(1, self.engines)]
        return list(combinations(range(self.engines), 2))

    def __len__(self) -> int:
        return self.games * len(self.pairings)

    def __iter__(self) -> Iterator[ScheduledGame]:
        pairings = self.pairings
        for turn in range((self.games + 1) // 2):
            for place, (one, other) in enumerate(pairings):
                for swap in range(min(2, self.games - 2 * turn)):
                    players = (other, one) if swap else (one, other)
                    number = 2 * (turn * len(pairings) + place) + swap
                    yield ScheduledGame(number, players, self.openings[turn])
