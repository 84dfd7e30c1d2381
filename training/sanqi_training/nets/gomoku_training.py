"""What `sanqi-train samples` and `train` do for Gomoku: a net that orders moves."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gomoku_protocol.net_file import AROUND, CLASSES, ROWS, WIDTH, Net, check_sums, net_bytes, net_name
from gomoku_protocol.swap2_store import symmetries
from sanqi_training.nets.gomoku_gradients import GomokuGradients
from sanqi_training.nets.gomoku_samples import REASONS, GomokuReplay
from sanqi_training.nets.report import shares
from sanqi_training.nets.trainer import Trainer, TrainingError
from sanqi_training.selfplay.player import HEAD
from search_core.net_file import NetError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sanqi_training.nets.train_command import TrainOptions

_ROWS = 22
_STRIDE = 32
"""From a point of a record to the one below it."""
SAMPLE = np.dtype([("stones", "<u4", (2, _ROWS)), ("best", "<u2"), ("side", "u1"), ("padding", "u1")])

_MIDDLE = 4
# 1.0 of the parts of a net: gomoku_net_kernel.h.
_FIRST_ONE, _AROUND_ONE, _SECOND_ONE, _GATE_ONE = 4096, 8192, 512, 4096
_SHARES = (1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)


class GomokuSamples:
    """Makes samples; as SampleMaker of samples_command."""

    type = SAMPLE

    def __init__(self, header: dict[str, Any]) -> None:
        self._replay = GomokuReplay(header["rule"], header["size"])
        self._turns = symmetries(header["size"])

    @property
    def tally(self) -> dict[str, int]:
        return dict(zip(REASONS, self._replay.tally, strict=True))

    def group(self, record: bytes) -> int:
        """Of the opening's stones, the same however they are turned and mirrored, and in whatever order they came."""
        opening = struct.unpack_from(f"<{HEAD.unpack_from(record)[2]}H", record, HEAD.size)
        stones = [(ply & 1, *divmod(point, _STRIDE)) for ply, point in enumerate(opening)]
        turned = min(sorted((side, *turn(x, y)) for side, y, x in stones) for turn in self._turns)
        return zlib.crc32(repr(turned).encode("ascii"))

    def samples(self, record: bytes) -> bytes:
        return self._replay.samples(record)

    def report(self, samples: Any) -> Iterator[str]:
        bits = np.array([number.bit_count() for number in range(256)], np.uint8)
        stones = bits[np.ascontiguousarray(samples["stones"]).view(np.uint8)].sum(axis=(1, 2))
        yield "stones      " + shares(stones // 10 * 10)


class GomokuTraining:
    """A net in training; as GameTraining of train_command."""

    defaults: ClassVar[dict[str, float]] = {
        "width": WIDTH, "epochs": 4, "batch": 1024, "rate": 3e-3, "result_share": 0,
    }  # fmt: skip

    def __init__(self, about: dict[str, Any], check: Any, options: TrainOptions) -> None:
        if options.width != WIDTH:
            raise TrainingError(f"--width {options.width}: nets of Gomoku have {WIDTH} neurons")
        if options.device is not None:
            raise TrainingError("--torch: not for Gomoku")
        if options.result_share:
            raise TrainingError("--result-share: a net of Gomoku learns moves, not results")
        made_from = about["made from"][0]
        self._rule = made_from["rule"]
        gradients = GomokuGradients(self._rule, made_from["size"], options.threads)
        self.trainer = Trainer(gradients, _groupings(), WIDTH, options.seed, 0, _later_weights(options.seed))
        self.scale = 1.0
        self._gradients = gradients
        self._check = check
        loss = gradients.loss(np.zeros(gradients.weights, np.float32), check.view(np.uint8))
        self.baselines = {f"equal chances of {math.exp(loss):.0f} points near stones": loss}

    def net(self) -> tuple[str, bytes, dict[str, Any]]:
        content = net_bytes(quantised(self._rule, self.trainer.weights))
        right = self._gradients.first_right(self.trainer.weights, self._check.view(np.uint8))
        return net_name(content), content, {"first move right": round(right, 4)}


def quantised(rule: int, weights: NDArray[np.float32]) -> Net:
    """The net of these weights, its neurons no smaller than its sums need. Raises TrainingError if they could overflow
    in any case."""
    for share in _SHARES:
        with suppress(NetError):
            net = _scaled(rule, weights, share)
            check_sums(net)
            return net
    raise TrainingError("the sums of the net could overflow")


def _scaled(rule: int, weights: NDArray[np.float32], share: float) -> Net:
    """The net whose neurons of the second layer are this share as large, and whose scores are the same. Raises NetError
    if a number is too large."""
    ones = [_FIRST_ONE, _FIRST_ONE, _FIRST_ONE, _AROUND_ONE, _SECOND_ONE, _GATE_ONE, _GATE_ONE]
    shares = [1, 1, 1, share, share, share**-2, share**-1]
    parts = np.split(weights.astype(float), np.cumsum(list(ROWS.values()))[:-1] * WIDTH)
    numbers = [np.rint(part * one * by) for part, one, by in zip(parts, ones, shares, strict=True)]
    # The kernels cut each of the nine products off, half a unit in the mean.
    numbers[4] += AROUND // 2
    if max(abs(part).max() for part in numbers) > 32767:
        raise NetError("a number of the net is too large")
    return Net(rule, *(part.astype("<i2").tobytes() for part in numbers))


def _groupings() -> list[list[int]]:
    """Inputs with the same own class, and with the same class of the other side, have something in common."""
    stones = [CLASSES, CLASSES + 1]
    own = [pair // CLASSES for pair in range(CLASSES * CLASSES)]
    other = [pair % CLASSES for pair in range(CLASSES * CLASSES)]
    return [own + stones, other + stones]


def _later_weights(seed: int) -> NDArray[np.float32]:
    """What the weights after the first layer begin with: the second layer takes over the first."""
    chance = np.random.default_rng([seed, 1])
    around = chance.normal(0, 0.1, (AROUND, WIDTH))
    around[_MIDDLE] += 1
    biases, gates = np.zeros(WIDTH), np.zeros((WIDTH, WIDTH))
    gate_biases = chance.normal(0, 0.3, WIDTH)
    return np.concatenate([part.ravel() for part in (around, biases, gates, gate_biases)]).astype(np.float32)
