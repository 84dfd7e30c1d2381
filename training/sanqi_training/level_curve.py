r"""Place the levels of Junqi, or the upper ones of Gomoku, by all games, also by those of levels that were moved since.

    python -m sanqi_training.calibrate_levels play junqi --levels 1,2,3,4,7,10,13,16,20 --out new.jsonl
    python -m sanqi_training.level_curve new.jsonl old.jsonl:1=0,2=0.229,3=0.244,4=0.27,7=0.338,20=1

All that such a level has follows from one number, its place: in Junqi its sight, from 0 to 1, in Gomoku, from level 12
on, the logarithm of its nodes to the base 2 (levels.py of the game's package). So strength is a function of the place:
here straight lines between knots, fitted to all games by maximum likelihood, a draw as half a win. After a file's name
stand the places that its levels had, if they are not those of today: sights, or nodes. Printed are the Elo of today's
levels over the lowest of them, the steps between them, how probable their order is, and the places that would make all
steps even. Errors are 95 % intervals from 400 samples of the pairs, drawn with replacement (bootstrap), since the two
games of a pair depend on each other. Needs numpy.

Junqi's curve in docs/junqi-player.md is fitted to three files. This made c.jsonl, longer runs with the seeds 23 and 61
made a.jsonl and b.jsonl, and --seed 81 with `--anchors ""` the 355 pairs at the last places; the clock stopped all:

    python -m sanqi_training.calibrate_levels play junqi --levels 1,2,3,4,7,10,13,16 --neighbours 300 --second 0 \
        --anchors random,events,path --anchored 1,7,13 --anchor 30 --seed 71 --workers 2 --hours 0.17 --out c.jsonl
    python -m sanqi_training.calibrate_levels play junqi --levels 16,20 --neighbours 50 --second 0 --anchors "" \
        --seed 71 --workers 2 --hours 0.09 --out c.jsonl --resume
    python -m sanqi_training.level_curve --plot docs/images/levels-junqi.svg \
        a.jsonl:1=0,2=.229,3=.244,4=.27,7=.338,10=.425,13=.548,16=.696,20=1 \
        b.jsonl:1=0,2=.224,3=.244,4=.27,7=.343,10=.477,13=.621,16=.753,20=1 \
        c.jsonl:1=0,2=.236,3=.261,4=.284,7=.356,10=.49,13=.597,16=.742,20=1
    python -m sanqi_training.calibrate_levels fit a.jsonl b.jsonl c.jsonl    # the other players
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gomoku_protocol.levels import LEVELS as GOMOKU_LEVELS
from junqi_protocol.players.levels import sight
from sanqi_training.bradley_terry import Z_95, Ratings
from sanqi_training.calibrate_levels import plot, read_file
from search_core.levels import LEVEL_COUNT

SAMPLES = 400
_ELO = 400 / math.log(10)


class Scale(NamedTuple):
    """How the places of a game's levels are said."""

    lowest: int
    """The lowest level that has a place."""
    said: Callable[[int], float]
    """The number of a level as it is said: its sight, or its nodes."""
    place: Callable[[float], float]
    """The place by that number."""
    back: Callable[[float], float]
    knots: tuple[float, ...]
    """By that number; dense where the scale is steep."""
    digits: int


def _same(value: float) -> float:
    return value


SCALES = {
    "junqi": Scale(1, sight, _same, _same, (0, 0.228, 0.25, 0.28, 0.35, 0.45, 0.55, 0.65, 0.75, 1), 3),
    "gomoku": Scale(
        12,
        lambda number: GOMOKU_LEVELS[number - 1].nodes,
        math.log2,
        lambda place: float(2**place),
        (GOMOKU_LEVELS[11].nodes, 10_000, 23_000, 54_000, 127_000, 300_000),
        0,
    ),
}


def read_pairs(text: str) -> tuple[str, list[tuple[float, float, float]]]:
    """The game, and for each pair of games between levels that have a place: both places, and the mean points of the
    first."""
    match = re.fullmatch(r"(.+?):(\d+=.*)", text)  # not at the colon of C:\
    path, given = match.groups() if match else (text, "")
    terms, pairs = read_file(Path(path))
    if terms.game not in SCALES:
        sys.exit(f"{path}: the levels of {terms.game} have no places")
    scale = SCALES[terms.game]
    said = {level: float(value) for level, value in (word.split("=") for word in given.split(",") if word)}
    rows = []
    for pair in pairs:
        levels = [pair["first"], pair["second"]]
        if all(level.isdigit() and int(level) >= scale.lowest for level in levels):
            first, second = (scale.place(said[level] if level in said else scale.said(int(level))) for level in levels)
            rows.append((first, second, sum(pair["points"]) / 2))
    return terms.game, rows


def basis(places: Any, knots: Sequence[float]) -> Any:
    """The share that each knot but the first has in the strength at some places; the first is 0 Elo."""
    return np.stack([np.interp(places, knots, row) for row in np.eye(len(knots))], axis=-1)[..., 1:]


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
    parser.add_argument("files", nargs="+", metavar="FILE[:LEVEL=PLACE,...]", help="of calibrate_levels.py")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the scale")
    args = parser.parse_args(arguments)
    found = [read_pairs(text) for text in args.files]
    games = {game for game, _ in found}
    if len(games) > 1:
        sys.exit(f"the files are of several games: {', '.join(sorted(games))}")
    game = games.pop()
    scale = SCALES[game]
    if args.plot is not None and scale.lowest > 1:
        parser.error(f"--plot: the curve of {game} begins at level {scale.lowest}")
    knots = [scale.place(knot) for knot in scale.knots]
    rows = np.array([row for _, listed in found for row in listed])
    differences, points = basis(rows[:, 0], knots) - basis(rows[:, 1], knots), rows[:, 2]
    chance = np.random.default_rng(1)
    strength = fit(differences, points, np.ones(len(rows)))
    even = np.full(len(rows), 1 / len(rows))
    samples = np.array([fit(differences, points, chance.multinomial(len(rows), even)) for _ in range(SAMPLES)])
    numbers = list(range(scale.lowest, LEVEL_COUNT + 1))
    shares = basis(np.array([scale.place(scale.said(number)) for number in numbers]), knots)
    elo, drawn = shares @ strength, samples @ shares.T
    errors, steps = Z_95 * drawn.std(axis=0), np.diff(drawn)
    print(f"{len(rows)} pairs of games\n\nlevel   place     Elo          step")
    for index, number in enumerate(numbers):
        step = ""
        if index:
            step = f" {elo[index] - elo[index - 1]:+7.0f} ± {Z_95 * steps[:, index - 1].std():.0f}"
        said = f"{scale.said(number):.{scale.digits}f}"
        print(f"{number:>5} {said:>7} {elo[index]:+7.0f} ± {errors[index]:<5.0f}{step}")
    print(f"the order of the levels is right with a probability of {np.mean((steps > 0).all(axis=1)):.1%}")
    wanted = np.interp(np.linspace(0, strength[-1], len(numbers)), (0, *strength), knots)
    words = " ".join(f"{number}={scale.back(place):.{scale.digits}f}" for number, place in zip(numbers, wanted))
    print(f"steps of {strength[-1] / (len(numbers) - 1):.0f} Elo would have the places {words}")
    if args.plot is not None:
        ratings = Ratings(tuple(map(str, numbers)), elo, np.cov(drawn, rowvar=False), Counter())
        args.plot.write_text(plot(game, ratings), encoding="utf-8")


if __name__ == "__main__":
    main()
