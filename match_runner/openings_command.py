"""`sanqi openings`: makes openings for the matches of a game."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

from game_core.background import in_background
from game_core.description import GameDescription
from game_core.progress import progress_bar
from search_core.child_process import interrupt_by_any_signal
from search_core.failures import failure_of
from search_core.number_argument import add_number
from search_core.parts import load_part
from search_core.version import __version__
from search_core.whole_file import whole_file

if TYPE_CHECKING:
    from match_runner.opening_maker import OpeningMaker

DEFAULT_COUNT = 100
NODES, MIN_NODES, MAX_NODES = 200_000, 1000, 1_000_000_000
"""Of the search that judges an opening: the default, and the range."""
MAX_OPENINGS = 1_000_000
MAX_JOBS = 256

_NODES_HELP = f"of the search that judges an opening (default {NODES:,}); take what your match searches in a move"

_EXAMPLE = """\
example:
  sanqi openings {game} --count 1500 --jobs 2 --out openings.txt

`sanqi match --openings FILE` reads the file. The openings have 6 to 10 plies.
After each of them a search of --nodes sees neither side ahead by more than 50
centipawns. No two lead to the same position or to mirrored ones.
"""


def add_arguments(parser: argparse.ArgumentParser, all_games: Mapping[str, GameDescription]) -> None:
    """Declare the options of `sanqi openings`, for games whose openings can be made."""
    parser.epilog = _EXAMPLE.format(game=next(iter(all_games)))
    games = parser.add_subparsers(title="games", dest="game", metavar="GAME", required=True)
    for game in all_games.values():
        purpose = f"make openings of {game.title}"
        options = games.add_parser(game.name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}.")
        options.epilog = _EXAMPLE.format(game=game.name)
        count = f"how many (default {DEFAULT_COUNT}); a match of N games needs half of them"
        add_number(options, "--count", 1, MAX_OPENINGS, "N", count, DEFAULT_COUNT)
        options.add_argument(
            "--out", type=Path, metavar="FILE", help="the new file, one opening a line (default: print them)"
        )
        add_number(options, "--seed", 0, 2**63, "N", "the same number gives the same openings (default 0)", 0)
        add_number(options, "--nodes", MIN_NODES, MAX_NODES, "N", _NODES_HELP, NODES)
        add_number(options, "--jobs", 1, MAX_JOBS, "N", "searches at a time (default 1)", 1)
        part = load_part(game.openings)
        part.add_arguments(options)
        options.set_defaults(part=part)


def run(args: argparse.Namespace) -> int:
    """Make openings. Returns the exit status: 0, 1 if fewer were found, 2 for a file that cannot be written, 130 when
    interrupted. What was found is written in any case."""
    from match_runner.opening_maker import OpeningMaker

    interrupt_by_any_signal()
    maker = OpeningMaker(args.part.source(args), args.seed, args.jobs, args.nodes)
    made = 0

    def work() -> None:
        nonlocal made
        with contextlib.ExitStack() as outputs:
            file = sys.stdout
            if args.out is not None:
                file = io.TextIOWrapper(outputs.enter_context(whole_file(args.out)), "utf-8", newline="\n")
                outputs.callback(file.detach)
            made = _write(args, maker, file)

    try:
        status = in_background(work, maker.cancel)
    except FileExistsError:
        return _complain(f"--out {args.out}: the file exists already; nothing was written", 2)
    except OSError as error:
        if args.out is None:
            raise
        return _complain(f"--out {failure_of(error)}", 2)
    if status:
        return _complain(f"interrupted after {made} of {args.count} openings", status)
    if made < args.count:
        return _complain(f"no more openings found after {made} of {args.count}", 1)
    return 0


def _complain(text: str, status: int) -> int:
    print(f"sanqi openings: {text}", file=sys.stderr)
    return status


def _write(args: argparse.Namespace, maker: OpeningMaker, file: IO[str]) -> int:
    """Write the openings, each when it is found. Returns how many."""
    from match_runner.opening_maker import MAX_CP

    nodes = ["--nodes", str(args.nodes)] if args.nodes != NODES else []
    command = " ".join([f"sanqi openings {args.game}", *args.part.options(args), *nodes])
    print(f"# Made with sanqi {__version__}: {command} --count {args.count} --seed {args.seed}", file=file)
    print(f"# {args.part.how(args)}", file=file)
    print(f"# Even by a search of {args.nodes:,} nodes: {MAX_CP} centipawns at most.", file=file, flush=True)
    made = 0
    with progress_bar(args.count, args.out is not None or not sys.stdout.isatty()) as progress:
        for opening in maker.make(args.count):
            print(opening.text, file=file, flush=True)
            made += 1
            progress.advance()
    return made
