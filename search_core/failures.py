"""The text of a system error for the user: its words, without its number."""

from __future__ import annotations

import os


def reason_of(error: BaseException) -> str:
    """The reason alone, such as `No such file or directory`, for a message that names the file itself. Other errors:
    their own text."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, MemoryError):
        return "not enough memory"
    return str(error) or type(error).__name__


def failure_of(error: BaseException) -> str:
    """The file, if the error names one, and the reason: `games.pgn: File exists`."""
    path = error.filename if isinstance(error, OSError) else None
    if not isinstance(path, (str, bytes, os.PathLike)) or not path:
        return reason_of(error)
    return f"{os.fsdecode(path)}: {reason_of(error)}"


class SetUpError(ValueError):
    """A position cannot be set up; the message is one line for the user."""
