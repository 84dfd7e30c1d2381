"""Losses and gradients of Junqi's evaluation: linear weights, and a net whose inputs are few and have weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]

from junqi_protocol.players.net import FOLD_COUNT, INPUT_COUNT, KIND_COUNT, PLACE_COUNT, WIDTH
from sanqi_training.nets.baselines import sigmoid, targets

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_TEAM = 255
"""Of the places of a sample that are left over."""

_MOST = 1 << 13  # samples in one pass


_LINEAR_STEP = 20
"""How much larger the steps of a linear weight are than those of the net's, in shares of its hand-made size."""
_LEAST_LINEAR = 0.03
"""What the size of each linear weight is taken for at least, in logits."""


class JunqiGradients:
    """As BatchGradients of trainer. After the net's weights come what the linear weights differ from hand-made ones,
    in steps of their own.

    Parameters
    ----------
    type : numpy.dtype
        Of a sample.
    result_share, scale : float
        As of targets().
    hand_made : numpy.ndarray of float
        The linear weights to begin with.
    """

    def __init__(
        self, type: np.dtype[np.void], result_share: float, scale: float, hand_made: NDArray[np.float64]
    ) -> None:
        self._type = type
        self._result_share = result_share
        self._scale = scale
        self._hand_made = hand_made
        self._steps = _LINEAR_STEP * np.maximum(abs(hand_made), _LEAST_LINEAR)

    def linear(self, weights: NDArray[np.float32]) -> NDArray[np.float64]:
        """The linear weights."""
        found: NDArray[np.float64] = self._hand_made + self._steps * weights[-len(self._hand_made) :]
        return found

    def of_batch(
        self, weights: NDArray[np.float32], batch: NDArray[np.uint8], seed: int
    ) -> tuple[float, NDArray[np.float32]]:
        """(mean loss, its gradient by the weights). `seed`: not used, since left and right are alike."""
        samples = batch.view(self._type).ravel()
        outputs, inputs, sums = self._forward(weights, samples)
        guesses = sigmoid(outputs.astype(float))
        errors = guesses - targets(samples, self._result_share, self._scale)
        slopes = (2 * errors * guesses * (1 - guesses) / len(samples)).astype(np.float32)
        clipped = np.clip(sums, 0, 1)
        of_outputs = split_weights(weights)[2]
        inside = (sums > 0) & (sums < 1)
        deltas = 2 * slopes[:, None] * clipped * of_outputs * inside
        gradient = np.concatenate(
            [
                np.asarray(inputs.T @ deltas).ravel(),
                deltas.sum(0),
                slopes @ (clipped * clipped),
                [slopes.sum()],
                self._steps * (slopes @ samples["features"]),
            ]
        )
        return float(np.mean(errors**2)), gradient.astype(np.float32)

    def loss(self, weights: NDArray[np.float32], batch: NDArray[np.uint8]) -> float:
        """The mean loss of samples."""
        samples = batch.view(self._type).ravel()
        wanted = targets(samples, self._result_share, self._scale)
        return float(np.mean((sigmoid(self.outputs(weights, batch).astype(float)) - wanted) ** 2))

    def outputs(self, weights: NDArray[np.float32], batch: NDArray[np.uint8]) -> NDArray[np.float32]:
        """What linear weights and net say of samples, in logits."""
        samples = batch.view(self._type).ravel()
        parts = [self._forward(weights, samples[at : at + _MOST])[0] for at in range(0, len(samples), _MOST)]
        return np.concatenate(parts).astype(np.float32)

    def _forward(self, weights: NDArray[np.float32], samples: Any) -> tuple[NDArray[np.float32], Any, Any]:
        """The outputs, the inputs as a sparse matrix, the sums of the neurons."""
        rows, biases, of_outputs, bias = split_weights(weights)
        inputs = _inputs(samples)
        sums = inputs @ rows.reshape(INPUT_COUNT, WIDTH) + biases
        clipped = np.clip(sums, 0, 1)
        outputs = (clipped * clipped) @ of_outputs + bias + samples["features"] @ self.linear(weights)
        return outputs, inputs, sums


def split_weights(weights: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
    """Rows, biases, outputs, the output's bias."""
    ends = np.cumsum([INPUT_COUNT * WIDTH, WIDTH, WIDTH, 1])
    return tuple(np.split(weights, ends)[:4])


def _inputs(samples: Any) -> Any:
    """[sample, input]: its weight."""
    pieces = samples["pieces"]
    chances = np.where((pieces["team"] != NO_TEAM)[:, :, None], pieces["chances"], 0)
    number, piece, kind = np.nonzero(chances)
    at = pieces[number, piece]
    first = (at["team"].astype(np.int32) * KIND_COUNT + kind) * PLACE_COUNT
    weights = (chances[number, piece, kind] / 255).astype(np.float32)
    turns = INPUT_COUNT - 2 + samples["on_turn"].astype(np.int32)
    count = len(samples)
    return sparse.csr_matrix(
        (
            np.concatenate([weights, weights, np.ones(count, np.float32)]),
            (
                np.concatenate([number, number, np.arange(count)]),
                np.concatenate([first + at["fold"], first + FOLD_COUNT + at["zone"], turns]),
            ),
        ),
        (count, INPUT_COUNT),
    )
