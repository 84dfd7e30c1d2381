"""`sanqi-train train`: a net, learnt from samples."""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import pygal  # type: ignore[import-untyped]

from game_core.progress import progress_bar
from sanqi_training.nets.samples_command import ABOUT, CHECK, LEARN, sample_maker
from sanqi_training.nets.trainer import Trainer, TrainingError
from search_core.number_argument import add_number
from search_core.parts import load_part
from search_core.whole_file import write_whole
from ucci_engine.settings import MAX_SEED

CHECKPOINT = "checkpoint.npz"
PLOT = "losses.svg"

_LAST_RATE = 0.002  # of the first: the rate falls along a cosine
_CHECKED = 1 << 20  # samples at most, for the loss after each epoch


TRAININGS = {
    "gomoku": "sanqi_training.nets.gomoku_training:GomokuTraining",
    "junqi": "sanqi_training.nets.junqi_training:JunqiTraining",
    "xiangqi": "sanqi_training.nets.xiangqi_training:XiangqiTraining",
}
"""By the game."""


class TrainOptions(NamedTuple):
    """What a training is made with."""

    width: int
    seed: int
    threads: int
    result_share: float
    device: str | None
    """Of PyTorch; None: it is not used."""


class GameTraining(Protocol):
    """A net of a game in training. It is made of what samples.json says, the samples to check with and the options."""

    defaults: ClassVar[dict[str, float]]
    """Of the options width, epochs, batch, rate and result_share."""
    trainer: Trainer
    scale: float
    """The score that counts as a win probability of 1 / (1 + 1/e)."""
    baselines: dict[str, float]
    """The losses of simple predictors."""

    def net(self) -> tuple[str, bytes, dict[str, Any]]:
        """The name and the content of the net's file, and what its card says of it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("samples", type=Path, metavar="DIR", help="of sanqi-train samples")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="checkpoint, losses and net go there")
    add_number(parser, "--width", 1, 1024, "N", "neurons a side, of Xiangqi a multiple of 64 (128, of others 16)")
    add_number(parser, "--epochs", 1, 10_000, "N", "times that each sample is seen (10, Gomoku 4, Junqi 1)")
    add_number(parser, "--batch", 1, 1 << 20, "N", "samples in a step (8192, of others 1024)")
    parser.add_argument("--rate", type=float, metavar="X", help="first learning rate (0.001, Gomoku 0.003, Junqi 5e-4)")
    parser.add_argument(
        "--result-share", type=float, metavar="X", help="the result's in the target (0.1, Gomoku 0, Junqi 0.7)"
    )
    add_number(parser, "--seed", 0, MAX_SEED, "N", "of the first weights and the order (1)", 1)
    add_number(parser, "--threads", 1, 1024, "N", "(all cores)", os.cpu_count() or 1)
    parser.add_argument("--torch", metavar="DEVICE", help="train with PyTorch, on this device of it: cpu, cuda, mps")
    parser.add_argument("--start", type=Path, metavar="FILE", help="begin with the weights of this checkpoint")


def run(args: argparse.Namespace) -> None:
    """Train, or go on with the checkpoint in --out. Raises TrainingError, NetError, OSError."""
    about = json.loads((args.samples / ABOUT).read_text("utf-8"))
    kind = load_part(TRAININGS[about["game"]])
    for name, default in kind.defaults.items():
        if getattr(args, name) is None:
            setattr(args, name, default)
    sample = sample_maker(about["made from"][0]).type
    learn = np.memmap(args.samples / LEARN, sample, "r")
    check = np.fromfile(args.samples / CHECK, sample, _CHECKED)
    if len(learn) < args.batch or not len(check):
        raise TrainingError(
            f"{args.samples}: too few samples, {len(learn)} to learn from and {len(check)} to check with"
        )
    args.out.mkdir(parents=True, exist_ok=True)
    made_with = TrainOptions(args.width, args.seed, args.threads, args.result_share, args.torch)
    training: GameTraining = kind(about, check, made_with)
    trainer = training.trainer
    options = {
        "width": args.width, "epochs": args.epochs, "rate": args.rate, "result share": args.result_share,
        "seed": args.seed, "batch": args.batch, "start": args.start and args.start.name, "scale": training.scale,
        "samples": [len(learn), zlib.crc32((args.samples / ABOUT).read_bytes())],
    }  # fmt: skip
    losses: list[dict[str, float]] = []
    if (args.out / CHECKPOINT).exists():
        losses = _load(args.out, trainer, options)
    elif args.start:
        with _checkpoint(args.start) as kept:
            trainer.restore(kept["state"], int(kept["steps"]))
    batches = len(learn) // args.batch
    told = ", ".join(f"of {name} {loss:.5f}" for name, loss in training.baselines.items())
    print(f"{len(learn)} samples; scale {training.scale:.4g}; losses {told}")
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
    name, content, told_of_net = training.net()
    write_whole(args.out / name, content, replace=True)
    card = {
        "net": name, **told_of_net, "options": options, "samples": about, "learnt from": len(learn), "losses": losses,
        **{f"loss of {predictor}": loss for predictor, loss in training.baselines.items()},
    }  # fmt: skip
    write_whole(args.out / f"{name}.json", json.dumps(card, indent=1).encode() + b"\n", replace=True)
    print(args.out / name)


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
