"""Win, draw and loss from a score: what the curves of all games have in common. docs/win-probability.md explains them.

The engine process loads this module. The native modules are imported when first needed.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Chances(NamedTuple):
    """How probable the results of a game are, for the side to move. The sum is 1."""

    win: float
    draw: float
    loss: float

    @property
    def expected_score(self) -> float:
        """In points: a win is 1, a draw a half."""
        return self.win + self.draw / 2


class Curves(NamedTuple):
    """Two logistic curves, for a win and for a loss. They depend on the score, and on a number from 0 to 1 that says
    how far the game is. A field has the coefficients of a polynomial in this number, the constant first. The polynomial
    gives the logarithm of centipawns, or of the unit in which the game gives its scores."""

    log_even_cp: tuple[float, ...]
    """Of the score that wins half of the games."""
    log_spread_cp: tuple[float, ...]
    """Of how slowly the chance grows around that score."""

    def chances(self, score_cp: float, stage: float) -> Chances:
        """The chances at a score; `stage` is that number. A forced win or loss, also by a rule, is certain."""
        from search_core.game import RULED_BOUND

        if abs(score_cp) >= RULED_BOUND:
            return Chances(1.0, 0.0, 0.0) if score_cp > 0 else Chances(0.0, 0.0, 1.0)
        even = math.exp(_polynomial(self.log_even_cp, stage))
        spread = math.exp(_polynomial(self.log_spread_cp, stage))
        win, loss = _logistic((score_cp - even) / spread), _logistic((-score_cp - even) / spread)
        return Chances(win, max(1 - win - loss, 0.0), loss)


def per_mille(chances: Chances) -> tuple[int, int, int]:
    """Win, draw and loss in whole thousandths; their sum is 1000."""
    # Halves are rounded down, with room for errors of floating point, so that at least 0 is left for the draw.
    win, loss = (math.ceil(1000 * chance - 0.5 - 1e-9) for chance in (chances.win, chances.loss))
    return win, 1000 - win - loss, loss


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    value = 0.0
    for coefficient in reversed(coefficients):
        value = value * x + coefficient
    return value


def _logistic(x: float) -> float:
    """1 / (1 + exp(-x)), for any size of x."""
    return (1 + math.tanh(x / 2)) / 2
