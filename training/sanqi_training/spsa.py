"""SPSA (simultaneous perturbation stochastic approximation, Spall 1992): many numbers tuned at once by games.

In each pair of games all numbers are moved at once by their step, each up or down by chance, and played against the
opposite. All then move towards the side that won, by a rate times the step for each point; its use for engines is
Fishtest's. So a pair costs the same for two numbers as for a hundred. A step should be worth a few Elo.
"""

from __future__ import annotations

import random
from collections import deque
from typing import NamedTuple


class Step(NamedTuple):
    """Where a number starts, and by how much it is moved in a pair of games."""

    start: float
    size: float


class Spsa:
    """The values of the numbers while they are tuned.

    Parameters
    ----------
    steps : dict of str to Step
    rate : float
        How many steps the numbers move for each point by which a side is ahead in a pair: 2 at most.
    seed : int
    """

    def __init__(self, steps: dict[str, Step], rate: float, seed: int) -> None:
        self.values = {name: step.start for name, step in steps.items()}
        self._steps = steps
        self._rate = rate
        self._chance = random.Random(seed)
        self._moved: deque[dict[str, int]] = deque()

    def moved(self) -> tuple[dict[str, float], dict[str, float]]:
        """The values of both sides of the next pair."""
        directions = {name: self._chance.choice((-1, 1)) for name in self._steps}
        self._moved.append(directions)
        first, second = (
            {name: self.values[name] + sign * directions[name] * step.size for name, step in self._steps.items()}
            for sign in (1, -1)
        )
        return first, second

    def learn(self, points: float) -> None:
        """Take the points, 0 to 2, of the first side in the oldest pair that has none."""
        directions = self._moved.popleft()
        for name, step in self._steps.items():
            self.values[name] += self._rate * step.size * directions[name] * 2 * (points - 1)
