"""Fit what the behaviour of hidden Junqi pieces says of their types, and measure it.

    OPENBLAS_NUM_THREADS=1 python -m sanqi_training.junqi_behaviour
    OPENBLAS_NUM_THREADS=1 python -m sanqi_training.junqi_behaviour --games 100 --fit 100 --table t.py --plot p.svg

Games between fast players, whose lineups are random or those of good play, are looked at every 20 plies as one team
sees them. A fit on some players is tested on games of the others: the log-loss and the Brier score of the true types of
the hidden living pieces, against armies that are all equally probable. A fit on all of them is written to
junqi_protocol/knowledge/behaviour_table.py, and the plot to docs/images/. The same seed gives the same games.
"""

from __future__ import annotations

import argparse
import copy
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from junqi_protocol.knowledge.behaviour import Behaviour, Code, lineup_factors, names_of
from junqi_protocol.knowledge.behaviour_table import SCALE
from junqi_protocol.knowledge.belief import weighted
from junqi_protocol.knowledge.knowledge import NUMBERS
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.knowledge.sampler import ArmySampler
from junqi_protocol.knowledge.seen_game import SeenGame
from junqi_protocol.players.players import choose
from junqi_protocol.rules.geometry import CAMPS, HEADQUARTERS, HOME_POINTS, VARIANTS
from junqi_protocol.rules.lineup import PIECES, UNKNOWN, random_lineup, sound_lineup

GROUPS = (("path", "greedy"), ("events", "expect"))
SLOW = 0.2
"""The share of games with the second group, which takes ten times as long."""
LINEUPS = {"random": random_lineup, "sound": sound_lineup}
QUIET, MAX_PLIES = 70, 1000
EVERY = 20
"""Plies between two looks at a game."""
ARMY_SIZE = sum(NUMBERS)
EPOCHS, DECAY = 6, 0.003
"""Of the fit."""


@dataclass(frozen=True)
class Sample:
    """A hidden army at one moment, as the enemy team sees it; pieces are in the order of Knowledge.army()."""

    variant: str
    lineups: str
    player: str
    ply: int
    types: tuple[int, ...]
    codes: tuple[Code | None, ...]
    """None for pieces whose type is known."""
    factors: tuple[tuple[float, ...], ...]
    """Those of the lineup, by piece and type."""
    true: tuple[int, ...]
    living: int


def samples(group: Sequence[str], games: int, seed: str, *, every: bool) -> Iterator[Sample]:
    """Play games between these players. `every`: look at every hidden army, not only at one of a random seat."""
    for number in range(games):
        chance = random.Random(f"{seed} {number}")
        variant = ("siguo", "siguo", "duel")[number % 3]
        lineups = ("random", "sound")[number // 3 % 2]
        players = chance.choice(group), chance.choice(group)
        yield from _play(variant, lineups, players, chance, every=every)


def _play(variant: str, kind: str, players: tuple[str, str], chance: random.Random, *, every: bool) -> Iterator[Sample]:
    rules = VARIANTS[variant]
    lineups = [LINEUPS[kind](chance) for _ in range(rules.seats)]
    first = chance.randrange(rules.seats)
    game = SeenGame(variant, lineups, first=first, quiet=QUIET, plies=MAX_PLIES)
    world = game.world
    while world.outcome_text is None:
        # Without weights: else the table would depend on the one before.
        blind = copy.copy(game.view)
        blind.behaviour = Behaviour(rules, ())
        game.push(choose(players[world.turn % 2], blind, chance))
        if world.ply % EVERY == 0:
            for enemy in world.living if every else [chance.choice(world.living)]:
                yield _sample(game.views[1 - enemy % 2], enemy, kind, players[enemy % 2], lineups[enemy])


def _sample(view: PlayerView, seat: int, kind: str, player: str, lineup: str) -> Sample:
    knowledge = view.knowledge
    codes = view.behaviour.codes(knowledge, seat)
    factors = lineup_factors(knowledge, seat)
    living = knowledge.living[seat]
    homes = [*(knowledge.homes[point] for point in living), *knowledge.dead_homes[seat]]
    return Sample(
        view.position.variant.name,
        kind,
        player,
        view.position.ply,
        tuple(knowledge.army(seat)),
        tuple(codes.get(home) for home in homes),
        tuple(tuple(factors[home]) for home in homes),
        tuple(PIECES.index(lineup[home % HOME_POINTS]) for home in homes),
        len(living),
    )


def sound_lineups(number: int, seed: str) -> list[list[int]]:
    """By home point and type, how often of 1,000 lineups of good play have it there, the flag on the left."""
    chance = random.Random(seed)
    counts = [[0] * UNKNOWN for _ in range(HOME_POINTS)]
    for _ in range(number):
        lineup = sound_lineup(chance)
        if lineup[HEADQUARTERS[0]] != "F":
            lineup = "".join(lineup[row : row + 5][::-1] for row in range(0, HOME_POINTS, 5))
        for index, letter in enumerate(lineup):
            counts[index][PIECES.index(letter)] += index not in CAMPS
    return [[round(1000 * count / number) for count in row] for row in counts]


# --------------------------------------------------------------------- the fit


class Model:
    """A log-linear model: the logarithm of a weight is the sum of the rows that apply to a piece."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.values: Any = None

    def fit(self, found: Sequence[Sample]) -> None:
        """Make the true armies probable, by gradient ascent (Adam).

        The gradient needs the probability of each type for each piece; it takes the matrix with the right sums by piece
        and by type that is a scaling of the weights (Sinkhorn), instead of the exact one.
        """
        for sample in found:
            for code in sample.codes:
                if code is not None:
                    for name in names_of(code):
                        self.rows.setdefault(name, len(self.rows))
        active = np.zeros((len(found), ARMY_SIZE, len(self.rows)), np.float32)
        possible = np.array([sample.factors for sample in found], np.float32)
        true = np.array([sample.true for sample in found])
        for number, sample in enumerate(found):
            for piece, code in enumerate(sample.codes):
                possible[number, piece] *= [sample.types[piece] >> kind & 1 for kind in range(UNKNOWN)]
                if code is not None:
                    active[number, piece, [self.rows[name] for name in names_of(code)]] = 1
        theta = np.zeros((len(self.rows), UNKNOWN), np.float32)
        mean, square = np.zeros_like(theta), np.zeros_like(theta)
        chance = np.random.default_rng(1)
        size, step = min(128, len(found)), 0
        steps = EPOCHS * (len(found) // size)
        for _ in range(EPOCHS):
            order = chance.permutation(len(found))
            for start in range(0, len(found) - size + 1, size):
                batch = order[start : start + size]
                rows = active[batch].reshape(-1, len(self.rows))
                weights = np.exp(rows @ theta).reshape(size, ARMY_SIZE, UNKNOWN) * possible[batch]
                wrong = -_scaled(weights)
                np.put_along_axis(
                    wrong, true[batch][..., None], 1 + np.take_along_axis(wrong, true[batch][..., None], 2), 2
                )
                gradient = rows.T @ wrong.reshape(-1, UNKNOWN) / size - DECAY * theta
                step += 1
                rate = 0.05 * (1 - step / (steps + 1)) + 0.001
                mean = 0.9 * mean + 0.1 * gradient
                square = 0.99 * square + 0.01 * gradient**2
                theta += rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-6)
        self.values = theta

    def weights(self, code: Code, factors: Sequence[float]) -> list[float]:
        known = [self.rows[name] for name in names_of(code) if name in self.rows]
        return [float(one) for one in np.exp(self.values[known].sum(0)) * factors]


def _scaled(weights: Any) -> Any:
    """The scaling of each matrix of weights whose rows sum to 1 and whose columns to the numbers of pieces."""
    numbers = np.array(NUMBERS[:UNKNOWN], np.float32)
    for _ in range(15):
        weights = weights * (numbers / np.maximum(weights.sum(1, keepdims=True), 1e-9))
        weights = weights / np.maximum(weights.sum(2, keepdims=True), 1e-9)
    return weights


# -------------------------------------------------------------- the measurement


@dataclass
class Losses:
    """Sums over pieces."""

    pieces: int = 0
    sums: list[float] = field(default_factory=lambda: [0.0] * 4)

    def add(self, values: Sequence[float]) -> None:
        self.pieces += 1
        self.sums = [one + value for one, value in zip(self.sums, values)]

    def text(self) -> str:
        even, log, even_brier, brier = (one / max(1, self.pieces) for one in self.sums)
        return (
            f"{self.pieces:7} pieces, log-loss {even:.4f} -> {log:.4f} ({100 * (log / even - 1):+.1f} %),"
            f" Brier {even_brier:.4f} -> {brier:.4f} ({100 * (brier / even_brier - 1):+.1f} %)"
        )


def losses(sample: Sample, model: Model) -> Iterator[tuple[float, ...]]:
    """For each hidden living piece: the log-loss with equal weights and with the model's, and both Brier scores."""
    even = ArmySampler([weighted(types, None) for types in sample.types], NUMBERS).marginals()
    rows = [
        weighted(types, None if code is None else model.weights(code, factors))
        for types, code, factors in zip(sample.types, sample.codes, sample.factors)
    ]
    found = ArmySampler(rows, NUMBERS).marginals()
    for piece in range(sample.living):
        if sample.codes[piece] is not None:
            kind = sample.true[piece]
            yield (
                -math.log(even[piece][kind]),
                -math.log(found[piece][kind]),
                _brier(even[piece], kind),
                _brier(found[piece], kind),
            )


def _brier(chances: Sequence[float], true: int) -> float:
    return sum((chance - (kind == true)) ** 2 for kind, chance in enumerate(chances))


Tallies = dict[tuple[str, ...], Losses]


def test(model: Model, found: Iterable[Sample]) -> Tallies:
    """The losses over all pieces, and by several groups of them."""
    tallies: Tallies = {}
    for sample in found:
        ply = f"{sample.ply:3}"
        for values in losses(sample, model):
            for key in (
                ("all",),
                ("variant", sample.variant),
                ("lineups", sample.lineups),
                ("player", sample.player),
                ("ply", ply),
                ("lineups", sample.lineups, "ply", ply),
            ):
                tallies.setdefault(key, Losses()).add(values)
    return tallies


def plot(tallies: Tallies) -> str:
    """The log-loss by ply, as SVG: for each kind of lineup with equal weights and with the model's."""
    width, height, left, top = 640, 360, 60, 20
    keys = {
        kind: sorted(
            key for key, tally in tallies.items() if key[:3] == ("lineups", kind, "ply") and tally.pieces >= 200
        )
        for kind in LINEUPS
    }
    last = max((int(key[3]) for found in keys.values() for key in found), default=EVERY)
    low, high = 1.0, 2.4

    def point(ply: int, value: float) -> str:
        x = left + (width - left - 150) * ply / last
        return f"{x:.1f},{top + (height - top - 40) * (high - value) / (high - low):.1f}"

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"',
        '  font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for tenth in range(int(low * 10), int(high * 10) + 1, 2):
        (x, y), (end, _) = point(0, tenth / 10).split(","), point(last, tenth / 10).split(",")
        lines.append(f'<path d="M{x} {y}H{end}" stroke="#ddd"/><text x="{left - 30}" y="{y}">{tenth / 10:.1f}</text>')
    for ply in range(0, last + 1, 40):
        lines.append(f'<text x="{point(ply, low).split(",")[0]}" y="{height - 20}" text-anchor="middle">{ply}</text>')
    lines.append(f'<text x="{left}" y="{height - 4}">plies played</text><text x="4" y="12">log-loss</text>')
    for colour, kind in zip(("#c33", "#36c"), LINEUPS):
        for which, (name, dash) in enumerate((("equal", "5 4"), ("weights", "none"))):
            values = [(int(key[3]), tallies[key].sums[which] / tallies[key].pieces) for key in keys[kind]]
            path = " ".join(point(*value) for value in values)
            lines.append(
                f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
            )
            legend = 40 + 20 * (2 * (kind == "sound") + which)
            lines.append(
                f'<path d="M{width - 140} {legend - 4}h24" stroke="{colour}" stroke-width="2"'
                f' stroke-dasharray="{dash}"/>'
                f'<text x="{width - 110}" y="{legend}">{kind}, {name}</text>'
            )
    return "\n".join([*lines, "</svg>", ""])


def table(model: Model, lineups: list[list[int]]) -> str:
    """The module that holds the fitted numbers."""
    lines = [
        '"""The fitted numbers of behaviour.py, written by training/sanqi_training/junqi_behaviour.py."""',
        "",
        "from __future__ import annotations",
        "",
        f"SCALE = {SCALE}",
        '"""What stands for 1 in TABLE."""',
        "",
        "TABLE = {",
    ]
    for name, row in sorted(model.rows.items()):
        values = [round(SCALE * float(value)) for value in model.values[row]]
        if any(values):
            lines.append(f'    "{name}": {tuple(values)},')
    lines += [
        "}",
        '"""By what is true of a piece, and by its type: terms of the logarithm of its weight."""',
        "",
        "SOUND_LINEUPS = (",
        *(f"    {tuple(row)}," for row in lineups),
        ")",
        '"""By home point and type, how many of 1,000 lineups of good play have it there, the flag on the left."""',
        "",
    ]
    return "\n".join(lines)


def show(title: str, tallies: Tallies) -> None:
    print(title)
    for key, tally in sorted(tallies.items()):
        print(f"  {' '.join(key):32} {tally.text()}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, metavar="N", help="to test on (default 1000)")
    parser.add_argument("--fit", type=int, default=600, metavar="N", help="games to fit on (default 600)")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument(
        "--table", default="junqi_protocol/knowledge/behaviour_table.py", metavar="FILE", help="default %(default)s"
    )
    parser.add_argument("--plot", default="docs/images/junqi-behaviour.svg", metavar="FILE", help="default %(default)s")
    args = parser.parse_args()
    shares = 1.0, SLOW
    fitted = [
        list(samples(group, round(args.fit * share), f"fit {args.seed} {group}", every=True))
        for group, share in zip(GROUPS, shares)
    ]
    model = Model()
    model.fit(fitted[0] + fitted[1])
    Path(args.table).write_text(table(model, sound_lineups(20_000, f"lineups {args.seed}")), encoding="utf-8")
    print(f"fitted on {sum(map(len, fitted))} armies, {len(model.rows)} rows", flush=True)
    for which, (group, share) in enumerate(zip(GROUPS, shares)):
        games = round(args.games * share)
        model = Model()
        model.fit(fitted[1 - which])
        tallies = test(model, samples(group, games, f"test {args.seed} {group}", every=False))
        if which == 0:
            Path(args.plot).write_text(plot(tallies), encoding="utf-8")
        show(f"fitted on {' and '.join(GROUPS[1 - which])}, {games} games of {' and '.join(group)}", tallies)


if __name__ == "__main__":
    main()
