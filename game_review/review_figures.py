"""What a review makes of expected scores: losses, marks, turning points, accuracy. docs/review.md has the formulas.

An expected score is the chance of a win plus half the chance of a draw, 0 to 1. Losses are differences of them, for the
side that moves; a *point* is a hundredth.
"""

from __future__ import annotations

import math
from typing import NamedTuple

TOLERANCE = 0.02
"""A move that loses less counts as best."""
ACCURACY_SCALE = 0.2
"""How much more than the tolerance a move loses whose accuracy is 1/e."""
AHEAD = 0.65
"""From this expected score on, a side is ahead; the other one is behind."""
INACCURACY, MISTAKE, BLUNDER = "inaccuracy", "mistake", "blunder"
MARKS = (INACCURACY, MISTAKE, BLUNDER)
PLURALS = ("inaccuracies", "mistakes", "blunders")


class Thresholds(NamedTuple):
    """How many points a move of each mark loses at least."""

    inaccuracy: float = 5.0
    mistake: float = 10.0
    blunder: float = 20.0

    @property
    def are_sound(self) -> bool:
        """Whether they grow, from above 0 up to 100."""
        return 0 < self.inaccuracy < self.mistake < self.blunder <= 100

    def mark(self, loss: float) -> str | None:
        """The mark of a move by its loss."""
        points = 100 * loss + 1e-9  # 0.05 is a little less than 5 points
        reached = [mark for mark, least in zip(MARKS, self) if points >= least]
        return reached[-1] if reached else None


def accuracy_of(loss: float) -> float:
    """The accuracy of a move in percent."""
    return 100 * math.exp(-max(loss - TOLERANCE, 0.0) / ACCURACY_SCALE)


def standing(expected: float) -> int:
    """1 if the side is ahead, -1 if it is behind, 0 if the game is even."""
    return (expected >= AHEAD) - (expected <= 1 - AHEAD)


def is_turning_point(before: float, played: float, mark: str | None) -> bool:
    """Whether a move changed who is ahead, by a mistake or a blunder."""
    return mark in (MISTAKE, BLUNDER) and standing(before) != standing(played)


class Figures(NamedTuple):
    """The figures of some moves: of a side, or of a group of moves in a summary. None: no move counts."""

    moves: int
    counted: int
    accuracy: float | None
    average_loss: float | None
    inaccuracies: int
    mistakes: int
    blunders: int

    @property
    def marks(self) -> tuple[int, int, int]:
        """How many moves have each of MARKS."""
        return self.inaccuracies, self.mistakes, self.blunders
