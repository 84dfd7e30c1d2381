"""A trained net in the integers of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucci_engine.net_file import Net
from ucci_engine.net_inputs import INPUT_COUNT

if TYPE_CHECKING:
    from numpy.typing import NDArray

ONE = 255
"""1.0 in the first layer."""
_MAX_OUTPUT = 127
_MAX_SUM = (1 << 31) / ONE**2 * 0.99


def quantised(weights: NDArray[np.float32], width: int, scale: float) -> Net:
    """The net of these weights, laid out as Gradients has them; an output of 1 is `scale` centipawns.

    The weights of the output are as fine as their sums allow.
    """
    rows, biases, outputs = np.split(weights[:-1], [INPUT_COUNT * width, (INPUT_COUNT + 1) * width])
    largest_sum = max(outputs.clip(0).sum(), -outputs.clip(None, 0).sum(), 1e-3)
    one = int(min(_MAX_OUTPUT / max(abs(outputs).max(), 1e-3), _MAX_SUM / largest_sum, 10_000))
    return Net(
        width,
        _rounded(rows, ONE).tobytes(),
        _rounded(biases, ONE).tobytes(),
        _rounded(outputs, one).tobytes(),
        round(float(weights[-1]) * ONE * one),
        one,
        round(scale),
    )


def _rounded(numbers: NDArray[np.float32], one: int) -> NDArray[np.int16]:
    return np.rint(numbers * one).astype("<i2")
