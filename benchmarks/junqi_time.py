"""Time losses of the Junqi player: whole games under the referee, with all programs on one core.

    python benchmarks/junqi_time.py                                    # a clock of 60 s, games of up to 500 plies
    python benchmarks/junqi_time.py --movetime 20 --games 1000 --level search
    python benchmarks/junqi_time.py --minds seat --level expect

The referee and the programs share one core (Linux). Each team is one program that sees both lineups, or one for each
seat that sees its own. Lineups are random. A game ends by the rules or after 500 plies; quiet plies do not end it. The
program's time is measured by the referee, from the `go` to the answer. An answer is late if it takes longer than the
time for the move, or than what is left on the clock; the referee forgives 50 ms. Exit status 1: a seat lost on time.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys

from junqi_protocol.players.levels import LEVELS
from junqi_protocol.referee.connections import ProcessConnection
from junqi_protocol.referee.referee import Referee, RefereeConditions, Spectator
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import SIGUO
from junqi_protocol.rules.messages import Happening, Left, Skipped, Terms

_TIME = "time"


class Timekeeper(Spectator):
    """Notes how long the answers take.

    Attributes
    ----------
    longest_ms, latest_ms : float
        The longest answer, and by how much the latest one came after its time (less than 0: it came before).
    lowest_ms : int
        The lowest clock at the end of a game.
    """

    def __init__(self, movetime_ms: int) -> None:
        self.answers = self.late = self.losses = self.games = self.plies = 0
        self.longest_ms = 0.0
        self.latest_ms = float("-inf")
        self.lowest_ms: int | None = None
        self._movetime_ms = movetime_ms
        self._arbiter: Arbiter | None = None
        self._clocks: list[int] = []
        """Before the ply that is played."""

    def begun(self, number: int, arbiter: Arbiter) -> None:
        self._arbiter = arbiter
        self._clocks = list(arbiter.clocks or [])

    def answered(self, seat: int, elapsed_ms: float) -> None:
        over_ms = elapsed_ms - (self._clocks[seat] if self._clocks else self._movetime_ms)
        self.answers += 1
        self.late += over_ms > 0
        self.longest_ms = max(self.longest_ms, elapsed_ms)
        self.latest_ms = max(self.latest_ms, over_ms)

    def happened(self, happening: Happening) -> None:
        assert self._arbiter is not None
        self._clocks = list(self._arbiter.clocks or [])
        self.losses += (isinstance(happening, Skipped) and happening.kind == _TIME) or (
            isinstance(happening, Left) and happening.reason == _TIME
        )

    def over(self, number: int, arbiter: Arbiter) -> None:
        self.games += 1
        self.plies += len(arbiter.happenings)
        if arbiter.clocks is not None:
            self.lowest_ms = min(arbiter.clocks if self.lowest_ms is None else [self.lowest_ms, *arbiter.clocks])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4, help="default 4")
    parser.add_argument("--level", choices=LEVELS, default=LEVELS[0], help="default %(default)s")
    parser.add_argument("--minds", choices=["team", "seat"], default="team", help="default team")
    parser.add_argument("--clock", type=int, default=60_000, metavar="MS", help="a seat's, for a game; default 60000")
    parser.add_argument("--movetime", type=int, default=0, metavar="MS", help="for each move, in place of the clock")
    parser.add_argument("--plies", type=int, default=500, help="of a game, at most; default 500")
    parser.add_argument("--seed", type=int, default=1, help="of the lineups; default 1")
    args = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # the programs inherit it
    else:
        print("this system cannot keep programs on one core; they share all cores", file=sys.stderr)
    if args.minds == "team":
        programs: list[tuple[int, ...]] = [SIGUO.team(0), SIGUO.team(1)]
    else:
        programs = [(seat,) for seat in range(SIGUO.seats)]
    command = [sys.executable, "-m", "sanqi", "junqi", "--level", args.level]
    conditions = RefereeConditions(
        Terms(SIGUO, plies=args.plies, clock=0 if args.movetime else args.clock),
        see="team" if args.minds == "team" else "own",
        games=args.games,
        movetime_ms=args.movetime,
        seed=args.seed,
    )
    keeper = Timekeeper(args.movetime)
    asyncio.run(Referee(conditions, [ProcessConnection(seats, command) for seats in programs], keeper).run())
    print(
        f"{args.level}, {len(programs)} programs on one core: {keeper.games} games, {keeper.plies} plies,"
        f" {keeper.answers} answers"
    )
    print(f"lost on time: {keeper.losses} plies; answers after their time: {keeper.late} (the referee forgives 50 ms)")
    print(f"longest answer {keeper.longest_ms:.1f} ms, latest {keeper.latest_ms:+.1f} ms against its time")
    if keeper.lowest_ms is not None:
        print(f"lowest clock at the end of a game {keeper.lowest_ms / 1000:.1f} s")
    return 1 if keeper.losses else 0


if __name__ == "__main__":
    sys.exit(main())
