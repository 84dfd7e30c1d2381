"""`sanqi board`: play all games in the browser."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from search_core.child_process import interrupt_by_any_signal
from search_core.failures import reason_of
from search_core.number_argument import add_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from game_core.games import GamesWith
    from web_board.games import PageGame
    from web_board.practice import Reviewed

_EXAMPLE = """\
examples (open the page in your browser; print its address only; play with
others in the same network):
  sanqi board
  sanqi board --no-open --port 8000
  sanqi board --host 192.168.1.20
"""

_LINKS = """\
Links for others. Who has a link can use it; HTTP is not encrypted, so who can
read the network's traffic can, too:"""


def add_arguments(parser: argparse.ArgumentParser, games: GamesWith) -> None:
    """Declare the options of `sanqi board`."""
    parser.epilog = _EXAMPLE
    help = "an address of this computer, at which others can play and watch over links (default: nobody can)"
    parser.add_argument("--host", metavar="ADDRESS", help=help)
    help = "another engine that plays, in the words of sanqi match: 'name=pikafish cmd=./pikafish proto=uci'"
    parser.add_argument("--engine", action="append", default=[], metavar="SPEC", help=help)
    parser.add_argument("--engines", type=Path, metavar="FILE", help="TOML file of engines that have names")
    help = "show the games of a match's --out FILE, or the records of a folder, also while they are played"
    parser.add_argument("--watch", type=Path, metavar="PATH", help=help)
    help = "practise the mistakes of reviewed games, by the file of `sanqi review GAMES --json FILE`"
    parser.add_argument("--practise", type=Path, metavar="FILE", help=help)
    parser.add_argument("--player", metavar="NAME", help="with --practise: the mistakes of this player alone")
    add_number(parser, "--port", 1, 65535, "N", "of the address (default: that of the last start, or a free one)")
    parser.add_argument("--no-open", action="store_true", help="open no browser")
    parser.set_defaults(games=games)


def run(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C. Returns the exit status: 0, 2 if a library is missing or the port is taken."""
    import asyncio
    import threading
    import webbrowser

    from engine_client.specification import SpecificationError, read_engines

    try:
        from web_board.server import BoardServer, Started
    except ModuleNotFoundError as error:
        if error.name not in ("platformdirs", "websockets"):
            raise
        print(f"sanqi board: {error.name} is missing: pip install 'sanqi[board]'", file=sys.stderr)
        return 2
    from web_board.address import HostError, check_host
    from web_board.games import PageGame
    from web_board.named_engines import read_named_engines
    from web_board.practice import PracticeError
    from web_board.watched_games import WatchError, open_games

    def started(begun: Started) -> None:
        print(f"The board is at {begun.address}")
        if begun.links:
            print(_LINKS)
            for whose, link in begun.links:
                print(f"  {link}  {whose}")
        print("Ctrl-C ends it.", flush=True)
        if not args.no_open:  # some browsers answer only when they end, or when the page is there
            threading.Thread(target=webbrowser.open, args=(begun.address,), daemon=True).start()

    args.games.read_installed()
    descriptions = list(args.games.values())
    try:
        if args.host is not None:
            check_host(args.host)
        known = read_engines(args.engines) if args.engines else None
        engines = read_named_engines(args.engine, descriptions, known)
        games = {}
        for game in descriptions:
            own = {each.specification.name: each.specification for each in engines if each.game == game.name}
            games[game.name] = PageGame(game, own)
        watched = open_games(args.watch, games) if args.watch is not None else None
        reviewed = _reviewed_games(args, games)
    except (HostError, PracticeError, SpecificationError, WatchError) as error:
        print(f"sanqi board: {error}", file=sys.stderr)
        return 2
    interrupt_by_any_signal()
    try:
        server = BoardServer(games, data_folder() / "tables", args.host or "", watched, reviewed)
        asyncio.run(server.serve(args.port or 0, started))
    except KeyboardInterrupt:
        print()
    except OSError as error:
        where = f"port {args.port}: " if args.port else ""
        print(f"sanqi board: {where}{reason_of(error)}", file=sys.stderr)
        return 2
    return 0


def _reviewed_games(args: argparse.Namespace, games: Mapping[str, PageGame]) -> dict[str, Reviewed]:
    """The games of --practise. Raises PracticeError."""
    from web_board.practice import PracticeError

    if args.practise is None:
        if args.player is not None:
            raise PracticeError("--player names whose mistakes of --practise FILE; there is no file")
        return {}
    from web_board.reviewed_files import read_reviewed

    return read_reviewed(args.practise, args.player, games)


def data_folder() -> Path:
    """Where tables are kept: SANQI_DATA, or the user's data directory."""
    from platformdirs import user_data_path

    return Path(os.environ.get("SANQI_DATA") or user_data_path("sanqi", appauthor=False))
