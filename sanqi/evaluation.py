"""`sanqi eval`: prints what Xiangqi's static evaluation sees in a position."""

from __future__ import annotations

import argparse
import sys

from search_core.engine_protocol import SetUpError
from ucci_engine.points import START_FEN
from ucci_engine.position_command import FEN_HELP, read_argument

_EXAMPLE = """\
example:
  sanqi eval --fen "3k5/9/9/4p4/9/9/9/9/4R4/4K4 w"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi eval`."""
    parser.epilog = _EXAMPLE
    parser.add_argument("--fen", default=START_FEN, help=FEN_HELP)


def run(args: argparse.Namespace) -> int:
    """Print the terms. Returns the exit status: 0, or 2 for a wrong FEN."""
    from ucci_engine.display import evaluation_lines

    try:
        position = read_argument(args.fen).position
    except SetUpError as error:
        print(f"sanqi eval: --fen: {error}", file=sys.stderr)
        return 2
    print("\n".join(evaluation_lines(position)))
    return 0
