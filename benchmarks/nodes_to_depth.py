"""What a depth costs with several threads: their nodes over those of one thread, on 40 Xiangqi positions.

    python benchmarks/nodes_to_depth.py --threads 2 --depth 15 --rounds 3

Threads that repeat each other's work search more nodes to the same depth; 1.0 would be no repeated work. Nodes, not
time, so a busy machine changes little. Of each position: the mean of the rounds, each with an empty hash table. The
ratio is the geometric mean over the positions.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

import sanqi
from ucci_engine.extra_pieces import open_position

HERE = Path(__file__).parent


def positions() -> Iterator[str]:
    """The 20 positions of search_speed.py, and 20 of games of the net."""
    for name in ("middle_games.fen", "net_middle_games.fen"):
        for line in (HERE / name).read_text(encoding="ascii").splitlines():
            if line and not line.startswith("#"):
                yield line


def nodes_to_depth(engine: sanqi.Engine, fen: str, depth: int, threads: int) -> int:
    """Nodes of one search of a position to a depth, all threads together, with an empty table."""
    engine.threads = threads
    engine.new_game()
    return engine.search(open_position(fen), sanqi.Limits(depth=depth)).nodes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="compared with one (default 2)")
    parser.add_argument("--depth", type=int, default=15, metavar="PLIES", help="of each search (default 15)")
    parser.add_argument("--rounds", type=int, default=3, help="searches of each position (default 3)")
    parser.add_argument("--hash", type=int, default=64, metavar="MB", help="hash size (default 64)")
    args = parser.parse_args()

    logarithms: list[list[float]] = [[] for _ in range(args.rounds)]
    with sanqi.Engine() as engine:
        engine.hash_mb = args.hash
        for number, fen in enumerate(positions(), 1):
            alone = nodes_to_depth(engine, fen, args.depth, 1)
            together = [nodes_to_depth(engine, fen, args.depth, args.threads) for _ in range(args.rounds)]
            for round_logarithms, nodes in zip(logarithms, together, strict=True):
                round_logarithms.append(math.log(nodes / alone))
            ratios = " ".join(f"{nodes / alone:5.2f}" for nodes in together)
            print(f"{number:>3} {alone:>12,} {ratios}   {fen}", flush=True)
    means = [math.exp(math.fsum(values) / len(values)) for values in logarithms]
    print(f"geometric mean of {len(logarithms[0])} positions, a round: " + ", ".join(f"{mean:.2f}" for mean in means))
    print(f"all rounds: {math.exp(sum(map(math.log, means)) / len(means)):.2f}")


if __name__ == "__main__":
    main()
