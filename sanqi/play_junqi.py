"""`sanqi play junqi`: a game under the referee. You have one seat, the engine has the others."""

from __future__ import annotations

import argparse
import random
from typing import TYPE_CHECKING

from junqi_protocol.levels import LEVELS
from search_core.display import InputError
from search_core.number_argument import number_argument

if TYPE_CHECKING:
    from search_core.engine import Engine

EXAMPLE = """\
example (the game of two, against an easier opponent):
  sanqi play junqi --variant duel --level events
"""
COMMANDS = """\
at the prompt: a move as two squares (g6g9), or one of
  moves SQUARE  show where the piece on a square may go
  draw          offer a draw with your next move, or agree to one
  board  pass  resign  quit  help
"""
_QUIET_PLIES, _SKIPS = 70, 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of Junqi."""
    parser.add_argument("--variant", choices=["siguo", "duel"], default="siguo", help="four seats (default) or two")
    parser.add_argument(
        "--seat", type=number_argument(0, 3), default=0, metavar="N", help="your seat (default 0, which begins)"
    )
    parser.add_argument("--level", choices=LEVELS, default=LEVELS[0], help="who plays the others (default %(default)s)")


def open_game(args: argparse.Namespace, engine: Engine) -> JunqiGame:
    """The game that the arguments ask for. Raises InputError."""
    seats = 4 if args.variant == "siguo" else 2
    if not 0 <= args.seat < seats:
        raise InputError(f"--seat {args.seat} must be from 0 to {seats - 1}")
    return JunqiGame(args.variant, args.seat, args.level)


class JunqiGame:
    """A game between a person and the engine."""

    def __init__(self, variant: str, seat: int, level: str) -> None:
        self._variant = variant
        self._seat = seat
        self._level = level

    def play(self) -> None:
        """Play to the end, or until the person leaves."""
        import asyncio

        from junqi_protocol.connections import Connection
        from junqi_protocol.geometry import VARIANTS
        from junqi_protocol.local_engine import LocalEngine
        from junqi_protocol.messages import Terms
        from junqi_protocol.person import Person
        from junqi_protocol.referee import Referee, RefereeConditions, Spectator

        variant = VARIANTS[self._variant]
        players: list[Connection] = [
            Person((seat,), random.Random()) if seat == self._seat else LocalEngine((seat,), self._level)
            for seat in range(variant.seats)
        ]
        terms = Terms(variant, quiet=_QUIET_PLIES, skips=_SKIPS, draws=True)
        asyncio.run(Referee(RefereeConditions(terms), players, Spectator()).run())
