"""Read files from outside: a regular file or a pipe, and no more of it than the limit."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

from search_core.failures import of_file

MAX_FILE = 64 << 20
"""In bytes."""


def read_input(path: str | os.PathLike[str], largest: int = MAX_FILE) -> bytes:
    """The content of a file. Raises OSError, which names the file, also for a device, or if it is larger."""
    with open_input(path) as file:
        if os.fstat(file.fileno()).st_size > largest:
            raise _too_large(path, largest)
        with of_file(os.fspath(path)):
            data = file.read(largest + 1)  # a pipe has no size
    if len(data) > largest:
        raise _too_large(path, largest)
    return data


def open_input(path: str | os.PathLike[str]) -> BinaryIO:
    """A regular file, a pipe or a terminal, to read. Raises OSError, which names the file, also for a device."""
    name = os.fspath(path)
    try:
        mode = os.stat(name).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
        file = open(name, "rb")  # noqa: SIM115 - the caller closes it
    except ValueError as error:  # a null character, or one that the system's encoding lacks
        raise OSError(errno.EINVAL, str(error), name) from None
    except OSError as error:  # Windows has other words for a file that is not there, if stat() asks
        raise OSError(error.errno, os.strerror(error.errno or errno.EIO), name) from None
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or file.isatty()):
        file.close()
        raise OSError(errno.EINVAL, "neither a file nor a pipe", name)
    return file


def _too_large(path: str | os.PathLike[str], largest: int) -> OSError:
    return OSError(errno.EFBIG, f"larger than {largest >> 20} MiB", os.fspath(path))
