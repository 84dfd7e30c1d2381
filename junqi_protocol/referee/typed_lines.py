"""The lines that a person types, for code that must not wait for them."""

from __future__ import annotations

import asyncio
import contextlib
import threading

from search_core.line_protocol import standard_input


class TypedLines:
    """Reads the terminal's input on a thread of its own. No other code may read it after begin()."""

    _lines: asyncio.Queue[str | None] | None = None

    def begin(self) -> None:
        """Start to read, for the running event loop. Does nothing if it has been called before."""
        if self._lines is not None:
            return
        lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._lines = lines
        loop = asyncio.get_running_loop()

        def read_all() -> None:
            read = standard_input()
            line: str | None = ""
            with contextlib.suppress(RuntimeError):  # the game is over, and the loop is closed
                while line is not None:
                    line = read()
                    loop.call_soon_threadsafe(lines.put_nowait, line)

        # A daemon: at the end only another line could wake it up.
        threading.Thread(target=read_all, name="typed lines", daemon=True).start()

    @property
    def is_empty(self) -> bool:
        """Whether no line waits to be read."""
        return self._lines is None or self._lines.empty()

    def drop(self) -> None:
        """Forget the lines that wait to be read."""
        while not self.is_empty:
            assert self._lines is not None
            if self._lines.get_nowait() is None:
                self._lines.put_nowait(None)
                return

    async def next(self) -> str | None:
        """The next line, which may be an OverlongLine; None at the end of the input, again and again."""
        assert self._lines is not None
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
        return line
