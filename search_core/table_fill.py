"""Makes a transposition table ready on its own threads: allocates its memory and clears it.

The system zeroes each page when it is first touched. That takes seconds for a large table, so it must not happen in a
search or on the thread that listens to the host.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator

from search_core.memory import physical_memory_mb
from search_core.transposition_table import TranspositionTable, free_memory

_CHUNK_BYTES = 1 << 21  # a huge page; before each, a thread checks whether it is cancelled


def available_memory_mb() -> int | None:
    """Memory in MiB that is available without swapping; else all of the machine's; None if the system does not say."""
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
    """One table that is ready or being made ready. The constructor begins the work and returns.

    Parameters
    ----------
    megabytes : int
        The size asked for; the largest possible is taken if there is not that much memory.
    before : TableFill or None
        The one that this replaces. It is cancelled; its memory is used again or freed, and this one calls its
        callbacks.

    Attributes
    ----------
    ready : bool
        Whether `table` may be searched with.
    over : bool
        Whether nothing more happens: it is ready, was cancelled, or there was no memory.
    notice : str
        A message for the user about the memory; '' when there is none, or when it was sent.
    used, stale : bool
        Whether a search has stored something in it, and whether that is out of date.
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
        """The table. Check `ready` before."""
        assert self._table is not None
        return self._table

    def when_over(self, callback: Callable[[], None]) -> bool:
        """Return whether it is over; if not, `callback` is called from a worker thread once it is."""
        with self._lock:
            if not self.over:
                self._callbacks.append(callback)
            return self.over

    def cancel(self) -> None:
        """End soon. The table is not ready then."""
        self._cancelled = True

    def supersede(self) -> list[Callable[[], None]]:
        """Cancel it; returns the callbacks, which are not called any more."""
        self.cancel()
        with self._lock:
            callbacks, self._callbacks = self._callbacks, []
        return callbacks

    def join(self) -> None:
        """Wait until its threads have done their work."""
        self._ended.wait()

    def release(self) -> None:
        """Free the memory. Only after join()."""
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
        except MemoryError:  # not even for the smallest table; a search reports it
            pass
        finally:
            self._end()

    def _take_memory(self, before: TableFill | None) -> bool:
        """Get a table; return whether its memory is fresh from the system. Raises MemoryError."""
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
            self.notice = f"hash: {self.megabytes} MB are not available, using {self._table.megabytes} MB"
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
