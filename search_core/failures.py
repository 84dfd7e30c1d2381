"""What to say to the user of an error that the system reported: its words, not its number."""

from __future__ import annotations

import os


def reason_of(error: BaseException) -> str:
    """`No such file or directory`; of an error that is not the system's its own text. For a message that names the
    file itself."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def failure_of(error: BaseException) -> str:
    """`games.pgn: File exists`: the reason behind the file that the error is about, if it knows one."""
    path = error.filename if isinstance(error, OSError) else None
    if not isinstance(path, (str, bytes, os.PathLike)) or not path:
        return reason_of(error)
    return f"{os.fsdecode(path)}: {reason_of(error)}"
