"""Junqi in `sanqi match`: its options, and the game made of them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from search_core.number_argument import add_number

if TYPE_CHECKING:
    from match_runner.game import MatchGame
    from match_runner.openings import Opening

EXAMPLE = """\
  two levels of Junqi; each deal is played twice, with sides swapped:
    sanqi match --game junqi --engine "name=path cmd=sanqi" \\
      --engine "name=events cmd=sanqi option.Level=events" --games 20
"""
OPENINGS = ""
RECORDS = "for Junqi a folder of .jgr"
TAKES = frozenset({"variant", "seed", "draws", "see", "minds", "records"})
"""The options that this game uses, of those that only some games use."""
_MAX_SEED = 10**9


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """Declare the options that only Junqi has."""
    group.add_argument(
        "--variant", choices=["siguo", "duel"], help="Junqi with four seats, two per engine (default), or with two"
    )
    add_number(group, "--seed", 0, _MAX_SEED, "N", "random seed of Junqi's lineups and of who begins (default 1)")
    group.add_argument("--draws", action="store_true", default=None, help="let engines of Junqi agree on a draw")
    group.add_argument(
        "--see", choices=["team", "own"], help="whose lineups an engine of Junqi is shown (default: its team's)"
    )
    group.add_argument(
        "--minds",
        choices=["team", "seat"],
        help="one program for both seats of a team of Junqi, or one for each (default: seat with --see own, else team)",
    )


def prepare(args: argparse.Namespace) -> tuple[MatchGame, list[Opening]]:
    """The game and its deals."""
    from junqi_protocol.referee.match_game import TEAM, Junqi

    seed = 1 if args.seed is None else args.seed
    game = Junqi(args.variant or "siguo", seed, bool(args.draws), args.see or TEAM, args.minds)
    return game, game.deals(args.games)
