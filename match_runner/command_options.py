"""The options of `sanqi match`: their names, their help and the values they take."""

from __future__ import annotations

import argparse
from pathlib import Path

from gomoku_protocol.game_record import RULE_NAMES
from gomoku_protocol.points import LARGEST_SIZE, RULES, SMALLEST_SIZE
from match_runner.schedule import ROUND_ROBIN, TOURNAMENTS
from match_runner.specification import LARGEST_NUMBER, MOST_NODES, PROTOCOLS
from match_runner.time_control import TimeControl, parse_time_control
from search_core.line_protocol import excerpt
from search_core.number_argument import number_argument
from search_core.whole_number import whole_number

EXAMPLE = """\
examples:
  Xiangqi against Fairy-Stockfish, 100 ms a move, with a report:
    sanqi match --engine "name=sanqi cmd=sanqi option.hashsize=64" \\
      --engine "name=fairy cmd=fairy-stockfish proto=uci variant=xiangqi" \\
      --games 20 --movetime 100 --out games.jsonl --report report.html
  renju, 5 seconds a move and 3 minutes a game for each side:
    sanqi match --game gomoku --rule renju --engine "name=a cmd=sanqi" \\
      --engine "name=b cmd=./pbrain-b" --movetime 5000 --match-time 180
  two levels of Junqi; each deal is played twice, with sides swapped:
    sanqi match --game junqi --engine "name=path cmd=sanqi" \\
      --engine "name=events cmd=sanqi option.Level=events" --games 20

keys of an engine:
  name, cmd, proto (ucci, uci or gomocup), variant (UCI_Variant),
  ranks (0-9 or 1-10), dir, memory (MiB), option.NAME (in Gomocup INFO NAME),
  tc, movetime, nodes or depth (in place of the match's)
Quotes keep blanks: cmd="sanqi uci" option."Move Overhead"=10
With --engines FILE the first word may be a name from that file:
  --engine "fairy option.Hash=16"
"""

_MOST_GAMES = 10**6
_positive, _not_negative = number_argument(1, LARGEST_NUMBER), number_argument(0, LARGEST_NUMBER)
_games, _nodes = number_argument(1, _MOST_GAMES), number_argument(1, MOST_NODES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi match`."""
    parser.epilog = EXAMPLE
    _add_players(parser)
    _add_game(parser)
    _add_limits(parser)
    _add_endings(parser)
    _add_output(parser)


def _add_players(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("who plays")
    group.add_argument(
        "--engine", action="append", default=[], metavar="SPEC", help="an engine, as key=value words; give two or more"
    )
    group.add_argument("--engines", type=Path, metavar="FILE", help="TOML file of engines that have names")
    group.add_argument(
        "--allow-unknown-options",
        action="store_true",
        help="send options and values that an engine does not list, too; without it they end the match at its start",
    )
    group.add_argument(
        "--tournament",
        choices=TOURNAMENTS,
        default=ROUND_ROBIN,
        help="of more than two: everyone against everyone (default), or the first against each of the others",
    )
    group.add_argument(
        "--games", type=_games, default=100, metavar="N", help="number of games, of each two that meet (default 100)"
    )
    where = group.add_mutually_exclusive_group()
    where.add_argument(
        "--concurrency", type=_positive, default=1, metavar="N", help="games at the same time (default 1)"
    )
    where.add_argument(
        "--scheduler", metavar="tcp://HOST:PORT", help="play on the workers of a Dask cluster, a game for each thread"
    )


def _add_game(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what they play")
    group.add_argument("--game", choices=list(PROTOCOLS), default="xiangqi", help="(default xiangqi)")
    group.add_argument(
        "--rule",
        type=_rule,
        metavar="RULE",
        help=f"of Gomoku: {', '.join(RULE_NAMES.values())}, or the protocol's number for it (default freestyle)",
    )
    group.add_argument(
        "--size",
        type=_size,
        metavar="N",
        help=f"of the Gomoku board, or WxH; {SMALLEST_SIZE} to {LARGEST_SIZE} (default 15)",
    )
    group.add_argument(
        "--variant", choices=["siguo", "duel"], help="of Junqi: four seats, two to each engine (default), or two"
    )
    group.add_argument(
        "--seed", type=_not_negative, metavar="N", help="of Junqi's deals, lineups and who begins (default 1)"
    )
    group.add_argument(
        "--openings",
        type=Path,
        metavar="FILE",
        help="one a line: moves (h2e2 h9g7) or a FEN, in Gomoku offsets from the middle (0,0 1,-1); or a .pgn, or a "
        ".psq or a folder of them (default: the shipped ones)",
    )
    group.add_argument(
        "--opening-plies", type=_positive, metavar="N", help="use no more of each opening than so many moves"
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how long they think")
    limit = group.add_mutually_exclusive_group()
    limit.add_argument("--movetime", type=_positive, metavar="MS", help="milliseconds a move (default 100)")
    limit.add_argument(
        "--tc",
        type=_time_control,
        metavar="[MOVES/]BASE[+INC]",
        help="seconds for a game, or for each period of moves (Xiangqi), plus an increment a move: of a side, "
        "in Junqi a seat",
    )
    limit.add_argument(
        "--nodes", type=_nodes, metavar="N", help="nodes a move, without a clock (Gomocup: INFO max_node)"
    )
    limit.add_argument(
        "--depth", type=_positive, metavar="N", help="plies a move, without a clock (Gomocup: INFO max_depth)"
    )
    group.add_argument(
        "--match-time",
        type=_positive,
        metavar="S",
        help="seconds for a whole game: of a side in Gomoku, a seat in Junqi (default: no limit)",
    )
    group.add_argument(
        "--margin",
        type=_not_negative,
        default=200,
        metavar="MS",
        help="milliseconds over the limit before a move loses on time (default 200)",
    )
    group.add_argument("--ponder", action="store_true", default=None, help="let them think on the other's time")


def _add_endings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("when it ends")
    group.add_argument(
        "--max-plies", type=_not_negative, default=0, metavar="N", help="call longer games drawn (default 0: never)"
    )
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


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is kept")
    group.add_argument("--out", type=Path, metavar="FILE", help="write the games, one JSON object a line")
    group.add_argument("--resume", action="store_true", help="go on with the match in the file of --out")
    group.add_argument(
        "--records",
        type=Path,
        metavar="PATH",
        help="write the games for other programs: of Xiangqi a PGN file, of Gomoku a folder of .psq, of Junqi of .jgr",
    )
    group.add_argument("--report", type=Path, metavar="FILE", help="write a report with plots and a board, as HTML")
    group.add_argument("--stderr", type=Path, metavar="DIR", help="keep what the engines write to stderr in a folder")


def _time_control(text: str) -> TimeControl:
    try:
        return parse_time_control(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _rule(text: str) -> int:
    for rule in RULES:
        if text.lower() == RULE_NAMES[rule] or text == str(rule):
            return rule
    names = ", ".join(f"{RULE_NAMES[rule]} ({rule})" for rule in RULES)
    raise argparse.ArgumentTypeError(f"{excerpt(text)} is no rule; expected one of {names}")


def _size(text: str) -> tuple[int, int]:
    """Width and height."""
    words = text.lower().split("x")
    try:
        sizes = [whole_number(word) for word in words]
    except ValueError:
        sizes = []
    if len(sizes) not in (1, 2) or not all(SMALLEST_SIZE <= size <= LARGEST_SIZE for size in sizes):
        expected = f"a size from {SMALLEST_SIZE} to {LARGEST_SIZE}, nor two: WxH"
        raise argparse.ArgumentTypeError(f"{excerpt(text)} is not {expected}")
    return sizes[0], sizes[-1]
