"""Fit the Junqi evaluation to games of the searching player.

    python benchmarks/tune_junqi.py play --games 2000 --nodes 300 games.jsonl
    python benchmarks/tune_junqi.py fit games.jsonl --out junqi_protocol/evaluation_weights.py

`play` plays games against itself, and a third of them against `path` and `greedy`, in turn with all lineups of
--lineups. It writes positions of these games: the features of the evaluation for the player on turn, and the result.
`fit` is a logistic regression, by Newton's method, with a penalty that draws the weights to those of today. A tenth of
the games is kept apart; their log-loss is printed. Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
from pathlib import Path

import numpy as np
from junqi_match import LINEUPS, Player, Terms, play
from rich.console import Console
from rich.progress import track

from junqi_protocol.evaluation_weights import WEIGHTS
from junqi_protocol.geometry import VARIANTS
from junqi_protocol.player_view import PlayerView
from junqi_protocol.searching import believed

SHARE = 0.12
"""Of the positions that are written."""
QUIET = 70


class Recorder(Player):
    """A player that keeps some of its positions."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.positions: list[list[float]] = []

    def move(self, view: PlayerView, chance: random.Random) -> int:
        if chance.random() < SHARE:
            self.positions.append([round(value, 4) for value in believed(view).features()])
        return super().move(view, chance)


def play_game(job: tuple[int, int, int]) -> list[str]:
    """One game: a line for each position."""
    seed, number, nodes = job
    chance = random.Random(f"{seed} {number}")
    terms = Terms(("", ""), ("siguo", "siguo", "duel")[number // 2 % 3], ("team", "own")[number // 3 % 2], QUIET, "", 0)
    recorder = Recorder(f"search:{nodes}")
    other = (recorder, recorder, recorder, recorder, Player("path"), Player("greedy"))[number % 6]
    make = LINEUPS[("random", "sound")[number % 2]]
    lineups = [make(chance) for _ in range(VARIANTS[terms.variant].seats)]
    players = (recorder, other) if number // 6 % 2 else (other, recorder)
    winner, _plies = play(players, terms, lineups, number % len(lineups), chance)
    result = 0.5 if winner is None else 1.0 - winner
    return [
        json.dumps({"game": number, "result": result, "features": position}) + "\n" for position in recorder.positions
    ]


def loss(weights: np.ndarray, features: np.ndarray, results: np.ndarray) -> float:
    """The log-loss of the predicted results."""
    chances = np.clip(1 / (1 + np.exp(-features @ weights)), 1e-6, 1 - 1e-6)
    return float(-(results * np.log(chances) + (1 - results) * np.log(1 - chances)).mean())


def fitted(start: np.ndarray, features: np.ndarray, results: np.ndarray, penalty: float) -> np.ndarray:
    """The weights of the least log-loss, with a penalty on the square of their distance from `start`."""
    weights = start.copy()
    for _ in range(20):
        chances = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (chances - results) + penalty * (weights - start)
        curvature = (features * (chances * (1 - chances))[:, None]).T @ features + penalty * np.eye(len(weights))
        step = np.linalg.solve(curvature, slope)
        weights -= step
        if np.abs(step).max() < 1e-5:
            break
    return weights


def fit(files: list[Path], penalty: float, out: Path) -> None:
    """Fit the weights to the positions of these files, and write them."""
    games, results, features = [], [], []
    for file in files:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                position = json.loads(line)
                games.append(position["game"])
                results.append(position["result"])
                features.append(position["features"])
    x, y, apart = np.array(features), np.array(results), np.array(games) % 10 == 0
    today = np.array(WEIGHTS)
    weights = fitted(today, x[~apart], y[~apart], penalty)
    print(
        f"{len(y)} positions; log-loss of those kept apart: {loss(today, x[apart], y[apart]):.4f} today,"
        f" {loss(weights, x[apart], y[apart]):.4f} fitted"
    )
    weights = fitted(today, x, y, penalty)
    out.write_text(
        '"""The weights of evaluation.pyx, written by benchmarks/tune_junqi.py: by type and node, by class and zone, the'
        '\nmove."""\n\nWEIGHTS = (\n' + "".join(f"    {weight:.4f},\n" for weight in weights) + ")\n",
        encoding="utf-8",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="play games")
    playing.add_argument("file", type=Path, help="positions are added to it")
    playing.add_argument("--games", type=int, default=2000, metavar="N", help="default 2000")
    playing.add_argument("--nodes", type=int, default=300, metavar="N", help="a move (default 300)")
    playing.add_argument("--seed", type=int, default=1, help="default 1")
    playing.add_argument("--processes", type=int, default=os.cpu_count(), metavar="N", help="default: one a processor")
    fitting = commands.add_parser("fit", help="fit the weights")
    fitting.add_argument("files", type=Path, nargs="+")
    fitting.add_argument("--penalty", type=float, default=20.0, metavar="X", help="default 20")
    fitting.add_argument("--out", type=Path, default=Path("junqi_protocol/evaluation_weights.py"), metavar="FILE")
    args = parser.parse_args()
    if args.command == "fit":
        fit(args.files, args.penalty, args.out)
        return
    jobs = [(args.seed, number, args.nodes) for number in range(args.games)]
    with multiprocessing.Pool(args.processes) as pool, args.file.open("a", encoding="utf-8") as file:
        for lines in track(pool.imap_unordered(play_game, jobs), "games", len(jobs), console=Console(stderr=True)):
            file.writelines(lines)


if __name__ == "__main__":
    main()
