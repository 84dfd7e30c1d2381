"""Fit the Gomoku evaluation and move order to games that the program plays against itself.

    sanqi-train selfplay gomoku --games 5000 --nodes 6000 --out games
    python -m sanqi_training.tune_gomoku games/*.games --header gomoku_protocol/point_values.h

It makes two tables by pattern; a pattern is the four line classes of a vacant point. Needs numpy.

Values: fitted on quiet positions, where the search uses the static evaluation. The logistic function of the score
predicts the scores of later searches and the result of the game; later ones count less. Values of what both sides can
force, the fours and threes that they can make, are fitted at the same time.

Order: the logarithm of the probability that a search chooses a point (softmax regression on the moves played).

A pattern's value is a sum over its lines, plus a term for its rank, plus a term of its own, which decays without data.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sanqi_training.selfplay.gomoku_games import PlayedGame, read_games
from search_core.game import MATE_BOUND

CENTIPAWNS = 200.0  # of a score that wins with probability 1 / (1 + 1/e)
SCALE = 16  # point_values.pxd
TRACE = 0.85  # weight of the later searches in a position's target; the rest is its own search
ORDER_SCALE = 1000  # move order units per unit of the logarithm
VALUE_DECAY, ORDER_DECAY = 1e-7, 1e-6
# Whose points, their rank(), and the largest number that counts: the digits of evaluation.pyx's forcing_index().
FORCING = (
    (0, 6, 1),
    (0, 5, 2),
    (0, 4, 1),
    (0, 3, 2),
    (1, 7, 1),
    (1, 6, 1),
    (1, 5, 2),
    (1, 4, 1),
    (1, 3, 2),
)
# patterns.pxd
LINE_CLASSES, RANKS = 15, 9
OPEN_TWO_NARROW, OPEN_THREE_NARROW, FOUR, DOUBLE_FOUR, OPEN_FOUR, FIVE = 4, 8, 10, 11, 12, 13


def patterns() -> list[tuple[int, ...]]:
    """The four line classes of each pattern, in the order of patterns.pattern_number()."""
    found = itertools.combinations_with_replacement(range(LINE_CLASSES), 4)
    return sorted(tuple(sorted(classes, reverse=True)) for classes in found)


def rank(classes: tuple[int, ...]) -> int:
    """The strength of the four lines together, as fine as the tables need it."""
    fours = sum(kind in (FOUR, OPEN_FOUR) for kind in classes) + 2 * classes.count(DOUBLE_FOUR)
    threes = sum(OPEN_THREE_NARROW <= kind < FOUR for kind in classes)
    steps = sum(OPEN_TWO_NARROW <= kind < OPEN_THREE_NARROW for kind in classes)
    if FIVE in classes:
        return 8
    if OPEN_FOUR in classes or fours >= 2:
        return 7
    if fours:
        return 6 if threes else 5
    return 2 + min(threes, 2) if threes else min(steps, 2)


def expectations(game: PlayedGame) -> list[float]:
    """The expected result for the side to move at each searched move, 0 to 1: TD(lambda) to the game's end."""
    expected = []
    black_moves_next = (len(game.opening) + len(game.moves)) % 2 == 0
    later = game.result / 2 if black_moves_next else 1 - game.result / 2
    for score, random in zip(reversed(game.scores), reversed(game.random), strict=True):
        said = 1 / (1 + math.exp(-max(min(score, 4000), -4000) / CENTIPAWNS))
        # What comes after a move that no search chose says nothing of the position before it.
        later = said if random else TRACE * (1 - later) + (1 - TRACE) * said
        expected.append(later)
    return expected[::-1]


class Sample:
    """Positions as arrays: patterns of all vacant points for each side, filled up with 0, and the targets."""

    def __init__(self, files: list[Path]) -> None:
        mine: list[Any] = []
        theirs: list[Any] = []
        self.quiet: list[bool] = []
        self.target: list[float] = []
        self.chosen: list[int] = []
        held_out: list[bool] = []
        for number, game in enumerate(itertools.chain.from_iterable(map(read_games, files))):
            played = zip(game.replay(), expectations(game), game.random, strict=True)
            for (position, move, score), target, random in played:
                if abs(score) >= MATE_BOUND or random:
                    continue
                points = position.patterns()
                for rows, place in ((mine, 1), (theirs, 2)):
                    rows.append(np.zeros(game.size**2, dtype=np.int16))
                    rows[-1][: len(points)] = [point[place] for point in points]
                held_out.append(number % 10 == 0)
                self.target.append(target)
                self.quiet.append(position.quiet)
                self.chosen.append(next(i for i, point in enumerate(points) if point[0] == move))
        self.mine = np.array(mine)
        self.theirs = np.array(theirs)
        self.held_out = np.array(held_out)
        """Of every tenth game: the positions of a game are alike."""


def forcing_indices(mine: Any, theirs: Any) -> Any:
    """The index of what both sides can force, for positions given by their points' patterns."""
    ranks = np.array([rank(classes) for classes in patterns()])
    indices = np.zeros(len(mine), dtype=np.int64)
    for whose, kind, most in FORCING:
        for at in range(0, len(mine), 65536):
            points = (mine, theirs)[whose][at : at + 65536]
            indices[at : at + 65536] *= most + 1
            indices[at : at + 65536] += np.minimum((ranks[points] == kind).sum(1), most)
    return indices


class Vector:
    """A value for each index below `size`, fitted by Adam."""

    def __init__(self, size: int, rate: float, decay: float) -> None:
        self.values = np.zeros(size)
        self.rate, self.decay, self.step = rate, decay, 0
        self.moment, self.square = np.zeros(size), np.zeros(size)

    def learn(self, gradient: Any, rate: float) -> None:
        """One step along a gradient; `rate` is a factor of the learning rate."""
        self.step += 1
        slope = gradient + self.decay * self.values
        self.moment += 0.1 * (slope - self.moment)
        self.square += 0.001 * (slope**2 - self.square)
        moment, square = self.moment / (1 - 0.9**self.step), self.square / (1 - 0.999**self.step)
        self.values -= rate * self.rate * moment / (np.sqrt(square) + 1e-8)


class Table:
    """Two values per pattern: one for the side to move's pattern, one for the opponent's. Fitted by Adam."""

    def __init__(self, rate: float, decay: float) -> None:
        classes = patterns()
        self.parts = np.zeros((len(classes), LINE_CLASSES + RANKS))
        for number, lines in enumerate(classes):
            for kind in lines:
                self.parts[number, kind] += 1
            self.parts[number, LINE_CLASSES + rank(lines)] = 1
        self.parts[0] = 0  # the empty pattern has value 0
        self.rate, self.decay, self.step = rate, decay, 0
        self.shared = [np.zeros((2, LINE_CLASSES + RANKS)) for _ in range(3)]  # value, moment, square
        self.own = [np.zeros((2, len(classes))) for _ in range(3)]

    def values(self) -> Any:
        """The values by side and pattern."""
        return self.shared[0] @ self.parts.T + self.own[0]

    def learn(self, gradient: Any, rate: float) -> None:
        """One step along a gradient by side and pattern; `rate` is a factor of the learning rate."""
        self.step += 1
        gradient[:, 0] = 0
        for state, slope in ((self.shared, gradient @ self.parts), (self.own, gradient + self.decay * self.own[0])):
            state[1] += 0.1 * (slope - state[1])
            state[2] += 0.001 * (slope**2 - state[2])
            moment, square = state[1] / (1 - 0.9**self.step), state[2] / (1 - 0.999**self.step)
            state[0] -= rate * self.rate * moment / (np.sqrt(square) + 1e-8)

    def gradient(self, mine: Any, theirs: Any, slopes: Any) -> Any:
        """Sum the slopes of points by side and pattern."""
        size = len(self.parts)
        return np.stack([np.bincount(ids.ravel(), slopes.ravel(), size) for ids in (mine, theirs)])


def fit_values(sample: Sample, epochs: int) -> tuple[Any, Any]:
    """Values in centipawns by side and pattern, and by what both sides can force."""
    table = Table(rate=0.2, decay=VALUE_DECAY)
    forcing = Vector(math.prod(most + 1 for _, _, most in FORCING), rate=0.6, decay=VALUE_DECAY)
    indices = forcing_indices(sample.mine, sample.theirs)
    rows = np.flatnonzero(sample.quiet)
    target = np.array(sample.target)
    chance = np.random.default_rng(1)
    held_out = sample.held_out[rows]
    for epoch in range(epochs):
        for chosen in batches(rows[~held_out], chance):
            mine, theirs = sample.mine[chosen], sample.theirs[chosen]
            values = table.values()
            scores = values[0][mine].sum(1) + values[1][theirs].sum(1) + forcing.values[indices[chosen]]
            error = (1 / (1 + np.exp(-scores / CENTIPAWNS)) - target[chosen]) / len(chosen)
            slopes = np.repeat(error[:, None], mine.shape[1], axis=1)
            table.learn(table.gradient(mine, theirs, slopes), 1 - epoch / epochs)
            forcing.learn(np.bincount(indices[chosen], error, len(forcing.values)), 1 - epoch / epochs)
        values = table.values()
        chosen = rows[held_out]
        scores = values[0][sample.mine[chosen]].sum(1) + values[1][sample.theirs[chosen]].sum(1)
        scores += forcing.values[indices[chosen]]
        error = ((1 / (1 + np.exp(-scores / CENTIPAWNS)) - target[chosen]) ** 2).mean()
        print(f"values, epoch {epoch}: mean square error {error:.5f} of {len(chosen)} held out", file=sys.stderr)
    return table.values(), forcing.values


def fit_order(sample: Sample, epochs: int) -> Any:
    """Logarithms of the probability of a move, by side and pattern."""
    table = Table(rate=0.02, decay=ORDER_DECAY)
    rows = np.arange(len(sample.quiet))
    target = np.array(sample.chosen)
    chance = np.random.default_rng(1)
    held_out = sample.held_out[rows]

    def likelihoods(chosen: Any) -> Any:
        values = table.values()
        logits = values[0][sample.mine[chosen]] + values[1][sample.theirs[chosen]]
        logits = np.exp(logits - logits.max(1, keepdims=True))
        return logits / logits.sum(1, keepdims=True)

    for epoch in range(epochs):
        for chosen in batches(rows[~held_out], chance):
            slopes = likelihoods(chosen)
            slopes[np.arange(len(chosen)), target[chosen]] -= 1
            table.learn(
                table.gradient(sample.mine[chosen], sample.theirs[chosen], slopes / len(chosen)), 1 - epoch / epochs
            )
        chosen = rows[held_out]
        likely = likelihoods(chosen)
        own = likely[np.arange(len(chosen)), target[chosen]]
        first = (own[:, None] >= likely).all(1).mean()
        print(
            f"order, epoch {epoch}: cross entropy {-np.log(own).mean():.4f}, the first move is right in {first:.1%}",
            file=sys.stderr,
        )
    return table.values()


def batches(rows: Any, chance: Any, size: int = 2048) -> Iterator[Any]:
    """All rows in random order, in batches of `size`."""
    order = chance.permutation(rows)
    for begin in range(0, len(order), size):
        yield order[begin : begin + size]


def c_table(name: str, kind: str, values: Any) -> str:
    """C source of a table by pattern and side."""
    cells = [f"{{{int(first)},{int(second)}}}," for first, second in zip(*np.round(values), strict=True)]
    return c_array(f"static const {kind} {name}[{len(cells)}][2]", cells)


def c_array(declaration: str, cells: list[str]) -> str:
    """C source of an array."""
    body = textwrap.fill(" ".join(cells), 118, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    return f"{declaration} = {{\n{body}\n}};\n"


def fit(args: argparse.Namespace) -> None:
    """Fit both tables and write the header."""
    sample = Sample(args.files)
    print(f"{len(sample.quiet)} positions, {sum(sample.quiet)} of them quiet", file=sys.stderr)
    values, forcing = fit_values(sample, args.epochs)
    order = fit_order(sample, args.epochs)
    # [0] is for the side that waits: its points count against the side to move.
    values = np.stack([-values[1], values[0]]) * SCALE
    args.header.write_text(
        "/* By pattern, the four line classes of a vacant point, and by what can be forced;"
        " made by training/sanqi_training/tune_gomoku.py. */\n\n"
        "#include <stdint.h>\n\n"
        + c_table("POINT_VALUE", "int16_t", values.clip(-32000, 32000))
        + "\n"
        + c_array(
            f"static const int16_t FORCING_VALUE[{len(forcing)}]",
            [f"{round(value * SCALE)}," for value in forcing],
        )
        + "\n"
        + c_table("POINT_ORDER", "int32_t", order * ORDER_SCALE),
        encoding="ascii",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", help="of sanqi-train selfplay gomoku; boards of one size")
    parser.add_argument("--header", type=Path, required=True, metavar="FILE", help="file to write")
    parser.add_argument("--epochs", type=int, default=20, metavar="N")
    args = parser.parse_args()
    fit(args)


if __name__ == "__main__":
    main()
