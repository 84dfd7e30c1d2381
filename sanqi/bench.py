"""`sanqi bench`: searches fixed positions of a game."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from game_core.background import in_background
from game_core.description import GameDescription
from search_core.number_argument import add_number
from search_core.options import DEFAULT_HASH_MB, MAX_HASH_MB, MAX_THREADS
from search_core.parts import load_part

_EXAMPLE = """\
example:
  sanqi bench {game} --depth 8
"""


def add_arguments(parser: argparse.ArgumentParser, games: Mapping[str, GameDescription]) -> None:
    """Declare the options of `sanqi bench`, for games that have a bench."""
    parser.epilog = _EXAMPLE.format(game=next(iter(games)))
    parser.add_argument("game", choices=games, help="the game to search")
    add_number(parser, "--depth", 1, 127, "N", "plies (default: the signature's depth)")
    add_number(parser, "--threads", 1, MAX_THREADS, "N", "search threads (default %(default)s)", 1)
    add_number(parser, "--hash", 1, MAX_HASH_MB, "MB", "table size (default %(default)s)", DEFAULT_HASH_MB)
    parser.set_defaults(registry=games)


def run(args: argparse.Namespace) -> int:
    """Search. Returns the exit status: 0, or 130 when interrupted."""
    bench = load_part(args.registry[args.game].bench).bench(args.depth, args.threads, args.hash)

    def work() -> None:
        result = bench.run()
        if result is not None:
            print("\n".join(result.lines()))

    return in_background(work, bench.cancel)
