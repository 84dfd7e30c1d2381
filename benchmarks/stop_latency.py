"""Milliseconds from `stop` written to `bestmove` read, over 200 stops of an infinite search.

python benchmarks/stop_latency.py
"""

from __future__ import annotations

import argparse
import random
import statistics
import sysconfig
import time

from match_runner.process import EngineProcess

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
ANSWER_S = 30.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default=f"{SANQI} uci", metavar="CMD", help="over UCI (default: the installed one)")
    parser.add_argument("--stops", type=int, default=200, metavar="N", help="default 200")
    args = parser.parse_args()

    engine = EngineProcess(args.engine.split())

    def wait_for(word: str) -> float:
        while True:
            line = engine.receive(time.monotonic() + ANSWER_S)
            if line.text.startswith(word):
                return line.arrival

    lottery = random.Random(1)
    latencies = []
    try:
        engine.send("uci")
        wait_for("uciok")
        for _ in range(args.stops):
            engine.send("position startpos moves h2e2 h9g7")
            engine.send("go infinite")
            time.sleep(lottery.uniform(0.02, 0.12))  # stops fall on any moment of the search
            written = time.monotonic()
            engine.send("stop")
            latencies.append((wait_for("bestmove") - written) * 1000)
    finally:
        engine.close()
    latencies.sort()
    p99 = latencies[min(len(latencies) - 1, round(0.99 * len(latencies)))]
    print(
        f"{len(latencies)} stops: median {statistics.median(latencies):.2f} ms, "
        f"p99 {p99:.2f} ms, longest {latencies[-1]:.2f} ms"
    )


if __name__ == "__main__":
    main()
