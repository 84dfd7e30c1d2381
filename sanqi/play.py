"""`sanqi play`: a person plays the engine in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
from functools import partial
from typing import TYPE_CHECKING

from game_core.background import INTERRUPTED
from game_core.description import GameDescription
from game_core.display import GameDisplay, InputError
from game_core.kept_options import kept_options, remarks_on, take_over
from game_core.record_formats import remarks_of
from search_core.line_protocol import printable, standard_input
from search_core.number_argument import add_number
from search_core.parts import load_part

if TYPE_CHECKING:
    from game_core.games import GamesWith
    from game_core.given_options import Declare
    from sanqi.terminal_game import TerminalGame
    from search_core.engine import Engine

_MAX_SEED = 2**32 - 1
_EXAMPLE = """\
example:
  sanqi play {game}

`sanqi play GAME --help` lists the options of a game and the commands at its
prompt.
"""


def add_arguments(parser: argparse.ArgumentParser, all_games: GamesWith) -> None:
    """Declare the options of `sanqi play`, for games that can be played; if one is named, only the options of that."""
    parser.epilog = _EXAMPLE.format(game=next(iter(all_games)))
    games = parser.add_subparsers(title="games", dest="game", metavar="GAME", required=True)
    for game in all_games.values():
        options = games.add_parser(game.name, help=f"play {game.title}", description=f"Play {game.title}.")
        if all_games.named in (None, game.name):
            _add_game(options, game)


def _add_game(options: argparse.ArgumentParser, game: GameDescription) -> None:
    """Declare the options of a game."""

    def declare(parser: argparse.ArgumentParser) -> None:
        display.add_arguments(parser)
        add_number(parser, "--seed", 1, _MAX_SEED, "N", f"{display.seed_help} (default: another one each time)")

    display: GameDisplay = load_part(game.display)(game.name, game.title, lambda: load_part(game.session)())
    options.epilog = f"{display.example}\n{display.commands}"
    declare(options)
    options.set_defaults(open_game=partial(_open_game, display, declare))


def _open_game(display: GameDisplay, declare: Declare, args: argparse.Namespace, engine: Engine) -> TerminalGame:
    """The game that the options ask for. Raises InputError, and EOFError if the person leaves before it begins."""
    from game_core.table import Table
    from game_core.table_files import TableFiles
    from sanqi.terminal_game import TerminalGame, TypedLines, thinking

    name: str | None = getattr(args, "resume", None)
    args.saved = None if name is None else display.load(name)
    taken = None if args.saved is None else take_over(args, args.saved.options, declare)
    display.settle(args)
    options = kept_options(args, declare)
    options.pop("seed", None)
    if args.seed is None:
        args.seed = random.SystemRandom().getrandbits(32) or 1
    read = standard_input()
    display.ask(args, read)
    session = display.open_session(args)
    for remark in remarks_of(session):
        print(f"sanqi play: {printable(remark)}", file=sys.stderr)
    seat = display.seat(args, session)
    levels = display.levels(args, session)
    table = Table(session, (seat,), levels, partial(display.chooser, args, engine), args.seed)
    files = TableFiles(table, display, options, args.saved, name or "")
    game = TerminalGame(table, display, files, TypedLines(read))
    if name is not None and taken is not None:
        game.remarks = remarks_on(name, display.count(session.ply), taken, files.all_options)
        for other, chooser in table.choosers.items():
            with thinking():
                chooser.rehearse(partial(display.open_session, args), other, args.seed)
    return game


def run(args: argparse.Namespace) -> int:
    """Play one game. Returns the exit status: 0, 2 for a wrong argument, 130 after Ctrl-C. However it is left, the game
    is saved."""
    from search_core.child_process import interrupt_by_any_signal
    from search_core.engine import Engine

    if sys.stdin is not None and sys.stdin.isatty():
        # A byte that is no text must not end the game: a terminal may send GBK where the system has UTF-8.
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
        with contextlib.suppress(ImportError):  # Windows has its own line editing
            import readline  # noqa: F401 - gives input() a history
    interrupt_by_any_signal()
    game: TerminalGame | None = None
    try:
        game = args.open_game(args, Engine())
        game.play()
    except InputError as error:
        print(f"sanqi play: {error}", file=sys.stderr)
        return 2
    except EOFError:
        with contextlib.suppress(OSError):  # the terminal may have gone
            print()
        _keep(game)
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):  # the terminal may have gone
            print()
        _keep(game)
        return INTERRUPTED
    except OSError:  # the terminal has gone
        with contextlib.suppress(OSError):
            _keep(game)
        raise
    finally:
        if game is not None:
            game.table.close()
    return 0


def _keep(game: TerminalGame | None) -> None:
    """Save the game, if there is one."""
    if game is not None:
        game.keep()
