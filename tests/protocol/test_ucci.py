"""UCCI as it goes over the wire: the states, each command, each pitfall."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from ucci_engine.evaluation import HandCraftedEvaluator
from ucci_engine.points import START_FEN, move_text
from ucci_engine.position import Position
from ucci_engine.ucci import UcciProtocol

if TYPE_CHECKING:
    from search_core.engine import Engine
    from tests.protocol.conftest import CappedMaker, HostMaker, ProcessHost, ProgramHost

MATED = "3k5/3R5/3R5/9/9/9/9/9/9/4K4 b - - 0 1"
STALEMATED = "3k5/9/3P5/9/9/9/9/9/9/4K4 b - - 0 1"
MATE_IN_ONE = "3k5/9/R8/1R7/9/9/9/9/9/4K4 w - - 0 1"
LOST = "4k4/9/9/9/9/9/9/9/R8/3K5 b - - 0 1"


def legal(fen: str = START_FEN, *moves: str) -> list[str]:
    position = Position(fen)
    for text in moves:
        position.push(next(move for move in position.legal_moves() if move_text(move) == text))
    return [move_text(move) for move in position.legal_moves()]


@pytest.fixture
def inside(capped: CappedMaker, monkeypatch: pytest.MonkeyPatch) -> ProcessHost:
    """The adapter in this process, past its handshake; every search ends after 50 nodes and begins at once."""
    monkeypatch.setattr("ucci_engine.move_finder.now_s", lambda: 0.0)
    host = capped(UcciProtocol)
    host.send("ucci")
    host.until("ucciok")
    return host


# The handshake


def test_handshake(start: HostMaker) -> None:
    start().play("""
        > ucci
        < id name sanqi
        < id version *
        < id copyright *
        < id author *
        < option usemillisec type check default true
        < option batch type check default false
        < option ponder type check default false
        < option hashsize type spin min 0 max 262144 default 64
        < option threads type spin min 0 max 1024 default 1
        < option style type combo var solid var normal var risky default normal
        < option evalfile type string default net
        < option level type combo var full * var 2 var 1 default full
        < option randomness type combo var none var tiny var small var medium var large var huge default none
        < option seed type spin min 0 max 2147483647 default 0
        < option repetitionrule type combo var Computer var Asian var Chinese var Draw default Computer
        < option quietlimit type combo var 120 var 100 var none default 120
        < option usebook type check default true
        < option bookfiles type string default <empty>
        < option bookdepth type spin min 0 max 999 default 40
        < option bestbookmove type check default false
        < option resign type check default false
        < option draw type check default false
        < option overhead type spin min 0 max 10000 default 10
        < option debuglogfile type string default <empty>
        < option newgame type button
        < ucciok
        > quit
        | bye
    """)


def test_boot_state_accepts_nothing_but_ucci(start: HostMaker) -> None:
    start("ucci").play("""
        > isready
        > position startpos
        > go depth 1
        > stop
        > uci
        > ucci
        < id name sanqi
        ~ ucciok
        > ucci
        > isready
        < readyok
        > quit
        | bye
    """)


def test_a_game_begins(ucci: ProgramHost) -> None:
    answer = ucci.play("""
        > isready
        < readyok
        > setoption newgame
        > position startpos moves h2e2
        > go depth 4
        ~ bestmove *
    """)[-1]
    assert answer.split()[1] in legal(START_FEN, "h2e2")


# Pitfalls, in the order of the list


def test_time_is_in_milliseconds_unless_the_option_sets_seconds(inside: ProcessHost) -> None:
    inside.play("""
        > go time 2000
        ~ bestmove *
        > setoption usemillisec false
        > go time 2
        ~ bestmove *
        > setoption usemillisec 1
        > go time 2000 movestogo 1
        ~ bestmove *
        > setoption usemillisec maybe
        < info message usemillisec: expected true or false, got 'maybe'; nothing changed
        > go time 2000
        ~ bestmove *
    """)
    assert {limits.hard_ms for limits in inside.engine.asked} == {1990}


def test_go_keys_in_any_order(inside: ProcessHost) -> None:
    inside.play("""
        > go time 60000 increment 1000 opptime 50000 oppincrement 900
        ~ bestmove *
        > go opptime 50000 oppincrement 900 increment 1000 time 60000
        ~ bestmove *
        > go ponder opptime 50000 time 60000 oppincrement 900 increment 1000
        > stop
        ~ bestmove *
    """)
    plain, shuffled, pondered = inside.engine.asked
    assert plain == shuffled
    assert (plain.soft_ms, plain.hard_ms) == (pondered.soft_ms, pondered.hard_ms)
    assert pondered.ponder and not plain.ponder
    assert 0 < plain.soft_ms < plain.hard_ms < 60000


def test_movetime_is_accepted_and_obeyed(inside: ProcessHost) -> None:
    inside.play("""
        > go time 60000 opptime 60000 movetime 500
        ~ bestmove *
        > go movetime 500
        ~ bestmove *
        > go time 300 opptime 60000 movetime 500
        ~ bestmove *
    """)
    assert [limits.hard_ms for limits in inside.engine.asked] == [490, 490, 290]


def test_the_time_before_the_search_is_charged_to_the_move(
    inside: ProcessHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ucci_engine.move_finder.now_s", itertools.count(step=0.2).__next__)
    inside.play("""
        > go movetime 500
        ~ bestmove *
    """)
    assert inside.engine.asked[-1].hard_ms == 290


def test_go_alone_thinks_until_stop(ucci: ProgramHost) -> None:
    ucci.play("""
        > position startpos
        > go
        ~ info depth *
        > stop
        ~ bestmove *
    """)


def test_infinite_ends_with_a_mate_or_stop(ucci: ProgramHost) -> None:
    matched = ucci.play(f"""
        > position fen {MATE_IN_ONE}
        > go infinite
        ~ bestmove *
        > position startpos
        > go infinite
        ~ info depth *
        > stop
        ~ bestmove *
    """)
    assert matched[0].split()[1] in ("a7d7", "b6d6")


def test_pondering_withholds_the_answer(ucci: ProgramHost) -> None:
    ucci.play(f"""
        > position fen {MATE_IN_ONE}
        > go ponder depth 2
        ~ info depth 2 * pv *
        > isready
        < readyok
        > ponderhit
        ~ bestmove *
        > position fen {MATE_IN_ONE}
        > go ponder time 1000 movestogo 1
        ~ info depth * pv *
        > stop
        ~ bestmove *
        > isready
        < readyok
    """)


def test_ponderhit_starts_the_clock(ucci: ProgramHost) -> None:
    ucci.play("""
        > position startpos
        > go ponder time 200 movestogo 1
        ~ info depth *
        > ponderhit
        ~ bestmove *
    """)


def test_ponderhit_draw_is_an_offer(ucci: ProgramHost) -> None:
    ucci.play(f"""
        > setoption draw true
        > position fen {LOST}
        > go ponder depth 3
        > ponderhit draw
        ~ bestmove * draw
        > go ponder depth 3
        > ponderhit
        ~ bestmove *
    """)
    assert not ucci.transcript[-1].endswith("draw")


def test_draw_offers_are_answered_only_when_allowed(ucci: ProgramHost) -> None:
    ucci.play(f"""
        > position fen {LOST}
        > go draw depth 3
        ~ bestmove *
    """)
    assert not ucci.transcript[-1].endswith("draw")
    ucci.play(f"""
        > setoption draw on
        > go draw depth 3
        ~ bestmove * draw
        > position fen {MATE_IN_ONE}
        > go draw depth 3
        ~ bestmove *
    """)
    assert not ucci.transcript[-1].endswith("draw")


def test_stray_stop(ucci: ProgramHost) -> None:
    ucci.play("""
        > stop
        < nobestmove
        > position startpos
        > stop
        < nobestmove
        > go depth 1
        ~ bestmove *
        > stop
        < nobestmove
    """)


@pytest.mark.parametrize("fen", [MATED, STALEMATED])
def test_no_legal_move(ucci: ProgramHost, fen: str) -> None:
    ucci.play(f"""
        > position fen {fen}
        > go depth 3
        < nobestmove
        > go time 1000
        < nobestmove
        > go infinite
        < nobestmove
    """)


def test_banned_moves_are_not_played(ucci: ProgramHost) -> None:
    moves = legal(LOST)
    assert moves
    ucci.play(f"""
        > position fen {LOST}
        > banmoves {" ".join(moves)}
        > go depth 3
        < nobestmove
        > banmoves {" ".join(moves[1:])}
        > go depth 3
        ~ bestmove {moves[0]}*
    """)


def test_bans_end_with_the_next_position(ucci: ProgramHost) -> None:
    ucci.play(f"""
        > position startpos
        > banmoves {" ".join(legal())}
        > go depth 1
        < nobestmove
        > go depth 1
        < nobestmove
        > position startpos
        > go depth 1
        ~ bestmove *
    """)


def test_bad_bans_leave_the_good_ones(ucci: ProgramHost) -> None:
    moves = legal(LOST)
    ucci.play(f"""
        > position fen {LOST}
        > banmoves a0a9 xyz {" ".join(moves)}
        < info message banmoves: 'a0a9' is not legal here; 'xyz' is not a move; expected *; the other moves are banned
        > go depth 3
        < nobestmove
    """)


def test_resigning_names_a_legal_move_and_must_be_allowed(ucci: ProgramHost) -> None:
    lost = "4k4/9/9/9/9/9/9/9/RR7/3K5 b - - 0 1"
    moves = legal(lost)
    search = f"""
        > position fen {lost}
        > go depth 4
        ~ bestmove *
    """
    for _ in range(4):
        assert "resign" not in ucci.play(search)[0]
    ucci.send("setoption resign true")
    word, move, resign = ucci.play(search)[0].split()
    assert (word, resign) == ("bestmove", "resign")
    assert move in moves
    ucci.send("setoption newgame")
    assert "resign" not in ucci.play(search)[0]


def test_scores_are_bare_numbers(ucci: ProgramHost) -> None:
    ucci.play(f"""
        > position startpos
        > go depth 3
        ~ info depth 3 time * nodes * nps * score * pv *
        ~ bestmove *
        > position fen {MATE_IN_ONE}
        > go depth 2
        ~ info depth * score 9999 pv ????
        ~ bestmove *
    """)
    for line in ucci.transcript:
        if line.startswith("< info depth"):
            words = line.split()
            score = words[words.index("score") + 1]
            assert abs(int(score)) <= 10000


def test_quit_while_thinking(ucci: ProgramHost) -> None:
    ucci.play("""
        > position startpos
        > go infinite
        ~ info depth *
        > quit
        ~ bestmove *
        | bye
    """)


def test_end_of_input_while_thinking(ucci: ProgramHost) -> None:
    ucci.play("""
        > position startpos
        > go infinite
        ~ info depth *
    """)
    ucci.end_input()
    ucci.play("""
        ~ bestmove *
        | bye
    """)


def test_depth_0_is_the_static_evaluation(ucci: ProgramHost) -> None:
    matched = ucci.play("""
        > position startpos moves h2e2
        > go depth 0
        < info depth 0 score *
        < nobestmove
    """)
    after = Position("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b")
    assert int(matched[0].split()[-1]) == after.evaluate_cp()


def test_depth_0_is_by_the_evaluator_that_is_set(ucci: ProgramHost) -> None:
    board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKAB1R w"
    matched = ucci.play(f"""
        > setoption evalfile hand-made
        > position fen {board}
        > go depth 0
        < info depth 0 score *
    """)
    assert int(matched[0].split()[-1]) == Position(board, HandCraftedEvaluator()).evaluate_cp()


@pytest.mark.parametrize(
    "position",
    [
        "position startpos moves",
        "position startpos moves ",
        "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w moves",
        "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR r",
        "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - -",
        "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1 moves ",
        "position fen rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR r - - 12 345",
        "POSITION  FEN  rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR  w  MOVES\r",
    ],
)
def test_spellings_of_a_position(inside: ProcessHost, position: str) -> None:
    inside.play(f"""
        > position fen {MATED}
        > {position}
        > go depth 1
        < info depth 1 *
        < bestmove *
    """)


# The states


def test_thinking_ignores_commands_of_other_states(ucci: ProgramHost) -> None:
    ucci.play(f"""
        > position startpos
        > go infinite
        > position fen {MATED}
        > setoption hashsize abc
        > banmoves xyz
        > go depth 1
        > ucci
        > isready
        ~ readyok
        > stop
        ~ bestmove *
        > isready
        < readyok
        > go depth 1
        ~ bestmove *
    """)


def test_a_command_right_after_a_stop_is_not_lost(ucci: ProgramHost) -> None:
    ucci.play("> position startpos\n> go infinite\n~ info depth *")
    ucci.send("stop", f"position fen {MATE_IN_ONE}", "go depth 2")
    matched = ucci.play("""
        ~ bestmove *
        ~ bestmove *
    """)
    assert matched[1].split()[1] in ("a7d7", "b6d6")


def test_idle_ignores_unknown_commands(ucci: ProgramHost) -> None:
    ucci.play("""
        > ponderhit
        > ponderhit draw
        > uci
        > hello
        > setoption nosuchoption 17
        > setoption
        > isready
        < readyok
    """)


def test_bestmove_leaves_the_position(ucci: ProgramHost) -> None:
    first, second = ucci.play("""
        > position startpos moves h2e2
        > go depth 2
        ~ bestmove *
        > go depth 2
        ~ bestmove *
    """)
    assert first.split()[1][1] in "6789"
    assert second.split()[1][1] in "6789"


# Batch


def test_batch_runs_the_queued_commands(ucci: ProgramHost) -> None:
    ucci.send(
        "setoption batch true",
        "position startpos",
        "go depth 5",
        f"position fen {MATE_IN_ONE}",
        "go depth 2",
        f"position fen {MATED}",
        "go depth 5",
        "quit",
    )
    matched = ucci.play("""
        ~ bestmove *
        ~ bestmove *
        < nobestmove
        | bye
    """)
    assert matched[0].split()[1] in legal()
    assert matched[1].split()[1] in ("a7d7", "b6d6")


def test_batch_is_finished_before_the_end_of_input_counts(ucci: ProgramHost) -> None:
    ucci.send("setoption batch true", "position startpos", "go depth 5", "go depth 4")
    ucci.end_input()
    ucci.play("""
        ~ info depth 5 *
        ~ bestmove *
        ~ info depth 4 *
        ~ bestmove *
        | bye
    """)


def test_batch_still_obeys_commands_that_end_a_search(ucci: ProgramHost) -> None:
    ucci.play("""
        > setoption batch true
        > position startpos
        > go infinite
        ~ info depth *
        > stop
        ~ bestmove *
        > go ponder time 100 movestogo 1
        > ponderhit
        ~ bestmove *
    """)


# Probing


def test_probe(ucci: ProgramHost) -> None:
    matched = ucci.play("""
        > probe startpos
        < pophash
        > position startpos
        > go depth 6
        ~ bestmove *
        > probe startpos
        < pophash bestmove ???? lowerbound * depth * upperbound * depth *
        > probe fen 4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1
        < pophash
        > probe fen nonsense
        < info message probe: *
        < pophash
        > go infinite
        ~ info depth 5 *
        > probe startpos
        ~ pophash *
        > stop
        ~ bestmove *
    """)
    assert matched[2].split()[2] in legal()


# Options


@pytest.mark.parametrize(
    "name",
    [
        "usebook 1",
        "useegtb false",
        "bookfiles <empty>",
        "egtbpaths <empty>",
        "evalapi x.dll",
        "idle none",
        "pruning large",
        "knowledge small",
        "usehash on",
        "promotion false",
        "debug true",
    ],
)
def test_options_that_hosts_send_unasked_get_no_error(inside: ProcessHost, name: str) -> None:
    assert inside.said(f"setoption {name}") == []


def test_a_variant_that_is_not_played_is_refused(ucci: ProgramHost) -> None:
    assert ucci.said("setoption promotion true") == [
        "info message promotion: the variant with promotion is not played here; it stays off"
    ]


@pytest.mark.parametrize(
    ("setting", "remark"),
    [
        ("hashsize 16", None),
        ("HashSize 16", None),
        ("Hash 16", None),
        ("name Hash value 16", None),
        ("name hashsize value 16", None),
        ("Threads 2", None),
        ("ponder 0", None),
        ("ponder 1", None),
        ("style Risky", None),
        ("randomness HUGE", None),
        ("newgame", None),
        ("batch off", None),
        ("repetition alwaysdraw", None),
        ("RepetitionRule AsianRule", None),
        ("drawmoves 60", None),
        ("Repetition Rule ChineseRule", "Repetition Rule Chinese: mate threats *"),
        ("Sixty Move Rule false", None),
        ("name Sixty Move Rule value true", None),
        ("Rule60MaxPly 100", None),
        ("name Rule60MaxPly value 120", None),
        ("Rule60MaxPly 134", "Rule60MaxPly: expected one of 120, 100, got '134'; nothing changed"),
        ("Repetition Rule SkyRule", "repetitionrule: expected one of *, got 'SkyRule'; nothing changed"),
        ("repetitionrule sky", "repetitionrule: expected one of Computer, Asian, Chinese, Draw, got 'sky'; nothing *"),
        ("hashsize 99999999", "hashsize: '99999999' is above 262144, using 262144"),
        ("hashsize -5", "hashsize: '-5' is below 0, using 0"),
        ("hashsize lots", "hashsize: expected a number from 0 to 262144, got 'lots'; nothing changed"),
        ("hashsize", "hashsize: expected a number from 0 to 262144, got ''; nothing changed"),
        ("style wild", "style: expected one of solid, normal, risky, got 'wild'; nothing changed"),
        ("ponder perhaps", "ponder: expected true or false, got 'perhaps'; nothing changed"),
        ("debuglogfile /no/such/folder/log", "cannot write the log '/no/such/folder/log': *; nothing changed"),
    ],
)
def test_setting_options(inside: ProcessHost, setting: str, remark: str | None) -> None:
    inside.send(f"setoption {setting}")
    if remark is not None:
        inside.play(f"< info message {remark}")
    inside.play("> isready\n< readyok")


def test_pikafish_s_names_set_the_quiet_limit(inside: ProcessHost) -> None:
    def said(setting: str, clock: int) -> list[str]:
        inside.send(
            f"setoption {setting}", "setoption newgame", f"position fen 4k4/9/9/9/9/9/9/9/5R3/3K5 w - - {clock} 90"
        )
        inside.send("go depth 1")
        return [line for line in inside.until("bestmove *") if "without a capture" in line]

    assert said("Rule60MaxPly 100", 99) == []
    (told,) = said("Rule60MaxPly 100", 100)
    assert told.startswith("info message 100 plies")
    (told,) = said("Sixty Move Rule true", 120)
    assert told.startswith("info message 120 plies")
    assert said("Sixty Move Rule false", 200) == []


def test_moves_that_led_to_the_fen_are_its_history(inside: ProcessHost) -> None:
    """Some hosts send the current position, and behind it the moves so far. The host is told once."""
    horse = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C4NC1/9/RNBAKAB1R b"
    back = "h0g2 h9g7 g2h0 g7h9"
    inside.play(f"""
        > position fen {horse} moves h0g2
        < info message position: the moves lead to the FEN and do not begin there; searching the FEN
        > go depth 1
        ~ bestmove *
        > position fen {horse} - - 0 1 moves {back} {back} h0g2
        > banmoves h9g7
        > go depth 1
        ~ bestmove *
        > probe fen {horse} moves h0g2
        < pophash*
        > position fen {horse} moves g2h0
        < info message position: move 1: 'g2h0' is not legal there with ranks 0-9; there is no position now
    """)
    position = inside.adapter.game.position  # type: ignore[attr-defined]
    assert (position.fen(), position.result()) == (f"{horse} - - 9 5", "repetition")


def test_style_changes_the_score_of_a_draw(inside: ProcessHost) -> None:
    inside.play("""
        > setoption style risky
        > go depth 1
        ~ bestmove *
        > setoption style normal
        > go depth 1
        ~ bestmove *
        > setoption style solid
        > go depth 1
        ~ bestmove *
    """)
    risky, normal, solid = (limits.draw_score for limits in inside.engine.asked)
    assert risky < normal == 0 < solid


def test_draws_in_the_table_are_worth_nothing_to_the_other_side(start: HostMaker) -> None:
    def found(*before: str) -> str:
        host = start("ucci")
        host.send("ucci", "setoption style solid")
        for command in before:
            host.send(command)
            host.until("bestmove *") if command.startswith("go") else None
        host.send("position fen 4k4/3r5/9/9/9/9/9/9/4R4/5K3 b", "go depth 5")
        *_, line, answer = host.until("bestmove *")
        return f"{line.split(' score ')[1].split()[0]} {answer}"

    assert found("position fen 4k4/4r4/9/9/9/9/9/9/4R4/5K3 w", "go depth 14") == found()


def test_randomness_follows_the_seed(inside: ProcessHost) -> None:
    def moves(seed: int) -> list[str]:
        inside.send(f"setoption seed {seed}")
        played = []
        for opening in ("", "h2e2", "b2e2", "c3c4", "g3g4", "b0c2", "h0g2", "c0e2"):
            inside.send(f"position startpos moves {opening}", "setoption newgame", "go depth 1")
            played.append(inside.until("bestmove *")[-1].split()[1])
        return played

    plain = moves(1)
    assert plain == moves(2)
    inside.send("setoption randomness huge")
    assert moves(1) == moves(1)
    assert len({tuple(moves(seed)) for seed in range(1, 6)}) > 1
    inside.send("setoption randomness none")
    assert moves(1) == plain


# Wrong input


@pytest.mark.parametrize(
    "position",
    [
        "position",
        "position nonsense",
        "position startpos h2e2",
        "position startpos moves h2e2 h2e2",
        "position startpos moves a0a9",
        "position startpos moves h2e2 xyz",
        "position startpos moves 炮二平五",
        "position fen",
        "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR x",
        "position fen rnbakabnr/9/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "position fen rnba1abnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "position fen rnbkkabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "position fen 9/9/9/k8/9/9/9/9/9/4K4 w",
        "position fen 4k4/9/9/9/9/9/9/9/9/4K4 w moves e0e9",
        "position fen rrrrkrrrr/rrrrrrrrr/9/9/9/9/9/9/9/3K5 w",
        "position fen rnbakabnq/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "position fen rnbakabnr/8/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - x y",
    ],
)
def test_a_bad_position_gets_one_line_and_no_move(inside: ProcessHost, position: str) -> None:
    matched = inside.play(f"""
        > position fen {LOST}
        > {position}
        < info message position: *; there is no position now
        > go depth 1
        < info message go: the last position was refused
        < nobestmove
        > position fen {LOST}
        > go depth 1
        < info depth *
        ~ bestmove *
    """)
    assert matched[-1].split()[1] in legal(LOST)


def test_commands_find_nothing_after_a_refused_position(ucci: ProgramHost) -> None:
    ucci.play("""
        > position startpos
        > go depth 3
        ~ bestmove *
        > position startpos moves h2e2 h2e2
        < info message position: move 2: *
        > go ponder time 1000
        < info message go: the last position was refused
        < nobestmove
        > ponderhit
        < info message ponderhit: the last position was refused
        < nobestmove
        > stop
        < nobestmove
        > probe startpos
        < pophash bestmove *
        > banmoves h2e2
        < info message banmoves: the last position was refused
        > setoption newgame
        > go depth 0
        < info message go: the last position was refused
        < nobestmove
        > isready
        < readyok
        > position startpos
        > go depth 2
        ~ bestmove *
        > probe startpos
        < pophash bestmove *
    """)


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("4k4/9/9/9/9/9/9/9/9/4K4 w", "e0e9"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 b", "e9e0"),
        ("4k4/9/9/9/9/9/9/9/4R4/3K5 w", "e1e9"),
        ("4k4/9/5N3/9/9/9/9/9/9/3K5 w", "f7e9"),
        ("3k5/9/9/9/9/9/9/4c4/4A4/4K4 b", "e2e0"),
    ],
)
def test_a_king_is_taken_at_once(inside: ProcessHost, fen: str, move: str) -> None:
    inside.play(f"""
        > position fen {fen}
        > banmoves {move}
        < info message banmoves: the game is over: {move} takes the king
        > go time 600000
        < info depth 1 time 0 nodes 1 nps 0 score 9999 pv {move}
        < bestmove {move}
        > go depth 0
        < info depth 1 time 0 nodes 1 nps 0 score 9999 pv {move}
        < bestmove {move}
        > stop
        < nobestmove
        > position fen {fen} moves {move}
        < info message position: move 1: '{move}' comes too late, *; there is no position now
        > go depth 1
        < info message go: the last position was refused
        < nobestmove
        > position startpos
        > go depth 1
        < info depth 1 *
        ~ bestmove *
    """)


def test_positions_with_more_pieces_than_a_set(ucci: ProgramHost) -> None:
    ucci.play("""
        > position fen 4k4/9/9/9/4R4/4R4/4R4/9/9/3K5 w
        > go depth 3
        < info depth 1 * score 9999 pv e5e9
        < bestmove e5e9
        > position fen 3k5/9/9/9/4R4/4R4/4R4/9/9/4K4 w
        > go depth 3
        ~ info depth 1 * score 9999 pv e?d?
        ~ bestmove e?d?
        > position fen 4k4/9/9/9/9/9/2PPPPPP1/9/9/3K5 w moves
        < info message position: Red pawn on d3, Red pawn on f3, Red pawn on h3: no move leads there; *
        > go depth 3
        ~ bestmove *
        > position fen 4k4/9/2PPPPPP1/9/9/9/9/9/9/3K5 w moves g7g8 e9d9
        > go depth 6
        ~ bestmove *
        > position fen rrrrkrrrr/4r4/9/9/9/9/9/9/4R4/RRRRKRRRR w
        > go depth 3
        ~ bestmove *
    """)


def test_a_bad_position_during_a_search_is_ignored(inside: ProcessHost) -> None:
    inside.play("""
        > position startpos
        > go infinite
        > position nonsense
        > stop
        ~ bestmove *
        > go depth 1
        ~ bestmove *
    """)


@pytest.mark.parametrize(
    ("command", "remark"),
    [
        ("go depth abc", "go: depth: expected a number, got 'abc', ignored; no readable limit, searching 1000 ms"),
        ("go time", "go: time: expected a number, got nothing, ignored; no readable limit, searching 1000 ms"),
        ("go time -1", "go: time: '-1' is below 0, using 0"),
        ("go depth 2 quickly", "go: 'quickly' is unknown, ignored"),
        ("go nodes 0", "go: nodes: '0' is below 1, using 1"),
        ("go time depth 2", "go: time: expected a number, got 'depth', ignored"),
    ],
)
def test_a_bad_go_is_reported_and_still_answered(inside: ProcessHost, command: str, remark: str) -> None:
    """A search that ends by itself before `stop` gets a `nobestmove` for it."""
    inside.play(f"""
        > position startpos
        > {command}
        < info message {remark}
        > stop
        ~ bestmove *
        > isready
        ~ readyok
    """)


@pytest.mark.parametrize(
    "command",
    [
        "go depth 999999999999",
        "go time 99999999999999999999 depth 2",
        "go nodes 1",
        "go time 0",
        "go movetime 1",
        "go time 1 movestogo 1",
        "go time 1 increment 0 opptime 1",
        "go time 100 movestogo 100000",
    ],
)
def test_absurd_numbers(inside: ProcessHost, command: str) -> None:
    inside.play(f"""
        > position startpos
        > {command}
        ~ bestmove *
        > isready
        < readyok
    """)


def test_a_negative_depth_is_no_depth(ucci: ProgramHost) -> None:
    ucci.play("""
        > position startpos
        > go depth -3
        < info message go: depth: '-3' is below 0, using 0
        < info depth 0 score *
        < nobestmove
    """)


def test_go_without_a_position_plays_from_the_start(ucci: ProgramHost) -> None:
    ucci.play("""
        > go depth 2
        < info message go: no position was given, searching the start position
        ~ bestmove *
    """)


@pytest.mark.parametrize(("command", "answer"), [("go depth 1", "nobestmove"), ("probe startpos", "pophash")])
def test_a_command_still_gets_its_answer_after_an_internal_error(
    inside: ProcessHost, command: str, answer: str
) -> None:
    def no_engine() -> Engine:
        raise MemoryError("no engine")

    driver = inside.adapter.driver  # type: ignore[attr-defined]
    working, driver.make_engine = driver.make_engine, no_engine
    inside.send("position startpos")
    assert inside.said(command) == [f"info message internal error at '{command}': MemoryError: 'no engine'", answer]
    driver.make_engine = working
    inside.send("go depth 1")
    inside.until("bestmove *")


def test_counters_and_a_comment_behind_a_fen_are_told_of_once(ucci: ProgramHost) -> None:
    """As ElephantEye's league sends the start positions of its settings."""
    fen = "rnbakab1r/9/1c1c2n2/p1p1p3p/6p2/2P6/P3P1P1P/1C2B1NC1/9/RNBAKA1R1 b - - 0 4"
    ucci.play(f"""
        > position fen {fen} ;A34.仕角炮 - - 0 1 moves a9a8
        < info message position: ';A34.* - - 0 1' behind the FEN is not read
        > position fen {fen} - - 0 1 moves a9a8
        > go depth 1
        ~ bestmove *
        > position fen {fen} a9a8
        < info message position: FEN has 'a9a8' behind its counters, expected its end; there is no position now
    """)
