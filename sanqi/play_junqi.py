"""`sanqi play junqi`: a game under the referee. You have one seat, the engine has the others."""

from __future__ import annotations

import argparse
import random
from typing import TYPE_CHECKING

from junqi_protocol.levels import LEVELS
from search_core.display import InputError
from search_core.line_protocol import legible
from search_core.number_argument import number_argument

if TYPE_CHECKING:
    from search_core.engine import Engine

EXAMPLE = """\
examples (the game of two, against an easier opponent; four seats, with a
lineup of your own):
  sanqi play junqi --variant duel --level events
  sanqi play junqi --lineup mine.jql --partner path --enemies greedy
"""
COMMANDS = """\
at the prompt: a move as two squares (g6g9), or one of
  moves SQUARE  show where the piece on a square may go
  draw          offer a draw with your next move, or agree to one
  mark SQUARE 9 note your guess of an enemy's piece; it moves with the piece
  legend        show what letters and signs mean
  board  pass  resign  quit  help
"""
_QUIET_PLIES, _SKIPS = 70, 5
_DRAW, _CHOOSE = "draw", "choose"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of Junqi."""
    parser.add_argument("--variant", choices=["siguo", "duel"], default="siguo", help="four seats (default) or two")
    parser.add_argument(
        "--seat", type=number_argument(0, 3), default=0, metavar="N", help="your seat (default 0, which begins)"
    )
    parser.add_argument("--level", choices=LEVELS, default=LEVELS[0], help="who plays the others (default %(default)s)")
    parser.add_argument("--partner", choices=LEVELS, help="who plays your partner's seat (default: as --level)")
    parser.add_argument("--enemies", choices=LEVELS, help="who plays the enemies' seats (default: as --level)")
    parser.add_argument(
        "--lineup",
        default=_DRAW,
        metavar="LINEUP",
        help=f"your lineup: '{_DRAW}' at random (default), '{_CHOOSE}' at the start, a .jql file, a file with lineups "
        "(one of them is drawn), or 30 characters as 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21",
    )


def open_game(args: argparse.Namespace, engine: Engine) -> JunqiGame:
    """The game that the arguments ask for. Raises InputError."""
    seats = 4 if args.variant == "siguo" else 2
    if not 0 <= args.seat < seats:
        raise InputError(f"--seat {args.seat} must be from 0 to {seats - 1}")
    if args.variant == "duel" and args.partner is not None:
        raise InputError("--partner: with two seats you have no partner")
    chance = random.Random()
    levels = [(args.partner if seat % 2 == args.seat % 2 else args.enemies) or args.level for seat in range(seats)]
    return JunqiGame(args.variant, args.seat, levels, _lineup(args.lineup, chance), args.lineup == _CHOOSE, chance)


def _lineup(text: str, chance: random.Random) -> str | None:
    """The lineup that the user names; None: none. Raises InputError."""
    from pathlib import Path

    from junqi_protocol import lineup

    if text in (_DRAW, _CHOOSE):
        return None
    try:
        return (
            lineup.parse(text)
            if "/" in text and not Path(text).exists()
            else chance.choice(lineup.from_file(Path(text)))
        )
    except lineup.LineupError as error:
        raise InputError(f"--lineup: {error}") from None
    except OSError as error:
        raise InputError(f"--lineup {legible(text)}: {error.strerror}") from None


class JunqiGame:
    """A game between a person and the engine.

    Parameters
    ----------
    variant : str
    seat : int
        The person's.
    levels : list of str
        Who plays each of the other seats.
    lineup : str or None
        The person's lineup; None: it is drawn.
    chooses : bool
        Whether the person chooses a lineup before the game.
    chance : random.Random
    """

    def __init__(
        self, variant: str, seat: int, levels: list[str], lineup: str | None, chooses: bool, chance: random.Random
    ) -> None:
        self._variant = variant
        self._seat = seat
        self._levels = levels
        self._lineup = lineup
        self._chooses = chooses
        self._chance = chance

    def play(self) -> None:
        """Play to the end, or until the person leaves."""
        import asyncio

        from junqi_protocol.connections import Connection
        from junqi_protocol.geometry import VARIANTS
        from junqi_protocol.local_engine import LocalEngine
        from junqi_protocol.messages import Terms
        from junqi_protocol.person import Person
        from junqi_protocol.referee import FROM_ENGINES, Referee, RefereeConditions, Spectator
        from search_core.line_protocol import standard_input

        read = standard_input()
        if self._chooses:
            from rich.console import Console

            from junqi_protocol.lineup_dialogue import choose

            self._lineup = choose(read, Console(highlight=False), self._chance)
        variant = VARIANTS[self._variant]
        players: list[Connection] = [
            Person((seat,), self._chance, self._lineup, read)
            if seat == self._seat
            else LocalEngine((seat,), self._levels[seat])
            for seat in range(variant.seats)
        ]
        terms = Terms(variant, quiet=_QUIET_PLIES, skips=_SKIPS, draws=True)
        asyncio.run(Referee(RefereeConditions(terms, lineups=FROM_ENGINES), players, Spectator()).run())
