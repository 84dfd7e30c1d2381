"""`sanqi play junqi`: a game under the referee. You have one seat, the engine has the others."""

from __future__ import annotations

import argparse
import random
from typing import TYPE_CHECKING, NamedTuple

from junqi_protocol.levels import LEVELS_HELP, SEARCH, read_level
from junqi_protocol.thinking_time import THINK_TIME_MS, add_think_time
from sanqi.play import add_seed
from search_core.display import InputError
from search_core.line_protocol import legible
from search_core.number_argument import number_argument

if TYPE_CHECKING:
    from junqi_protocol.arbiter import Arbiter
    from junqi_protocol.records import Replay
    from search_core.engine import Engine

EXAMPLE = """\
examples (the game of two, against an easier opponent; four seats, with a
lineup of your own):
  sanqi play junqi --variant duel --level 3
  sanqi play junqi --lineup mine.jql --partner path --enemies greedy
"""
COMMANDS = """\
at the prompt: a move as two squares (g6g9), or one of
  moves SQUARE  show where the piece on a square may go
  draw          offer a draw with your next move, or agree to one
  mark SQUARE 9 note your guess of an enemy's piece; it moves with the piece
  legend        show what letters and signs mean
  save FILE     save the game to a new file, for --resume FILE
  board  pass  resign  quit  help
"""
_QUIET_PLIES, _SKIPS = 70, 5
_DRAW, _CHOOSE = "draw", "choose"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of Junqi."""
    parser.add_argument("--variant", choices=["siguo", "duel"], help="four seats (default) or two")
    parser.add_argument("--seat", type=number_argument(0, 3), metavar="N", help="your seat (default 0, which begins)")
    parser.add_argument("--resume", metavar="FILE", help="go on with a saved game")
    for option, default, what in (
        ("--level", SEARCH, f"who plays the others: {LEVELS_HELP} (default %(default)s)"),
        ("--partner", None, "who plays your partner's seat (default: as --level)"),
        ("--enemies", None, "who plays the enemies' seats (default: as --level)"),
    ):
        parser.add_argument(option, type=read_level, default=default, metavar="LEVEL", help=what)
    add_think_time(parser)
    parser.add_argument(
        "--lineup",
        default=_DRAW,
        metavar="LINEUP",
        help=f"your lineup: '{_DRAW}' at random (default), '{_CHOOSE}' at the start, a .jql file, a file with lineups "
        "(one of them is drawn), or 30 characters as 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21",
    )
    add_seed(parser, "the same number gives the same lineups, and at levels 1 to 19 the same moves give the same game")


def open_game(args: argparse.Namespace, engine: Engine) -> JunqiGame:
    """The game that the arguments ask for. Raises InputError."""
    begun = None
    variant, seat = args.variant or "siguo", args.seat or 0
    if args.resume is not None:
        if args.variant is not None or args.lineup != _DRAW:
            raise InputError("--resume: the game has its variant and its lineups already")
        begun, saved_seat = _load(args.resume)
        variant = begun.arbiter.variant.name
        seat = saved_seat if args.seat is None else args.seat
    seats = 4 if variant == "siguo" else 2
    if not 0 <= seat < seats:
        raise InputError(f"--seat {seat} must be from 0 to {seats - 1}")
    if variant == "duel" and args.partner is not None:
        raise InputError("--partner: with two seats you have no partner")
    chance = random.Random(args.seed)
    levels = [(args.partner if other % 2 == seat % 2 else args.enemies) or args.level for other in range(seats)]
    lineup = _lineup(args.lineup, chance)
    setting = Setting(variant, seat, levels, lineup, args.lineup == _CHOOSE, begun, args.think_time, args.seed)
    return JunqiGame(setting, chance)


def _lineup(text: str, chance: random.Random) -> str | None:
    """The lineup that the user names; None: none. Raises InputError."""
    from pathlib import Path

    from junqi_protocol import lineup

    if text in (_DRAW, _CHOOSE):
        return None
    try:
        path = Path(text)
        return lineup.parse(text) if "/" in text and not path.exists() else chance.choice(lineup.from_file(path))
    except lineup.LineupError as error:
        raise InputError(f"--lineup: {error}") from None
    except OSError as error:
        raise InputError(f"--lineup {legible(text)}: {error.strerror}") from None


def _load(name: str) -> tuple[Replay, int]:
    """A game to continue, and the person's seat in it. Raises InputError."""
    from pathlib import Path

    from junqi_protocol.records import RecordError, Replay

    try:
        data = Path(name).read_bytes()
        replay = Replay(data)
    except OSError as error:
        raise InputError(f"--resume {legible(name)} cannot be read: {error.strerror}") from None
    except RecordError as error:
        raise InputError(f"--resume {legible(name)}: {error}") from None
    if replay.arbiter.outcome is not None:
        raise InputError(f"--resume {legible(name)}: the game is over")
    seats = range(replay.arbiter.variant.seats)
    return replay, next((seat for seat in seats if _seat_line(seat).encode() in data.splitlines()), 0)


def _seat_line(seat: int) -> str:
    """The comment in a saved game that says which seat the person has."""
    return f"# you are seat {seat}"


class Setting(NamedTuple):
    """Who plays a game, and where it begins."""

    variant: str
    seat: int
    """The person's."""
    levels: list[str]
    """Who plays each of the other seats."""
    lineup: str | None = None
    """The person's lineup; None: it is drawn."""
    chooses: bool = False
    """Whether the person chooses a lineup before the game."""
    begun: Replay | None = None
    """The saved game that continues."""
    think_time_ms: int = THINK_TIME_MS
    """Milliseconds for each move of the engine."""
    seed: int | None = None
    """Of the engine's lineups and moves; None: not repeatable."""


class JunqiGame:
    """A game between a person and the engine."""

    def __init__(self, setting: Setting, chance: random.Random) -> None:
        self._setting = setting
        self._chance = chance
        self._arbiter: Arbiter | None = None

    def play(self) -> None:
        """Play to the end, or until the person leaves."""
        import asyncio

        from junqi_protocol.connections import Connection
        from junqi_protocol.geometry import VARIANTS
        from junqi_protocol.local_engine import LocalEngine
        from junqi_protocol.messages import Happening, Left, Terms
        from junqi_protocol.person import Person
        from junqi_protocol.referee import FROM_ENGINES, Referee, RefereeConditions, Spectator
        from search_core.line_protocol import standard_input

        game = self

        class Keeper(Spectator):
            def begun(self, number: int, arbiter: Arbiter) -> None:
                game._arbiter = arbiter

            def happened(self, happening: Happening) -> None:
                if (
                    isinstance(happening, Left)
                    and (happening.seat, happening.reason) == (game._setting.seat, "exit")
                    and game._arbiter is not None
                    and game._arbiter.outcome is None
                ):
                    raise EOFError  # nobody is there to see how the others go on

        setting = self._setting
        read = standard_input()
        lineup = setting.lineup
        if setting.chooses:
            from rich.console import Console

            from junqi_protocol.lineup_dialogue import choose

            lineup = choose(read, Console(highlight=False), self._chance)
        variant = VARIANTS[setting.variant]
        players: list[Connection] = [
            Person((seat,), self._chance, lineup, read, self._save)
            if seat == setting.seat
            else LocalEngine((seat,), setting.levels[seat], setting.think_time_ms, setting.seed)
            for seat in range(variant.seats)
        ]
        conditions = RefereeConditions(
            Terms(variant, quiet=_QUIET_PLIES, skips=_SKIPS, draws=True), lineups=FROM_ENGINES
        )
        asyncio.run(Referee(conditions, players, Keeper(), setting.begun).run())

    def save_interrupted(self, command: str) -> None:
        """Save the game to a new file in the current folder, if it goes on, and print how to go on with it. `command`:
        that of the game, without its seed."""
        if self._arbiter is not None and self._arbiter.happenings and self._arbiter.outcome is None:
            from sanqi.terminal_game import save_numbered

            if self._setting.seed is not None:
                command += f" --seed {self._setting.seed}"
            save_numbered("junqi", "jgr", self._record(self._arbiter), self._count(self._arbiter), command)

    def _save(self, name: str) -> str:
        """Save the game; returns what to say about it."""
        from sanqi.terminal_game import NO_NAME, save_new

        assert self._arbiter is not None
        return save_new(name, self._record(self._arbiter), self._count(self._arbiter)) if name else NO_NAME

    def _record(self, arbiter: Arbiter) -> bytes:
        from junqi_protocol.records import record_text

        return f"{record_text(arbiter)}{_seat_line(self._setting.seat)}\n".encode("ascii")

    @staticmethod
    def _count(arbiter: Arbiter) -> str:
        plies = len(arbiter.happenings)
        return "1 ply" if plies == 1 else f"{plies} plies"
