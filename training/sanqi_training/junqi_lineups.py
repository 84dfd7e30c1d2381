"""Score Junqi lineups by games of the one-ply player, and anneal new ones on what wins.

Both seats of a team have the same lineup, each mirrored at random, with the flag on the left before that. A deal is two
games, with the teams exchanged.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

from junqi_protocol.knowledge.knowledge import starting_types
from junqi_protocol.rules.geometry import CAMPS, HOME_POINTS, VARIANTS
from junqi_protocol.rules.lineup import FLAG, PIECES, UNKNOWN, check, mirrored_at_random, random_lineup, upright
from sanqi_training.one_ply import self_play

POINTS = [index for index in range(HOME_POINTS) if index not in CAMPS]
STEPS = 6000
"""Exchanges tried for one annealed lineup."""
DOUBT = 100
"""Deals without effect that the value of a type on a point counts."""

Worth = list[list[float]]


def play_deals(board: str, pairs: Sequence[tuple[str, str]], chance: random.Random) -> list[float]:
    """Play a deal of each pair of lineups; returns the scores of the first of each."""
    seats = VARIANTS[board].seats
    games = []
    for pair in pairs:
        deal = [mirrored_at_random(pair[seat % 2], chance) for seat in range(seats)]
        games += [deal, deal[1:] + deal[:1]]
    played = self_play(board, games, seed=chance.getrandbits(60))
    won = [0.5 if game.winner is None else 1.0 - game.winner for game in played]
    return [(first + 1 - second) / 2 for first, second in zip(won[::2], won[1::2])]


class Results:
    """The scores of lineups, deal by deal."""

    def __init__(self) -> None:
        self._scores: dict[str, list[float]] = {}

    def add(self, lineups: Sequence[str], scores: Sequence[float]) -> None:
        """Add a deal of each of these lineups."""
        for lineup, score in zip(lineups, scores):
            self._scores.setdefault(lineup, []).append(score)

    def mean(self, lineup: str) -> float:
        return statistics.mean(self._scores[lineup])

    def error(self, lineup: str) -> float:
        """1.96 standard errors of the mean."""
        return 1.96 * statistics.stdev(self._scores[lineup]) / math.sqrt(len(self._scores[lineup]))

    def best(self, count: int) -> list[str]:
        return sorted(sorted(self._scores), key=self.mean, reverse=True)[:count]

    def worth(self) -> Worth:
        """By home point and type, what a type there adds to the score: the less, the fewer the deals."""
        mean = statistics.mean(score for scores in self._scores.values() for score in scores)
        total = [[0.0] * UNKNOWN for _ in range(HOME_POINTS)]
        number = [[0] * UNKNOWN for _ in range(HOME_POINTS)]
        for lineup, scores in self._scores.items():
            for index in POINTS:
                kind = PIECES.index(lineup[index])
                total[index][kind] += sum(scores) - mean * len(scores)
                number[index][kind] += len(scores)
        return [[s / (n + DOUBT) for s, n in zip(sums, times)] for sums, times in zip(total, number)]


def annealed(worth: Worth, warmth: float, chance: random.Random) -> str:
    """A lineup with a high sum of values. `warmth`: the last temperature, in units of the score."""
    kinds = [PIECES.index(letter) for letter in upright(random_lineup(chance))]
    free = [index for index in POINTS if kinds[index] != FLAG]
    allowed = [starting_types(index) for index in range(HOME_POINTS)]
    for step in range(STEPS):
        one, other = chance.sample(free, 2)
        if not (allowed[one] >> kinds[other] & 1 and allowed[other] >> kinds[one] & 1):
            continue
        gain = worth[one][kinds[other]] + worth[other][kinds[one]] - worth[one][kinds[one]] - worth[other][kinds[other]]
        if gain >= 0 or chance.random() < math.exp(gain / (warmth * 20 ** (1 - step / STEPS))):
            kinds[one], kinds[other] = kinds[other], kinds[one]
    lineup = "".join(PIECES[kind] for kind in kinds)
    check(lineup)
    return lineup


def apart(one: str, other: str) -> int:
    """On how many points two lineups differ."""
    return sum(a != b for a, b in zip(one, other))
