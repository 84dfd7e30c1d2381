"""`sanqi play`: a person plays the engine in the terminal. Here is what the games have in common of the command."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import TYPE_CHECKING

from search_core.number_argument import number_argument

if TYPE_CHECKING:
    from types import ModuleType

_GAMES = {"xiangqi": "sanqi.play_xiangqi", "gomoku": "sanqi.play_gomoku", "junqi": "sanqi.play_junqi"}
_INTERRUPTED = 130
_LONGEST_MOVE_MS = 10**9
_EXAMPLE = """\
example:
  sanqi play gomoku

`sanqi play GAME --help` lists the options of a game and the commands at its
prompt.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi play`."""
    parser.epilog = _EXAMPLE
    games = parser.add_subparsers(title="games", dest="game", metavar="GAME", required=True)
    for name, module_name in _GAMES.items():
        module = importlib.import_module(module_name)
        game = games.add_parser(
            name,
            help=module.PURPOSE,
            description=f"{module.PURPOSE[0].upper()}{module.PURPOSE[1:]}.",
            epilog=f"{module.EXAMPLE}\n{module.COMMANDS}",
        )
        module.add_arguments(game)
        if module.HAS_MOVETIME:
            game.add_argument(
                "--movetime",
                type=number_argument(1, _LONGEST_MOVE_MS),
                default=1000,
                metavar="MS",
                help="milliseconds the engine thinks a move (default 1000)",
            )
        game.set_defaults(module=module)


def run(args: argparse.Namespace) -> int:
    """Play one game. Returns the exit status: 0, 2 for a wrong argument, 130 after Ctrl-C, which saves the game."""
    from sanqi.terminal_game import InputError, TerminalGame
    from search_core.engine import Engine

    module: ModuleType = args.module
    engine = Engine()
    try:
        game = module.open_game(args, engine)
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
        if isinstance(game, TerminalGame):
            game.save_interrupted()
        return _INTERRUPTED
    finally:
        engine.close()
    return 0
