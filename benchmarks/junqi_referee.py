"""The cost of the Junqi referee: time per ply with four programs that answer at once, and memory over many games.

    python benchmarks/junqi_referee.py
    python benchmarks/junqi_referee.py --games 1000

The players know the games in advance (random ones, cut at --plies) and only print the next move. So the time per ply is
the time of the referee and of eight messages between processes. Memory is the referee's resident set after each game.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from junqi_protocol.rules.geometry import SIGUO, move_text
from junqi_protocol.rules.lineup import random_lineup, text
from junqi_protocol.rules.position import Position
from search_core.clock import now_s

PLAYER = """
import json, sys
games = json.load(open(sys.argv[1]))
number = -1
for line in sys.stdin:
    words = line.split()
    if words[0] == "go":
        print("bestmove", games[number % len(games)][int(words[2]) - 1], "ply", words[2], flush=True)
    elif words[0] == "newgame":
        number += 1
    elif words[0] == "junqi":
        print("junqiok 1", flush=True)
    elif words[0] == "quit":
        break
"""
GAMES = 48  # known in advance; a multiple of the seats, because each seat begins in turn


def prepare(folder: Path, plies: int) -> None:
    """Write the games and the lineups that they begin with."""
    chance = random.Random(1)
    games: list[list[str]] = []
    lineups: list[str] = []
    for number in range(GAMES):
        position = Position("siguo", first=number % 4)
        placed = [random_lineup(chance) for _ in range(4)]
        position.deploy(placed)
        moves: list[int] = []
        while position.outcome_text is None and len(moves) < plies:
            moves.append(chance.choice(position.legal_moves()))
            position.push(moves[-1])
        games.append([move_text(SIGUO, move) for move in moves])
        lineups += [text(one) for one in placed]
    (folder / "games.json").write_text(json.dumps(games))
    (folder / "lineups.txt").write_text("\n".join(lineups))
    (folder / "player.py").write_text(PLAYER)


def resident_mb(process_id: int) -> float:
    status = Path(f"/proc/{process_id}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100, metavar="N")
    parser.add_argument("--plies", type=int, default=200, metavar="N", help="of a game, at most (default 200)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, args.plies)
        player = f"{sys.executable} {folder / 'player.py'} {folder / 'games.json'}"
        command = [
            sys.executable, "-m", "sanqi", "referee", "--variant", "siguo", "--lineups", str(folder / "lineups.txt"),
            "--max-plies", str(args.plies), "--games", str(args.games),
        ]  # a command line, many words a line  # fmt: skip
        for seat in range(4):
            command += ["--seats", str(seat), player]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
        assert process.stdout is not None
        plies = 0
        times: list[float] = []
        memory: list[float] = []
        before: float | None = None
        for line in process.stdout:
            now = now_s()
            played = int(line.split(", ")[1].split()[0])
            if before is not None:  # the first game includes the start of the programs
                plies += played
                times.append(now - before)
            before = now
            memory.append(resident_mb(process.pid))
        process.wait()
    print(f"{plies} plies in {len(times)} games: {1000 * sum(times) / plies:.3f} ms a ply")
    tenth = max(len(memory) // 10, 1)
    parts = [memory[at : at + tenth] for at in range(0, len(memory), tenth)]
    print("memory, mean of each tenth of the run, MB:", *(f"{sum(part) / len(part):.1f}" for part in parts))


if __name__ == "__main__":
    main()
