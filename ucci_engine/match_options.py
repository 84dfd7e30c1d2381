"""Xiangqi in `sanqi match`: the options that it uses, and the game made of them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ucci_engine.rule_sets import add_rule_arguments, rules_of

if TYPE_CHECKING:
    from match_runner.game import MatchGame
    from match_runner.openings import Opening

EXAMPLE = """\
  Xiangqi against Fairy-Stockfish, 100 ms a move, with a report:
    sanqi match --engine "name=sanqi cmd=sanqi option.hashsize=64" \\
      --engine "name=fairy cmd=fairy-stockfish proto=uci variant=xiangqi" \\
      --games 20 --movetime 100 --out games.jsonl --report report.html
"""
OPENINGS = "Xiangqi moves (h2e2 h9g7) or a FEN, or a .pgn, .xqf, .cbr or .cbl file"
RECORDS = "for Xiangqi a PGN file"
TAKES = frozenset({"repetition_rule", "quiet_limit", "openings", "opening_plies", "records"})
"""The options that this game uses, of those that only some games use."""


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """Declare the options that only Xiangqi has."""
    add_rule_arguments(group)


def prepare(args: argparse.Namespace) -> tuple[MatchGame, list[Opening]]:
    """The game and its openings. Raises OpeningError."""
    from match_runner.openings import openings_of_match
    from ucci_engine.match_game import Xiangqi

    game = Xiangqi(*rules_of(args))
    return game, openings_of_match(game, args.openings, args.games, args.opening_plies or 0)
