"""`sanqi-train train`: a net, learnt from samples."""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pygal  # type: ignore[import-untyped]

from game_core.progress import progress_bar
from sanqi_training.nets.baselines import constant_loss, fitted_scale, material_loss, targets
from sanqi_training.nets.quantise import quantised
from sanqi_training.nets.samples_command import ABOUT, CHECK, LEARN, SAMPLE
from sanqi_training.nets.trainer import Trainer
from sanqi_training.nets.xiangqi_gradients import XiangqiGradients
from search_core.number_argument import add_number
from search_core.whole_file import write_whole
from ucci_engine.net_file import net_bytes, net_name
from ucci_engine.net_inputs import INPUT_COUNT, INPUTS
from ucci_engine.settings import MAX_SEED

if TYPE_CHECKING:
    from sanqi_training.nets.torch_gradients import TorchGradients

CHECKPOINT = "checkpoint.npz"
PLOT = "losses.svg"

_LAST_RATE = 0.002  # of the first: the rate falls along a cosine
_CHECKED = 1 << 20  # samples at most, for the loss after each epoch


class TrainingError(ValueError):
    """Training cannot go on; the message is for the user."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("samples", type=Path, metavar="DIR", help="of sanqi-train samples")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="checkpoint, losses and net go there")
    add_number(parser, "--width", 64, 1024, "N", "neurons a side, a multiple of 64 (128)", 128)
    add_number(parser, "--epochs", 1, 10_000, "N", "times that each sample is seen (10)", 10)
    add_number(parser, "--batch", 1, 1 << 20, "N", "samples in a step (8192)", 8192)
    parser.add_argument("--rate", type=float, default=1e-3, metavar="X", help="first learning rate (0.001)")
    parser.add_argument(
        "--result-share", type=float, default=0.1, metavar="X", help="of the result in the target (0.1)"
    )
    add_number(parser, "--seed", 0, MAX_SEED, "N", "of the first weights and the order (1)", 1)
    add_number(parser, "--threads", 1, 1024, "N", "(all cores)", os.cpu_count() or 1)
    parser.add_argument("--torch", metavar="DEVICE", help="train with PyTorch, on this device of it: cpu, cuda, mps")
    parser.add_argument("--start", type=Path, metavar="FILE", help="begin with the weights of this checkpoint")


def run(args: argparse.Namespace) -> None:
    """Train, or go on with the checkpoint in --out. Raises TrainingError, NetError, OSError."""
    learn = np.memmap(args.samples / LEARN, SAMPLE, "r")
    check = np.fromfile(args.samples / CHECK, SAMPLE, _CHECKED)
    if len(learn) < args.batch or not len(check):
        raise TrainingError(
            f"{args.samples}: too few samples, {len(learn)} to learn from and {len(check)} to check with"
        )
    about = json.loads((args.samples / ABOUT).read_text("utf-8"))
    args.out.mkdir(parents=True, exist_ok=True)
    scale = fitted_scale(check)
    trainer = xiangqi_trainer(args.width, args.threads, args.seed, args.result_share, scale, args.torch)
    options = {
        "width": args.width, "epochs": args.epochs, "rate": args.rate, "result share": args.result_share,
        "seed": args.seed, "batch": args.batch, "start": args.start and args.start.name, "scale": scale,
    }  # fmt: skip
    losses: list[dict[str, float]] = []
    if (args.out / CHECKPOINT).exists():
        losses = _load(args.out, trainer, options)
    elif args.start:
        with _checkpoint(args.start) as kept:
            trainer.restore(kept["state"], int(kept["steps"]))
    batches = len(learn) // args.batch
    wanted = targets(check, args.result_share, scale)
    constant, material = constant_loss(wanted), material_loss(check, wanted)
    print(
        f"{len(learn)} samples; scale {scale:.0f} cp; losses of a constant {constant:.5f}, of material {material:.5f}"
    )
    with progress_bar(batches * (args.epochs - len(losses))) as progress:
        for epoch in range(len(losses), args.epochs):
            chance = np.random.default_rng([args.seed, epoch])
            total = 0.0
            # The file is in random order, so an epoch needs only another order of its batches, and another beginning.
            first = int(chance.integers(len(learn) - batches * args.batch + 1))
            for done, number in enumerate(chance.permutation(batches)):
                place = first + int(number) * args.batch
                rate = _rate(args.rate, (epoch * batches + done) / (args.epochs * batches))
                batch = np.ascontiguousarray(learn[place : place + args.batch]).view(np.uint8)
                total += trainer.step(batch, rate, int(chance.integers(1, 1 << 62)))
                progress.advance()
            losses.append({"learn": total / batches, "check": trainer.loss(check.view(np.uint8))})
            _save(args.out, trainer, options, losses)
            print(f"epoch {epoch + 1:3}  loss {losses[-1]['learn']:.5f}, checked {losses[-1]['check']:.5f}", flush=True)
    _write_net(args.out, trainer, check, options, {
        "samples": about, "learnt from": len(learn), "losses": losses,
        "loss of a constant": constant, "loss of material": material,
    })  # fmt: skip


def xiangqi_trainer(
    width: int, threads: int, seed: int, result_share: float, scale: float, device: str | None = None
) -> Trainer:
    """A net of Xiangqi, before its training. What pieces of a kind have in common is learnt apart, and of those what
    they have on a rank, and on a file or its mirror image. `device`: of PyTorch; None: it is not used. Raises
    TrainingError if there is no such device."""
    places = [(kind, square) for kind in range(14) for square in range(90) if INPUTS[kind][square] >= 0]
    places.sort(key=lambda place: INPUTS[place[0]][place[1]])
    groupings = [
        [kind for kind, _ in places],
        [10 * kind + square // 9 for kind, square in places],
        [5 * kind + min(square % 9, 8 - square % 9) for kind, square in places],
    ]
    gradients = XiangqiGradients(width, threads, result_share, scale)
    return Trainer(gradients if device is None else _on_device(gradients, width, device), groupings, width, seed)


def _on_device(gradients: XiangqiGradients, width: int, device: str) -> TorchGradients:
    try:
        from sanqi_training.nets.torch_gradients import TorchGradients

        return TorchGradients(gradients, INPUT_COUNT, width, device)
    except ImportError:
        raise TrainingError("--torch: PyTorch is not installed; pip install torch") from None
    except (RuntimeError, AssertionError) as error:  # PyTorch says so in many lines
        raise TrainingError(f"--torch {device}: {str(error).splitlines()[0]}") from None


def _rate(first: float, done: float) -> float:
    return first * (_LAST_RATE + (1 - _LAST_RATE) * (1 + math.cos(math.pi * done)) / 2)


def _save(folder: Path, trainer: Trainer, options: dict[str, Any], losses: list[dict[str, float]]) -> None:
    content = io.BytesIO()
    options_text, losses_text = json.dumps(options), json.dumps(losses)
    np.savez(content, state=trainer.state, steps=trainer.steps, options=options_text, losses=losses_text)
    write_whole(folder / CHECKPOINT, content.getvalue(), replace=True)
    plot = pygal.XY(title="Loss after each epoch", dots_size=2)
    for name in ("learn", "check"):
        plot.add(name, [(number, loss[name]) for number, loss in enumerate(losses, 1)])
    write_whole(folder / PLOT, plot.render(), replace=True)


@contextmanager
def _checkpoint(path: Path) -> Iterator[Any]:
    """What a checkpoint holds. Raises TrainingError, OSError."""
    try:
        with np.load(path) as kept:
            yield kept
    except (zipfile.BadZipFile, EOFError, KeyError, ValueError) as error:
        raise error if isinstance(error, TrainingError) else TrainingError(f"{path}: {error}") from None


def _load(folder: Path, trainer: Trainer, options: dict[str, Any]) -> list[dict[str, float]]:
    """Take over the checkpoint of a folder; its losses."""
    with _checkpoint(folder / CHECKPOINT) as kept:
        if json.loads(str(kept["options"])) != options:
            raise TrainingError(f"{folder / CHECKPOINT}: made with other options or samples; give another --out")
        trainer.restore(kept["state"], int(kept["steps"]))
        losses: list[dict[str, float]] = json.loads(str(kept["losses"]))
    return losses


def _write_net(folder: Path, trainer: Trainer, check: Any, options: dict[str, Any], card: dict[str, Any]) -> None:
    """Write the quantised net and its card."""
    outputs = trainer.outputs(check.view(np.uint8)).astype(float)
    scores = check["score"].astype(float)
    near = abs(scores) < 600
    # Centipawns as those of the scores that it learnt from: the search's margins depend on them.
    scale = float(np.dot(outputs[near], scores[near]) / np.dot(outputs[near], outputs[near]))
    content = net_bytes(quantised(trainer.weights, options["width"], scale))
    name = net_name(content)
    write_whole(folder / name, content, replace=True)
    card = {"net": name, "centipawns of an output of 1": scale, "options": options, **card}
    write_whole(folder / f"{name}.json", json.dumps(card, indent=1).encode() + b"\n", replace=True)
    print(folder / name)
