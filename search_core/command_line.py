"""Split and join command lines by one rule on every system; find the file that starts this program.

Blanks separate words, and single or double quotes keep blanks within a word. A backslash is an ordinary character,
because Windows paths have many of them.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def split_words(text: str) -> list[str]:
    """The words of a text. Raises ValueError if a quote is not closed."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    lexer.escape = ""
    return list(lexer)


def join_words(words: Sequence[str]) -> str:
    """The words as one line that a person can paste into the system's shell."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def this_program() -> Path:
    """The file that a host has to start: the bundle's executable, or the script that pip installed."""
    if getattr(sys, "frozen", False):
        return Path(sys.executable).resolve()
    path = Path(sys.argv[0])
    if path.suffix == ".py":
        # Started by `python -m`: argv names a module's file, which no host can start.
        path = _installed_script() or path
    elif sys.platform == "win32" and path.suffix != ".exe":
        # pip's launcher leaves `.exe` out of its own name.
        path = path.with_name(path.name + ".exe")
    return path.resolve()


def _installed_script() -> Path | None:
    from importlib.metadata import distributions

    return next(
        (
            Path(str(file.locate()))
            for distribution in distributions(name="sanqi")
            for file in distribution.files or ()
            if file.stem == "sanqi" and file.parent.name in ("bin", "Scripts")
        ),
        None,
    )
