"""Trains a net by AdamW (Loshchilov and Hutter 2017), with what inputs have in common learnt for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class TrainingError(ValueError):
    """Training cannot go on; the message is for the user."""


WEIGHT_LIMIT = 1.98
"""No weight but the first biases grows larger, so that it fits a quantised net."""
WEIGHT_DECAY = 0.01

_FIRST_ROW = 0.1  # largest first weight of an input: about 30 are active, and their sums shall not leave 0 to 1


class BatchGradients(Protocol):
    """What samples say of the weights of a net, which are in the order of Trainer.weights."""

    def of_batch(
        self, weights: NDArray[np.float32], batch: NDArray[np.uint8], seed: int
    ) -> tuple[float, NDArray[np.float32]]:
        """(mean loss, its gradient by the weights) of samples, some of them mirrored."""

    def loss(self, weights: NDArray[np.float32], batch: NDArray[np.uint8]) -> float:
        """The mean loss of samples."""


class Trainer:
    """A net in training.

    The row of an input is its own part, and those of the groups that it belongs to, such as all points of a kind of
    piece: what is learnt on one point then holds for the others, until there are samples enough of each. (Known as
    factorised inputs from Stockfish's nets.)

    Parameters
    ----------
    gradients : BatchGradients
    groupings : list of list of int
        Each: the number of the group of each input.
    width : int
        Neurons a side.
    seed : int
        Of the first weights.
    sides : int
        Whose views of a position have neurons that count for the output: 2, or 1; 0: there is no output.
    more : numpy.ndarray of float32, optional
        The first values of further weights, after all others.

    Attributes
    ----------
    weights : numpy.ndarray of float32
        Rows of the inputs, biases, outputs of each side, the output's bias, `more`.
    state : numpy.ndarray of float32
        What a checkpoint has to keep, with `steps`: the parts of the weights, and two moments of each.
    """

    def __init__(
        self,
        gradients: BatchGradients,
        groupings: list[list[int]],
        width: int,
        seed: int,
        sides: int = 2,
        more: NDArray[np.float32] | None = None,
    ) -> None:
        self._gradients = gradients
        self._width = width
        self._inputs = len(groupings[0])
        self._groupings = [_Grouping(groups) for groups in groupings]
        end = (self._inputs + 1 + sides) * width
        beside = np.zeros(0, np.float32) if more is None else more
        size = end + (sides > 0) + len(beside)
        shared = sum(grouping.count for grouping in self._groupings) * width
        self.state = np.zeros((3, size + shared), np.float32)
        self.steps = 0
        chance = np.random.default_rng(seed)
        parts = self.state[0]
        rows = self._inputs * width
        parts[rows : rows + width] = 0.1
        parts[rows + width : end] = chance.uniform(-1, 1, sides * width) / width**0.5
        parts[size - len(beside) : size] = beside
        first = self._groupings[0].count * width
        parts[size : size + first] = chance.uniform(-_FIRST_ROW, _FIRST_ROW, first)
        self._size = size
        self.weights = self._composed()

    def step(self, batch: NDArray[np.uint8], rate: float, seed: int) -> float:
        """Learn from a batch; its mean loss before the step."""
        loss, gradient = self._gradients.of_batch(self.weights, batch, seed)
        rows = gradient[: self._inputs * self._width].reshape(self._inputs, self._width)
        gradient = np.concatenate([gradient, *(grouping.sums(rows).ravel() for grouping in self._groupings)])
        parts, mean, square = self.state
        self.steps += 1
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient * gradient - square)
        largest = np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8
        parts *= 1 - rate * WEIGHT_DECAY
        parts -= rate / (1 - 0.9**self.steps) * mean / largest
        outputs = parts[(self._inputs + 1) * self._width : self._size]  # and what comes after them
        np.clip(outputs, -WEIGHT_LIMIT, WEIGHT_LIMIT, outputs)
        self.weights = self._composed()
        return loss

    def loss(self, batch: NDArray[np.uint8]) -> float:
        """The mean loss of samples, learning nothing."""
        return self._gradients.loss(self.weights, batch)

    def restore(self, state: NDArray[np.float32], steps: int) -> None:
        """Take over the `state` and `steps` of another trainer. Raises ValueError if its net has another width, or is
        of another game."""
        if state.shape != self.state.shape:
            raise ValueError("a net of another width or game")
        self.state[:] = state
        self.steps = steps
        self.weights = self._composed()

    def _composed(self) -> NDArray[np.float32]:
        """The weights, of their parts."""
        parts = self.state[0]
        weights: NDArray[np.float32] = parts[: self._size].copy()
        rows = weights[: self._inputs * self._width].reshape(self._inputs, self._width)
        place = self._size
        for grouping in self._groupings:
            end = place + grouping.count * self._width
            rows += parts[place:end].reshape(grouping.count, self._width)[grouping.of_input]
            place = end
        np.clip(rows, -WEIGHT_LIMIT, WEIGHT_LIMIT, rows)
        return weights


class _Grouping:
    """Which inputs have something in common."""

    def __init__(self, groups: list[int]) -> None:
        names, self.of_input = np.unique(groups, return_inverse=True)
        self.count = len(names)
        self._order = np.argsort(self.of_input, kind="stable")
        self._starts = np.searchsorted(self.of_input[self._order], range(self.count))

    def sums(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """The sums of the rows of each group."""
        sums: NDArray[np.float32] = np.add.reduceat(rows[self._order], self._starts)
        return sums
