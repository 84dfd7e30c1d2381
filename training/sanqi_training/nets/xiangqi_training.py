"""What `sanqi-train samples` and `train` do for Xiangqi."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sanqi_training.nets.baselines import constant_loss, fitted_scale, material_loss, targets
from sanqi_training.nets.quantise import quantised
from sanqi_training.nets.report import shares
from sanqi_training.nets.trainer import Trainer, TrainingError
from sanqi_training.nets.xiangqi_gradients import XiangqiGradients
from sanqi_training.nets.xiangqi_samples import REASONS, XiangqiReplay
from sanqi_training.selfplay.player import HEAD
from ucci_engine.net_file import net_bytes, net_name
from ucci_engine.net_inputs import INPUT_COUNT, INPUTS

if TYPE_CHECKING:
    from sanqi_training.nets.torch_gradients import TorchGradients
    from sanqi_training.nets.train_command import TrainOptions
    from sanqi_training.nets.trainer import BatchGradients

SAMPLE = np.dtype(
    [("squares", "u1", 32), ("side", "u1"), ("result", "u1"), ("score", "<i2"), ("ply", "<u2"), ("padding", "<u2")]
)


class XiangqiSamples:
    """Makes samples; as SampleMaker of samples_command."""

    type = SAMPLE

    def __init__(self, header: dict[str, Any]) -> None:
        self._replay = XiangqiReplay()

    @property
    def tally(self) -> dict[str, int]:
        return dict(zip(REASONS, self._replay.tally, strict=True))

    def group(self, record: bytes) -> int:
        """Of the opening."""
        opening = HEAD.unpack_from(record)[2]
        return zlib.crc32(record[HEAD.size : HEAD.size + 2 * opening])

    def samples(self, record: bytes) -> bytes:
        return self._replay.samples(record)

    def report(self, samples: Any) -> Iterator[str]:
        pieces = (samples["squares"] != 255).sum(axis=1)
        yield "pieces      " + shares(pieces // 8 * 8)
        yield "score       " + shares(np.clip(samples["score"].astype(int) // 200 * 200, -1000, 1000))
        yield "result      " + shares(samples["result"])
        boards = np.ascontiguousarray(samples["squares"]).view("V32").ravel()
        yield f"duplicates  {1 - len(np.unique(boards)) / len(samples):.1%}"


class XiangqiTraining:
    """A net in training; as GameTraining of train_command."""

    defaults: ClassVar[dict[str, float]] = {
        "width": 128, "epochs": 10, "batch": 8192, "rate": 1e-3, "result_share": 0.1,
    }  # fmt: skip

    def __init__(self, about: dict[str, Any], check: Any, options: TrainOptions) -> None:
        self.scale = fitted_scale(check)
        self._gradients = xiangqi_gradients(
            options.width, options.threads, options.result_share, self.scale, options.device
        )
        self.trainer = xiangqi_trainer(self._gradients, options.width, options.seed)
        self._check = check
        self._width = options.width
        wanted = targets(check, options.result_share, self.scale)
        self.baselines = {"a constant": constant_loss(wanted), "material": material_loss(check, wanted)}

    def net(self) -> tuple[str, bytes, dict[str, Any]]:
        """Its centipawns are those of the scores that it learnt from: the search's margins depend on them."""
        outputs = self._gradients.outputs(self.trainer.weights, self._check.view(np.uint8)).astype(float)
        scores = self._check["score"].astype(float)
        near = abs(scores) < 600
        scale = float(np.dot(outputs[near], scores[near]) / np.dot(outputs[near], outputs[near]))
        content = net_bytes(quantised(self.trainer.weights, self._width, scale))
        return net_name(content), content, {"centipawns of an output of 1": scale}


def xiangqi_gradients(
    width: int, threads: int, result_share: float, scale: float, device: str | None = None
) -> XiangqiGradients | TorchGradients:
    """What samples of Xiangqi say of a net. `device`: of PyTorch; None: it is not used. Raises TrainingError if there
    is no such device."""
    gradients = XiangqiGradients(width, threads, result_share, scale)
    return gradients if device is None else _on_device(gradients, width, device)


def xiangqi_trainer(gradients: BatchGradients, width: int, seed: int) -> Trainer:
    """A net of Xiangqi, before its training. What pieces of a kind have in common is learnt apart, and of those what
    they have on a rank, and on a file or its mirror image."""
    places = [(kind, square) for kind in range(14) for square in range(90) if INPUTS[kind][square] >= 0]
    places.sort(key=lambda place: INPUTS[place[0]][place[1]])
    groupings = [
        [kind for kind, _ in places],
        [10 * kind + square // 9 for kind, square in places],
        [5 * kind + min(square % 9, 8 - square % 9) for kind, square in places],
    ]
    return Trainer(gradients, groupings, width, seed)


def _on_device(gradients: XiangqiGradients, width: int, device: str) -> TorchGradients:
    try:
        from sanqi_training.nets.torch_gradients import TorchGradients

        return TorchGradients(gradients, INPUT_COUNT, width, device)
    except ImportError:
        raise TrainingError("--torch: PyTorch is not installed; pip install torch") from None
    except (RuntimeError, AssertionError) as error:  # PyTorch says so in many lines
        raise TrainingError(f"--torch {device}: {str(error).splitlines()[0]}") from None
