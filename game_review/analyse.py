"""`sanqi analyse`: analyses positions, as JSON lines for programs or as a table for people."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from game_core.json_fields import FieldError
from game_core.record_files import formats_of
from game_review.analysis_request import MAX_DEPTH, MAX_LINES, MAX_MS, MAX_NODES, PERSPECTIVES
from search_core.line_protocol import excerpt
from search_core.number_argument import add_number, number_argument
from search_core.options import MAX_HASH_MB, MAX_THREADS
from search_core.parts import load_part

if TYPE_CHECKING:
    from game_core.analysis import Analyst
    from game_core.description import GameDescription
    from game_core.games import GamesWith

_EXAMPLES = """\
examples (a program asks; a table of a game; the three best moves of a
position):
  printf '{{"id":"1","game":"{game}","position":{{}}}}\\n' | sanqi analyse
  sanqi analyse game.psq --nodes 50000
  sanqi analyse --fen "{fen}" --multipv 3
"""
TABLE_MB = 16
"""Of each thread: 100,000 nodes fill a quarter of it."""
_TIMEOUT_S = 60
_MAX_TIMEOUT_S = 10**6
_MAX_TURNS = 10**6
_MAX_GAMES = 10**9


def add_arguments(parser: argparse.ArgumentParser, games: GamesWith) -> None:
    """Declare the options of `sanqi analyse`, for games that can be analysed."""
    parser.epilog = _EXAMPLES.format(game=next(iter(games)), fen="4k4/9/9/9/9/9/9/9/R8/3K5 w")
    parts = [load_part(game.analysis) for game in games.values()]
    parser.add_argument(
        "record",
        nargs="?",
        metavar="RECORD",
        help="a game, of any format that `sanqi convert` reads; - is the standard input (default: JSON lines from "
        "there)",
    )
    group = parser.add_argument_group("what is analysed")
    add_reading(group, games, "the format of RECORD", "game N of RECORD, from 1")
    group.add_argument(
        "--turn",
        type=number_argument(0, _MAX_TURNS),
        metavar="N",
        help="only the position after N moves (default: all of RECORD, the last one of other positions)",
    )
    for part in parts:
        part.add_arguments(group)
    group = parser.add_argument_group("how it is analysed")
    limit = group.add_mutually_exclusive_group()
    limit.add_argument("--nodes", type=number_argument(1, MAX_NODES), metavar="N", help="(default 100000)")
    limit.add_argument("--movetime", type=number_argument(1, MAX_MS), metavar="MS", help="milliseconds a position")
    limit.add_argument("--depth", type=number_argument(1, MAX_DEPTH), metavar="N", help="plies")
    group.add_argument("--multipv", type=number_argument(1, MAX_LINES), metavar="N", help="how many moves (default 1)")
    add_notation(group, games.values(), "of the moves in the table: {}")
    group.add_argument(
        "--perspective",
        choices=PERSPECTIVES,
        help="whose scores the table has: of the side that moves first (firstSide, default), or of the side to move",
    )
    add_resources(parser, f"all tables together (default {TABLE_MB} for each thread)")
    _add_engine(parser, games)
    parser.set_defaults(registry=games, usual=vars(parser.parse_args([])))


def add_reading(group: argparse._ArgumentGroup, games: GamesWith, form_help: str, game_help: str) -> None:
    """Declare the options that say how records are read."""
    names = [each.form.name for each in formats_of(games.values())]
    group.add_argument("--from", dest="source_format", choices=names, help=form_help)
    group.add_argument("--game", type=number_argument(1, _MAX_GAMES), metavar="N", help=game_help)


def add_notation(group: argparse._ArgumentGroup, games: Iterable[GameDescription], text: str) -> None:
    """Declare --notation, with the notations of these games in its help."""
    names = list(dict.fromkeys(name for game in games for name in load_part(game.analysis).NOTATIONS))
    group.add_argument("--notation", choices=names, metavar="NAME", help=text.format(", ".join(names)))


def add_resources(parser: argparse.ArgumentParser, hash_help: str) -> None:
    """Declare --threads and --hash, for searches of our own engine."""
    group = parser.add_argument_group("resources")
    group.add_argument(
        "--threads",
        type=number_argument(1, MAX_THREADS),
        default=os.cpu_count() or 1,
        metavar="N",
        help="positions at the same time (default: one for each processor)",
    )
    add_number(group, "--hash", 1, MAX_HASH_MB, "MB", hash_help)


def _add_engine(parser: argparse.ArgumentParser, games: GamesWith) -> None:
    protocols = sorted({name for game in games.values() if game.analysts for name in game.match_protocols})
    group = parser.add_argument_group("another engine")
    group.add_argument("--engine", metavar="COMMAND", help="let this program analyse; one is started for each thread")
    group.add_argument("--protocol", choices=protocols, help="what it speaks, as in `sanqi match`")
    group.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set an option of the engine (Gomocup: INFO NAME VALUE); may be repeated",
    )
    group.add_argument(
        "--timeout",
        type=number_argument(1, _MAX_TIMEOUT_S),
        metavar="S",
        help="seconds that the engine may take for a position, beside its time in milliseconds; then it is ended and "
        f"started again (default {_TIMEOUT_S})",
    )


def run(args: argparse.Namespace) -> int:
    """Analyse. Returns the exit status: 0, 2 for wrong arguments, 130 when a table was interrupted."""
    from game_review.analysis_table import print_table, table_request

    try:
        request = table_request(args)
        engine = _engine(args)
        if engine is not None and request is not None and request.game != engine.game:
            raise FieldError(f"--protocol {args.protocol}: an engine of {engine.game} does not play {request.game}")
    except FieldError as error:
        print(f"sanqi analyse: {error}", file=sys.stderr)
        return 2
    if request is not None:
        return print_table(args, request, _analysts(args, engine))
    from game_review.analysis_server import MAX_REQUEST, AnalysisServer
    from search_core.standard_channel import on_standard_channel

    if sys.stdin is not None and sys.stdin.isatty():
        print("sanqi analyse waits for a JSON object a line; see also `sanqi analyse --help`.", file=sys.stderr)
    games = args.registry if engine is None else {engine.game: args.registry[engine.game]}
    return on_standard_channel(
        lambda channel: AnalysisServer(channel, games, _analysts(args, engine)).run(), MAX_REQUEST
    )


def _analysts(args: argparse.Namespace, engine: _Engine | None) -> Sequence[Analyst]:
    """One for each thread."""
    if engine is not None:
        return [engine.open() for _ in range(args.threads)]
    from game_core.engine_analyst import EngineAnalyst

    table_mb = TABLE_MB if args.hash is None else max(args.hash // args.threads, 1)
    return [EngineAnalyst(table_mb) for _ in range(args.threads)]


class _Engine(NamedTuple):
    """What makes another engine analyse a game."""

    game: str
    open: Callable[[], Analyst]


def _engine(args: argparse.Namespace) -> _Engine | None:
    """The engine of the command line; None: ours. Raises FieldError."""
    if args.engine is None:
        for option, value in (("--protocol", args.protocol), ("--set", args.set), ("--timeout", args.timeout)):
            if value:
                raise FieldError(f"{option} needs --engine")
        return None
    if args.protocol is None:
        raise FieldError("--engine needs --protocol")
    if args.hash is not None:
        raise FieldError("--hash is for our engine; --set names an option of another one")
    from engine_client.specification import SpecificationError, specification_of

    game = next(game for game in args.registry.values() if game.analysts and args.protocol in game.match_protocols)
    words = [("cmd", args.engine), ("proto", args.protocol)]
    for setting in args.set:
        name, equals, value = setting.partition("=")
        if not name or not equals:
            raise FieldError(f"--set {excerpt(setting)}: expected NAME=VALUE")
        words.append((f"option.{name}", value))
    try:
        specification = replace(specification_of(words, game), allows_unknown=True)
    except SpecificationError as error:
        raise FieldError(f"--engine: {error}") from None
    open_analyst, timeout_s = load_part(game.analysts), args.timeout or _TIMEOUT_S
    return _Engine(game.name, lambda: open_analyst(specification, timeout_s))
