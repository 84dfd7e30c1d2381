"""Milliseconds from the start of the process to `ucciok`, warm: medians of the installed script and of the bundle.

python benchmarks/startup.py                                   the installed script
python benchmarks/startup.py --bundle dist/sanqi/sanqi         both, started in turns
"""

from __future__ import annotations

import argparse
import statistics
import sysconfig

from engine_client.process import EngineProcess
from search_core.clock import now_s

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
ANSWER_S = 60.0


def milliseconds_to_ucciok(command: list[str]) -> float:
    start = now_s()
    engine = EngineProcess(command)
    try:
        engine.send("ucci")
        while (line := engine.receive(now_s() + ANSWER_S)).text != "ucciok":
            pass
        return (line.arrival - start) * 1000
    finally:
        engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default=SANQI, metavar="CMD", help="default: the installed script")
    parser.add_argument("--bundle", metavar="PATH", help="the executable of a bundle")
    parser.add_argument("--starts", type=int, default=40, metavar="N", help="of each (default 40)")
    args = parser.parse_args()

    commands = {"script": args.engine.split()} | ({"bundle": [args.bundle]} if args.bundle else {})
    times: dict[str, list[float]] = {name: [] for name in commands}
    for command in commands.values():
        milliseconds_to_ucciok(command)  # the files are in memory from here on
    for _ in range(args.starts):
        for name, command in commands.items():
            times[name].append(milliseconds_to_ucciok(command))
    for name, values in times.items():
        values.sort()
        middle = statistics.median(values)
        print(f"{name}: median {middle:.0f} ms, {len(values)} starts, {values[0]:.0f} to {values[-1]:.0f}")


if __name__ == "__main__":
    main()
