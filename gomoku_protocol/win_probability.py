"""Win, draw and loss from a score of Gomoku, by how full the board is. docs/win-probability.md explains it."""

from __future__ import annotations

from game_core.win_probability import Chances, Curves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gomoku_protocol.position import Position

# Made by training/sanqi_training/fit_win_probability.py.
CURVES = Curves(
    log_even_cp=(1.566, 13.641),
    log_spread_cp=(4.823, 4.087),
)


def stage(position: Position) -> float:
    """The share of the points that are not vacant."""
    return 1 - position.vacant / (position.width * position.height)


def chances(score_cp: int, position: Position) -> Chances:
    """The chances of the side to move, at the score of a search of this position."""
    return CURVES.chances(score_cp, stage(position))
