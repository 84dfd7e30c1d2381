"""Resident memory of the engine over its hash size, at the end of a search that filled the table (Linux).

    python benchmarks/memory.py

It also shows the memory before the first `isready`, when the table is not allocated yet.
"""

from __future__ import annotations

import argparse
import sysconfig
from pathlib import Path

from engine_client.process import EngineProcess
from search_core.clock import now_s

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
ANSWER_S = 60.0


def resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise SystemExit(f"/proc/{pid}/status has no VmRSS")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default=f"{SANQI} uci", metavar="CMD", help="over UCI (default: the installed one)")
    parser.add_argument("--hash", type=int, default=16, metavar="MB", help="hash size (default 16)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="default 1")
    parser.add_argument("--movetime", type=int, default=10_000, metavar="MS", help="of the search (default 10000)")
    args = parser.parse_args()

    engine = EngineProcess(args.engine.split())

    def wait_for(word: str, seconds: float = ANSWER_S) -> None:
        deadline = now_s() + seconds
        while not engine.receive(deadline).text.startswith(word):
            pass

    try:
        engine.send("uci")
        wait_for("uciok")
        idle = resident_mb(engine.pid)
        engine.send(f"setoption name Hash value {args.hash}")
        engine.send(f"setoption name Threads value {args.threads}")
        engine.send("isready")
        wait_for("readyok")
        engine.send("position startpos")
        engine.send(f"go movetime {args.movetime}")
        wait_for("bestmove", args.movetime / 1000 + ANSWER_S)
        busy = resident_mb(engine.pid)
    finally:
        engine.close()
    print(f"before the first isready: {idle:.1f} MB; after it, hash {args.hash} MB: {busy:.1f} MB")
    print(f"over the hash size: {busy - args.hash:.1f} MB")


if __name__ == "__main__":
    main()
