"""Predictors that a net has to beat, and the scale of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize_scalar  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from numpy.typing import NDArray

_VALUES = np.repeat([0, 2, 2, 4, 9, 4.5, 1], [1, 2, 2, 2, 2, 2, 5])
"""Of one side's pieces, in the order of their slots: the usual values in pawns."""


def sigmoid(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / (1 + exp(-x))."""
    result: NDArray[np.float64] = 1 / (1 + np.exp(-numbers))
    return result


def fitted_scale(samples: Any) -> float:
    """The score, in centipawns, that counts as a win probability of 1 / (1 + 1/e): fitted to the results."""
    return scale_of(samples["score"] / 100, samples["result"] / 2) * 100


def scale_of(scores: Any, results: Any) -> float:
    """The score that counts as a win probability of 1 / (1 + 1/e), from 0.05 to 20: fitted to the results."""
    numbers = np.asarray(scores, float)
    found = minimize_scalar(
        lambda scale: _error(sigmoid(numbers / scale), results), bounds=(0.05, 20), method="bounded"
    )
    return float(found.x)


def targets(samples: Any, result_share: float, scale: float) -> NDArray[np.float64]:
    """What a net learns, as the trainer computes it."""
    score_part: NDArray[np.float64] = (1 - result_share) * sigmoid(samples["score"] / scale)
    wanted: NDArray[np.float64] = result_share * samples["result"] / 2 + score_part
    return wanted


def constant_loss(wanted: NDArray[np.float64]) -> float:
    """The loss of the best constant."""
    return float(np.var(wanted))


def material_loss(samples: Any, wanted: NDArray[np.float64]) -> float:
    """The loss of a predictor that sees only the material, with the best scale."""
    on_board = samples["squares"] != 255
    red = on_board[:, :16] @ _VALUES - on_board[:, 16:] @ _VALUES
    ahead = np.where(samples["side"] == 0, red, -red)
    found = minimize_scalar(lambda scale: _error(sigmoid(ahead / scale), wanted), bounds=(0.2, 50), method="bounded")
    return float(found.fun)


def _error(guesses: NDArray[np.float64], wanted: NDArray[np.float64]) -> float:
    return float(np.mean((guesses - wanted) ** 2))
