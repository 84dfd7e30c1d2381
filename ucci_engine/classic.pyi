from collections.abc import Collection

from search_core.signals import Signals
from ucci_engine.position import Position

def find(
    position: Position,
    name: str,
    seed: int,
    signals: Signals,
    root_moves: Collection[int] = ...,
    excluded_moves: Collection[int] = ...,
) -> tuple[int | None, int, int, int, tuple[int, ...]]:
    """The player's move."""
