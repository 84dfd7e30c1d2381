"""Random steps through a game of Xiangqi: moves, passes, take-backs."""

from __future__ import annotations

import random
from types import ModuleType

from ucci_engine.position import Position


def random_step(position: Position, chance: random.Random, probe: ModuleType) -> None:
    """Play a move, pass, or take up to 70 plies back."""
    moves = position.legal_moves()
    choice = chance.random()
    if (choice < 0.15 or not moves) and position.plies:
        for _ in range(chance.randint(1, min(position.plies, 70))):
            position.pop()
    elif choice < 0.25 and not position.checked:
        probe.make_null(position)
    elif moves:
        position.push(chance.choice(moves))
