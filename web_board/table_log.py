"""The log of a table: a file from which its game goes on after the program was killed. It is the one place where all
of a game lies, hidden pieces too, so only its owner may read it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SUFFIX = ".table"
_VERSION = 1


class TableLog:
    """Lines of JSON: how the game began, then what was done.

    Parameters
    ----------
    path : Path
        A new file, or one that entries() has read: then more is added.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = open(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab", buffering=0)  # noqa: SIM115

    def write(self, entry: Mapping[str, Any]) -> None:
        """Add an entry, with one write: a kill leaves it whole, or cut at the end. Raises OSError."""
        self._file.write(json.dumps(entry, separators=(",", ":")).encode("ascii") + b"\n")

    def close(self) -> None:
        self._file.close()


def new_log(folder: Path, beginning: Mapping[str, Any]) -> TableLog:
    """The log of a new table. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    stem, number = time.strftime("%Y%m%d-%H%M%S"), 1
    while (path := folder / f"{stem}-{number}{SUFFIX}").exists():
        number += 1
    log = TableLog(path)
    log.write({"sanqi board": _VERSION, **beginning})
    return log


def latest(folder: Path) -> Path | None:
    """The log of the table that was begun last."""
    return max(folder.glob(f"*{SUFFIX}"), default=None, key=lambda path: path.stat().st_mtime)


def entries(path: Path) -> list[dict[str, Any]]:
    """What a log says, the beginning first; what comes after a line that is cut is cut off from the file. Raises
    OSError, and ValueError if it is no log."""
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        os.truncate(path, len(whole))
    lines = [json.loads(line) for line in whole.splitlines()]
    if not lines or not all(isinstance(line, dict) for line in lines) or lines[0].get("sanqi board") != _VERSION:
        raise ValueError("no log of a table")
    return lines
