"""`sanqi play junqi`: a game under the referee. You have one seat, the engine has the others."""

from __future__ import annotations

import argparse
import random
from typing import TYPE_CHECKING, NamedTuple

from game_core.display import InputError
from junqi_protocol.players.levels import LEVELS_HELP, SEARCH, read_level
from junqi_protocol.players.thinking_time import THINK_TIME_MS, add_think_time
from sanqi.play import add_seed
from sanqi.play_files import NO_NAME, GameFiles, SaveError
from sanqi.play_options import kept_options, remarks_on, take_over, words_of
from search_core.child_process import uninterrupted
from search_core.command_line import join_words
from search_core.line_protocol import legible, printable
from search_core.number_argument import number_argument

if TYPE_CHECKING:
    from junqi_protocol.records.records import Replay
    from junqi_protocol.rules.arbiter import Arbiter
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
  save FILE     save the game, for --resume FILE
  quit          save the game and leave; so do Ctrl-C and Ctrl-D
  board  pass  resign  help
"""
_QUIET_PLIES, _SKIPS = 70, 5
_DRAW, _CHOOSE = "draw", "choose"
_COMMENT = "# sanqi play junqi "
"""Begins the line of a saved game that has its options."""


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
    begun = taken = None
    if args.resume is not None:
        if args.variant is not None or args.lineup != _DRAW:
            raise InputError("--resume: the game has its variant and its lineups already")
        begun = _load(args.resume)
        args.variant = begun.replay.arbiter.variant.name
        taken = take_over(args, begun.options, add_arguments)
    variant = args.variant or "siguo"
    if args.seat is None:
        args.seat = 0 if begun is None else begun.seat
    seats = 4 if variant == "siguo" else 2
    if not 0 <= args.seat < seats:
        raise InputError(f"--seat {args.seat} must be from 0 to {seats - 1}")
    if variant == "duel" and args.partner is not None:
        raise InputError("--partner: with two seats you have no partner")
    if args.seed is None:
        args.seed = random.SystemRandom().randrange(1, 1 << 32)
    chance = random.Random(args.seed)
    levels = [(args.partner if other % 2 == args.seat % 2 else args.enemies) or args.level for other in range(seats)]
    lineup = _lineup(args.lineup, chance)
    setting = Setting(variant, args.seat, levels, lineup, args.lineup == _CHOOSE, begun, args.think_time, args.seed)
    game = JunqiGame(setting, chance, kept_options(args, add_arguments), args.resume or "")
    if begun is not None and taken is not None:
        game.remarks = remarks_on(args.resume, _count(begun.replay.arbiter), taken, game.options)
    return game


def _lineup(text: str, chance: random.Random) -> str | None:
    """The lineup that the user names; None: none. Raises InputError."""
    from pathlib import Path

    from junqi_protocol.rules import lineup

    if text in (_DRAW, _CHOOSE):
        return None
    try:
        path = Path(text)
        return lineup.parse(text) if "/" in text and not path.exists() else chance.choice(lineup.from_file(path))
    except lineup.LineupError as error:
        raise InputError(f"--lineup: {error}") from None
    except OSError as error:
        raise InputError(f"--lineup {legible(text)}: {error.strerror}") from None


class Begun(NamedTuple):
    """A saved game that continues."""

    replay: Replay
    options: str | None
    """Those of the command that saved it; None: the file has none."""
    seat: int
    """The person's, in a file of an older version, which has no options."""
    own: bool
    """Whether `sanqi play` wrote all that is in the file."""
    data: bytes
    """The file."""


def _load(name: str) -> Begun:
    """A game to continue. Raises InputError."""
    from junqi_protocol.records.records import RecordError, Replay, record_text
    from search_core.input_file import read_input

    try:
        data = read_input(name)
        replay = Replay(data)
    except OSError as error:
        raise InputError(f"--resume {legible(name)} cannot be read: {error.strerror}") from None
    except RecordError as error:
        raise InputError(f"--resume {legible(name)}: {error}") from None
    arbiter = replay.arbiter
    if arbiter.outcome is not None:
        raise InputError(f"--resume {legible(name)}: the game is over")
    comments = [line.decode("ascii", "replace").strip() for line in data.splitlines() if line.startswith(b"#")]
    options = next((text.removeprefix(_COMMENT) for text in comments if text.startswith(_COMMENT)), None)
    seats = range(arbiter.variant.seats)
    seat = next((seat for seat in seats if f"# you are seat {seat}" in comments), 0)
    own = f"{record_text(arbiter)}{_COMMENT}{options}\n".encode("ascii", "replace") == data
    return Begun(replay, options, seat, own, data)


def _count(arbiter: Arbiter) -> str:
    plies = len(arbiter.happenings)
    return "1 ply" if plies == 1 else f"{plies} plies"


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
    begun: Begun | None = None
    think_time_ms: int = THINK_TIME_MS
    """Milliseconds for each move of the engine."""
    seed: int = 1
    """Of the engine's lineups and moves."""


class JunqiGame:
    """A game between a person and the engine. `options`: those that it is played with, for its files; `name`: of the
    file that it was resumed from."""

    def __init__(self, setting: Setting, chance: random.Random, options: dict[str, str], name: str = "") -> None:
        self.options = options
        self.remarks: list[str] = []
        """What to say before the game."""
        self._setting = setting
        self._chance = chance
        self._arbiter: Arbiter | None = None
        self._files = GameFiles("junqi", "jgr")
        self._kept = -1
        """How many plies a file has of the game."""
        if setting.begun is not None:
            self._files.found(name, setting.begun.data if setting.begun.own else None)
            if not setting.begun.own or setting.begun.options == self._words():
                self._kept = len(setting.begun.replay.arbiter.happenings)

    def play(self) -> None:
        """Play to the end, or until the person leaves."""
        import asyncio

        from junqi_protocol.referee.connections import Connection
        from junqi_protocol.referee.local_engine import LocalEngine
        from junqi_protocol.referee.person import Person, PersonLeft
        from junqi_protocol.referee.referee import FROM_ENGINES, Referee, RefereeConditions, Spectator
        from junqi_protocol.rules.geometry import VARIANTS
        from junqi_protocol.rules.messages import Terms
        from sanqi.terminal_game import say
        from search_core.line_protocol import standard_input

        game = self

        class Keeper(Spectator):
            def begun(self, number: int, arbiter: Arbiter) -> None:
                game._arbiter = arbiter

        for remark in self.remarks:
            say(remark)
        setting = self._setting
        read = standard_input()
        lineup = setting.lineup
        if setting.chooses:
            from rich.console import Console

            from junqi_protocol.referee.lineup_dialogue import choose

            lineup = choose(read, Console(highlight=False), self._chance)
        variant = VARIANTS[setting.variant]
        players: list[Connection] = [
            Person((seat,), self._chance, lineup, read, self._save, self.keep)
            if seat == setting.seat
            else LocalEngine((seat,), setting.levels[seat], setting.think_time_ms, setting.seed)
            for seat in range(variant.seats)
        ]
        conditions = RefereeConditions(
            Terms(variant, quiet=_QUIET_PLIES, skips=_SKIPS, draws=True), lineups=FROM_ENGINES
        )
        begun = None if setting.begun is None else setting.begun.replay
        try:
            asyncio.run(Referee(conditions, players, Keeper(), begun).run())
        except PersonLeft:
            return
        self.keep()

    def keep(self) -> bool:
        """Save the game if it has a ply that no file has, and print how to go on with it. Returns whether nothing is
        lost."""
        from sanqi.terminal_game import say

        arbiter = self._arbiter
        if arbiter is None or not arbiter.happenings:
            return True
        if self._kept == len(arbiter.happenings):
            if self._files.latest is not None:
                say(f"{printable(self._files.latest)} has the game; {self._next_step(arbiter)}")
            return True
        if arbiter.outcome is not None:
            self._files.forget()  # a file to resume stays one
        with uninterrupted():
            try:
                say(self._write(arbiter, None))
            except SaveError as error:
                say(f"the game is not saved: {error}")
                return False
        return True

    def _save(self, name: str) -> str:
        """Save the game to a file that the person names; returns what to say about it."""
        assert self._arbiter is not None
        if not name:
            return NO_NAME
        try:
            return self._write(self._arbiter, name)
        except SaveError as error:
            return str(error)

    def _write(self, arbiter: Arbiter, name: str | None) -> str:
        """Save the game to a file; returns what to say about it. Raises SaveError."""
        from junqi_protocol.records.records import record_text

        data = f"{record_text(arbiter)}{_COMMENT}{self._words()}\n".encode("ascii")
        written = self._files.write_unnamed(data) if name is None else self._files.write(name, data)
        self._kept = len(arbiter.happenings)
        return f"saved {_count(arbiter)} to {written}; {self._next_step(arbiter)}"

    def _next_step(self, arbiter: Arbiter) -> str:
        """What can be done with the saved game."""
        assert self._files.latest is not None
        if arbiter.outcome is not None:
            return f"review it with: {join_words(['sanqi', 'review', self._files.latest])}"
        return f"go on with: {self._files.command({})}"

    def _words(self) -> str:
        return " ".join(words_of(self.options))
