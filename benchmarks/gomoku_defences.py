"""Positions under a threat of fours: is every real defence among the moves that the root searches?

    python benchmarks/gomoku_defences.py --rule standard --positions 2000

Self-play at few nodes a move from random stones, or with `--nodes 0` random stones alone, with a fixed seed, makes the
positions: the opponent would win by fours (VCF) if the side to move passed, and the side to move has no win by fours of
its own. A real defence is found by brute force: a legal move after which the opponent's win by fours is not found.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator

from gomoku_protocol.points import CARO, CARO_EXACT, FREESTYLE, RENJU, STANDARD, move_at, point_text
from gomoku_protocol.position import Position
from search_core.engine import Engine, Limits
from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable

RULES = {"freestyle": FREESTYLE, "standard": STANDARD, "renju": RENJU, "caro": CARO, "caro-exact": CARO_EXACT}
SIZE = 15
THREAT_BUDGET = 20_000
"""Stones for the search that finds the threat; a win of the side to move gets as many."""
REFUTATION_BUDGET = 1_000_000
"""Stones for the opponent's win after each move that the root leaves out."""


def passed(position: Position) -> Position:
    """The position with the other side to move."""
    colours: tuple[list[int], list[int]] = ([], [])
    for y in range(position.height):
        for x in range(position.width):
            stone = position.stone_at(x, y)
            if stone in (0, 1):
                colours[stone].append(move_at(x, y))
    turned = Position(position.width, position.height, position.rule)
    turned.set_up(*colours, side=1 - position.side)
    return turned


def is_threatened(position: Position) -> bool:
    """Whether the opponent would win by fours after a pass, and the side to move has no win by fours."""
    return not position.win_by_fours(THREAT_BUDGET) and passed(position).win_by_fours(THREAT_BUDGET) > 0


def self_play(rule: int, chance: random.Random, engine: Engine, nodes: int) -> Iterator[Position]:
    """The positions of one game from a few random stones."""
    position = Position(SIZE, SIZE, rule)
    for _ in range(chance.randint(4, 12)):
        move = move_at(chance.randint(3, SIZE - 4), chance.randint(3, SIZE - 4))
        if position.is_legal(move):
            position.push(move)
    while position.winner is None and not position.full and position.legal_moves():
        yield position
        best = engine.search(position.without_moves(), Limits(nodes=nodes)).best
        if best is None:
            return
        position.push(best)


def random_stones(rule: int, chance: random.Random) -> Iterator[Position]:
    """Positions of random stones near the centre, while nobody has won."""
    position, reach = Position(SIZE, SIZE, rule), chance.choice((3, 4))
    centre, stones = SIZE // 2, chance.randint(10, 30)
    while position.winner is None and len(position.moves) < stones:
        move = move_at(centre + chance.randint(-reach, reach), centre + chance.randint(-reach, reach))
        if position.is_legal(move):
            position.push(move)
            yield position


def threatened_positions(rule: int, seed: int, nodes: int) -> Iterator[Position]:
    """Positions under a threat of fours, without end: of self-play at `nodes` a move; 0: of random stones."""
    chance = random.Random(seed)
    with Engine() as engine:
        engine.hash_mb = 1
        while True:
            game = self_play(rule, chance, engine, nodes) if nodes else random_stones(rule, chance)
            for position in game:
                if position.winner is None and is_threatened(position):
                    yield position.copy()


def root_moves(position: Position, with_moves: bool = False) -> set[int]:
    """The moves that the root searches; `with_moves`: where it knows the moves before."""
    search = Search(position.copy() if with_moves else position.without_moves(), TranspositionTable(1), Signals())
    search.init_root_moves()
    return {moves[0] for _, moves in search.lines()}


def missing_defences(position: Position, searched: set[int]) -> list[int]:
    """The real defences that are not searched."""
    missing = []
    for move in position.legal_moves():
        if move not in searched:
            position.push(move)
            if not position.win_by_fours(REFUTATION_BUDGET):
                missing.append(move)
            position.pop()
    return missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rule", choices=RULES, default="freestyle", help="(default %(default)s)")
    parser.add_argument("--positions", type=int, default=1000, metavar="N", help="(default %(default)s)")
    parser.add_argument("--nodes", type=int, default=300, metavar="N", help="of each move (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="(default %(default)s)")
    args = parser.parse_args()
    positions = threatened_positions(RULES[args.rule], args.seed, args.nodes)
    lacking = listed = 0
    for _ in range(args.positions):
        position = next(positions)
        searched = root_moves(position)
        listed += len(searched)
        missing = missing_defences(position, searched)
        if missing:
            lacking += 1
            print(" ".join(map(point_text, position.moves)), "lacks", " ".join(map(point_text, missing)), flush=True)
    print(
        f"{args.rule}: {lacking} of {args.positions} positions lack a real defence; "
        f"{listed / args.positions:.1f} moves searched"
    )


if __name__ == "__main__":
    main()
