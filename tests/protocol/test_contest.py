"""The two-seat protocol of the university contest, as its referee would speak it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from junqi_protocol.players.player import CHOOSERS
from junqi_protocol.protocols.contest import ContestProtocol, array
from junqi_protocol.protocols.contest_game import point_of, square_of
from junqi_protocol.rules.geometry import CAMPS, DUEL, HOME_POINTS, parse_move
from junqi_protocol.rules.lineup import COMMANDER, FLAG, UNKNOWN, mirrored
from junqi_protocol.rules.lineup import parse as parse_lineup
from junqi_protocol.rules.position import RESULTS, Position
from junqi_protocol.rules.rated_lineups import RATED_LINEUPS
from search_core.line_protocol import decode_line

from .conftest import EXAMPLES, PROGRAM_EXAMPLES
from .test_fuzz import must_end_well, mutated

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from junqi_protocol.knowledge.player_view import PlayerView
    from search_core.thinker import Limits
    from search_core.thinking_thread import MoveSignals
    from tests.protocol.conftest import CappedMaker, Host, HostMaker, ProcessHost

LINEUP = parse_lineup("96317/5.3.5/81.37/B.2.4/6M2MB/4FM21")
PIECES = dict(zip("abcdefghijkl", "987654321MBF"))
RESULT_NUMBERS = {"KILLED": 0, "EAT": 1, "BOMB": 2, "MOVE": 3}
quick_contest = partial(ContestProtocol, level="path")  # the default thinks for a fortieth of its clock
BARRIER = "BARRIER"  # is refused after everything before it has been answered


def turned(word: str) -> str:
    """Squares as the other side sees them."""
    return "".join(chr(ord("A") + ord("L") - ord(c)) if c.isalpha() else str(4 - int(c)) for c in word)


def point(square: str) -> int:
    """The point with this name for the side that begins: G0 is a6 in the duel's own names."""
    return DUEL.numbers["abcde"[int(square[1])] + str(12 - "ABCDEFGHIJKL".index(square[0]))]


def square(point: int) -> str:
    """The inverse of point()."""
    name = DUEL.squares[point]
    return "ABCDEFGHIJKL"[12 - int(name[1:])] + str("abcde".index(name[0]))


def lineup_of(letters: str) -> str:
    """What an ARRAY stands for, checked."""
    rest = iter(letters)
    lineup = "".join("." if index in CAMPS else PIECES[next(rest)] for index in range(HOME_POINTS))
    assert next(rest, None) is None
    return parse_lineup("/".join(lineup[i : i + 5] for i in range(0, HOME_POINTS, 5)))


@dataclass
class Contest:
    """The contest's referee for one game between two engines past their INFO. Judges as the contest does."""

    hosts: tuple[Host, Host]
    steps: int = 31

    def play(self) -> str:
        """Returns how the game ended."""
        self.lineups = [self.ask(seat, f"START {seat} 1800 {self.steps}", "ARRAY ") for seat in (0, 1)]
        position = Position("duel", quiet=self.steps, quiet_loses=True)
        position.deploy([lineup_of(letters) for letters in self.lineups])
        self.flags = [seat * HOME_POINTS + lineup_of(letters).index("F") for seat, letters in enumerate(self.lineups)]
        dead: set[int] = set()
        told = "0000 0"
        while position.outcome_text is None:
            seat = position.turn
            word = self.ask(seat, f"GO {told} {self.flag(seat, dead)}", "BESTMOVE ")
            move = self.number(word if seat == 0 else turned(word))
            assert position.is_legal(move), self.hosts[seat].told()
            clashes = any(position.piece_at(other & 255) for other in position.legal_moves())
            if position.quiet == self.steps - 1 and clashes:
                assert position.piece_at(move & 255), self.hosts[seat].told()
            result, shown, _fallen = position.push(move)
            dead.update(shown)
            number = RESULT_NUMBERS[RESULTS[result]]
            self.hosts[seat].send(f"RESULT {number} {self.flag(seat, dead)}")
            told = f"{turned(word)} {number}"
        winner = position.winner
        for seat, host in enumerate(self.hosts):
            host.send(f"END {2 if winner is None else int(seat == winner)}")
            host.over()
        return position.outcome_text

    def ask(self, seat: int, line: str, answer: str) -> str:
        host = self.hosts[seat]
        host.send(line)
        said = host.line()
        assert said is not None and said.startswith(answer), host.told()
        return said[len(answer) :]

    def flag(self, seat: int, dead: set[int]) -> str:
        """Where the other side's flag stands if the seat may know."""
        if 1 - seat not in dead:
            return "00"
        seen = square(self.flags[1 - seat])
        return seen if seat == 0 else turned(seen)

    @staticmethod
    def number(word: str) -> int:
        assert len(word) == 4
        return point(word[:2]) << 8 | point(word[2:])


@pytest.fixture
def contest(capped: CappedMaker, monkeypatch: pytest.MonkeyPatch) -> ProcessHost:
    """An adapter in this process that has begun as the first mover, with LINEUP."""
    monkeypatch.setattr("junqi_protocol.protocols.contest.rated_lineup", lambda variant, chance: LINEUP)
    host = capped(quick_contest)
    host.play("""
        > INFO 1.0
        < NAME sanqi *
        > START 0 1800 31
        < ARRAY adgicegebigckhfdjhjkfljhi
        """)
    return host


def board(host: ProcessHost) -> PlayerView:
    assert isinstance(host.adapter, ContestProtocol)
    assert host.adapter.game is not None
    return host.adapter.game.view


def move_by(host: ProcessHost, word: str) -> None:
    """Have the adapter believe that it sent this move."""
    assert isinstance(host.adapter, ContestProtocol)
    assert host.adapter.game is not None
    host.adapter.game.sent = point_of(word[:2], 0) << 8 | point_of(word[2:], 0)


def said(host: Host, *lines: str) -> list[str]:
    """What the engine answers."""
    host.send(*lines, BARRIER)
    return host.until(f"ERROR '{BARRIER}' is no command*")[:-1]


def stand(host: ProcessHost, ours: Mapping[str, int], theirs: Mapping[str, int], quiet: int = 0) -> None:
    """Put other pieces on the board: our types, and the sets of possible types of theirs."""
    view = board(host)
    view.position = Position("duel")
    for name, kind in ours.items():
        view.position.place(0, point(name), kind)
    for name in theirs:
        view.position.place(1, point(name), UNKNOWN)
    view.position.set_state(0, quiet, [0, 0])
    view.knowledge.living = [
        {point(name): 1 << kind for name, kind in ours.items()},
        {point(name): types for name, types in theirs.items()},
    ]


# Dialogues


def test_the_page_s_dialogue(contest: ProcessHost) -> None:
    page = (Path(__file__).parents[2] / "docs" / "junqi-contest.md").read_text(encoding="utf-8")
    rows = page.split("```text\n")[1].split("\n```")[0].splitlines()
    assert contest.transcript[0::2] == rows[0:3:2]
    assert contest.transcript[3] == rows[3]
    for row in rows[4:]:
        if row.startswith(">"):
            contest.send(row[2:])
        else:
            contest.play("< BESTMOVE *")
            move_by(contest, row.split()[-1])
    contest.over()


def test_the_program(start: HostMaker) -> None:
    host = start("contest", "--level", "path")
    host.play("""
        > INFO 1.0
        < NAME sanqi *
        > START 0 1800 31
        < ARRAY ?????????????????????????
        > GO 0000 0 00
        < BESTMOVE ????
        > END 2
        """)
    host.over()


@pytest.mark.parametrize("first", ["INFO 1.0", "info 1.0", " Info  1.0 "])
def test_its_first_line_is_found(start: HostMaker, first: str) -> None:
    start().play(f"""
        > {first}
        < NAME sanqi *
        > START 1 1800 31
        < ARRAY ?????????????????????????
        """)


@pytest.mark.parametrize("first", ["INFO timeout_turn 0", "INFO rule 1.0", "INFO 1.0 2", "INFO"])
def test_every_other_info_is_gomocup_s(start: HostMaker, first: str) -> None:
    host = start()
    host.send(first, "START 15")
    host.until("OK")


def test_end_of_input_is_quit(start: HostMaker) -> None:
    for last in ((), ("QUIT",), ("START 0 1800 31", "quit")):
        host = start("contest", "--level", "path")
        host.send("INFO 1.0", *last)
        host.end_input()
        host.until("NAME *")
        while host.line() is not None:
            pass
        assert host.exit_status() == 0


# Squares and letters


def test_each_side_sees_itself_at_the_bottom() -> None:
    for seat in (0, 1):
        assert point_of("G0", seat) == seat * HOME_POINTS
        assert point_of("F4", seat) == (1 - seat) * HOME_POINTS
        assert point_of("l4", seat) == seat * HOME_POINTS + 29
        assert [square_of(seat * HOME_POINTS + camp, seat) for camp in CAMPS] == ["H1", "H3", "I2", "J1", "J3"]
    for place in range(DUEL.size):
        assert square_of(place, 0) == square(place)
        assert square_of(place, 1) == turned(square(place))
        assert [point_of(square_of(place, seat), seat) for seat in (0, 1)] == [place, place]


def test_the_lineup_is_one_of_the_board_for_two(capped: CappedMaker) -> None:
    lineups = [parse_lineup(text) for text in RATED_LINEUPS["duel"]]
    rated = {*lineups, *map(mirrored, lineups)}
    for _ in range(3):
        host = capped(quick_contest)
        *_, array_line = host.play("""
            > INFO 1.0
            < NAME *
            > START 0 1800 31
            < ARRAY *
            """)
        assert lineup_of(array_line.split()[1]) in rated


def test_an_array_lists_the_lineup_without_camps() -> None:
    assert array(LINEUP) == "adgicegebigckhfdjhjkfljhi"
    assert lineup_of(array(LINEUP)) == LINEUP


# Messages of the referee


def test_our_move_counts_from_its_result_on(contest: ProcessHost) -> None:
    contest.play("> GO 0000 0 00\n< BESTMOVE *")
    assert board(contest).position.ply == 0
    move_by(contest, "G0F0")
    assert said(contest, "RESULT 1 00") == []
    assert board(contest).position.piece_at(point("F0")) == (0, 9)
    assert board(contest).position.turn == 1
    contest.play("> GO F4G4 0 00\n< BESTMOVE *")
    assert board(contest).position.ply == 2
    assert board(contest).position.piece_at(point("F4")) is None


def test_the_second_mover(capped: CappedMaker) -> None:
    host = capped(quick_contest)
    host.play("""
        > INFO 1.0
        < NAME *
        > START 1 1800 31
        < ARRAY *
        > GO F1E1 3 00
        < BESTMOVE *
        """)
    move = parse_move(DUEL, "d6d5")  # what we call F1E1
    assert board(host).position.piece_at(move >> 8) is None
    assert board(host).position.piece_at(move & 255) is not None
    assert board(host).position.turn == 1


def test_a_flag_is_known_from_its_commander_s_death_on(contest: ProcessHost) -> None:
    contest.send("GO 0000 0 00")
    contest.until("BESTMOVE *")
    move_by(contest, "G0F0")  # our commander meets theirs
    assert said(contest, "RESULT 2 A3") == []
    knowledge = board(contest).knowledge
    assert knowledge.flag_of(1) == point("A3")
    assert board(contest).position.piece_at(point("A3")) == (1, 12)
    assert 1 << 9 not in knowledge.living[0].values()
    contest.play("> GO F4G4 1 A3\n< BESTMOVE *")
    move_by(contest, "G2F2")
    assert said(contest, "RESULT 3 A3")[0].startswith("ERROR 'G2F2, RESULT 3 A3' cannot be: MOVE, but ")


@pytest.mark.parametrize(("told", "alive"), [("F0G0 2 A1", False), ("F0G0 0 00", True), ("F0G0 0", True)])
def test_our_own_commander_s_death_shows_in_the_result(contest: ProcessHost, told: str, alive: bool) -> None:
    contest.send("GO 0000 0 00")
    contest.until("BESTMOVE *")
    move_by(contest, "G4F4")
    assert said(contest, "RESULT 0") == []  # some referees leave out an unknown flag
    assert [line.split()[0] for line in said(contest, f"GO {told}")] == ["BESTMOVE"]
    assert (1 << COMMANDER in board(contest).knowledge.living[0].values()) is alive


def test_nothing_beats_our_commander_and_lives(contest: ProcessHost) -> None:
    contest.send("GO 0000 0 00")
    contest.until("BESTMOVE *")
    move_by(contest, "G4F4")
    contest.play("> RESULT 0 00\n> GO F0G0 1 00\n< ERROR 'F0G0 1 00' cannot be: *\n< BESTMOVE *")


@pytest.mark.parametrize(
    ("types", "told"), [(1 << FLAG, "1 00"), (1 << FLAG, "1 A1"), (1 << FLAG | 1 << 2, "1 A1"), (1 << FLAG, "2 00")]
)
def test_a_flag_that_falls_ends_the_game(contest: ProcessHost, types: int, told: str) -> None:
    bomb = told.startswith("2")
    stand(contest, {"L1": FLAG, "A0": 10 if bomb else 5}, {"A1": types, "A3": 1 << FLAG | 1 << 2, "F0": 1 << 4})
    contest.send("GO 0000 0 00")
    contest.until("BESTMOVE *")
    move_by(contest, "A0A1")
    assert said(contest, f"RESULT {told}") == []
    assert board(contest).position.outcome_text == "win 0 flag"
    contest.play("> GO F0E0 3 00\n< ERROR the game is over; the board stays as it was\n< BESTMOVE 0000")


def test_a_headquarters_without_the_flag_shows_where_it_is(contest: ProcessHost) -> None:
    either = 1 << FLAG | 1 << 2
    stand(contest, {"L1": FLAG, "A0": 5}, {"A1": either, "A3": either, "F0": 1 << 4})
    contest.send("GO 0000 0 00")
    contest.until("BESTMOVE *")
    move_by(contest, "A0A1")
    assert said(contest, "RESULT 1 00") == []
    assert board(contest).position.outcome_text is None
    assert board(contest).knowledge.flag_of(1) == point("A3")


def test_our_flag_may_fall(contest: ProcessHost) -> None:
    contest.send("GO 0000 0 00")
    contest.until("BESTMOVE *")
    stand(contest, {"L1": FLAG, "G0": 5}, {"A1": 1 << FLAG, "L0": 1 << 4})
    move_by(contest, "G0H0")
    contest.play("> RESULT 3 00\n> GO L0L1 1 00\n< BESTMOVE 0000")
    assert board(contest).position.outcome_text == "win 1 flag"


# The rule about plies without a clash


@pytest.mark.parametrize("level", ["path", "expect", "events", "greedy", "random", "3"])
def test_the_last_quiet_ply_is_left_to_the_other_side(capped: CappedMaker, level: str) -> None:
    for _ in range(10):
        host = capped(lambda channel: ContestProtocol(channel, level))
        answer = host.play("""
            > INFO 1.0
            < NAME *
            > START 0 1800 1
            < ARRAY *
            > GO 0000 0 00
            < BESTMOVE *
            """)[-1].split()[1]
        assert answer[2] in "ABCDEF"
        assert board(host).position.piece_at(point(answer[2:])) is not None


def test_without_a_clash_to_choose_the_last_quiet_ply_is_played(contest: ProcessHost) -> None:
    stand(contest, {"L1": FLAG, "G0": 2}, {"A1": 1 << FLAG, "A2": 1 << 11}, quiet=30)
    contest.play("> GO 0000 0 00\n< BESTMOVE G0*")


def test_the_clash_with_the_best_expectation_is_chosen(contest: ProcessHost) -> None:
    # No clash can win: the platoon loses least.
    ours = {"L1": FLAG, "G0": 8, "G4": 2}
    stand(contest, ours, {"A1": 1 << FLAG, "F0": 1 << 9, "F4": 1 << 9}, quiet=30)
    contest.play("> GO 0000 0 00\n< BESTMOVE G4F4")
    contest.send("RESULT 0 00", "GO F0F1 3 00")
    contest.until("BESTMOVE *")


def test_no_move_is_0000(contest: ProcessHost) -> None:
    stand(contest, {"L1": FLAG}, {"A1": 1 << FLAG})
    contest.play("> GO 0000 0 00\n< BESTMOVE 0000\n> RESULT 3 00\n< ERROR RESULT without a move of ours*")


# Whole games


@pytest.mark.parametrize(
    ("levels", "steps"),
    [
        (("path", "events"), 31),
        (("greedy", "path"), 31),
        (("expect", "path"), 31),
        (("events", "greedy"), 31),
        (("random", "greedy"), 31),
        (("random", "random"), 10),
        (("path", "path"), 10),
    ],
)
def test_whole_games(capped: CappedMaker, levels: tuple[str, str], steps: int) -> None:
    def engine(level: str) -> Host:
        host = capped(lambda channel: ContestProtocol(channel, level))
        host.play("> INFO 1.0\n< NAME sanqi *")
        return host

    end = Contest((engine(levels[0]), engine(levels[1])), steps).play()
    assert end.split()[-1] in ("flag", "nomove", "quiet")


def test_a_whole_game_of_two_programs(start: HostMaker) -> None:
    hosts = start("contest", "--level", "greedy"), start("contest", "--level", "path")
    for host in hosts:
        host.play("> INFO 1.0\n< NAME sanqi *")
    assert Contest(hosts).play().split()[-1] in ("flag", "nomove", "quiet")


# While a level thinks that takes all its time


@pytest.fixture
def slow(slow_level: str, contest: ProcessHost) -> ProcessHost:
    """An adapter in this process that is asked for its first move, and thinks until it is stopped."""
    contest.send("GO 0000 0 00")
    return contest


def test_the_end_of_the_game_ends_it_without_an_answer(slow: ProcessHost) -> None:
    slow.send("END 2")
    slow.over()


def test_the_end_of_the_game_does_not_wait_for_lines_before_it(slow: ProcessHost) -> None:
    slow.send("RESULT 3 00", BARRIER, "GO", "END 3", "END 2")
    slow.play("| ERROR '3': the end must be*")


def test_a_question_before_the_end_of_the_input_is_answered_at_once(slow: ProcessHost) -> None:
    slow.send("RESULT 3 00", BARRIER, "GO")
    slow.end_input()
    slow.play(f"~ BESTMOVE *\n~ ERROR '{BARRIER}'*\n~ BESTMOVE *")
    must_end_well(slow)


@pytest.mark.parametrize("waiting", [(), ("RESULT 3 00", BARRIER, "GO")])
def test_quit_ends_it_with_its_answer(slow: ProcessHost, waiting: tuple[str, ...]) -> None:
    slow.send(*waiting)
    slow.play("> QUIT\n| BESTMOVE *")


def test_the_end_of_the_input_ends_it_with_its_answer(slow: ProcessHost) -> None:
    slow.end_input()
    slow.play("| BESTMOVE *")


def test_the_time_for_a_move_is_what_start_and_the_moves_before_leave(
    capped: CappedMaker, slow_level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    take_all_the_time = CHOOSERS[slow_level]

    def choose(view: PlayerView, limits: Limits, chance: random.Random, signals: MoveSignals) -> int:
        asked.append(limits.hard_ms)
        return take_all_the_time(view, limits, chance, signals)

    monkeypatch.setitem(CHOOSERS, slow_level, choose)
    host = capped(lambda channel: ContestProtocol(channel, slow_level))
    host.play("> INFO 1.0\n< NAME *\n> START 0 2 31\n< ARRAY *")
    stand(host, {"L1": FLAG, "G0": 5}, {"A1": 1 << FLAG, "F4": 1 << 9})
    host.play("> GO 0000 0 00\n< BESTMOVE *\n> RESULT 3 00\n> GO F4F3 3 00\n< BESTMOVE *")
    assert asked[0] > asked[1] > 0


@pytest.mark.parametrize(
    ("max_movetime", "seconds", "planned"),
    [
        ((), 1800, 10_000 - 100),  # 100: so that no move is late
        ((), 10**6, 10_000 - 100),
        ((), 40, 1000),  # a short clock is shared as before
        ((60_000,), 1800, 45_000),
        ((500,), 1800, 450),
        ((1,), 1800, 5),
    ],
)
def test_no_move_takes_longer_than_the_limit_for_each_move(
    capped: CappedMaker, monkeypatch: pytest.MonkeyPatch, max_movetime: tuple[int, ...], seconds: int, planned: int
) -> None:
    asked = []

    def choose(view: PlayerView, limits: Limits, chance: random.Random, signals: MoveSignals) -> int:
        asked.append(limits.hard_ms)
        return chance.choice(view.position.legal_moves())

    monkeypatch.setitem(CHOOSERS, "events", choose)
    host = capped(lambda channel: ContestProtocol(channel, "events", *max_movetime))
    host.play(f"> INFO 1.0\n< NAME *\n> START 0 {seconds} 31\n< ARRAY *\n> GO 0000 0 00\n< BESTMOVE *")
    assert asked == [planned]


def test_the_limit_for_each_move_is_an_option_of_the_program(start: HostMaker) -> None:
    host = start("contest", "--max-movetime", "20")
    host.play("> INFO 1.0\n< NAME *\n> START 0 1800 31\n< ARRAY *\n> GO 0000 0 00\n< BESTMOVE *\n> QUIT")


def test_a_wrong_end_is_refused_while_it_thinks(slow: ProcessHost) -> None:
    slow.play("> END 3\n< ERROR '3': the end must be*\n> QUIT\n| BESTMOVE *")


# Commands that do not fit


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("hello", "'hello' is no command; nothing changed"),
        ("BESTMOVE G0F0", "'BESTMOVE' is no command; nothing changed"),
        ("INFO 2.0", "INFO '2.0': expected version 1.0; nothing changed"),
        ("INFO", "INFO '': expected version 1.0; nothing changed"),
        ("START", "first is missing"),
        ("START 0 1800", "the number of steps is missing"),
        ("START 2 1800 31", "'2': first must be a number from 0 to 1"),
        ("START 0 soon 31", "'soon': the time must be a number"),
        ("START 0 1800 -1", "'-1': the number of steps must be a number"),
        ("GO 0000 0 00", "'GO 0000 0 00' before the start; nothing changed"),
        ("RESULT 3 00", "'RESULT 3 00' before the start; nothing changed"),
        ("END", "the end is missing"),
        ("END 3", "'3': the end must be a number from 0 to 2"),
    ],
)
def test_commands_that_do_not_fit_get_one_error_and_change_nothing(
    capped: CappedMaker, line: str, complaint: str
) -> None:
    host = capped(quick_contest)
    host.send("INFO 1.0")
    host.until("NAME *")
    [answer] = said(host, line)
    assert answer.startswith("ERROR " + complaint)
    host.play("> START 0 1800 31\n< ARRAY *\n> GO 0000 0 00\n< BESTMOVE *")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("INFO 1.0", "INFO 1.0 during a game; nothing changed"),
        ("START 0 1800 31", "START during a game; nothing changed"),
        ("RESULT 3 00", "RESULT without a move of ours; nothing changed"),
        ("RESULT", "the result is missing"),
        ("RESULT 4 00", "'4': the result must be a number from 0 to 3"),
        ("RESULT 3 Z9", "'Z9' is no square, expected 00 or the flag's such as A1"),
        ("RESULT 3 0", "'0' is no square"),
    ],
)
def test_commands_that_do_not_fit_in_a_game(contest: ProcessHost, line: str, complaint: str) -> None:
    [answer] = said(contest, line)
    assert answer.startswith("ERROR " + complaint)
    contest.play("> GO 0000 0 00\n< BESTMOVE *")
    if line != "RESULT 3 00":
        assert len(said(contest, line)) == 1
    move_by(contest, "G0F0")
    assert said(contest, "RESULT 1 00") == []


def test_no_command_works_before_the_first_line(capped: CappedMaker) -> None:
    capped(quick_contest).play("""
        > START 0 1800 31
        < ERROR 'START 0 1800 31' before 'INFO 1.0'; nothing changed
        > GO 0000 0 00
        < ERROR 'GO 0000 0 00' before 'INFO 1.0'; nothing changed
        > INFO 1.0
        < NAME *
        """)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("GO", "the move is missing"),
        ("GO F0", "'F0' is no move, expected two squares such as F0G0"),
        ("GO F0G5 3 00", "'F0G5' is no move"),
        ("GO F0G0", "the result is missing"),
        ("GO F0G0 x 00", "'x': the result must be a number from 0 to 3"),
        ("GO F0G0 1 A9", "'A9' is no square"),
        ("GO 0000 0 00", "'0000' is no move"),
        ("GO F0E0 3 00", "'F0E0 3 00' cannot be: "),
        ("GO E1D1 3 00", "'E1D1 3 00' cannot be: "),
        ("GO G1F1 3 00", "'G1F1 3 00' cannot be: "),
        ("GO F4G4 3 00", "'F4G4 3 00' cannot be: MOVE, but e7e6"),
        ("GO F1G1 1 00", "'F1G1 1 00' cannot be: "),
        ("GO F4G4 1 A1", "'F4G4 1 A1' cannot be: "),
        ("GO F4G4 0 B1", "'F4G4 0 B1' cannot be: e7e6: the flag of seat 1 cannot stand there"),
        ("GO F4G4 0 L1", "'F4G4 0 L1' cannot be: "),
    ],
)
def test_an_impossible_question_is_still_answered_and_the_board_stays(
    contest: ProcessHost, line: str, complaint: str
) -> None:
    contest.send("GO 0000 0 00")
    contest.until("BESTMOVE *")
    move_by(contest, "G0F0")
    assert said(contest, "RESULT 1 00") == []
    before = board(contest).position
    error, answer = said(contest, line)
    assert error.startswith("ERROR " + complaint)
    assert error.endswith("; the board stays as it was")
    assert answer.startswith("BESTMOVE ")
    assert board(contest).position is before
    seat, _kind = before.piece_at(point(answer.split()[1][:2])) or (1, 0)
    assert seat == 0
    # The corrected question is answered, and the game goes on.
    contest.play("> GO F4G4 0 00\n< BESTMOVE *")
    assert board(contest).position.ply == 2


def test_the_result_of_a_move_made_without_track_loses_track(contest: ProcessHost) -> None:
    contest.send("GO 0000 0 00")
    contest.until("BESTMOVE *")
    move_by(contest, "G0F0")
    contest.play("""
        > RESULT 1 00
        > GO F1G1 3 00
        < ERROR 'F1G1 3 00' cannot be: *; the board stays as it was
        < BESTMOVE *
        > RESULT 3 00
        < ERROR *; track of the game is lost
        > GO F4G4 0 00
        < ERROR track of the game is lost; the board stays as it was
        < BESTMOVE *
        > RESULT 3 00
        < ERROR track of the game is lost
        > GO F4G4 0 00
        < ERROR track of the game is lost; the board stays as it was
        < BESTMOVE *
        > END 0
        """)
    contest.over()


def test_an_impossible_result_loses_track(contest: ProcessHost) -> None:
    contest.send("GO 0000 0 00")
    contest.until("BESTMOVE *")
    move_by(contest, "G0F0")
    contest.play("""
        > RESULT 3 00
        < ERROR 'G0F0, RESULT 3 00' cannot be: MOVE, but *; track of the game is lost
        > GO F4G4 0 00
        < ERROR track of the game is lost; the board stays as it was
        < BESTMOVE *
        """)
    assert board(contest).position.ply == 0


def test_a_repeated_question_has_the_same_answer(contest: ProcessHost) -> None:
    [answer] = contest.play("> GO 0000 0 00\n< BESTMOVE *")
    move = answer.split()[1]
    contest.play(f"> GO 0000 0 00\n< ERROR GO before the RESULT of {move}; the answer stands\n< {answer}")


def test_the_first_question_to_the_first_mover_names_no_move(contest: ProcessHost) -> None:
    contest.play("""
        > GO F4G4 0 00
        < ERROR 'F4G4': we are on turn, expected 0000; the board stays as it was
        < BESTMOVE *
        """)


# Random and mutated lines, as in test_fuzz.py

CORPUS = (
    "INFO 1.0",
    "INFO 2.0",
    "START 0 1800 31",
    "START 1 1000 10",
    "START 2 x 31",
    "GO 0000 0 00",
    "GO F4G4 0 00",
    "GO F0G0 2 A1",
    "GO F1E1 3 00",
    "GO F2G2 1 00",
    "GO E1F1 3 A3",
    "GO A0K4 3 00",
    "GO l4a0 1 L1",
    "RESULT 0 00",
    "RESULT 1 00",
    "RESULT 2 A1",
    "RESULT 3 00",
    "RESULT 1 A3",
    "RESULT 9 M5",
    "END 7",
    "# a comment",
    "",
)


def squares() -> st.SearchStrategy[str]:
    """Squares of the board, so that some of the moves fit."""
    return st.builds(lambda row, column: f"{row}{column}", st.sampled_from("ABCDEFGHIJKL"), st.integers(0, 4))


def lines(count: int) -> st.SearchStrategy[list[bytes]]:
    """`count` lines: good ones, mutated ones and noise."""
    line = st.one_of(
        st.sampled_from(CORPUS).map(str.encode),
        st.builds(lambda a, b, r: f"GO {a}{b} {r} 00".encode(), squares(), squares(), st.integers(0, 3)),
        mutated(CORPUS),
        mutated(CORPUS),
        st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.binary(max_size=40),
    ).map(lambda raw: raw.replace(b"\n", b" "))
    opening = st.sampled_from([[], [b"START 0 1800 31"], [b"START 1 1800 31"]])
    return st.builds(lambda first, rest: first + rest, opening, st.lists(line, min_size=count, max_size=count))


def converse(host: Host, raw_lines: list[bytes]) -> None:
    """Send every line; each gets at most one error, and every GO of a game exactly one answer."""
    started = False
    for raw in raw_lines:
        word, *rest = decode_line(raw).lower().split() or [""]
        ends = word == "end" and rest and rest[0].isascii() and rest[0].isdecimal() and int(rest[0]) <= 2
        host.transcript.append(f"> {raw!r}")
        host.write(raw + b"\n")
        if word == "quit" or ends:
            break
        host.send(BARRIER)
        answers = host.until(f"ERROR '{BARRIER}' is no command*")[:-1]
        assert all(line.startswith(("ERROR ", "BESTMOVE ", "NAME ", "ARRAY ")) for line in answers), host.told()
        assert sum(line.startswith("ERROR ") for line in answers) <= 1, host.told()
        moves = [line for line in answers if line.startswith("BESTMOVE ")]
        assert len(moves) == (1 if started and word == "go" else 0), host.told()
        assert all(len(line) < 300 for line in answers), host.told()
        started = started or any(line.startswith("ARRAY ") for line in answers)
    else:
        host.end_input()
    must_end_well(host)


@pytest.mark.fuzz
@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(raw_lines=lines(40))
def test_fuzzed_adapter(capped: CappedMaker, raw_lines: list[bytes]) -> None:
    host = capped(quick_contest)
    host.play("> INFO 1.0\n< NAME *")
    converse(host, raw_lines)


@pytest.mark.fuzz
@settings(max_examples=PROGRAM_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(raw_lines=lines(50))
def test_fuzzed_program(start: HostMaker, raw_lines: list[bytes]) -> None:
    host = start("contest", "--level", "path")
    host.play("> INFO 1.0\n< NAME *")
    converse(host, raw_lines)
