"""`sanqi convert`: converts game records between the formats of a game."""

from __future__ import annotations

import argparse
import itertools
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from game_core.record_files import (
    STANDARD_STREAM,
    NamedFormat,
    find_formats,
    formats_of,
    read_record_file,
    reading_options,
)
from game_core.record_formats import RecordError, RecordFormat, RecordOption, remarks_of
from search_core.failures import named, reason_of
from search_core.line_protocol import printable, shown_path
from search_core.number_argument import add_number
from search_core.whole_file import write_whole

if TYPE_CHECKING:
    from game_core.games import GamesWith

_MAX_GAMES = 10**9
_EXAMPLES = """\
examples:
  sanqi convert game.psq game.sgf
  sanqi convert game.sgf - --to hex
  sanqi convert game.xqf game.pgn --notation chinese --encoding gb18030

formats, by the file's suffix or --from and --to:
"""


def add_arguments(parser: argparse.ArgumentParser, all_games: GamesWith) -> None:
    """Declare the options of `sanqi convert`, for games that have formats."""
    known = formats_of(all_games.values())
    parser.epilog = _EXAMPLES + "".join(_described(each) for each in known)
    parser.add_argument("source", metavar="IN", help="the record to read; - is the standard input")
    parser.add_argument("target", metavar="OUT", help="the new file to write; - is the standard output")
    names = [each.form.name for each in known]
    parser.add_argument("--from", dest="source_format", choices=names, help="the format of IN")
    parser.add_argument("--to", dest="target_format", choices=names, help="the format of OUT")
    add_number(parser, "--game", 1, _MAX_GAMES, "N", "only the game with this number, from 1")
    parser.add_argument(
        "--skip", action="store_true", help="leave out the games that cannot be read, with a line for each"
    )
    for option in _declared(known, "options"):
        if option.choices:
            text = f"{option.purpose} (default {option.choices[0]})"
            parser.add_argument(f"--{option.name}", choices=option.choices, help=text)
        else:
            parser.add_argument(f"--{option.name}", action="store_true", default=None, help=option.purpose)
    for option in _declared(known, "reading"):
        few = len(option.choices) < 8
        parser.add_argument(
            f"--{option.name}", choices=option.choices, metavar=None if few else "N", help=option.purpose
        )
    parser.set_defaults(known=known)


def _described(each: NamedFormat) -> str:
    form = each.form
    suffixes = ", ".join(form.suffixes)
    return (
        textwrap.fill(
            f"{form.name:5} {each.game}, {suffixes}: {form.about}",
            width=78,
            initial_indent="  ",
            subsequent_indent=" " * 8,
        )
        + "\n"
    )


def _declared(known: list[NamedFormat], field: str) -> list[RecordOption]:
    """The options of all readers or writers, as a field of the formats has them, those of the same name once."""
    return list({option.name: option for each in known for option in getattr(each.form, field)}.values())


def _chosen_reading(args: argparse.Namespace, form: RecordFormat) -> dict[str, str]:
    """The options of the command line for the reader. Raises RecordError for one that it does not take."""
    chosen = reading_options(form, args)
    for option in _declared(args.known, "reading"):
        if getattr(args, option.name) is not None and option.name not in chosen:
            takers = " or ".join(each.form.name for each in args.known if option in each.form.reading)
            raise RecordError(f"--{option.name} goes with --from {takers}")
    return chosen


def run(args: argparse.Namespace) -> int:
    """Convert a file. Returns the exit status: 0, or 2 with one line on stderr and nothing written."""
    try:
        targets = find_formats(args.known, args.target, args.target_format, "--to")
        source, data = read_record_file(args.known, args.source, args.source_format)
        target = next((each for each in targets if each.game == source.game), targets[0])
        if source.game != target.game:
            raise RecordError(f"{source.form.name} is a format of {source.game}, {target.form.name} of {target.game}")
        if target.form.write is None:
            raise RecordError(f"{target.form.name} is only read, not written")
        options = _chosen_options(args, target.form)
        reading = _chosen_reading(args, source.form)
        games = _named(lambda: _games(source.form.read(data, **reading), args), args.source)
        if not target.form.holds_many:
            games = iter([_only_one(games, args.source, target.form.name)])
        # Game by game: the games of a large file take much more memory than their text.
        _write(b"".join(target.form.write([game], **options) for game in games), args.target)
    except (RecordError, MemoryError) as error:
        print(f"sanqi convert: {reason_of(error)}", file=sys.stderr)
        return 2
    return 0


def _named(read: Callable[[], Iterator[Any]], source: str) -> Iterator[Any]:
    """The games; a RecordError names the file."""
    with named(shown_path(source), RecordError):
        yield from read()


def _only_one(games: Iterator[Any], source: str, form: str) -> Any:
    """The game of a file for a format that holds one. Raises RecordError if there are more."""
    game = next(games)
    if others := sum(1 for _ in games):
        raise RecordError(f"{shown_path(source)} has {others + 1} games, {form} holds one; choose with --game N")
    return game


def _games(games: Iterator[Any], args: argparse.Namespace) -> Iterator[Any]:
    """The games that are wanted. Raises RecordError, also if there is none."""
    found = False
    for number in itertools.count(1):
        try:
            game = next(games)
        except StopIteration:
            break
        except RecordError as error:
            if args.game not in (None, number):
                continue
            if args.game is not None or not args.skip:
                raise
            print(f"sanqi convert: {shown_path(args.source)}: {error}; left out", file=sys.stderr)
            continue
        if args.game in (None, number):
            found = True
            for remark in remarks_of(game):
                print(f"sanqi convert: {shown_path(args.source)}: {printable(remark)}", file=sys.stderr)
            yield game
        if args.game == number:
            return
    if not found:
        raise RecordError("there is no game in it" if args.game is None else f"it has no game {args.game}")


def _chosen_options(args: argparse.Namespace, form: RecordFormat) -> dict[str, Any]:
    """The options of the command line that the writer takes. Raises RecordError for another one."""
    given = {option.name: getattr(args, option.name) for option in _declared(args.known, "options")}
    chosen = {name: value for name, value in given.items() if value is not None}
    for name in chosen:
        if name not in {option.name for option in form.options}:
            raise RecordError(f"--{name} does not go with {form.name}")
    return chosen


def _write(data: bytes, target: str) -> None:
    if target == STANDARD_STREAM:
        sys.stdout.buffer.write(data)
        return
    try:
        write_whole(target, data)
    except FileExistsError:
        raise RecordError(f"{shown_path(target)} exists already; nothing was written") from None
    except OSError as error:
        raise RecordError(f"{shown_path(target)} cannot be written: {reason_of(error)}") from None
