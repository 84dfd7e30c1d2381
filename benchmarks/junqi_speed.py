"""Speed of Junqi's rules: moves per second in four-seat worlds, and whole random games.

    python benchmarks/junqi_speed.py

The worlds are 50 positions of random games after 150 to 450 plies. Perft 3 counts the moves of the last ply without
playing them, or makes and takes back each. In a game every piece is known, and there is no rule on quiet plies.
"""

from __future__ import annotations

import random
import statistics

from junqi_protocol.rules.lineup import random_lineup
from junqi_protocol.rules.position import Position
from search_core.clock import now_s
from search_core.perft import Perft


def start(chance: random.Random) -> Position:
    position = Position("siguo")
    position.deploy([random_lineup(chance) for _ in range(4)])
    return position


def worlds(number: int) -> list[Position]:
    """Middle-game positions in which the game goes on."""
    chance = random.Random(1)
    found: list[Position] = []
    while len(found) < number:
        position = start(chance)
        position.play_random(chance.getrandbits(60), chance.randint(150, 450))
        if position.outcome_text is None:
            found.append(position)
    return found


def main() -> None:
    positions = worlds(50)
    for name, made in (("the last ply counted", False), ("every move made", True)):
        began = now_s()
        total = sum(Perft(position, 3, makes_leaves=made).total() for position in positions)
        took = now_s() - began
        print(f"perft 3 of 50 worlds, {name}: {total / took / 1e6:.1f} million moves/s")
    times, plies = [], 0
    for seed in range(1000):
        position = start(random.Random(seed))
        began = now_s()
        plies += position.play_random(seed)
        times.append(now_s() - began)
    print(
        f"random games: {1000 * statistics.median(times):.3f} ms (median of 1000), {plies // 1000} plies,"
        f" {1e9 * sum(times) / plies:.0f} ns a ply"
    )


if __name__ == "__main__":
    main()
