"""`sanqi review`: says what was missed in recorded games."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from game_core.analysis import DEFAULT_NODES
from game_core.command_parser import add_old_name
from game_core.json_fields import FieldError
from game_core.record_files import STANDARD_STREAM
from game_review.analyse import TABLE_MB, add_notation, add_reading, add_resources
from game_review.analysis_request import MAX_MS, MAX_NODES
from game_review.review_figures import MARKS, Thresholds
from search_core.failures import reason_of
from search_core.line_protocol import excerpt, shown_path
from search_core.number_argument import number_argument
from search_core.parts import load_part
from search_core.whole_file import check_writable

if TYPE_CHECKING:
    from game_core.games import GamesWith

_EXAMPLES = """\
examples (a table of a game; a page for a browser; a folder, as JSON; the same
after Ctrl-C):
  sanqi review game.psq
  sanqi review game.pgn --html review.html
  sanqi review games --nodes 500000 --json review.json
  sanqi review games --json review.json --resume
"""
_GENERATOR = b'content="sanqi review"'
_PAGE_HEAD = 4096
"""So many bytes of a page have the name of what made it."""


def add_arguments(parser: argparse.ArgumentParser, games: GamesWith) -> None:
    """Declare the options of `sanqi review`, for games that have records."""
    parser.epilog = _EXAMPLES
    reviewed = [game for game in games.values() if game.review]
    parser.add_argument(
        "games",
        nargs="+",
        metavar="GAME",
        help="a file of any format that `sanqi convert` reads, or a folder with such files; - is the standard input",
    )
    group = parser.add_argument_group("what is reviewed")
    add_reading(group, games, "the format of the files", "only game N of each file, from 1")
    for game in reviewed:
        load_part(game.review).add_arguments(group)
    group = parser.add_argument_group("how it is reviewed")
    limit = group.add_mutually_exclusive_group()
    limit.add_argument(
        "--nodes",
        type=number_argument(1, MAX_NODES // 4),
        metavar="N",
        help=f"nodes a position (default {DEFAULT_NODES}); two searches of four times as many confirm each mark",
    )
    movetime = limit.add_argument(
        "--movetime",
        type=number_argument(1, MAX_MS // 4),
        metavar="MS",
        help="milliseconds in place of nodes: then the marks depend on the machine and its load",
    )
    add_old_name(limit, "--time", movetime)
    for mark, usual in zip(MARKS, Thresholds()):
        article = "an" if mark[0] in "aeiou" else "a"
        group.add_argument(
            f"--{mark}",
            type=_points,
            metavar="POINTS",
            help=f"loss of expected score, in points of 100, that makes {article} {mark} (default {usual:g})",
        )
    add_notation(group, reviewed, "of the moves: {} (default: the game's first that the terminal can show)")
    group = parser.add_argument_group("output files")
    group.add_argument("--html", metavar="FILE", help="a page to step through the games, for a browser")
    group.add_argument(
        "--json", metavar="FILE", help="everything, as one JSON object; - prints it in place of the table"
    )
    group.add_argument(
        "--resume",
        action="store_true",
        help="go on with the file of --json, with its settings: what it has is not searched again",
    )
    add_resources(parser, f"the table of each thread (default {TABLE_MB})")
    parser.set_defaults(registry=games)


def _points(text: str) -> float:
    try:
        points = float(text)
    except ValueError:
        points = 0.0
    if not 0 < points <= 100:
        raise argparse.ArgumentTypeError(f"expected a number above 0 and up to 100, got {excerpt(text)}")
    return points


def run(args: argparse.Namespace) -> int:
    """Review. Returns the exit status: 0; 1 if a game could not be reviewed; 2 for wrong arguments, or if there is no
    game to review or a file cannot be written; 130 when interrupted."""
    from game_review.review_run import run_review

    try:
        _check(args)
        return run_review(args)
    except FieldError as error:
        print(f"sanqi review: {error}", file=sys.stderr)
        return 2


def _check(args: argparse.Namespace) -> None:
    """Raises FieldError for options that do not go together."""
    if args.games.count(STANDARD_STREAM) > 1:
        raise FieldError("the standard input can be read only once")
    if args.resume and args.json in (None, STANDARD_STREAM):
        raise FieldError("--resume needs --json FILE")
    if args.json not in (None, STANDARD_STREAM):
        _check_output("--json", args.json, args.resume)
    if args.html is not None:
        if args.html == STANDARD_STREAM:
            raise FieldError("--html needs a file; only --json can be printed")
        _check_output("--html", args.html, args.resume and _is_page(Path(args.html)))
        if args.json is not None and Path(args.html).resolve() == Path(args.json).resolve():
            raise FieldError("--json and --html name the same file")


def _is_page(file: Path) -> bool:
    """Whether a file is a page of an earlier review, which may be replaced."""
    try:
        if not file.is_file():
            return False
        with file.open("rb") as page:
            return _GENERATOR in page.read(_PAGE_HEAD)
    except OSError:
        return False


def _check_output(option: str, file: str, may_exist: bool) -> None:
    """Raises FieldError for a file that cannot be written, before hours of work."""
    try:
        check_writable(file, may_exist)
    except FileExistsError:
        hint = "; go on with it by --resume" if option == "--json" else ""
        raise FieldError(f"{option} {shown_path(file)}: the file exists already{hint}") from None
    except OSError as error:
        raise FieldError(f"{option} {shown_path(file)}: {reason_of(error)}") from None
