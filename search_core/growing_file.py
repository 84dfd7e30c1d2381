"""A file that grows piece by piece, such as a log that a program resumes from: no piece of it is half-written."""

from __future__ import annotations

import contextlib
import io
import os

from search_core.failures import of_file


class GrowingFile:
    """Appends whole pieces to an open file. A piece for which the disk has no room is cut off again.

    Attributes
    ----------
    file : io.FileIO
        Without a buffer: after a failed write, closing a buffer would write it again.
    """

    def __init__(self, path: str | os.PathLike[str], mode: str, permissions: int = 0o666) -> None:
        """Open a file for writing, with a mode of open() such as `xb`. `permissions`: of a new file. Raises OSError."""
        self._name = os.fspath(path)
        self.file = io.FileIO(self._name, mode, opener=lambda name, flags: os.open(name, flags, permissions))

    def append(self, piece: bytes) -> None:
        """Write a piece at the end. Raises OSError, which names the file."""
        whole = self.file.seek(0, os.SEEK_END) if self.file.seekable() else None
        rest = memoryview(piece)
        try:
            with of_file(self._name):
                while rest:
                    rest = rest[self.file.write(rest) :]
        except OSError:
            if whole is not None:
                with contextlib.suppress(OSError):
                    self.file.truncate(whole)
            raise

    def sync(self) -> None:
        """Write everything to the disk. Raises OSError, which names the file."""
        with of_file(self._name):
            os.fsync(self.file.fileno())

    def close(self) -> None:
        """Close the file. Nothing is written anew. Ignores OSError."""
        with contextlib.suppress(OSError):
            self.file.close()
