"""Strength: two players of Junqi, each with all seats of a team; writes one line with the score.

    python benchmarks/junqi_match.py search:100ms path
    python benchmarks/junqi_match.py search:1000 greedy --variant duel --games 1000
    python benchmarks/junqi_match.py search:100ms path --see own --out games.jsonl --resume
    python benchmarks/junqi_match.py search:100ms sampled:100ms --games 1000 --sprt 0 30
    python benchmarks/junqi_match.py search:2000 search:2000@hand-made

A player is a level, or `search` with its limit: nodes, or milliseconds a move; after @, its evaluator: `net` (that of
full strength), `hand-made` or the file of a net. `sampled` with the same limits is the yardstick of junqi_yardstick.py.
The lineups of a deal are played twice, the second time with the teams swapped; the seat that begins changes from deal
to deal. A game is drawn after --quiet plies without a clash. Under `--see own` the two seats of a team are two players,
who do not see each other's pieces. The score is that of the first player; a draw counts half. ± is the 95 % interval,
with the two games of a deal as one result. At fixed nodes, the same seed gives the same games. --out keeps them, with
the scores of the searches, for fit_win_probability.py. --sprt stops the match when the test of match_runner
(docs/measuring.md) accepts a hypothesis; deals count in their order, however long they take.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import random
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import track

from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.knowledge.seen_game import SeenGame
from junqi_protocol.players.evaluators import NET, default_evaluator
from junqi_protocol.players.levels import LEVELS, SEARCH
from junqi_protocol.players.players import choose
from junqi_protocol.players.searching import believed
from junqi_protocol.players.win_probability import stage
from junqi_protocol.rules.geometry import VARIANTS
from junqi_protocol.rules.lineup import LINEUPS, mirrored_at_random, parse
from match_runner.statistics import Pairs, Sprt
from search_core.clock import now_s
from search_core.engine import Engine, Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from benchmarks.json_lines import JsonLines
    from benchmarks.junqi_yardstick import Yardstick
else:
    from json_lines import JsonLines
    from junqi_yardstick import Yardstick

MAX_PLIES = 3000
SAMPLED = "sampled"
_Z_95 = 1.959964


class Player:
    """One player of a match.

    Parameters
    ----------
    text : str
        A level; ``search`` or ``sampled`` with ``:NODES`` or ``:MSms``, ``search`` also with ``@EVALUATOR``.

    Raises ValueError if it is none of these.
    """

    def __init__(self, text: str) -> None:
        told, _, evaluator = text.partition("@")
        self.level, _, limit = told.partition(":")
        self._evaluator = evaluator or NET
        if (
            self.level not in (*LEVELS, SAMPLED)
            or (self.level in (SEARCH, SAMPLED)) != bool(limit)
            or (evaluator and self.level != SEARCH)
        ):
            raise ValueError(f"{text!r} is no player")
        number = int(limit.removesuffix("ms") or 0)
        if limit and number < 1:
            raise ValueError(f"{text!r}: expected a limit of at least 1")
        nodes, milliseconds = (0, number) if limit.endswith("ms") else (number, 0)
        self._engine = Engine()
        self._limits = Limits(nodes=nodes, soft_ms=milliseconds, hard_ms=milliseconds)
        self._yardstick = Yardstick(nodes=nodes, milliseconds=milliseconds) if self.level == SAMPLED else None

    def new_game(self) -> None:
        """Forget what was learnt, so that a game does not depend on those before."""
        self._engine.new_game()
        if self._yardstick is not None:
            self._yardstick.new_game()

    def move(self, view: PlayerView, chance: random.Random) -> tuple[int, int | None]:
        """The move for the seat on turn, and its score; None: it was not searched."""
        if self._yardstick is not None:
            return self._yardstick.move(view), None
        if self.level != SEARCH:
            return choose(self.level, view, chance), None
        evaluator = default_evaluator(view.position.variant.name, self._evaluator)
        result = self._engine.search(believed(view, evaluator), self._limits)
        assert result.best is not None
        return result.best, result.score


@dataclass(frozen=True)
class Terms:
    """What a match is played under."""

    players: tuple[str, str]
    variant: str
    see: str
    quiet: int
    lineups: str
    other_lineups: tuple[str, ...]
    """The second player draws from these; empty: `lineups`."""
    seed: int


class Played(NamedTuple):
    """A game."""

    winner: int | None
    """The team; None: the game was drawn."""
    plies: int
    searched: list[tuple[int, int, float]]
    """For each move that was searched: the seat's team, its score, and how far the game was."""


def play(players: tuple[Player, Player], terms: Terms, lineups: list[str], first: int, chance: random.Random) -> Played:
    """One game, the first player with seat 0 and its partner."""
    game = SeenGame(terms.variant, lineups, see=terms.see, first=first, quiet=terms.quiet, plies=MAX_PLIES)
    world = game.world
    for player in players:
        player.new_game()
    searched = []
    while world.outcome_text is None:
        team = world.turn % 2
        move, score = players[team].move(game.view, chance)
        if score is not None:
            searched.append((team, score, round(stage(world), 3)))
        game.push(move)
    return Played(world.winner, world.ply, searched)


_players: dict[tuple[str, str], tuple[Player, Player]] = {}
"""Of this process."""


def play_deal(job: tuple[Terms, int]) -> dict[str, Any]:
    """Both games of a deal, as a line of --out: its number, the points of the first player in each game, the plies, and
    what was searched."""
    terms, number = job
    if terms.players not in _players:
        _players[terms.players] = (Player(terms.players[0]), Player(terms.players[1]))
    pair = _players[terms.players]
    chance = random.Random(f"{terms.seed} {number}")
    seats = VARIANTS[terms.variant].seats
    lineups = [LINEUPS[terms.lineups](terms.variant, chance) for _ in range(seats)]
    if terms.other_lineups:
        lineups[1::2] = [mirrored_at_random(parse(chance.choice(terms.other_lineups)), chance) for _ in lineups[1::2]]
    points, games = [], []
    for swapped in (False, True):
        if swapped and terms.other_lineups:
            lineups = lineups[1:] + lineups[:1]
        moves = random.Random(f"{terms.seed} {number} {swapped}")
        games.append(play(pair[::-1] if swapped else pair, terms, lineups, number % seats, moves))
        points.append(0.5 if games[-1].winner is None else float((games[-1].winner == 0) != swapped))
    return {
        "number": number,
        "points": points,
        "plies": [game.plies for game in games],
        "searched": [game.searched for game in games],
    }


@dataclass
class Score:
    """The deals of a match so far, from the view of the first player."""

    points: list[float] = field(default_factory=list)
    """Of each game."""
    plies: list[int] = field(default_factory=list)
    means: list[float] = field(default_factory=list)
    """The mean points of each deal."""
    pairs: Pairs = field(default_factory=Pairs)
    verdict: str = ""
    """Of the SPRT; empty: none yet."""

    def count(self, deals: Iterable[tuple[list[float], list[int]]], test: Sprt | None) -> None:
        """Count the points and plies of more deals, until all are counted or the test has a verdict."""
        for points, plies in deals:
            self.points += points
            self.plies += plies
            self.means.append(statistics.mean(points))
            self.pairs.add(sum(points))
            self.verdict = test.verdict(self.pairs) if test is not None else ""
            if self.verdict:
                break

    def text(self) -> str:
        margin = _Z_95 * statistics.stdev(self.means) / math.sqrt(len(self.means)) if len(self.means) > 1 else math.inf
        return (
            f"{self.points.count(1.0)}-{self.points.count(0.5)}-{self.points.count(0.0)},"
            f" {100 * statistics.mean(self.means):.1f} ± {100 * margin:.1f} % of {len(self.points)} games;"
            f" {statistics.mean(self.plies):.0f} plies;"
            f" deals 2-0: {self.means.count(1.0)}, 1-1: {self.means.count(0.5)}, 0-2: {self.means.count(0.0)}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs=2, metavar="PLAYER")
    parser.add_argument("--games", type=int, default=400, metavar="N", help="an even number (default 400)")
    parser.add_argument("--variant", choices=VARIANTS, default="siguo", help="default siguo")
    parser.add_argument("--see", choices=("own", "team"), default="team", help="default team")
    parser.add_argument("--quiet", type=int, default=70, metavar="N", help="plies without a clash (default 70)")
    parser.add_argument("--lineups", choices=LINEUPS, default="random", help="default random")
    parser.add_argument(
        "--other-lineups",
        type=Path,
        metavar="FILE",
        help="the second player draws from these, one a line",
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count(), metavar="N", help="default: one a processor")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument(
        "--sprt",
        nargs=2,
        type=float,
        metavar=("ELO0", "ELO1"),
        help="stop when the first player is stronger by ELO1 or more, or by ELO0 or less, with errors of 5 %%",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write each deal to it")
    parser.add_argument("--resume", action="store_true", help="go on with the deals that --out lacks")
    args = parser.parse_args()
    if args.games < 2 or args.games % 2:
        parser.error("--games must be an even number")
    if args.sprt is not None and not args.sprt[0] < args.sprt[1]:
        parser.error("--sprt: the first number must be the smaller one")
    test = None if args.sprt is None else Sprt(*args.sprt)
    for player in args.players:
        try:
            Player(player)
        except ValueError as error:
            parser.error(str(error))
    others = tuple(args.other_lineups.read_text(encoding="ascii").split()) if args.other_lineups else ()
    terms = Terms(tuple(args.players), args.variant, args.see, args.quiet, args.lineups, others, args.seed)
    deals_out = None if args.out is None else JsonLines(args.out, {"deals": asdict(terms)}, args.resume)
    kept = [] if deals_out is None else deals_out.lines
    done = {deal["number"]: (deal["points"], deal["plies"]) for deal in kept}
    jobs = [(terms, number) for number in range(args.games // 2) if number not in done]
    score = Score()
    began = now_s()
    with multiprocessing.get_context("spawn").Pool(args.processes) as pool:
        results = pool.imap(play_deal, jobs)

        def deals() -> Iterator[tuple[list[float], list[int]]]:
            for number in track(range(args.games // 2), "deals", console=Console(stderr=True)):
                if number in done:
                    yield done[number]
                    continue
                deal = next(results)
                if deals_out is not None:
                    deals_out.add(deal)
                yield deal["points"], deal["plies"]

        score.count(deals(), test)
    print(f"{' v '.join(args.players)}, {args.variant}, see {args.see}: {score.text()}; {now_s() - began:.0f} s")
    if test is not None:
        print(test.words(args.players[0], score.pairs, score.verdict))


if __name__ == "__main__":
    main()
