"""Win, draw and loss from a score of Xiangqi, by the attacking material left. docs/win-probability.md explains it."""

from __future__ import annotations

from game_core.win_probability import Chances, Curves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ucci_engine.position import Position

_FULL_PHASE = 48  # Position.phase with all rooks, horses and cannons

# Made by training/sanqi_training/fit_win_probability.py.
CURVES = Curves(
    log_even_cp=(5.344, 3.773, -9.959, 5.874),
    log_spread_cp=(4.215, 3.735, -3.713, 1.236),
)


def stage(position: Position) -> float:
    """The share of the attacking material that is left."""
    return position.phase / _FULL_PHASE


def chances(score_cp: int, position: Position) -> Chances:
    """The chances of the side to move, at the score of a search of this position."""
    return CURVES.chances(score_cp, stage(position))
