"""The score of a run of games, printed as they end."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from junqi_protocol.referee.referee import Spectator

if TYPE_CHECKING:
    from junqi_protocol.rules.arbiter import Arbiter


class ScoreBoard(Spectator):
    """Prints one line a game."""

    def __init__(self) -> None:
        self._wins: Counter[int | None] = Counter()

    def begins_again(self, number: int) -> None:
        print(f"game {number}: its record ends before the start; beginning it again", flush=True)

    def was_over(self, number: int, arbiter: Arbiter) -> None:
        self.over(number, arbiter)

    def over(self, number: int, arbiter: Arbiter) -> None:
        self._wins[arbiter.position.winner] += 1
        teams = [",".join(map(str, arbiter.variant.team(team))) for team in (0, 1)]
        print(
            f"game {number}: {arbiter.outcome}, {len(arbiter.happenings)} plies"
            f"  |  {teams[0]} against {teams[1]}: +{self._wins[0]} ={self._wins[None]} -{self._wins[1]}",
            flush=True,
        )
