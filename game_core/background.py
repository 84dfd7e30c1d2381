"""A background job of a command; Ctrl-C ends it."""

from __future__ import annotations

import threading
from collections.abc import Callable

INTERRUPTED = 130
"""The exit status of a program ended by Ctrl-C."""


def in_background(work: Callable[[], None], cancel: Callable[[], None]) -> int:
    """Do `work` on another thread, so that Ctrl-C works at once; returns the exit status, 130 when interrupted.

    `cancel` ends the work soon. Raises what `work` raises.
    """
    raised: list[BaseException] = []

    ended = threading.Event()  # after an interrupted join(), Python 3.11 takes the thread for ended

    def catch() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again on the main thread
            raised.append(error)
        finally:
            ended.set()

    threading.Thread(target=catch, name="command", daemon=True).start()
    status = 0
    try:
        while not ended.wait(0.2):  # Windows cannot interrupt a wait without a timeout
            pass
    except KeyboardInterrupt:
        cancel()
        ended.wait()
        status = INTERRUPTED
    for error in raised:
        raise error
    return status
