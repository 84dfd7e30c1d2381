"""Work on another thread, which Ctrl-C ends."""

from __future__ import annotations

import _thread
import sys
import threading

import pytest

from game_core.background import in_background


def main_waits() -> bool:
    """Whether the main thread is past the start of the other one."""
    frame = sys._current_frames()[threading.main_thread().ident or 0]
    names = set()
    while frame is not None:
        names.add(frame.f_code.co_name)
        frame = frame.f_back  # type: ignore[assignment]
    return {"in_background", "wait"} <= names and "start" not in names


def test_what_fails_after_ctrl_c_is_raised() -> None:
    cancelled = threading.Event()

    def work() -> None:
        while not main_waits():
            pass
        _thread.interrupt_main()
        cancelled.wait()
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        in_background(work, cancelled.set)
