"""The bench of Xiangqi."""

from __future__ import annotations

from game_core.bench import Bench
from ucci_engine.bench_positions import POSITIONS
from ucci_engine.position import Position

DEFAULT_DEPTH = 12


def bench(depth: int | None, threads: int, hash_mb: int) -> Bench:
    """All positions, to `depth` plies; None: the depth of the signature."""
    return Bench([Position(fen) for fen in POSITIONS], depth or DEFAULT_DEPTH, threads, hash_mb)
