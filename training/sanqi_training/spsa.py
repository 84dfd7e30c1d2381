"""SPSA (simultaneous perturbation stochastic approximation, Spall 1992): many numbers tuned at once by games.

In each pair of games all numbers are moved at once by their step, each up or down by chance, and played against the
opposite. All then move towards the side that won, by a rate times the step for each point; its use for engines is
Fishtest's. So a pair costs the same for two numbers as for a hundred. A step should be worth a few Elo.

The last values of a run have the noise of its last pairs, which with many numbers costs more than a step gains. What
is taken is the mean of its last half.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

REPORT_PAIRS = 50
"""A run's values are written when so many pairs more have been played, and at its end."""

_Pair = TypeVar("_Pair")


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


def points_in_order(
    play: Callable[[_Pair], float],
    pairs: Iterable[_Pair],
    workers: int,
    begin: Callable[..., None] | None = None,
    begin_with: tuple[Any, ...] = (),
) -> Iterator[float]:
    """The points of each pair of games, by worker processes; `begin` is called first in each of them.

    A few pairs are asked for ahead, before the points of those before are known, so that no worker waits.
    """
    waiting: deque[Any] = deque()
    # A fresh process: a copy of this one would have its threads' locks.
    with multiprocessing.get_context("spawn").Pool(workers, begin, begin_with) as pool:
        for pair in pairs:
            waiting.append(pool.apply_async(play, (pair,)))
            if len(waiting) >= 2 * workers:
                yield waiting.popleft().get()
        while waiting:
            yield waiting.popleft().get()


class Run:
    """The file of a run, JSON lines: the pairs played, the values after them, and what the run is of.

    Attributes
    ----------
    pairs : int
        How many have been played.
    values : dict of str to float
        The last ones; none before the first pair.
    """

    def __init__(self, path: Path, *, resume: bool, **about: str) -> None:
        """Read what the file has. Ends the program if it has a run that is not to go on, or of something else."""
        self._path = path
        self._about = about
        self._lines: list[dict[str, Any]] = []
        if path.exists():
            if not resume:
                sys.exit(f"{path} exists; --resume goes on with it")
            self._lines = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
        last: dict[str, Any] = self._lines[-1] if self._lines else {"pairs": 0, "values": {}, **about}
        for name, value in about.items():
            if last[name] != value:
                sys.exit(f"{path} is of {last[name]}")
        self.pairs: int = last["pairs"]
        self.values: dict[str, float] = last["values"]

    def tune(self, spsa: Spsa, points: Iterable[float]) -> None:
        """Move the numbers after each pair, by the points of its first side."""
        self._path.open("a", encoding="ascii").close()  # a file that cannot be written fails before the games
        written = self.pairs
        for point in points:
            spsa.learn(point)
            self.pairs += 1
            if self.pairs % REPORT_PAIRS == 0:
                self._write(spsa)
                written = self.pairs
        if self.pairs > written:
            self._write(spsa)

    def mean(self) -> dict[str, float]:
        """The mean of the values in the last half of the run. Ends the program if there are none."""
        totals = dict.fromkeys(self._last()["values"], (0.0, 0))
        before = 0
        for line in self._lines:
            pairs, before = line["pairs"] - before, line["pairs"]
            for name in totals.keys() & line["values"].keys() if 2 * line["pairs"] > self.pairs else ():
                total, of = totals[name]
                totals[name] = total + pairs * line["values"][name], of + pairs
        return {name: total / of for name, (total, of) in totals.items()}

    def of(self, name: str) -> str:
        """What the run is of. Ends the program if it has no values."""
        return str(self._last()[name])

    def _last(self) -> dict[str, Any]:
        if not self._lines:
            sys.exit(f"{self._path} has no values yet")
        return self._lines[-1]

    def _write(self, spsa: Spsa) -> None:
        self.values = {name: round(value, 3) for name, value in spsa.values.items()}
        self._lines.append({**self._about, "pairs": self.pairs, "values": self.values})
        with self._path.open("a", encoding="ascii") as out:
            out.write(json.dumps(self._lines[-1]) + "\n")
