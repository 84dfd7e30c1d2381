"""Gomoku in `sanqi match`: its options, and the game made of them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from gomoku_protocol.game_record import RULE_NAMES
from gomoku_protocol.points import FREESTYLE, MAX_SIZE, MIN_SIZE, RULES
from search_core.line_protocol import excerpt
from search_core.whole_number import whole_number

if TYPE_CHECKING:
    from match_runner.game import MatchGame
    from match_runner.openings import Opening

EXAMPLE = """\
  renju, 5 seconds a move and 3 minutes a game for each side:
    sanqi match --game gomoku --rule renju --engine "name=a cmd=sanqi" \\
      --engine "name=b cmd=./pbrain-b" --movetime 5000 --match-time 180
"""
OPENINGS = "Gomoku stones as offsets from the middle (0,0 1,-1), or a .psq file"
RECORDS = "for Gomoku a folder of .psq"
TAKES = frozenset({"rule", "size", "openings", "opening_plies", "records"})
"""The options that this game uses, of those that only some games use."""


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """Declare the options that only Gomoku has."""
    group.add_argument(
        "--rule",
        type=rule_named,
        metavar="RULE",
        help=f"Gomoku's rule: {', '.join(RULE_NAMES.values())}, or its number in the protocol (default freestyle)",
    )
    group.add_argument(
        "--size",
        type=_size,
        metavar="N",
        help=f"size of the Gomoku board, N or WxH; {MIN_SIZE} to {MAX_SIZE} (default 15)",
    )


def prepare(args: argparse.Namespace) -> tuple[MatchGame, list[Opening]]:
    """The game and its openings. Raises OpeningError."""
    from gomoku_protocol.match_game import Gomoku
    from match_runner.openings import openings_of_match

    game = Gomoku(*board_of(args))
    return game, openings_of_match(game, args.openings, args.games, args.opening_plies or 0)


def board_of(args: argparse.Namespace) -> tuple[int, int, int]:
    """Width, height and rule."""
    width, height = args.size or (15, 15)
    return width, height, FREESTYLE if args.rule is None else args.rule


def rule_named(text: str) -> int:
    """The rule of this name or number of the protocol. Raises argparse.ArgumentTypeError."""
    for rule in RULES:
        if text.lower() == RULE_NAMES[rule] or text == str(rule):
            return rule
    names = ", ".join(f"{RULE_NAMES[rule]} ({rule})" for rule in RULES)
    raise argparse.ArgumentTypeError(f"{excerpt(text)} is no rule; expected one of {names}")


def _size(text: str) -> tuple[int, int]:
    """Width and height."""
    words = text.lower().split("x")
    try:
        sizes = [whole_number(word) for word in words]
    except ValueError:
        sizes = []
    if len(sizes) not in (1, 2) or not all(MIN_SIZE <= size <= MAX_SIZE for size in sizes):
        expected = f"a size from {MIN_SIZE} to {MAX_SIZE}, nor two: WxH"
        raise argparse.ArgumentTypeError(f"{excerpt(text)} is not {expected}")
    return sizes[0], sizes[-1]
