"""The loop of a line protocol."""

from __future__ import annotations

import io
import signal
import threading
from collections.abc import Iterator

import pytest

from search_core.line_protocol import LineChannel, LineProtocol


@pytest.fixture
def handlers() -> Iterator[None]:
    """Signals and crashes of threads are handled as before."""
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK", "SIGHUP") if hasattr(signal, name)]
    before, hook = {number: signal.getsignal(number) for number in numbers}, threading.excepthook
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
    threading.excepthook = hook


def test_a_signal_does_not_wait_for_the_lines_before_it(handlers: None) -> None:
    """A program that reads faster than it obeys has many lines in its queue."""
    obeyed = []

    class Protocol(LineProtocol):
        def command(self, line: str) -> None:
            obeyed.append(line)
            if line == "2":
                signal.raise_signal(signal.SIGINT)

    assert Protocol(LineChannel(io.BytesIO(b"1\n2\n3\n4\n"), io.BytesIO())).run() == 0
    assert obeyed == ["1", "2"]
