"""`sanqi-train samples`: positions to learn from, out of games; filtered, shuffled, split by opening."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np

from game_core.progress import progress_bar
from sanqi_training.selfplay.store import SUFFIX, StoreError, read_blocks, read_header
from sanqi_training.worker_processes import worker_processes
from search_core.number_argument import add_number
from search_core.parts import load_part
from search_core.whole_file import whole_file, write_whole
from ucci_engine.settings import MAX_SEED

LEARN, CHECK = "learn.samples", "check.samples"
"""The two files: to learn from, and those that only measure the loss."""
ABOUT = "samples.json"
"""How they were made."""
MAKERS = {
    "gomoku": "sanqi_training.nets.gomoku_training:GomokuSamples",
    "junqi": "sanqi_training.nets.junqi_training:JunqiSamples",
    "xiangqi": "sanqi_training.nets.xiangqi_training:XiangqiSamples",
}
"""What makes samples, by the game."""

_CHECK_ONE_IN = 50
_PART_BYTES = 160 << 20  # a part is shuffled in memory
_MOST_PARTS = 128  # all are open at once; macOS allows 256 files
_GAME_BYTES = 4  # of a ply, which makes one sample at most


class SampleMaker(Protocol):
    """Makes samples of games. It is made of the header of their file."""

    type: np.dtype[np.void]
    tally: dict[str, int]
    """How many positions were kept, or left out, by the reason."""

    def group(self, record: bytes) -> int:
        """A number of what games have in common that are on one side of the split."""

    def samples(self, record: bytes) -> bytes:
        """The positions of a game that are kept, in the order of the game."""

    def report(self, samples: Any) -> Iterator[str]:
        """What samples are."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("games", type=Path, nargs="+", metavar="DIR", help="with files of sanqi-train selfplay")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the samples go there")
    add_number(parser, "--seed", 0, MAX_SEED, "N", "of the order (1)", 1)
    add_number(parser, "--workers", 1, 1024, "N", "processes (all cores)", os.cpu_count() or 1)


def run(args: argparse.Namespace) -> None:
    """Make the samples. Raises StoreError, OSError."""
    paths = sorted(path for folder in args.games for path in folder.glob("*" + SUFFIX))
    if not paths:
        raise StoreError(f"no file of games in {', '.join(map(str, args.games))}")
    headers = [read_header(path) for path in paths]
    first = _kind(headers[0])
    for path, header in zip(paths, headers, strict=True):
        if header.get("game") not in MAKERS or _kind(header) != first:
            raise StoreError(f"{path}: games of {' '.join(map(str, _kind(header)))}")
    maker = sample_maker(headers[0])
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / ABOUT).unlink(missing_ok=True)  # without it, nothing is taken for samples
    # A sample goes to a part at random, and each part is shuffled: any order of all is as likely as any other.
    size = sum(path.stat().st_size for path in paths)
    parts = min(max(size // _GAME_BYTES * maker.type.itemsize // _PART_BYTES, 1), _MOST_PARTS)
    games = 0
    tally: Counter[str] = Counter()
    with (
        _Shuffled(args.out / LEARN, maker.type, parts, args.seed) as learn,
        _Shuffled(args.out / CHECK, maker.type, 1, args.seed) as check,
    ):
        with worker_processes(args.workers) as executor, progress_bar(size) as progress:
            for block in _in_order(executor, _blocks(paths, headers), 2 * args.workers):
                for is_checked, samples in block.samples:
                    (check if is_checked else learn).add(samples)
                games += len(block.samples)
                tally.update(block.tally)
                progress.advance(block.size)
        counts = {LEARN: learn.close(), CHECK: check.close()}
    made_from = [{"file": path.name, **header} for path, header in zip(paths, headers, strict=True)]
    about = {
        "game": headers[0]["game"], "variant": headers[0].get("variant"), "games": games, "made from": made_from,
        "positions": dict(tally), **counts,
    }  # fmt: skip
    write_whole(args.out / ABOUT, json.dumps(about, indent=1).encode() + b"\n", replace=True)
    for line in _report(about, maker, np.fromfile(args.out / CHECK, maker.type)):
        print(line)


def _kind(header: dict[str, Any]) -> list[Any]:
    """What is alike in games that can be mixed: the game, and its board or rule."""
    return [header[name] for name in ("game", "variant", "rule", "size") if name in header]


def sample_maker(header: dict[str, Any]) -> SampleMaker:
    """What makes samples of the games of a file with this header."""
    maker: SampleMaker = load_part(MAKERS[header["game"]])(header)
    return maker


class _Block(NamedTuple):
    """Of a block of games: whether each is to check with, and its samples; its bytes, and the tally."""

    samples: list[tuple[bool, bytes]]
    size: int
    tally: dict[str, int]


def _blocks(paths: list[Path], headers: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], list[bytes], int]]:
    """The header, the records and the size of each block."""
    for path, header in zip(paths, headers, strict=True):
        done = 0
        for end, block in read_blocks(path):
            yield header, [game.record for game in block], end - done
            done = end
        if ignored := path.stat().st_size - done:
            print(f"{path}: its last {ignored:,} bytes are no whole block and are left out", file=sys.stderr)


def _samples_of(header: dict[str, Any], records: list[bytes], size: int) -> _Block:
    """In a worker process."""
    maker = sample_maker(header)
    samples = [(maker.group(record) % _CHECK_ONE_IN == 0, maker.samples(record)) for record in records]
    return _Block(samples, size, maker.tally)


def _in_order(
    executor: Executor, blocks: Iterator[tuple[dict[str, Any], list[bytes], int]], ahead: int
) -> Iterator[_Block]:
    """The samples of the blocks, in their order."""
    waiting: deque[Future[_Block]] = deque()
    for block in blocks:
        waiting.append(executor.submit(_samples_of, *block))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


class _Shuffled:
    """A file of samples in random order. Its parts are files beside it until the block is left."""

    def __init__(self, path: Path, type: np.dtype[np.void], parts: int, seed: int) -> None:
        self._path = path
        self._row = np.dtype(f"V{type.itemsize}")
        self._chance = np.random.default_rng(seed)
        self._names = [path.with_suffix(f".part{number}") for number in range(parts)]
        self._parts: list[BinaryIO] = []

    def __enter__(self) -> _Shuffled:
        try:
            self._parts.extend(name.open("wb", buffering=1 << 20) for name in self._names)
        except BaseException:
            self._remove_parts()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._remove_parts()

    def add(self, samples: bytes) -> None:
        rows = np.frombuffer(samples, self._row)
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
        with whole_file(self._path, replace=True) as out:
            for name in self._names:
                rows = np.fromfile(name, self._row)
                self._chance.shuffle(rows)
                out.write(rows.data)
                count += len(rows)
        return count

    def _remove_parts(self) -> None:
        for part in self._parts:
            part.close()
        for name in self._names:
            name.unlink(missing_ok=True)


def _report(about: dict[str, Any], maker: SampleMaker, check: Any) -> Iterator[str]:
    """What the samples are."""
    positions = about["positions"]
    total = max(sum(positions.values()), 1)
    yield f"games       {about['games']}"
    for reason, number in positions.items():
        yield f"{reason:23} {number:>10}  {number / total:.1%}"
    yield f"to learn from {about[LEARN]}, to check with {about[CHECK]}"
    if len(check):
        yield "of those to check with:"
        yield from maker.report(check)
