"""Perft speed against another program's `go perft`.

    python benchmarks/perft.py --opponent fairy-stockfish

Both count the leaves of the start position's tree, in turns (A B A B), so that a machine that slows down slows both.
Ours runs twice per round: once it only counts the last ply, once it makes and unmakes every leaf with the methods of
the search.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess

from search_core.clock import now_s
from search_core.perft import Perft
from ucci_engine.position import Position


def opponent_seconds(command: str, depth: int) -> tuple[float, int]:
    """Seconds from `go perft` to its total, and the total."""
    with subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        assert engine.stdin is not None and engine.stdout is not None
        print("uci", file=engine.stdin, flush=True)
        for line in engine.stdout:
            if line.startswith("uciok"):
                break
        print("setoption name UCI_Variant value xiangqi\nposition startpos\nisready", file=engine.stdin, flush=True)
        for line in engine.stdout:
            if line.startswith("readyok"):
                break
        started = now_s()
        print(f"go perft {depth}", file=engine.stdin, flush=True)
        leaves = 0
        for line in engine.stdout:
            if line.startswith("Nodes searched"):
                leaves = int(line.split(":")[1])
                break
        seconds = now_s() - started
        print("quit", file=engine.stdin, flush=True)
    return seconds, leaves


def our_seconds(depth: int, *, makes_leaves: bool) -> tuple[float, int]:
    position = Position()
    started = now_s()
    leaves = Perft(position, depth, makes_leaves=makes_leaves).total()
    return now_s() - started, leaves


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opponent", required=True, metavar="CMD", help="a UCI engine with UCI_Variant xiangqi")
    parser.add_argument("--depth", type=int, default=5, help="plies (default 5)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each side counts (default 3)")
    arguments = parser.parse_args()
    counted, made = [], []
    print("round   opponent  last ply counted  all leaves made   (million leaves/s)")
    for number in range(1, arguments.rounds + 1):
        theirs, their_leaves = opponent_seconds(arguments.opponent, arguments.depth)
        fast, leaves = our_seconds(arguments.depth, makes_leaves=False)
        full, full_leaves = our_seconds(arguments.depth, makes_leaves=True)
        if not leaves == full_leaves == their_leaves:
            raise SystemExit(f"the counts differ: {leaves}, {full_leaves} and {their_leaves} leaves")
        counted.append(theirs / fast)
        made.append(theirs / full)
        print(f"{number:5} {leaves / theirs / 1e6:10.1f} {leaves / fast / 1e6:17.1f} {leaves / full / 1e6:16.1f}")
    print(f"ratio, last ply counted: {statistics.median(counted):.1f}")
    print(f"ratio, all leaves made:  {statistics.median(made):.1f}")


if __name__ == "__main__":
    main()
