"""The log of a table: a file from which its game goes on after the program was killed. It is the one place where all
of a game lies, hidden pieces too, so only its owner may read it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from search_core.file_lock import lock
from search_core.growing_file import GrowingFile

SUFFIX = ".table"
_VERSION = 1


class TableLog:
    """Lines of JSON: how the game began, then what was done. No other program can write to it while it is open.

    Parameters
    ----------
    path : Path
    mode : str
        As in open(): `xb` for a new file, `r+b` to go on with one.

    Raises OSError, also if another program has the log.
    """

    def __init__(self, path: Path, mode: str = "r+b") -> None:
        self._path = path
        self._file = GrowingFile(path, mode, 0o600)
        self._last = b""
        """The line at the end; b'': not known."""
        try:
            lock(self._file.file)
        except OSError:
            self._file.close()
            raise OSError("another sanqi board has it") from None

    def write(self, entry: Mapping[str, Any], *, is_switch: bool = False) -> None:
        """Add an entry: a kill leaves it whole, or cut at the end. `is_switch`: two of them in a row change nothing, so
        the second one takes the first away. Raises OSError."""
        line = json.dumps(entry, separators=(",", ":")).encode("ascii") + b"\n"
        if is_switch and line == self._last:
            self._file.file.truncate(self._file.file.seek(-len(line), os.SEEK_END))
            self._last = b""
        else:
            self._file.append(line)
            self._last = line

    def entries(self) -> list[dict[str, Any]]:
        """What the log says, the beginning first. A line at the end that is cut is removed. Raises OSError, and
        ValueError if it is no log."""
        data = self._path.read_bytes()
        whole = _whole_lines(data)
        lines = entries_of(data)
        self._file.file.truncate(len(whole))
        self._last = whole.splitlines(keepends=True)[-1]
        return lines

    def close(self) -> None:
        self._file.close()


def _whole_lines(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]


def entries_of(data: bytes) -> list[dict[str, Any]]:
    """What the data of a log say, the beginning first, without a line at the end that is cut. Raises ValueError if they
    are no log."""
    lines = [json.loads(line) for line in _whole_lines(data).splitlines()]
    if not lines or not all(isinstance(line, dict) for line in lines) or lines[0].get("sanqi board") != _VERSION:
        raise ValueError("no log of a table")
    return lines


def new_log(folder: Path, beginning: Mapping[str, Any]) -> TableLog:
    """The log of a new table. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    stem, number = time.strftime("%Y%m%d-%H%M%S"), 1
    while (path := folder / f"{stem}-{number}{SUFFIX}").exists():
        number += 1
    log = TableLog(path, "xb")
    try:
        log.write({"sanqi board": _VERSION, **beginning})
    except OSError:  # the table before goes on
        log.close()
        path.unlink()
        raise
    return log


def latest(folder: Path) -> Path | None:
    """The log that was written to last, of those that have a beginning: a kill may have left one without."""
    return next(filter(_has_begun, newest_first(folder)), None)


def _has_begun(path: Path) -> bool:
    try:
        return bool(_whole_lines(path.read_bytes()))
    except OSError:  # whoever opens it says why
        return True


def newest_first(folder: Path) -> list[Path]:
    """The logs, that which was written to last first."""
    return sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
