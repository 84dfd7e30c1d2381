"""`sanqi book`: shows what opening books of Xiangqi have in a position, merges and converts books, and makes one."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from game_core.background import in_background
from game_core.progress import progress_bar
from search_core.clock import duration_text
from search_core.failures import SetUpError, failure_of, named
from search_core.line_protocol import excerpt
from search_core.number_argument import add_number
from ucci_engine.points import START_FEN, move_text
from ucci_engine.position_command import FEN_HELP, read_argument

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ucci_engine.books import BookMove, KeyedBook
    from ucci_engine.position import Position

DEFAULT_PLIES = 200
MAX_PLIES = 1000
DEFAULT_POSITIONS = 20_000
DEFAULT_NODES = 200_000
DEFAULT_MARGIN_CP = 30
MAX_JOBS = 256
_SHOWN_FROM_S = 60
"""Shorter estimates are not printed."""

_EXAMPLE = """\
examples:
  sanqi book show BOOK.DAT mine.obk --moves h2e2 h9g7
  sanqi book merge mine.obk BOOK.DAT both.obk
  sanqi book export BOOK.DAT book.tsv
  sanqi book make own.dat --jobs 2

formats: BOOK.DAT (sorted records), .obk and .pfBook (SQLite)
"""
_SHOW_EXAMPLE = """\
example:
  sanqi book show BOOK.DAT --moves 炮二平五
"""
_MERGE_EXAMPLE = """\
example:
  sanqi book merge mine.obk BOOK.DAT both.obk

A move that several books have gets the weight of the first of them. Books
with other keys than those of OUT are not copied: their moves are followed from
the start of a game.
"""
_EXPORT_EXAMPLE = """\
example:
  sanqi book export BOOK.DAT book.pfBook

.obk and .pfBook have the same keys, so all is copied from one to the other.
Else the book's moves are followed from the start of a game.
"""
_MAKE_EXAMPLE = """\
example:
  sanqi book make own.dat --positions 1000 --jobs 2

From the start of a game on, the moves are followed that are nearly as good as
the best one, for both sides. Each search is kept in OUT.searches as soon as it
is made; --resume continues, also with more positions.
"""
_SUFFIXES = "the format is that of its suffix: .dat, .obk, .pfBook, or .tsv (FEN, move, weight and note, with tabs)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi book`."""
    parser.epilog = _EXAMPLE
    actions = parser.add_subparsers(title="what to do", dest="action", metavar="ACTION", required=True)
    show = _action(actions, "show", "print the moves of a position, with their weights", _SHOW_EXAMPLE)
    show.add_argument("sources", nargs="+", metavar="FILE", help="a book")
    show.add_argument("--fen", default=START_FEN, help=FEN_HELP)
    show.add_argument("--moves", nargs="+", default=[], metavar="MOVE", help="moves from there on, in any notation")
    merge = _action(actions, "merge", "write what several books have into a new one", _MERGE_EXAMPLE)
    merge.add_argument("sources", nargs="+", metavar="IN", help="a book")
    export = _action(actions, "export", "write a book in another format", _EXPORT_EXAMPLE)
    export.add_argument("sources", nargs=1, metavar="IN", help="the book")
    for writing in (merge, export):
        writing.add_argument("target", metavar="OUT", help=f"the new file; {_SUFFIXES}")
        how_far = "if moves are followed, how far from the start of a game (default: %(default)s)"
        add_number(writing, "--plies", 1, MAX_PLIES, "N", how_far, DEFAULT_PLIES)
    _add_make(_action(actions, "make", "make a book by the engine's own searches", _MAKE_EXAMPLE))
    merge.add_argument("--add-weights", action="store_true", help="add the weights of a move that several books have")
    export.set_defaults(add_weights=False)


def _add_make(make: argparse.ArgumentParser) -> None:
    make.add_argument("target", metavar="OUT", help=f"the book; {_SUFFIXES}")
    how_many = "how many to search (default %(default)s); the book has those that good moves reach"
    how_much = "how much worse than the best one a move may be, in centipawns (default %(default)s)"
    add_number(make, "--positions", 1, 10_000_000, "N", how_many, DEFAULT_POSITIONS)
    add_number(make, "--nodes", 100, 10**9, "N", "nodes of each search (default %(default)s)", DEFAULT_NODES)
    add_number(make, "--margin", 0, 1000, "CP", how_much, DEFAULT_MARGIN_CP)
    add_number(make, "--jobs", 1, MAX_JOBS, "N", "searches at a time (default %(default)s)", 1)
    make.add_argument("--resume", action="store_true", help="continue; a book that is there is replaced at the end")


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, purpose: str, example: str
) -> argparse.ArgumentParser:
    description = f"{purpose[0].upper()}{purpose[1:]}."
    return actions.add_parser(name, help=purpose, description=description, epilog=example)


def run(args: argparse.Namespace) -> int:
    """Show or write books. Returns the exit status: 0, or 2 for a wrong argument or a book that cannot be used."""
    from ucci_engine.books import BookError

    try:
        if args.action == "show":
            return _show(args.sources, _position(args.fen, args.moves))
        if args.action == "make":
            return _make(args)
        _write(args.sources, args.target, args.plies, args.add_weights)
    except BookError as error:
        return _refuse(args.action, str(error))
    except OSError as error:
        return _refuse(args.action, failure_of(error))
    return 0


def _refuse(action: str, text: str) -> int:
    print(f"sanqi book {action}: {text}", file=sys.stderr)
    return 2


def _position(fen: str, moves: Sequence[str]) -> Position:
    from ucci_engine.books import BookError
    from ucci_engine.notation import NotationError, read_move

    with named("--fen", SetUpError, BookError):
        position = read_argument(fen).position
    for number, text in enumerate(moves, 1):
        with named(f"--moves: move {number}", NotationError, BookError):
            position.push(read_move(position, text))
    return position


def _show(paths: Sequence[str], position: Position) -> int:
    from ucci_engine.book_files import open_book
    from ucci_engine.books import BookError

    status = 0
    for path in paths:
        try:
            with closing(open_book(path)) as book:
                moves = book.moves(position)
        except BookError as error:
            status = _refuse("show", f"{excerpt(path)}: {error}")
        else:
            print("\n".join([f"{book.name}:", *_table(position, moves)]))
    return status


def _table(position: Position, moves: Sequence[BookMove]) -> Iterator[str]:
    from unicodedata import east_asian_width

    from ucci_engine.notation import name_move

    if not moves:
        yield "  no move"
    total = sum(max(move.weight, 0) for move in moves)
    for move in moves:
        share = f"{100 * move.weight / total:.0f} %" if move.weight > 0 else "-"
        name = name_move(position, move.move, "chinese")
        blanks = " " * (10 - sum(1 + (east_asian_width(one) in "WF") for one in name))
        line = f"  {move_text(move.move)}  {name}{blanks}{move.weight:7}  {share:>5}"
        yield f"{line}  {move.note}".rstrip()


def _make(args: argparse.Namespace) -> int:
    import os

    from ucci_engine.book_files import check_suffix
    from ucci_engine.book_maker import LOG_SUFFIX, BookMaker, SearchLog
    from ucci_engine.books import BookError

    check_suffix(args.target)
    is_ours = args.resume and os.path.exists(args.target + LOG_SUFFIX)
    if os.path.exists(args.target) and not is_ours:
        raise BookError(f"{excerpt(args.target)}: the file exists already; nothing was written")
    log = SearchLog(args.target + LOG_SUFFIX, args.nodes, args.resume)
    maker = BookMaker(log, args.nodes, args.margin, args.jobs)

    def work() -> None:
        seconds = maker.estimate_s(args.positions)
        if seconds >= _SHOWN_FROM_S:
            searches = f"{args.positions - len(log):,} searches of {args.nodes:,} nodes, {args.jobs} at a time"
            print(f"{searches}: estimated time {duration_text(seconds)}", flush=True)
        with progress_bar(args.positions) as progress:
            maker.search(args.positions, progress.advance)

    with log:
        status = in_background(work, maker.cancel)
        maker.close()
    if status:
        print(f"sanqi book make: interrupted after {len(log)} searches; continue with --resume", file=sys.stderr)
        return status
    moves, positions = maker.write(args.target)
    print(f"{moves} moves of {positions} positions written to {excerpt(args.target)}")
    return 0


def _write(paths: Sequence[str], target: str, plies: int, add_weights: bool) -> None:
    from ucci_engine.book_files import open_book
    from ucci_engine.book_merge import merge
    from ucci_engine.books import BookError

    books: list[KeyedBook] = []
    with ExitStack() as opened:
        for path in paths:
            with named(excerpt(path), BookError):
                books.append(opened.enter_context(closing(open_book(path))))
        merged = merge(books, target, plies, add_weights)
    positions = f" of {merged.positions} positions" if merged.positions else ""
    print(f"{merged.moves} moves{positions} written to {excerpt(target)}")
