"""Write files whole: who looks finds the old content or all of the new, never a part.

A file is written beside its name, with `.part` at the end, and then renamed. What is no file is written directly: a
pipe, a device, or an open descriptor such as `/dev/stdout`.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, TypeAlias

from search_core.failures import of_file

FilePath: TypeAlias = "str | os.PathLike[str]"

_STREAMS = ("stdin", "stdout", "stderr")
_MAX_LINKS = 40  # as Linux follows
_NAME_PART = 40  # characters of the name that the unfinished file has, since names have a limit


def write_whole(path: FilePath, data: bytes, replace: bool = False) -> None:
    """Write a file. Raises OSError as whole_file() does."""
    with whole_file(path, replace) as file:
        file.write(data)


@contextlib.contextmanager
def whole_file(path: FilePath, replace: bool = False) -> Iterator[BinaryIO]:
    """A file that gets its name at the end of the block, or is deleted if the block raises anything.

    `replace`: whether an old file is replaced; else it must not exist. Raises OSError, which names `path`: at once if
    it cannot be written there, FileExistsError among others.
    """
    unfinished = UnfinishedFile(path, replace)
    try:
        yield unfinished.file
    except BaseException:
        unfinished.discard()
        raise
    unfinished.finish()


def check_writable(path: FilePath, replace: bool = False) -> None:
    """Raises OSError if whole_file() could not begin the file now. A pipe is not opened."""
    if not is_stream(path):
        UnfinishedFile(path, replace).discard()


def is_stream(path: FilePath) -> bool:
    """Whether whole_file() writes to it directly: it is a pipe, a device or an open descriptor."""
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        return True
    with contextlib.suppress(ValueError):  # a null character in the name
        return _own_descriptor(os.fspath(path)) is not None
    return False


class UnfinishedFile:
    """A file that is written beside its name. One of finish() and discard() must be called.

    It keeps the permissions of the file that it replaces. If the name is a link, the file that it leads to is replaced.

    Attributes
    ----------
    file : BinaryIO
        Buffered.
    part : str or None
        The name until finish(), for what opens it itself; None: it is no file and is written directly.
    """

    def __init__(self, path: FilePath, replace: bool = False) -> None:
        """Raises OSError as whole_file() does."""
        self._shown = os.fspath(path)
        """The name that the user knows."""
        self._replace = replace
        self.part: str | None = None
        with of_file(self._shown):
            try:
                descriptor = self._opened()
            except ValueError as error:  # a null character, or one that the system's encoding lacks
                raise OSError(errno.EINVAL, str(error)) from None
        self._raw = NamedFile(descriptor, self._shown)
        self.file: BinaryIO = io.BufferedWriter(self._raw)

    def finish(self) -> None:
        """Write what is not written yet, and give the file its name. Raises OSError; then the file is deleted."""
        try:
            self.file.flush()
            if self.part is not None:
                with of_file(self._shown):
                    os.fsync(self._raw.fileno())  # a full disk may be noticed only now
            self.file.close()
            if self.part is not None:
                with of_file(self._shown):
                    self._rename(self.part)
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Delete the file. Raises nothing."""
        self._raw.dropped = True
        with contextlib.suppress(OSError):
            self.file.close()
        if self.part is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.part)

    def _opened(self) -> int:
        """A descriptor to write to."""
        own = _own_descriptor(self._shown)
        if own is not None:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()  # what was printed comes first
            return os.dup(own)
        folder, name = os.path.split(self._shown)
        if not name:
            raise _failure(errno.EISDIR if folder else errno.ENOENT)
        self._target = os.path.realpath(self._shown)
        try:
            self._old: os.stat_result | None = os.stat(self._target)
        except FileNotFoundError:
            self._old = None
        if self._old is not None:
            if stat.S_ISDIR(self._old.st_mode):
                raise _failure(errno.EISDIR)
            if not stat.S_ISREG(self._old.st_mode):
                return os.open(self._target, os.O_WRONLY | getattr(os, "O_BINARY", 0))
            if not self._replace:
                raise _failure(errno.EEXIST)
            if not os.access(self._target, os.W_OK):
                raise _failure(errno.EACCES)
        return self._begun()

    def _begun(self) -> int:
        """The descriptor of a new file beside the target."""
        folder, name = os.path.split(self._target)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        while True:
            part = os.path.join(folder, f"{name[:_NAME_PART]}.{os.urandom(4).hex()}.part")
            try:
                descriptor = os.open(part, flags, 0o666 if self._old is None else 0o600)
            except FileExistsError:
                continue
            self.part = part
            if self._old is not None:
                _keep_permissions(part, self._old)
            return descriptor

    def _rename(self, part: str) -> None:
        if self._replace:
            os.replace(part, self._target)
        elif sys.platform == "win32":
            os.rename(part, self._target)  # there, it fails if the file exists
        else:
            try:
                os.link(part, self._target)
            except FileExistsError:
                raise
            except OSError:  # not every file system has links
                if os.path.lexists(self._target):
                    raise _failure(errno.EEXIST) from None
                os.rename(part, self._target)
            else:
                os.unlink(part)


def _failure(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _keep_permissions(part: str, old: os.stat_result) -> None:
    if sys.platform != "win32":
        with contextlib.suppress(OSError):  # only root may give a file away
            os.chown(part, old.st_uid, old.st_gid)
    with contextlib.suppress(OSError):  # not every file system has them
        os.chmod(part, stat.S_IMODE(old.st_mode))


class NamedFile(io.FileIO):
    """A descriptor to write to; errors name the file."""

    def __init__(self, descriptor: int, name: str, closefd: bool = True) -> None:
        super().__init__(descriptor, "wb", closefd)
        self._shown = name
        self.dropped = False
        """Whether what comes now is thrown away: closing a buffer writes it."""

    def write(self, data: Any) -> int:
        if self.dropped:
            return memoryview(data).nbytes
        with of_file(self._shown):
            return super().write(data)


def _own_descriptor(path: str) -> int | None:
    """The descriptor of this process that a path such as `/dev/stdout` or `/dev/fd/3` stands for. To open it by name
    would begin a file anew that other programs have written to."""
    if os.name == "nt":
        return None
    for _ in range(_MAX_LINKS):
        folder, name = os.path.split(os.path.abspath(path))
        folder = os.path.realpath(folder)
        if folder == "/dev" and name in _STREAMS:
            return _STREAMS.index(name)
        if folder in ("/dev/fd", f"/proc/{os.getpid()}/fd") and re.fullmatch(r"[0-9]{1,9}", name):
            return int(name)
        if not os.path.islink(path):
            break
        path = os.path.join(folder, os.readlink(path))
    return None
