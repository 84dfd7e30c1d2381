"""`sanqi-train selfplay`: games of the program against itself, on all processors or a Dask cluster."""

from __future__ import annotations

import argparse
import os
import zlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from game_core.progress import progress_bar
from gomoku_protocol import evaluators as gomoku_evaluators
from gomoku_protocol.match_options import rule_named
from gomoku_protocol.points import FREESTYLE, MAX_SIZE, MIN_SIZE
from junqi_protocol.players.evaluators import HAND_MADE, NET_FILES
from junqi_protocol.players.tuned_weights import TUNED_WEIGHTS
from junqi_protocol.rules.geometry import SIGUO, VARIANTS
from sanqi_training.selfplay import gomoku, junqi, xiangqi
from sanqi_training.selfplay.player import HEAD, SelfPlayer
from sanqi_training.selfplay.store import SUFFIX, Game, GameWriter, game_seed
from sanqi_training.worker_processes import worker_processes
from search_core.child_process import uninterrupted
from search_core.number_argument import add_number
from search_core.version import __version__
from ucci_engine.evaluators import NET, NET_FILE, default_evaluator
from ucci_engine.settings import MAX_SEED

_TASK_GAMES = 8
_BLOCK_GAMES = 64
_AHEAD = 4  # tasks that wait for each worker

_PLAYERS = {"xiangqi": xiangqi.XiangqiPlayer, "gomoku": gomoku.GomokuPlayer, "junqi": junqi.JunqiPlayer}
_SIDES = {"xiangqi": ("Red", "Black"), "gomoku": ("Black", "White"), "junqi": ("seat 0's team", "the other team")}
_ENDS = {"xiangqi": xiangqi.ENDS, "gomoku": gomoku.ENDS, "junqi": junqi.ENDS}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    games = parser.add_subparsers(dest="game", metavar="GAME", required=True)
    of_xiangqi = games.add_parser("xiangqi", help="Xiangqi", description=parser.description)
    _add_common(of_xiangqi)
    _add_evaluator(of_xiangqi)
    of_xiangqi.add_argument("--avoid", type=Path, metavar="FILE", help="FENs that no opening may meet, one a line")
    of_gomoku = games.add_parser("gomoku", help="Gomoku", description=parser.description)
    _add_common(of_gomoku)
    of_gomoku.add_argument("--rule", type=rule_named, default=FREESTYLE, metavar="R", help="name or number (freestyle)")
    add_number(of_gomoku, "--size", MIN_SIZE, MAX_SIZE, "N", "points a side (15)", 15)
    add_number(of_gomoku, "--random-moves", 0, 50, "N", "of 100 moves are drawn, likely ones more often (0)", 0)
    of_junqi = games.add_parser("junqi", help="Junqi", description=parser.description)
    _add_common(of_junqi)
    of_junqi.add_argument("--variant", choices=VARIANTS, default=SIGUO.name, help="(siguo)")
    of_junqi.add_argument("--see", choices=("own", "team"), default="team", help="pieces that a player sees (team)")
    _add_evaluator(of_junqi)


def _add_evaluator(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--evaluator",
        default=NET,
        metavar="NAME",
        help="net: that of full strength, hand-made, or the file of a net (net)",
    )


def _add_common(parser: argparse.ArgumentParser) -> None:
    add_number(parser, "--games", 1, 1 << 31, "N", "how many there shall be (10000)", 10_000)
    add_number(parser, "--nodes", 1, 1 << 31, "N", "after which no iteration begins (1000)", 1000)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the games go to a file there")
    add_number(parser, "--seed", 0, MAX_SEED, "N", "other games for each (1)", 1)
    add_number(parser, "--workers", 1, 1024, "N", "processes (all cores)", os.cpu_count() or 1)
    parser.add_argument("--dask", metavar="HOST:PORT", help="play on the workers of this scheduler instead")


class PlayerSettings(NamedTuple):
    """What a player is made with."""

    game: str
    nodes: int
    options: tuple[Any, ...]
    """Of the game's player, after the nodes."""


def _full_strength(variant: str) -> str:
    """A name of what a board of Junqi is evaluated with at full strength, another one for other weights."""
    if variant in TUNED_WEIGHTS:
        return f"tuned-{zlib.crc32(repr(TUNED_WEIGHTS[variant]).encode('ascii')):08x}, exchanges"
    return f"{NET_FILES[variant]}, exchanges"


def run(args: argparse.Namespace) -> None:
    """Play what is missing. Raises StoreError, NetError, FenError, OSError; after KeyboardInterrupt, the games so far
    are kept."""
    options: tuple[Any, ...]
    header: dict[str, Any] = {"game": args.game, "record": 1, "nodes": args.nodes, "seed": args.seed}
    if args.game == "xiangqi":
        default_evaluator(args.evaluator)
        header["evaluator"] = Path(NET_FILE if args.evaluator == NET else args.evaluator).name
        kind = Path(header["evaluator"]).stem
        if args.avoid:
            header["avoid"] = zlib.crc32(args.avoid.read_bytes())
        options = args.evaluator, _keys(args.avoid) if args.avoid else frozenset()
    elif args.game == "junqi":
        header |= {"variant": args.variant, "see": args.see}
        header["evaluator"] = _full_strength(args.variant) if args.evaluator == NET else Path(args.evaluator).name
        kind = f"{args.variant}-{args.see}-{Path(header['evaluator']).stem}"
        options = args.variant, args.see, args.evaluator
    else:
        header |= {"rule": args.rule, "size": args.size, "random moves": args.random_moves}
        header["evaluator"] = gomoku_evaluators.NET_FILES.get(args.rule, HAND_MADE)
        kind = f"{args.rule}-{args.size}-{args.random_moves}-{Path(header['evaluator']).stem}"
        options = args.rule, args.size, args.random_moves
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / f"{args.game}-{kind}-{args.nodes}-{args.seed}{SUFFIX}"
    writer = GameWriter(path, {**header, "sanqi": __version__}, _BLOCK_GAMES)
    told = Statistics(args.game)
    missing = (number for number in range(args.games) if number not in writer.numbers)
    settings = PlayerSettings(args.game, args.nodes, options)
    try:
        with _executor(args) as executor, progress_bar(args.games - len(writer.numbers)) as progress:
            for games in _in_turn(executor, settings, args.seed, missing, _AHEAD * args.workers):
                for game in games:
                    writer.add(game)
                    told.add(game.record)
                progress.advance(len(games))
    finally:
        with uninterrupted():
            writer.close()
        for line in told.lines():
            print(line)
        print(f"{len(writer.numbers)} games in {path}")


@contextmanager
def _executor(args: argparse.Namespace) -> Iterator[Executor]:
    if not args.dask:
        with worker_processes(args.workers) as executor:
            yield executor
        return
    from distributed import Client

    with Client(args.dask) as client:
        yield client.get_executor(pure=False)


def _in_turn(
    executor: Executor, settings: PlayerSettings, seed: int, numbers: Iterator[int], ahead: int
) -> Iterator[list[Game]]:
    """The games of these numbers, as they come."""
    waiting: set[Future[list[Game]]] = set()
    while True:
        while len(waiting) < ahead and (batch := list(islice(numbers, _TASK_GAMES))):
            waiting.add(executor.submit(play_games, settings, seed, batch))
        if not waiting:
            return
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()


_players: dict[PlayerSettings, SelfPlayer | junqi.JunqiPlayer] = {}  # of this worker process


def play_games(settings: PlayerSettings, seed: int, numbers: list[int]) -> list[Game]:
    """Play games, in a worker process."""
    if settings not in _players:
        _players.clear()
        _players[settings] = _PLAYERS[settings.game](settings.nodes, *settings.options)
    return [Game(number, _players[settings].play(game_seed(seed, number))) for number in numbers]


def _keys(path: Path) -> frozenset[int]:
    from ucci_engine.position import Position

    return frozenset(Position(line).key for line in path.read_text("utf-8").splitlines() if line.strip())


class Statistics:
    """What was made."""

    def __init__(self, game: str) -> None:
        self._game = game
        self.games = self.plies = 0
        self._ends: Counter[str] = Counter()
        self._results: Counter[int] = Counter()

    def add(self, record: bytes) -> None:
        """Count a game."""
        result, end, _, plies = HEAD.unpack_from(record)
        self.games += 1
        self.plies += plies
        self._ends[_ENDS[self._game][end]] += 1
        self._results[result] += 1

    def lines(self) -> Iterator[str]:
        """The report."""
        if not self.games:
            return
        first, second = _SIDES[self._game]
        lost, drawn, won = (self._results[result] / self.games for result in range(3))
        yield f"games    {self.games}, {self.plies / self.games:.1f} plies each"
        yield f"results  {first} won {won:.1%}, drawn {drawn:.1%}, {second} won {lost:.1%}"
        yield "ends     " + ", ".join(f"{end} {number / self.games:.1%}" for end, number in self._ends.most_common())
