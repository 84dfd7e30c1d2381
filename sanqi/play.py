"""`sanqi play`: a person plays the engine in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import sys
from typing import TYPE_CHECKING

from game_core.background import INTERRUPTED
from game_core.description import GameDescription
from game_core.display import GameDisplay, InputError
from game_core.record_formats import remarks_of
from sanqi.play_options import kept_options, remarks_on, take_over
from search_core.line_protocol import printable
from search_core.number_argument import number_argument
from search_core.parts import load_part

if TYPE_CHECKING:
    from game_core.games import GamesWith
    from game_core.given_options import Declare
    from game_core.session import Session
    from sanqi.terminal_game import TerminalGame
    from search_core.engine import Engine

_LONGEST_MOVE_MS = 10**9
_LARGEST_SEED = 2**32 - 1
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
        if all_games.named not in (None, game.name):
            continue
        if game.play:
            module = load_part(game.play)
            options.epilog = f"{module.EXAMPLE}\n{module.COMMANDS}"
            module.add_arguments(options)
            options.set_defaults(open_game=module.open_game)
        else:
            _add_session_game(options, game)


def _add_session_game(options: argparse.ArgumentParser, game: GameDescription) -> None:
    """Declare the options of a game that is played through its session and display."""

    def begin() -> Session:
        session: Session = load_part(game.session)()
        return session

    def declare(parser: argparse.ArgumentParser) -> None:
        display.add_arguments(parser)
        parser.add_argument(
            "--movetime",
            type=number_argument(1, _LONGEST_MOVE_MS),
            metavar="MS",
            help="milliseconds the engine thinks a move, at most (default 1000; at a level no limit)",
        )
        add_seed(parser, "of a level or a classic player: the same number and moves give the same game")

    def open_game(args: argparse.Namespace, engine: Engine) -> TerminalGame:
        return _open_session_game(args, engine, display, declare)

    display: GameDisplay = load_part(game.display)(game.name, game.title, begin)
    options.epilog = f"{display.example}\n{display.commands}"
    declare(options)
    options.set_defaults(open_game=open_game)


def _open_session_game(
    args: argparse.Namespace, engine: Engine, display: GameDisplay, declare: Declare
) -> TerminalGame:
    """The game that the options ask for. Raises InputError."""
    from sanqi.terminal_game import TerminalGame, rehearse

    name: str | None = getattr(args, "resume", None)
    args.saved = None if name is None else display.load(name)
    taken = None if args.saved is None else take_over(args, args.saved.options, declare)
    display.settle(args)
    session = display.open_session(args)
    for remark in remarks_of(session):
        print(f"sanqi play: {printable(remark)}", file=sys.stderr)
    seat = session.sides.index(args.side)
    opponent, level = display.opponent(args), display.level(args)
    options = kept_options(args, declare)
    options.pop("seed", None)
    game = TerminalGame(
        session, display, seat, engine, args.movetime, opponent, level, args.seed, options, args.saved, name or ""
    )
    if name is not None and taken is not None:
        game.remarks = remarks_on(name, game.count, taken, game.all_options)
        if level is not None and args.movetime is None:
            rehearse(game, display.open_session(args))
    return game


def add_seed(options: argparse.ArgumentParser, what: str) -> None:
    """Declare --seed. `what` it does, for its help."""
    options.add_argument(
        "--seed",
        type=number_argument(1, _LARGEST_SEED),
        metavar="N",
        help=f"{what} (default: another one each time)",
    )


def run(args: argparse.Namespace) -> int:
    """Play one game. Returns the exit status: 0, 2 for a wrong argument, 130 after Ctrl-C. However it is left, the game
    is saved."""
    from search_core.child_process import interrupt_by_any_signal
    from search_core.engine import Engine

    engine = Engine()
    try:
        game = args.open_game(args, engine)
    except InputError as error:
        print(f"sanqi play: {error}", file=sys.stderr)
        return 2
    if sys.stdin is not None and sys.stdin.isatty():
        with contextlib.suppress(ImportError):  # Windows has its own line editing
            import readline  # noqa: F401 - gives input() a history
    interrupt_by_any_signal()
    try:
        game.play()
    except EOFError:
        print()
        game.keep()
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):  # the terminal may have gone
            print()
        game.keep()
        return INTERRUPTED
    except OSError:  # the terminal has gone
        with contextlib.suppress(OSError):
            game.keep()
        raise
    finally:
        engine.close()
    return 0
