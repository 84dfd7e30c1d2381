"""Command lines in words and back, by one rule on every system, and the file that starts this program.

Blanks part words, quotes of either kind hold blanks together, and a backslash is a backslash: Windows paths are full
of them.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def split_words(text: str) -> list[str]:
    """The words of a text. Raises ValueError where a quotation has no end."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    lexer.escape = ""
    return list(lexer)


def join_words(words: Sequence[str]) -> str:
    """A line of these words for the system's shell, where a person may paste it."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def this_program() -> Path:
    """The file that a host has to start: the bundle's executable, or the installed script."""
    path = Path(sys.executable if getattr(sys, "frozen", False) else sys.argv[0]).resolve()
    # The script that pip makes for Windows takes the end off its name.
    return path.with_name(path.name + ".exe") if sys.platform == "win32" and path.suffix != ".exe" else path
