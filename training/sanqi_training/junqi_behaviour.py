"""Fit what the behaviour of hidden Junqi pieces says of their types, and measure it.

    sanqi-train selfplay junqi --variant duel --games 2000 --out games
    sanqi-train selfplay junqi --variant siguo --games 1200 --out games
    OPENBLAS_NUM_THREADS=1 python -m sanqi_training.junqi_behaviour games

Every few plies of a game, a seat's army is taken as an enemy sees it. For each board, a fit on most of the games is
measured on the others: the log-loss of the true types of the hidden living pieces, with the probabilities of the search
(marginals.pyx), against weights that are all equal. The fits are written to behaviour_table.py of
junqi_protocol/knowledge, and plots to docs/images; a board without games keeps the one that is
built in. All of the fit is measured; with four seats the player counts a share of it (behaviour.py).
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pygal  # type: ignore[import-untyped]

from junqi_protocol.knowledge.behaviour import Code, lineup_factors, names_of
from junqi_protocol.knowledge.behaviour_table import SCALE, TABLES
from junqi_protocol.knowledge.belief import weighted
from junqi_protocol.knowledge.knowledge import NUMBERS
from junqi_protocol.knowledge.marginals import scaled
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.rules.geometry import CAMPS, HOME_POINTS, VARIANTS
from junqi_protocol.rules.lineup import LINEUPS, PIECES, UNKNOWN, sound_lineup, upright
from sanqi_training.fit_win_probability import plain
from sanqi_training.selfplay.junqi import PlayedGame, junqi_header, lineup_kind, played
from sanqi_training.selfplay.store import SUFFIX, StoreError, read_blocks

EVERY = {"siguo": 14, "duel": 8}
"""Plies between two looks at a game, by board."""
TESTED = 5
"""One game of so many only measures the fit."""
EACH_PLIES = 20
"""A point of the plot is the mean over so many plies."""
FEWEST = 200
"""A point of fewer pieces is not drawn."""
SOUND = 20_000
"""Lineups of good play that are counted."""
ARMY_SIZE = sum(NUMBERS)
EPOCHS, DECAY = 6, 0.003
"""Of the fit."""


@dataclass(frozen=True)
class Sample:
    """A hidden army at one moment, as an enemy sees it; pieces are in the order of Knowledge.army()."""

    lineups: str
    """Their kind."""
    ply: int
    types: tuple[int, ...]
    codes: tuple[Code | None, ...]
    """None for pieces whose type is known."""
    factors: tuple[tuple[float, ...], ...]
    """Those of the lineup, by piece and type."""
    true: tuple[int, ...]
    living: int


def read(folders: Iterable[Path]) -> dict[str, tuple[list[Sample], list[Sample]]]:
    """By board, the samples to fit and to measure with. Raises StoreError, OSError."""
    found: dict[str, tuple[list[Sample], list[Sample]]] = {}
    for path in sorted(path for folder in folders for path in folder.glob("*" + SUFFIX)):
        header = junqi_header(path)
        both = found.setdefault(header["variant"], ([], []))
        for _, games in read_blocks(path):
            for game in games:
                kind = lineup_kind(header, game.number)
                both[game.number % TESTED == 0].extend(samples(played(header, game.record), kind))
    return found


def samples(game: PlayedGame, kind: str) -> Iterator[Sample]:
    """At each look, the army of a seat as a player of the other team sees it."""
    chance = random.Random("".join(game.lineups))
    every = EVERY[game.variant]
    first = chance.randrange(every)
    for ply, (seen, _, _) in enumerate(game.boards()):
        if ply % every == first:
            seat = chance.choice(seen.world.living)
            view = chance.choice([view for view in seen.views if (view.seats[0] ^ seat) & 1])
            yield _sample(view, seat, kind, game.lineups[seat])


def _sample(view: PlayerView, seat: int, kind: str, lineup: str) -> Sample:
    knowledge = view.knowledge
    codes = view.behaviour.codes(knowledge, seat)
    factors = lineup_factors(knowledge, seat)
    homes = knowledge.army_homes(seat)
    return Sample(
        kind,
        view.position.ply,
        tuple(knowledge.army(seat)),
        tuple(codes.get(home) for home in homes),
        tuple(tuple(factors[home]) for home in homes),
        tuple(PIECES.index(lineup[home % HOME_POINTS]) for home in homes),
        len(knowledge.living[seat]),
    )


def sound_lineups() -> list[list[int]]:
    """By home point and type, how often of 1,000 lineups of good play have it there, the flag on the left."""
    chance = random.Random(1)
    counts = [[0] * UNKNOWN for _ in range(HOME_POINTS)]
    for _ in range(SOUND):
        for index, letter in enumerate(upright(sound_lineup(chance))):
            counts[index][PIECES.index(letter)] += index not in CAMPS
    return [[round(1000 * count / SOUND) for count in row] for row in counts]


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
        self._centre(active, possible > 0)

    def _centre(self, active: Any, possible: Any) -> None:
        """Let the logarithms of each type's weights have the mean 0 over the pieces that can be of it.

        Probabilities stay, for each type has its number of pieces; but the least weight of a possible type (weighted())
        is that of all types.
        """
        own_row = [row for name, row in self.rows.items() if name.startswith("row ")]  # each piece has one
        behaved = active.any(axis=2)
        logarithms = active[behaved] @ self.values
        self.values[own_row] -= np.average(logarithms, axis=0, weights=possible[behaved] + 1e-9)

    def scaled_rows(self) -> dict[str, tuple[int, ...]]:
        """By name, as the module of the table has them."""
        return {name: tuple(round(SCALE * float(one)) for one in self.values[row]) for name, row in self.rows.items()}

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
    """Sums over pieces: of the log-loss with equal weights, and with those of a model."""

    pieces: int = 0
    even: float = 0.0
    fitted: float = 0.0

    def text(self) -> str:
        even, fitted = self.even / self.pieces, self.fitted / self.pieces
        return f"{self.pieces:7} pieces, log-loss {even:.4f} -> {fitted:.4f} ({100 * (fitted / even - 1):+.1f} %)"


Tallies = dict[tuple[str, ...], Losses]


def measure(model: Model, found: Iterable[Sample]) -> Tallies:
    """The losses over the hidden living pieces: of all, by kind of lineup, and by that and the ply."""
    tallies: Tallies = {}
    for sample in found:
        even = _chances(sample, None)
        fitted = _chances(sample, model)
        keys = ("all",), (sample.lineups,), (sample.lineups, f"{sample.ply // EACH_PLIES * EACH_PLIES:3}")
        for piece in range(sample.living):
            if sample.codes[piece] is not None:
                for key in keys:
                    tally = tallies.setdefault(key, Losses())
                    tally.pieces += 1
                    tally.even -= math.log(even[piece][sample.true[piece]])
                    tally.fitted -= math.log(fitted[piece][sample.true[piece]])
    return tallies


def _chances(sample: Sample, model: Model | None) -> list[list[float]]:
    """The probabilities of the search, with the weights of a model; None: with equal ones."""
    rows = [
        weighted(types, None if model is None or code is None else model.weights(code, factors))
        for types, code, factors in zip(sample.types, sample.codes, sample.factors)
    ]
    return scaled(rows, NUMBERS)


def plot(board: str, tallies: Tallies) -> str:
    """The log-loss by ply, as SVG: for each kind of lineup with equal weights and with the model's."""
    colours = ("#b03a2e", "#1b6ca8", "#7a7a00")
    style = pygal.style.Style(
        background="white", plot_background="white", colors=[colour for colour in colours for _ in range(2)],
        font_family="sans-serif", label_font_size=13, major_label_font_size=13, title_font_size=14, legend_font_size=14,
    )  # fmt: skip
    chart = pygal.XY(
        width=560, height=430, margin=10, show_dots=False, js=(), no_prefix=True, style=style,
        disable_xml_declaration=True, legend_at_bottom=True, legend_at_bottom_columns=2, truncate_legend=-1,
        x_title="plies", y_title="log-loss of hidden types", title=f"What behaviour says: {board}",
    )  # fmt: skip
    for kind in LINEUPS:
        told = [
            (int(key[1]), tally.even / tally.pieces, tally.fitted / tally.pieces)
            for key, tally in sorted(tallies.items())
            if key[0] == kind and len(key) == 2 and tally.pieces >= FEWEST
        ]
        chart.add(f"{kind}, equal weights", [(ply, even) for ply, even, _ in told], stroke_style={"dasharray": "5, 4"})
        chart.add(f"{kind}, fitted weights", [(ply, fitted) for ply, _, fitted in told])
    chart.add_xml_filter(plain)
    return str(chart.render()) + "\n"


def table(models: Mapping[str, Model]) -> str:
    """The module that holds the fitted numbers of all boards; those that have no model keep theirs."""
    lines = [
        '"""The fitted numbers of behaviour.py, written by training/sanqi_training/junqi_behaviour.py."""',
        "",
        "from __future__ import annotations",
        "",
        f"SCALE = {SCALE}",
        '"""What stands for 1 in TABLES."""',
        "",
        "TABLES = {",
    ]
    for board in VARIANTS:
        lines.append(f'    "{board}": {{')
        rows: Mapping[str, Sequence[int]] = models[board].scaled_rows() if board in models else TABLES[board]
        lines += [f'        "{name}": {tuple(values)},' for name, values in sorted(rows.items()) if any(values)]
        lines.append("    },")
    lines += [
        "}",
        '"""By board, by what is true of a piece, and by its type: terms of the logarithm of its weight."""',
        "",
        "SOUND_LINEUPS = (",
        *(f"    {tuple(row)}," for row in sound_lineups()),
        ")",
        '"""By home point and type, how many of 1,000 lineups of good play have it there, the flag on the left."""',
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs="+", metavar="DIR", help="folders of games")
    parser.add_argument(
        "--table", type=Path, default="junqi_protocol/knowledge/behaviour_table.py", help="default %(default)s"
    )
    parser.add_argument("--plots", type=Path, default="docs/images", metavar="DIR", help="default %(default)s")
    args = parser.parse_args()
    try:
        read_samples = read(args.games)
    except (StoreError, OSError) as error:
        parser.error(str(error))
    if not read_samples:
        parser.error("no games")
    models: dict[str, Model] = {}
    for board, (to_fit, to_measure) in read_samples.items():
        model = models[board] = Model()
        model.fit(to_fit)
        tallies = measure(model, to_measure)
        print(f"{board}: fitted on {len(to_fit)} armies, {len(model.rows)} rows; {len(to_measure)} others")
        for kind in ("all", *LINEUPS):
            if (kind,) in tallies:
                print(f"  {kind:6} {tallies[kind,].text()}", flush=True)
        (args.plots / f"junqi-behaviour-{board}.svg").write_text(plot(board, tallies), encoding="utf-8")
    args.table.write_text(table(models), encoding="utf-8")


if __name__ == "__main__":
    main()
