"""How many moves of Gomoku's lower levels, other than the best, answer or extend a line of two stones or more.

    python benchmarks/gomoku_related_moves.py --levels 2,3,4,5 --games 25 --seed 70

A point does so if a row of five points through it holds two or more stones of one colour and none of the other. Moves
in positions without any such point do not count. The best move is that of full strength with --nodes nodes. Each level
plays against itself, freestyle on 15x15, from the shipped openings.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from sanqi_training.level_games import BoardArena, Terms

from gomoku_protocol.points import point_of
from gomoku_protocol.position import Position
from search_core.engine import Engine, Limits
from search_core.number_argument import number_argument

_FIVE = 5
_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


def is_related(position: Position, x: int, y: int) -> bool:
    """Whether a vacant point answers or extends a line of two stones or more."""

    def stone(column: int, row: int) -> int | None:
        """-1: vacant; None: nobody can play there."""
        if not (0 <= column < position.width and 0 <= row < position.height):
            return None
        content = position.stone_at(column, row)
        return content if content <= 1 else None

    for dx, dy in _DIRECTIONS:
        for start in range(1 - _FIVE, 1):
            window = [stone(x + (start + step) * dx, y + (start + step) * dy) for step in range(_FIVE)]
            for colour in (0, 1):
                if window.count(colour) >= 2 and None not in window and 1 - colour not in window:
                    return True
    return False


def main(words: Sequence[str] | None = None) -> None:
    """Play the games and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", default="2,3,4,5", metavar="N,N")
    parser.add_argument("--games", type=number_argument(1, 100_000), default=25, help="of each level")
    parser.add_argument("--nodes", type=number_argument(1, 10**9), default=5000, help="to find the best move")
    parser.add_argument("--seed", type=number_argument(0, 2**31), default=70)
    args = parser.parse_args(words)
    arena = BoardArena(Terms("gomoku", seed=args.seed))
    engine = Engine()
    all_counts = [0, 0, 0]
    print("| level | moves | not the best | of these related |")
    print("|---|---|---|---|")
    for level in args.levels.split(","):
        counts = [0, 0, 0]
        games = [game for number in range((args.games + 1) // 2) for game in arena.pair(level, level, number)]
        for game in games[: args.games]:
            position = Position()
            for ply, text in enumerate(game.moves):
                x, y = map(int, text.split(","))
                legal = position.legal_moves()
                if ply >= 4 and any(is_related(position, *point_of(move)) for move in legal):
                    counts[0] += 1
                    best = engine.search(position, Limits(nodes=args.nodes)).best
                    if str(best) != text:
                        counts[1] += 1
                        counts[2] += is_related(position, x, y)
                position.push(text)
        all_counts = [one + other for one, other in zip(all_counts, counts)]
        _print_row(level, counts)
    _print_row("all", all_counts)
    engine.close()


def _print_row(name: str, counts: Sequence[int]) -> None:
    moves, others, related = counts
    print(f"| {name} | {moves} | {others} | {100 * related / max(others, 1):.1f} % |", flush=True)


if __name__ == "__main__":
    main()
