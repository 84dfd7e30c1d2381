"""Xiangqi in `sanqi match`: what it takes of the options, and the game that they describe."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from match_runner.game import Game
    from match_runner.openings import Opening

EXAMPLE = """\
  Xiangqi against Fairy-Stockfish, 100 ms a move, with a report:
    sanqi match --engine "name=sanqi cmd=sanqi option.hashsize=64" \\
      --engine "name=fairy cmd=fairy-stockfish proto=uci variant=xiangqi" \\
      --games 20 --movetime 100 --out games.jsonl --report report.html
"""
OPENINGS = "of Xiangqi as moves (h2e2 h9g7) or a FEN, or a .pgn"
RECORDS = "of Xiangqi a PGN file"
TAKES = frozenset({"openings", "opening_plies"})
"""The options of which not all games have a use."""


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """Xiangqi has no options of its own."""


def prepare(args: argparse.Namespace) -> tuple[Game, list[Opening]]:
    """What is played, and from which openings. Raises OpeningError."""
    from match_runner.openings import openings_of_match
    from match_runner.xiangqi import Xiangqi

    game = Xiangqi()
    return game, openings_of_match(game, args.openings, args.games, args.opening_plies or 0)
