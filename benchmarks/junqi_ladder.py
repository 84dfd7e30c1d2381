"""Strength: the players of Junqi that do not look ahead, each against each; prints the table of docs/junqi-player.md.

    python benchmarks/junqi_ladder.py
    python benchmarks/junqi_ladder.py --games 1000 --seed 2

A player has all seats of a team and sees their lineups. Lineups are random; those of a deal are played twice, the
second time with the teams swapped. The seat that begins changes from deal to deal. The score's ± is the 95 % interval,
with these two games as one result. The same seed gives the same games, for any number of processes.
"""

from __future__ import annotations

import argparse
import itertools
import math
import multiprocessing
import os
import random
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.levels import LEVELS, SEARCH
from junqi_protocol.players.players import choose
from junqi_protocol.rules.geometry import HOME_POINTS, VARIANTS
from junqi_protocol.rules.lineup import random_lineup
from junqi_protocol.rules.position import Position

MAX_PLIES = 5000
"""A game is drawn after this many plies."""
CONDITIONS = {
    "Four seats, without a draw rule": ("siguo", 0),
    "Four seats, drawn after 70 plies without a clash": ("siguo", 70),
    "Two seats, drawn after 70 plies without a clash": ("duel", 70),
}
"""Variant and quiet plies by name; the games follow from the name, too."""
_WEAK = {("expect", "events"), ("expect", "random")}
"""Pairings that say nothing new."""
PAIRINGS = tuple(
    pairing
    for pairing in itertools.combinations([level for level in LEVELS if level != SEARCH], 2)
    if pairing not in _WEAK
)
_Z_95 = 1.959964

FLOORS = {("events", "random"): 0.85, ("path", "events"): 0.65, ("path", "random"): 0.95}
"""Scores without a draw rule that ours must reach."""


@dataclass(frozen=True)
class Match:
    """Two games with the same lineups and swapped teams."""

    condition: str
    pairing: tuple[str, str]
    number: int
    seed: int

    def play(self) -> list[tuple[float, int]]:
        """The points of the first player in each game, and its plies."""
        variant, quiet = CONDITIONS[self.condition]
        seats = VARIANTS[variant].seats
        chance = random.Random(f"{self.seed} {self.number}")
        lineups = [random_lineup(chance) for _ in range(seats)]
        games = []
        for players in (self.pairing, self.pairing[::-1]):
            moves = random.Random(f"{self.seed} {self.number} {self.condition} {players}")
            winner, plies = play(players, variant, lineups, self.number % seats, quiet, moves)
            points = 0.5 if winner is None else float(players[winner] == self.pairing[0])
            games.append((points, plies))
        return games


@dataclass
class Tally:
    """The games of a pairing."""

    points: list[float] = field(default_factory=list)
    plies: list[int] = field(default_factory=list)

    def add(self, games: list[tuple[float, int]]) -> None:
        for points, plies in games:
            self.points.append(points)
            self.plies.append(plies)

    @property
    def score(self) -> float:
        """From 0 to 1."""
        return statistics.mean(self.points)

    @property
    def margin(self) -> float:
        """Half of the score's 95 % interval."""
        matches = [(one + two) / 2 for one, two in zip(self.points[::2], self.points[1::2])]
        return _Z_95 * statistics.stdev(matches) / math.sqrt(len(matches)) if len(matches) > 1 else math.inf

    def cell(self) -> str:
        """Wins, draws and losses; the score in percent with its margin; mean plies."""
        wins, draws, losses = (self.points.count(points) for points in (1.0, 0.5, 0.0))
        score = f"{100 * self.score:.1f} ± {100 * self.margin:.1f}"
        return f"{wins}-{draws}-{losses}, {score}, {statistics.mean(self.plies):.0f}"


def play(
    players: tuple[str, str], variant: str, lineups: list[str], first: int, quiet: int, chance: random.Random
) -> tuple[int | None, int]:
    """One game of two players, the first with seat 0 and its partner: the team that won, and the plies."""
    world = Position(variant, first=first, quiet=quiet, plies=MAX_PLIES)
    world.deploy(lineups)
    flags = [seat * HOME_POINTS + lineup.index("F") for seat, lineup in enumerate(lineups)]
    teams = [VARIANTS[variant].team(seat) for seat in range(2)]
    tables = [PlayerView(variant, team, {seat: lineups[seat] for seat in team}, first=first) for team in teams]
    while world.outcome_text is None:
        seat = world.turn
        move = choose(players[seat % 2], tables[seat % 2], chance)
        result, shown, outs = world.push(move)
        for view in tables:
            view.moved(seat, move, result, [(one, flags[one]) for one in shown], outs)
    return world.winner, world.ply


def report(tallies: dict[tuple[str, tuple[str, str]], Tally]) -> Iterator[str]:
    """The table, line by line."""
    yield f"| pairing | {' | '.join(CONDITIONS)} |"
    yield "|---" * (1 + len(CONDITIONS)) + "|"
    for pairing in PAIRINGS:
        cells = (tallies[condition, pairing].cell() for condition in CONDITIONS)
        yield f"| {' v '.join(pairing)} | {' | '.join(cells)} |"
    condition = next(iter(CONDITIONS))
    for pairing, floor in FLOORS.items():
        if tallies[condition, pairing].score < floor:
            yield f"missed: {' v '.join(pairing)} must score {100 * floor:.0f} % without a draw rule"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200, metavar="N", help="a pairing, an even number (default 200)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), metavar="N", help="default: one a processor")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    args = parser.parse_args()
    if args.games < 2 or args.games % 2:
        parser.error("--games must be an even number")
    matches = [
        Match(condition, pairing, number, args.seed)
        for condition in CONDITIONS
        for pairing in PAIRINGS
        for number in range(args.games // 2)
    ]
    tallies = {(condition, pairing): Tally() for condition in CONDITIONS for pairing in PAIRINGS}
    columns = (TextColumn("matches"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        multiprocessing.get_context("spawn").Pool(args.processes) as pool,
        Progress(*columns, console=Console(stderr=True)) as progress,
    ):
        task = progress.add_task("", total=len(matches))
        for match, games in zip(matches, pool.imap(Match.play, matches, chunksize=4)):
            tallies[match.condition, match.pairing].add(games)
            progress.advance(task)
    for line in report(tallies):
        print(line)


if __name__ == "__main__":
    main()
