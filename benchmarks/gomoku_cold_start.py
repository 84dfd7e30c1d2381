"""Gomocup's cold start: START to OK, START to the first move, and the memory of a long search (Linux).

    python benchmarks/gomoku_cold_start.py
    python benchmarks/gomoku_cold_start.py --engine dist/gomocup/pbrain-sanqi64/pbrain-sanqi64

All of START and INFO is written at once when the process is made, as managers do; times count from there. The first
move is asked with timeout_turn 0, which asks for as fast a move as there is. Memory is the peak resident set (VmHWM)
after a search of --movetime at max_memory 350 MB.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sysconfig
import time
from pathlib import Path

from match_runner.process import GOMOCUP_LINES, EngineProcess

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
ANSWER_S = 60.0
MEMORY = 350 << 20


def answer(engine: EngineProcess, pattern: str) -> float:
    """Wait for a line; its time of arrival in seconds."""
    deadline = time.monotonic() + ANSWER_S
    while not re.fullmatch(pattern, (line := engine.receive(deadline)).text):
        pass
    return line.arrival


def cold_start(command: list[str]) -> tuple[float, float]:
    """Milliseconds from the start of the process to OK, and to a move."""
    start = time.monotonic()
    engine = EngineProcess(command, kinds=GOMOCUP_LINES)
    try:
        engine.send(f"START 15\nINFO timeout_turn 0\nINFO max_memory {MEMORY}\nINFO rule 0\nTURN 7,7")
        ready = answer(engine, "OK")
        moved = answer(engine, r"\d+,\d+")
        return (ready - start) * 1000, (moved - start) * 1000
    finally:
        engine.close()


def peak_mb(command: list[str], milliseconds: int) -> float:
    """Of the resident set, in a search that long."""
    engine = EngineProcess(command, kinds=GOMOCUP_LINES)
    try:
        engine.send(f"START 15\nINFO timeout_turn {milliseconds}\nINFO max_memory {MEMORY}\nINFO rule 0\nTURN 7,7")
        answer(engine, r"\d+,\d+")
        status = Path(f"/proc/{engine.pid}/status").read_text(encoding="ascii")
        found = re.search(r"VmHWM:\s+(\d+)", status)
        if found is None:
            raise SystemExit("/proc has no VmHWM")
        return int(found[1]) / 1024
    finally:
        engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default=SANQI, metavar="CMD", help="default: the installed one")
    parser.add_argument("--starts", type=int, default=40, metavar="N", help="default 40")
    parser.add_argument("--movetime", type=int, default=20_000, metavar="MS", help="of the search (default 20000)")
    args = parser.parse_args()
    command = args.engine.split()
    cold_start(command)  # the files are in memory from here on
    times = [cold_start(command) for _ in range(args.starts)]
    for name, values in zip(("OK", "first move"), zip(*times, strict=True), strict=True):
        print(f"start to {name}: median {statistics.median(values):.0f} ms, at most {max(values):.0f}")
    print(f"memory at max_memory 350 MB: at most {peak_mb(command, args.movetime):.0f} MB")


if __name__ == "__main__":
    main()
