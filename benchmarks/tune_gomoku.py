"""Fit the Gomoku evaluation to games that the program plays against itself.

    python benchmarks/tune_gomoku.py play --games 2000 --nodes 3000 --rule 0 games0.jsonl
    python benchmarks/tune_gomoku.py fit games0.jsonl games1.jsonl

`play` writes one game a line: its moves and what each search thought of them. `fit` takes the quiet positions, those
where the evaluation has the last word, and finds the worths (gomoku_protocol/evaluation.pyx) for which the logistic
function of the score predicts best how the game ended, mixed with what the search said (Texel's method). Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from queue import SimpleQueue

from gomoku_protocol.points import move_at
from gomoku_protocol.position import Position
from search_core.engine import Engine, Limits, Result

CENTIPAWNS = 200.0  # of a score that wins with probability 1 / (1 + 1/e)
SCALE = 16  # evaluation.pxd
SEARCH_SHARE = 0.6  # of the search's opinion in what is to be predicted


def opening(rule: int, chance: random.Random) -> Position:
    """A position with a few stones near the centre."""
    position = Position(15, 15, rule)
    spread = chance.choice((2, 3, 4))
    for _ in range(chance.randint(2, 8)):
        moves = [
            move for x in range(7 - spread, 8 + spread) for y in range(7 - spread, 8 + spread)
            if position.is_legal(move := move_at(x, y))
        ]
        position.push(chance.choice(moves))
    return position


def play(args: argparse.Namespace) -> None:
    """Play games and append them to the file."""
    chance = random.Random(args.seed)
    engine = Engine()
    engine.hash_mb = 16
    with args.file.open("a", encoding="ascii") as out:
        for number in range(args.games):
            position = opening(args.rule, chance)
            start = len(position.moves)
            engine.new_game()
            scores = []
            while position.winner is None and not position.full:
                results: SimpleQueue[Result] = SimpleQueue()
                engine.go(position, Limits(nodes=args.nodes), on_result=results.put)
                result = results.get()
                if result.best is None:
                    break
                position.push(result.best)
                scores.append(result.score)
            game = {
                "rule": args.rule, "start": start, "moves": position.moves, "scores": scores, "winner": position.winner,
            }
            out.write(json.dumps(game) + "\n")
            if sys.stderr.isatty():
                print(f"\r{number + 1} games", end="", file=sys.stderr)


def fit(args: argparse.Namespace) -> None:
    """Fit the worths and print them as they stand in evaluation.pyx."""
    import numpy as np

    rows: list[list[int]] = []
    targets: list[float] = []
    for file in args.files:
        for line in file.read_text(encoding="ascii").splitlines():
            game = json.loads(line)
            position = Position(15, 15, game["rule"])
            for ply, move in enumerate(game["moves"]):
                score = game["scores"][ply - game["start"]] if ply >= game["start"] else None
                if score is not None and position.quiet and abs(score) < 20000:
                    my_lines, my_ranks, their_lines, their_ranks = position.evaluation_counts()
                    rows.append([*their_lines, *their_ranks, *my_lines, *my_ranks])
                    outcome = 0.5 if game["winner"] is None else float(game["winner"] == position.side)
                    said = 1 / (1 + np.exp(-score / CENTIPAWNS))
                    targets.append(SEARCH_SHARE * said + (1 - SEARCH_SHARE) * outcome)
                position.push(move)
    half = len(rows[0]) // 2
    features = np.array(rows, dtype=np.float32)
    features[:, :half] *= -1  # what the other side has counts against us
    target = np.array(targets, dtype=np.float32)
    print(f"{len(rows)} positions", file=sys.stderr)
    deviation = features.std(axis=0) + 1e-3
    worths = np.zeros(features.shape[1])
    moment, square = np.zeros_like(worths), np.zeros_like(worths)
    chance = np.random.default_rng(1)
    step, loss = 0, 0.0
    for epoch in range(args.epochs):
        order = chance.permutation(len(target))
        loss = 0.0
        for begin in range(0, len(order), 4096):
            chosen = order[begin : begin + 4096]
            scaled = features[chosen] / deviation
            guess = 1 / (1 + np.exp(-(scaled @ worths) / CENTIPAWNS))
            error = guess - target[chosen]
            loss += float((error**2).sum())
            gradient = scaled.T @ error / len(chosen) + 1e-7 * worths
            step += 1
            moment += 0.1 * (gradient - moment)
            square += 0.001 * (gradient**2 - square)
            rate = 3.0 * (1 - epoch / args.epochs)
            worths -= rate * (moment / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
        print(f"epoch {epoch}: mean square error {loss / len(target):.5f}", file=sys.stderr)
    table = np.round(worths / deviation * SCALE).astype(int)
    # A class that a quiet position never shows has no worth of its own: the search sees it first.
    seen = np.abs(features).sum(axis=0) > 50
    table[~seen] = 0
    for name, begin, end in (("_LINES", 0, 15), ("_RANKS", 15, 25)):
        print(f"{name} = (")
        for side in range(2):
            print(f"    ({', '.join(map(str, table[side * half + begin : side * half + end]))}),")
        print(")")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    player = commands.add_parser("play", help="play games against itself")
    player.add_argument("file", type=Path)
    player.add_argument("--games", type=int, default=1000, metavar="N")
    player.add_argument("--nodes", type=int, default=3000, metavar="N", help="of each search (default 3000)")
    player.add_argument("--rule", type=int, default=0, metavar="R", help="as the Gomocup protocol numbers it")
    player.add_argument("--seed", type=int, default=1, metavar="N")
    player.set_defaults(run=play)
    fitter = commands.add_parser("fit", help="fit the worths to games")
    fitter.add_argument("files", type=Path, nargs="+")
    fitter.add_argument("--epochs", type=int, default=40, metavar="N")
    fitter.set_defaults(run=fit)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
