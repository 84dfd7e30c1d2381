"""Gomocup's cold start: START to OK, START to the first move, and the memory of a long search (Linux).

    python benchmarks/gomoku_cold_start.py
    python benchmarks/gomoku_cold_start.py --engine dist/gomocup/pbrain-sanqi64/pbrain-sanqi64

START and all INFO are written at once at the start of the process, as managers do; times count from there. The first
move has a timeout_turn of 0 (as fast as possible), 100 or 5000 ms, and a max_memory of 0 (no limit) or 350 MB. The last
column is the overrun. With --ready the script asks for the move after OK, and the move's time counts from there. Memory
is the peak resident set (VmHWM) after a search of --movetime at max_memory 350 MB.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sysconfig
from pathlib import Path

from engine_client.process import GOMOCUP_LINES, EngineProcess
from search_core.clock import now_s

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
ANSWER_S = 60.0
MEMORY = 350 << 20
AT_ONCE_MS = 50  # the meaning of timeout_turn 0


def answer(engine: EngineProcess, pattern: str) -> float:
    """Wait for a line; returns its time of arrival in seconds."""
    deadline = now_s() + ANSWER_S
    while not re.fullmatch(pattern, (line := engine.receive(deadline)).text):
        pass
    return line.arrival


def cold_start(command: list[str], turn_ms: int, memory: int, wait: bool) -> tuple[float, float]:
    """Milliseconds from the start of the process to OK, and to a move; with `wait` the move counts from OK."""
    start = now_s()
    engine = EngineProcess(command, kinds=GOMOCUP_LINES)
    try:
        lines = f"START 15\nINFO timeout_turn {turn_ms}\nINFO max_memory {memory}\nINFO rule 0"
        engine.send(lines if wait else lines + "\nTURN 7,7")
        ready = answer(engine, "OK")
        asked = start
        if wait:
            asked = now_s()
            engine.send("TURN 7,7")
        moved = answer(engine, r"\d+,\d+")
        return (ready - start) * 1000, (moved - asked) * 1000
    finally:
        engine.close()


def peak_mb(command: list[str], milliseconds: int) -> float:
    """The peak resident set of a search of this length."""
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
    parser.add_argument("--starts", type=int, default=40, metavar="N", help="of each kind (default 40; 5 at 5000 ms)")
    parser.add_argument("--ready", action="store_true", help="ask for the move after OK")
    parser.add_argument("--movetime", type=int, default=20_000, metavar="MS", help="of the search (default 20000)")
    args = parser.parse_args()
    command = args.engine.split()
    cold_start(command, 0, 0, False)  # the files are in memory from here on
    for turn_ms in (0, 100, 5000):
        for memory in (0, MEMORY):
            starts = args.starts if turn_ms < 1000 else max(args.starts // 8, 1)
            times = [cold_start(command, turn_ms, memory, args.ready) for _ in range(starts)]
            ready, moved = zip(*times, strict=True)
            print(
                f"timeout_turn {turn_ms:4}, max_memory {memory >> 20:3} MB:"
                f" OK median {statistics.median(ready):.0f} ms, at most {max(ready):.0f};"
                f" move median {statistics.median(moved):.0f} ms, at most {max(moved):.0f}"
                f" ({max(moved) - (turn_ms or AT_ONCE_MS):+.0f})",
                flush=True,
            )
    print(f"memory at max_memory 350 MB: at most {peak_mb(command, args.movetime):.0f} MB")


if __name__ == "__main__":
    main()
