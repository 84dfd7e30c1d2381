"""Losses and gradients by PyTorch, for who has an accelerator; gradients.h has the formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sanqi_training.nets.gradients import Gradients

_MOST = 1 << 16  # samples in one pass: their inputs take 17 MB


class TorchGradients:
    """What Gradients computes, on a device of PyTorch.

    Parameters
    ----------
    samples : Gradients
        Reads the samples.
    inputs, width : int
        Shape of the net.
    device : str
        As PyTorch names it: `cpu`, `cuda`, `mps`. Raises RuntimeError if it is not there.
    """

    def __init__(self, samples: Gradients, inputs: int, width: int, device: str) -> None:
        self._samples = samples
        self._inputs = inputs
        self._width = width
        self._device = torch.device(device)
        self._no_row = torch.zeros(1, width, device=self._device)
        """Of the places of a sample without an input."""

    def of_batch(
        self, weights: NDArray[np.float32], batch: NDArray[np.uint8], seed: int
    ) -> tuple[float, NDArray[np.float32]]:
        """(mean loss, its gradient by the weights) of samples, some of them mirrored."""
        learnt = torch.tensor(weights, device=self._device, requires_grad=True)
        outputs, targets = self._pass(learnt, batch, seed)
        loss = functional.mse_loss(torch.sigmoid(outputs), targets)
        [gradient] = torch.autograd.grad(loss, [learnt])
        return float(loss.detach()), gradient.cpu().numpy()

    def loss(self, weights: NDArray[np.float32], batch: NDArray[np.uint8]) -> float:
        """The mean loss of samples."""
        errors = [
            (torch.sigmoid(outputs) - targets).double().square().sum().item()
            for outputs, targets in self._passes(weights, batch)
        ]
        return float(sum(errors)) / (len(batch) // self._samples.sample_bytes)

    def outputs(self, weights: NDArray[np.float32], batch: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The net's outputs for samples."""
        return np.concatenate([outputs.cpu().numpy() for outputs, _ in self._passes(weights, batch)])

    def _passes(self, weights: NDArray[np.float32], batch: NDArray[np.uint8]) -> list[tuple[Any, Any]]:
        """Outputs and targets, in parts."""
        part = _MOST * self._samples.sample_bytes
        kept = torch.tensor(weights, device=self._device)
        with torch.no_grad():
            return [self._pass(kept, batch[first : first + part], 0) for first in range(0, len(batch), part)]

    def _pass(self, weights: torch.Tensor, batch: NDArray[np.uint8], seed: int) -> tuple[torch.Tensor, torch.Tensor]:
        active, targets = self._samples.decoded(batch, seed)
        rows, biases, own, other, bias = weights.split([self._inputs * self._width, *(self._width,) * 3, 1])
        # The last number, of no input, adds nothing.
        sums = functional.embedding_bag(
            torch.from_numpy(active.reshape(-1, active.shape[2])).to(self._device),
            torch.cat([rows.view(self._inputs, self._width), self._no_row]),
            mode="sum",
        )
        neurons = (sums + biases).clamp(0, 1).square().view(len(targets), 2 * self._width)
        return neurons @ torch.cat([own, other]) + bias, torch.from_numpy(targets).to(self._device)
