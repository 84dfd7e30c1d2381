"""Wins by fours (VCF) that the search proves: how many a second, and the median time of one.

    python benchmarks/gomoku_fours.py

Self-play of 15x15 freestyle at 3,000 nodes a move, with a fixed seed, makes the set: positions where the side to move
has a win by fours of at least seven plies. Each is then solved with an empty table.
"""

from __future__ import annotations

import argparse
import random
import statistics
from queue import SimpleQueue

from gomoku_protocol.points import move_at
from gomoku_protocol.position import Position
from search_core.clock import now_s
from search_core.engine import Engine, Limits, Result

MIN_PLIES = 7
BUDGET = 1_000_000


def self_play_positions(chance: random.Random, engine: Engine, nodes: int) -> list[Position]:
    """All positions of one game after a random opening."""
    position = Position(15, 15, 0)
    while len(position.moves) < 6:
        move = move_at(chance.randint(4, 10), chance.randint(4, 10))
        if position.is_legal(move):
            position.push(move)
    engine.new_game()
    found = []
    while position.winner is None and not position.full:
        results: SimpleQueue[Result] = SimpleQueue()
        engine.go(position, Limits(nodes=nodes), on_result=results.put)
        best = results.get().best
        if best is None:
            break
        position.push(best)
        found.append(position.copy())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=500, metavar="N", help="in the set (default 500)")
    parser.add_argument("--nodes", type=int, default=3000, metavar="N", help="of each move of self-play (default 3000)")
    args = parser.parse_args()
    chance, engine = random.Random(1), Engine()
    engine.hash_mb = 16
    won: list[Position] = []
    while len(won) < args.positions:
        game = self_play_positions(chance, engine, args.nodes)
        won += [position for position in game if position.win_by_fours(BUDGET) >= MIN_PLIES]
    won = won[: args.positions]
    times, lengths = [], []
    for position in won:
        fresh = position.copy()  # its table is empty
        start = now_s()
        plies = fresh.win_by_fours(BUDGET)
        times.append(now_s() - start)
        lengths.append(plies)
    print(f"{len(won)} wins by fours of {min(lengths)} to {max(lengths)} plies")
    print(f"{len(won) / sum(times):,.0f} a second, median {statistics.median(times) * 1e6:.0f} microseconds")


if __name__ == "__main__":
    main()
