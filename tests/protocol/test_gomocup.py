"""The Gomocup protocol as it goes over the wire, and common mistakes of implementations.

ABOUT is answered at once, also while thinking: when its answer is the next
line, nothing was said before.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from gomoku_protocol.gomocup import GomocupProtocol, score_text
from gomoku_protocol.points import CARO, CARO_EXACT, FREESTYLE, RENJU, STANDARD
from gomoku_protocol.settings import STYLES, GomokuSettings
from gomoku_protocol.turn_clock import TurnClock
from sanqi.detect import protocol_of_program
from search_core.engine import Engine
from search_core.line_protocol import LineChannel
from search_core.options import DEFAULT_HASH_MB
from search_core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.protocol.conftest import CappedMaker, Host, HostMaker, ProcessHost, ProgramHost

ABOUT = f'name="sanqi", version="{__version__}", author="the sanqi authors", country="International"'
LONG = "INFO timeout_turn 600000"
SHALLOW = LONG, "INFO max_depth 3"


@pytest.fixture
def gomocup(start: HostMaker) -> ProgramHost:
    """The program with an empty 15x15 board and little time."""
    host = start("gomocup")
    host.play("""
        > INFO timeout_turn 100
        > START 15
        < OK
    """)
    return host


@pytest.fixture
def inside(capped: CappedMaker) -> ProcessHost:
    """The adapter in this process with an empty 15x15 board; every search ends after 50 nodes."""
    host = capped(GomocupProtocol)
    host.play("""
        > START 15
        < OK
    """)
    return host


def answer(host: Host, *lines: str) -> str:
    """The very next line."""
    if lines:
        host.send(*lines)
    line = host.line()
    assert line is not None, host.told()
    return line


def told_and_answer(host: Host, *lines: str) -> tuple[list[str], str]:
    """The MESSAGE lines that come next, and the answer after them."""
    messages = []
    line = answer(host, *lines)
    while line.startswith("MESSAGE "):
        messages.append(line)
        line = answer(host)
    return messages, line


def moves(line: str) -> list[tuple[int, int]]:
    """The points that an answer names; fails on anything else."""
    points = [tuple(map(int, point.split(","))) for point in line.split(" ")]
    assert line == " ".join(f"{x},{y}" for x, y in points)
    return [(x, y) for x, y in points]


def move(line: str) -> tuple[int, int]:
    """The one point that an answer names; fails on anything else."""
    [point] = moves(line)
    return point


THREE = ["7,7", "8,8", "6,8"]
"""Stones to answer in Swap2."""


def block(*fields: str, word: str = "BOARD") -> list[str]:
    return [word, *fields, "DONE"]


def silent(host: Host, *lines: str) -> None:
    """Send lines that have no answer."""
    assert answer(host, *lines, "ABOUT") == ABOUT, host.told()


# The mandatory commands


def test_a_game_as_the_protocol_describes_it(gomocup: ProgramHost) -> None:
    first, second = gomocup.play("""
        > BEGIN
        < #,#
        > TURN 0,0
        < #,#
    """)
    assert len({move(first), move(second), (0, 0)}) == 3
    gomocup.send("END")
    gomocup.over()


def test_about_needs_no_game(start: HostMaker) -> None:
    assert answer(start(), "ABOUT") == ABOUT


@pytest.mark.parametrize("size", [5, 6, 15, 19, 20, 22])
def test_every_size_is_played(inside: ProcessHost, size: int) -> None:
    for line, width, height in (
        (f"START {size}", size, size),
        (f"RECTSTART {size},5", size, 5),
        (f"rectstart 22 , {size}", 22, size),
    ):
        assert answer(inside, line) == "OK"
        x, y = move(answer(inside, "BEGIN"))
        assert x < width and y < height
        for off in (f"{width},0", f"0,{height}"):
            assert answer(inside, f"TURN {off}") == (
                f"ERROR TURN: {off} is not on the {width}x{height} board; nothing has changed"
            )


@pytest.mark.parametrize(
    "line",
    [
        "START 4",
        "START 23",
        "START",
        "START x",
        "START -15",
        "START 15 16",
        "START 15 15 15",
        "START 1e1",
        "START " + "9" * 5000,
        "RECTSTART 15",
        "RECTSTART 4,15",
        "RECTSTART 15,23",
        "RECTSTART 15,15,15",
    ],
)
def test_sizes_that_are_refused(inside: ProcessHost, line: str) -> None:
    move(answer(inside, "TURN 3,3"))
    assert answer(inside, line).startswith(f"ERROR {line.split()[0]}: expected ")
    assert "3,3 is taken" in answer(inside, "TURN 3,3")


@pytest.mark.parametrize(
    "lines",
    [
        ["BEGIN"],
        ["TURN 1,1"],
        ["RESTART"],
        ["TAKEBACK 1,1"],
        ["PLAY 1,1"],
        ["YXNBEST 2"],
        ["YXSHOWFORBID"],
        block("1,1,1"),
        block("1,1,1", word="YXBOARD"),
        block(word="SWAP2BOARD"),
    ],
)
def test_commands_before_start(capped: CappedMaker, lines: list[str]) -> None:
    host = capped(GomocupProtocol)
    word = lines[0].split()[0]
    assert answer(host, *lines) == f"ERROR {word}: there is no board yet, expected START first; nothing has changed"
    assert answer(host, "START 15") == "OK"


@pytest.mark.parametrize(
    "point", ["", "7", "7,", "7;7", "7,7,7", "a,b", "-1,7", "7,15", "15,7", "9" * 99 + ",7", "七,七"]
)
@pytest.mark.parametrize("word", ["TURN", "PLAY", "TAKEBACK"])
def test_malformed_points(inside: ProcessHost, word: str, point: str) -> None:
    assert answer(inside, f"{word} {point}").startswith(f"ERROR {word}: ")
    move(answer(inside, "BEGIN"))


def test_a_point_that_is_taken(inside: ProcessHost) -> None:
    move(answer(inside, "TURN 7,7"))
    assert answer(inside, "TURN 7,7") == "ERROR TURN: 7,7 is taken; nothing has changed"
    move(answer(inside, "TURN 0 , 0"))


def test_begin_needs_an_empty_board(inside: ProcessHost) -> None:
    move(answer(inside, "TURN 7,7"))
    assert answer(inside, "BEGIN").startswith("ERROR BEGIN: the board is not empty")
    move(answer(inside, "TURN 0,0"))


@pytest.mark.parametrize("line", ["HELLO", "isready", "quit", "7,7", "7,7,1", "OK", "\x01", "五子棋", "x" * 10_000])
def test_unknown_lines(inside: ProcessHost, line: str) -> None:
    said = answer(inside, line)
    assert said.startswith("UNKNOWN ") and said.isascii() and len(said) < 500
    move(answer(inside, "BEGIN"))


def test_lines_in_any_case_with_any_ends(gomocup: ProgramHost) -> None:
    gomocup.write(b"begin\r\n\r\n  \r\nTuRn 0,14\r\n")
    gomocup.play("< #,#\n< #,#")
    gomocup.write(b"Board\r\n 7,7,2 \r\n\r\nDone\r\n")
    gomocup.play("< #,#")


# Common mistakes of implementations


NONSENSE = (
    "INFO",
    "INFO timeout_turn",
    "INFO timeout_turn abc",
    "INFO timeout_turn 1e3",
    "INFO max_memory -1",
    "INFO max_memory 1",
    "INFO rule 77",
    "INFO rule -1",
    "INFO rule 99999999999999999999999",
    "INFO thread_num 0",
    "INFO style wild",
    "INFO time_left x",
)
FOREIGN = (
    "INFO x",
    "INFO unknown key",
    "INFO evaluate 3,3",
    "INFO folder C:\\temp",
    "INFO game_type 2",
    "INFO caution_factor 3",
    "INFO strength 50",
    "INFO max_depth -1",
    "INFO max_node -1",
    "INFO time_left -5",
)


def test_info_is_never_answered(inside: ProcessHost) -> None:
    silent(inside, *FOREIGN)
    assert told_and_answer(inside, "BEGIN")[0] == []
    silent(inside, *NONSENSE)
    assert "timeout_turn" in told_and_answer(inside, "TURN 0,0")[0][0]
    assert told_and_answer(inside, "TURN 0,1")[0] == []  # it was reported once


def test_info_is_not_answered_while_thinking(gomocup: ProgramHost) -> None:
    gomocup.send(LONG, "BEGIN")
    silent(gomocup, *NONSENSE)
    move(answer(gomocup, "YXSTOP"))


def test_info_within_a_board(inside: ProcessHost) -> None:
    move(answer(inside, "BOARD", "1,1,1", "INFO rule 1", "2,2,2", "DONE"))


def test_board_clears_the_board(inside: ProcessHost) -> None:
    move(answer(inside, "TURN 3,3"))
    silent(inside, *block("0,0,2", word="YXBOARD"))
    move(answer(inside, "TURN 3,3"))
    played = answer(inside, *block("0,0,2"))
    move(played)
    assert "0,0 is taken" in answer(inside, "PLAY 0,0")
    assert played != "3,3"
    assert answer(inside, "PLAY 3,3") == "3,3"


def test_commands_sent_while_thinking_are_answered_in_order(gomocup: ProgramHost) -> None:
    gomocup.send("BEGIN", "TURN 0,0", "INFO timeout_turn 50", *block("0,0,2", "1,1,1", "2,2,2"), "YXSHOWFORBID")
    gomocup.play("""
        < #,#
        < #,#
        < #,#
        < FORBID .
    """)
    gomocup.send("RESTART", "BEGIN", "YXSHOWFORBID", "TURN 99,99", "TURN 0,0")
    gomocup.play("""
        < OK
        < #,#
        < FORBID .
        < ERROR TURN: 99,99 *
        < #,#
    """)


def test_each_line_of_a_search_is_one_message(gomocup: ProgramHost) -> None:
    silent(gomocup, *SHALLOW, "INFO show_detail 1")
    messages, answer = told_and_answer(gomocup, "TURN 7,7")
    move(answer)
    assert messages
    for line in messages:
        said = re.fullmatch(r"MESSAGE DEPTH \d+-\d+ EV [+-]?M?\d+ N \d+ N/MS \d+ TM \d+ PV (.+)", line)
        assert said is not None
        assert moves(said[1])
    silent(gomocup, "INFO show_detail 0")
    assert told_and_answer(gomocup, "TURN 0,0")[0] == []


# Black, who has moved last, would win by fours if White passed.
BLACK_THREATENS = ["7,4", "6,4", "7,5", "10,4", "4,5", "6,6", "7,8", "9,4", "5,4", "4,9", "4,4"]


def test_a_turn_is_searched_like_the_same_board(gomocup: ProgramHost) -> None:
    silent(gomocup, LONG, "INFO max_depth 4", "INFO show_detail 1")
    stones = [f"{point},{1 + number % 2}" for number, point in enumerate(BLACK_THREATENS, 1)]
    last = BLACK_THREATENS[-1]
    seen = []
    for lines in (block(*stones), [f"TURN {last}"]):
        assert answer(gomocup, "START 15", *block(*stones, word="YXBOARD"), f"TAKEBACK {last}") == "OK"
        assert answer(gomocup) == "OK"
        gomocup.send(*lines)
        messages, played = told_and_answer(gomocup)
        found = re.fullmatch(r"MESSAGE (DEPTH 4-.* N \d+) N/MS \d+ TM \d+ (PV .+)", messages[-1])
        assert found is not None
        seen.append((*found.groups(), move(played)))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("left", [-1, -(2**31), -(2**63), 0, 1, 2**31 - 1, 2**31, 2**63])
def test_any_time_left(inside: ProcessHost, left: int) -> None:
    silent(inside, "INFO timeout_turn 1000", "INFO timeout_match 100000", f"INFO time_left {left}")
    move(told_and_answer(inside, "BEGIN")[1])
    hard_ms = inside.engine.asked[-1].hard_ms
    assert hard_ms == 1 if left < 2 else 500 < hard_ms <= 950


class SilentEngine(Engine):
    """Never gives a result."""

    def ensure_table(self, on_ready: Callable[[], None] | None = None) -> bool:
        return True

    def go(self, *args: Any, **keywords: Any) -> None:
        pass


def test_a_search_that_is_dropped_is_charged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = 0
    monkeypatch.setattr("gomoku_protocol.move_finder.now_s", lambda: seconds)
    adapter = GomocupProtocol(LineChannel(io.BytesIO(), io.BytesIO()))
    monkeypatch.setattr(adapter.driver, "make_engine", SilentEngine)
    for line in ("INFO timeout_match 100000", "START 15", "YXNBEST 2"):
        adapter.command(line)
    seconds = 30
    assert not adapter.can_handle("START 20")
    adapter.handle_out_of_order("START 20")
    adapter.finder.abandon()
    expected = TurnClock()
    expected.set_match(70_000)
    assert adapter.settings.clock.limits(0, 0) == expected.limits(0, 0)


def test_a_match_limit_of_0_means_no_limit(inside: ProcessHost) -> None:
    silent(inside, "INFO timeout_turn 1000", "INFO timeout_match 0")
    move(answer(inside, "BEGIN"))
    assert 500 < inside.engine.asked[-1].soft_ms <= 950


def test_the_start_of_the_process_counts_for_the_first_move(capped: CappedMaker) -> None:
    host = capped(lambda channel: GomocupProtocol(channel, bill_start=True))
    assert answer(host, LONG, "START 15") == "OK"
    move(answer(host, "BEGIN"))
    move(answer(host, "TURN 0,0"))
    first, second = host.engine.asked
    assert first.hard_ms < second.hard_ms < 600_000


def test_the_first_move_does_not_pay_for_the_threads_that_fill_the_table(
    capped: CappedMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    processor_s = 0.1
    monkeypatch.setattr("gomoku_protocol.gomocup.time", SimpleNamespace(process_time=lambda: processor_s))
    host = capped(lambda channel: GomocupProtocol(channel, bill_start=True))
    assert answer(host, LONG, "START 15") == "OK"
    processor_s = 60.0
    move(answer(host, "BEGIN"))
    move(answer(host, "TURN 0,0"))
    first, second = host.engine.asked
    assert second.hard_ms - 30_000 < first.hard_ms < second.hard_ms


OVERLINE = [(4, 7), (5, 7), (6, 7), (8, 7), (9, 7)]
"""With 7,7 these are six."""
ELSEWHERE = [(0, 0), (14, 0), (0, 14), (14, 14), (0, 5)]


def fields(own: list[tuple[int, int]], other: list[tuple[int, int]]) -> list[str]:
    return [f"{x},{y},1" for x, y in own] + [f"{x},{y},2" for x, y in other]


def test_who_is_black_follows_from_the_counts(inside: ProcessHost) -> None:
    silent(inside, "INFO rule 4")
    for own, other, forbidden in (
        (OVERLINE, ELSEWHERE, "FORBID 0707."),
        (ELSEWHERE[1:], OVERLINE, "FORBID ."),  # White has nothing forbidden
        (ELSEWHERE, OVERLINE, "FORBID ."),
    ):
        lines = fields(own, other)
        for order in (lines, lines[::-1]):
            assert answer(inside, *block(*order, word="YXBOARD"), "YXSHOWFORBID") == forbidden


@pytest.mark.parametrize("own_first", [True, False])
@pytest.mark.parametrize("rule", [FREESTYLE, RENJU])
def test_with_one_more_own_stone_the_opponent_has_passed(inside: ProcessHost, rule: int, own_first: bool) -> None:
    silent(inside, f"INFO rule {rule}")
    lines = fields(OVERLINE, ELSEWHERE[:4])
    said = answer(inside, *block(*(lines if own_first else lines[::-1])))
    # The owner of the first stone is Black, and in renju Black may not make six.
    assert move(said) != (7, 7) if rule == RENJU and own_first else move(said) == (7, 7)
    if said != "7,7":
        move(answer(inside, "TURN 1,13"))
        assert "1,13 is taken" in answer(inside, "TURN 1,13")


@pytest.mark.parametrize(("own", "other"), [(0, 2), (2, 0), (3, 1), (1, 5)])
def test_impossible_numbers_of_stones(inside: ProcessHost, own: int, other: int) -> None:
    move(answer(inside, "TURN 7,7"))
    lines = block(*fields(OVERLINE[:own], ELSEWHERE[:other]))
    assert answer(inside, *lines).startswith(f"ERROR BOARD: {own} own stones and {other} of the opponent's, expected ")
    assert "7,7 is taken" in answer(inside, "TURN 7,7")
    # A 3 may mark a stone of a winning line that is out of play; then the numbers may differ more.
    move(answer(inside, *lines[:-1], "7,9,3", "DONE"))


def test_blocked_points_stay_empty(inside: ProcessHost) -> None:
    blocked = [f"{x},{y},3" for x in range(15) for y in range(15) if (x, y) not in {(2, 2), (12, 3)}]
    assert move(answer(inside, *block("2,2,2", *blocked))) == (12, 3)
    silent(inside, *block("7,7,3", word="YXBOARD"))
    assert answer(inside, "TURN 7,7") == "ERROR TURN: 7,7 is blocked; nothing has changed"


def test_a_blocked_point_is_only_a_mark_in_renju(inside: ProcessHost) -> None:
    silent(inside, "INFO rule 4")
    silent(inside, *block(*fields(OVERLINE, ELSEWHERE[:4]), "7,7,3", word="YXBOARD"))
    assert answer(inside, "PLAY 7,7") == "7,7"


@pytest.mark.parametrize(
    ("rule", "wins"), [(FREESTYLE, True), (STANDARD, False), (RENJU, False), (CARO, True), (CARO_EXACT, False)]
)
def test_six_in_a_row_by_the_rule(inside: ProcessHost, rule: int, wins: bool) -> None:
    silent(inside, f"INFO rule {rule}")
    silent(inside, *block(*fields(OVERLINE, ELSEWHERE), word="YXBOARD"))
    assert answer(inside, "PLAY 7,7") == "7,7"
    after = answer(inside, "TURN 1,3")
    if wins:
        assert after == "ERROR TURN: the game is over; nothing has changed"
    else:
        move(after)


def test_a_six_is_played_only_where_it_wins(gomocup: ProgramHost) -> None:
    assert answer(gomocup, "INFO rule 0", *block(*fields(OVERLINE, ELSEWHERE))) == "7,7"
    assert answer(gomocup, "INFO rule 1", *block(*fields(OVERLINE, ELSEWHERE))) != "7,7"


_WHAT_IS_LOADED_AT_OK = """
import sys
from search_core.line_protocol import LineChannel
send = LineChannel.send
def spy(channel, line):
    if line == "OK":
        print("gomoku_protocol.net" in sys.modules, file=sys.stderr)
    send(channel, line)
LineChannel.send = spy
sys.argv[1:] = ["gomocup"]
from sanqi.__main__ import main
main()
"""


def test_the_net_is_loaded_before_the_first_move_can_be_asked_for(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _WHAT_IS_LOADED_AT_OK], input="START 15\nEND\n", capture_output=True, text=True,
        cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert "OK" in run.stdout
    assert run.stderr == "True\n"


def test_a_lost_position_gets_a_legal_move(gomocup: ProgramHost) -> None:
    fours = [(3, 7), (4, 7), (5, 7), (6, 7)]
    assert move(answer(gomocup, *block(*fields(ELSEWHERE[:3], fours)))) not in fours + ELSEWHERE[:3]


def test_the_last_point_and_a_full_board(inside: ProcessHost) -> None:
    black = [(x, y) for x in range(5) for y in range(5) if (x + 2 * y) % 4 < 2]
    white = [(x, y) for x in range(5) for y in range(5) if (x + 2 * y) % 4 >= 2]
    assert answer(inside, "START 5") == "OK"
    assert move(answer(inside, *block(*fields(black[1:], white)))) == black[0]
    full = block(*fields(white, black))
    assert answer(inside, *full) == "ERROR BOARD: the board is full; nothing has changed"
    assert answer(inside, f"TAKEBACK {black[1][0]},{black[1][1]}") == "OK"
    silent(inside, *block(*fields(white, black[1:]), word="YXBOARD"))
    last = f"TURN {black[0][0]},{black[0][1]}"
    assert answer(inside, last) == "ERROR TURN: the board is full then; nothing has changed"


def test_a_board_whose_game_is_over_still_gets_a_move(inside: ProcessHost) -> None:
    five = [(x, 2) for x in range(5)]
    assert move(answer(inside, *block(*fields(five, ELSEWHERE)))) not in five + ELSEWHERE
    assert move(answer(inside, "INFO level weights", *block(*fields(five, ELSEWHERE)))) not in five + ELSEWHERE


def test_the_move_that_ends_the_game_is_answered_and_later_moves_are_refused(inside: ProcessHost) -> None:
    four = [(x, 14) for x in range(3, 7)]
    silent(inside, *block(*fields(OVERLINE, four), word="YXBOARD"))
    move(answer(inside, "TURN 7,14"))
    assert answer(inside, "TURN 0,3") == "ERROR TURN: the game is over; nothing has changed"
    assert answer(inside, "PLAY 0,3") == "ERROR PLAY: the game is over; nothing has changed"
    assert answer(inside, "RESTART") == "OK"
    move(answer(inside, "TURN 0,3"))


def test_a_forbidden_move_of_the_opponent_is_accepted(inside: ProcessHost) -> None:
    silent(inside, "INFO rule 4", *block(*fields(OVERLINE, ELSEWHERE), word="YXBOARD"))
    move(answer(inside, "TURN 7,7"))
    move(answer(inside, "TURN 11,11"))


@pytest.mark.parametrize("word", ["START 15", "RECTSTART 15,15", "RESTART"])
def test_a_new_game_ends_the_search_of_the_old_one_without_its_move(gomocup: ProgramHost, word: str) -> None:
    gomocup.send(LONG, "BEGIN", "TURN 0,0", word, "ABOUT", "BEGIN")
    gomocup.play(f"""
        < OK
        < {ABOUT}
    """)
    silent(gomocup)
    move(answer(gomocup, "YXSTOP"))
    silent(gomocup)


@pytest.mark.parametrize("word", ["START 15", "RECTSTART 15,15", "RESTART"])
def test_a_new_game_has_its_table_when_it_is_answered(inside: ProcessHost, word: str) -> None:
    """Its size is what the limits so far allow. See test_table_fill.py for when OK comes."""
    move(answer(inside, "BEGIN"))
    assert set(inside.engine.prepared) == {DEFAULT_HASH_MB}
    assert answer(inside, "INFO max_memory 104857600", word) == "OK"
    assert inside.engine.prepared[-1] == 100 * 3 // 4 - 48


@pytest.mark.parametrize(
    "before",
    [[], ["BEGIN"], ["BEGIN", "TURN 0,0", *block("1,1,1")], ["BOARD", "1,1,1"], block(*THREE, word="SWAP2BOARD")],
)
def test_end_is_silent_and_at_once(gomocup: ProgramHost, before: list[str]) -> None:
    gomocup.send(LONG, *before, "END")
    gomocup.over()


def test_the_end_of_the_input_ends_the_program_while_thinking(gomocup: ProgramHost) -> None:
    gomocup.send(LONG, "BEGIN")
    gomocup.end_input()
    while gomocup.line() is not None:
        pass
    assert gomocup.exit_status() == 0


# Boards that are refused


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["1,1"], "line 1: expected x,y,field, got '1,1'"),
        (["1,1,1", "x"], "line 2: expected x,y,field, got 'x'"),
        (["1,1,2", "hello there"], "line 2: expected x,y,field, got 'hello there'"),
        (["1,1,0"], "line 1: 1,1 has field 0, expected 1, 2 or 3"),
        (["1,1,4"], "line 1: 1,1 has field 4, expected 1, 2 or 3"),
        (["15,1,2"], "line 1: 15,1 is not on the 15x15 board"),
        (["-1,1,2"], "line 1: expected x,y,field, got '-1,1,2'"),
        (["1,1,1", "1,1,2"], "line 2: 1,1 is listed twice"),
        (["1,1,1"] * 1000, "line 2: 1,1 is listed twice"),
    ],
)
def test_a_malformed_board_is_refused_once_and_whole(inside: ProcessHost, lines: list[str], fault: str) -> None:
    move(answer(inside, "TURN 7,7"))
    for word in ("BOARD", "YXBOARD"):
        assert answer(inside, *block(*lines, word=word)) == f"ERROR {word}: {fault}; nothing has changed"
    assert "7,7 is taken" in answer(inside, "TURN 7,7")
    move(answer(inside, "TURN 0,0"))


@pytest.mark.parametrize("next_line", ["TURN 0,0", "BEGIN", "START 15", "BOARD", "ABOUT", "YXSTOP"])
def test_a_board_without_done_ends_with_the_next_command(inside: ProcessHost, next_line: str) -> None:
    said = answer(inside, "BOARD", "1,1,1", "2,2,2", next_line, *(["5,5,2", "DONE"] if next_line == "BOARD" else []))
    assert said == f"ERROR BOARD: no DONE before {next_line.split()[0]}; nothing has changed"
    if next_line == "YXSTOP":
        silent(inside)
    else:
        answer(inside)
    silent(inside)


def test_done_without_a_board(inside: ProcessHost) -> None:
    assert answer(inside, "DONE").startswith("ERROR DONE: expected BOARD")


# The optional commands


def test_takeback(inside: ProcessHost) -> None:
    x, y = move(answer(inside, "TURN 7,7"))
    assert "has no stone" in answer(inside, "TAKEBACK 3,12")
    assert answer(inside, f"TAKEBACK {x},{y}") == "OK"
    assert answer(inside, "TAKEBACK 7,7") == "OK"
    move(answer(inside, "BEGIN"))


@pytest.mark.parametrize(
    "thinking",
    [["TURN 7,7"], block("7,7,2"), ["PLAY 7,7", "YXNBEST 3"], ["PLAY 7,7", *block(*THREE, word="SWAP2BOARD")]],
)
def test_takeback_ends_a_search_without_its_move(gomocup: ProgramHost, thinking: list[str]) -> None:
    """The move would be read as the answer to TAKEBACK."""
    silent(gomocup, LONG)
    gomocup.send(*thinking)
    if thinking[0] == "PLAY 7,7":
        gomocup.play("< 7,7")
    gomocup.send("TAKEBACK 7,7", "TAKEBACK 7,7")
    assert told_and_answer(gomocup)[1] == "OK"
    assert "7,7 has no stone" in answer(gomocup)
    gomocup.send("BEGIN", "YXSTOP")
    gomocup.play("< #,#")


def test_play(inside: ProcessHost) -> None:
    assert answer(inside, "PLAY 3,12") == "3,12"
    assert answer(inside, "PLAY 3,12") == "ERROR PLAY: 3,12 is taken; nothing has changed"


@pytest.mark.parametrize("size", [5, 6, 15, 20])
def test_three_stones_to_choose_a_colour_of(inside: ProcessHost, size: int) -> None:
    assert answer(inside, f"START {size}") == "OK"
    said = moves(answer(inside, *block(word="SWAP2BOARD")))
    assert len(set(said)) == 3 and all(0 <= x < size and 0 <= y < size for x, y in said)
    move(answer(inside, *block(*fields([said[1]], [said[0], said[2]]))))  # the board was not touched


@pytest.mark.parametrize("size", [15, 19])  # stored openings, and searched ones
def test_proposals_differ_between_processes_unless_a_seed_is_set(capped: CappedMaker, size: int) -> None:
    def openings(*settings: str) -> list[str]:
        host = capped(GomocupProtocol)
        assert answer(host, LONG, *settings, f"START {size}") == "OK"
        return [answer(host, *block(word="SWAP2BOARD")) for _ in range(2)]

    first, second = openings(), openings()
    assert first != second and first[0] != first[1]
    assert openings("INFO seed 7") == openings("INFO seed 7") != openings("INFO seed 8")
    assert openings("INFO seed 7", "INFO seed 0") != openings("INFO seed 7")


@pytest.mark.parametrize("count", [0, 3, 5])
def test_the_searches_of_an_opening_together_stay_within_the_turn(inside: ProcessHost, count: int) -> None:
    stones = [*THREE, "9,6", "8,6"][:count]
    assert answer(inside, "START 19") == "OK"  # has no stored openings
    silent(inside, "INFO timeout_turn 1000")
    answer(inside, *block(*stones, word="SWAP2BOARD"))
    # 30 ms and 2 % are kept back. No search may take longer than the time that is left.
    assert max(limits.hard_ms for limits in inside.engine.asked) <= 950
    # With a match limit, a turn gets at most 1/32 of it.
    silent(inside, "INFO timeout_match 10000")
    inside.engine.asked.clear()
    answer(inside, *block(*stones, word="SWAP2BOARD"))
    assert max(limits.hard_ms for limits in inside.engine.asked) <= 10_000 // 32


def test_the_colour_of_three_stones(inside: ProcessHost) -> None:
    said = answer(inside, *block(*THREE, word="SWAP2BOARD"))
    if said != "SWAP":
        points = moves(said)
        assert len({*points, (7, 7), (8, 8), (6, 8)}) == len(points) + 3 and len(points) in (1, 2)


@pytest.mark.parametrize("count", [3, 5])
def test_the_better_colour_is_taken(inside: ProcessHost, count: int) -> None:
    for_black = ["7,7", "0,0", "8,8", "14,0", "9,7"]
    for_white = ["0,0", "7,7", "14,14", "8,7", "14,0"]
    assert answer(inside, *block(*for_black[:count], word="SWAP2BOARD")) == "SWAP"
    assert answer(inside, *block(*for_white[:count], word="SWAP2BOARD")) != "SWAP"


@pytest.mark.parametrize(
    "lines",
    [
        ["1,1"],
        THREE[:2],
        [*THREE, "1,1"],
        [*THREE, "1,1", "2,2", "3,3"],
        ["1,1,1", "2,2,2", "3,3,1"],
        ["1,1", "1,1", "2,2"],
        ["1,1", "2,2", "15,0"],
        ["x"],
    ],
)
def test_openings_that_are_refused(inside: ProcessHost, lines: list[str]) -> None:
    assert answer(inside, *block(*lines, word="SWAP2BOARD")).startswith("ERROR SWAP2BOARD: ")
    move(answer(inside, "BEGIN"))


def test_an_opening_is_found_within_the_turn_and_can_be_stopped(gomocup: ProgramHost) -> None:
    assert answer(gomocup, "START 19") == "OK"
    assert len(moves(answer(gomocup, *block(word="SWAP2BOARD")))) == 3
    gomocup.send(LONG, *block(word="SWAP2BOARD"))
    silent(gomocup)
    assert len(moves(answer(gomocup, "YXSTOP"))) == 3


# The words of Yixin


def test_yixin_board_stop_and_hash_clear_have_no_answer(inside: ProcessHost) -> None:
    silent(inside, *block("7,7,1", "8,8,2", word="YXBOARD"), "YXSTOP", "YXHASHCLEAR")
    assert "8,8 is taken" in answer(inside, "TURN 8,8")


def test_the_best_lines(gomocup: ProgramHost) -> None:
    messages, said = told_and_answer(gomocup, *SHALLOW, *block("7,7,2", word="YXBOARD"), "YXNBEST 3")
    move(said)
    assert {line.split(" MULTIPV ")[1].split()[0] for line in messages} == {"1", "2", "3"}
    for bad in ("YXNBEST", "YXNBEST 0", "YXNBEST x", "YXNBEST 129"):
        assert answer(gomocup, bad).startswith("ERROR YXNBEST: expected a number from 1 to 128")


def test_blocked_points_are_not_played(inside: ProcessHost) -> None:
    silent(inside, *block("7,7", word="YXBLOCK"))
    for level in ("full", "weights"):
        assert answer(inside, f"INFO level {level}", *block(*fields(OVERLINE, ELSEWHERE))) != "7,7"
    silent(inside, "INFO level full", *block("0,1", "7,7", word="YXBLOCKUNDO"))
    assert answer(inside, *block(*fields(OVERLINE, ELSEWHERE))) == "7,7"
    silent(inside, *block("7,7", word="YXBLOCK"), "YXBLOCKRESET")
    assert answer(inside, *block(*fields(OVERLINE, ELSEWHERE))) == "7,7"


def test_a_move_is_played_when_all_are_blocked(inside: ProcessHost) -> None:
    silent(inside, *block(*(f"{x},{y}" for x in range(15) for y in range(15)), word="YXBLOCK"))
    assert answer(inside, *block(*fields(OVERLINE, ELSEWHERE))) == "7,7"
    # When all points near a stone are blocked, it plays another one.
    silent(inside, *block("14,14", word="YXBLOCKUNDO"))
    assert answer(inside, *block("7,7,2")) == "14,14"


def test_far_moves_are_searched_when_the_near_ones_are_blocked(gomocup: ProgramHost) -> None:
    near = [f"{x},{y}" for x in range(5, 10) for y in range(5, 10)]
    silent(gomocup, *SHALLOW, *block("7,7,2", word="YXBOARD"), *block(*near, word="YXBLOCK"))
    messages, said = told_and_answer(gomocup, "YXNBEST 3")
    assert len({line.split(" PV ")[1].split()[0] for line in messages}) >= 3
    assert said not in near


@pytest.mark.parametrize("word", ["YXBLOCK", "YXBLOCKUNDO"])
def test_a_malformed_block_is_refused_whole(inside: ProcessHost, word: str) -> None:
    for bad, fault in (("15,1", "15,1 is not on the 15x15 board"), ("x", "expected x,y, got 'x'")):
        assert answer(inside, *block("7,7", bad, word=word)) == f"ERROR {word}: line 2: {fault}; nothing has changed"
    assert answer(inside, *block(*fields(OVERLINE, ELSEWHERE))) == "7,7"


@pytest.mark.parametrize("rule", [FREESTYLE, RENJU])
@pytest.mark.parametrize("bias", ["", " 0", " 50", " -50"])
def test_balanced_moves(inside: ProcessHost, rule: int, bias: str) -> None:
    silent(inside, f"INFO rule {rule}")
    three = [(5, 7), (6, 7), (7, 7)]
    for lines in ([], fields(OVERLINE[:2], ELSEWHERE[:2]), fields(three, ELSEWHERE[:3])):
        for word, count in (("YXBALANCEONE", 1), ("YXBALANCETWO", 2)):
            silent(inside, *block(*lines, word="YXBOARD"))
            points = moves(answer(inside, word + bias))
            assert len(set(points)) == count
            if count == 1 and len(lines) == 6:  # of the pairs, often all win
                assert points[0] not in [(4, 7), (8, 7)]  # which win
            for x, y in points:
                assert f"{x},{y} is taken" in answer(inside, f"PLAY {x},{y}")
            x, y = next(point for point in [(1, 13), (13, 1), (1, 1)] if point not in points)
            move(answer(inside, f"TURN {x},{y}"))


@pytest.mark.parametrize("word", ["YXBALANCEONE", "YXBALANCETWO"])
def test_balance_commands_that_are_refused(inside: ProcessHost, word: str) -> None:
    for bad in ("x", "1.5", "--1", "999999", "1 2"):
        assert answer(inside, f"{word} {bad}") == f"ERROR {word}: expected centipawns, got '{bad}'; nothing has changed"
    silent(inside, *block(*fields([(x, 7) for x in range(5)], ELSEWHERE), word="YXBOARD"))
    assert answer(inside, word) == f"ERROR {word}: the game is over; nothing has changed"
    silent(inside, *block("7,7,3", "2,2,1", "3,3,2", word="YXBOARD"), *block("5,5", word="YXBLOCK"))
    assert (5, 5) not in moves(answer(inside, word))


def test_a_balanced_move_may_be_far_from_the_stones(gomocup: ProgramHost) -> None:
    silent(gomocup, "INFO timeout_turn 1000", *block(word="YXBOARD"))
    assert answer(gomocup, "YXBALANCEONE 0") != "7,7"  # which is good for Black


def test_the_search_for_balanced_moves_ends_at_yxstop(gomocup: ProgramHost) -> None:
    for word, count in (("YXBALANCEONE", 1), ("YXBALANCETWO 20", 2)):
        silent(gomocup, LONG, *block("7,7,2", word="YXBOARD"))
        gomocup.send(word)
        silent(gomocup)
        assert len(moves(answer(gomocup, "YXSTOP"))) == count


def test_yixin_board_gets_the_move_of_a_search_that_it_takes_back(gomocup: ProgramHost) -> None:
    """Its person took a move back while the engine thought: it passes over the next move that comes."""
    gomocup.send("YXSHOWINFO")
    gomocup.until("MESSAGE INFO MAX_HASH_SIZE *")
    silent(gomocup, LONG, *block(word="YXBOARD"))
    gomocup.send("TURN 7,7", "START 15 15", *block(word="YXBOARD"), "YXSHOWFORBID", "YXSTOP")
    assert move(answer(gomocup)) != (7, 7)
    assert answer(gomocup) == "OK"
    assert answer(gomocup) == "FORBID ."
    assert move(answer(gomocup, "TURN 0,0", "YXSTOP")) != (0, 0)


def test_yxsearchdefend_shows_every_defence(gomocup: ProgramHost) -> None:
    silent(gomocup, *SHALLOW, *block(*fields(OVERLINE[:3], ELSEWHERE[:3]), word="YXBOARD"))
    messages, said = told_and_answer(gomocup, "YXSEARCHDEFEND")
    point = move(said)
    shown = {line.split(" PV ")[1].split()[0] for line in messages}
    assert said in shown and len(shown) > 20
    assert f"{point[0]},{point[1]} is taken" in answer(gomocup, f"TURN {said}")


def test_commands_of_rapfi_s_database(inside: ProcessHost) -> None:
    move(answer(inside, "TURN 7,7"))
    for word in ("YXQUERYDATABASEONE", "YXDELETEDATABASEALL", "YXEDITTVDDATABASE 1 2 3 4"):
        assert told_and_answer(inside, *block("7,7", "8,8", word=word), "ABOUT")[0] == ["MESSAGE there is no database"]
    silent(inside, "STOP")
    assert "7,7 is taken" in answer(inside, "TURN 7,7")


def test_stop_in_rapfi_s_form(gomocup: ProgramHost) -> None:
    gomocup.send(LONG, "BEGIN")
    silent(gomocup)
    move(answer(gomocup, "STOP"))


def test_a_square_board_in_yixin_board_s_form(inside: ProcessHost) -> None:
    assert answer(inside, "START 17 17") == "OK"
    assert "17,0 is not on the 17x17 board" in answer(inside, "TURN 17,0")


def test_options_for_user_interfaces(inside: ProcessHost) -> None:
    assert told_and_answer(inside, "YXSHOWINFO", "ABOUT") == (
        [f"MESSAGE sanqi {__version__}", "MESSAGE INFO MAX_THREAD_NUM 1024", "MESSAGE INFO MAX_HASH_SIZE 28"],
        ABOUT,
    )
    silent(inside, "INFO max_depth 3", "INFO max_node 40")
    move(answer(inside, "BEGIN"))
    assert (inside.engine.asked[-1].depth, inside.engine.asked[-1].nodes) == (3, 40)


def test_scores() -> None:
    assert [score_text(score) for score in (35, -35, 0, 31995, -31996)] == ["35", "-35", "0", "+M5", "-M4"]


# Settings


def settings(*lines: str) -> GomokuSettings:
    made = GomokuSettings(changed=lambda: None)
    for line in lines:
        made.set(line)
    return made


@pytest.mark.parametrize(
    ("lines", "rule"),
    [
        ([], FREESTYLE),
        (["rule 0"], FREESTYLE),
        (["rule 1"], STANDARD),
        (["rule 2"], FREESTYLE),
        (["rule 3"], STANDARD),
        (["rule 4"], RENJU),
        (["rule 8"], CARO),
        (["rule 9"], CARO_EXACT),
        (["rule 10"], CARO),
        (["rule 1", "rule 16"], STANDARD),
        (["RULE 4", "rule"], RENJU),
        (["rule 2", "thread_num 1"], RENJU),
        (["rule 3", "thread_num 1"], STANDARD),
    ],
)
def test_rules(lines: list[str], rule: int) -> None:
    assert settings(*lines).rule == rule


@pytest.mark.parametrize("memory", [10**6, 50 * 10**6, 100 * 10**6, 350 * 10**6, 350 << 20, (1 << 31) - 1, 1 << 40])
@pytest.mark.parametrize("asked", [0, 1 << 10, 1 << 20])
def test_the_hash_table_leaves_room_below_the_memory_limit(memory: int, asked: int) -> None:
    hash_mb = settings(f"max_memory {memory}", f"hash_size {asked}").hash_mb
    assert hash_mb == 1 or (hash_mb + 40) * 1.2 < memory / (1 << 20)
    if memory == 350 << 20:
        assert hash_mb == (1 if asked == 1 << 10 else 214)


def test_the_hash_table_without_a_memory_limit() -> None:
    assert settings().hash_mb == settings("max_memory 350000000", "max_memory 0").hash_mb == DEFAULT_HASH_MB
    assert settings("hash_size 131072").hash_mb == 128


def test_an_impossible_limit_is_reported_at_the_next_move_and_the_game_goes_on(inside: ProcessHost) -> None:
    silent(inside, "INFO max_memory 1000000")
    messages, said = told_and_answer(inside, "BEGIN")
    assert messages == ["MESSAGE max_memory: the program needs 48 MB, more than '1000000' bytes; going on"]
    move(said)


@pytest.mark.parametrize("style", STYLES)
def test_every_style_plays(inside: ProcessHost, style: str) -> None:
    silent(inside, f"INFO style {style}")
    move(answer(inside, "TURN 7,7"))


def test_the_weights_play_without_a_search(inside: ProcessHost) -> None:
    silent(inside, "INFO level weights")
    assert answer(inside, *block(*fields([(3, 3), (4, 3), (5, 3), (6, 3)], ELSEWHERE[:4]))) in ("2,3", "7,3")
    assert inside.engine.asked == []


# Detection


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("START 15", "OK"),
        ("start 20", "OK"),
        ("RectStart 15,20", "OK"),
        ("START 99", "ERROR *"),
        ("ABOUT", ABOUT),
        ("RESTART", "ERROR *"),
        ("BEGIN", "ERROR *"),
        ("TURN 7,7", "ERROR *"),
        ("YXSHOWINFO", "MESSAGE *"),
        ("yxunheard", "UNKNOWN *"),
        ("BOARD\nDONE", "ERROR *"),
        ("SWAP2BOARD\nDONE", "ERROR *"),
        ("INFO max_memory 350000000\nSTART 15", "OK"),
        ("TAKEBACK 1,1", "ERROR *"),
        ("PLAY 1,1", "ERROR *"),
    ],
)
def test_the_first_line_decides_the_protocol(start: HostMaker, first: str, said: str) -> None:
    host = start()
    host.send(*first.split("\n"))
    host.play(f"< {said}")
    host.send("END")
    while host.line() is not None:
        pass
    assert host.exit_status() == 0


def test_end_before_any_protocol(start: HostMaker) -> None:
    host = start()
    host.send("END")
    host.over()


@pytest.mark.parametrize(
    ("path", "protocol"),
    [("/opt/pbrain-sanqi64", "gomocup"), ("PBRAIN-SANQI.EXE", "gomocup"), ("/opt/pbrain-x/sanqi", None), ("", None)],
)
def test_the_name_of_the_program_decides_the_protocol(path: str, protocol: str | None) -> None:
    found = protocol_of_program(path)
    assert (found and found.name) == protocol


def test_a_brain_takes_any_first_line_for_gomocup(tmp_path: Path) -> None:
    brain = tmp_path / "pbrain-sanqi.py"
    brain.write_text("from sanqi.__main__ import main\nmain()\n", encoding="utf-8")
    told = subprocess.run(
        [sys.executable, str(brain)], input="uci\nEND\n", capture_output=True, text=True, timeout=60, check=True
    )
    assert told.stdout == "UNKNOWN 'uci'\n" and told.stderr == ""


def test_style_and_level_on_the_command_line(start: HostMaker) -> None:
    host = start("gomocup", "--style", "aggressive", "--level", "weights")
    assert answer(host, "START 15") == "OK"
    move(answer(host, "BEGIN"))


# During a search


def test_a_limit_that_comes_during_a_search_holds_for_it(gomocup: ProgramHost) -> None:
    """Piskvork sends 0 when its person wants the move now."""
    for limits in (
        ["INFO timeout_turn 0"],
        ["INFO timeout_turn 100"],
        ["INFO timeout_turn 600000", "INFO time_left 50"],
    ):
        silent(gomocup, LONG, "INFO time_left 2147483647")
        gomocup.send("YXNBEST 1")
        silent(gomocup)
        move(answer(gomocup, *limits))


def test_a_question_to_the_database_does_not_wait(gomocup: ProgramHost) -> None:
    """Yixin-Board asks it after each move of its person, and then may give up."""
    silent(gomocup, LONG, *block("7,7,2", word="YXBOARD"))
    gomocup.send("YXNBEST 1", *block("7,7", word="YXQUERYDATABASEALL"))
    assert gomocup.until("MESSAGE DATABASE DONE")
    assert answer(gomocup, "YXRESIGN") == "MESSAGE the game is over: you have resigned"
    silent(gomocup)


@pytest.mark.parametrize("line", ["START 30", "RECTSTART 4,99", "TAKEBACK 0,0", "TAKEBACK x"])
def test_a_command_that_is_refused_during_a_search_leaves_it(gomocup: ProgramHost, line: str) -> None:
    silent(gomocup, LONG, *block("7,7,2", word="YXBOARD"))
    gomocup.send("YXNBEST 1")
    assert answer(gomocup, line).startswith(f"ERROR {line.split()[0]}: ")
    move(answer(gomocup, "STOP"))
