"""Find, for a board, a mixture of Junqi lineups that no lineup beats by much, and write it into a Python module.

    python -m sanqi_training.junqi_mixture find duel --write junqi_protocol/rules/rated_lineups.py
    python -m sanqi_training.junqi_mixture check duel

The one-ply player plays all games. A score is that of deals of two games, with the teams exchanged; its error is 1.96
standard errors.

`find` is a double oracle:

1. The pool, at first the lineups that are written for any board and sound ones, plays each against each.
2. The mixture is the logit equilibrium of these scores: a lineup's weight is proportional to exp(score / WARMTH), the
   score that against the mixture. So lineups whose scores differ by less than can be measured are about as frequent.
3. Best replies: lineups annealed on what each type on each point adds to the score against the mixture
   (junqi_lineups.py), and lineups of the pool with some pieces exchanged. In three heats the worse ones drop out; the
   best join the pool, and the worst of a pool that is too large leave it.

`check` looks for best replies among the written lineups and others annealed against the mixture, and then plays new
games, so that the scores are not those by which the lineups were chosen.
"""

from __future__ import annotations

import argparse
import math
import random
import runpy
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from junqi_protocol.knowledge.knowledge import starting_types
from junqi_protocol.rules.geometry import VARIANTS
from junqi_protocol.rules.lineup import PIECES, parse, sound_lineup, text, upright
from junqi_protocol.rules.rated_lineups import RATED_LINEUPS
from sanqi_training.junqi_lineups import POINTS, Results, annealed, apart, play_deals

WARMTH = 0.008
"""Of the logit equilibrium, in units of the score."""
RAREST = 0.005
"""Lineups with less weight are not written."""
APART = 5
"""The fewest points on which two lineups of the last heat differ."""
LAST_HEAT = 12
"""The most lineups of the last heat."""

Mixture = dict[str, float]
"""Weights by lineup."""


class ScoreTable:
    """The scores of lineups against each other."""

    def __init__(self, board: str, chance: random.Random) -> None:
        self._board = board
        self._chance = chance
        self._means: dict[tuple[str, str], float] = {}

    def fill(self, pool: Sequence[str], deals: int) -> None:
        """Let each pair of the pool that has not yet played play that many deals."""
        for number, one in enumerate(pool):
            pairs = [(one, other) for other in pool[:number] if (one, other) not in self._means]
            if not pairs:
                continue
            scores = [0.0] * len(pairs)
            for _ in range(deals):
                for index, score in enumerate(play_deals(self._board, pairs, self._chance)):
                    scores[index] += score
            for (first, second), score in zip(pairs, scores):
                self._means[first, second] = score / deals
                self._means[second, first] = 1 - score / deals

    def matrix(self, pool: Sequence[str]) -> np.ndarray:
        """Mean scores, of the row's lineup against the column's."""
        found = np.full((len(pool), len(pool)), 0.5)
        for row, one in enumerate(pool):
            for column, other in enumerate(pool):
                if row != column:
                    found[row, column] = self._means[one, other]
        return found


def equilibrium(scores: np.ndarray) -> np.ndarray:
    """The weights of the logit equilibrium of a symmetric game."""
    weights = np.full(len(scores), 1 / len(scores))
    for step in range(20000):
        wanted = scores @ weights / WARMTH
        wanted = np.exp(wanted - wanted.max())
        weights += (wanted / wanted.sum() - weights) / (50 + step / 10)
    return weights


def exchanged(lineup: str, exchanges: int, chance: random.Random) -> str:
    """The lineup with some pairs of pieces exchanged, where the rules allow it."""
    kinds = [PIECES.index(letter) for letter in lineup]
    while exchanges:
        one, other = chance.sample(POINTS, 2)
        if starting_types(one) >> kinds[other] & 1 and starting_types(other) >> kinds[one] & 1:
            kinds[one], kinds[other] = kinds[other], kinds[one]
            exchanges -= 1
    return upright("".join(PIECES[kind] for kind in kinds))


class Opponent:
    """A mixture of lineups on a board; other lineups play against it."""

    def __init__(self, mixture: Mixture, board: str, chance: random.Random) -> None:
        self._mixture = mixture
        self._board = board
        self._chance = chance

    def meet(self, lineups: Sequence[str], deals: int) -> Results:
        """Let each lineup play that many deals against the mixture."""
        results = Results()
        for _ in range(deals):
            drawn = self._chance.choices(list(self._mixture), weights=list(self._mixture.values()), k=len(lineups))
            results.add(lineups, play_deals(self._board, list(zip(lineups, drawn)), self._chance))
        return results

    def replies(self, pool: Sequence[str], count: int) -> list[str]:
        """Lineups annealed against the mixture: half on values of types on points, half by exchanges that win games."""
        chance = self._chance
        explored = {exchanged(chance.choice(pool), chance.randint(1, 8), chance) for _ in range(6 * count)}
        explored |= {upright(sound_lineup(chance)) for _ in range(2 * count)}
        results = self.meet(sorted(explored), 8)
        worth = results.worth()
        made: set[str] = set()
        while len(made) < count // 2:
            made.add(annealed(worth, 0.01, chance))
        climbers = results.best(count // 2)
        for exchanges in (3, 2, 2, 1, 1):
            rivals = [exchanged(lineup, exchanges, chance) for lineup in climbers]
            heat = self.meet(sorted({*climbers, *rivals}), 40)
            climbers = [max(pair, key=heat.mean) for pair in zip(climbers, rivals)]
        return sorted(made | set(climbers))

    def last_heat(self, lineups: Sequence[str], deals: int) -> Results:
        """The last of three heats.

        Its lineups differ from each other on APART points or more, so that not all answer the mixture in the same way.
        """
        second = self.meet(self.meet(lineups, max(deals // 50, 1)).best(100), deals // 5)
        last: list[str] = []
        for lineup in second.best(100):
            if len(last) < LAST_HEAT and all(apart(lineup, other) >= APART for other in last):
                last.append(lineup)
        return self.meet(last, deals)


def show(name: str, results: Results) -> None:
    first = results.best(1)[0]
    print(f"{name}: {results.mean(first):.1%} ± {results.error(first):.1%} by {text(first)}", flush=True)


def find(options: argparse.Namespace) -> None:
    chance = random.Random(options.seed)
    table = ScoreTable(options.board, chance)
    pool = sorted(
        {lineup for board in VARIANTS for lineup in written(board)} | {upright(sound_lineup(chance)) for _ in range(15)}
    )
    for number in range(options.rounds):
        table.fill(pool, options.deals)
        scores = table.matrix(pool)
        weights = equilibrium(scores)
        value = scores @ weights
        mixture = dict(zip(pool, weights.tolist()))
        entropy = -sum(weight * math.log(weight) for weight in mixture.values())
        print(
            f"round {number + 1}: pool of {len(pool)}, as unpredictable as {math.exp(entropy):.1f} equal ones; best of"
            f" the pool {value.max():.1%}",
            flush=True,
        )
        if options.write:
            tables = {**lineups_in(options.write), options.board: weights_to_write(mixture)}
            options.write.write_text(module(tables), encoding="utf-8")
        if number + 1 == options.rounds:
            break
        order = [pool[index] for index in np.argsort(-weights)][: options.pool]
        opponent = Opponent(mixture, options.board, chance)
        found = opponent.last_heat(opponent.replies(order, options.replies), 10 * options.deals)
        show("    best reply", found)
        pool = sorted({*order, *found.best(LAST_HEAT)})


def weights_to_write(mixture: Mixture) -> dict[str, int]:
    """By lineup's text, its weight in thousandths, the largest first."""
    kept = {text(lineup): round(1000 * weight) for lineup, weight in mixture.items() if weight >= RAREST}
    return dict(sorted(kept.items(), key=lambda pair: -pair[1]))


def lineups_in(path: Path) -> Mapping[str, Mapping[str, int]]:
    """The lineups and weights in a module, by board; those of the installed one if there is no such file yet."""
    if not path.exists():
        return RATED_LINEUPS
    tables: dict[str, dict[str, int]] = runpy.run_path(str(path))["RATED_LINEUPS"]
    return tables


def module(tables: Mapping[str, Mapping[str, int]]) -> str:
    """The Python module of these lineups and weights, by board."""
    lines = [
        '"""Lineups that win games of the one-ply player, with their weights, by board. Written by sanqi_training."""',
        "",
        "RATED_LINEUPS = {",
    ]
    for board, weights in tables.items():
        lines += [
            f'    "{board}": {{',
            *(f'        "{lineup}": {weight},' for lineup, weight in weights.items()),
            "    },",
        ]
    return "\n".join([*lines, "}", ""])


def written(board: str) -> Mixture:
    """The mixture of rated_lineups.py."""
    return {upright(parse(lineup)): float(weight) for lineup, weight in RATED_LINEUPS[board].items()}


def check(options: argparse.Namespace) -> None:
    chance = random.Random(options.seed)
    mixture = written(options.board)
    opponent = Opponent(mixture, options.board, chance)
    pool = sorted(mixture)
    made = opponent.replies(pool, options.replies)
    results = opponent.last_heat(sorted({*pool, *made}), 10 * options.deals)
    show("best in the last heat", results)
    show("the best three in new games", opponent.meet(results.best(3), 50 * options.deals))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("find", "check"))
    parser.add_argument("board", choices=VARIANTS)
    parser.add_argument("--rounds", type=int, default=8, help="of find (default 8)")
    parser.add_argument("--pool", type=int, default=100, help="lineups kept from round to round (default 100)")
    parser.add_argument("--replies", type=int, default=500, help="lineups annealed against a mixture (default 500)")
    parser.add_argument(
        "--deals",
        type=int,
        default=200,
        help="of a pair; of one lineup in the last heat ten times as many, in the new"
        " games of check fifty times (default 200)",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--write",
        type=Path,
        metavar="FILE",
        help="write the mixture into a Python module, with those of the other boards",
    )
    options = parser.parse_args()
    {"find": find, "check": check}[options.action](options)


if __name__ == "__main__":
    main()
