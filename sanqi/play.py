"""`sanqi play`: a person plays the engine in the terminal."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from sanqi.background import INTERRUPTED
from search_core.description import GameDescription, load_part
from search_core.display import GameDisplay, InputError
from search_core.number_argument import number_argument

if TYPE_CHECKING:
    from sanqi.registry import GamesWith
    from sanqi.terminal_game import TerminalGame
    from search_core.engine import Engine
    from search_core.session import Session

_LONGEST_MOVE_MS = 10**9
_LARGEST_SEED = 2**32 - 1
_IN_RECORD = ("fen", "lineup", "resume", "size", "variant")
"""Options that a saved game does not need again."""
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
        options.set_defaults(usual=vars(options.parse_args([])))


def _add_session_game(options: argparse.ArgumentParser, game: GameDescription) -> None:
    """Declare the options of a game that is played through its session and display."""

    def begin() -> Session:
        session: Session = load_part(game.session)()
        return session

    def open_game(args: argparse.Namespace, engine: Engine) -> TerminalGame:
        from sanqi.terminal_game import TerminalGame

        session = display.open_session(args)
        seat = session.sides.index(args.side)
        opponent, level = display.opponent(args), display.level(args)
        return TerminalGame(session, display, seat, engine, args.movetime, opponent, level, args.seed)

    display: GameDisplay = load_part(game.display)(game.name, game.title, begin)
    options.epilog = f"{display.example}\n{display.commands}"
    display.add_arguments(options)
    options.add_argument(
        "--movetime",
        type=number_argument(1, _LONGEST_MOVE_MS),
        metavar="MS",
        help="milliseconds the engine thinks a move, at most (default 1000; at a level no limit)",
    )
    add_seed(options, "of a level or a classic player: the same number and moves give the same game")
    options.set_defaults(open_game=open_game)


def add_seed(options: argparse.ArgumentParser, what: str) -> None:
    """Declare --seed. `what` it does, for its help."""
    options.add_argument(
        "--seed",
        type=number_argument(1, _LARGEST_SEED),
        metavar="N",
        help=f"{what} (default: another one each time)",
    )


def _options(args: argparse.Namespace) -> list[str]:
    """The words of the command line that go on with a game under the same conditions, but for the seed."""
    words: list[str] = []
    for name, usual in args.usual.items():
        value = getattr(args, name)
        if value != usual and name not in _IN_RECORD and name != "seed":
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words


def run(args: argparse.Namespace) -> int:
    """Play one game. Returns the exit status: 0, 2 for a wrong argument, 130 after Ctrl-C. Ctrl-C saves the game."""
    from search_core.engine import Engine

    engine = Engine()
    try:
        game = args.open_game(args, engine)
    except InputError as error:
        print(f"sanqi play: {error}", file=sys.stderr)
        return 2
    if sys.stdin is not None and sys.stdin.isatty():
        import contextlib

        with contextlib.suppress(ImportError):  # Windows has its own line editing
            import readline  # noqa: F401 - gives input() a history
    try:
        game.play()
    except EOFError:
        print()
    except KeyboardInterrupt:
        print()
        game.save_interrupted(" ".join(["sanqi play", args.game, *_options(args)]))
        return INTERRUPTED
    finally:
        engine.close()
    return 0
