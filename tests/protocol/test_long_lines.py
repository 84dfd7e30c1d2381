"""Lines that are too long: dropped while they are read, with one error, and nothing else is lost."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from search_core.line_protocol import MAX_LINE, LineChannel, OverlongLine

if TYPE_CHECKING:
    from tests.protocol.conftest import HostMaker, ProgramHost

LIMIT = f"longer than the limit of {MAX_LINE}"
MAX_KB = 20_000  # the program may grow by this much
_GREETINGS = {
    "ucci": ("ucci", "ucciok", "isready", "readyok"),
    "uci": ("uci", "uciok", "isready", "readyok"),
    "gomocup": ("START 15", "OK", "TAKEBACK 9,9", "ERROR TAKEBACK: 9,9 has no stone; *"),
    "junqi": ("junqi 1", "junqiok 1", "isready", "readyok"),
    "contest": ("INFO 1.0", "NAME *", "RESULT", "ERROR 'RESULT' before the start; *"),
}
"""For each protocol: the first line and its answer; a command that does nothing and its answer."""
_ERRORS = {"ucci": "info message ", "uci": "info string ", "gomocup": "ERROR ", "junqi": "error ", "contest": "ERROR "}

needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


def begin(start: HostMaker, protocol: str, *options: str) -> ProgramHost:
    host = start(protocol, *options)
    greeting, answer, *_ = _GREETINGS[protocol]
    host.send(greeting)
    host.until(answer)
    return host


def peak_kb(host: ProgramHost) -> int:
    status = Path(f"/proc/{host.process.pid}/status").read_text(encoding="ascii")
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0])


def write_long(host: ProgramHost, line: bytes, repeated: bytes, megabytes: int) -> None:
    """A line with its end."""
    host.write(line)
    piece = repeated * (100_000 // len(repeated))
    for _ in range(megabytes * 10):
        host.write(piece)
    host.write(b"\n")


@needs_proc
@pytest.mark.parametrize("protocol", _GREETINGS)
def test_a_line_of_20_mb_gets_one_error_and_no_memory(start: HostMaker, protocol: str) -> None:
    # Without a search there is no table, which takes memory in the background.
    host = begin(start, protocol, *(["--level", "weights"] if protocol == "gomocup" else []))
    _, _, nothing, answer = _GREETINGS[protocol]
    host.send(nothing)
    host.until(answer)
    before = peak_kb(host)
    for beginning in (b"xyz ", b"# ", b""):
        write_long(host, beginning, b"x x ", 20)
    host.send(nothing)
    told = host.until(answer)[:-1]
    assert len(told) == 2  # a comment gets no answer
    for line in told:
        assert line.startswith(_ERRORS[protocol])
        assert LIMIT in line
        assert len(line) < 200
    assert peak_kb(host) - before < MAX_KB


@needs_proc
@pytest.mark.parametrize("protocol", ["ucci", "uci"])
def test_a_position_of_20_mb_is_not_set_and_not_searched(start: HostMaker, protocol: str) -> None:
    host = begin(start, protocol)
    before = peak_kb(host)
    write_long(host, b"position startpos moves", b" h2e2", 20)
    host.send("go depth 1", "isready")
    [error, refusal, answer, _] = host.until("readyok")
    assert LIMIT in error and error.endswith("; there is no position now")
    assert refusal.endswith("go: the last position was refused")
    assert answer == {"ucci": "nobestmove", "uci": "bestmove (none)"}[protocol]
    assert peak_kb(host) - before < MAX_KB + 64 * 1024  # isready makes the table ready


@pytest.mark.parametrize("protocol", ["ucci", "uci"])
def test_after_a_position_that_is_too_long_no_earlier_one_is_searched(start: HostMaker, protocol: str) -> None:
    host = begin(start, protocol)
    host.send("position fen 4k4/9/9/9/9/9/4R4/9/9/3K5 w - - 0 1")  # Red takes the king
    write_long(host, b"position startpos moves", b" h2e2", 1)
    host.send("go depth 1", "isready")
    assert {"ucci": "nobestmove", "uci": "bestmove (none)"}[protocol] in host.until("readyok")


def test_the_first_line_may_be_too_long(start: HostMaker) -> None:
    host = start()
    write_long(host, b"ucci", b" \x1b\xff", 20)
    host.play(f"< error: 'ucci *{LIMIT}*; still waiting\n> ucci\n~ ucciok")


def test_an_unfinished_line_is_reported_at_the_end_of_the_input(start: HostMaker) -> None:
    host = start("uci")
    host.write(b"x" * (MAX_LINE + 1))
    host.end_input()
    host.play(f"< info string *{LIMIT}*")
    host.over()


def test_blanks_without_end_are_no_comment(start: HostMaker) -> None:
    host = begin(start, "uci")
    host.write(b" " * MAX_LINE + b"quit\n")
    host.play(f"< info string 'blanks...'*{LIMIT}*\n> isready\n< readyok")


def test_a_line_at_the_limit_is_obeyed_and_one_more_byte_is_too_much(start: HostMaker) -> None:
    host = begin(start, "uci")
    host.write(b"isready".ljust(MAX_LINE) + b"\n")
    host.play("< readyok")
    host.write(b"isready".ljust(MAX_LINE + 1) + b"\n")
    host.play(f"< info string *{LIMIT}*\n> isready\n< readyok")


@pytest.mark.parametrize("protocol", ["ucci", "uci"])
def test_a_game_of_10_000_moves_is_searched(start: HostMaker, protocol: str) -> None:
    host = begin(start, protocol)
    host.send("position startpos moves" + " b0c2 b9c7 c2b0 c7b9" * 2500, "isready", "go depth 1")
    said = host.until("readyok")
    assert [line for line in said if "without a capture draw" not in line] == ["readyok"]
    host.until("bestmove *")


def test_errors_in_gomocup_come_in_order(start: HostMaker) -> None:
    host = begin(start, "gomocup")
    host.send("INFO timeout_turn 1000", "INFO max_node 1000")
    host.write(b"TURN 7,7\nTURN 8,8" + b" " * MAX_LINE + b"\nTAKEBACK 9,9\n")
    said = [host.line() for _ in range(2)]
    assert re.fullmatch(r"\d+,\d+", said[0] or ""), said
    assert re.fullmatch(f"ERROR 'TURN 8,8.*{LIMIT}.*; nothing has changed", said[1] or ""), said


def test_a_board_with_a_line_too_long_is_refused_whole(start: HostMaker) -> None:
    host = begin(start, "gomocup")
    host.write(b"BOARD\n7,7,1\n8,8,2" + b" " * MAX_LINE + b"\n9,9" + b" " * MAX_LINE + b"\nDONE\n")
    host.play(f"""
        < ERROR BOARD: '8,8,2...'*{LIMIT}*; nothing has changed
        > TAKEBACK 7,7
        < ERROR TAKEBACK: 7,7 has no stone*
    """)


def test_info_is_never_answered(start: HostMaker) -> None:
    host = begin(start, "gomocup")
    host.write(b"INFO timeout_turn" + b" " * MAX_LINE + b"1\nTAKEBACK 9,9\n")
    host.play(f"""
        < ERROR TAKEBACK*
        > INFO max_node 1000
        > BEGIN
        < MESSAGE 'INFO timeout_turn...'*{LIMIT}*
        < 7,7
    """)


def test_an_overlong_question_of_the_contest_is_still_answered(start: HostMaker) -> None:
    host = begin(start, "contest")
    host.send("START 0 1800 31")
    host.until("ARRAY *")
    host.write(b"GO 0000 0 00" + b" " * MAX_LINE + b"\n")
    host.play(f"< ERROR *{LIMIT}*; nothing changed\n< BESTMOVE *")


def test_errors_in_a_batch_come_in_order(start: HostMaker) -> None:
    host = begin(start, "ucci")
    host.write(b"setoption batch true\nposition startpos\ngo depth 3\n" + b"x" * 100_000 + b"\ngo depth 1\nquit\n")
    said = [line for line in host.until("bye") if line.startswith(("bestmove", "info message"))]
    assert [line.split()[0] for line in said] == ["bestmove", "info", "bestmove"]
    assert LIMIT in said[1]


def test_a_search_goes_on(start: HostMaker) -> None:
    host = begin(start, "uci")
    host.send("position startpos", "go infinite")
    host.until("info depth *")
    write_long(host, b"quit ", b"x ", 1)
    host.until(f"info string 'quit *{LIMIT}*")
    host.play("> stop\n~ bestmove *\n> isready\n< readyok")


def test_the_log_has_no_more_than_the_beginning(start: HostMaker, tmp_path: Path) -> None:
    path = tmp_path / "log"
    host = start("uci", environment={"SANQI_LOG": str(path)})
    write_long(host, b"position startpos moves", b" h2e2", 5)
    host.until(f"*{LIMIT}*")
    assert "position startpos moves h2e2 " in path.read_text(encoding="utf-8")
    assert path.stat().st_size < 2000


@pytest.mark.parametrize(
    ("protocol", "line"),
    [
        ("uci", "position fen \x1b[31m" + "k" * 60_000),
        ("uci", "position fen " + "/" * 60_000),
        ("uci", "position fen rnbakabnr/9/9/9/9/9/9/9/9/RNBAKABNR \x1b" + "x" * 60_000),
        ("uci", "position fen rnbakabnr/9/9/9/9/9/9/9/9/RNBAKABNR w - - 0 \x1b" + "1" * 60_000),
        ("uci", "position startpos moves \x1b" + "h2e2" * 15_000),
        ("uci", "perft \x1b" + "1" * 60_000),
        ("uci", "bench \x1b" + "1" * 60_000),
        ("uci", "setoption name Seed value " + "9" * 60_000),
        ("uci", "setoption name \x1b" + "x" * 60_000),
        ("uci", "go depth \x1b" + "9" * 60_000),
        ("ucci", "banmoves \x1b" + "9" * 60_000),
        ("ucci", "probe \x1b" + "9" * 60_000),
        ("gomocup", "\x1b" + "x" * 60_000),
        ("gomocup", "TURN \x1b" + "9" * 60_000),
        ("gomocup", "START \x1b" + "9" * 60_000),
        ("junqi", "\x1b" + "x" * 60_000),
        ("junqi", "newgame variant siguo seats 0" + ",0" * 30_000),
        ("junqi", "newgame variant \x1b" + "x" * 60_000),
        ("junqi", "position variant duel turn 0 pieces \x1b" + "x" * 60_000),
        ("contest", "\x1b" + "x" * 60_000),
        ("contest", "START \x1b" + "9" * 60_000),
        ("contest", "INFO \x1b" + "9" * 60_000),
    ],
)
def test_foreign_text_is_quoted_and_shortened(start: HostMaker, protocol: str, line: str) -> None:
    host = begin(start, protocol)
    _, _, nothing, answer = _GREETINGS[protocol]
    host.write(line.encode() + b"\n")
    host.send(nothing, "stop")
    told = host.until(answer)[:-1]
    if "go " in line:
        told += host.until("bestmove *")
    assert told
    for text in told:
        assert len(text) < 400 and text.isprintable(), text


def test_the_limit_is_a_parameter_of_the_channel(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"12345678\n123456789\n1\n")
    with (tmp_path / "in").open("rb", buffering=0) as source, (tmp_path / "out").open("wb", buffering=0) as sink:
        channel = LineChannel(source, sink, longest_line=8)
        assert channel.receive() == "12345678"
        overlong = channel.receive()
        assert isinstance(overlong, OverlongLine)
        assert overlong.fault == "'12345678...': a line of 9 bytes, longer than the limit of 8, was dropped"
        assert channel.receive() == "1"
        assert channel.receive() is None
