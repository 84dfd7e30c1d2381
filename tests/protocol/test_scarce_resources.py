"""Where the system gives no thread or no memory, the program goes on."""

from __future__ import annotations

import io
import threading
from typing import TYPE_CHECKING, Any

import pytest

from search_core.line_protocol import LineChannel
from ucci_engine.ucci import UcciProtocol
from ucci_engine.uci import UciProtocol

if TYPE_CHECKING:
    from tests.protocol.conftest import CappedMaker


def adapter(kind: type[Any], first: str) -> Any:
    made = kind(LineChannel(io.BytesIO(), io.BytesIO()))
    made.command(first)
    return made


def test_a_job_without_a_thread_does_not_block_the_next_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    uci = adapter(UciProtocol, "uci")

    def no_thread(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as scarce:
        scarce.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(RuntimeError):
            uci.command("perft 1")
    assert not uci.driver.occupied
    assert uci.can_handle("position startpos")
    uci.close()


@pytest.mark.parametrize(("kind", "first"), [(UciProtocol, "uci"), (UcciProtocol, "ucci")])
def test_isready_is_answered_without_memory_for_the_net(
    kind: type[Any], first: str, capped: CappedMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = capped(kind)
    host.send(first)
    host.until(f"{first}ok")

    def no_memory(name: str = "") -> None:
        raise MemoryError("no memory for a net's sums")

    monkeypatch.setattr("ucci_engine.move_finder.default_evaluator", no_memory)
    host.send("isready")
    host.until("readyok")
