"""Place the levels of Junqi by all games, also by those of levels that have since been moved.

    python benchmarks/calibrate_levels.py play junqi --levels 1,2,3,4,7,10,13,16,20 --out new.jsonl
    python benchmarks/junqi_level_curve.py new.jsonl old.jsonl:1=0,2=0.229,3=0.244,4=0.27,7=0.338,20=1

All that a level has follows from its sight, a number from 0 to 1 (junqi_protocol/levels.py). So strength is a function
of the sight: here straight lines between knots, fitted to all games by maximum likelihood, a draw as half a win. After
a file's name stand the sights that its levels had, if they are not those of today. Printed are the Elo of today's
levels, the steps between them, how probable their order is, and the sights that would make all steps even. Errors are
95 % intervals from 400 samples of the pairs, drawn with replacement (bootstrap), since the two games of a pair depend
on each other. Needs numpy.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from junqi_protocol.levels import sight
from search_core.levels import LEVEL_COUNT

if TYPE_CHECKING:
    from benchmarks.bradley_terry import Z_95, Ratings
    from benchmarks.calibrate_levels import plot, read_file
else:
    from bradley_terry import Z_95, Ratings
    from calibrate_levels import plot, read_file

KNOTS = (0, 0.228, 0.25, 0.28, 0.35, 0.45, 0.55, 0.65, 0.75, 1)
"""Dense where the scale is steep."""
SAMPLES = 400
_ELO = 400 / math.log(10)


def read_pairs(text: str) -> list[tuple[float, float, float]]:
    """For each pair of games between levels: both sights, and the mean points of the first."""
    path, _, given = text.partition(":")
    sights = {level: float(value) for level, value in (word.split("=") for word in given.split(",") if word)}
    _, pairs = read_file(Path(path))
    rows = []
    for pair in pairs:
        levels = [pair["first"], pair["second"]]
        if all(level.isdigit() for level in levels):
            first, second = (sights[level] if level in sights else sight(int(level)) for level in levels)
            rows.append((first, second, sum(pair["points"]) / 2))
    return rows


def basis(sights: Any) -> Any:
    """The share that each knot but the first has in the strength at some sights; the first is 0 Elo."""
    return np.stack([np.interp(sights, KNOTS, row) for row in np.eye(len(KNOTS))], axis=-1)[..., 1:]


def fit(differences: Any, points: Any, weights: Any) -> Any:
    """The Elo of the knots but the first, by Newton's method."""
    values = np.zeros(differences.shape[1])
    for _ in range(30):
        expected = (1 + np.tanh(differences @ values / 2)) / 2
        slopes = differences.T @ (weights * (points - expected)) - 1e-3 * values
        curvature = (differences.T * (weights * expected * (1 - expected))) @ differences
        values += np.linalg.solve(curvature + 1e-3 * np.eye(len(values)), slopes)
    return values * _ELO


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE[:LEVEL=SIGHT,...]", help="of calibrate_levels.py")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the scale")
    args = parser.parse_args(arguments)
    rows = np.array([row for text in args.files for row in read_pairs(text)])
    differences, points = basis(rows[:, 0]) - basis(rows[:, 1]), rows[:, 2]
    chance = np.random.default_rng(1)
    knots = fit(differences, points, np.ones(len(rows)))
    even = np.full(len(rows), 1 / len(rows))
    samples = np.array([fit(differences, points, chance.multinomial(len(rows), even)) for _ in range(SAMPLES)])
    numbers = np.arange(1, LEVEL_COUNT + 1)
    shares = basis(np.array([sight(int(number)) for number in numbers]))
    elo, drawn = shares @ knots, samples @ shares.T
    errors, steps = Z_95 * drawn.std(axis=0), np.diff(drawn)
    print(f"{len(rows)} pairs of games\n\nlevel  sight     Elo          step")
    for number, place, error in zip(numbers, elo, errors):
        step = f" {place - elo[number - 2]:+7.0f} ± {Z_95 * steps[:, number - 2].std():.0f}" if number > 1 else ""
        print(f"{number:>5}  {sight(int(number)):.3f} {place:+7.0f} ± {error:<5.0f}{step}")
    print(f"the order of the levels is right with a probability of {np.mean((steps > 0).all(axis=1)):.1%}")
    wanted = np.interp(np.linspace(0, knots[-1], LEVEL_COUNT), (0, *knots), KNOTS)
    words = " ".join(f"{number}={place:.3f}" for number, place in zip(numbers, wanted))
    print(f"steps of {knots[-1] / (LEVEL_COUNT - 1):.0f} Elo would have the sights {words}")
    if args.plot is not None:
        ratings = Ratings(tuple(map(str, numbers)), elo, np.cov(drawn, rowvar=False), Counter())
        args.plot.write_text(plot("junqi", ratings), encoding="utf-8")


if __name__ == "__main__":
    main()
