"""Memory of the Junqi engine over its hash size: the most that an engine held in a game of four (Linux).

    python benchmarks/junqi_memory.py
    python benchmarks/junqi_memory.py --movetime 1000

Four programs play against each other, one a seat, `see own`, with the default hash.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sysconfig
from pathlib import Path

from junqi_protocol.players.levels import HASH_MB

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
LOOK_S = 0.2


def most_held_mb(pid: int) -> float:
    """The largest resident size that a process has had; 0 if it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


def children_of(pid: int) -> set[int]:
    """The processes that one has started."""
    try:
        texts = [(task / "children").read_text(encoding="ascii") for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return set()
    return {int(word) for text in texts for word in text.split()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--movetime", type=int, default=200, metavar="MS", help="default 200")
    parser.add_argument("--plies", type=int, default=200, metavar="N", help="the longest game (default 200)")
    args = parser.parse_args()

    seats = [word for seat in range(4) for word in ("--seats", str(seat), f"{SANQI} junqi")]
    limits = ["--movetime", str(args.movetime), "--max-plies", str(args.plies)]
    most: dict[int, float] = {}
    with subprocess.Popen([SANQI, "referee", *seats, *limits, "--see", "own"], stdout=subprocess.DEVNULL) as referee:
        while referee.returncode is None:
            for pid in children_of(referee.pid):
                most[pid] = max(most.get(pid, 0), most_held_mb(pid))
            try:
                referee.wait(LOOK_S)
            except subprocess.TimeoutExpired:
                continue
    if referee.returncode or len(most) != 4:
        raise SystemExit(f"the referee ended with status {referee.returncode} after starting {len(most)} engines")
    largest = max(most.values())
    print(f"the most of four engines: {largest:.1f} MB; over the hash of {HASH_MB} MB: {largest - HASH_MB:.1f} MB")


if __name__ == "__main__":
    main()
