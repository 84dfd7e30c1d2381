"""Games of the program against itself, one JSON object a line."""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from search_core.engine import Engine, Limits
from search_core.game import Game

TABLE_MB = 16


def searched_moves(engine: Engine, position: Game, nodes: int) -> Iterator[tuple[int, int]]:
    """The best move and its score for the side to move, at each turn of a new game; the caller plays a move before it
    asks for the next one, and only where there is a move."""
    engine.new_game()
    while True:
        found = engine.search(position, Limits(nodes=nodes))
        assert found.best is not None
        yield found.best, found.score


def add_arguments(parser: argparse.ArgumentParser, games: int, nodes: int) -> None:
    """Declare the options of a command that plays; `games` and `nodes` a move are the defaults."""
    parser.add_argument("file", type=Path, help="games are appended to it")
    parser.add_argument("--games", type=int, default=games, metavar="N")
    parser.add_argument("--nodes", type=int, default=nodes, metavar="N", help="of each search")
    parser.add_argument("--seed", type=int, default=1, metavar="N")


def write_games(args: argparse.Namespace, play_game: Callable[[Engine, random.Random], dict[str, Any] | None]) -> None:
    """Play games and append them to the file. None is a game that was given up."""
    chance = random.Random(args.seed)
    with Engine() as engine, args.file.open("a", encoding="ascii") as out:
        engine.hash_mb = TABLE_MB
        for number in range(args.games):
            if (game := play_game(engine, chance)) is not None:
                out.write(json.dumps(game) + "\n")
                out.flush()
            if sys.stderr.isatty():
                print(f"\r{number + 1} games", end="", file=sys.stderr)
