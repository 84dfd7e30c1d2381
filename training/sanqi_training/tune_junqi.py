"""Tune the weights of the Junqi evaluation by games of the search against itself.

    python -m sanqi_training.tune_junqi play siguo --nodes 1000 --pairs 6000 --workers 2 --out run.jsonl
    python -m sanqi_training.tune_junqi write run.jsonl --to junqi_protocol/players/tuned_weights.py

`play` is SPSA (spsa.py) of 83 numbers: the worth of each type, and how it depends on the rivals that are left; each
zone; how much the zones count for each class of types, by five groups of zones; the turn. With four seats it begins
with the hand-made weights, with two with those of the net's file, and the net stays as it is.
Both sides have the same nodes; a deal is played twice, with the teams exchanged. A share of the deals (--rated) has
rated lineups, the others random ones; with four seats, a quarter is played under `see own`. The values, in steps, are
written every 50 pairs; with --resume a run goes on. `write` takes their mean over the last half of the run.
"""

from __future__ import annotations

import argparse
import math
import random
import runpy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from junqi_protocol.knowledge.seen_game import SeenGame
from junqi_protocol.players.evaluation_weights import GUARD, HAND_MADE_ZONES, NODES, SHARES, ZONES
from junqi_protocol.players.evaluators import JunqiEvaluator, learnt_evaluator
from junqi_protocol.players.searching import believed
from junqi_protocol.players.tuned_weights import TUNED_WEIGHTS
from junqi_protocol.rules.geometry import VARIANTS
from junqi_protocol.rules.lineup import ENGINEER, FLAG, LINEUPS, PIECES, UNKNOWN
from sanqi_training.spsa import Run, Spsa, Step, points_in_order
from search_core.engine import Engine, Limits

SCALE = 10_000
"""Of the numbers of a module."""
QUIET, MAX_PLIES = 70, 3000
RATED, OWN = 0.25, 0.25
"""The shares of deals with rated lineups unless --rated says another, and of those played under `see own`."""

_WORTH, _FLAG, _RIVALS, _TURN = 0.2, 0.5, 0.12, 0.5
"""Steps, of logarithms: a type's worth, the flag's; that of a worth from one number of rivals to the next; the turn."""
_ZONE, _LEAST_ZONE = 0.4, 0.012
"""A step of a zone: a share of itself, and no less than this, in logits."""
_SHARE = 0.25
"""A step of what a class's zones count."""
_FIXED_ZONES = ("own headquarters", "enemy's headquarters")
"""Where a piece can never move again."""
_GROUPS = {
    "own home": ("own front row", "own middle rows", "own camps", "own last rail", "own back row"),
    "own flag": (GUARD,),
    "partner": ("partner's home", "partner's camps", "beside the partner's flag"),
    "enemy's home": (
        "centre",
        "enemy's front row",
        "enemy's middle rows",
        "enemy's camps",
        "enemy's last rail",
        "enemy's back row",
    ),
    "enemy's flag": ("beside a headquarters that may hold the flag", "beside an enemy's flag"),
}
_GROUP_OF = {zone: group for group, zones in _GROUPS.items() for zone in zones}
_TYPES = range(ENGINEER, UNKNOWN)

NAMES = (
    *(f"worth {PIECES[kind]}" for kind in _TYPES),
    *(zone for zone in ZONES if zone not in _FIXED_ZONES),
    "turn",
    *(f"rivals {PIECES[kind]}" for kind in _TYPES),
    *(f"share {number} {group}" for number in range(len(SHARES)) for group in _GROUPS),
)
"""Of the numbers."""

Weights = tuple[float, ...]


def weights_of(values: Mapping[str, float], board: str) -> Weights:
    """The weights, in the order of evaluation.pyx, of values in steps. All 0: those of learnt_evaluator(). Steps of
    zones are those of the hand-made weights."""
    found = list(learnt_evaluator(board).weights)
    for kind in _TYPES:
        step = _FLAG if kind == FLAG else _WORTH
        for node in range(NODES):
            power = step * values[f"worth {PIECES[kind]}"] + _RIVALS * values[f"rivals {PIECES[kind]}"] * (node - 2)
            found[kind * NODES + node] *= math.exp(power)
    place = len(PIECES) * NODES
    for number, share in enumerate(SHARES):
        for zone, worth in HAND_MADE_ZONES.items():
            moved = worth + values.get(zone, 0) * max(_ZONE * abs(worth), _LEAST_ZONE)
            counted = share[zone == GUARD] + _SHARE * values.get(f"share {number} {_GROUP_OF.get(zone)}", 0)
            found[place] += moved * counted - worth * share[zone == GUARD]
            place += 1
    found[-1] *= math.exp(_TURN * values["turn"])
    return tuple(found)


class Deal(NamedTuple):
    """A pair of games."""

    number: int
    variant: str
    nodes: int
    rated: float
    sides: tuple[Weights, Weights]


_engines: list[Engine] = []
"""Of this process."""


def play(deal: Deal) -> float:
    """The points of the first side, 0 to 2."""
    if not _engines:
        _engines.extend((Engine(), Engine()))
    chance = random.Random(f"deal {deal.number}")
    seats = VARIANTS[deal.variant].seats
    kind = "rated" if chance.random() < deal.rated else "random"
    see = "own" if seats == 4 and chance.random() < OWN else "team"
    lineups = [LINEUPS[kind](deal.variant, chance) for _ in range(seats)]
    net = learnt_evaluator(deal.variant).net
    points = 0.0
    for first_team in range(2):
        evaluators = [JunqiEvaluator(deal.sides[team ^ first_team], net, full_strength=True) for team in range(2)]
        for engine in _engines:
            engine.new_game()
        game = SeenGame(deal.variant, lineups, see=see, first=deal.number % seats, quiet=QUIET, plies=MAX_PLIES)
        while game.world.outcome_text is None:
            team = game.world.turn % 2
            engine = _engines[team ^ first_team]
            found = engine.search(believed(game.view, evaluators[team]), Limits(nodes=deal.nodes))
            assert found.best is not None
            game.push(found.best)
        points += 0.5 if game.world.winner is None else game.world.winner == first_team
    return points


def tune(args: argparse.Namespace) -> None:
    """Play pairs of games, and move the numbers after each."""
    run = Run(args.out, resume=args.resume, board=args.board)
    done = run.pairs
    spsa = Spsa({name: Step(run.values.get(name, 0.0), 1) for name in NAMES}, args.rate, done)

    def deals() -> Iterator[Deal]:
        for number in range(done, done + args.pairs):
            first, second = spsa.moved()
            sides = (weights_of(first, args.board), weights_of(second, args.board))
            yield Deal(number, args.board, args.nodes, args.rated, sides)

    run.tune(spsa, points_in_order(play, deals(), args.workers))


def rows_of(weights: Weights) -> tuple[tuple[int, ...], ...]:
    """The weights as rows of a module."""
    start = len(PIECES) * NODES
    numbers = [round(SCALE * weight) for weight in weights]
    rows = [numbers[at : at + NODES] for at in range(0, start, NODES)]
    rows += [numbers[at : at + len(ZONES)] for at in range(start, len(numbers) - 1, len(ZONES))]
    return tuple(map(tuple, [*rows, numbers[-1:]]))


def module_text(tuned: Mapping[str, tuple[tuple[int, ...], ...]]) -> str:
    """The module of tuned weights."""
    return "\n".join(
        [
            '"""Weights of the Junqi evaluation that were tuned by games, written by sanqi_training.tune_junqi."""',
            "",
            f"SCALE = {SCALE:_}",
            '"""What stands for 1 in TUNED_WEIGHTS."""',
            "",
            "# fmt: off",
            "TUNED_WEIGHTS: dict[str, tuple[tuple[int, ...], ...]] = {",
            *(
                line
                for board, rows in tuned.items()
                for line in (f'    "{board}": (', *(f"        {row}," for row in rows), "    ),")
            ),
            "}",
            '"""By board; rows in the order of evaluation.pyx: by type, by class, the turn."""',
            "",
        ]
    )


def write(args: argparse.Namespace) -> None:
    """Write the weights that a run came to into the module, beside those of the other board."""
    run = Run(args.run_file, resume=True)
    board = run.of("board")
    known = runpy.run_path(str(args.to))["TUNED_WEIGHTS"] if args.to.exists() else TUNED_WEIGHTS
    tuned = known | {board: rows_of(weights_of(run.mean(), board))}
    args.to.write_text(module_text(dict(sorted(tuned.items(), reverse=True))), encoding="ascii")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    player = commands.add_parser("play", help="move the weights towards what wins")
    player.add_argument("board", choices=VARIANTS)
    player.add_argument("--nodes", type=int, default=1000, metavar="N", help="for a move (default %(default)s)")
    player.add_argument("--pairs", type=int, default=1000, metavar="N", help="of games (default %(default)s)")
    player.add_argument("--workers", type=int, default=1, metavar="N", help="processes (default %(default)s)")
    player.add_argument("--rated", type=float, default=RATED, metavar="X", help="share of deals (default %(default)s)")
    player.add_argument("--rate", type=float, default=0.016, metavar="X", help="steps for each point (%(default)s)")
    player.add_argument("--out", type=Path, required=True, metavar="FILE", help="the values so far, JSON lines")
    player.add_argument("--resume", action="store_true", help="go on with the file of --out")
    player.set_defaults(run=tune)
    writer = commands.add_parser("write", help="write the weights into a module")
    writer.add_argument("run_file", type=Path, metavar="FILE", help="of play")
    writer.add_argument("--to", type=Path, required=True, metavar="MODULE")
    writer.set_defaults(run=write)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
