"""How long an engine takes to be ready and to end a search, by the size of its table; optionally another engine too.

    python benchmarks/stop_latency.py
    python benchmarks/stop_latency.py --hash 64,1024,4096 --opponent /usr/games/fairy-stockfish
    python benchmarks/stop_latency.py --gomoku

For each size, over UCI:

- ready: seconds from `setoption name Hash` to `readyok`
- stop: milliseconds from writing `stop` to reading `bestmove`, of infinite searches after that `readyok`
- new game: the same for `ucinewgame`, `position`, `go infinite` and `stop` without a pause between them
- movetime: milliseconds by which `go movetime 100` took too long
- cold: the same in a new process that gets the size but no `isready`

With --gomoku, over the Gomocup protocol, only our own engine: `ready` is RESTART to OK, `stop` is YXSTOP to the move,
and `end` is END during a search to the end of the process.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import statistics
import sysconfig
import time

from engine_client.process import GOMOCUP_LINES, EngineDied, EngineProcess
from search_core.clock import now_s

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
ANSWER_S = 120.0
MOVETIME_MS = 100
ENDS = 10  # processes to end, each with its own table


def wait_for(engine: EngineProcess, *beginnings: str) -> float:
    """Wait for a line; returns its time of arrival in seconds."""
    deadline = now_s() + ANSWER_S
    while not (line := engine.receive(deadline)).text.startswith(beginnings):
        pass
    return line.arrival


def spread(name: str, milliseconds: list[float]) -> str:
    """The statistics of one measurement, in one line."""
    ranked = sorted(milliseconds)
    p99 = ranked[min(len(ranked) - 1, round(0.99 * len(ranked)))]
    return (
        f"  {name:9} {len(ranked):4} times: median {statistics.median(ranked):7.2f} ms, p99 {p99:7.2f} ms,"
        f" longest {ranked[-1]:7.2f} ms"
    )


class UciEngine:
    """A UCI engine."""

    def __init__(self, command: list[str], variant: str) -> None:
        self.process = EngineProcess(command)
        self.send("uci")
        self.wait("uciok")
        if variant:
            self.send(f"setoption name UCI_Variant value {variant}")

    def send(self, *lines: str) -> float:
        """Write lines at once; returns the time."""
        written = now_s()
        self.process.send("\n".join(lines))
        return written

    def wait(self, beginning: str) -> float:
        return wait_for(self.process, beginning)

    def set_hash(self, megabytes: int) -> float:
        """Set the table's size; returns the seconds to `readyok`."""
        written = self.send(f"setoption name Hash value {megabytes}", "isready")
        return self.wait("readyok") - written

    def stop(self, rng: random.Random) -> float:
        """Milliseconds from `stop` to the move."""
        self.send("position startpos moves h2e2 h9g7", "go infinite")
        time.sleep(rng.uniform(0.02, 0.12))  # so that stops come at any moment of the search
        written = self.send("stop")
        return (self.wait("bestmove") - written) * 1000

    def stop_in_new_game(self) -> float:
        """The same in a new game, in milliseconds. A search before it fills the table."""
        self.send("position startpos", "go movetime 20")
        self.wait("bestmove")
        written = self.send("ucinewgame", "position startpos", "go infinite", "stop")
        return (self.wait("bestmove") - written) * 1000

    def overrun(self) -> float:
        """Milliseconds beyond the limit of a search."""
        written = self.send("position startpos moves h2e2 h9g7", f"go movetime {MOVETIME_MS}")
        return (self.wait("bestmove") - written) * 1000 - MOVETIME_MS


def measure(command: list[str], variant: str, megabytes: int, stops: int) -> None:
    rng = random.Random(1)
    engine = UciEngine(command, variant)
    try:
        print(f"  ready     {engine.set_hash(megabytes):.2f} s", flush=True)
        print(spread("stop", [engine.stop(rng) for _ in range(stops)]), flush=True)
        print(spread("new game", [engine.stop_in_new_game() for _ in range(stops)]), flush=True)
        print(spread("movetime", [engine.overrun() for _ in range(max(stops // 4, 1))]), flush=True)
    finally:
        engine.process.close()
    overruns = []
    for _ in range(max(stops // 20, 1)):
        engine = UciEngine(command, variant)
        try:
            engine.send(f"setoption name Hash value {megabytes}")
            overruns.append(engine.overrun())
        finally:
            engine.process.close()
    print(spread("cold", overruns), flush=True)


def start_gomoku(command: list[str], megabytes: int) -> tuple[EngineProcess, float]:
    """A started engine with its table, and the seconds to OK."""
    engine = EngineProcess(command, kinds=GOMOCUP_LINES)
    engine.send(f"START 15\nINFO timeout_turn 600000\nINFO hash_size {megabytes << 10}")
    wait_for(engine, "OK")
    written = now_s()
    engine.send("RESTART")
    return engine, wait_for(engine, "OK") - written


def measure_gomoku(command: list[str], megabytes: int, stops: int) -> None:
    rng = random.Random(1)
    engine, ready = start_gomoku(command, megabytes)
    latencies = []
    try:
        print(f"  ready     {ready:.2f} s", flush=True)
        for _ in range(stops):
            engine.send("BOARD\n7,7,2\nDONE")
            time.sleep(rng.uniform(0.02, 0.12))
            written = now_s()
            engine.send("YXSTOP")
            latencies.append((wait_for(engine, *"0123456789") - written) * 1000)
    finally:
        engine.close()
    print(spread("stop", latencies), flush=True)
    ends = []
    for number in range(min(ENDS, stops)):
        engine, _ = start_gomoku(command, megabytes)
        try:
            if number % 2:
                engine.send("RESTART")  # so that the table may not be ready
            engine.send("BOARD\n7,7,2\nDONE")
            time.sleep(rng.uniform(0.02, 0.12))
            written = now_s()
            engine.send("END")
            with contextlib.suppress(EngineDied):
                wait_for(engine, "nothing more")
            ends.append((now_s() - written) * 1000)
        finally:
            engine.close()
    print(spread("end", ends), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", metavar="CMD", help="default: the installed one")
    parser.add_argument("--opponent", metavar="CMD", help="another UCI engine to measure in the same way")
    parser.add_argument("--hash", default="64", metavar="MB[,MB]", help="sizes of the table (default 64)")
    parser.add_argument("--stops", type=int, default=200, metavar="N", help="default 200")
    parser.add_argument("--gomoku", action="store_true", help="over the Gomocup protocol")
    args = parser.parse_args()
    for megabytes in map(int, args.hash.split(",")):
        if args.gomoku:
            command = args.engine or f"{SANQI} gomocup"
            print(f"{command}, {megabytes} MB")
            measure_gomoku(command.split(), megabytes, args.stops)
            continue
        for command in (args.engine or f"{SANQI} uci", args.opponent):
            if command:
                print(f"{command}, {megabytes} MB")
                measure(command.split(), "xiangqi", megabytes, args.stops)


if __name__ == "__main__":
    main()
