"""The engine's side of the Junqi line protocol, as a referee would speak it."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from junqi_protocol.players.player import CHOOSERS
from junqi_protocol.protocols.jlp import JlpProtocol
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import VARIANTS
from junqi_protocol.rules.lineup import random_lineup
from junqi_protocol.rules.messages import BestMove, Terms

if TYPE_CHECKING:
    from junqi_protocol.knowledge.player_view import PlayerView
    from search_core.thinker import Limits
    from search_core.thinking_thread import MoveSignals
    from tests.protocol.conftest import CappedMaker, Host, HostMaker, ProcessHost, ProgramHost

LINEUP = "96317/5.3.5/81.37/B.2.4/6M2MB/4FM21"


@pytest.fixture
def junqi(start: HostMaker) -> ProgramHost:
    """The program, past its handshake."""
    host = start()
    host.send("junqi 1")
    host.until("junqiok 1")
    host.send("setoption name Level value path")
    return host


@pytest.fixture
def inside(capped: CappedMaker) -> ProcessHost:
    """The adapter in this process, past its handshake."""
    host = capped(lambda channel: JlpProtocol(channel, "path"))
    host.send("junqi 1")
    host.until("junqiok 1")
    return host


def begin(host: Host, variant: str = "duel", **keys: str) -> None:
    more = "".join(f" {key} {value}" for key, value in keys.items())
    host.send(f"newgame variant {variant} seats 0{more}", f"lineup 0 {LINEUP}", f"start {keys.get('first', 0)}")


def test_handshake_lists_options(start: HostMaker) -> None:
    start().play("""
        > junqi 1
        < id name sanqi *
        < id author *
        < option name Level type combo default search var search var path * var random var 20 * var 2 var 1
        < option name Hash type spin default 16 min 1 max 262144
        < option name Seed type spin default 0 min 0 max 2147483647
        < option name Strength type spin default 100 min 0 max 100
        < option name Think Time type spin default 1000 min 1 max 3600000
        < junqiok 1
        > isready
        < readyok
        > quit
        """)


def test_a_level_is_a_number_or_full(start: HostMaker) -> None:
    host = start()
    host.send("junqi 1")
    host.until("junqiok 1")
    nodes = {}
    for level in ("1", "20", "full", "search"):
        assert host.said(f"setoption name Level value {level}") == []
        host.send("newgame variant siguo seats 0 see own", f"lineup 0 {LINEUP}", "start 0", "go 0 1 nodes 20000")
        info = [line for line in host.until("bestmove *") if " nodes " in line][-1].split()
        nodes[level] = int(info[info.index("nodes") + 1])
    assert nodes["1"] < nodes["20"] <= 20_000
    assert nodes["full"] == nodes["search"]
    for wrong in ("0", "21", "best"):
        [remark] = host.said(f"setoption name Level value {wrong}")
        assert wrong in remark


def test_the_page_s_dialogue(junqi: ProgramHost) -> None:
    junqi.play("""
        > newgame variant siguo seats 0 see own quiet 70 skips 5
        > deploy 0
        < lineup 0 ?????/?.?.?/??.??/?.?.?/?????/?????
        > lineup 0 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21
        > start 0
        > go 0 1 movetime 1000
        < bestmove * ply 1
        > moved 1 0 g6g9 MOVE
        > moved 2 1 l11g11 MOVE
        > isready
        < readyok
        """)


def test_a_report_that_cannot_be_true_is_followed_and_told_once(junqi: ProgramHost) -> None:
    junqi.play("""
        > newgame variant duel seats 0
        > lineup 0 86717/5.3.5/91.33/B.2.4/6M2MB/4FM21
        > start 0
        > moved 1 0 a6a7 killed
        > skipped 2 1 1 pass
        > moved 3 0 c6c7 killed
        > skipped 4 1 2 pass
        > moved 5 0 e6e7 killed
        > skipped 6 1 3 pass
        > go 0 7
        < info string seat 0, e6e7 KILLED: the result does not fit what was known, and is ignored
        < bestmove * ply 7
        > skipped 7 0 1 pass
        > skipped 8 1 4 pass
        > go 0 9
        < bestmove * ply 9
    """)


def test_facts_that_a_level_ignores_are_told_once_for_a_position(junqi: ProgramHost) -> None:
    two_flags = "position variant duel turn 0 seats 0 pieces 0:b1=F 0:c6=9 1:b12=F 1:d12=F 1:c7=?"
    remark = "info string what is known of a piece of seat 1 does not fit its army, and is ignored"
    junqi.play(f"""
        > setoption name Level value expect
        > {two_flags}
        > go 0 1
        < {remark}
        < bestmove * ply 1
        > go 0 1
        < bestmove * ply 1
        > {two_flags}
        > go 0 1
        < {remark}
        < bestmove * ply 1
    """)


WHOLE_GAMES = (("siguo", "path"), ("duel", "expect"), ("duel", "1"))
"""In the default run."""


@pytest.mark.parametrize(
    ("variant", "level"),
    [
        pytest.param(variant, level, marks=() if (variant, level) in WHOLE_GAMES else pytest.mark.long)
        for variant in ("siguo", "duel")
        for level in ("path", "expect", "events", "greedy", "random", "1", "12")
    ],
)
def test_every_level_answers_a_whole_game_with_legal_moves(start: HostMaker, variant: str, level: str) -> None:
    host = start("junqi", "--level", level)
    host.send("junqi 1", "setoption name Seed value 3")
    host.until("junqiok 1")
    chance = random.Random(7)
    seats = VARIANTS[variant].seats
    arbiter = Arbiter(Terms(VARIANTS[variant], quiet=70, plies=160), [random_lineup(chance) for _ in range(seats)])
    own = (0, 2) if seats == 4 else (0,)
    host.send(arbiter.greeting(own, "own"), *arbiter.opening(own, "own"))
    while arbiter.outcome is None:
        if arbiter.turn in own:
            host.send(f"go {arbiter.turn} {arbiter.next_ply} movetime 100")
            answer = host.until("bestmove *")[-1]
            happening = arbiter.answer(BestMove.parse(answer.split()[1:], arbiter.variant))
        else:
            happening = arbiter.answer(BestMove("", chance.choice(arbiter.position.legal_moves()), arbiter.next_ply))
        host.send(happening.text(arbiter.variant))
    host.send(*arbiter.closing())
    assert host.said("isready") == []


def test_a_seed_repeats_answers(start: HostMaker) -> None:
    def answers() -> list[str]:
        host = start("junqi", "--level", "random")
        host.send("junqi 1", "setoption name Seed value 9")
        host.until("junqiok 1")
        begin(host)
        host.send("go 0 1")
        return host.until("bestmove *")[-1:]

    assert answers() == answers()


def test_infinite_thinking_ends_at_stop(junqi: ProgramHost) -> None:
    begin(junqi)
    junqi.play("""
        > go 0 1 infinite
        > isready
        < readyok
        > go 0 1
        < error go while thinking*
        > stop
        < bestmove * ply 1
        > stop
        > isready
        < readyok
        """)


def test_a_draw_is_agreed_to_by_the_team_with_fewer_pieces(junqi: ProgramHost) -> None:
    begin(junqi, draws="1")
    junqi.play("""
        > go 0 1 movetime 100 draw 1
        < bestmove ???? ply 1
        > moved 1 0 e6e7 KILLED
        > skipped 2 1 1 pass
        > go 0 3 movetime 100 draw 1
        < bestmove * ply 3 draw 1
        > moved 3 0 c6c7 EAT
        > skipped 4 1 2 pass
        > go 0 5 movetime 100 draw 1
        < bestmove ???? ply 5
        > skipped 5 0 1 pass
        > gameover draw agreed
        > go 0 1
        < error go before a game has started*
        """)


def test_no_answer_to_an_outdated_question(junqi: ProgramHost) -> None:
    begin(junqi)
    junqi.play("""
        > go 0 1 infinite
        > skipped 1 0 1 time
        > stop
        > isready
        < readyok
        """)


def test_a_refused_move_is_not_given_again(start: HostMaker) -> None:
    host = start("junqi", "--level", "random")
    host.send("junqi 1")
    host.until("junqiok 1")
    begin(host)
    host.send("go 0 1")
    given = set()
    while (answer := host.until("bestmove *")[-1].split()[1]) != "pass":
        assert answer not in given
        given.add(answer)
        host.send(f"illegal 0 1 {answer} is not legal")
    assert len(given) > 5


def test_track_lost_and_found_again(junqi: ProgramHost) -> None:
    begin(junqi)
    junqi.play(f"""
        > moved 2 0 a6a7 MOVE
        < error ply 2: expected 1; track of the game is lost
        > moved 1 0 a6a7 MOVE
        < error track of the game is lost*
        > go 0 1
        < bestmove pass ply 1
        > newgame variant duel seats 0
        > lineup 0 {LINEUP}
        > start 0
        > moved 1 0 c6c7 EAT
        > skipped 2 1 1 pass
        > go 0 3 clock 1000 inc 5
        < bestmove * ply 3
        """)


def test_a_game_ends_and_another_begins(junqi: ProgramHost) -> None:
    begin(junqi)
    junqi.play(f"""
        > left 1 0 resign
        > gameover win 1 resign
        > lineup 0 {LINEUP}
        > lineup 1 {LINEUP}
        > go 0 1
        < error go before a game has started*
        """)
    begin(junqi, "siguo", first="2", quiet="70", quietend="loss", foo="bar")
    junqi.play("> go 0 1\n< error go 0: seat 2 is on turn*")


def test_unknown_keys_are_skipped_with_their_value(junqi: ProgramHost) -> None:
    begin(junqi, colour="red")
    junqi.play("""
        > moved 1 0 c6c7 EAT shade blue time 5
        > isready
        < readyok
        """)


POSITION = "position variant duel turn 0 seats 0 pieces 0:b1=F 0:c6=9 1:d12=?{F} 1:c7=?{1-3B}*"


def test_a_seed_counts_from_the_next_move_on(start: HostMaker) -> None:
    """What a level overlooks follows from the seed."""
    own = "0:b1=F 0:c6=9 0:a6=4 0:e6=5 0:a5=3 0:e5=2 0:c4=6 0:a3=7 0:e3=1"
    theirs = "1:d12=?{F} 1:a7=?{2-6} 1:c7=?{1-3} 1:e7=?{4-8}"
    position = f"position variant duel turn 0 seats 0 pieces {own} {theirs}"

    def program() -> Host:
        host = start("junqi", "--level", "5")
        host.send("junqi 1")
        host.until("junqiok 1")
        return host

    def move(host: Host, seed: int) -> str:
        host.send(f"setoption name Seed value {seed}", position, "go 0 1")
        return host.until("bestmove *")[-1]

    together = program()
    found = [move(together, seed) for seed in range(1, 7)]
    assert found == [move(program(), seed) for seed in range(1, 7)]
    assert len(set(found)) > 1
    assert [move(together, seed) for seed in range(1, 7)] == found


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("foo", "'foo' is no command"),
        ("junqi 2", "junqi '2': expected version 1"),
        ("moved 1 0 a6a7 MOVE", "'moved 1 0 a6a7 MOVE' without a game"),
        ("deploy 0", "'deploy 0' without a game"),
        ("start 0", "'start 0' without a game"),
        ("go 0 1", "go before a game has started"),
        ("lineup 0 " + LINEUP, "lineup without a game"),
        ("gameover draw quiet", "'gameover draw quiet' without a game"),
        ("newgame", "variant is missing"),
        ("newgame variant go seats 0", "'go' is no variant"),
        ("newgame variant duel", "seats is missing"),
        ("newgame variant duel seats 2", "'2': a seat must be a number from 0 to 1"),
        ("newgame variant duel seats 0,1", "expected one seat, or the two of a team"),
        ("newgame variant duel seats 0 quiet x", "'x': quiet must be a number"),
        ("newgame variant duel seats 0 quiet", "'quiet' lacks a value"),
        ("newgame variant duel seats 0 see none", "'none' is no see"),
        ("setoption name Level value genius", "Level"),
        ("setoption name Threads value 3", "'Threads' is no option"),
        ("setoption", "'' is no option"),
        ("position", "pieces is missing"),
        ("position variant duel pieces", "turn is missing"),
        ("position variant duel turn 5 pieces", "'5': a seat must be"),
        (POSITION + " 1:c7=1", "is not free"),
        (POSITION + " 1:z9=1", "'1:z9=1' is no piece"),
        (POSITION + " 1:c8=?{9-1}", "'9-1' is no set of pieces"),
        (POSITION + " 1:a6=?{M}", "no piece can be that"),
        (POSITION.replace("1:d12=?{F} ", ""), "seat 1 has no piece that could be its flag"),
        (POSITION.replace("turn 0", "turn 0 dead 1"), "seat 1 is dead but has pieces"),
        (POSITION.replace("turn 0", "turn 0 flag 1:b12"), "flag 1: it cannot stand on b12"),
        (POSITION.replace("turn 0", "turn 0 quietnow 3000000000"), "'3000000000': quietnow must be a number from 0 to"),
        (POSITION.replace("turn 0", "turn 0 skipsof 1"), "skipsof '1': expected two values"),
        (POSITION.replace("0:c6=9", "0:c6=?"), "seat 0 is ours and has unknown pieces"),
    ],
)
def test_commands_that_do_not_fit_get_one_error_and_change_nothing(
    inside: ProcessHost, line: str, complaint: str
) -> None:
    said = inside.said(line)
    assert len(said) == 1
    assert said[0].startswith("error ")
    assert complaint in said[0]
    begin(inside)
    inside.play("> go 0 1\n< bestmove * ply 1")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("deploy 1", "deploy 1: not the time, or not our seat"),
        ("deploy 7", "'7': a seat must be a number"),
        ("start 0", "the game has started already"),
        ("lineup 0 " + LINEUP, "lineup after the start"),
        ("position variant duel turn 0 pieces", "position during a game"),
        ("go 1 1", "go 1: seat 0 is on turn"),
        ("go 0 2", "go 0 2: ply 1 is next"),
        ("go 0", "the ply is missing"),
        ("go 0 x", "'x': the ply must be a number"),
        ("illegal 0 1 a6a7", "illegal '0 1 a6a7': no such answer was given"),
        ("gameover", "'': expected 'win SEATS REASON' or 'draw REASON'"),
        ("gameover win 7 flag", "'7': a seat must be"),
        ("gameover draw luck", "'luck' is no reason"),
    ],
)
def test_commands_that_do_not_fit_in_a_game(inside: ProcessHost, line: str, complaint: str) -> None:
    begin(inside)
    said = inside.said(line)
    assert len(said) == 1
    assert said[0].startswith("error " + complaint), said
    inside.play("> go 0 1\n< bestmove * ply 1")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("moved 1 1 a7a6 MOVE", "seat 0 is on turn, not 1"),
        ("moved 1 0 z6a7 MOVE", "'z6a7' is no move"),
        ("moved 1 0 a6", "the result is missing"),
        ("moved 1 0 a6a6 MOVE", "a6a6 is not legal"),
        ("moved 1 0 b6b7 EAT", "b6b7 is not legal"),
        ("moved 1 0 a6a7 WIN", "'WIN' is no result"),
        ("moved 1 0 a6a7 MOVE", "MOVE, but a6a7 goes to a piece"),
        ("moved 1 0 b6b5 EAT", "EAT, but b6b5 goes to an empty point"),
        ("moved 1 0 a6a7 EAT flag 0 b1", "a6a7: EAT cannot be the end of it"),
        ("moved 1 0 a6a7 BOMB flag 1 c12", "a6a7: the flag of seat 1 cannot stand there"),
        ("moved 1 0 a6a7 EAT out 1 flag", "a6a7: EAT cannot be the end of it"),
        ("moved 1 0 a6a7 EAT out 1 boredom", "'boredom' is no reason"),
        ("moved 1 0 a6a7 KILLED", "a6a7: KILLED cannot be the end of it"),
        ("skipped 1 0 2 pass", "seat 0 skips for time 1, not 2"),
        ("skipped 1 0 1 nap", "'nap' is no skip"),
        ("skipped 1 0 1 pass out 1 skips", "out '1 skips': expected out 0 skips"),
        ("left 1 1 exit", "seat 0 is on turn, not 1"),
        ("left 1 0 boredom", "'boredom' is no reason"),
    ],
)
def test_impossible_events_lose_track_and_the_board_stays(inside: ProcessHost, line: str, complaint: str) -> None:
    begin(inside)  # our commander stands on a6
    said = inside.said(line)
    assert len(said) == 1
    assert complaint in said[0]
    assert said[0].endswith("; track of the game is lost")
    inside.play("> go 0 1\n< bestmove pass ply 1")
    begin(inside)
    inside.play("> go 0 1\n< bestmove * ply 1")


@pytest.mark.parametrize("missing", ["lineup 0 96317", "start 1"])
def test_a_question_before_the_start_is_answered_too(inside: ProcessHost, missing: str) -> None:
    """The referee has sent a line that was refused, and counts the time."""
    inside.send("newgame variant duel seats 0", missing)
    inside.until("error *")
    inside.play("""
        > go 0 1 clock 60000
        < error go before a game has started or a position is set
        < bestmove pass ply 1
        """)


@pytest.mark.parametrize(
    "limits", ["depth 9000000000000 movetime 20", "clock 9007199254740991 inc 9007199254740991 nodes 100"]
)
def test_huge_limits_are_limits(junqi: ProgramHost, limits: str) -> None:
    junqi.send("setoption name Level value search")
    begin(junqi)
    junqi.send(f"go 0 1 {limits}")
    assert [line.split()[0] for line in junqi.until("bestmove *")][-1] == "bestmove"
    assert not [line for line in junqi.transcript if "failed" in line]


def test_a_position_is_analysed(junqi: ProgramHost) -> None:
    junqi.play(f"""
        > {POSITION.replace("turn 0", "turn 0 quietnow 5 skipsof 0:1 flag 1:d12 see own")}
        > go 0 17 depth 3
        < bestmove * ply 17
        > go 1 17
        < error go 1: seat 0 is on turn*
        """)


def test_no_command_works_before_the_handshake(start: HostMaker) -> None:
    start("junqi", "--level", "path").play("""
        > newgame variant duel seats 0
        < error 'newgame variant duel seats 0' before the handshake, expected 'junqi 1'
        > junqi 1
        ~ junqiok 1
        """)


def test_end_of_input_is_quit(start: HostMaker) -> None:
    host = start()
    host.send("junqi 1")
    host.until("junqiok 1")
    host.end_input()
    host.over()


def test_an_unreachable_referee_is_reported(tmp_path: Path) -> None:
    for address, complaint in (("127.0.0.1:1", "refused"), ("nowhere", "expected HOST:PORT")):
        run = subprocess.run(
            [sys.executable, "-m", "sanqi", "junqi", "--connect", address], capture_output=True, text=True, cwd=tmp_path
        )
        assert run.returncode == 2
        assert complaint in run.stderr
        assert run.stderr.count("\n") == 1


def test_lineups_are_checked(junqi: ProgramHost) -> None:
    junqi.play(f"""
        > newgame variant duel seats 0
        > lineup 0 {LINEUP[:-1]}9
        < error 2 pieces 9, an army has 1
        > start 0
        < error start before the lineup of seat 0
        > lineup 0 {LINEUP}
        > start 0
        > go 0 1
        < bestmove * ply 1
        """)


# The rule about plies without a clash


@pytest.mark.parametrize(
    "lines",
    [
        ["newgame variant duel seats 0 {terms}", f"lineup 0 {LINEUP}", "start 0"],
        ["position variant duel turn 0 {terms} pieces 0:b1=F 0:a6=5 0:e6=5 1:b12=F 1:a7=9"],
    ],
    ids=["newgame", "position"],
)
def test_the_last_quiet_ply_is_left_to_the_other_side(capped: CappedMaker, lines: list[str]) -> None:
    for terms, clashes in (("quiet 1 quietend loss", {True}), ("quiet 1", {True, False})):
        host = capped(lambda channel: JlpProtocol(channel, "random"))
        host.send("junqi 1")
        host.until("junqiok 1")
        host.send(*(line.format(terms=terms) for line in lines))
        targets = set()
        for _ in range(400):
            host.send("go 0 1")
            targets.add(int(host.until("bestmove *")[-1].split()[1][3:]) == 7)
            if len(targets) == 2:
                break
        assert targets == clashes


# While a level thinks that takes all its time


@pytest.fixture
def slow(capped: CappedMaker, slow_level: str) -> Host:
    """An adapter in this process, in a game, that thinks until it is stopped."""
    host = capped(lambda channel: JlpProtocol(channel, slow_level, think_time_ms=3_600_000))
    host.send("junqi 1")
    host.until("junqiok 1")
    begin(host)
    return host


@pytest.mark.parametrize(
    ("limits", "time_ms"),
    [
        ("", 700),
        ("movetime 30000", 700),
        ("movetime 500", 490),
        ("clock 60000", 1500),
        ("clock 60000 inc 400", 1800),
        ("clock 60000 movetime 30000", 700),
        ("clock 4000 movetime 30000", 100),
        ("nodes 1000", 0),
        ("depth 3", 0),
        ("nodes 1000 movetime 20", 18),
        ("infinite", 0),
        ("infinite movetime 500", 0),
    ],
)
def test_the_time_for_a_move(
    capped: CappedMaker, slow_level: str, monkeypatch: pytest.MonkeyPatch, limits: str, time_ms: int
) -> None:
    asked: list[Limits] = []

    def choose(view: PlayerView, limits: Limits, chance: random.Random, signals: MoveSignals) -> int:
        asked.append(limits)
        return view.position.legal_moves()[0]

    monkeypatch.setitem(CHOOSERS, slow_level, choose)
    host = capped(lambda channel: JlpProtocol(channel, slow_level))
    host.send("junqi 1", "setoption name Think Time value 700")
    host.until("junqiok 1")
    begin(host)
    host.send(f"go 0 1 {limits}", "stop")
    host.until("bestmove *")
    assert [limits.hard_ms for limits in asked] == [time_ms]


def test_other_commands_are_answered_while_it_thinks(slow: Host) -> None:
    slow.play("""
        > go 0 1
        > isready
        < readyok
        > hello
        < error 'hello' is no command; nothing changed
        > setoption name Threads value 1
        < error 'Threads' is no option; nothing changed
        > lineup 0 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21
        < error lineup after the start; nothing changed
        > stop
        < bestmove * ply 1
        > isready
        < readyok
        """)


def test_it_ends_when_its_time_is_up(slow: Host) -> None:
    slow.play("""
        > go 0 1 movetime 20
        < bestmove * ply 1
        > go 0 1 clock 40 inc 1
        < bestmove * ply 1
        """)


def test_another_answer_after_endless_thinking_comes_by_itself(slow: Host) -> None:
    answer = slow.play("> go 0 1 infinite\n> stop\n< bestmove * ply 1")[0].split()[1]
    slow.play(f"> illegal 0 1 {answer} blocked\n< bestmove * ply 1")


@pytest.mark.parametrize("limits", ["movetime 60", "clock 1000", "clock 300 inc 20"])
def test_another_answer_has_the_time_that_is_left(
    slow: Host, slow_level: str, monkeypatch: pytest.MonkeyPatch, limits: str
) -> None:
    asked = []
    take_all_the_time = CHOOSERS[slow_level]

    def choose(view: PlayerView, limits: Limits, chance: random.Random, signals: MoveSignals) -> int:
        asked.append(limits.hard_ms)
        return take_all_the_time(view, limits, chance, signals)

    monkeypatch.setitem(CHOOSERS, slow_level, choose)
    slow.send(f"go 0 1 {limits}")
    for _ in range(2):
        answer = slow.line()
        assert answer is not None
        slow.send(f"illegal 0 1 {answer.split()[1]} blocked")
    slow.play("< bestmove * ply 1")
    assert asked[0] > asked[1] >= asked[2]


def test_commands_that_must_wait_for_the_answer_do(slow: Host) -> None:
    slow.send("go 0 1", "go 0 1", "illegal 0 1 a6a7", "isready", "stop")
    slow.play("""
        < readyok
        < bestmove * ply 1
        < bestmove * ply 1
        < bestmove * ply 1
        """)


@pytest.mark.parametrize("line", ["moved 1 0 c6c7 EAT", "skipped 1 0 1 time", "left 1 0 resign", "gameover draw quiet"])
def test_an_outdated_answer_is_dropped(slow: Host, line: str) -> None:
    slow.send("go 0 1", line, "stop", "isready")
    slow.play("< readyok")
    begin(slow)
    slow.play("> go 0 1 movetime 1\n< bestmove * ply 1")


def test_a_new_game_drops_the_answer(slow: Host) -> None:
    slow.send("go 0 1")
    begin(slow)
    slow.send("go 0 1", "stop")
    slow.play("< bestmove * ply 1\n> isready\n< readyok")


@pytest.mark.parametrize("infinite", ["", " infinite"])
def test_quit_ends_it_with_its_answer(slow: Host, infinite: str) -> None:
    slow.play(f"> go 0 1{infinite}\n> quit\n< bestmove * ply 1")
    slow.over()


@pytest.mark.parametrize("quits", [True, False])
def test_a_question_before_quit_is_answered_at_once(slow: Host, quits: bool) -> None:
    slow.send("go 0 1", "go 0 1", *["quit"] * quits)
    if not quits:
        slow.end_input()
    slow.play("< bestmove * ply 1\n| bestmove * ply 1")


def test_the_end_of_the_input_ends_it(slow: Host) -> None:
    slow.send("go 0 1")
    slow.end_input()
    slow.play("| bestmove * ply 1")
