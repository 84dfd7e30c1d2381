"""Ratings from games: one maximum-likelihood fit of the Bradley-Terry model over all of them, a draw as half a win.

The unit is a pair of games from one opening or deal, since its two games depend on each other. So the errors are the
sandwich estimate with pairs as clusters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

PER_LOGIT = 400 / math.log(10)
PRIOR_GAMES = 0.5
"""Drawn games added to each pairing, so that a player that wins or loses all its games has a rating."""
Z_95 = 1.959964
_DRAWS = 20_000
_STEPS = 200
_PRECISION = 1e-9

Array = NDArray[np.float64]


class Pair(NamedTuple):
    """A pair of games: the points of the first player in it, 0 to `games`."""

    first: str
    second: str
    points: float
    games: int = 2


class Step(NamedTuple):
    """The difference between two players, in Elo, with the half width of its 95 % interval."""

    lower: str
    higher: str
    elo: float
    error: float


@dataclass(frozen=True)
class Ratings:
    """A fit. Elo is relative to the first of `names`."""

    names: tuple[str, ...]
    elo: Array
    covariance: Array
    games: Counter[str]

    def of(self, name: str) -> tuple[float, float]:
        """Elo and the half width of its 95 % interval."""
        number = self.names.index(name)
        return float(self.elo[number]), Z_95 * math.sqrt(max(float(self.covariance[number, number]), 0))

    def step(self, lower: str, higher: str) -> Step:
        """How much stronger one player is than another."""
        i, j = self.names.index(lower), self.names.index(higher)
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        return Step(lower, higher, float(self.elo[j] - self.elo[i]), Z_95 * math.sqrt(max(float(variance), 0)))

    def order_probability(self, names: Sequence[str]) -> float:
        """How probable it is that these players are in this order, each stronger than the one before, all at once."""
        numbers = [self.names.index(name) for name in names]
        drawn = np.random.default_rng(1).multivariate_normal(self.elo, self.covariance, _DRAWS, method="svd")[
            :, numbers
        ]
        return float(np.mean(np.all(np.diff(drawn, axis=1) > 0, axis=1)))


def fit(pairs: Iterable[Pair], reference: str) -> Ratings:
    """The ratings of all players; `reference` is at 0.

    Raises ValueError if no chain of games leads from it to some player.
    """
    listed = [pair for pair in pairs if pair.games]
    games = Counter[str]()
    for pair in listed:
        games[pair.first] += pair.games
        games[pair.second] += pair.games
    _check_connected(listed, reference)
    names = (reference, *sorted(set(games) - {reference}))
    index = {name: number for number, name in enumerate(names)}
    first = np.array([index[pair.first] for pair in listed])
    second = np.array([index[pair.second] for pair in listed])
    points = np.array([pair.points for pair in listed], dtype=np.float64)
    count = np.array([pair.games for pair in listed], dtype=np.float64)
    pairings = np.unique(np.stack([np.minimum(first, second), np.maximum(first, second)], axis=1), axis=0)
    data: Any = (
        np.concatenate([first, pairings[:, 0]]),
        np.concatenate([second, pairings[:, 1]]),
        np.concatenate([points, np.full(len(pairings), PRIOR_GAMES / 2)]),
        np.concatenate([count, np.full(len(pairings), PRIOR_GAMES)]),
    )
    logits = np.zeros(len(names))
    for _ in range(_STEPS):
        scores, curvature = _derivatives(logits, *data)
        gradient = np.zeros(len(names))
        np.add.at(gradient, data[0], scores)
        np.add.at(gradient, data[1], -scores)
        step = np.zeros(len(names))
        step[1:] = np.linalg.solve(curvature[1:, 1:], gradient[1:])
        logits += step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
        if np.abs(step).max() < _PRECISION:
            break
    scores, curvature = _derivatives(logits, *data)
    outer = np.zeros((len(names), len(names)))
    for i, j, score in zip(first, second, scores[: len(listed)]):
        outer[i, i] += score * score
        outer[j, j] += score * score
        outer[i, j] -= score * score
        outer[j, i] -= score * score
    inverse = np.zeros_like(outer)
    inverse[1:, 1:] = np.linalg.inv(curvature[1:, 1:])
    # Where a player has won or lost all, its scores hardly vary: then the model's own error is the larger one.
    sandwich = inverse @ outer @ inverse
    scale = np.sqrt(np.maximum(np.diag(inverse) / 2, 0) / np.maximum(np.diag(sandwich), 1e-12))
    scale = np.maximum(scale, 1)
    covariance = sandwich * np.outer(scale, scale)
    return Ratings(names, PER_LOGIT * logits, PER_LOGIT**2 * covariance, games)


def _derivatives(logits: Array, first: Any, second: Any, points: Array, games: Array) -> tuple[Array, Array]:
    """The slope of each pair's log-likelihood for its first player, and the negative matrix of second derivatives."""
    expected = 1 / (1 + np.exp(logits[second] - logits[first]))
    weights = games * expected * (1 - expected)
    curvature = np.zeros((len(logits), len(logits)))
    np.add.at(curvature, (first, first), weights)
    np.add.at(curvature, (second, second), weights)
    np.add.at(curvature, (first, second), -weights)
    np.add.at(curvature, (second, first), -weights)
    return points - games * expected, curvature


def _check_connected(pairs: Sequence[Pair], reference: str) -> None:
    known, left = {reference}, list(pairs)
    while True:
        linked = [pair for pair in left if pair.first in known or pair.second in known]
        if not linked:
            break
        left = [pair for pair in left if not (pair.first in known or pair.second in known)]
        for pair in linked:
            known |= {pair.first, pair.second}
    if left:
        raise ValueError(f"no chain of games leads from {reference} to {left[0].first}")
