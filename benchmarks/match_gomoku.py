"""Strength: `sanqi match` of 15x15 Gomoku at 0.5 s a move, one thread, against another Gomocup engine or the baseline.

    python benchmarks/match_gomoku.py --opponent ./pbrain-rapfi
    python benchmarks/match_gomoku.py --opponent weights --games 60
    python benchmarks/match_gomoku.py --opponent self --rule renju --games 100 --movetime 20

`weights` is the built-in player without look-ahead, `self` the engine in its aggressive style.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import sysconfig

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
MEMORY = 100_000_000
"""Bytes for each side; some engines need a second of every game to allocate the tournament's 350 MB."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opponent", required=True, metavar="CMD", help="a Gomocup engine, or weights or self")
    parser.add_argument("--engine", default=SANQI, metavar="CMD", help="ours (default: the installed one)")
    parser.add_argument("--rule", default="freestyle", help="default freestyle")
    parser.add_argument("--games", type=int, default=40, metavar="N", help="default 40")
    parser.add_argument("--movetime", type=int, default=500, metavar="MS", help="milliseconds a move (default 500)")
    parser.add_argument("--out", metavar="FILE", help="write the games, one JSON object a line")
    args = parser.parse_args()
    built_in = {"weights": "option.level=weights", "self": "option.style=aggressive"}
    if args.opponent in built_in:
        opponent = f'cmd="{args.engine}" {built_in[args.opponent]}'
    else:
        opponent = f'cmd="{args.opponent}"'
    command = [
        *(SANQI, "match", "--game", "gomoku", "--rule", args.rule, "--concurrency", "2"),
        *("--games", str(args.games), "--movetime", str(args.movetime)),
        *("--engine", f'name=sanqi cmd="{args.engine}" option.max_memory={MEMORY}'),
        *("--engine", f"name=opponent {opponent} option.max_memory={MEMORY}"),
    ]
    if args.out:
        command += ["--out", args.out]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
