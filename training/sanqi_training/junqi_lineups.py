"""Find good Junqi lineups by thousands of games of the one-ply player, and write the best as a Python module.

    python -m sanqi_training.junqi_lineups --write junqi_protocol/rules/rated_lineups.py
    python -m sanqi_training.junqi_lineups --check path

1. Games with random and sound lineups show what each type is worth on each home point: the mean score of the teams
   that have it there, less the mean of all.
2. Simulated annealing on the sum of these values makes a pool of lineups. They differ because it stops while warm.
3. Each lineup of the pool plays against random others of it. In these games the values are measured again, and steps 2
   and 3 repeated.
4. The best quarter plays again, so that its scores are not those by which it was chosen. The best 25 are written; a
   lineup is left out if it differs from a better one on fewer than five points.

Both seats of a team have the same lineup, each mirrored at random, with the flag on the left before that. Each deal is
played twice, with the teams exchanged. Half of the games have four seats. The error of a score is 1.96 standard errors.

junqi_mixture.py makes a mixture from the written lineups. `--check LEVEL` lets them play against sound_lineup(); all
seats have a player of that level.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from junqi_protocol.knowledge.knowledge import starting_types
from junqi_protocol.knowledge.seen_game import SeenGame
from junqi_protocol.players.players import choose
from junqi_protocol.rules.geometry import CAMPS, HOME_POINTS, VARIANTS
from junqi_protocol.rules.lineup import (
    FLAG,
    PIECES,
    UNKNOWN,
    check,
    mirrored,
    mirrored_at_random,
    random_lineup,
    sound_lineup,
    text,
)
from sanqi_training.one_ply import self_play

FLAG_POINT = 26
WRITTEN = 25
POINTS = [index for index in range(HOME_POINTS) if index not in CAMPS]
APART = 5
"""The fewest points on which two of the written lineups differ."""
STEPS = 6000
"""Exchanges tried for one annealed lineup."""
DOUBT = 100
"""Deals that the earlier value of a type on a point counts for."""

Worth = list[list[float]]


def upright(lineup: str) -> str:
    """The lineup or its mirror image, the one with the flag on the left."""
    return lineup if lineup[FLAG_POINT] == "F" else mirrored(lineup)


class Rater:
    """Plays games and keeps each lineup's results. A game is between two lineups, one for both seats of a team."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.results: dict[str, list[float]] = {}
        """By lineup, the mean score of each deal: two games."""
        self.games = 0

    def play(self, variant: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Play two games a pair; returns the scores of the first lineup of each."""
        seats = VARIANTS[variant].seats
        games = []
        for pair in pairs:
            deal = [mirrored_at_random(pair[seat % 2], self._chance) for seat in range(seats)]
            games += [deal, deal[1:] + deal[:1]]
        played = self_play(variant, games, seed=self._chance.getrandbits(60))
        self.games += len(played)
        won = [0.5 if game.winner is None else 1.0 - game.winner for game in played]
        scores = [(first + 1 - second) / 2 for first, second in zip(won[::2], won[1::2])]
        for (one, other), score in zip(pairs, scores):
            self.results.setdefault(one, []).append(score)
            self.results.setdefault(other, []).append(1 - score)
        return scores

    def rate(self, lineups: Sequence[str], deals: int) -> None:
        """Let each lineup play about `deals` deals against random others, on both boards."""
        for number in range(deals // 2):
            order = list(lineups)
            self._chance.shuffle(order)
            self.play(("siguo", "duel")[number % 2], list(zip(order, order[1:] + order[:1])))

    def score(self, lineup: str) -> float:
        return statistics.mean(self.results[lineup])

    def error(self, lineup: str) -> float:
        return 1.96 * statistics.stdev(self.results[lineup]) / math.sqrt(len(self.results[lineup]))

    def worth(self, before: Worth) -> Worth:
        """By home point and type, what a type there adds to the score.

        `before`: earlier values. They count as much as DOUBT deals, so that they decide where there are few results.
        """
        mean = statistics.mean(score for scores in self.results.values() for score in scores)
        total = [[0.0] * UNKNOWN for _ in range(HOME_POINTS)]
        number = [[0] * UNKNOWN for _ in range(HOME_POINTS)]
        for lineup, scores in self.results.items():
            for index in POINTS:
                kind = PIECES.index(lineup[index])
                total[index][kind] += sum(scores) - mean * len(scores)
                number[index][kind] += len(scores)
        found: Worth = []
        for sums, times, earlier in zip(total, number, before):
            # Values are relative to the mean of these lineups, not of the earlier ones.
            level = sum(n * value for n, value in zip(times, earlier)) / max(1, sum(times))
            found.append([(s + DOUBT * (old - level)) / (n + DOUBT) for s, n, old in zip(sums, times, earlier)])
        return found


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


def difference(lineups: Sequence[str]) -> float:
    """On how many points two of these lineups differ, in the mean."""
    pairs = [(one, other) for i, one in enumerate(lineups) for other in lineups[:i]]
    return statistics.mean(apart(*pair) for pair in pairs)


def show(name: str, lineups: Sequence[str], rater: Rater) -> None:
    scores = [rater.score(lineup) for lineup in lineups]
    errors = statistics.mean(rater.error(lineup) for lineup in lineups)
    print(
        f"{name}: {len(lineups)} lineups, scores {min(scores):.1%} to {max(scores):.1%}, each ± {errors:.1%},"
        f" standard deviation {statistics.stdev(scores):.1%}; two differ on {difference(lineups):.1f} points;"
        f" {rater.games} games",
        flush=True,
    )


def against_sound(lineups: Sequence[str], deals: int, chance: random.Random) -> Iterator[str]:
    for variant in VARIANTS:
        rater = Rater(chance)
        scores = rater.play(variant, [(chance.choice(lineups), sound_lineup(chance)) for _ in range(deals)])
        error = 1.96 * statistics.stdev(scores) / math.sqrt(deals)
        yield f"{variant}: {statistics.mean(scores):.1%} ± {error:.1%} against sound_lineup()"


def find(options: argparse.Namespace) -> None:
    chance = random.Random(options.seed)
    rater = Rater(chance)
    makers = (random_lineup, sound_lineup)
    explored = [upright(makers[i % 2](chance)) for i in range(options.explore)]
    for _ in range(2):
        rater.rate(explored, 2)
        rater.rate(explored, 2)
    print(f"random and sound lineups: {rater.games} games", flush=True)
    worth: Worth = [[0.0] * UNKNOWN for _ in range(HOME_POINTS)]
    for round_ in range(options.rounds):
        worth = rater.worth(worth)
        made: set[str] = set()
        while len(made) < options.pool:
            made.add(annealed(worth, options.warmth, chance))
        pool = sorted(made)
        rater = Rater(chance)
        rater.rate(pool, options.deals)
        show(f"pool {round_ + 1}", pool, rater)
        for line in against_sound(pool, 1000, chance):
            print(f"    {line}", flush=True)
    best = sorted(pool, key=rater.score, reverse=True)[: len(pool) // 4]
    final = Rater(chance)
    others = [lineup for lineup in pool if lineup not in best]
    for number in range(4 * options.deals):
        final.play(("siguo", "duel")[number % 2], [(lineup, chance.choice(others)) for lineup in best])
    chosen: list[str] = []
    for lineup in sorted(best, key=final.score, reverse=True):
        if len(chosen) < WRITTEN and all(apart(lineup, other) >= APART for other in chosen):
            chosen.append(lineup)
    show("best quarter, against the others", best, final)
    show("chosen", chosen, final)
    for line in against_sound(chosen, 4000, chance):
        print(f"    {line}", flush=True)
    if len(chosen) < WRITTEN:
        raise SystemExit(f"only {len(chosen)} of the best quarter differ enough")
    if options.write:
        options.write.write_text(module(dict.fromkeys(chosen, 1)), encoding="utf-8")


def module(weights: Mapping[str, int]) -> str:
    """The Python module of these lineups with their weights."""
    rows = "".join(f'    "{text(lineup)}": {weight},\n' for lineup, weight in weights.items())
    return (
        '"""Lineups that win games of the one-ply player, with their weights. Written by sanqi_training."""\n\n'
        f"RATED_LINEUPS = {{\n{rows}}}\n"
    )


def play_level(level: str, variant: str, lineups: Sequence[str], seed: int) -> int | None:
    """Play a game of one level for all seats; returns the team that wins."""
    chance = random.Random(seed)
    game = SeenGame(variant, lineups, quiet=70)
    while game.world.outcome_text is None:
        game.push(choose(level, game.view, chance))
    return game.world.winner


def check_with(level: str, games: int) -> None:
    """Play the written lineups against sound ones, each deal twice with the teams exchanged."""
    from junqi_protocol.rules.lineup import rated_lineup

    for variant, board in VARIANTS.items():
        scores = []
        for deal in range(games // 2):
            chance = random.Random(deal)
            lineups = [(rated_lineup, sound_lineup)[seat % 2](chance) for seat in range(board.seats)]
            won = [
                play_level(level, variant, lineups, 2 * deal),
                play_level(level, variant, lineups[1:] + lineups[:1], 2 * deal + 1),
            ]
            points = [0.5 if winner is None else float(winner == team) for team, winner in enumerate(won)]
            scores.append(sum(points) / 2)
        error = 1.96 * statistics.stdev(scores) / math.sqrt(len(scores))
        print(f"{variant}, {level}: {statistics.mean(scores):.1%} ± {error:.1%} of {games} games", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--explore", type=int, default=4000, help="random and sound lineups (default 4000)")
    parser.add_argument("--pool", type=int, default=250, help="annealed lineups (default 250)")
    parser.add_argument("--deals", type=int, default=200, help="deals of each in the pool (default 200)")
    parser.add_argument("--rounds", type=int, default=3, help="pools, one after the other (default 3)")
    parser.add_argument("--warmth", type=float, default=0.02, help="last temperature of the annealing (default 0.02)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the best lineups as a Python module")
    parser.add_argument("--check", metavar="LEVEL", help="play the written lineups with this level instead")
    parser.add_argument("--games", type=int, default=400, help="of --check, on each board (default 400)")
    options = parser.parse_args()
    if options.check is None:
        find(options)
    else:
        check_with(options.check, options.games)


if __name__ == "__main__":
    main()
