"""Strength: `sanqi match` against Fairy-Stockfish at 100 ms a move, one thread, 64 MB, 100 games.

    python benchmarks/match_fairy.py --opponent fairy-stockfish

The opponent may be any engine that plays Xiangqi over UCI and has UCI_Variant, Hash and Threads. Its net, if it
has any, is turned off.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import sysconfig

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opponent", default="fairy-stockfish", metavar="CMD", help="default 'fairy-stockfish'")
    parser.add_argument("--engine", default=SANQI, metavar="CMD", help="ours, over UCCI (default: the installed one)")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="default 100")
    parser.add_argument("--movetime", type=int, default=100, metavar="MS", help="milliseconds a move (default 100)")
    parser.add_argument("--out", metavar="FILE", help="write the games, one JSON object a line")
    args = parser.parse_args()
    command = [
        *(SANQI, "match", "--allow-unknown-options", "--games", str(args.games), "--movetime", str(args.movetime)),
        *("--engine", f'name=sanqi cmd="{args.engine}" option.hashsize=64 option.threads=1'),
        "--engine",
        f'name=opponent cmd="{args.opponent}" proto=uci variant=xiangqi '
        'option.Hash=64 option.Threads=1 option."Use NNUE"=false',
    ]
    if args.out:
        command += ["--out", args.out]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
