"""Junqi's levels: what they conclude from the moves, how they use it, and what a view refuses."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable

import pytest

from junqi_protocol.knowledge.knowledge import (
    A_BOMB,
    A_FLAG,
    A_MINE,
    AN_ENGINEER,
    BOTH_DIED,
    EAT,
    KILLED,
    MOVE,
    RANKS,
    Knowledge,
    highest_rank,
    lowest_rank,
)
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.levels import LEVELS, SEARCH
from junqi_protocol.players.players import choose
from junqi_protocol.rules import lineup
from junqi_protocol.rules.geometry import HEADQUARTERS, SIGUO, VARIANTS, Variant, move_of, move_text, parse_move
from junqi_protocol.rules.lineup import ENGINEER, FLAG, PIECES, UNKNOWN, LineupError, random_lineup
from junqi_protocol.rules.position import Contradiction, IllegalMove, Position

LINEUP = lineup.parse("96317/5.3.5/81.37/B.2.4/6M2MB/4FM21")
HQ, OTHER_HQ = HEADQUARTERS


def ranks(lowest: int, highest: int) -> int:
    """The types of these ranks."""
    return RANKS >> lowest << lowest & (1 << highest + 1) - 1


# ------------------------------------------------------------------ knowledge


class Script:
    """Clashes, one after another, of the known pieces of seats 0 and 2 with those of seats 1 and 3."""

    def __init__(self, seats: tuple[int, ...] = (0, 2)) -> None:
        self.knowledge = Knowledge(SIGUO, seats, dict.fromkeys(seats, LINEUP))
        self.own = {
            letter: [point for seat in seats for point in self.of(seat, letter)] for letter in set(LINEUP) - {"."}
        }

    @staticmethod
    def of(seat: int, letter: str) -> list[int]:
        return [seat * 30 + index for index in range(30) if LINEUP[index] == letter]

    def they_attack(self, letter: str, point: int, result: int, flags: tuple[tuple[int, int], ...] = ()) -> int:
        """An enemy attacks a piece of ours of this type; returns our piece's point."""
        target = self.own[letter].pop()
        self.knowledge.moved(1, move_of(point, target), result, flags, (), False)
        return target

    def we_attack(self, letter: str, point: int, result: int, flags: tuple[tuple[int, int], ...] = ()) -> int:
        """A piece of ours of this type attacks; returns its point."""
        origin = self.own[letter].pop()
        self.knowledge.moved(origin // 30, move_of(origin, point), result, flags, (), False)
        return origin

    def types(self, point: int) -> int:
        return self.knowledge.living[1][point]


def enemy(index: int) -> int:
    """A home point of seat 1: 0-4 in the front row, from 20 on in the two rows of mines."""
    return 30 + index


@pytest.fixture
def script() -> Script:
    return Script()


def test_lowest_and_highest_rank() -> None:
    for types, bounds in (
        (ranks(3, 7), (3, 7)),
        (ranks(5, 5) | A_BOMB, (5, 5)),
        (RANKS | A_MINE | A_FLAG, (1, 9)),
        (A_MINE, (0, 0)),
    ):
        assert (lowest_rank(types), highest_rank(types)) == bounds


def test_at_first_only_the_place_limits_the_types(script: Script) -> None:
    assert script.types(enemy(0)) == RANKS
    assert script.types(enemy(10)) == RANKS | A_BOMB
    assert script.types(enemy(20)) == RANKS | A_BOMB | A_MINE
    assert script.types(enemy(HQ)) == RANKS | A_BOMB | A_MINE | A_FLAG
    assert [script.knowledge.living[0][index] for index in (0, 15, 26)] == [1 << 9, A_BOMB, A_FLAG]


def test_a_piece_that_took_ours_is_higher(script: Script) -> None:
    stands = script.they_attack("5", enemy(10), EAT)
    assert script.types(stands) == ranks(6, 9)
    assert enemy(10) not in script.knowledge.living[1]
    stands = script.they_attack("8", enemy(11), EAT)
    assert script.types(stands) == ranks(9, 9)


def test_a_piece_that_ours_died_on_is_higher_or_a_mine(script: Script) -> None:
    script.we_attack("5", enemy(0), KILLED)
    script.we_attack("5", enemy(20), KILLED)
    script.we_attack("9", enemy(21), KILLED, ((2, 60 + 26),))
    assert script.types(enemy(0)) == ranks(6, 9)
    assert script.types(enemy(20)) == ranks(6, 9) | A_MINE
    assert script.types(enemy(21)) == A_MINE


def test_a_piece_above_the_highest_rank_is_a_mine(script: Script) -> None:
    script.they_attack("M", enemy(0), KILLED, ((1, enemy(HQ)),))
    script.we_attack("8", enemy(20), KILLED)
    assert script.types(enemy(20)) == A_MINE


def test_a_dead_commander_shows_the_flag_and_leaves_no_other(script: Script) -> None:
    script.they_attack("M", enemy(0), KILLED, ((1, enemy(OTHER_HQ)),))
    assert script.knowledge.dead[1] == [1 << 9]
    assert script.knowledge.flag_of(1) == enemy(OTHER_HQ)
    assert script.types(enemy(HQ)) == ranks(1, 8) | A_BOMB | A_MINE
    assert script.types(enemy(1)) == ranks(1, 8)
    assert script.knowledge.living[3][90] == RANKS


def test_the_known_high_pieces_bound_the_others(script: Script) -> None:
    script.they_attack("8", enemy(0), EAT)
    assert highest_rank(script.types(enemy(1))) == 8
    script.they_attack("7", enemy(2), EAT)
    assert highest_rank(script.types(enemy(1))) == 7
    stands = [script.they_attack("6", enemy(index), EAT) for index in (3, 4)]
    assert [script.types(point) for point in stands] == [ranks(7, 7)] * 2
    assert highest_rank(script.types(enemy(1))) == 6


def know_the_two_highest(script: Script) -> None:
    script.they_attack("8", enemy(0), EAT)
    script.they_attack("7", enemy(2), EAT)
    script.knowledge.living[0][0] = 1 << 7  # ours again, to be exchanged
    script.own["7"].append(0)


def test_a_piece_that_died_in_an_exchange_may_have_been_a_bomb(script: Script) -> None:
    know_the_two_highest(script)
    for index, highest in zip((10, 11, 13, 14), (7, 7, 7, 6)):
        script.we_attack("7", enemy(index), BOTH_DIED)
        assert script.knowledge.dead[1][-1] == ranks(7, 7) | A_BOMB
        # There are two bombs: two of the four were 师长.
        assert highest_rank(script.types(enemy(1))) == highest


def test_a_front_row_piece_that_died_in_an_exchange_was_no_bomb(script: Script) -> None:
    know_the_two_highest(script)
    script.we_attack("7", enemy(3), BOTH_DIED)
    script.we_attack("7", enemy(4), BOTH_DIED)
    assert highest_rank(script.types(enemy(1))) == 6


def test_surplus_engineers_were_bombs(script: Script) -> None:
    for index in (15, 17, 19):
        script.we_attack("1", enemy(index), BOTH_DIED)
    know_the_two_highest(script)
    for index in (10, 11, 13):
        script.we_attack("7", enemy(index), BOTH_DIED)
    assert highest_rank(script.types(enemy(1))) == 7
    # A fourth "engineer" died, so one of the four was a bomb. Then at most one of the other three was.
    script.we_attack("1", enemy(20), BOTH_DIED)
    assert highest_rank(script.types(enemy(1))) == 6


def test_an_exchange_that_shows_one_flag_was_with_a_bomb(script: Script) -> None:
    script.we_attack("9", enemy(10), BOTH_DIED, ((2, 60 + 26),))
    assert script.knowledge.dead[1] == [A_BOMB]
    script.we_attack("9", enemy(11), BOTH_DIED, ((0, 26), (1, enemy(HQ))))
    assert script.knowledge.dead[1] == [A_BOMB, 1 << 9]


def test_our_bomb_shows_only_whether_it_met_the_commander(script: Script) -> None:
    script.we_attack("B", enemy(10), BOTH_DIED)
    assert script.knowledge.dead[1] == [ranks(1, 8) | A_BOMB]
    script.we_attack("B", enemy(11), BOTH_DIED, ((1, enemy(HQ)),))
    assert script.knowledge.dead[1][1] == 1 << 9


def test_a_piece_that_died_with_a_mine_was_a_bomb(script: Script) -> None:
    script.they_attack("M", enemy(10), BOTH_DIED)
    assert script.knowledge.dead[1] == [A_BOMB]


def test_a_piece_that_moved_is_no_mine(script: Script) -> None:
    script.knowledge.moved(1, move_of(enemy(20), 120), MOVE, (), (), False)
    assert script.types(120) == RANKS | A_BOMB


def test_a_piece_that_survived_our_engineer_is_no_mine(script: Script) -> None:
    script.we_attack("1", enemy(20), KILLED)
    assert script.types(enemy(20)) == ranks(2, 9)


def test_a_piece_that_digs_a_mine_is_an_engineer(script: Script) -> None:
    assert script.types(script.they_attack("M", enemy(10), EAT)) == AN_ENGINEER


def test_a_piece_that_our_lieutenant_takes_is_an_engineer(script: Script) -> None:
    script.we_attack("2", enemy(10), EAT)
    script.they_attack("2", enemy(20), KILLED)
    assert script.knowledge.dead[1] == [AN_ENGINEER] * 2


def test_after_a_false_flag_the_other_is_the_flag(script: Script) -> None:
    assert script.knowledge.flag_of(1) is None
    script.we_attack("3", enemy(HQ), KILLED)
    assert script.knowledge.flag_of(1) == enemy(OTHER_HQ)
    script = Script()
    script.we_attack("2", enemy(OTHER_HQ), EAT)
    assert script.knowledge.dead[1] == [AN_ENGINEER]
    assert script.knowledge.flag_of(1) == enemy(HQ)


def test_a_seat_that_is_out_has_nothing_left(script: Script) -> None:
    script.knowledge.moved(1, move_of(enemy(0), 0 + 1), EAT, (), (), False)
    assert script.knowledge.arrivals == [1]
    script.knowledge.moved(0, move_of(2, enemy(HQ)), EAT, (), ((1, "flag"),), False)
    assert script.knowledge.living[1] == {}
    assert script.knowledge.arrivals == []
    assert script.knowledge.living[0][enemy(HQ)] == 1 << PIECES.index(LINEUP[2])


def test_a_hidden_partner_says_less() -> None:
    script = Script((0,))
    script.knowledge.moved(1, move_of(enemy(0), 60), EAT, (), (), False)
    script.knowledge.moved(1, move_of(enemy(1), 80), EAT, (), (), False)
    assert script.types(60) == ranks(2, 9)
    assert script.types(80) == ranks(1, 9)  # an engineer, if that was a mine


def test_arrivals_are_the_two_newest_beside_our_camps(script: Script) -> None:
    def go(origin: str, target: str, seat: int = 1) -> None:
        script.knowledge.moved(seat, parse_move(SIGUO, origin + target), MOVE, (), (), False)

    def arrivals() -> list[str]:
        return [SIGUO.squares[point] for point in script.knowledge.arrivals]

    for army in script.knowledge.living:
        for square in ("g5", "k5", "i5", "i12"):
            army.pop(SIGUO.numbers[square], None)
    go("l7", "g5")
    go("l8", "k7")  # beside no camp of ours
    assert arrivals() == ["g5"]
    go("l9", "i12")  # beside the partner's camp
    go("e11", "k5", seat=3)
    assert arrivals() == ["k5", "i12"]
    go("k5", "k9", seat=3)
    assert arrivals() == ["i12"]
    script.knowledge.moved(2, parse_move(SIGUO, "j12i12"), EAT, (), (), False)
    assert arrivals() == []


def test_a_result_that_contradicts_what_was_known_is_ignored(script: Script) -> None:
    stands = script.they_attack("7", enemy(0), EAT)
    assert script.knowledge.remarks == []
    script.we_attack("6", stands, EAT)
    [remark] = script.knowledge.remarks
    assert remark.endswith("EAT: the result does not fit what was known, and is ignored")
    assert script.knowledge.dead[1] == [ranks(8, 9)]


def test_more_high_pieces_than_an_army_has_are_ignored(script: Script) -> None:
    script.they_attack("8", enemy(0), EAT)
    script.knowledge.living[1][enemy(1)] = RANKS
    stands = script.they_attack("8", enemy(1), EAT)
    assert len(script.knowledge.remarks) == 1
    assert script.types(stands) == RANKS


def test_a_flag_shown_at_a_false_place_is_ignored(script: Script) -> None:
    script.we_attack("3", enemy(HQ), KILLED)
    assert script.knowledge.flag_of(1) == enemy(OTHER_HQ)
    script.we_attack("B", enemy(0), BOTH_DIED, ((1, enemy(HQ)),))
    assert script.knowledge.flag_of(1) == enemy(OTHER_HQ)
    assert script.knowledge.dead[1] == [1 << 9]
    assert "the flag of seat 1 on" in script.knowledge.remarks[0]


def test_mines_are_found_by_their_number(script: Script) -> None:
    for index in (20, 21, 22, 23, 24):
        script.knowledge.moved(1, move_of(enemy(index), 120 + index - 20), MOVE, (), (), False)
    # One of the two headquarters holds the flag, so the other and the two points left hold the mines.
    for index in (25, 27, 29):
        assert script.types(enemy(index)) & A_MINE
    script.knowledge.moved(1, move_of(enemy(25), 125), MOVE, (), (), False)
    assert script.types(enemy(27)) == script.types(enemy(29)) == A_MINE
    assert script.types(enemy(HQ)) == script.types(enemy(OTHER_HQ)) == A_MINE | A_FLAG


def test_a_clash_of_two_hidden_pieces_is_remembered() -> None:
    script = Script((0,))
    script.knowledge.moved(1, move_of(enemy(0), 60), BOTH_DIED, (), (), False)
    [clash] = script.knowledge.clashes
    assert (clash.attacker, clash.defender) == (enemy(0), 60)
    assert script.knowledge.dead[1] == script.knowledge.dead[2] == [ranks(1, 8)]
    # What is learnt of one piece later holds for the other.
    script.knowledge._learn("the partner says what it was", {(2, -1): 1 << 5})
    assert script.knowledge.dead[1] == [1 << 5]
    assert script.knowledge.clashes == []


# ----------------------------------------------------------------------- views


def everything(view: PlayerView) -> tuple[object, ...]:
    """All that a view knows."""
    position, knowledge = view.position, view.knowledge
    return (
        position.key,
        position.turn,
        position.ply,
        position.quiet,
        position.living,
        position.legal_moves(),
        [sorted(position.pieces(seat)) for seat in range(position.variant.seats)],
        [position.skips_of(seat) for seat in range(position.variant.seats)],
        copy.deepcopy((knowledge.living, knowledge.dead, knowledge.arrivals)),
    )


def view_of_seats_0_and_2(first: int = 0) -> PlayerView:
    return PlayerView("siguo", (0, 2), {0: LINEUP, 2: LINEUP}, first=first)


def move(text: str) -> int:
    return parse_move(SIGUO, text)


def test_a_view_follows_a_game() -> None:
    view = view_of_seats_0_and_2(first=1)
    view.moved(1, move("l9k11"), MOVE)  # turns
    assert view.knowledge.living[1][SIGUO.numbers["k11"]] == AN_ENGINEER
    assert view.position.piece_at(SIGUO.numbers["k11"]) == (1, ENGINEER)
    view.moved(2, move("k12k11"), EAT)
    assert view.knowledge.dead[1] == [AN_ENGINEER]
    view.skipped(3, 1, False)
    view.moved(0, move("k6l7"), BOTH_DIED)
    view.skipped(1, 1, True)
    assert view.position.living == [0, 2, 3]
    assert view.knowledge.living[1] == {}
    view.skipped(2, 1, False)
    view.skipped(3, 2, False)
    assert view.position.skips_of(3) == 2
    view.left(0, "resign")
    assert view.knowledge.living[0] == {}
    assert (view.position.turn, view.position.ply) == (2, 8)


def test_a_view_refuses_contradictions_without_change() -> None:
    view = view_of_seats_0_and_2()
    view.moved(0, move("k6l7"), KILLED)
    view.moved(1, move("l9k9"), MOVE)
    view.moved(2, move("k12k11"), MOVE)
    before = everything(view)
    refused: tuple[tuple[str, Callable[[], None]], ...] = (
        ("seat 3 is on turn, not 0", lambda: view.moved(0, move("i6i7"), MOVE)),
        ("seat 3 is on turn, not 1", lambda: view.skipped(1, 1, False)),
        ("seat 3 is on turn, not 2", lambda: view.left(2, "resign")),
        ("seat 3 skips for time 1, not 2", lambda: view.skipped(3, 2, False)),
        ("moves no piece", lambda: view.moved(3, move("i6i7"), MOVE)),
        ("is not legal", lambda: view.moved(3, move("f8d8"), MOVE)),
        ("goes to a piece", lambda: view.moved(3, move("f7g6"), MOVE)),
        ("goes to an empty point", lambda: view.moved(3, move("f9g9"), EAT)),
        ("cannot stand there", lambda: view.moved(3, move("f11g12"), KILLED, ((3, 0),))),
    )
    for what, happens in refused:
        with pytest.raises((Contradiction, IllegalMove), match=what):
            happens()
        assert everything(view) == before, what
    view.skipped(3, 1, False)


def test_a_view_follows_moves_that_only_the_knowledge_rules_out() -> None:
    view = view_of_seats_0_and_2(first=1)
    view.moved(1, move("l7k6"), EAT)  # our 师长
    view.moved(2, move("i12i11"), MOVE)
    view.skipped(3, 1, False)
    view.moved(0, move("k5k6"), EAT)  # with our 团长
    assert len(view.knowledge.remarks) == 1
    assert view.knowledge.living[0][SIGUO.numbers["k6"]] == 1 << 5
    assert view.knowledge.dead[1] == [ranks(8, 9)]


def test_a_view_refuses_moves_after_the_end() -> None:
    view = PlayerView("duel", (1,), {1: LINEUP})
    view.left(0, "exit")
    assert view.position.winner == 1
    before = everything(view)
    with pytest.raises(Contradiction, match="the game is over"):
        view.moved(1, view.position.variant.numbers["a7"] << 8, MOVE)
    assert everything(view) == before


def test_a_view_must_see_its_own_lineups() -> None:
    with pytest.raises(ValueError, match="not shown"):
        PlayerView("siguo", (0, 2), {0: LINEUP})
    with pytest.raises(ValueError, match="one team"):
        PlayerView("siguo", (0, 1), {0: LINEUP, 1: LINEUP})
    with pytest.raises(LineupError):
        PlayerView("duel", (0,), {0: LINEUP[::-1]})


# --------------------------------------------------------------------- players


def set_up(own: dict[str, str], others: dict[str, int], seat: int = 1) -> PlayerView:
    """The view of seat 0, which is on turn: its own pieces, and an enemy's with their possible types."""
    view = view_of_seats_0_and_2()
    view.position = Position("siguo")
    view.knowledge.living = [{}, {}, {}, {}]
    for square, letter in own.items():
        view.position.place(0, SIGUO.numbers[square], PIECES.index(letter))
        view.knowledge.living[0][SIGUO.numbers[square]] = 1 << PIECES.index(letter)
    add(view, seat, others)
    return view


def add(view: PlayerView, seat: int, others: dict[str, int]) -> None:
    for square, types in others.items():
        view.position.place(seat, SIGUO.numbers[square], FLAG if types == A_FLAG else UNKNOWN)
        view.knowledge.living[seat][SIGUO.numbers[square]] = types


def played(level: str, view: PlayerView) -> set[str]:
    """The moves that a level plays with different seeds."""
    return {move_text(SIGUO, choose(level, view, random.Random(seed))) for seed in range(60)}


FAR_AWAY = {"d9": A_MINE}
"""A piece of seat 3 that does not matter for the test."""
OWN = {"i3": "B", "h4": "5", "j4": "7", "o9": "1"}
OCCASIONS: dict[str, tuple[dict[str, int], str]] = {
    "bomb": ({"i2": ranks(6, 9)}, "i3i2"),
    "take": ({"g4": ranks(1, 5)}, "h4g4"),
    "camp": ({"g6": ranks(8, 9)}, "h4h5"),
    "probe": ({"k4": RANKS | A_BOMB}, "j4k4"),
    "dig": ({"p9": ranks(2, 9) | A_MINE}, "o9p9"),
}


@pytest.mark.parametrize(
    ("level", "order"),
    [("events", ("bomb", "take", "camp", "probe", "dig")), ("path", ("bomb", "take", "probe", "dig", "camp"))],
)
def test_the_most_urgent_opportunity_is_taken(level: str, order: tuple[str, ...]) -> None:
    for most_urgent in range(len(order)):
        view = set_up(OWN, {})
        add(view, 3, FAR_AWAY)
        for name in order[most_urgent:]:
            add(view, 1, OCCASIONS[name][0])
        if "camp" in order[most_urgent:]:
            view.knowledge.arrivals = [SIGUO.numbers["g6"]]
        assert played(level, view) == {OCCASIONS[order[most_urgent]][1]}
    view = set_up(OWN, {})
    add(view, 3, FAR_AWAY)
    assert len(played(level, view)) > 10


@pytest.mark.parametrize(
    ("own", "others"),
    [
        ({"i3": "B"}, {"i2": ranks(5, 9)}),  # may be below 旅长
        ({"i3": "B"}, {"i2": ranks(6, 9) | A_MINE}),
        ({"h4": "5"}, {"g4": ranks(2, 6)}),
        ({"h4": "5"}, {"g4": A_BOMB}),
        ({"o9": "5"}, {"p9": ranks(2, 4) | A_MINE}),
        ({"h4": "1"}, {"g4": RANKS}),  # engineers do not probe
        ({"j4": "7"}, {"k4": ranks(2, 9)}),  # a rank is known
        ({"o9": "1"}, {"p9": ranks(2, 9)}),
    ],
)
def test_these_are_no_opportunities(own: dict[str, str], others: dict[str, int]) -> None:
    view = set_up(own, others)
    add(view, 3, FAR_AWAY)
    assert len(played("events", view)) > 1


def test_a_known_flag_is_taken_by_events() -> None:
    assert played("events", set_up({"p8": "2", "i3": "6"}, {"q8": A_FLAG, "i2": RANKS})) == {"p8q8"}


def test_the_second_arrival_counts_when_nobody_can_enter_at_the_first() -> None:
    view = set_up({"h4": "5", "g2": "2"}, {"k6": ranks(8, 9), "g6": ranks(8, 9)})
    view.knowledge.arrivals = [SIGUO.numbers["k6"], SIGUO.numbers["g6"]]
    assert played("events", view) == {"h4h5"}
    view = set_up({"h4": "5", "k4": "2"}, {"k6": ranks(8, 9), "g6": ranks(8, 9)})
    view.knowledge.arrivals = [SIGUO.numbers["k6"], SIGUO.numbers["g6"]]
    assert played("events", view) == {"k4j5"}


UNKNOWN_FLAG = {"q8": RANKS | A_FLAG, "q10": RANKS | A_FLAG}


def test_the_race_comes_before_all_else() -> None:
    view = set_up({**OWN, "p8": "3"}, {**UNKNOWN_FLAG, **OCCASIONS["bomb"][0]})
    assert played("path", view) == {"p8q8"}


def test_the_shortest_way_is_raced() -> None:
    # A move on to p8, p10 or the last row, then the headquarters.
    assert played("path", set_up({"l7": "3", "p7": "3"}, UNKNOWN_FLAG)) == {"p7p8", "p7p10", "p7q7"}
    # Straight on from the centre; l8 has to turn.
    assert played("path", set_up({"l8": "3", "k7": "3"}, UNKNOWN_FLAG)) == {"k7p7"}


def test_ways_lead_through_empty_points() -> None:
    others = {**UNKNOWN_FLAG, "p8": A_MINE, "q7": A_MINE}
    assert played("path", set_up({"p7": "3"}, others)) == {"p7o8"}
    # A piece cannot leave a headquarters, so no path goes through one.
    others = {"q8": A_FLAG, "p8": A_MINE, "p9": A_MINE, "p10": A_MINE}
    assert played("path", set_up({"q11": "3"}, others)) == {"q11q10", "q11p11"}


def test_another_way_is_raced_when_the_nearest_is_closed() -> None:
    others = {**UNKNOWN_FLAG, "p8": A_MINE, "q7": A_MINE, "o7": A_MINE, "o8": A_MINE}
    assert played("path", set_up({"p7": "3", "l9": "3"}, others)) == {"l9l11"}


def test_the_race_is_at_most_four_moves_long() -> None:
    # k2-p7-p8-q8: three moves, and one more to reach k2.
    assert played("path", set_up({"i2": "3"}, UNKNOWN_FLAG)) == {"i2k2"}
    assert len(played("path", set_up({"i3": "3"}, UNKNOWN_FLAG))) > 2


def test_an_engineer_turns_for_free() -> None:
    assert played("path", set_up({"i2": "1", "p7": "6", "l7": "3"}, UNKNOWN_FLAG)) == {"i2p10"}
    assert played("path", set_up({"p8": "1", "p10": "3"}, UNKNOWN_FLAG)) == {"p8q8", "p10q10"}
    assert played("path", set_up({"i2": "1", "k2": "3"}, UNKNOWN_FLAG)) <= {"i2p8", "i2p10"}


def test_a_known_flag_comes_before_a_nearer_headquarters() -> None:
    view = set_up({"p9": "3", "b8": "3"}, {"q10": A_FLAG})
    add(view, 3, {"a8": RANKS | A_FLAG, "a10": RANKS | A_FLAG})
    assert played("path", view) == {"p9p10", "p9q9"}


def test_strong_pieces_race_only_to_a_known_flag() -> None:
    for letter in "6B":
        assert len(played("path", set_up({"p7": letter}, UNKNOWN_FLAG))) > 3
        assert played("path", set_up({"p7": letter}, {"q8": A_FLAG})) == {"p7p8", "p7q7"}
    assert played("path", set_up({"p7": "5"}, UNKNOWN_FLAG)) == {"p7p8", "p7p10", "p7q7"}


def test_a_headquarters_known_to_be_false_is_left_alone() -> None:
    assert played("path", set_up({"p8": "3"}, {"q8": ranks(4, 9), "q10": A_FLAG})) == {"p8p10"}


def test_greedy_takes_a_flag_first() -> None:
    view = set_up({"p8": "2", "h4": "9"}, {"q8": A_FLAG, "g4": 1 << 8})
    assert played("greedy", view) == {"p8q8"}


def test_greedy_takes_the_piece_that_gains_most() -> None:
    assert played("greedy", set_up({"h4": "9", "j4": "9"}, {"g4": 1 << 7, "k4": 1 << 6})) == {"h4g4"}
    assert played("greedy", set_up({"h4": "9", "j4": "9"}, {"g4": 1 << 7, "k4": 1 << 7})) == {"h4g4", "j4k4"}
    # Most pieces of an army are below 师长, and most are above 排长.
    view = set_up({"h4": "7", "j4": "2"}, {"g4": RANKS, "k4": RANKS})
    assert played("greedy", view) == {"h4g4"}
    # A bomb gains more from 军长 than a 排长 from an unknown piece.
    assert played("greedy", set_up({"h4": "B", "j4": "2"}, {"g4": 1 << 8, "k4": RANKS})) == {"h4g4"}


def test_greedy_counts_what_is_left() -> None:
    own, others = {"h4": "5"}, {"g4": ranks(4, 4) | ranks(9, 9), "q8": A_FLAG}
    assert played("greedy", set_up(own, others)) == {"h4g4"}
    view = set_up(own, others)
    view.knowledge.dead[1] = [1 << 4, 1 << 4]
    assert "h4g4" not in played("greedy", view)


def test_greedy_comes_nearer_to_a_flag() -> None:
    assert played("greedy", set_up({"k2": "6", "g1": "3"}, {"q8": A_FLAG})) == {"k2p7"}
    # A capture that loses more than it gains is not played.
    assert played("greedy", set_up({"j4": "3"}, {"k4": ranks(5, 9), **UNKNOWN_FLAG})) < {"j4j3", "j4j5", "j4i4"}


def test_expect_takes_a_flag_first() -> None:
    view = set_up({"p8": "2", "h4": "9"}, {"q8": A_FLAG, "g4": 1 << 8})
    assert played("expect", view) == {"p8q8"}


def test_expect_takes_the_piece_that_gains_most() -> None:
    others = {"q8": A_FLAG}
    assert played("expect", set_up({"h4": "9", "j4": "8"}, {"g4": 1 << 7, "k4": 1 << 6, **others})) == {"h4g4"}
    # A bomb gains more from 军长 than a 排长 from an unknown piece.
    assert played("expect", set_up({"h4": "B", "j4": "2"}, {"g4": 1 << 8, "k4": RANKS, **others})) == {"h4g4"}


def test_expect_counts_exactly() -> None:
    # Both 旅长 are known, so l8 is the third engineer, and g4 the commander.
    known = {"l9": AN_ENGINEER, "l10": AN_ENGINEER, "l11": 1 << 6, "l7": 1 << 6}
    view = set_up({"h4": "3"}, {"g4": AN_ENGINEER | 1 << 9, "l8": AN_ENGINEER | 1 << 6, **known, "q8": A_FLAG})
    assert played("greedy", view) == {"h4g4"}
    assert "h4g4" not in played("expect", view)


def test_expect_counts_what_can_take_back() -> None:
    """The piece behind the one that is taken reaches its point only then."""
    for behind, takes in ((1 << 9, False), (1 << 2, True)):
        view = set_up(
            {"h4": "7", "i2": "3"}, {"g4": 1 << 4, "g5": behind, "q8": A_FLAG | A_MINE, "q10": A_FLAG | A_MINE}
        )
        assert ("h4g4" in played("expect", view)) == takes


def test_expect_moves_out_of_danger() -> None:
    view = set_up({"g4": "7"}, {"g9": 1 << 9, "q8": A_FLAG})
    away = played("expect", view)
    assert all(not view.position.reaches(SIGUO.numbers["g9"], parse_move(SIGUO, one) & 255) for one in away)


def test_random_plays_every_move() -> None:
    view = set_up({"i3": "3", "p8": "3"}, {"q8": A_FLAG})
    assert played("random", view) == {move_text(SIGUO, one) for one in view.position.legal_moves()}


def play(variant: Variant, level: str, seed: int) -> None:
    """A whole game against players of all levels; every conclusion is true."""
    chance = random.Random(seed)
    lineups = [random_lineup(chance) for _ in range(variant.seats)]
    flags = [seat * 30 + one.index("F") for seat, one in enumerate(lineups)]
    first = chance.randrange(variant.seats)
    world = Position(variant.name, first=first, plies=3000)
    world.deploy(lineups)
    # Partners see each other's pieces only in every second game.
    sides = [variant.team(seat) if seed % 2 else (seat,) for seat in range(variant.seats)]
    tables = [PlayerView(variant.name, side, {seat: lineups[seat] for seat in side}, first=first) for side in sides]
    others = [other for other in LEVELS if other not in ("expect", SEARCH)]  # it is slow
    levels = [level if seat == 0 else chance.choice(others) for seat in range(variant.seats)]
    while world.outcome_text is None:
        seat = world.turn
        chosen = choose(levels[seat], tables[seat], chance)
        assert chosen in world.legal_moves()
        result, shown, outs = world.push(chosen)
        for view in tables:
            view.moved(seat, chosen, result, [(one, flags[one]) for one in shown], outs)
            assert view.position.turn == world.turn
        for owner in range(variant.seats):
            pieces = dict(world.pieces(owner))
            for view in tables[:2]:
                found = view.knowledge.living[owner]
                assert found.keys() == pieces.keys()
                assert all(found[point] >> kind & 1 for point, kind in pieces.items())


def is_long(variant: Variant, level: str) -> bool:
    return variant is SIGUO and level != "path"


@pytest.mark.parametrize(
    ("variant", "level"),
    [
        pytest.param(variant, level, marks=pytest.mark.long if is_long(variant, level) else (), id=f"{name}-{level}")
        for name, variant in VARIANTS.items()
        for level in LEVELS
        if level != SEARCH
    ],
)
def test_whole_games_are_legal_and_conclusions_true(variant: Variant, level: str) -> None:
    for seed in range(2 if level == "expect" else 4):
        play(variant, level, seed)
