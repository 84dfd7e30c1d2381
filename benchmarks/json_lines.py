"""Files of JSON lines in which measurements are kept, so that they can go on."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def whole_lines(path: Path) -> list[Line]:
    """The lines of a file, which may not exist yet; a last line that is not whole is left out.

    Ends the program if the file is of another kind.
    """
    data = path.read_bytes() if path.exists() else b""
    try:
        lines = [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]
    except ValueError:
        lines = []
    if (data and not lines) or not all(isinstance(line, dict) for line in lines):
        sys.exit(f"{path} is no file of JSON lines of a measurement")
    return lines


def cut_line(path: Path) -> None:
    """Remove the last line of a file that is to be written on, if the file was stopped in the middle of it."""
    data = path.read_bytes() if path.exists() else b""
    if not data.endswith(b"\n") and data:
        path.write_bytes(data[: data.rfind(b"\n") + 1])


class JsonLines:
    """A file of JSON lines that is written line by line, by several threads. Its first line says how it was made.

    Ends the program if the file exists and `resume` is false, or if it was made otherwise.
    """

    def __init__(self, path: Path, made: Line, resume: bool) -> None:
        self.path = path
        self.lines: list[Line] = []
        """The lines that were there before, without the first."""
        self._lock = threading.Lock()
        if path.exists() and not resume:
            sys.exit(f"{path} exists; --resume goes on with it")
        if whole := whole_lines(path):
            first, *self.lines = whole
            if first != json.loads(json.dumps(made)):
                sys.exit(f"{path} was made otherwise: {json.dumps(first)}; this is {json.dumps(made)}")
            cut_line(path)
        else:
            self.add(made)

    def add(self, line: Line) -> None:
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def read_lines(path: Path) -> list[Line]:
    """The lines of a file without the first; a last line that is not whole is left out."""
    return whole_lines(path)[1:]
