"""Gomoku's search speed: nodes/s against another Gomocup engine, on 20 middle games of 15x15 freestyle.

    python benchmarks/gomoku_speed.py --opponent ./pbrain-rapfi

The two sides search every position in turns (A B A B), so a machine that slows down slows both. A node is one stone
placed in any search, as both count; nodes and time are those of the engine's last report (`Node 761K … Time 998ms`,
`N 761123 … TM 998`). The ratio is the geometric mean over the positions.
"""

from __future__ import annotations

import argparse
import math
import re
import sysconfig
from pathlib import Path

from engine_client.process import GOMOCUP_LINES, EngineProcess
from search_core.clock import now_s

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
POSITIONS = Path(__file__).with_name("gomoku_middle_games.txt")
MEMORY = 100_000_000
ANSWER_S = 60.0


class Engine:
    """A running engine that searches one position after another."""

    def __init__(self, command: str, directory: str | None) -> None:
        self._process = EngineProcess(command.split(), directory, GOMOCUP_LINES)
        self._ask("START 15", "OK")
        for setting in ("rule 0", f"max_memory {MEMORY}", "thread_num 1", "timeout_match 0", "show_detail 1"):
            self._process.send(f"INFO {setting}")

    def nodes_per_second(self, moves: list[str], milliseconds: int) -> float:
        """Nodes/s of one search with an empty hash table."""
        self._process.send(f"INFO timeout_turn {milliseconds}")
        self._process.send("YXHASHCLEAR")
        for number, move in enumerate(["BOARD", *moves]):
            side = (len(moves) - number) % 2
            self._process.send(move if number == 0 else f"{move},{1 if side else 2}")
        self._ask("DONE", r"\d+,\d+")
        report = self._process.report
        if report.nodes is None or report.time_ms is None:
            raise SystemExit(f"no nodes and time in {report}")
        return report.nodes / max(report.time_ms, 1) * 1000

    def close(self) -> None:
        self._process.close()

    def _ask(self, line: str, answer: str) -> None:
        self._process.send(line)
        deadline = now_s() + ANSWER_S
        while not re.fullmatch(answer, self._process.receive(deadline).text):
            pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default=SANQI, metavar="CMD", help="ours (default: the installed one)")
    parser.add_argument("--opponent", required=True, metavar="CMD", help="another Gomocup engine, which reports nodes")
    parser.add_argument("--movetime", type=int, default=1000, metavar="MS", help="milliseconds a search (default 1000)")
    parser.add_argument("--rounds", type=int, default=2, help="searches of each position by each side (default 2)")
    args = parser.parse_args()

    engines = [Engine(args.engine, None), Engine(args.opponent, str(Path(args.opponent.split()[0]).parent))]
    logarithms = []
    print(f"{'':>3} {'engine':>14} {'opponent':>14}  ratio   (nodes/s)")
    try:
        rows = [row.split() for row in POSITIONS.read_text(encoding="ascii").splitlines() if not row.startswith("#")]
        for number, moves in enumerate(rows, 1):
            speeds = [0.0, 0.0]
            for _ in range(args.rounds):
                for side, engine in enumerate(engines):
                    speeds[side] += engine.nodes_per_second(moves, args.movetime) / args.rounds
            ratio = speeds[0] / speeds[1]
            logarithms.append(math.log(ratio))
            print(f"{number:>3} {speeds[0]:>14,.0f} {speeds[1]:>14,.0f}  {ratio:5.2f}", flush=True)
    finally:
        for engine in engines:
            engine.close()
    print(f"geometric mean of {len(logarithms)} positions: {math.exp(sum(logarithms) / len(logarithms)):.2f}")


if __name__ == "__main__":
    main()
