"""The files in which games for training are kept: a header, then blocks of games, each with a checksum.

docs/nets.md describes the format. What a game is, as bytes, is the business of its program.
"""

from __future__ import annotations

import itertools
import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from search_core.file_lock import lock
from search_core.growing_file import GrowingFile

SUFFIX = ".games"
_MAGIC = b"sanqi games 1\n"
_BLOCK = struct.Struct("<4sII")  # a mark, bytes that follow, their CRC-32
_MARK = b"GAME"
_GAME = struct.Struct("<IH")  # number, bytes that follow
_MAX_BLOCK = 1 << 26


class StoreError(ValueError):
    """A file is none of games, or of other games; the message names it."""


class Game(NamedTuple):
    number: int
    """Of the run that made it."""
    record: bytes


def read_header(path: Path) -> dict[str, Any]:
    """How the games of a file were made. Raises StoreError, OSError."""
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise StoreError(f"{path}: not a file of games for training")
        try:
            header = json.loads(file.readline())
        except ValueError:
            header = None
    if not isinstance(header, dict):
        raise StoreError(f"{path}: the header is damaged")
    return header


def read_blocks(path: Path) -> Iterator[tuple[int, list[Game]]]:
    """The games of each whole block, and where the block ends in the file; stops at one that is cut or damaged.

    Raises StoreError, OSError.
    """
    read_header(path)
    with path.open("rb") as file:
        file.read(len(_MAGIC))
        file.readline()
        yield file.tell(), []
        while len(head := file.read(_BLOCK.size)) == _BLOCK.size:
            mark, size, checksum = _BLOCK.unpack(head)
            if mark != _MARK or size > _MAX_BLOCK:
                return
            body = file.read(size)
            if len(body) < size or zlib.crc32(body) != checksum:
                return
            yield file.tell(), list(_games(body))


def _games(body: bytes) -> Iterator[Game]:
    at = 0
    while at < len(body):
        number, size = _GAME.unpack_from(body, at)
        at += _GAME.size
        yield Game(number, body[at : at + size])
        at += size


def game_seed(seed: int, number: int) -> str:
    """Of the random numbers of the game of this number, in a run with this seed."""
    return f"{seed} {number}"


class GameWriter:
    """Appends games to a file, a block at a time. What follows the last whole block of the file is cut off.

    Raises StoreError if the file was made in another way, or if more than a block would be cut off; OSError, also if
    another run writes to it.

    Attributes
    ----------
    numbers : set of int
        The games that the file has.
    """

    def __init__(self, path: Path, header: dict[str, Any], block_games: int) -> None:
        self.numbers: set[int] = set()
        self._block_games = block_games
        self._waiting: list[Game] = []
        new = not path.exists() or path.stat().st_size == 0
        if not new and read_header(path) != header:
            raise StoreError(f"{path}: made with other options")
        self._file = GrowingFile(path, "ab" if new else "r+b")
        try:
            self._begin(path, header, new)
        except BaseException:
            self._file.close()
            raise

    def _begin(self, path: Path, header: dict[str, Any], new: bool) -> None:
        try:
            lock(self._file.file)
        except OSError:
            raise OSError(f"{path} is being written to by another run") from None
        if new:
            self._file.append(_MAGIC + json.dumps(header, sort_keys=True).encode() + b"\n")
            return
        ends = []
        for end, games in read_blocks(path):
            ends.append(end)
            self.numbers.update(game.number for game in games)
        blocks = [later - end for end, later in itertools.pairwise(ends)]
        if (lost := path.stat().st_size - ends[-1]) > 2 * max(blocks, default=_MAX_BLOCK):
            raise StoreError(f"{path}: damaged {lost:,} bytes before its end; whole blocks may follow there")
        self._file.file.truncate(ends[-1])

    def add(self, game: Game) -> None:
        """Keep a game. It is in the file once its block is full, or after close()."""
        self._waiting.append(game)
        if len(self._waiting) >= self._block_games:
            self._write()

    def close(self) -> None:
        """Write the games that wait. Raises OSError."""
        try:
            if self._waiting:
                self._write()
        finally:
            self._file.close()

    def _write(self) -> None:
        # First, so that a block that Ctrl-C interrupts here is not written again by close().
        games, self._waiting = self._waiting, []
        body = b"".join(_GAME.pack(game.number, len(game.record)) + game.record for game in games)
        self._file.append(_BLOCK.pack(_MARK, len(body), zlib.crc32(body)) + body)
        self.numbers.update(game.number for game in games)
