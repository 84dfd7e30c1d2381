"""Locks that one program has on a file while it writes to it."""

from __future__ import annotations

import os
import sys
from typing import IO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LOCKED_BYTE = (1 << 31) - 2  # the last one that msvcrt.locking() can lock


def lock(file: IO[bytes]) -> None:
    """Lock a file, which stays as it is, against other programs while it is open. Raises OSError if another one has
    locked it."""
    if sys.platform == "win32":
        # A locked byte cannot be read or written, so lock one far behind the end.
        position = file.seek(0, os.SEEK_END)
        os.lseek(file.fileno(), _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        file.seek(position)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
