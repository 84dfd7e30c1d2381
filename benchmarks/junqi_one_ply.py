"""Speed of the compiled one-ply player: whole games of four seats a second, and what they are like.

    python benchmarks/junqi_one_ply.py
    python benchmarks/junqi_one_ply.py --variant duel --against path

Each thread plays games against itself with lineups of its own, half of them random and half sound. Games a second are
given by the clock, and by the processor's time, which depends less on what else the machine does. With --against, one
team is played by a player of junqi_protocol/players/players.py; each deal is played twice, with the teams exchanged.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from sanqi_training.one_ply import FastGame, OnePlyGame, self_play

from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.players import choose
from junqi_protocol.rules.geometry import HOME_POINTS, VARIANTS
from junqi_protocol.rules.lineup import random_lineup, sound_lineup
from junqi_protocol.rules.position import Position
from search_core.clock import now_s


def deals(variant: str, number: int, seed: int) -> list[list[str]]:
    chance = random.Random(seed)
    makers = (random_lineup, sound_lineup)
    return [[makers[i % 2](chance) for _ in range(VARIANTS[variant].seats)] for i in range(number)]


def measure_speed(variant: str, games: int, threads: int) -> None:
    prepared = [deals(variant, games, seed) for seed in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        began, began_cpu = now_s(), time.process_time()
        jobs = [pool.submit(self_play, variant, lineups, seed=i) for i, lineups in enumerate(prepared)]
        played: list[FastGame] = [game for job in jobs for game in job.result()]
        took, took_cpu = now_s() - began, time.process_time() - began_cpu
    plies = statistics.mean(game.plies for game in played)
    print(
        f"{variant}, {threads} threads: {len(played) / took:.0f} games/s, {len(played) / took_cpu:.0f} a second of"
        f" processor time, {1e6 * took_cpu / plies / len(played):.1f} us of it a ply; {plies:.0f} plies a game,"
        f" {statistics.mean(game.clashes for game in played):.0f} clashes a game,"
        f" {sum(game.winner is None for game in played) / len(played):.1%} draws,"
        f" {sum(game.winner == 0 for game in played) / len(played):.1%} won by the team that begins"
    )


def play_against(variant: str, lineups: list[str], level: str, team: int, seed: int) -> float:
    """Play a game against a level; returns the share of the point that the one-ply player's team gets."""
    chance = random.Random(seed)
    world = Position(variant, quiet=70)
    world.deploy(lineups)
    game = OnePlyGame(variant, lineups, seed=seed)
    seats = world.variant.team(1 - team)
    view = PlayerView(variant, seats, {seat: lineups[seat] for seat in seats})
    while not game.over:
        seat = world.turn
        move = game.choose() if seat % 2 == team else choose(level, view, chance)
        result, shown, outs = world.push(move)
        view.moved(seat, move, result, [(one, one * HOME_POINTS + lineups[one].index("F")) for one in shown], outs)
        game.play(move)
    return 0.5 if game.winner is None else float(game.winner == team)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", choices=sorted(VARIANTS), default="siguo")
    parser.add_argument(
        "--games", type=int, default=4000, help="a thread; against a level a tenth of them (default 4000)"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--against", metavar="LEVEL", help="a level such as path or greedy")
    options = parser.parse_args()
    if options.against is None:
        measure_speed(options.variant, options.games, options.threads)
        return
    pairs = [
        sum(play_against(options.variant, lineups, options.against, team, 2 * i + team) for team in (0, 1)) / 2
        for i, lineups in enumerate(deals(options.variant, options.games // 20, 99))
    ]
    error = statistics.stdev(pairs) / math.sqrt(len(pairs))
    print(f"{options.variant}, against {options.against}: {statistics.mean(pairs):.1%} ± {1.96 * error:.1%}", end=" ")
    print(f"of {2 * len(pairs)} games")


if __name__ == "__main__":
    main()
