"""Speed of Junqi's beliefs: hidden armies drawn a second, and the time to prepare it.

    python benchmarks/junqi_sampler.py

The positions are 50 of siguo games between players of the level "path", after 40 to 120 plies, as the seat on turn
knows them: under `see team` two armies are hidden, under `see own` three. Times are those of the processor. The time to
prepare is that of the tables, and under `see own` that until the first world. Worlds that are drawn by rejection are
independent. Those of the Markov chain are not: the last figure says how many independent armies a second would give
averages with the same error.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time

from junqi_protocol.knowledge.belief import Belief, _sampler
from junqi_protocol.knowledge.knowledge import Knowledge
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.knowledge.sampler import WorldSampler
from junqi_protocol.players.players import choose
from junqi_protocol.rules.geometry import HOME_POINTS, SIGUO
from junqi_protocol.rules.lineup import UNKNOWN, random_lineup
from junqi_protocol.rules.position import Position

POSITIONS = 50
BATCHES = 20


def positions(see: str) -> Iterator[Knowledge]:
    """What the seat on turn knows in middle games; the same in each run."""
    found, number = 0, 0
    while found < POSITIONS:
        number += 1
        chance = random.Random(number)
        lineups = [random_lineup(chance) for _ in range(SIGUO.seats)]
        world = Position("siguo")
        world.deploy(lineups)
        views = [
            PlayerView("siguo", seats, {seat: lineups[seat] for seat in seats})
            for seats in [(seat,) if see == "own" else SIGUO.team(seat) for seat in range(SIGUO.seats)]
        ]
        plies = chance.randint(40, 120)
        while world.outcome_text is None and world.ply < plies:
            seat = world.turn
            move = choose("path", views[seat], chance)
            result, shown, outs = world.push(move)
            for view in views:
                flags = [(one, one * HOME_POINTS + lineups[one].index("F")) for one in shown]
                view.moved(seat, move, result, flags, outs)
        if world.outcome_text is None and len(world.living) == SIGUO.seats:
            found += 1
            yield views[world.turn].knowledge


@dataclass
class Measured:
    prepared_s: float
    states: int
    armies_a_second: float
    sampler: WorldSampler
    worth: float
    """Independent worlds that are worth as much as one drawn."""


def worth(samples: bytes, pieces: int, number: int) -> float:
    """How much smaller the variance of a mean of independent worlds is, over all probabilities."""
    size = number // BATCHES
    batches = [samples[at * size * pieces : (at + 1) * size * pieces] for at in range(BATCHES)]
    independent = measured = 0.0
    for place in range(pieces):
        for kind in range(1, UNKNOWN):
            means = [batch[place::pieces].count(kind) / size for batch in batches]
            mean = statistics.fmean(means)
            independent += mean * (1 - mean) / size
            measured += statistics.variance(means, mean)
    return independent / measured if measured else 1.0


def measure(knowledge: Knowledge, number: int) -> Measured:
    _sampler.cache_clear()
    began = process_time()
    belief = Belief(knowledge)
    hidden = [
        seat
        for seat in range(SIGUO.seats)
        if any(types & (types - 1) for types in knowledge.army(seat)) and seat not in belief.linked
    ]
    samplers = [belief.sampler(seat) for seat in (*belief.linked, *hidden)]
    clashes = [(*place(belief, clash), clash[4]) for clash in knowledge.linked()]
    sampler = WorldSampler(samplers, clashes, 1)
    prepared = process_time() - began
    began = process_time()
    samples = sampler.draw(number)
    took = process_time() - began
    pieces = len(samples) // number
    value = 1.0 if sampler.exact else worth(samples, pieces, number)
    return Measured(prepared, max(one.states for one in samplers), number * len(samplers) / took, sampler, value)


def place(belief: Belief, clash: tuple[int, int, int, int, tuple[int, ...]]) -> tuple[int, int, int, int]:
    one, i, other, j, _pairs = clash
    return belief.linked.index(one), i, belief.linked.index(other), j


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=10_000, metavar="N", help="a position (default 10000)")
    args = parser.parse_args()
    for see in ("team", "own"):
        measured = [measure(knowledge, args.worlds) for knowledge in positions(see)]
        chains = [one for one in measured if not one.sampler.exact]
        rates = [one.armies_a_second for one in measured]
        times = [1000 * one.prepared_s for one in measured]
        print(
            f"see {see}: {statistics.fmean(rates) / 1e3:.0f} thousand armies/s in the mean,"
            f" {min(rates) / 1e3:.0f} at least; prepared in {statistics.fmean(times):.1f} ms in the mean,"
            f" {max(times):.1f} at most;"
            f" largest table {statistics.fmean(one.states for one in measured):,.0f} entries in the mean"
        )
        if chains:
            independent = [one.armies_a_second * one.worth for one in chains]
            print(
                f"  {len(chains)} of {len(measured)} by the chain, which gives as much as"
                f" {statistics.fmean(independent) / 1e3:.1f} thousand independent armies/s in the mean,"
                f" {min(independent) / 1e3:.1f} at least"
            )


if __name__ == "__main__":
    main()
