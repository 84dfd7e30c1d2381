"""Win, draw and loss from a score of Junqi, by the pieces that are left. docs/win-probability.md explains it."""

from __future__ import annotations

import math

from game_core.win_probability import Chances, Curves
from junqi_protocol.rules.lineup import ARMY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from junqi_protocol.rules.position import Position

SURE_SCORE = 20_000
"""Of a sure win."""
_PIECES_OF_A_SEAT = sum(ARMY.values())
# Made by training/sanqi_training/fit_win_probability.py.
CURVES = {
    "siguo": Curves(
        log_even_cp=(2.743, -3.939, 8.006),
        log_spread_cp=(4.201, -2.211, 2.917),
    ),
    "duel": Curves(
        log_even_cp=(2.083, -3.429, 8.982),
        log_spread_cp=(4.876, -1.463, 1.201),
    ),
}
"""By variant: each has an evaluation of its own."""


def stage(position: Position) -> float:
    """The share of all pieces that are off the board."""
    left = sum(len(position.pieces(seat)) for seat in position.living)
    return 1 - left / (position.variant.seats * _PIECES_OF_A_SEAT)


def log_odds(score: int) -> float:
    """Of a score that is not sure, as a win probability, 100 times the logarithm. The curves take it in place of
    centipawns."""
    return 100 * math.log((SURE_SCORE + score) / (SURE_SCORE - score))


def chances(score: int, position: Position) -> Chances:
    """The chances of the team to move, at the score of a search of this position."""
    if abs(score) >= SURE_SCORE:
        return Chances(float(score > 0), 0.0, float(score < 0))
    return CURVES[position.variant.name].chances(log_odds(score), stage(position))
