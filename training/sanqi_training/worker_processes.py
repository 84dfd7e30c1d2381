"""Worker processes of a command: Ctrl-C is the command's alone, and no worker outlives it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process

from search_core.child_process import ENDING_SIGNALS


@contextmanager
def worker_processes(count: int) -> Iterator[Executor]:
    """Executes on so many processes. If the block is left by an exception, they are killed, whatever they do."""
    # Not by fork: the pipe by which a worker sees the end of this process would be inherited by the others.
    with ProcessPoolExecutor(count, get_context("spawn"), _begin) as executor:
        try:
            yield executor
        except BaseException:
            for worker in active_children():  # or their tasks would be waited for, a minute with many nodes
                worker.kill()
            raise


def _begin() -> None:
    """Leave Ctrl-C to the process that began this one, and end with that."""
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
