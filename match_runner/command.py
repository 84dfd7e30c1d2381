"""`sanqi match`: engines play each other, at Xiangqi, Gomoku or Junqi."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gomoku_protocol.game_record import RULE_NAMES
from gomoku_protocol.points import FREESTYLE, LARGEST_SIZE, RULES, SMALLEST_SIZE
from match_runner.limits import LimitError, limit_of_engine, limit_of_match
from match_runner.schedule import ROUND_ROBIN, TOURNAMENTS
from match_runner.specification import (
    LARGEST_NUMBER,
    MOST_NODES,
    PROTOCOLS,
    EngineSpecification,
    SpecificationError,
    parse_engine,
    read_engines,
)
from match_runner.time_control import TimeControl, parse_time_control
from search_core.failures import failure_of, reason_of
from search_core.line_protocol import excerpt
from search_core.number_argument import number_argument
from search_core.whole_number import whole_number

if TYPE_CHECKING:
    from match_runner.game import Adjudication, BoardGame, Game, NotationWriter, PlayedGame
    from match_runner.game_file import GameFile
    from match_runner.match import MatchPlan, MatchState
    from match_runner.openings import Opening
    from match_runner.run_info import RunInfo
    from match_runner.schedule import Task
    from match_runner.score import MatchScore
    from match_runner.statistics import Sprt
    from match_runner.trial import TrialResult

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

_ONLY_FOR = {
    "rule": ("gomoku",), "size": ("gomoku",), "match_time": ("gomoku", "junqi"), "variant": ("junqi",),
    "seed": ("junqi",), "nodes": ("xiangqi", "gomoku"), "depth": ("xiangqi", "gomoku"),
    "openings": ("xiangqi", "gomoku"), "opening_plies": ("xiangqi", "gomoku"), "ponder": ("xiangqi",),
    "adjudicate_win": ("xiangqi", "gomoku"), "adjudicate_draw": ("xiangqi", "gomoku"),
}  # fmt: skip


_LARGEST_ELO = 1000
_MOST_GAMES = 10**6
_positive, _not_negative = number_argument(1, LARGEST_NUMBER), number_argument(0, LARGEST_NUMBER)
_games, _nodes = number_argument(1, _MOST_GAMES), number_argument(1, MOST_NODES)


class _Refused(Exception):
    """Wrong input; the message says what, for the user."""


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
        "--allow-unknown-options", action="store_true",
        help="send options and values that an engine does not list, too; without it they end the match at its start",
    )  # fmt: skip
    group.add_argument(
        "--tournament", choices=TOURNAMENTS, default=ROUND_ROBIN,
        help="of more than two: everyone against everyone (default), or the first against each of the others",
    )  # fmt: skip
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
        "--tc", type=_time_control, metavar="[MOVES/]BASE[+INC]",
        help="seconds for a game, or for each period of moves (Xiangqi), plus an increment a move: of a side, "
        "in Junqi a seat",
    )  # fmt: skip
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
        "--adjudicate-win", metavar="CP,MOVES",
        help="end a game when both engines have seen one side so many centipawns ahead for so many moves each",
    )  # fmt: skip
    group.add_argument(
        "--adjudicate-draw", metavar="CP,MOVES,PLY",
        help="end a game from ply PLY on when both have seen it no farther from even for so many moves each",
    )  # fmt: skip
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
        "--records", type=Path, metavar="PATH",
        help="write the games for other programs: of Xiangqi a PGN file, of Gomoku a folder of .psq, of Junqi of .jgr",
    )  # fmt: skip
    group.add_argument("--report", type=Path, metavar="FILE", help="write a report with plots and a board, as HTML")
    group.add_argument("--stderr", type=Path, metavar="DIR", help="keep what the engines write to stderr in a folder")


def run(args: argparse.Namespace) -> int:
    """Play the match. Returns the exit status: 0 played, 1 it could not go on, 2 for a wrong argument, 130 when
    interrupted."""
    try:
        plan = _plan(args)
        with contextlib.ExitStack() as outputs:
            return _play(args, plan, outputs)
    except _Refused as refused:
        print(f"sanqi match: {refused}; nothing was played", file=sys.stderr)
        return 2


def _plan(args: argparse.Namespace) -> MatchPlan:
    """What is to be played. Raises _Refused."""
    engines = _engines(args)
    for option, games in _ONLY_FOR.items():
        if args.game not in games and getattr(args, option) is not None:
            raise _Refused(f"--{option.replace('_', '-')} is for --game {' or '.join(games)}")
    if args.match_time and (args.nodes or args.depth or args.tc):
        raise _Refused("--match-time goes with --movetime; --nodes and --depth do without a clock, and --tc is another")
    if args.resume and not args.out:
        raise _Refused("--resume needs the file to go on with, as --out FILE")
    if len(engines) > 2 and args.games % 2:
        raise _Refused(f"--games {args.games}: more than two engines need an even number, each opening is played twice")

    # Late: rules and threads are not needed for --help or a typing error.
    from match_runner.game import MatchConditions
    from match_runner.match import MatchConfig, MatchPlan
    from match_runner.openings import OpeningError
    from match_runner.schedule import Schedule

    try:
        game, openings = _game(args)
    except OpeningError as error:
        raise _Refused(str(error)) from None
    longest = max(openings, key=lambda opening: len(opening.moves))
    if args.max_plies and args.max_plies <= len(longest.moves):
        raise _Refused(f"--max-plies {args.max_plies}: an opening has {len(longest.moves)} (line {longest.line})")
    try:
        limit = limit_of_match(args, engines)
    except LimitError as error:
        raise _Refused(str(error)) from None
    conditions = MatchConditions(limit, args.max_plies, _adjudication(args))
    schedule = Schedule(len(engines), args.games, openings, args.tournament)
    return MatchPlan(MatchConfig(game, tuple(engines), conditions), schedule, _sprt(args, len(engines)))


def _engines(args: argparse.Namespace) -> list[EngineSpecification]:
    try:
        known = read_engines(args.engines) if args.engines else None
        engines = [parse_engine(text, args.game, known) for text in args.engine]
    except SpecificationError as error:
        raise _Refused(str(error)) from None
    if len(engines) < 2:
        raise _Refused(f"{len(engines)} engines given, expected two --engine SPEC or more")
    names = [engine.name for engine in engines]
    for name in names:
        if names.count(name) > 1:
            raise _Refused(f"{names.count(name)} engines are called {excerpt(name)}; tell them apart with name=")
    if args.stderr is not None:
        try:
            args.stderr.mkdir(exist_ok=True)
        except OSError as error:
            raise _Refused(f"--stderr: {failure_of(error)}") from None
        engines = [engine.keeping_complaints(args.stderr) for engine in engines]
    allowed = args.allow_unknown_options
    return [replace(engine, limit=limit_of_engine(args, engine.limit), allows_unknown=allowed) for engine in engines]


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
    return game, enough_openings(read_openings(path, game, args.opening_plies or 0), args.games, path)


def _adjudication(args: argparse.Namespace) -> Adjudication:
    from match_runner.game import Adjudication

    win = _numbers("--adjudicate-win", args.adjudicate_win, "800,4")
    draw = _numbers("--adjudicate-draw", args.adjudicate_draw, "10,8,100")
    return Adjudication(*win, *draw)


def _numbers(option: str, text: str | None, example: str) -> list[int]:
    """Whole numbers from 1, as many as the example has; zeros if nothing was given. Raises _Refused."""
    count = example.count(",") + 1
    if text is None:
        return [0] * count
    words = text.split(",")
    try:
        numbers = [whole_number(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(0 < number < 1_000_000 for number in numbers):
        raise _Refused(f"{option} {excerpt(text)}: expected {count} whole numbers from 1, as in {option} {example}")
    return numbers


def _sprt(args: argparse.Namespace, engines: int) -> Sprt | None:
    from match_runner.statistics import Sprt

    if args.sprt is None:
        return None
    if engines > 2:
        raise _Refused("--sprt is of two engines")
    try:
        elo0, elo1 = (float(word) for word in args.sprt.split(","))
    except ValueError:
        raise _Refused(f"--sprt {excerpt(args.sprt)}: expected two numbers, as in --sprt 0,5") from None
    if not elo0 < elo1:
        raise _Refused(f"--sprt {excerpt(args.sprt)}: the first number must be the smaller one")
    if max(-elo0, elo1) > _LARGEST_ELO:
        raise _Refused(f"--sprt {excerpt(args.sprt)}: expected numbers of {_LARGEST_ELO} Elo at most")
    return Sprt(elo0, elo1)


def _play(args: argparse.Namespace, plan: MatchPlan, outputs: contextlib.ExitStack) -> int:
    """Play a plan and write what is asked for. Raises _Refused."""
    from match_runner.display import Display, final_report
    from match_runner.match import MatchError, MatchState

    for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):  # as far as the system has them
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)
    runner, trial = _runner(args, plan, outputs)
    for remark in trial.remarks:
        print(f"sanqi match: {remark}", file=sys.stderr)
    file, notation, played = _outputs(args, plan, outputs)

    def on_game(task: Task, record: PlayedGame, duplicate: bool, score: MatchScore) -> None:
        if file is not None:
            file.add(task, record, duplicate)
        if notation is not None:
            notation.add(task.number + 1, record)
        display.show(task, record, duplicate, score)

    run_info = _run_info(args, plan, trial, file)
    state = MatchState(plan, on_game)
    for task, record in played:
        state.remember(task, record)
    display = Display(plan, len(played))
    status = 0
    try:
        with display:
            runner(state)
    except KeyboardInterrupt:
        status = 130
        print(f"interrupted after {state.score.games} of {len(plan.schedule)} games")
    except (MatchError, OSError) as error:
        status = 1
        print(f"sanqi match: {failure_of(error)}; stopped after {state.score.games} games", file=sys.stderr)
    print("\n".join(final_report(plan, state.score)), flush=True)
    if args.report is not None and file is not None:
        from match_runner.game_file import played_games
        from match_runner.report import write_report

        try:
            write_report(args.report, plan, state.score, played_games(file.path, plan.config.game), run_info)
        except OSError as error:
            status = status or 1
            print(f"sanqi match: --report {args.report}: {reason_of(error)}", file=sys.stderr)
    return status


def _runner(
    args: argparse.Namespace, plan: MatchPlan, outputs: contextlib.ExitStack
) -> tuple[Callable[[MatchState], None], TrialResult]:
    """What plays the games, here or on a cluster, and how the engines have started. Raises _Refused."""
    if args.scheduler is None:
        from match_runner.local_match import LocalMatch
        from match_runner.workers import try_engines

        trial = try_engines(plan.config)
        if trial.complaint is not None:
            raise _Refused(trial.complaint)
        return lambda state: LocalMatch(state, args.concurrency).run(), trial
    try:
        from match_runner.cluster_match import Cluster, ClusterError
    except ImportError as error:
        raise _Refused(f"--scheduler needs Dask: pip install '.[cluster]' in the source folder ({error})") from None
    try:
        cluster = outputs.enter_context(Cluster(args.scheduler))
        trial = cluster.try_engines(plan.config)
    except ClusterError as error:
        raise _Refused(f"--scheduler {excerpt(args.scheduler)}: {error}") from None
    return cluster.run, trial


def _outputs(
    args: argparse.Namespace, plan: MatchPlan, outputs: contextlib.ExitStack
) -> tuple[GameFile | None, NotationWriter | None, list[tuple[Task, PlayedGame]]]:
    """The file of the games, the records, and the games that were played before. Raises _Refused."""
    from match_runner.game_file import GameFile, GameFileError

    places = {name: getattr(args, name).resolve() for name in ("out", "records", "report") if getattr(args, name)}
    if len(set(places.values())) < len(places):
        raise _Refused(f"{' and '.join(f'--{name}' for name in places)} name the same file")
    made = {name: places[name] for name in ("records", "report") if name in places}
    file, notation = None, None
    played: list[tuple[Task, PlayedGame]] = []
    created: list[Path] = []
    try:
        if args.resume:
            created += [] if args.out.exists() else [args.out]
            file, played = GameFile.go_on(args.out, plan)
            outputs.callback(file.close)
        for name, path in made.items():
            if path.exists() and (file is None or (name, str(path)) not in file.wrote):
                raise FileExistsError(f"{path} exists already")
        if file is None and args.out is not None:
            file = GameFile.create(args.out, plan)
            created.append(args.out)
        elif file is None and args.report is not None:  # it is made of the games
            folder = outputs.enter_context(tempfile.TemporaryDirectory())
            file = GameFile.create(Path(folder, "games.jsonl"), plan)
        if file is not None:
            outputs.callback(file.close)
            file.will_write({name: str(path) for name, path in made.items()})
        created += [path for path in made.values() if not path.exists()]
        if args.report is not None:
            args.report.touch()
        if args.records is not None:
            notation = plan.config.game.notation_writer(args.records, args.resume, plan.limits())
            outputs.callback(notation.close)
            for task, record in played:
                notation.add(task.number + 1, record)
        if args.resume and file is not None and file.fresh:
            print(f"{args.out}: no match in it yet, beginning with the first game", flush=True)
    except (OSError, GameFileError) as error:
        outputs.close()  # Windows deletes no open file
        for path in created:  # so that the corrected command finds them free
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        raise _Refused(failure_of(error)) from None
    return file, notation, played


def _run_info(
    args: argparse.Namespace, plan: MatchPlan, trial: TrialResult, file: GameFile | None
) -> RunInfo:
    from match_runner.run_info import RunInfo, now

    shipped = getattr(plan.config.game, "shipped_openings", None)
    openings = str(args.openings) if args.openings else f"{shipped.name}, shipped with sanqi" if shipped else ""
    return RunInfo(
        begun=now() if file is None else file.begun, place=args.scheduler or "", reported_names=trial.reported_names,
        openings=openings,
    )  # fmt: skip


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
