"""`sanqi-train samples`: positions to learn from, out of games; filtered, shuffled, split by opening."""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from game_core.progress import progress_bar
from sanqi_training.nets.xiangqi_samples import REASONS, SAMPLE_BYTES, XiangqiReplay
from sanqi_training.selfplay.player import HEAD
from sanqi_training.selfplay.store import SUFFIX, StoreError, read_blocks, read_header
from search_core.number_argument import add_number
from search_core.whole_file import write_whole
from ucci_engine.settings import MAX_SEED

LEARN, CHECK = "learn.samples", "check.samples"
"""The two files: to learn from, and those that only measure the loss."""
ABOUT = "samples.json"
"""How they were made."""
SAMPLE = np.dtype(
    [("squares", "u1", 32), ("side", "u1"), ("result", "u1"), ("score", "<i2"), ("ply", "<u2"), ("padding", "<u2")]
)

_ROW = np.dtype(f"V{SAMPLE_BYTES}")
_CHECK_ONE_IN = 50
_PART_SAMPLES = 1 << 22
"""A part is shuffled in memory: 160 MiB."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("games", type=Path, nargs="+", metavar="DIR", help="with files of sanqi-train selfplay")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the samples go there")
    add_number(parser, "--seed", 0, MAX_SEED, "N", "of the order (1)", 1)


def run(args: argparse.Namespace) -> None:
    """Make the samples. Raises StoreError, OSError."""
    paths = sorted(path for folder in args.games for path in folder.glob("*" + SUFFIX))
    if not paths:
        raise StoreError(f"no file of games in {', '.join(map(str, args.games))}")
    args.out.mkdir(parents=True, exist_ok=True)
    replay = XiangqiReplay()
    games = 0
    # A sample goes to a part at random, and each part is shuffled: any order of all is as likely as any other.
    expected = sum(path.stat().st_size for path in paths) // 4
    learn = _Shuffled(args.out / LEARN, max(expected // _PART_SAMPLES, 1), args.seed)
    check = _Shuffled(args.out / CHECK, 1, args.seed)
    with progress_bar(sum(path.stat().st_size for path in paths)) as progress:
        for path in paths:
            if (header := read_header(path)).get("game") != "xiangqi":
                raise StoreError(f"{path}: games of {header.get('game')}")
            done = 0
            for end, block in read_blocks(path):
                for game in block:
                    samples = replay.samples(game.record)
                    (check if _is_checked(game.record) else learn).add(samples)
                games += len(block)
                progress.advance(end - done)
                done = end
    counts = {LEARN: learn.close(), CHECK: check.close()}
    about = {
        "game": "xiangqi",
        "games": games,
        "made from": [{"file": path.name, **read_header(path)} for path in paths],
        "positions": dict(zip(REASONS, replay.tally, strict=True)),
        **counts,
    }
    write_whole(args.out / ABOUT, json.dumps(about, indent=1).encode() + b"\n", replace=True)
    for line in _report(about, args.out):
        print(line)


def _is_checked(record: bytes) -> bool:
    """Whether a game only measures the loss: all games of an opening do, or none."""
    opening = HEAD.unpack_from(record)[2]
    return zlib.crc32(record[HEAD.size : HEAD.size + 2 * opening]) % _CHECK_ONE_IN == 0


class _Shuffled:
    """A file of samples in random order."""

    def __init__(self, path: Path, parts: int, seed: int) -> None:
        self._path = path
        self._chance = np.random.default_rng(seed)
        self._names = [path.with_suffix(f".part{number}") for number in range(parts)]
        self._parts = [name.open("wb", buffering=1 << 20) for name in self._names]

    def add(self, samples: bytes) -> None:
        rows = np.frombuffer(samples, _ROW)
        if len(self._parts) == 1:
            self._parts[0].write(samples)
            return
        wanted = self._chance.integers(len(self._parts), size=len(rows))
        for number, part in enumerate(self._parts):
            part.write(rows[wanted == number].tobytes())

    def close(self) -> int:
        """Shuffle the parts into the file; the number of samples."""
        count = 0
        for part in self._parts:
            part.close()
        with self._path.open("wb") as out:
            for name in self._names:
                rows = np.fromfile(name, _ROW)
                self._chance.shuffle(rows)
                rows.tofile(out)
                count += len(rows)
                name.unlink()
        return count


def _report(about: dict[str, Any], folder: Path) -> Iterator[str]:
    """What the samples are."""
    positions = about["positions"]
    total = max(sum(positions.values()), 1)
    yield f"games       {about['games']}"
    for reason, number in positions.items():
        yield f"{reason:23} {number:>10}  {number / total:.1%}"
    yield f"to learn from {about[LEARN]}, to check with {about[CHECK]}"
    samples = np.fromfile(folder / CHECK, SAMPLE)
    if not len(samples):
        return
    yield "of those to check with:"
    pieces = (samples["squares"] != 255).sum(axis=1)
    yield "pieces      " + _shares(pieces // 8 * 8)
    yield "score       " + _shares(np.clip(samples["score"].astype(int) // 200 * 200, -1000, 1000))
    yield "result      " + _shares(samples["result"])
    boards = np.ascontiguousarray(samples["squares"]).view("V32").ravel()
    yield f"duplicates  {1 - len(np.unique(boards)) / len(samples):.1%}"


def _shares(values: Any) -> str:
    counts = Counter(values.tolist())
    return ", ".join(f"{value}: {number / len(values):.1%}" for value, number in sorted(counts.items()))
