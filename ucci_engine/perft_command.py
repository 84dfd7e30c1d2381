"""`sanqi perft`: counts the leaves of Xiangqi's move tree."""

from __future__ import annotations

import argparse

from game_core.background import in_background
from search_core.number_argument import number_argument
from search_core.options import MAX_PERFT_DEPTH
from ucci_engine.points import START_FEN, by_points, move_text
from ucci_engine.position_command import FEN_HELP, position_argument

_EXAMPLE = """\
example:
  sanqi perft 4 --divide
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi perft`."""
    parser.epilog = _EXAMPLE
    parser.add_argument("depth", type=number_argument(1, MAX_PERFT_DEPTH), metavar="N", help="plies")
    parser.add_argument("--fen", default=START_FEN, help=FEN_HELP)
    parser.add_argument("--divide", action="store_true", help="also print the count below each move")


def run(args: argparse.Namespace) -> int:
    """Count. Returns the exit status: 0, 2 for a wrong FEN, 130 when interrupted."""
    from search_core.perft import Perft

    position = position_argument("perft", args.fen)
    if position is None:
        return 2
    perft = Perft(position, args.depth)

    def work() -> None:
        total = 0
        for move, count in perft.divide(by_points(position.legal_moves())):
            total += count
            if args.divide:
                print(f"{move_text(move)}: {count}", flush=True)
        if not perft.cancelled:
            print(f"total: {total}" if args.divide else total)

    return in_background(work, perft.cancel)
