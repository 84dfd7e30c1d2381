"""Makes a transposition table ready on threads of its own: its memory is there, and all of it is empty.

The system zeroes each page when it is first touched. That takes seconds for a large table, and belongs neither into a
search nor onto the thread that listens to the host.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator

from search_core.memory import physical_memory_mb
from search_core.transposition_table import TranspositionTable, free_memory

_CHUNK_BYTES = 1 << 21  # a huge page; between two of them a thread looks whether it is cancelled


def available_memory_mb() -> int | None:
    """Memory in MiB that is free without swapping, or all of the machine's, or None if the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as meminfo:
            for row in meminfo:
                if row.startswith("MemAvailable:"):
                    return int(row.split()[1]) // 1024
    except OSError:
        pass
    free = free_memory()
    if free:
        return free >> 20
    return physical_memory_mb()


class TableFill:
    """One table that is being made ready, or is. Begins at once and returns.

    Parameters
    ----------
    megabytes : int
        The size asked for; the largest possible is taken if there is not that much memory.
    before : TableFill or None
        What this one takes the place of. It is cancelled; its memory is used again or given back, and whoever waits
        for it waits for this one.

    Attributes
    ----------
    ready : bool
        Whether `table` may be searched with.
    over : bool
        Whether nothing more happens: it is ready, was cancelled, or there was no memory.
    notice : str
        What the user should know of the memory, until somebody has said it.
    used, stale : bool
        Whether a search has stored something in it, and whether that no longer holds.
    """

    def __init__(self, megabytes: int, before: TableFill | None = None) -> None:
        self.megabytes = megabytes
        self.ready = False
        self.over = False
        self.notice = ""
        self.used = False
        self.stale = False
        self._table: TranspositionTable | None = None
        self._cancelled = False
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._callbacks = before.supersede() if before is not None else []
        try:
            threading.Thread(target=self._run, args=(before,), name="table", daemon=True).start()
        except RuntimeError:  # the system gives no thread
            self._end()

    @property
    def table(self) -> TranspositionTable:
        """The table; only for those who have seen that it is ready."""
        assert self._table is not None
        return self._table

    def when_over(self, callback: Callable[[], None]) -> bool:
        """Return whether it is over; if not, `callback` is called from a worker thread once it is."""
        with self._lock:
            if not self.over:
                self._callbacks.append(callback)
            return self.over

    def cancel(self) -> None:
        """End soon, and be of no use then."""
        self._cancelled = True

    def supersede(self) -> list[Callable[[], None]]:
        """Cancel it; returns the callbacks, which are not called any more."""
        self.cancel()
        with self._lock:
            callbacks, self._callbacks = self._callbacks, []
        return callbacks

    def join(self) -> None:
        """Wait until none of its threads does anything any more."""
        self._ended.wait()

    def release(self) -> None:
        """Give the memory back, once all is over."""
        table, self._table = self._table, None
        self.ready = False
        if table is not None:
            table.release()

    def _run(self, before: TableFill | None) -> None:
        try:
            fresh = self._take_memory(before)
            offsets = iter(range(0, self.table.megabytes << 20, _CHUNK_BYTES))  # each thread takes the next
            helpers = []
            for _ in range((os.cpu_count() or 1) - 1):
                helper = threading.Thread(target=self._clear, args=(offsets, fresh), name="table", daemon=True)
                try:
                    helper.start()
                except RuntimeError:
                    break
                helpers.append(helper)
            self._clear(offsets, fresh)
            for helper in helpers:
                helper.join()
            self.ready = not self._cancelled
        except MemoryError:  # not even the least; a search will say so
            pass
        finally:
            self._end()

    def _take_memory(self, before: TableFill | None) -> bool:
        """Have a table; return whether it is as the system gave it. Raises MemoryError."""
        if before is not None:
            before.join()
            if before._table is not None and before._table.megabytes == self.megabytes:
                self._table, before._table = before._table, None
                return False
            before.release()
        size = self.megabytes
        available = available_memory_mb()
        if available is not None:
            size = max(min(size, available * 9 // 10), 1)
        self._table = TranspositionTable(size)
        if self._table.megabytes < self.megabytes and (before is None or before.megabytes != self.megabytes):
            self.notice = f"hash: {self.megabytes} MB cannot be had, using {self._table.megabytes} MB"
        return True

    def _clear(self, offsets: Iterator[int], fresh: bool) -> None:
        for offset in offsets:
            if self._cancelled:
                return
            self.table.clear(offset, _CHUNK_BYTES, fresh)

    def _end(self) -> None:
        with self._lock:
            self.over = True
            callbacks, self._callbacks = self._callbacks, []
        self._ended.set()
        for callback in callbacks:
            callback()
