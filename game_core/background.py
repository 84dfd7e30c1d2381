"""A background job of a command; Ctrl-C ends it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait

INTERRUPTED = 130
"""The exit status of a program ended by Ctrl-C."""


def in_background(work: Callable[[], None], cancel: Callable[[], None]) -> int:
    """Do `work` on another thread, so that Ctrl-C works at once; returns the exit status, 130 when interrupted.

    `cancel` ends the work soon. Raises what `work` raises.
    """
    done: Future[None] = Future()

    def run() -> None:
        try:
            work()
            done.set_result(None)
        except BaseException as error:  # noqa: BLE001 - raised again on the main thread
            done.set_exception(error)

    threading.Thread(target=run, name="command", daemon=True).start()
    try:
        while not wait([done], 0.2).done:  # Windows cannot interrupt a wait without a timeout
            pass
    except KeyboardInterrupt:
        cancel()
        wait([done])
        return INTERRUPTED
    done.result()
    return 0
