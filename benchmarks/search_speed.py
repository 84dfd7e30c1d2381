"""Search speed: nodes/s against another engine, two threads over one, a net over the hand-made evaluation, on 20
middle-game positions.

    python benchmarks/search_speed.py --opponent fairy-stockfish
    python benchmarks/search_speed.py --threads 2
    python benchmarks/search_speed.py --net net

The two sides search every position in turns (A B A B), so a machine that slows down slows both. Both engines count a
node for each move made, in any search. Nodes and time are the engines' own figures, after `go movetime`. The ratio is
the geometric mean over the positions.
"""

from __future__ import annotations

import argparse
import math
import sysconfig
from pathlib import Path

from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from ucci_engine.match_player import XiangqiPlayer

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
POSITIONS = Path(__file__).with_name("middle_games.fen")


def nodes_per_second(player: XiangqiPlayer, fen: str, milliseconds: int) -> float:
    """Nodes/s of one search of a position with an empty hash table."""
    limit = ThinkingLimit(milliseconds, margin_ms=60_000)
    player.new_game(limit, fen)
    answer = player.think((), limit)
    return answer.nodes / max(answer.nodes_ms, 1) * 1000


def engine(
    name: str, command: str, hash_mb: int, threads: int = 1, variant: str = "", net: str | None = None
) -> XiangqiPlayer:
    options = (("Hash", str(hash_mb)), ("Threads", str(threads)), *([("EvalFile", net)] if net else []))
    return XiangqiPlayer(EngineSpecification(name, tuple(command.split()), "uci", variant, options=options))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--engine", default=f"{SANQI} uci", metavar="CMD", help="ours, over UCI (default: the installed one)"
    )
    versus = parser.add_mutually_exclusive_group(required=True)
    versus.add_argument("--opponent", metavar="CMD", help="another UCI engine that plays UCI_Variant xiangqi")
    versus.add_argument("--threads", type=int, metavar="N", help="ours with N threads, against itself with one")
    versus.add_argument("--net", metavar="FILE", help="ours with this EvalFile, against the hand-made")
    parser.add_argument("--movetime", type=int, default=1000, metavar="MS", help="milliseconds a search (default 1000)")
    parser.add_argument("--rounds", type=int, default=2, help="searches of each position by each side (default 2)")
    parser.add_argument("--hash", type=int, default=64, metavar="MB", help="hash size (default 64)")
    args = parser.parse_args()

    if args.opponent:
        first = engine("engine", args.engine, args.hash)
        second = engine("opponent", args.opponent, args.hash, variant="xiangqi")
    elif args.net:
        first = engine("net", args.engine, args.hash, net=args.net)
        second = engine("hand-made", args.engine, args.hash, net="hand-made")
    else:
        first = engine(f"{args.threads} threads", args.engine, args.hash, args.threads)
        second = engine("1 thread", args.engine, args.hash)
    fens = [line for line in POSITIONS.read_text(encoding="ascii").splitlines() if line and not line.startswith("#")]
    logarithms = []
    print(f"{'':>3} {first.name:>14} {second.name:>14}  ratio   (nodes/s)")
    try:
        for number, fen in enumerate(fens, 1):
            speeds = [0.0, 0.0]
            for _ in range(args.rounds):
                for side, player in enumerate((first, second)):
                    speeds[side] += nodes_per_second(player, fen, args.movetime) / args.rounds
            ratio = speeds[0] / speeds[1]
            logarithms.append(math.log(ratio))
            print(f"{number:>3} {speeds[0]:>14,.0f} {speeds[1]:>14,.0f}  {ratio:5.2f}   {fen}", flush=True)
    finally:
        first.stop()
        second.stop()
    print(f"geometric mean of {len(fens)} positions: {math.exp(sum(logarithms) / len(fens)):.2f}")


if __name__ == "__main__":
    main()
