"""Fit the weights of the Xiangqi evaluation to games that the program plays against itself.

    python -m sanqi_training.tune_evaluation play --games 10000 --seed 1 games.jsonl
    python -m sanqi_training.tune_evaluation fit games.jsonl --out ucci_engine/evaluation_weights.py

`play` writes one game a line, from a few random moves on. Now and then it also searches a position that is one or two
random moves aside of the game: a search evaluates such positions all the time, and games seldom have them.

`fit` minimizes the square error of the logistic function of the evaluation (Texel's tuning method,
https://www.chessprogramming.org/Texel%27s_Tuning_Method). The target is a mean of the search's score, which counts
--score, and the game's result. Only quiet positions count: no check, and the search plays no capture. A ridge holds
each weight near its value in the installed program, so what seldom occurs keeps it. A tenth of the games is held out.
Needs numpy and scipy.
"""

from __future__ import annotations

import argparse
import json
import random
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from game_core.progress import progress_bar
from sanqi_training.weight_counter import WeightCounter
from search_core.engine import Engine, Limits
from ucci_engine.evaluation import HandCraftedEvaluator
from ucci_engine.evaluation_weights import MATERIAL, PLACEMENT, TEMPO, WEIGHTS
from ucci_engine.position import Position

CENTIPAWNS = 350.0  # of a score that wins with probability 1 / (1 + 1/e)
TABLE_MB = 16
RANDOM_PLIES = 4, 11
EVEN = 500  # centipawns within which a random opening is played on
ASIDES = 0.4  # for each position of a game, the chance that one aside of it is searched too
WON, WON_PLIES = 1500, 4  # a game ends when so many searches in a row have seen a winner by so much
MAX_PLIES = 240
DECIDED = 3000  # centipawns above which a position is not used
ENDED = {"mate": -1, "stalemate": -1, "perpetual-loss": -1, "perpetual-win": 1}  # for the side to move
FULL_PHASE, THIN_PHASE, FULL_SCALE = 48, 24, 64  # evaluation.pyx
MIN_COUNT = 20  # positions in which a weight counts, for it to be fitted
TERM_WEIGHTS = sum(map(len, WEIGHTS.values()))
KINDS, RANKS, HALF = 7, 10, 5  # of the files, from the edge to the centre
COLUMNS = TERM_WEIGHTS + KINDS * RANKS * HALF
FIRST_FILES = (3, 3, 0, 0, 0, 0, 0)  # of PLACEMENT's rows: those that the kind can reach
FILE_STEPS = (1, 1, 2, 1, 1, 1, 1)
KIND_NAMES = ("king: files d, e", "advisor: d, e", "elephant: a, c, e", "horse", "rook", "cannon", "pawn")
LETTERS = "KABNRCP"

Pair = tuple[int, int]


# ---------------------------------------------------------------- play


def random_moves(position: Position, count: int, chance: random.Random) -> list[int]:
    """Play random moves, fewer if the game ends; return them."""
    moves: list[int] = []
    while len(moves) < count and position.result() == "ongoing":
        moves.append(chance.choice(position.legal_moves()))
        position.push(moves[-1])
    return moves


def searched(engine: Engine, position: Position, nodes: int) -> tuple[int, int]:
    """The best move and its score for the side to move, where there is a move."""
    found = engine.search(position, Limits(nodes=nodes))
    assert found.best is not None
    return found.best, found.score


def play_game(engine: Engine, chance: random.Random, nodes: int) -> dict[str, Any] | None:
    """A game as a line of the file. None: the opening was not even, or the game was over before it began."""
    position = Position(evaluator=HandCraftedEvaluator())
    moves = random_moves(position, chance.randint(*RANDOM_PLIES), chance)
    game: dict[str, Any] = {"start": len(moves), "moves": moves, "scores": [], "asides": [], "result": 0}
    won = 0
    engine.new_game()
    while position.result() == "ongoing" and len(moves) < MAX_PLIES:
        best, score = searched(engine, position, nodes)
        if not game["scores"] and abs(score) > EVEN:
            return None
        game["scores"].append(score)
        moves.append(best)
        won = won + 1 if abs(score) > WON else 0
        red_view = -1 if position.side else 1
        position.push(best)
        if won >= WON_PLIES:
            game["result"] = red_view if score > 0 else -red_view
            return game
        if chance.random() < ASIDES:
            aside = position.copy()
            played = random_moves(aside, chance.randint(1, 2), chance)
            if played and aside.result() == "ongoing":
                game["asides"].append([len(moves), played, *searched(engine, aside, nodes)])
    game["result"] = ENDED.get(position.result(), 0) * (-1 if position.side else 1)
    return game if game["scores"] else None


def play(args: argparse.Namespace) -> None:
    """Play games and append them to the file, with other seeds than those that it has."""
    kept = args.file.read_text(encoding="ascii").splitlines() if args.file.exists() else []
    first = 1 + max((json.loads(line).get("number", len(kept)) for line in kept), default=-1)
    with Engine() as engine, args.file.open("a", encoding="ascii") as out, progress_bar(args.games) as progress:
        engine.hash_mb = TABLE_MB
        for number in range(first, first + args.games):
            if (game := play_game(engine, random.Random(f"{args.seed} {number}"), args.nodes)) is not None:
                out.write(json.dumps({"number": number, **game}) + "\n")
                out.flush()
            progress.advance()


# ---------------------------------------------------------------- fit


class Example(NamedTuple):
    """A position to learn from."""

    position: Position
    score: int  # for the side to move
    result: int | None  # for Red; None: of no game
    game: int


def examples(files: list[Path]) -> Iterator[Example]:
    """The quiet positions of all games; the position of an example is only valid until the next one."""
    number = 0
    for file in files:
        for line in file.read_text(encoding="ascii").splitlines():
            game = json.loads(line)
            number += 1
            asides = {aside[0]: aside[1:] for aside in game.get("asides", ())}
            position = Position(evaluator=WeightCounter())
            for ply, move in enumerate(game["moves"]):
                if ply >= game["start"]:
                    score = game["scores"][ply - game["start"]]
                    if is_quiet(position, move, score):
                        yield Example(position, score, game["result"], number)
                position.push(move)
                if ply + 1 in asides:
                    played, best, score = asides[ply + 1]
                    for move in played:
                        position.push(move)
                    if is_quiet(position, best, score):
                        yield Example(position, score, None, number)
                    for _ in played:
                        position.pop()


def is_quiet(position: Position, best: int, score: int) -> bool:
    """Whether the static evaluation should know the score."""
    return abs(score) < DECIDED and not position.checked and not position.piece_at(best >> 7)


def placement_column(kind: int, rank: int, file: int) -> int:
    """The column of a kind on a point, in its own side's view."""
    return TERM_WEIGHTS + (kind * RANKS + rank) * HALF + min(file, 8 - file)


class Sample:
    """Positions as a matrix of counts, Red's minus Black's, with what else the evaluation and the fit need."""

    def __init__(self, files: list[Path], score_share: float) -> None:
        columns, counts, ends = array("h"), array("b"), array("q", [0])
        rows = array("d")
        for example in examples(files):
            position = example.position
            position.evaluate_cp()
            evaluator = position.evaluator
            assert isinstance(evaluator, WeightCounter)
            for sign, of_side in zip((1, -1), evaluator.counts, strict=True):
                for weight, count in of_side:
                    columns.append(weight)
                    counts.append(sign * count)
            for square in range(90):
                if letter := position.piece_at(square):
                    rank, file = divmod(square, 9)
                    red = letter.isupper()
                    kind = LETTERS.index(letter.upper())
                    columns.append(placement_column(kind, rank if red else 9 - rank, file))
                    counts.append(1 if red else -1)
            ends.append(len(columns))
            turn = -1 if position.side else 1
            target = 1 / (1 + np.exp(-turn * example.score / CENTIPAWNS))
            if example.result is not None:
                target = score_share * target + (1 - score_share) * (example.result + 1) / 2
            rows.extend((position.phase, turn, *evaluator.scales, target, example.game))
        table = np.array(rows).reshape(-1, 6)
        self.counts = csr_matrix((np.array(counts, float), np.array(columns), np.array(ends)), (len(table), COLUMNS))
        self.counts.sum_duplicates()
        self.middle = table[:, 0] / FULL_PHASE
        self.turn = table[:, 1]
        self.scales = np.where(table[:, :1] <= THIN_PHASE, table[:, 2:4], FULL_SCALE) / FULL_SCALE
        self.target = table[:, 4]
        self.held_out = table[:, 5] % 10 == 0

    def of(self, rows: Any) -> Sample:
        """The sample of some rows only."""
        part: Sample = object.__new__(Sample)
        for name, values in vars(self).items():
            setattr(part, name, values[rows])
        return part


def error_of(sample: Sample, weights: Any) -> tuple[float, Any]:
    """The mean square error of weights (middle game, end game, the two of the tempo), and its gradient."""
    middle, end, tempo = weights[:COLUMNS], weights[COLUMNS:-2], weights[-2:]
    late = 1 - sample.middle
    scores = (sample.counts @ middle) * sample.middle + (sample.counts @ end) * late
    scales = np.where(scores > 0, sample.scales[:, 0], sample.scales[:, 1])
    scores = scores * scales + sample.turn * (tempo[0] * sample.middle + tempo[1] * late)
    expected = 1 / (1 + np.exp(-scores / CENTIPAWNS))
    errors = expected - sample.target
    slopes = 2 * errors * expected * (1 - expected) / CENTIPAWNS / len(errors)
    of_tempo = slopes * sample.turn
    gradient = [
        sample.counts.T @ (slopes * scales * sample.middle),
        sample.counts.T @ (slopes * scales * late),
        [of_tempo @ sample.middle, of_tempo @ late],
    ]
    return float(np.mean(errors**2)), np.concatenate(gradient)


def installed_weights() -> Any:
    """The weights of the installed program, as error_of() takes them."""
    halves = []
    for half in range(2):
        values = np.zeros(COLUMNS)
        values[:TERM_WEIGHTS] = [pair[half] for pairs in WEIGHTS.values() for pair in pairs]
        for kind in range(KINDS):
            for rank in range(RANKS):
                for file in range(HALF):
                    values[placement_column(kind, rank, file)] = MATERIAL[kind][half]
            for rank, row in enumerate(PLACEMENT[kind][half]):
                for column, value in enumerate(row):
                    values[placement_column(kind, rank, file_of(kind, column))] += value
        halves.append(values)
    return np.concatenate([*halves, TEMPO])


def file_of(kind: int, column: int) -> int:
    """The file of a column of PLACEMENT's rows."""
    return FIRST_FILES[kind] + FILE_STEPS[kind] * column


def fit(args: argparse.Namespace) -> None:
    """Fit the weights and write them as a module."""
    sample = Sample(args.files, args.score)
    learnt, held_out = sample.of(~sample.held_out), sample.of(sample.held_out)
    start = installed_weights()
    seen = np.asarray((abs(learnt.counts) > 0).sum(0)).ravel()
    # A target that is an empty point: the mobility has it.
    for name, first in zip(WEIGHTS, accumulate(map(len, WEIGHTS.values()), initial=0), strict=False):
        if name.endswith("targets"):
            seen[first] = 0
    fitted = np.concatenate([seen >= MIN_COUNT, seen >= MIN_COUNT, [True, True]])
    print(f"{len(sample.target)} positions, {fitted.sum()} numbers; error {error_of(held_out, start)[0]:.6f} held out")

    def objective(change: Any) -> tuple[float, Any]:
        weights = start.copy()
        weights[fitted] += change
        error, gradient = error_of(learnt, weights)
        # L-BFGS-B stops at an absolute slope, so errors are in units of 1e-4.
        return 1e4 * error + args.ridge * change @ change, 1e4 * gradient[fitted] + 2 * args.ridge * change

    found = minimize(objective, np.zeros(fitted.sum()), jac=True, method="L-BFGS-B", options={"maxiter": 400})
    weights = start.copy()
    weights[fitted] += found.x
    print(f"{found.nit} steps: {error_of(learnt, weights)[0]:.6f}, {error_of(held_out, weights)[0]:.6f} held out")
    args.out.write_text(module_text(np.round(weights).astype(int), seen), encoding="ascii")


# ---------------------------------------------------------------- the module


def module_text(weights: Any, seen: Any) -> str:
    """Python source of the weights."""
    halves = weights[:COLUMNS], weights[COLUMNS:-2]
    lines = [
        '"""The weights of the Xiangqi evaluation, in centipawns for the middle game and the end game.',
        "",
        "Made by training/sanqi_training/tune_evaluation.py; docs/evaluation.md says what each of them counts.",
        '"""',
        "",
        "# fmt: off",
        f"TEMPO = {tuple(weights[-2:].tolist())}",
        "",
        "# K A E H R C P; the mean over the points where they stand, of a pawn over those at home",
    ]
    material = [mean_values(kind, halves, seen) for kind in range(KINDS)]
    lines += [
        f"MATERIAL = {tuple(material)}",
        "",
        "# What the point adds, middle game and end game. A row is a rank, from the own back rank on. Its entries are",
        "# the files from the edge to the centre; the other half is the mirror image.",
        "PLACEMENT = (",
    ]
    for kind in range(KINDS):
        lines += [f"    # {KIND_NAMES[kind]}", "    ("]
        for half in range(2):
            rows = []
            for rank, row in enumerate(PLACEMENT[kind][half]):
                places = [placement_column(kind, rank, file_of(kind, column)) for column in range(len(row))]
                values = [int(halves[half][place]) - material[kind][half] for place in places]
                # A point where the kind never stood has no value.
                rows.append(tuple(v if seen[p] else 0 for v, p in zip(values, places, strict=True)))
            lines += ["        (", *wrapped(rows, 12), "        ),"]
        lines.append("    ),")
    lines += [")", "", "# By term, in the order of evaluation.pyx's Feature.", "WEIGHTS = {"]
    first = 0
    for name, old in WEIGHTS.items():
        pairs = [(int(halves[0][i]), int(halves[1][i])) for i in range(first, first + len(old))]
        lines += [f'    "{name}": (', *wrapped(pairs, 8), "    ),"]
        first += len(old)
    return "\n".join([*lines, "}", ""])


def mean_values(kind: int, halves: tuple[Any, Any], seen: Any) -> Pair:
    """The value of a kind."""
    ranks = range(3, 5) if LETTERS[kind] == "P" else range(RANKS)
    places = [placement_column(kind, rank, file) for rank in ranks for file in range(HALF)]
    if kind == 0:
        return 0, 0
    middle, end = (round(float(np.average(half[places], weights=seen[places]))) for half in halves)
    return middle, end


def wrapped(items: Sequence[tuple[int, ...]], indent: int) -> list[str]:
    """Lines of at most 119 characters with all items."""
    lines = [" " * indent]
    for item in items:
        text = f"{item},"
        if len(lines[-1]) + len(text) > 118:
            lines.append(" " * indent)
        lines[-1] += text if lines[-1].isspace() else f" {text}"
    return lines


# ---------------------------------------------------------------- the command line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    player = commands.add_parser("play", help=play.__doc__)
    player.add_argument("file", type=Path, help="games are appended to it")
    player.add_argument("--games", type=int, default=10000, metavar="N")
    player.add_argument("--nodes", type=int, default=3000, metavar="N", help="of each search")
    player.add_argument("--seed", type=int, default=1, metavar="N")
    player.set_defaults(function=play)
    fitter = commands.add_parser("fit", help=fit.__doc__)
    fitter.add_argument("files", type=Path, nargs="+")
    fitter.add_argument("--out", type=Path, required=True, metavar="FILE", help="the module")
    fitter.add_argument("--score", type=float, default=0.8, metavar="X", help="the share of the search's score")
    fitter.add_argument("--ridge", type=float, default=1e-5, metavar="X", help="(default %(default)s)")
    fitter.set_defaults(function=fit)
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    main()
