"""`sanqi eval`: prints what the evaluations of Xiangqi see in a position."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ucci_engine.points import START_FEN
from ucci_engine.position_command import FEN_HELP, position_argument

if TYPE_CHECKING:
    from ucci_engine.position import Position

_EXAMPLE = """\
examples (a table for people; the same numbers for a program):
  sanqi eval --fen "3k5/9/9/4p4/9/9/9/9/4R4/4K4 w"
  sanqi eval --fen "startpos moves h2e2" --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi eval`."""
    parser.epilog = _EXAMPLE
    parser.add_argument("--fen", default=START_FEN, help=FEN_HELP)
    parser.add_argument("--json", action="store_true", help="print one JSON object: docs/analysis.md has its fields")


def run(args: argparse.Namespace) -> int:
    """Print the terms. Returns the exit status: 0, or 2 for a wrong FEN."""
    from ucci_engine.display import evaluation_lines

    position = position_argument("eval", args.fen)
    if position is None:
        return 2
    if args.json:
        import json

        print(json.dumps(_terms(position)))
    else:
        print("\n".join(evaluation_lines(position)))
    return 0


def _terms(position: Position) -> dict[str, Any]:
    """Every term with the centipawns of both sides in the middle game and the end game, their sum, and the net's
    score."""
    from ucci_engine.display import hand_made_terms

    terms, total = hand_made_terms(position)
    return {
        "fen": position.fen(),
        "toMove": "black" if position.side else "red",
        "perspective": "sideToMove",
        "scoreCp": total,
        "netCp": position.evaluate_cp(),
        "phase": position.phase,
        "terms": [
            {
                "name": term.name,
                "red": {"mg": term.red_mg, "eg": term.red_eg},
                "black": {"mg": term.black_mg, "eg": term.black_eg},
            }
            for term in terms
        ],
    }
