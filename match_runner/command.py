"""`sanqi match`: two engines play each other, at Xiangqi, Gomoku or Junqi."""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

from gomoku_protocol.game_record import RULE_NAMES
from gomoku_protocol.points import FREESTYLE, LARGEST_SIZE, RULES, SMALLEST_SIZE
from match_runner.specification import PROTOCOLS, SpecificationError, parse_engine

if TYPE_CHECKING:
    from match_runner.game import BoardGame, Game, GameRecord
    from match_runner.openings import Opening

EXAMPLE = """\
examples (a bigger hash, 100 ms a move, against Debian's Fairy-Stockfish; renju with 3 minutes for each side; two
levels of Junqi, each in the even seats and in the odd ones of every deal):
  sanqi match --engine "name=sanqi cmd=sanqi option.hashsize=64" \\
              --engine "name=fairy cmd=fairy-stockfish proto=uci variant=xiangqi option.Hash=64" \\
              --games 20 --movetime 100 --out games.jsonl
  sanqi match --game gomoku --rule renju --engine "name=sanqi cmd=sanqi" --engine "name=rapfi cmd=./pbrain-rapfi" \\
              --games 20 --movetime 5000 --match-time 180
  sanqi match --game junqi --engine "name=path cmd=sanqi" --engine "name=events cmd=sanqi option.Level=events" \\
              --games 20

keys of an engine: name, cmd, proto (ucci, uci; gomocup), variant (UCI_Variant), ranks (0-9, 1-10), dir,
option.NAME (in Gomocup INFO NAME);
quotes hold blanks together: cmd="sanqi uci" option."Move Overhead"=10
"""


_ONLY_FOR = {
    "rule": ("gomoku",), "size": ("gomoku",), "match_time": ("gomoku", "junqi"), "variant": ("junqi",),
    "seed": ("junqi",), "nodes": ("xiangqi", "gomoku"), "openings": ("xiangqi", "gomoku"),
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi match`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLE
    parser.add_argument(
        "--engine", action="append", default=[], metavar="SPEC", help="an engine, as key=value words; give two"
    )
    parser.add_argument("--game", choices=list(PROTOCOLS), default="xiangqi", help="what they play (default xiangqi)")
    parser.add_argument(
        "--rule",
        type=_rule,
        metavar="RULE",
        help=f"of Gomoku: {', '.join(RULE_NAMES.values())}, or the protocol's number for it (default freestyle)",
    )
    parser.add_argument(
        "--size",
        type=_size,
        metavar="N",
        help=f"of the Gomoku board, or WxH; {SMALLEST_SIZE} to {LARGEST_SIZE} (default 15)",
    )
    parser.add_argument(
        "--variant", choices=["siguo", "duel"], help="of Junqi: four seats, two to each engine (default), or two"
    )
    parser.add_argument(
        "--seed", type=_not_negative, metavar="N", help="of Junqi's deals, lineups and who begins (default 1)"
    )
    parser.add_argument("--games", type=_positive, default=100, metavar="N", help="number of games (default 100)")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--movetime", type=_positive, metavar="MS", help="milliseconds a move (default 100)")
    limit.add_argument(
        "--tc", type=_time_control, metavar="BASE+INC",
        help="seconds for a game, and added for each move: of a side, in Junqi a seat (Gomocup knows no increment)",
    )  # fmt: skip
    limit.add_argument(
        "--nodes", type=_positive, metavar="N", help="nodes a move, without a clock (Gomocup: INFO max_node)"
    )
    parser.add_argument(
        "--match-time",
        type=_positive,
        metavar="S",
        help="seconds for a whole game: of a side in Gomoku, a seat in Junqi (default: no limit)",
    )
    parser.add_argument(
        "--margin",
        type=_not_negative,
        default=200,
        metavar="MS",
        help="milliseconds over the limit before a move loses on time (default 200)",
    )
    parser.add_argument(
        "--openings",
        type=Path,
        metavar="FILE",
        help="one a line: moves (h2e2 h9g7), in Gomoku offsets from the middle (0,0 1,-1) (default: the shipped ones)",
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
        engines = [parse_engine(text, args.game) for text in args.engine]
    except SpecificationError as error:
        return _refuse(str(error))
    if len(engines) != 2:
        return _refuse(f"{len(engines)} engines given, expected two --engine SPEC")
    if engines[0].name == engines[1].name:
        return _refuse(f"both engines are called '{engines[0].name}'; tell them apart with name=")

    for option, games in _ONLY_FOR.items():
        if args.game not in games and getattr(args, option) is not None:
            return _refuse(f"--{option.replace('_', '-')} is for --game {' or '.join(games)}")
    if args.match_time and (args.nodes or args.tc):
        return _refuse("--match-time goes with --movetime; --nodes does without a clock, and --tc is another")
    if args.game == "gomoku" and args.tc and args.tc[1]:
        return _refuse("--tc with an increment: the Gomocup protocol has none")

    # Late: rules and threads are not needed for --help or a typing error.
    from match_runner.display import Display, final_report
    from match_runner.match import Match, MatchPlan, MatchScore
    from match_runner.openings import OpeningError
    from match_runner.player import Fault, ThinkingLimit
    from match_runner.statistics import Sprt

    try:
        game, openings = _game(args)
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
    if args.nodes:
        limit = ThinkingLimit(nodes=args.nodes)
    elif args.tc:
        limit = ThinkingLimit(margin_ms=args.margin, match_ms=args.tc[0], increment_ms=args.tc[1])
    else:
        limit = ThinkingLimit(args.movetime or 100, 0, args.margin, 1000 * (args.match_time or 0))
    plan = MatchPlan(
        game, (engines[0], engines[1]), args.games, openings, limit, args.max_plies, args.concurrency, sprt
    )

    for engine in engines:  # a misspelt command shall not be 100 lost games
        player = game.player(engine)
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
            _write(out, game, number, record, duplicate)
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


def _game(args: argparse.Namespace) -> tuple[Game, list[Opening]]:
    """What is played, and from which openings. Raises OpeningError."""
    from match_runner.openings import enough_openings, read_openings

    game: BoardGame
    if args.game == "junqi":
        from match_runner.junqi import Junqi

        junqi = Junqi(args.variant or "siguo", 1 if args.seed is None else args.seed)
        return junqi, junqi.deals(args.games)
    if args.game == "gomoku":
        from match_runner.gomoku import Gomoku

        width, height = args.size or (15, 15)
        game = Gomoku(width, height, FREESTYLE if args.rule is None else args.rule)
    else:
        from match_runner.xiangqi import Xiangqi

        game = Xiangqi()
    path = args.openings or game.shipped_openings
    return game, enough_openings(read_openings(path, game), args.games, path)


def _write(out: IO[str], game: Game, number: int, record: GameRecord, duplicate: bool) -> None:
    """One line: the lists `time_ms` (sum), `nodes` (sum) and `depth` (mean) begin with the side that moved first."""
    first, second = game.sides
    line = {
        "game": number + 1,
        first: record.names[0],
        second: record.names[1],
        "result": record.result,
        "reason": record.reason,
        "detail": record.detail,
        "opening_line": record.opening_line,
        "opening_plies": record.opening_plies,
        "duplicate": duplicate,
        "moves": [game.move_text(move) for move in record.moves],
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


def _time_control(text: str) -> tuple[int, int]:
    """Milliseconds for a game and for each move."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)(?:\+(\d{1,4}(?:\.\d{1,3})?))?", text, re.ASCII)
    if match is None or float(match[1]) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no time control; expected seconds, as in 60+0.5")
    return round(1000 * float(match[1])), round(1000 * float(match[2] or 0))


def _rule(text: str) -> int:
    for rule in RULES:
        if text.lower() == RULE_NAMES[rule] or text == str(rule):
            return rule
    names = ", ".join(f"{RULE_NAMES[rule]} ({rule})" for rule in RULES)
    raise argparse.ArgumentTypeError(f"'{text}' is no rule; expected one of {names}")


def _size(text: str) -> tuple[int, int]:
    """Width and height."""
    words = text.lower().split("x")
    sizes = [int(word) for word in words if word.isdecimal() and SMALLEST_SIZE <= int(word) <= LARGEST_SIZE]
    if len(sizes) != len(words) or len(sizes) > 2:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size from {SMALLEST_SIZE} to {LARGEST_SIZE}, nor two: WxH")
    return sizes[0], sizes[-1]
