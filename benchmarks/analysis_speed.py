"""Throughput of `sanqi analyse`: many positions on several threads over the same on one.

    python benchmarks/analysis_speed.py
    python benchmarks/analysis_speed.py --game gomoku --threads 4 --rounds 5

The positions are middle games and what random moves make of them. The program gets all of them at once; the time runs
from the first request to the last answer, after a position for each thread that is not counted. The two sides take
turns (A B A B), each with a new process, so a machine that slows down slows both. The ratio is the geometric mean over
the rounds.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sysconfig
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from game_core.session import Session
from gomoku_protocol.session import GomokuSession
from search_core.clock import now_s
from ucci_engine.session import XiangqiSession

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
HERE = Path(__file__).parent
SEED = 20
MAX_MOVES = 6
"""Random moves from a middle game."""


def lines(name: str) -> list[str]:
    text = (HERE / name).read_text(encoding="ascii")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def starts(game: str) -> Iterator[tuple[dict[str, Any], Session]]:
    """The middle games over and over: a position for a request, and its game."""
    if game == "xiangqi":
        for fen in cycle(lines("middle_games.fen")):
            yield {"fen": fen}, XiangqiSession(fen)
    for moves in cycle(lines("gomoku_middle_games.txt")):
        session = GomokuSession()
        for move in moves.split():
            session.play(move)
        yield {"moves": moves.split()}, session


def positions(game: str, count: int) -> list[dict[str, Any]]:
    """As many positions that have not ended, with the moves that lead there."""
    chance = random.Random(SEED)
    found: list[dict[str, Any]] = []
    for position, session in starts(game):
        played = []
        for _ in range(chance.randint(0, MAX_MOVES)):
            moves = session.legal_moves()
            if moves:
                played.append(chance.choice(moves))
                session.play(played[-1])
        if session.verdict() is None:
            found.append({**position, "moves": [*position.get("moves", []), *played]})
        if len(found) == count:
            return found
    raise AssertionError("unreachable")


def seconds(command: str, threads: int, hash_mb: int, requests: list[str], warm_up: str) -> float:
    """The time for all answers."""
    program = subprocess.Popen(
        [command, "analyse", "--threads", str(threads), "--hash", str(hash_mb)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert program.stdin is not None and program.stdout is not None
    program.stdin.write(warm_up * threads)
    program.stdin.flush()
    for _ in range(threads):
        check(program.stdout.readline())
    start = now_s()
    program.stdin.write("".join(requests))
    program.stdin.close()
    for _ in requests:
        check(program.stdout.readline())
    taken = now_s() - start
    program.stdout.close()
    program.wait()
    return taken


def check(line: str) -> None:
    if not json.loads(line).get("moveInfos"):
        raise SystemExit(f"no answer: {line}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanqi", default=SANQI, metavar="PROGRAM", help="(default: the installed one)")
    parser.add_argument("--game", choices=("xiangqi", "gomoku"), default="xiangqi", help="(default xiangqi)")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="against one (default 2)")
    parser.add_argument("--positions", type=int, default=200, metavar="N", help="(default 200)")
    parser.add_argument("--nodes", type=int, default=100_000, metavar="N", help="for each position (default 100000)")
    parser.add_argument("--rounds", type=int, default=2, metavar="N", help="of each side (default 2)")
    parser.add_argument("--hash", type=int, default=16, metavar="MB", help="for each thread (default 16)")
    args = parser.parse_args()

    def request(number: int, position: dict[str, Any]) -> str:
        fields = {"id": str(number), "game": args.game, "position": position, "limits": {"nodes": args.nodes}}
        return json.dumps(fields) + "\n"

    drawn = positions(args.game, args.positions)
    requests = [request(number, position) for number, position in enumerate(drawn)]
    (warm_up,) = islice((request(-1, position) for position in drawn), 1)
    logarithms = []
    for number in range(1, args.rounds + 1):
        times = [seconds(args.sanqi, threads, args.hash * threads, requests, warm_up) for threads in (args.threads, 1)]
        logarithms.append(math.log(times[1] / times[0]))
        rates = "  ".join(f"{len(requests) / taken:.2f}" for taken in times)
        print(f"round {number}: {rates} positions/s with {args.threads} threads and 1, {times[1] / times[0]:.3f}x")
    print(f"geometric mean of {args.rounds} rounds: {math.exp(sum(logarithms) / len(logarithms)):.3f}x")


if __name__ == "__main__":
    main()
