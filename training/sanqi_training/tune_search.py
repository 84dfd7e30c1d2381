"""Tune the parameters of the search (search_core/parameters.py) by games of the engine against itself.

    sanqi openings gomoku --count 300 --out openings.txt
    python -m sanqi_training.tune_search tune gomoku --openings openings.txt --nodes 20000 --pairs 5000 --workers 2 \\
                                          --out run.jsonl rfp_margin=120:25 lmr_divisor=110:10
    python -m sanqi_training.tune_search compare gomoku --openings openings.txt --nodes 20000 --pairs 300 --workers 2 \\
                                             --first "rfp_margin=30 lmr_divisor=107"

tune      SPSA (spsa.py). NAME=START:STEP; the step should be worth a few Elo. The values are written every 50 pairs;
          with --resume a run goes on, with other steps if they are given. At its end it prints the mean of its last
          half.
compare   Games of one set of parameters (--first) against another (--second; default: those of the game).

Each pair is one opening, played with both colours. Both sides have the same nodes. A game ends when a search announces
a mate, or when both sides have seen the same winner by 1,000 centipawns at two moves each. Games at few nodes say
little about parameters that matter at a depth which they do not reach: compare at more nodes, and against another
program.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from game_core.session import DRAW, FIRST_WINS
from gomoku_protocol.match_game import Gomoku
from gomoku_protocol.points import FREESTYLE
from match_runner.game import BoardGame
from match_runner.openings import Opening, read_openings
from match_runner.statistics import Pairs, estimate
from sanqi_training.spsa import Run, Spsa, Step, points_in_order
from search_core.engine import MATE_BOUND, Engine, Limits
from search_core.parameters import PARAMETERS
from ucci_engine.match_game import Xiangqi

HASH_MB = 16
WON_CP, WON_MOVES = 1000, 2
MAX_PLIES = 300
RANGES = {name: (least, most) for name, _, least, most in PARAMETERS}

Parameters = dict[str, int]


class Task(NamedTuple):
    """A pair of games: the opening, and the parameters of both sides."""

    opening: Opening
    first: Parameters
    second: Parameters


class Player:
    """Plays pairs of games in a worker process."""

    def __init__(self, game: BoardGame, nodes: int) -> None:
        self._game = game
        self._limits = Limits(nodes=nodes)
        self._engines = (Engine(), Engine())
        for engine in self._engines:
            engine.hash_mb = HASH_MB

    def pair(self, task: Task) -> float:
        """The points of the first side, 0 to 2."""
        self._engines[0].parameters = task.first
        self._engines[1].parameters = task.second
        return self._points(task.opening, 0) + 1 - self._points(task.opening, 1)

    def _points(self, opening: Opening, first_to_play: int) -> float:
        """The points of the first of the session's sides, 0 to 1; `first_to_play`: which engine plays it."""
        session = self._game.open(opening.start)
        for move in opening.moves:
            session.play(move)
        for engine in self._engines:
            engine.new_game()
        turn = (session.to_move + first_to_play) % 2  # an index of the engines
        leads: deque[int] = deque(maxlen=2 * WON_MOVES)
        """Who was ahead by WON_CP, 1 or -1 for the first of the session's sides, else 0."""
        while session.verdict() is None and session.ply < MAX_PLIES:
            sign = -1 if session.to_move else 1
            result = self._engines[turn].search(session.position(), self._limits)
            leads.append(sign * ((result.score >= WON_CP) - (result.score <= -WON_CP)))
            if abs(result.score) >= MATE_BOUND:
                return float(sign * result.score > 0)
            if abs(sum(leads)) == 2 * WON_MOVES:
                return float(sum(leads) > 0)
            if result.best is None:
                break
            session.play(session.move_text(result.best))
            turn = 1 - turn
        verdict = session.verdict()
        if verdict is None or verdict.result == DRAW:
            return 0.5
        return float(verdict.result == FIRST_WINS)


_player: Player | None = None


def _begin(game: BoardGame, nodes: int) -> None:
    global _player
    _player = Player(game, nodes)


def _play(task: Task) -> float:
    assert _player is not None
    return _player.pair(task)


class Games:
    """Pairs of games, played by worker processes. `each_once`: ends the program if there are more than openings."""

    def __init__(self, args: argparse.Namespace, each_once: bool = False) -> None:
        self._game: BoardGame = Xiangqi() if args.game == "xiangqi" else Gomoku(15, 15, FREESTYLE)
        self._openings = read_openings(args.openings, self._game)
        if each_once and args.pairs > len(self._openings):
            sys.exit(f"--pairs {args.pairs}: there are {len(self._openings)} openings, and the same games count once")
        self._nodes = args.nodes
        self._workers = args.workers

    def points(self, sides: Iterable[tuple[Parameters, Parameters]], seed: int) -> Iterator[float]:
        """The points of the first side, 0 to 2, in each pair. No opening comes again before all have come: with the
        same sides its games would be the same."""
        return points_in_order(_play, self._tasks(sides, seed), self._workers, _begin, (self._game, self._nodes))

    def _tasks(self, sides: Iterable[tuple[Parameters, Parameters]], seed: int) -> Iterator[Task]:
        chance = random.Random(seed)
        left: list[Opening] = []
        for first, second in sides:
            left = left or chance.sample(self._openings, len(self._openings))
            yield Task(left.pop(), first, second)


class SearchSpsa(Spsa):
    """The values of the search's parameters while they are tuned."""

    def __init__(self, steps: dict[str, Step], fixed: Parameters, rate: float, seed: int) -> None:
        super().__init__(steps, rate, seed)
        self._fixed = fixed

    def sides(self) -> tuple[Parameters, Parameters]:
        """The parameters of both sides of the next pair."""
        first, second = (
            self._fixed | {name: self._whole(name, value) for name, value in values.items()} for values in self.moved()
        )
        return first, second

    def learn(self, points: float) -> None:
        super().learn(points)
        for name, value in self.values.items():
            least, most = RANGES[name]
            self.values[name] = max(least, min(most, value))

    def _whole(self, name: str, value: float) -> int:
        """The value, rounded up or down by chance so that its mean is kept, within the parameter's range."""
        least, most = RANGES[name]
        below = math.floor(value)
        return max(least, min(most, below + (self._chance.random() < value - below)))


def read_steps(texts: list[str]) -> dict[str, Step]:
    """The parameters to tune, from ``NAME=START:STEP``. Ends the program with a message for a wrong one."""
    steps = {}
    for text in texts:
        name, _, rest = text.partition("=")
        start, _, size = rest.partition(":")
        try:
            steps[name] = Step(float(start), float(size))
        except ValueError:
            sys.exit(f"{text}: expected NAME=START:STEP")
        if name not in RANGES:
            sys.exit(f"{name} is not a parameter of the search")
    return steps


def read_parameters(text: str) -> Parameters:
    """Parameters from ``NAME=VALUE NAME=VALUE``. Ends the program with a message for a wrong one."""
    parameters = {}
    for word in text.split():
        name, _, value = word.partition("=")
        if name not in RANGES or not value.lstrip("-").isdecimal():
            sys.exit(f"{word}: expected NAME=VALUE with a parameter of the search")
        parameters[name] = int(value)
    return parameters


def tune(args: argparse.Namespace) -> None:
    """Play pairs of games, and move the parameters after each."""
    run = Run(args.out, resume=args.resume)
    steps = {
        name: Step(run.values.get(name, step.start), step.size) for name, step in read_steps(args.parameters).items()
    }
    spsa = SearchSpsa(steps, read_parameters(args.fixed), args.rate, run.pairs)
    sides = (spsa.sides() for _ in range(args.pairs))
    run.tune(spsa, Games(args).points(sides, run.pairs))
    print("Mean of the last half:", *(f"{name}={round(value)}" for name, value in run.mean().items()))


def compare(args: argparse.Namespace) -> None:
    """Play one set of parameters against another."""
    first, second = read_parameters(args.first), read_parameters(args.second)
    pairs = Pairs(Games(args, each_once=True).points([(first, second)] * args.pairs, 1))
    print(f"{pairs.score:.1%} of {2 * args.pairs} games  Elo {estimate(pairs)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    tuner = commands.add_parser("tune", help="move parameters towards what wins")
    comparer = commands.add_parser("compare", help="play one set of parameters against another")
    for command in (tuner, comparer):
        command.add_argument("game", choices=["xiangqi", "gomoku"])
        command.add_argument("--openings", type=Path, required=True, metavar="FILE", help="of `sanqi openings`")
        command.add_argument("--nodes", type=int, default=20_000, metavar="N", help="for a move (default %(default)s)")
        command.add_argument("--pairs", type=int, default=1000, metavar="N", help="of games (default %(default)s)")
        command.add_argument("--workers", type=int, default=1, metavar="N", help="processes (default %(default)s)")
    tuner.add_argument("parameters", nargs="+", metavar="NAME=START:STEP")
    tuner.add_argument("--fixed", default="", metavar="SET", help="other parameters, of both sides: 'NAME=VALUE ...'")
    tuner.add_argument("--rate", type=float, default=0.015, metavar="X", help="steps for each point (%(default)s)")
    tuner.add_argument("--out", type=Path, required=True, metavar="FILE", help="the values so far, JSON lines")
    tuner.add_argument("--resume", action="store_true", help="go on with the file of --out")
    tuner.set_defaults(run=tune)
    comparer.add_argument("--first", required=True, metavar="SET", help="'NAME=VALUE ...'")
    comparer.add_argument("--second", default="", metavar="SET", help="(default: the game's own)")
    comparer.set_defaults(run=compare)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
