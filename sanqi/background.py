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

    def catch() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again on the main thread
            raised.append(error)

    thread = threading.Thread(target=catch, name="command", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.2)  # Windows cannot interrupt a wait without a timeout
    except KeyboardInterrupt:
        cancel()
        thread.join()
        return INTERRUPTED
    for error in raised:
        raise error
    return 0
