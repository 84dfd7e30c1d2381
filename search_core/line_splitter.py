"""Cuts a stream of bytes into lines; never holds more of a line than a limit.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_KEPT = 256
"""Bytes kept of an overlong line, enough to tell which one it was."""


class LineSplitter:
    """Takes chunks of bytes as they come, gives whole lines.

    A line of more than `longest` bytes, its end not counted, is dropped while it is read: only its beginning is left.
    """

    def __init__(self, longest: int) -> None:
        self.longest = longest
        self._line = bytearray()
        self._length = 0

    def feed(self, chunk: bytes) -> Iterator[tuple[bytes, int]]:
        """The lines that end in the chunk, without line ends, each with its length. An overlong line is cut, but has
        its full length."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield self._take()
        self._add(rest)

    def end(self) -> tuple[bytes, int] | None:
        """At the end of the stream: the last line if it has no line end, else None."""
        return self._take() if self._length else None

    def _add(self, piece: bytes) -> None:
        if self._length <= self.longest:
            self._line += piece
        self._length += len(piece)
        if self._length > self.longest:
            del self._line[min(_KEPT, self.longest) :]

    def _take(self) -> tuple[bytes, int]:
        line = bytes(self._line), self._length
        self._line.clear()
        self._length = 0
        return line
