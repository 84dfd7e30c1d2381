"""Fit the chances of a win, a draw and a loss, by score, to games that the program played against itself.

    python -m sanqi_training.fit_win_probability match.jsonl --plot docs/images/win-probability-gomoku.svg

Reads the games of `sanqi match --out` (Xiangqi and Gomoku), of `sanqi-train selfplay` (Gomoku and Junqi) and of
`junqi_match.py --out`; all files are of one game. Give it only games between versions of sanqi that know the rules of
the game: another program's score means something else. Games that ended by a fault, by adjudication or at a limit are
left out, and so is a game that was there before. Self-play of Gomoku ends level games, so that hardly a draw is left:
fit its curves to matches.

A position counts for one in EVERY plies of a game, whoever is to move and whether it is quiet or not, with the score of
its search. Forced wins are left out: no curve is needed for them. The curves are fitted by maximum likelihood.

All that is said of them is held out (cross-validation): the games are divided into five parts by their openings, and
the games of a part are predicted by curves fitted to the other four. Beside them stand the program's own curves: they
are held out, too, if the games are new. The errors are standard errors by game, since the positions of a game are not
independent. The constants, fitted to all games, are printed as they stand in the win_probability.py of the game's
package. docs/win-probability.md has the results. Needs numpy.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pygal  # type: ignore[import-untyped]

from game_core.session import DRAW, FIRST_WINS, SECOND_WINS
from game_core.win_probability import Curves
from gomoku_protocol import win_probability as gomoku
from gomoku_protocol.game_record import RULE_NAMES
from gomoku_protocol.match_game import Gomoku
from gomoku_protocol.points import move_at, parse_point
from gomoku_protocol.position import Position as GomokuPosition
from junqi_protocol.players import win_probability as junqi
from match_runner.game_file import GameFileError, played_games
from sanqi_training.selfplay.gomoku_games import read_games
from sanqi_training.selfplay.junqi import read_games as read_junqi
from sanqi_training.selfplay.store import SUFFIX, read_header
from ucci_engine import win_probability as xiangqi
from ucci_engine.extra_pieces import open_position
from ucci_engine.match_game import Xiangqi
from ucci_engine.points import START_FEN, parse_move

XIANGQI, GOMOKU, JUNQI = "xiangqi", "gomoku", "junqi"
DEGREES = {XIANGQI: 3, GOMOKU: 1, JUNQI: 2}
"""Of the polynomials; one more lowers the held-out log-loss by 0.001 at most."""
EVERY = {XIANGQI: 9, GOMOKU: 3, JUNQI: 9}
"""Odd: both sides are to move in turn."""
PRESENT = {
    XIANGQI: {"program's curves": xiangqi.CURVES},
    GOMOKU: {"program's curves": gomoku.CURVES},
    JUNQI: {f"program's curves, {variant}": curves for variant, curves in junqi.CURVES.items()},
}
FOLDS = 5
MAX_CP = 9000  # the forced wins of every protocol are beyond
RESULTS = {FIRST_WINS: 1, DRAW: 0, SECOND_WINS: -1}
NOT_BY_RULES = frozenset(("crash", "time", "illegal", "resignation", "adjudication", "ply-limit"))
BINS = 10
MIN_IN_BIN = 100
OUTCOMES = (("win", 1), ("draw", 0), ("loss", -1))


class Turn(NamedTuple):
    """A position of a game."""

    side: int
    """To move: 0 is the first side."""
    score: float | None
    """Of the search, as the curves take it; None: there is none, or the end is forced."""
    stage: float


class Game(NamedTuple):
    """A game to take positions from."""

    opening: str
    number: int
    """Tells it from other games."""
    turns: Iterable[Turn]
    result: int
    """1: the first side won, 0: a draw, -1."""


@dataclass
class Sample:
    """Positions as arrays. Scores and results (1, 0, -1) are for the side to move."""

    game: Any
    label: Any
    """What games have in common in the tables."""
    fold: Any
    stage: Any
    score: Any
    result: Any

    def part(self, mask: Any) -> Sample:
        """The positions of a mask."""
        return Sample(*(values[mask] for values in vars(self).values()))


# ---------------------------------------------------------------- games


def kind_of(path: Path) -> tuple[str, dict[str, Any] | None, str]:
    """The game of a file, the terms of its match (None: not a match), and a label. Exits for other files."""
    try:
        if path.suffix == SUFFIX and (game := read_header(path)["game"]) in (GOMOKU, JUNQI):
            return game, None, path.stem
        with path.open(encoding="utf-8") as file:
            head = json.loads(file.readline())
        if {"points", "searched"} <= head.keys() or "deals" in head:  # older ones do not say how they were made
            return JUNQI, None, path.stem
        terms, nodes = head["match"]["terms"], head["match"]["limit"]["nodes"]
        if terms["game"] in (XIANGQI, GOMOKU):
            return terms["game"], terms, f"{nodes} nodes" if nodes else path.stem
    except OSError as error:
        sys.exit(f"fit_win_probability: {path}: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    return sys.exit(f"fit_win_probability: {path} is not a file of games with scores")


def turns(
    position: Any, moves: Sequence[int], scores: Sequence[int | None], stage: Callable[[Any], float]
) -> Iterator[Turn]:
    """The positions of a game on a board; the scores are those of its last moves."""
    opening = [None] * (len(moves) - len(scores))
    for move, score in zip(moves, (*opening, *scores)):
        is_known = score is not None and abs(score) < MAX_CP
        yield Turn(position.side, score if is_known else None, stage(position))
        position.push(move)


def match_games(path: Path, terms: dict[str, Any]) -> Iterator[Game]:
    """The games of a match that ended by the rules. Raises GameFileError."""
    if terms["game"] == GOMOKU:
        width, height = map(int, terms["size"].split("x"))
        rule = next(number for number, name in RULE_NAMES.items() if name == terms["rule"])
        kind: Any = Gomoku(width, height, rule)
    else:
        kind = Xiangqi()
    for _, record in played_games(path, kind):
        if record.reason in NOT_BY_RULES:
            continue
        if terms["game"] == GOMOKU:
            position: Any = GomokuPosition(width, height, rule)
            moves = [move_at(*parse_point(move)) for move in record.moves]
        else:
            position = open_position(record.opening.start or START_FEN)
            moves = [parse_move(move) for move in record.moves]
        opening = " ".join((record.opening.start, *record.opening.moves))
        scores = [stats.score_cp for stats in record.move_stats]
        stage = gomoku.stage if terms["game"] == GOMOKU else xiangqi.stage
        number = zlib.crc32(f"{opening}|{moves}".encode())
        yield Game(opening, number, turns(position, moves, scores, stage), RESULTS[record.result])


def games_of(path: Path, game: str, terms: dict[str, Any] | None) -> Iterator[Game]:
    """The games of a file of this kind."""
    if terms:
        return match_games(path, terms)
    if game == GOMOKU:
        return self_played_gomoku(path)
    return self_played_junqi(path) if path.suffix == SUFFIX else junqi_matches(path)


def self_played_gomoku(path: Path) -> Iterator[Game]:
    """The games of `sanqi-train selfplay gomoku`, without those that were drawn because the scores were level, and
    those with random moves, whose results say little of the positions before."""
    for game in read_games(path):
        if game.end == "drawn" or any(game.random):
            continue
        position = GomokuPosition(game.size, game.size, game.rule)
        moves = game.opening + game.moves
        number = zlib.crc32(f"{game.opening}|{moves}".encode())
        positions = turns(position, moves, game.scores, gomoku.stage)
        yield Game(" ".join(map(str, game.opening)), number, positions, game.result - 1)


def self_played_junqi(path: Path) -> Iterator[Game]:
    """The games of `sanqi-train selfplay junqi`."""
    for game in read_junqi(path):
        if game.end == "plies":
            continue
        number = zlib.crc32(f"{game.lineups}|{game.opening}|{game.moves}".encode())
        seen = ((view.position, score) for view, _, score in game.replay())
        positions = (junqi_turn(position.side, score, junqi.stage(position)) for position, score in seen)
        yield Game("/".join(game.lineups), number, positions, game.result - 1)


def junqi_turn(team: int, score: int, stage: float) -> Turn:
    """A position of Junqi."""
    return Turn(team, None if abs(score) >= junqi.SURE_SCORE else junqi.log_odds(score), stage)


def junqi_matches(path: Path) -> Iterator[Game]:
    """The games of junqi_match.py. The two games of a deal are of one opening."""
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if not line.endswith("\n"):
            return
        deal = json.loads(line)
        if "deals" in deal:
            continue
        for swapped, (points, searched) in enumerate(zip(deal["points"], deal["searched"])):
            result = round(2 * points - 1)
            positions = [junqi_turn(*turn) for turn in searched]
            number = zlib.crc32(f"{searched}".encode())
            yield Game(str(deal["number"]), number, positions, -result if swapped else result)


def read_sample(paths: Sequence[Path], every: int) -> tuple[str, Sample, dict[str, int]]:
    """The game, its positions, and the number of games by label. Exits if the files cannot be used."""
    kinds = [kind_of(path) for path in paths]
    name = kinds[0][0]
    step = every or EVERY[name]
    rows: list[tuple[Any, ...]] = []
    seen: set[int] = set()
    counts: dict[str, int] = {}
    for path, (its, terms, label) in zip(paths, kinds):
        if its != name:
            sys.exit(f"fit_win_probability: {path} has games of {its}, {paths[0]} of {name}")
        before = len(seen)
        try:
            for game in games_of(path, name, terms):
                if game.number in seen:
                    continue
                seen.add(game.number)
                fold = zlib.crc32(game.opening.encode()) % FOLDS
                for ply, (side, score, stage) in enumerate(game.turns):
                    if score is not None and (ply + game.number) % step == 0:
                        result = -game.result if side else game.result
                        rows.append((game.number, label, fold, stage, score, result))
        except (GameFileError, OSError, ValueError, LookupError, TypeError) as error:
            sys.exit(f"fit_win_probability: {path}: {error}")
        counts[label] = counts.get(label, 0) + len(seen) - before
    if len({row[2] for row in rows}) < FOLDS:
        sys.exit("fit_win_probability: too few games")
    return name, Sample(*map(np.array, zip(*rows))), counts


# ---------------------------------------------------------------- curves


def powers(stage: Any, degree: int) -> Any:
    """The powers of a stage, from 0 to the degree."""
    return stage[:, None] ** np.arange(degree + 1)


def logistic(x: Any) -> Any:
    return (1 + np.tanh(x / 2)) / 2


def probabilities(curves: Curves, sample: Sample) -> Any:
    """The columns are win, draw and loss; as Curves.chances()."""
    even, spread = (
        np.exp(powers(sample.stage, len(coefficients) - 1) @ np.array(coefficients)) for coefficients in curves
    )
    win, loss = logistic((sample.score - even) / spread), logistic((-sample.score - even) / spread)
    return np.stack([win, np.maximum(1 - win - loss, 0), loss], axis=1)


def losses(chances: Any, sample: Sample) -> Any:
    """The log-loss of each position."""
    return -np.log(np.maximum(chances[np.arange(len(chances)), 1 - sample.result], 1e-12))


def gradients(curves: Curves, sample: Sample) -> Any:
    """The derivatives of each position's log-loss by the coefficients."""
    bases = [powers(sample.stage, len(coefficients) - 1) for coefficients in curves]
    even, spread = (np.exp(base @ np.array(coefficients)) for base, coefficients in zip(bases, curves))
    to_win, to_loss = (sample.score - even) / spread, (-sample.score - even) / spread
    win, loss = logistic(to_win), logistic(to_loss)
    draw = np.maximum(1 - win - loss, 1e-12)
    result = sample.result
    by_win = np.where(result == 1, 1 - win, np.where(result == 0, -win * (1 - win) / draw, 0))
    by_loss = np.where(result == -1, 1 - loss, np.where(result == 0, -loss * (1 - loss) / draw, 0))
    by_even = (by_win + by_loss) * even / spread
    by_spread = by_win * to_win + by_loss * to_loss
    return np.concatenate([by_even[:, None] * bases[0], by_spread[:, None] * bases[1]], axis=1)


def fit(sample: Sample, degree: int) -> Curves:
    """The curves of the largest likelihood: steps with the outer product of the gradients, damped as needed."""

    def curves_of(values: Any) -> Curves:
        return Curves(tuple(map(float, values[: degree + 1])), tuple(map(float, values[degree + 1 :])))

    values = np.zeros(2 * degree + 2)
    values[[0, degree + 1]] = math.log(150)
    loss, damping = losses(probabilities(curves_of(values), sample), sample).mean(), 1e-3
    while damping < 1e9:
        slopes = gradients(curves_of(values), sample)
        square = slopes.T @ slopes / len(slopes)
        step = np.linalg.solve(square + damping * np.diag(np.diag(square) + 1e-9), slopes.mean(axis=0))
        tried = values - step
        with np.errstate(over="ignore"):
            new = losses(probabilities(curves_of(tried), sample), sample).mean()
        if not new < loss:  # also for NaN
            damping *= 4
            continue
        done = loss - new < 1e-10
        values, loss, damping = tried, new, max(damping / 4, 1e-9)
        if done:
            break
    return curves_of(values)


def rounded(curves: Curves) -> Curves:
    """As the constants are written."""
    return Curves(*(tuple(round(value, 3) + 0.0 for value in coefficients) for coefficients in curves))


# ---------------------------------------------------------------- results


def error_by_game(values: Any, sample: Sample) -> float:
    """The standard error of a mean over positions, from the sums of the games."""
    _, games = np.unique(sample.game, return_inverse=True)
    sums = np.bincount(games, weights=values - values.mean())
    return float(np.sqrt((sums**2).sum()) / len(values))


def constants(curves: Curves) -> str:
    """The source of the constants."""
    return f"CURVES = Curves(\n    log_even_cp={curves.log_even_cp},\n    log_spread_cp={curves.log_spread_cp},\n)"


def held_out(sample: Sample, degree: int) -> Any:
    """The chances of each position, by curves fitted to the openings of the other parts."""
    chances = np.zeros((len(sample.score), 3))
    for fold in range(FOLDS):
        left_out = sample.fold == fold
        chances[left_out] = probabilities(rounded(fit(sample.part(~left_out), degree)), sample.part(left_out))
    return chances


def held_out_shares(sample: Sample) -> Any:
    """The same without the score: the shares of the results in the other parts."""
    chances = np.zeros((len(sample.score), 3))
    for fold in range(FOLDS):
        others = sample.result[sample.fold != fold]
        chances[sample.fold == fold] = [(others == result).mean() for _, result in OUTCOMES]
    return chances


def print_losses(models: dict[str, Any], sample: Sample) -> None:
    """The mean log-loss of each model, and how much more it is than that of the last."""
    best = losses(list(models.values())[-1], sample)
    print(f"\n{'log-loss, held out':<20}", *(f"{name:>27}" for name in models))
    labels = sorted(set(sample.label))
    for label in ("all", *labels) if len(labels) > 1 else ("all",):
        mask = (sample.label == label) | (label == "all")
        part = sample.part(mask)
        cells = []
        for chances in models.values():
            loss = losses(chances[mask], part)
            more = loss - best[mask]
            excess = f" ({more.mean():+.4f} ± {error_by_game(more, part):.4f})" if more.any() else ""
            cells.append(f"{loss.mean():.4f}{excess}")
        print(f"{label:<20}", *(f"{cell:>27}" for cell in cells))


def print_stages(curves: Curves, chances: Any, sample: Sample) -> None:
    """The curves by stage, and what the held-out chances say and what happened."""
    print("\n               positions  even at  spread    draws: said, were    points of the side ahead: said, were")
    points, got = chances[:, 0] + chances[:, 1] / 2, (sample.result + 1) / 2
    ahead = np.where(sample.score < 0, -1, 1)
    edges = np.linspace(0, 1, 9)
    for low, high in itertools.pairwise(edges):
        mask = (sample.stage >= low) & ((sample.stage < high) | (high == 1))
        if mask.sum() < MIN_IN_BIN:
            continue
        middle = np.array([(low + high) / 2])
        even, spread = (
            math.exp(powers(middle, len(coefficients) - 1)[0] @ np.array(coefficients)) for coefficients in curves
        )
        said, were = ((0.5 + ahead[mask] * (values[mask] - 0.5)).mean() for values in (points, got))
        print(
            f"{low:.3f}–{high:.3f} {mask.sum():>12} {even:>8.0f} {spread:>7.0f}"
            f" {chances[mask, 1].mean():>15.1%} {(sample.result[mask] == 0).mean():>6.1%} {said:>29.1%} {were:>6.1%}"
        )


def plot(name: str, chances: Any, sample: Sample) -> str:
    """The calibration of held-out chances, as SVG."""
    style = pygal.style.Style(
        background="white", plot_background="white", colors=("#9a9a9a", "#1b6ca8", "#7a7a00", "#b03a2e"),
        font_family="sans-serif", label_font_size=13, major_label_font_size=13, title_font_size=14, legend_font_size=14,
    )  # fmt: skip
    chart = pygal.XY(
        width=560, height=430, margin=10, stroke=False, dots_size=4, js=(), no_prefix=True, style=style,
        disable_xml_declaration=True, legend_at_bottom=True, legend_at_bottom_columns=4,
        range=(0, 100), xrange=(0, 100),
        x_labels=list(range(0, 101, 20)), y_labels=list(range(0, 101, 20)), truncate_label=-1,
        x_title="predicted, %", y_title="what happened in held-out games, %",
        title=f"{name.capitalize()}: predicted and actual results",
    )  # fmt: skip
    chart.add("exact", [(0, 0), (100, 100)], stroke=True, show_dots=False)
    for column, (outcome, result) in enumerate(OUTCOMES):
        said = chances[:, column]
        found = sample.result == result
        bins = np.minimum((said * BINS).astype(int), BINS - 1)
        chart.add(
            outcome,
            [
                (round(100 * float(said[mask].mean()), 1), round(100 * float(found[mask].mean()), 1))
                for number in range(BINS)
                if (mask := bins == number).sum() >= MIN_IN_BIN
            ],
        )
    chart.add_xml_filter(plain)
    return str(chart.render()) + "\n"


def plain(root: Any) -> Any:
    """Remove comments, what pygal's own script uses, and what differs from run to run."""
    root.attrib.pop("id")
    for node in list(root.iter()):
        for child in list(node):
            if child.tag in ("script", "desc") or not isinstance(child.tag, str):
                node.remove(child)
    return root


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--every", type=int, default=0, metavar="N", help="plies; default 9, Gomoku 3")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the calibration on the held-out games")
    args = parser.parse_args(arguments)
    if args.every < 0:
        parser.error("--every: expected a number of plies from 1")
    name, sample, counts = read_sample(args.files, args.every)
    for label, count in counts.items():
        print(f"{label}: {count} games, {(sample.label == label).sum()} positions")
    models = {"constant": held_out_shares(sample)}
    models |= {told: probabilities(curves, sample) for told, curves in PRESENT[name].items()}
    models["same at all stages"] = held_out(sample, 0)
    models["curves"] = chances = held_out(sample, DEGREES[name])
    print_losses(models, sample)
    curves = rounded(fit(sample, DEGREES[name]))
    print_stages(curves, chances, sample)
    print(f"\n{constants(curves)}")
    if args.plot is not None:
        args.plot.write_text(plot(name, chances, sample), encoding="utf-8")


if __name__ == "__main__":
    main()
