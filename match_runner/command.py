"""`sanqi match`: two engines play each other."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

from match_runner.specification import SpecificationError, parse_engine

if TYPE_CHECKING:
    from match_runner.game import GameRecord

EXAMPLE = """\
example (a bigger hash, 100 ms a move, against Debian's Fairy-Stockfish):
  sanqi match --engine "name=sanqi cmd=sanqi option.hashsize=64" \\
              --engine "name=fairy cmd=fairy-stockfish proto=uci variant=xiangqi option.Hash=64" \\
              --games 20 --movetime 100 --out games.jsonl

keys of an engine: name, cmd, proto (ucci, uci), variant (UCI_Variant), ranks (0-9, 1-10), dir, option.NAME;
quotes hold blanks together: cmd="sanqi uci" option."Move Overhead"=10
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi match`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLE
    parser.add_argument(
        "--engine", action="append", default=[], metavar="SPEC", help="an engine, as key=value words; give two"
    )
    parser.add_argument("--games", type=_positive, default=100, metavar="N", help="number of games (default 100)")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--movetime", type=_positive, metavar="MS", help="milliseconds a move (default 100)")
    limit.add_argument("--nodes", type=_positive, metavar="N", help="nodes a move, without a clock")
    parser.add_argument(
        "--margin",
        type=_not_negative,
        default=200,
        metavar="MS",
        help="milliseconds over --movetime before a move loses on time (default 200)",
    )
    parser.add_argument(
        "--openings", type=Path, metavar="FILE", help="lists of moves, one a line (default: the shipped ones)"
    )
    parser.add_argument(
        "--max-plies", type=_not_negative, default=0, metavar="N", help="call longer games drawn (default 0: never)"
    )
    parser.add_argument(
        "--concurrency", type=_positive, default=1, metavar="N", help="games at the same time (default 1)"
    )
    parser.add_argument(
        "--sprt",
        metavar="ELO0,ELO1",
        help="stop as soon as the first engine is shown to be stronger by ELO1 or by no more than ELO0 (errors 5 %%)",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the games, one JSON object a line")


def run(args: argparse.Namespace) -> int:
    """Play the match. Returns the exit status: 0 played, 2 for a wrong argument, 130 when interrupted."""
    try:
        engines = [parse_engine(text) for text in args.engine]
    except SpecificationError as error:
        return _refuse(str(error))
    if len(engines) != 2:
        return _refuse(f"{len(engines)} engines given, expected two --engine SPEC")
    if engines[0].name == engines[1].name:
        return _refuse(f"both engines are called '{engines[0].name}'; tell them apart with name=")

    # Late: rules and threads are not needed for --help or a typing error.
    from match_runner.display import Display, final_report
    from match_runner.match import Match, MatchPlan, MatchScore
    from match_runner.openings import SHIPPED, OpeningError, enough_openings, read_openings
    from match_runner.player import Fault, Player, ThinkingLimit
    from match_runner.statistics import Sprt

    path = args.openings or SHIPPED
    try:
        openings = enough_openings(read_openings(path), args.games, path)
    except OpeningError as error:
        return _refuse(str(error))
    sprt = None
    if args.sprt is not None:
        try:
            elo0, elo1 = (float(word) for word in args.sprt.split(","))
        except ValueError:
            return _refuse(f"--sprt {args.sprt}: expected two numbers, as in --sprt 0,5")
        if elo0 >= elo1:
            return _refuse(f"--sprt {args.sprt}: the first number must be the smaller one")
        sprt = Sprt(elo0, elo1)
    limit = ThinkingLimit(nodes=args.nodes) if args.nodes else ThinkingLimit(args.movetime or 100, 0, args.margin)
    plan = MatchPlan((engines[0], engines[1]), args.games, openings, limit, args.max_plies, args.concurrency, sprt)

    for engine in engines:  # a misspelt command shall not be 100 lost games
        player = Player(engine)
        try:
            player.start()
        except Fault as fault:
            return _refuse(f"engine {engine.name}: {fault}")
        finally:
            player.stop()
    try:
        out = args.out.open("x", encoding="utf-8") if args.out else None
    except OSError as error:
        return _refuse(f"--out: {error}")

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    display = Display(plan)

    def on_game(number: int, record: GameRecord, duplicate: bool, score: MatchScore) -> None:
        if out is not None:
            _write(out, number, record, duplicate)
        display.show(number, record, duplicate, score)

    match = Match(plan, on_game)
    status = 0
    try:
        with display:
            match.run()
    except KeyboardInterrupt:
        status = 130
    finally:
        if out is not None:
            out.close()
    if status:
        print(f"interrupted after {match.score.games} of {args.games} games")
    print("\n".join(final_report(plan, match.score)), flush=True)
    return status


def _write(out: IO[str], number: int, record: GameRecord, duplicate: bool) -> None:
    """One line: of the lists `time_ms` (sum), `nodes` (sum) and `depth` (mean), the first is Red's."""
    line = {
        "game": number + 1,
        "red": record.names[0],
        "black": record.names[1],
        "result": record.result,
        "reason": record.reason,
        "detail": record.detail,
        "opening_line": record.opening_line,
        "opening_plies": record.opening_plies,
        "duplicate": duplicate,
        "moves": record.move_texts(),
        "time_ms": [round(effort.time_ms, 1) for effort in record.efforts],
        "nodes": [effort.nodes for effort in record.efforts],
        "depth": [round(effort.depth / effort.moves, 2) if effort.moves else 0 for effort in record.efforts],
    }
    out.write(json.dumps(line) + "\n")
    out.flush()


def _refuse(message: str) -> int:
    print(f"sanqi match: {message}; nothing was played", file=sys.stderr)
    return 2


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def _not_negative(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 0")
    return int(text)
