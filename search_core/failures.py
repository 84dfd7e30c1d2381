"""The text of a system error for the user: its words, without its number."""

from __future__ import annotations

import contextlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


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


@contextlib.contextmanager
def named(
    place: str, raised: type[Exception] | tuple[type[Exception], ...], becomes: type[Exception] | None = None
) -> Iterator[None]:
    """Put the place of an error in the block before its reason. `becomes`: its type from there on; None: the same."""
    try:
        yield
    except raised as error:
        raise (becomes or type(error))(f"{place}{place and ': '}{reason_of(error)}") from None


def becoming(
    raised: type[Exception] | tuple[type[Exception], ...], becomes: type[Exception]
) -> contextlib.AbstractContextManager[None]:
    """Give the reason of an error in the block to an error of another type."""
    return named("", raised, becomes)


@contextlib.contextmanager
def of_file(name: str) -> Iterator[None]:
    """Let an OSError in the block name the file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None


class SetUpError(ValueError):
    """A position cannot be set up, or does not allow what a host wants; the message is one line for the user."""
