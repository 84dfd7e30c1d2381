"""While the table is being filled, the engine reads commands and answers them.

Most tests use slow memory, like that of a large table: it is ready only when the test says so.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import search_core.table_fill
from game_core.session_protocol import SessionProtocol
from gomoku_protocol.gomocup import GomocupProtocol
from search_core.clock import now_s
from search_core.transposition_table import TranspositionTable
from search_core.uci import UciWording
from ucci_engine.session import XiangqiSession
from ucci_engine.ucci import UcciProtocol
from ucci_engine.uci import UciProtocol

if TYPE_CHECKING:
    from tests.protocol.conftest import CappedMaker, Host, HostMaker, ProcessHost, ProgramHost

LARGE_MB = 4096
TICK_S = 0.02
PATIENCE_S = 20.0


class SlowMemory:
    """Tables whose memory is slow until `release()`."""

    def __init__(self) -> None:
        self.chunks = 0
        self._fast = threading.Event()

    def release(self) -> None:
        """All memory comes at once from now on."""
        self._fast.set()

    def hold(self) -> None:
        """All memory is slow again."""
        self._fast.clear()

    def chunk(self) -> None:
        """Wait for one piece of memory."""
        self.chunks += 1
        self._fast.wait(TICK_S)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowMemory]:
    slow = SlowMemory()

    class SlowTable(TranspositionTable):
        def clear(self, offset: int, length: int, fresh: bool) -> None:
            slow.chunk()
            super().clear(offset, length, fresh)

    monkeypatch.setattr(search_core.table_fill, "TranspositionTable", SlowTable)
    monkeypatch.setattr(search_core.table_fill, "_CHUNK_BYTES", 1 << 10)  # two thousand ticks for 2 MB,
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # which several threads would share
    yield slow
    slow.release()


@pytest.fixture
def uci_inside(capped: CappedMaker, memory: SlowMemory) -> ProcessHost:
    host = capped(UciProtocol)
    host.send("uci")
    host.until("uciok")
    return host


@pytest.fixture
def gomocup_inside(capped: CappedMaker, memory: SlowMemory) -> ProcessHost:
    host = capped(GomocupProtocol)
    host.play("> START 15\n< OK")
    return host


def leave(host: ProcessHost) -> None:
    """End the input; the adapter ends though the memory stays slow."""
    host.end_input()
    while host.line() is not None:
        pass
    assert host.exit_status() == 0


# isready


def test_readyok_waits_for_the_table_and_other_answers_do_not(uci_inside: ProcessHost, memory: SlowMemory) -> None:
    uci_inside.play("""
        > isready
        > compiler
        < info string sanqi *
        > stop
        > ponderhit
        > isready
        > compiler
        < info string sanqi *
    """)
    memory.release()
    uci_inside.play("< readyok\n< readyok\n> compiler\n< info string sanqi *\n> isready\n< readyok")
    leave(uci_inside)


class SessionUci(SessionProtocol):
    name = "xiangqi"

    def open_session(self) -> XiangqiSession:
        return XiangqiSession()


@pytest.mark.parametrize("adapter", [UciProtocol, SessionUci])
def test_a_new_size_makes_readyok_wait_for_the_new_table(
    capped: CappedMaker, memory: SlowMemory, adapter: type[UciWording]
) -> None:
    host = capped(adapter)
    host.play("""
        > setoption name Hash value 2
        > isready
        > setoption name Hash value 1
        > setoption name Hash value 2
        > setoption name Hash value 1
        > nonsense
        < info string unknown command *
    """)
    memory.release()
    host.play("< readyok\n> nonsense\n< info string unknown command *")
    assert host.engine.prepared[-1] == 1
    leave(host)


def test_a_go_does_not_wait_for_the_readyok_before_it(uci_inside: ProcessHost) -> None:
    uci_inside.play("""
        > isready
        > position startpos
        > go infinite
        < readyok
        > isready
        < readyok
        > stop
        ~ bestmove *
    """)
    leave(uci_inside)


@pytest.mark.parametrize("word", ["quit", None])
@pytest.mark.parametrize("protocol", [UciProtocol, UcciProtocol])
def test_leaving_does_not_wait_for_the_table(
    capped: CappedMaker, memory: SlowMemory, protocol: type[UciProtocol] | type[UcciProtocol], word: str | None
) -> None:
    host = capped(protocol)
    host.send(protocol.__name__.removesuffix("Protocol").lower(), "isready")
    if word is None:
        host.end_input()
    else:
        host.send(word)
    host.until("readyok")
    if protocol is UcciProtocol:
        host.play("< bye")
    assert host.line() is None
    assert host.exit_status() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals between processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_do_not_wait_for_the_table(uci: ProgramHost, number: signal.Signals) -> None:
    uci.play(f"""
        > setoption name Hash value {LARGE_MB}
        > isready
        > compiler
        < info string sanqi *
    """)
    uci.process.send_signal(number)
    uci.until("readyok")
    uci.over()


@pytest.mark.parametrize("end", ["quit", "stop", ""])
def test_a_search_with_a_large_table_can_be_ended(uci: ProgramHost, end: str) -> None:
    uci.send(f"setoption name Hash value {LARGE_MB}", "isready", "position startpos", "go infinite", "isready")
    uci.play("< readyok\n~ readyok")
    if end:
        uci.send(end)
    else:
        uci.end_input()
    uci.until("bestmove *")
    if end == "stop":
        uci.send("quit")
    uci.over()


# Searches without isready


@pytest.mark.parametrize("begin", [[], ["isready"], ["setoption name Hash value 1"], ["ucinewgame"]])
@pytest.mark.parametrize("search", ["go infinite", "go depth 30", "go ponder wtime 100 btime 100", "go nodes 40"])
def test_stop_does_not_wait_for_the_table(uci_inside: ProcessHost, search: str, begin: list[str]) -> None:
    uci_inside.send(*begin, "position startpos", search, "stop", "isready")
    uci_inside.until("bestmove *")
    uci_inside.send("position startpos moves h2e2", search, "stop")
    uci_inside.until("bestmove *")
    leave(uci_inside)


@pytest.mark.parametrize("search", ["go movetime 40", "go wtime 100 btime 100", "go movetime 1"])
def test_a_search_with_a_clock_waits_only_a_part_of_it(uci_inside: ProcessHost, search: str) -> None:
    uci_inside.send("position startpos", search)
    uci_inside.until("bestmove *")
    uci_inside.send("go ponder wtime 40 btime 40", "ponderhit")
    uci_inside.until("bestmove *")
    leave(uci_inside)


def test_a_search_limited_in_depth_is_the_same_whether_the_host_waited_or_not(
    uci_inside: ProcessHost, memory: SlowMemory
) -> None:
    adapter = uci_inside.adapter
    assert isinstance(adapter, UciProtocol)
    uci_inside.send("position startpos", "go nodes 40", "isready")
    uci_inside.until("readyok")
    assert not adapter.driver.engine.probe(adapter.game.position)
    memory.release()
    uci_inside.until("bestmove *")
    assert adapter.driver.engine.probe(adapter.game.position)
    leave(uci_inside)


def test_a_new_game_empties_the_table_in_the_background(uci_inside: ProcessHost, memory: SlowMemory) -> None:
    memory.release()
    uci_inside.play("> isready\n< readyok\n> position startpos\n> go depth 3\n~ bestmove *")
    memory.hold()
    uci_inside.play("> ucinewgame\n> isready\n> compiler\n< info string sanqi *")
    memory.release()
    uci_inside.play("< readyok")
    chunks = memory.chunks
    uci_inside.play("> ucinewgame\n> isready\n< readyok")
    assert memory.chunks == chunks  # nothing was stored since
    leave(uci_inside)


def test_a_new_size_during_a_search_is_for_the_next_search(ucci: ProgramHost, uci: ProgramHost) -> None:
    uci.play("""
        > setoption name Hash value 2
        > position startpos
        > go infinite
        ~ info depth 2 *
        > setoption name Hash value 3
        ~ bestmove *
        > isready
        ~ readyok
        > go depth 2
        ~ bestmove *
    """)
    ucci.play("""
        > go infinite
        ~ info depth 2 *
        > setoption hashsize 3
        > isready
        ~ readyok
        > stop
        ~ bestmove *
    """)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory for another process")
@pytest.mark.parametrize("ready", [[], ["isready"]])
def test_a_table_beyond_memory_is_reported_and_the_search_goes_on(ucci: ProgramHost, ready: list[str]) -> None:
    import resource

    resource.prlimit(ucci.process.pid, resource.RLIMIT_AS, (1 << 30, 1 << 30))
    ucci.send("setoption hashsize 99999999", *ready, "position startpos", "go nodes 100")
    ucci.play("""
        < info message hashsize: *
        ~ info message hash: * MB are not available, using * MB
        ~ bestmove *
        > go nodes 100
        < info depth 1 *
        ~ bestmove *
    """)


# Gomoku


def test_gomocup_the_first_ok_and_the_first_move_do_not_wait(gomocup_inside: ProcessHost, memory: SlowMemory) -> None:
    gomocup_inside.play("""
        > INFO timeout_turn 0
        > INFO max_memory 104857600
        > INFO rule 1
        > TURN 0,0
        < #,#
        > INFO max_memory 209715200
        > INFO hash_size 50000
        > TURN 0,1
        < #,#
        > INFO timeout_turn 100
        > TURN 0,2
        < #,#
    """)
    assert {64, 27, 102, 48} <= set(gomocup_inside.engine.prepared)
    leave(gomocup_inside)


@pytest.mark.parametrize("word", ["START 15", "RECTSTART 15,15", "RESTART"])
def test_gomocup_the_next_game_has_its_table_when_it_is_answered(
    gomocup_inside: ProcessHost, memory: SlowMemory, word: str
) -> None:
    memory.release()
    gomocup_inside.play("> BEGIN\n< #,#")
    memory.hold()
    chunks = memory.chunks
    gomocup_inside.send(word, "INFO timeout_turn 50")
    deadline = now_s() + PATIENCE_S
    while memory.chunks < chunks + 3:
        assert now_s() < deadline
    assert gomocup_inside.transcript[-1].startswith("> ")  # no OK yet
    memory.release()
    gomocup_inside.play("< OK\n> BEGIN\n< #,#")
    leave(gomocup_inside)


@pytest.mark.parametrize("asks", [["BEGIN"], ["INFO timeout_turn 50", "BEGIN"], ["BOARD", "0,0,2", "DONE"]])
def test_gomocup_who_does_not_wait_for_the_table_gets_a_move(
    gomocup_inside: ProcessHost, memory: SlowMemory, asks: list[str]
) -> None:
    memory.release()
    gomocup_inside.play("> INFO timeout_turn 50\n> BEGIN\n< #,#")
    memory.hold()
    gomocup_inside.send("RESTART", *asks)
    gomocup_inside.play("< OK\n< #,#")
    leave(gomocup_inside)


def test_gomocup_yxstop_gets_a_move_at_once(gomocup_inside: ProcessHost, memory: SlowMemory) -> None:
    gomocup_inside.play("""
        > BEGIN
        > YXSTOP
        < #,#
        > RESTART
        > BEGIN
        > YXSTOP
        < OK
        < #,#
    """)
    leave(gomocup_inside)


@pytest.mark.parametrize("before", [[], ["BEGIN"], ["RESTART"], ["RESTART", "BEGIN"], ["BEGIN", "RESTART", "BEGIN"]])
def test_gomocup_end_does_not_wait_for_the_table(gomocup_inside: ProcessHost, before: list[str]) -> None:
    gomocup_inside.play("> INFO timeout_turn 0\n> BEGIN\n< #,#\n> YXBOARD\n> DONE\n> INFO timeout_turn 600000")
    gomocup_inside.send(*before, "END")
    ends(gomocup_inside)


def ends(host: Host) -> None:
    """A new game's OK may come, since a question for a move does not wait for the table; then the end."""
    line = host.line()
    assert line in ("OK", None)
    assert line is None or host.line() is None
    assert host.exit_status() == 0


def test_gomocup_with_a_large_table(start: HostMaker) -> None:
    host = start("gomocup")
    host.play(f"""
        > START 15
        < OK
        > INFO hash_size {LARGE_MB << 10}
        > INFO timeout_turn 0
        > TURN 7,7
        ~ #,#
        > INFO timeout_turn 600000
        > TURN 0,0
        > YXSTOP
        < #,#
        > RESTART
        > TURN 7,7
    """)
    host.send("END")
    ends(host)
