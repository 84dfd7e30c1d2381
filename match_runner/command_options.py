"""The options of `sanqi match`: their names, help texts and values."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine_client.specification import MAX_NODES, MAX_NUMBER
from engine_client.time_control import TimeControl, parse_time_control
from game_core.description import GameDescription
from match_runner.schedule import ROUND_ROBIN, TOURNAMENTS
from match_runner.statistics import ERROR_RATE, MIN_RATE
from search_core.failures import becoming
from search_core.line_protocol import excerpt
from search_core.number_argument import add_number
from search_core.parts import load_part

_EXAMPLE = """\
examples:
{examples}
keys of an engine:
  name, cmd, proto ({protocols}),
  variant (UCI_Variant), ranks (0-9 or 1-10), dir, memory (MiB),
  option.NAME (in Gomocup INFO NAME),
  tc, movetime, nodes or depth (instead of the match's)
Quote words with spaces: cmd="sanqi uci" option."Move Overhead"=10
With --engines FILE the first word may be a name from that file:
  --engine "fairy option.Hash=16"
"""

_MAX_GAMES = 10**6


def add_arguments(parser: argparse.ArgumentParser, games: Mapping[str, GameDescription]) -> None:
    """Declare the options of `sanqi match`, for games that engines can play."""
    modules = [load_part(game.match) for game in games.values() if game.match]
    parts = [module for module in modules if hasattr(module, "EXAMPLE")]  # an installed game's has only prepare()
    *names, last = (name for game in games.values() for name in game.match_protocols)
    parser.epilog = _EXAMPLE.format(
        examples="".join(part.EXAMPLE for part in parts), protocols=f"{', '.join(names)} or {last}"
    )
    _add_players(parser)
    group = parser.add_argument_group("what they play")
    usual = next(iter(games))
    group.add_argument("--game", choices=games, default=usual, help=f"(default {usual})")
    parser.set_defaults(registry=games)
    for part in parts:
        part.add_arguments(group)
    _add_openings(group, parts)
    _add_limits(parser)
    _add_endings(parser)
    _add_output(parser, parts)


def _add_players(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("who plays")
    group.add_argument(
        "--engine",
        action="append",
        default=[],
        metavar="SPEC",
        help="an engine, as key=value words or its program alone; give two or more",
    )
    group.add_argument("--engines", type=Path, metavar="FILE", help="TOML file of engines that have names")
    group.add_argument(
        "--allow-unknown-options",
        action="store_true",
        help="send options and values even if an engine does not list them (default: the match does not start)",
    )
    group.add_argument(
        "--tournament",
        choices=TOURNAMENTS,
        default=ROUND_ROBIN,
        help="with more than two engines: all pairs (default), or the first against each of the others",
    )
    add_number(group, "--games", 1, _MAX_GAMES, "N", "number of games for each pair of engines (default 100)", 100)
    where = group.add_mutually_exclusive_group()
    add_number(where, "--concurrency", 1, MAX_NUMBER, "N", "games at the same time (default 1)", 1)
    where.add_argument(
        "--scheduler", metavar="tcp://HOST:PORT", help="play on the workers of a Dask cluster, one game per thread"
    )


def _add_openings(group: argparse._ArgumentGroup, parts: Sequence[Any]) -> None:
    group.add_argument(
        "--openings",
        type=Path,
        metavar="FILE",
        help=f"one opening a line: {'; '.join(part.OPENINGS for part in parts if part.OPENINGS)}; or a folder of files "
        "(default: the shipped ones)",
    )
    add_number(group, "--opening-plies", 1, MAX_NUMBER, "N", "use only the first N plies of each opening")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how long they think")
    limit = group.add_mutually_exclusive_group()
    add_number(limit, "--movetime", 1, MAX_NUMBER, "MS", "milliseconds a move (default 100)")
    limit.add_argument(
        "--tc",
        type=_time_control,
        metavar="[MOVES/]BASE[+INC]",
        help="seconds for a game (or for each period of MOVES moves, if the protocol has that), plus an increment per "
        "move; for a side, or for each of its seats",
    )
    add_number(limit, "--nodes", 1, MAX_NODES, "N", "nodes a move, without a clock (Gomocup: INFO max_node)")
    add_number(limit, "--depth", 1, MAX_NUMBER, "N", "plies a move, without a clock (Gomocup: INFO max_depth)")
    whole = "seconds for a whole game, for a side or for each of its seats (default: no limit)"
    add_number(group, "--match-time", 1, MAX_NUMBER, "S", whole)
    margin = "milliseconds over the limit before a move loses on time (default 200)"
    add_number(group, "--margin", 0, MAX_NUMBER, "MS", margin, 200)
    group.add_argument("--ponder", action="store_true", default=None, help="let engines think on the opponent's time")


def _add_endings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("when it ends")
    add_number(group, "--max-plies", 0, MAX_NUMBER, "N", "longer games are drawn (default 0: no limit)", 0)
    group.add_argument(
        "--adjudicate-win",
        metavar="CP,MOVES",
        help="adjudicate a win once both engines have seen the same side ahead by CP for MOVES moves",
    )
    group.add_argument(
        "--adjudicate-draw",
        metavar="CP,MOVES,PLY",
        help="adjudicate a draw from ply PLY once both scores have stayed within CP for MOVES moves",
    )
    group.add_argument(
        "--sprt",
        metavar="ELO0,ELO1",
        help="stop when the test accepts H1 (the first engine is stronger by ELO1 or more) or H0 (by ELO0 or less), "
        "with errors of 5 %%; for no regression --sprt -5,0",
    )
    for option, error in (("alpha", "H1 although H0 is true"), ("beta", "H0 although H1 is true")):
        group.add_argument(
            f"--sprt-{option}",
            type=_error_rate,
            metavar="P",
            help=f"probability that the test accepts {error} (default {ERROR_RATE:g})",
        )


def _add_output(parser: argparse.ArgumentParser, parts: Sequence[Any]) -> None:
    group = parser.add_argument_group("what is kept")
    group.add_argument("--out", type=Path, metavar="FILE", help="write the games, one JSON object a line")
    group.add_argument(
        "--live",
        action="store_true",
        default=None,
        help="with --out, on this machine: keep the games in progress beside it, for sanqi board --watch",
    )
    group.add_argument(
        "--resume",
        nargs="?",
        type=Path,
        const=True,
        metavar="FILE",
        help="continue the match in FILE, which has its other options (default: in the file of --out)",
    )
    group.add_argument(
        "--records",
        type=Path,
        metavar="PATH",
        help=f"write the games for other programs: {', '.join(part.RECORDS for part in parts)}",
    )
    group.add_argument("--report", type=Path, metavar="FILE", help="write a report with plots and a board, as HTML")
    group.add_argument("--stderr", type=Path, metavar="DIR", help="keep what the engines write to stderr in a folder")


def _error_rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not MIN_RATE <= rate < 0.5:
        raise argparse.ArgumentTypeError(f"expected a probability from {MIN_RATE:f} to below 0.5, got {excerpt(text)}")
    return rate


def _time_control(text: str) -> TimeControl:
    with becoming(ValueError, argparse.ArgumentTypeError):
        return parse_time_control(text)
