"""A game in progress as a file, for `sanqi board --watch`: the line that the match file will get, as far as it is
known. The file is there while the game is played, in a folder that only its owner can read, for it may tell pieces
that a player should not see."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from search_core.clock import now_s
from search_core.whole_file import whole_file

LIVE = ".live"
_READ_S = 1.0
"""Who reads a game in progress has it open for less."""


def live_folder(path: Path) -> Path:
    """Where a match whose file is `path` has its games in progress."""
    return path.with_name(f"{path.name}{LIVE}")


def begin_live(folder: Path) -> None:
    """Make the folder, for its owner alone, without games of a match that was killed. Raises OSError."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o700)
    for path in folder.glob(f"*{LIVE}"):
        _delete(path)


def _delete(path: Path) -> None:
    """Delete a file, on Windows when nobody reads it. Raises OSError."""
    given_up_s = now_s() + _READ_S
    while True:
        try:
            path.unlink()
            return
        except PermissionError:
            if now_s() > given_up_s:
                raise
            time.sleep(0.01)


class LiveGame:
    """`head`: the number of the game, the names of the players by sides, and the start."""

    def __init__(self, folder: Path, number: int, head: dict[str, Any]) -> None:
        self._path = folder / f"game{number:05}{LIVE}"
        self._head = head

    def show(self, moves: Sequence[str], notation: str = "") -> None:
        """The game has gone on. A file that cannot be written is left out: the match goes on."""
        line = {**self._head, "moves": list(moves), **({"notation": notation} if notation else {})}
        with contextlib.suppress(OSError), whole_file(self._path, replace=True) as file:
            file.write(json.dumps(line).encode("ascii"))

    def close(self) -> None:
        """The game is over."""
        with contextlib.suppress(OSError):
            _delete(self._path)
