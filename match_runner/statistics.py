"""From game results to Elo, its error bar, and the sequential probability ratio test (SPRT).

Openings are played in pairs with colours swapped, so the unit is the pair: its score is 0, 1/2, 1, 3/2 or 2 points
for the first engine. The two games of a pair depend on each other (a lopsided opening is won by either side);
counting pairs takes the right variance, usually a smaller one than counting games would (the pentanomial model).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

ERROR_RATE = 0.05
"""Of the SPRT: chance to accept either hypothesis wrongly."""
UPPER_LLR = math.log((1 - ERROR_RATE) / ERROR_RATE)
LOWER_LLR = -UPPER_LLR
_Z_95 = 1.959964
_PRIOR = 0.2
"""Pairs added to each of the five scores when the SPRT takes a variance: without them the first few pairs, all
alike, would have none and decide at once."""


@dataclass(frozen=True, slots=True)
class Elo:
    """A difference in Elo of the first engine over the second with the ends of its 95 % interval, and the
    likelihood of superiority (chance that the first is the stronger one). Infinite at 0 % and 100 %."""

    difference: float
    low: float
    high: float
    superiority: float

    def __str__(self) -> str:
        if math.isinf(self.low) or math.isinf(self.high):
            return f"{self.difference:+.0f} [{self.low:+.0f}, {self.high:+.0f}]"
        return f"{self.difference:+.1f} ± {(self.high - self.low) / 2:.1f}"


def elo_of(score: float) -> float:
    """Elo difference of a score between 0 and 1."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Expected score, 0 to 1, of an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


class Pairs:
    """How many pairs of games gave 0, 1/2, 1, 3/2 and 2 points (`counts`)."""

    def __init__(self, points: Iterable[float] = ()) -> None:
        self.counts = [0, 0, 0, 0, 0]
        for pair in points:
            self.add(pair)

    def add(self, points: float) -> None:
        """Count a pair."""
        self.counts[round(2 * points)] += 1

    def __len__(self) -> int:
        return sum(self.counts)

    @property
    def score(self) -> float:
        """Mean score of a game, 0 to 1; 0.5 without any."""
        return sum(count * number for number, count in enumerate(self.counts)) / 4 / len(self) if len(self) else 0.5

    def squares(self, prior: float = 0.0) -> float:
        """Sum of the squared distances of the pairs' scores (0 to 1) from their mean, `prior` pairs of each added."""
        mean = self.score
        return sum((count + prior) * (number / 4 - mean) ** 2 for number, count in enumerate(self.counts))


def estimate(pairs: Pairs) -> Elo | None:
    """Elo from complete pairs; None as long as all are alike, which says nothing of the spread."""
    count = len(pairs)
    if not pairs.squares():
        return None
    mean = pairs.score
    error = math.sqrt(pairs.squares() / (count - 1) / count)
    superiority = 0.5 * (1 + math.erf((mean - 0.5) / error / math.sqrt(2)))
    return Elo(elo_of(mean), elo_of(mean - _Z_95 * error), elo_of(mean + _Z_95 * error), superiority)


def log_likelihood_ratio(pairs: Pairs, elo0: float, elo1: float) -> float:
    """Of "the difference is elo1" over "it is elo0", by the normal approximation to the pairs' mean."""
    count = len(pairs)
    if not count:
        return 0.0
    variance = pairs.squares(_PRIOR) / (count + 5 * _PRIOR)
    score0, score1 = score_of(elo0), score_of(elo1)
    return count * (score1 - score0) * (2 * pairs.score - score0 - score1) / (2 * variance)


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of "stronger by elo1" against "stronger by elo0" (elo0 < elo1), 5 % errors of each kind."""

    elo0: float
    elo1: float

    def llr(self, pairs: Pairs) -> float:
        return log_likelihood_ratio(pairs, self.elo0, self.elo1)

    def verdict(self, pairs: Pairs) -> str:
        """'accepted' (elo1), 'rejected' (elo0), or '' while it is open."""
        llr = self.llr(pairs)
        return "accepted" if llr >= UPPER_LLR else "rejected" if llr <= LOWER_LLR else ""
