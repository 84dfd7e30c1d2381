"""UCI as it goes over the wire, the Cyclone dialect and the extras included."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from search_core.uci_words import score_text
from ucci_engine.points import START_FEN, move_text
from ucci_engine.position import Position
from ucci_engine.uci import UciProtocol, win_draw_loss

if TYPE_CHECKING:
    from search_core.engine import Engine
    from tests.protocol.conftest import CappedMaker, HostMaker, ProcessHost, ProgramHost

MATED = "3k5/3R5/3R5/9/9/9/9/9/9/4K4 b - - 0 1"
MATE_IN_ONE = "3k5/9/R8/1R7/9/9/9/9/9/4K4 w - - 0 1"
MATING_MOVES = ("a7d7", "b6d6")
LOST = "4k4/9/9/9/9/9/9/9/R8/3K5 b - - 0 1"


@pytest.fixture
def inside(capped: CappedMaker) -> ProcessHost:
    """The adapter in this process, past its handshake; every search ends after 50 nodes."""
    host = capped(UciProtocol)
    host.send("uci")
    host.until("uciok")
    return host


def fields(line: str) -> dict[str, str]:
    """An info line as its words, each with the one after it."""
    words = line.split()
    return dict(itertools.pairwise(words))


# The handshake


def test_handshake(start: HostMaker) -> None:
    lines = start().play("""
        > uci
        < id name sanqi *
        < id author *
        < option name Hash type spin default 64 min 1 max 1048576
        < option name Threads type spin default 1 min 1 max 1024
        < option name Clear Hash type button
        < option name MultiPV type spin default 1 min 1 max 128
        < option name Ponder type check default false
        < option name Move Overhead type spin default 10 min 0 max 10000
        < option name UCI_Variant type combo default xiangqi var xiangqi
        < option name Ranks type combo default 0-9 var 0-9 var 1-10
        < option name UCI_ShowWDL type check default false
        < option name Style type combo default normal var solid var normal var risky
        < option name Randomness type combo default none var none var tiny var small var medium var large var huge
        < option name Seed type spin default 0 min 0 max 2147483647
        < option name Debug Log File type string default <empty>
        < option name SyzygyPath type string default <empty>
        < uciok
        > isready
        < readyok
    """)
    for line in lines:
        if line.startswith("option name "):
            name = line[len("option name ") : line.index(" type ")]
            assert not {"name", "type", "default"} & set(name.lower().split())
            assert not line.endswith("default")


def test_every_command_works_without_a_handshake(start: HostMaker) -> None:
    host = start("uci")
    host.play("""
        > isready
        < readyok
        > position startpos
        > go depth 2
        ~ bestmove *
        > quit
    """)
    host.over()


def test_info_lines_have_all_that_guis_need(uci: ProgramHost) -> None:
    uci.play("""
        > position startpos moves h2e2
        > go depth 4
        ~ info depth 4 seldepth * multipv 1 score cp * nodes * nps * hashfull * time * pv *
        ~ bestmove *
    """)
    best = uci.transcript[-1].split()[1:]
    assert len(best[1]) == 4
    assert best[2:3] in ([], ["ponder"])
    pv = [line for line in uci.transcript if " pv " in line][-1].split(" pv ")[1].split()
    assert best[1] == pv[0]


# Searching


def test_limits(inside: ProcessHost) -> None:
    inside.play("""
        > position startpos
        > go movetime 1000
        ~ bestmove *
        > go nodes 20
        ~ bestmove *
        > go depth 3
        ~ bestmove *
        > go mate 2 depth 5
        ~ bestmove *
        > go wtime 60000 btime 1000 winc 500 binc 0 movestogo 10
        ~ bestmove *
        > position startpos moves h2e2
        > go wtime 60000 btime 1000 winc 500 binc 0 movestogo 10
        ~ bestmove *
    """)
    movetime, nodes, depth, mate, red, black = inside.engine.asked
    assert movetime.hard_ms == 990
    assert nodes.nodes == 20
    assert depth.depth == 3
    assert (mate.mate, mate.depth) == (2, 5)
    assert black.hard_ms < 1000 < red.hard_ms


def test_searchmoves(uci: ProgramHost) -> None:
    uci.play("""
        > position startpos
        > go depth 3 searchmoves a0a1 i0i1
        ~ bestmove ?0?1*
        > go searchmoves a3a4 depth 2
        ~ bestmove a3a4*
        > go searchmoves a0a9 xyz a3a4 depth 2
        < info string go: *
        ~ bestmove a3a4*
        > go searchmoves a0a9 depth 2
        < info string go: searchmoves: a move is not legal here, ignored; searchmoves: none is left, searching all moves
        ~ bestmove *
    """)


def test_multipv(uci: ProgramHost) -> None:
    uci.play("""
        > setoption name MultiPV value 3
        > position startpos
        > go depth 3
        ~ bestmove *
    """)
    last = [fields(line) for line in uci.transcript if line.startswith("< info depth 3 ")][-3:]
    assert [line["multipv"] for line in last] == ["1", "2", "3"]
    assert len({line["pv"] for line in last}) == 3
    scores = [int(line["cp"]) for line in last]
    assert scores == sorted(scores, reverse=True)


def test_mates_are_counted_in_moves(uci: ProgramHost) -> None:
    matched = uci.play(f"""
        > position fen {MATE_IN_ONE}
        > go mate 1
        ~ info depth * score mate 1 *
        ~ bestmove *
        > position fen {MATED}
        > go depth 3
        ~ bestmove (none)
    """)
    assert matched[1].split()[1] in MATING_MOVES


def test_infinite_and_ponder_withhold_the_answer(uci: ProgramHost) -> None:
    uci.play(f"""
        > position fen {MATE_IN_ONE}
        > go infinite
        ~ info depth * score mate 1 *
        > isready
        ~ readyok
        > isready
        ~ readyok
        > stop
        ~ bestmove *
        > go ponder wtime 1000 btime 1000
        ~ info depth * score mate 1 *
        > isready
        ~ readyok
        > ponderhit
        ~ bestmove *
        > position fen {MATED}
        > go infinite
        > isready
        < readyok
        > stop
        < bestmove (none)
    """)


def test_stray_stop_and_ponderhit_are_silent(uci: ProgramHost) -> None:
    uci.play("""
        > stop
        > ponderhit
        > position startpos
        > stop
        > isready
        < readyok
        > go depth 1
        ~ bestmove *
        > stop
        > isready
        < readyok
    """)


def test_commands_wait_for_a_search_that_ends_by_itself(uci: ProgramHost) -> None:
    uci.send("position startpos", "go depth 4", f"position fen {MATE_IN_ONE}", "go depth 2", "isready")
    first, second = uci.until("bestmove *"), uci.until("bestmove *")
    assert "readyok" in first
    assert any(line.startswith("info depth 4 ") for line in first)
    assert second[-1].split()[1] in MATING_MOVES


@pytest.mark.parametrize("search", ["go infinite", "go ponder wtime 1000 btime 1000", "go"])
def test_commands_end_a_search_that_only_stop_would_end(uci: ProgramHost, search: str) -> None:
    uci.play(f"> position startpos\n> {search}\n~ info depth *")
    uci.send(f"position fen {MATE_IN_ONE}", "go depth 2")
    matched = uci.play("~ bestmove *\n~ bestmove *")
    assert matched[1].split()[1] in MATING_MOVES


def test_stop_is_obeyed_before_waiting_commands(uci: ProgramHost) -> None:
    uci.play("> position startpos\n> go depth 99 \n~ info depth *")
    uci.send("setoption name Clear Hash", "go depth 99", "stop")
    uci.play("~ bestmove *\n~ bestmove *\n> isready\n< readyok")


def test_quit_is_obeyed_before_waiting_commands(uci: ProgramHost) -> None:
    uci.play("> position startpos\n> go depth 99 \n~ info depth *")
    uci.send("setoption name Clear Hash", "go depth 99", "quit")
    uci.until("bestmove *")
    uci.over()


def test_end_of_input_while_thinking(uci: ProgramHost) -> None:
    uci.play("> position startpos\n> go infinite\n~ info depth *")
    uci.end_input()
    uci.until("bestmove *")
    uci.over()


def test_a_pipe_that_ends_in_quit_shows_a_real_move(start: HostMaker) -> None:
    host = start()
    host.send("uci", "position startpos", "go movetime 1000", "quit")
    host.until("info depth *")
    host.until("bestmove *")
    host.over()


# Squares


def test_ranks_from_1(uci: ProgramHost) -> None:
    uci.play("""
        > setoption name Ranks value 1-10
        > position startpos moves h3e3 h10g8
        > go depth 2 searchmoves i1i2
        ~ info * pv i1i2*
        ~ bestmove i1i2*
        > position startpos
        > go perft 1
        < a1a2: 1
        ~ h3h10: 1
        ~ Nodes searched: 44
    """)


def test_a_host_that_counts_ranks_from_1_gets_answers_that_do_too(uci: ProgramHost) -> None:
    legal = Position(START_FEN)
    legal.push(next(move for move in legal.legal_moves() if move_text(move) == "h2e2"))
    matched = uci.play("""
        > position startpos moves h3e3
        > go depth 2
        ~ bestmove *
        > position startpos moves h2e2
        > go depth 2
        ~ bestmove *
    """)
    assert matched[0].split()[1] in {move_text(move, "1-10") for move in legal.legal_moves()}
    assert matched[1].split()[1] in {move_text(move) for move in legal.legal_moves()}


def test_a_game_that_fits_neither_counting_of_ranks_is_refused(uci: ProgramHost) -> None:
    assert uci.said("position startpos moves h3e3 h7e7") == [
        "info string position: move 1: 'h3e3' is not legal there; the position before stays"
    ]


# Cyclone


def test_cyclone(uci: ProgramHost) -> None:
    matched = uci.play(f"""
        > startpos moves h2e2 h9g7
        > go depth 1 searchmoves i0i1
        ~ bestmove i0i1*
        > fen {MATE_IN_ONE} moves
        > go depth 2
        ~ bestmove *
    """)
    assert matched[1].split()[1] in MATING_MOVES


# Options


def test_wdl(uci: ProgramHost) -> None:
    uci.play(f"""
        > setoption name UCI_ShowWDL value true
        > position startpos
        > go depth 2
        ~ info depth 2 * score cp * wdl * * * nodes *
        ~ bestmove *
        > position fen {MATE_IN_ONE}
        > go depth 2
        ~ info depth * score mate 1 wdl 1000 0 0 nodes *
        ~ bestmove *
    """)


def test_wdl_is_fair_and_grows_with_the_score() -> None:
    for score in range(-3000, 3001, 50):
        win, draw, loss = win_draw_loss(score)
        assert win + draw + loss == 1000
        assert min(win, draw, loss) >= 0
        assert (loss, draw, win) == win_draw_loss(-score)
        assert win <= win_draw_loss(score + 50)[0]


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (0, "cp 0"),
        (-35, "cp -35"),
        (31999, "mate 1"),
        (31997, "mate 2"),
        (-31998, "mate -1"),
        (-31996, "mate -2"),
        (-32000, "mate 0"),
        (27990, "cp 27990"),
    ],
)
def test_score_text(score: int, text: str) -> None:
    assert score_text(score) == text


@pytest.mark.parametrize(
    ("setting", "remark"),
    [
        ("name Hash value 16", None),
        ("name hash value 16", None),
        ("name HASH VALUE 16", None),
        ("Hash 16", None),
        ("hashsize 16", None),
        ("name Move Overhead value 100", None),
        ("name Clear Hash", None),
        ("name SyzygyPath value /somewhere/with blanks/表", None),
        ("name SyzygyPath value <empty>", None),
        ("name UCI_Variant value xiangqi", None),
        ("name Ponder value true", None),
        ("name UCI_AnalyseMode value true", None),
        ("name UCI_Variant value chess", "UCI_Variant: expected one of xiangqi, got 'chess'; nothing changed"),
        ("name Ranks value 2-11", "Ranks: expected one of 0-9, 1-10, got '2-11'; nothing changed"),
        ("name Hash value 99999999", "Hash: '99999999' is above 1048576, using 1048576"),
        ("name Hash value -1", "Hash: '-1' is below 1, using 1"),
        ("name Hash", "Hash: expected a number from 1 to 1048576, got ''; nothing changed"),
        ("name Threads value two", "Threads: expected a number from 1 to 1024, got 'two'; nothing changed"),
        ("name No Such Thing value 3", "unknown option 'No Such Thing', ignored"),
        ("name", "unknown option '', ignored"),
        ("", "unknown option '', ignored"),
    ],
)
def test_setting_options(inside: ProcessHost, setting: str, remark: str | None) -> None:
    assert inside.said(f"setoption {setting}") == ([] if remark is None else [f"info string {remark}"])


# Extras


def test_board(uci: ProgramHost) -> None:
    lines = uci.said("d")
    assert "9  r n b a k a b n r" in lines
    assert "   a b c d e f g h i" in lines
    assert f"fen    {START_FEN}" in lines


def test_evaluation_is_traced(uci: ProgramHost) -> None:
    lines = uci.said("eval")
    assert "Red" in lines[0] and "Black" in lines[0]
    assert len(lines) > 4
    assert f"total {Position(START_FEN).evaluate_cp():+} " in lines[-1]


@pytest.mark.parametrize("command", ["perft 2", "go perft 2"])
def test_perft(uci: ProgramHost, command: str) -> None:
    uci.send("position startpos", command)
    lines = uci.until("Nodes searched: 1920")
    counts = [line.split(": ") for line in lines if ": " in line][:-1]
    assert len(counts) == 44
    assert sum(int(count) for _, count in counts) == 1920


def test_perft_can_be_stopped(uci: ProgramHost) -> None:
    uci.play("""
        > position startpos
        > perft 12
        > isready
        ~ readyok
        > stop
        ~ info string perft stopped after * leaves
        > go depth 1
        ~ bestmove *
        > perft 12
        > quit
        ~ info string perft stopped after * leaves
    """)
    uci.over()


def test_perft_needs_a_number(uci: ProgramHost) -> None:
    for word, got in (("", "nothing"), (" x", "'x'"), (" 0", "'0'"), (" 99", "'99'")):
        assert uci.said(f"perft{word}") == [
            f"info string perft: expected a depth from 1 to 20, got {got}; nothing counted"
        ]


def test_bench(uci: ProgramHost) -> None:
    uci.play("""
        > bench 3
        ~ depth     3
        < time      * ms
        < nodes     *
        < nodes/s   *
        < signature *
        > bench 99
        > stop
        ~ info string bench stopped
        > bench deep
        < info string bench: expected depth, threads and hash in MB, got 'deep'; nothing searched
    """)


def test_compiler(uci: ProgramHost) -> None:
    uci.play("> compiler\n< info string sanqi * Python *")


# Wrong input


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("hello", "unknown command 'hello', ignored; expected a command of UCI"),
        ("ucci", "unknown command 'ucci', ignored; expected a command of UCI"),
        ("banmoves a0a1", "unknown command 'banmoves', ignored; expected a command of UCI"),
        ("炮二平五", "unknown command '\\u70ae\\u4e8c\\u5e73\\u4e94', ignored; expected a command of UCI"),
        ("position", "position: expected 'fen' or 'startpos', got nothing; the position before stays"),
        ("position foo", "position: expected 'fen' or 'startpos', got 'foo'; the position before stays"),
        ("position startpos h2e2", "position: expected 'moves' after startpos, got 'h2e2'; the position before stays"),
        (
            "position startpos moves h2e2 xyz",
            "position: move 2: 'xyz' is not a move; expected files a-i and ranks 0-9, such as h2e2; "
            "the position before stays",
        ),
        (
            "position startpos moves h2e2 h2e2",
            "position: move 2: 'h2e2' is not legal there; the position before stays",
        ),
    ],
)
def test_each_fault_gets_one_line(inside: ProcessHost, command: str, answer: str) -> None:
    assert inside.said(command) == [f"info string {answer}"]


@pytest.mark.parametrize(
    ("command", "remark"),
    [
        ("go depth", "go: depth: expected a number, got nothing, ignored; no limit is left, searching 1000 ms"),
        ("go depth x", "go: depth: expected a number, got 'x', ignored; no limit is left, searching 1000 ms"),
        ("go wtime -5 btime -5", "go: wtime: '-5' is below 0, using 0; btime: '-5' is below 0, using 0"),
        ("go btime 60000", "go: no limit is left, searching 1000 ms"),
        ("go depth 2 fast", "go: 'fast' is unknown, ignored"),
    ],
)
def test_a_bad_go_is_reported_and_still_answered(inside: ProcessHost, command: str, remark: str) -> None:
    inside.play(f"""
        > position startpos
        > {command}
        < info string {remark}
        ~ bestmove *
        > isready
        < readyok
    """)


def test_go_without_a_position_plays_from_the_start(inside: ProcessHost) -> None:
    inside.play("""
        > go depth 1
        < info string go: no position was given, searching the start position
        ~ bestmove *
    """)


def test_a_command_still_gets_its_answer_after_an_internal_error(inside: ProcessHost) -> None:
    def no_engine() -> Engine:
        raise MemoryError("no engine")

    working, inside.adapter.make_engine = inside.adapter.make_engine, no_engine  # type: ignore[attr-defined]
    inside.send("position startpos")
    answer = ["info string internal error at 'go depth 1': MemoryError: 'no engine'", "bestmove (none)"]
    assert inside.said("go depth 1") == answer
    inside.adapter.make_engine = working  # type: ignore[attr-defined]
    inside.send("go depth 1")
    inside.until("bestmove *")
