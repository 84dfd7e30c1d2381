"""Child processes: none is left behind, and a program that cannot start is named."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from search_core.child_process import ENDING_SIGNALS, ChildProcess, StderrCapture, interrupt_by_any_signal

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

STARTS_ANOTHER = "env -i sleep 700 & setsid sleep 700 & echo two >&2; echo ready"
"""One process in the group without the mark, and one with the mark that leaves the group."""


@pytest.mark.parametrize("then", ["sleep 700", "exit 3"], ids=["running", "ended"])
def test_all_that_a_program_started_is_killed_with_it(then: str) -> None:
    stderr = StderrCapture()
    child = ChildProcess(["sh", "-c", f"{STARTS_ANOTHER}; {then}"], stderr=stderr)
    assert child.popen.stdin is not None
    assert child.popen.stdout is not None
    assert child.popen.stdout.read(6) == b"ready\n"
    if then == "exit 3":
        assert child.popen.wait(10) == 3
    assert len(child.members()) >= 2
    child.kill()
    while child.members():  # the signal was sent; on a busy machine its process dies a little later
        pass
    assert child.popen.returncode == (3 if then == "exit 3" else -9)
    assert stderr.last_line() == "two"
    stderr.close()
    child.popen.stdin.close()
    child.popen.stdout.close()


def test_a_program_that_cannot_start_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such program"):
        ChildProcess([str(tmp_path / "no such program")])
    with pytest.raises(FileNotFoundError, match="no such folder"):
        ChildProcess(["true"], directory=str(tmp_path / "no such folder"))
    with pytest.raises(OSError, match="null byte"):
        ChildProcess(["tr\0ue"])


def test_what_is_ignored_stays_so() -> None:
    """SIGHUP under nohup, SIGINT in the background of a shell."""
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        interrupt_by_any_signal()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
