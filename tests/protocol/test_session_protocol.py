"""UCI over a session, here Xiangqi's: what the games share of UCI, and what a limit of `go` becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from game_core.session_protocol import SessionProtocol
from search_core.parameters import PARAMETERS
from ucci_engine.session import XiangqiSession

if TYPE_CHECKING:
    from search_core.thinker import Limits
    from tests.protocol.conftest import CappedMaker, ProcessHost


class Protocol(SessionProtocol):
    name = "Elephants"
    opened = 0

    def open_session(self) -> XiangqiSession:
        self.opened += 1
        return XiangqiSession()


@pytest.fixture
def inside(capped: CappedMaker) -> ProcessHost:
    """The adapter in this process; every search ends after 50 nodes."""
    return capped(Protocol)


def searched(host: ProcessHost, *lines: str) -> Limits:
    """The limits of the search that the lines begin."""
    host.send(*lines)
    host.until("bestmove ????")
    [limits] = host.engine.asked
    return limits


@pytest.mark.parametrize("greeting", ["uci", "UCI", "Elephants", "elephants", "ELEPHANTS now"])
def test_handshake_before_the_session(inside: ProcessHost, greeting: str) -> None:
    inside.send(greeting)
    assert inside.until("uciok")[0].startswith("id name Elephants ")
    assert isinstance(inside.adapter, Protocol)
    assert inside.adapter.opened == 0
    assert inside.said("stop") == []
    assert inside.adapter.opened == 1


@pytest.mark.parametrize(
    ("go", "hard_ms"),
    [
        ("wtime 0 btime 60000 winc 1000 binc 1000", 1),
        ("wtime -5 btime 60000", 1),
        ("movetime 0", 1),
        ("movetime -1", 1),
        ("movetime x", 990),
        ("movetime", 990),
        ("wtime x btime 60000", 990),
        ("btime 60000", 990),
        ("depth x", 990),
        ("perft 3", 990),
        ("movetime 100 wtime 0", 1),
    ],
)
def test_a_limit_of_zero_or_one_that_cannot_be_read_ends_the_search(inside: ProcessHost, go: str, hard_ms: int) -> None:
    limits = searched(inside, f"go {go}")
    assert 0 < limits.soft_ms <= limits.hard_ms
    assert limits.hard_ms == hard_ms
    assert not limits.infinite


@pytest.mark.parametrize(
    ("go", "depth", "nodes"),
    [
        ("nodes -5", 0, 1),
        ("nodes 0", 0, 1),
        (f"nodes {1 << 64}", 0, 10**15),
        ("nodes " + "9" * 5000, 0, 10**15),
        ("depth -3", 1, 0),
        ("depth 0", 1, 0),
        ("depth 1000", 127, 0),
        ("depth 3 nodes 20", 3, 20),
    ],
)
def test_counts_are_limited_to_what_the_engine_takes(inside: ProcessHost, go: str, depth: int, nodes: int) -> None:
    limits = searched(inside, f"go {go}")
    assert (limits.depth, limits.nodes, limits.infinite) == (depth, nodes, False)


def test_the_clock_is_that_of_the_side_to_move(inside: ProcessHost) -> None:
    black = searched(inside, "position startpos moves h2e2", "go wtime 60000 btime 1000 movestogo 10")
    assert 0 < black.hard_ms < 1000


@pytest.mark.parametrize("search", ["infinite", "", "ponder wtime 1000 btime 1000", "mate 3 infinite"])
def test_a_search_without_an_end_is_ended_by_the_next_position(inside: ProcessHost, search: str) -> None:
    inside.play(f"""
        > go {search}
        > isready
        ~ readyok
        > position startpos moves h2e2
        ~ bestmove ????
        > go depth 1
        ~ bestmove ????
    """)


def test_ponder(inside: ProcessHost) -> None:
    inside.send("go ponder depth 1", "isready")
    assert not any(line.startswith("bestmove") for line in inside.until("readyok"))
    inside.send("ponderhit")
    inside.until("bestmove ????")


@pytest.mark.parametrize("line", ["quit", "quit now", "QUIT"])
def test_quit_is_obeyed_before_waiting_commands(inside: ProcessHost, line: str) -> None:
    inside.send("go infinite", "isready", "position startpos", "go infinite", line)
    answers = [answer for answer in iter(inside.line, None) if not answer.startswith("info")]
    assert answers[0] == "readyok"
    assert [answer.split()[0] for answer in answers[1:]] == ["bestmove"]
    assert inside.exit_status() == 0


@pytest.mark.parametrize(
    ("command", "remark"),
    [
        ("position", "position: expected 'startpos [moves ...]'; there is no position now"),
        ("position startpos h2e2", "position: expected 'startpos [moves ...]'; there is no position now"),
        ("position startpos moves a0a9", "position: move 1: illegal move a0a9 in *; there is no position now"),
        ("hello", "unknown command 'hello', ignored; expected a command of UCI"),
        ("position startpos moves " + "h2e2 " * 20000, "*longer than the limit*; there is no position now"),
    ],
)
def test_each_fault_gets_one_line(inside: ProcessHost, command: str, remark: str) -> None:
    inside.play(f"> {command}\n< info string {remark}\n> isready\n< readyok")


@pytest.mark.parametrize(
    ("go", "remark"),
    [
        ("depth 1 searchmoves h2e2 a0a9", "searchmoves is not known here, ignored"),
        ("perft 2", "perft is not known here, ignored; no readable limit, searching 1000 ms"),
        ("depth 1 fast", "'fast' is unknown, ignored"),
    ],
)
def test_a_bad_go_is_reported_and_still_answered(inside: ProcessHost, go: str, remark: str) -> None:
    inside.play(f"> go {go}\n< info string go: {remark}\n~ bestmove ????")


def test_parameters_are_options_with_the_tune_variable(capped: CappedMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [name for name, *_ in PARAMETERS]

    def listed() -> list[str]:
        host.send("uci")
        return [line.split()[2] for line in host.until("uciok") if line.startswith("option ")]

    host = capped(Protocol)
    assert not set(names) & set(listed())
    monkeypatch.setenv("SANQI_TUNE", "1")
    host = capped(Protocol)
    assert [name for name in listed() if name in names] == names
    searched(host, "setoption name rfp_margin value 77", "go depth 1")
    assert host.engine.parameters == {"rfp_margin": 77}
