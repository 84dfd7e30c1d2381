"""The bench of Gomoku: positions from freestyle games of the engine against itself, searched under all rules."""

from __future__ import annotations

from game_core.bench import Bench
from gomoku_protocol.points import move_at, parse_point
from gomoku_protocol.position import Position

DEFAULT_DEPTH = 11
# Rule and moves.
POSITIONS = (
    (0, "7,8 8,6 8,5 9,5 9,9 7,9 7,5 6,7 7,7 7,4 6,9 6,6 9,6 8,7 6,5 4,5 9,8 8,8 8,10"),
    (0, "6,5 6,8 7,8 7,6 5,8 6,7 6,9 4,7 5,7 5,9 5,5 4,5 4,6 5,4 3,6 6,4 7,4"),
    (0, "5,7 6,8 5,9 8,7 7,8 5,6 9,6 7,6 9,8 6,6 4,6 9,7 4,9 10,7 7,7"),
    (1, "5,6 6,6 11,3 4,9 8,5 7,7 7,10 7,6 7,4 6,5 6,4 8,4 9,6 10,7 8,7 6,8 7,8 6,9 6,7"),
    (1, "9,9 9,8 6,7 8,9 8,8 7,7 7,6 7,10 6,11 5,8 8,6 6,9 8,11 7,11 7,9 9,6 9,7 6,10"),
    (4, "10,10 6,9 5,9 7,5 9,11 6,6 8,12 7,13 8,10 5,7 11,9 12,8 4,8"),
    (8, "11,9 5,11 5,9 4,9 4,10 6,9 10,5 9,5 10,8 6,11 6,8 7,7 10,6 10,7 9,7 8,6 8,8 7,9 11,6 9,8 11,5"),
    (9, "7,7 6,7 9,9 5,6 9,8 5,8 7,5 9,6 8,6 5,9 5,5 7,8 8,9 8,8 6,8"),
)


def bench(depth: int | None, threads: int, hash_mb: int) -> Bench:
    """All positions, to `depth` plies; None: to the depth of the signature."""
    positions = []
    for rule, moves in POSITIONS:
        position = Position(15, 15, rule)
        for move in moves.split():
            position.push(move_at(*parse_point(move)))
        positions.append(position)
    return Bench(positions, depth or DEFAULT_DEPTH, threads, hash_mb)
