"""How pieces behaved, and the weights that follow."""

from __future__ import annotations

import math
import random

import pytest

from junqi_protocol.knowledge.behaviour import STEPS, lineup_factors
from junqi_protocol.knowledge.belief import Belief
from junqi_protocol.knowledge.knowledge import A_FLAG, EAT, KILLED, MOVE, Knowledge
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.players import choose
from junqi_protocol.records.records import Replay, record_text
from junqi_protocol.rules.arbiter import Arbiter
from junqi_protocol.rules.geometry import DUEL, HOME_POINTS, SIGUO, VARIANTS, parse_move
from junqi_protocol.rules.lineup import (
    COMMANDER,
    ENGINEER,
    FLAG,
    MINE,
    PIECES,
    UNKNOWN,
    parse,
    random_lineup,
    sound_lineup,
)
from junqi_protocol.rules.messages import BestMove, Moved, Terms
from junqi_protocol.rules.position import Position

LINEUP = parse("96317/5.3.5/81.37/B.2.4/6M2MB/4FM21")


def counts(view: PlayerView, home: int) -> dict[str, int]:
    """What was counted for a piece of seat 1, without zeros."""
    _row, _place, found = view.behaviour.codes(view.knowledge, 1)[home]
    return {name: count for name, count in zip(STEPS, found) if count and name != "idle"}


def place(view: PlayerView, home: int) -> str:
    return view.behaviour.codes(view.knowledge, 1)[home][1]


def scripted(*moves: tuple[str, int]) -> PlayerView:
    """A game of two seats: moves and their results."""
    view = PlayerView("duel", (0,), {0: LINEUP})
    for number, (move, result) in enumerate(moves):
        view.moved(number % 2, parse_move(DUEL, move), result)
    return view


# Seat 0's 司令 begins on a6. Seat 1's home points 30, 33, 34, 37 and 39 are e7, b7, a7, c8 and a8.


def test_a_piece_that_stays_in_reach_of_one_that_has_won() -> None:
    view = scripted(("a6a7", EAT), ("e7d8", MOVE))
    # It could have attacked e6.
    assert counts(view, 30) == {"moves": 1, "first": 1, "camps": 1, "spared-front": 1}
    assert counts(view, 33) == {"stayed-proven": 1, "spared-proven": 1}
    assert counts(view, 39) == {"stayed-proven": 1, "spared-proven": 1}
    assert counts(view, 37) == {}
    assert place(view, 30) == "at own camp"
    assert place(view, 33) == "at start"
    assert place(view, 34) == "at dead"


def test_an_attack_on_a_piece_that_has_won() -> None:
    view = scripted(("a6a7", EAT), ("a8a7", KILLED), ("d6d5", MOVE), ("b7a7", KILLED))
    assert counts(view, 39) == {"moves": 1, "first": 1, "attacked-proven": 1}
    assert counts(view, 33)["attacked-strong"] == 1


def test_idle_turns_are_counted_until_the_first_move() -> None:
    view = scripted(("e6d5", MOVE), ("a7b8", MOVE), ("d5e6", MOVE), ("b8a7", MOVE), ("e6d5", MOVE), ("b7b8", MOVE))
    codes = view.behaviour.codes(view.knowledge, 1)
    idle = list(STEPS).index("idle")
    assert codes[33][2][idle] == 1  # two, rounded down: the next step is 3
    assert codes[34][2][idle] == 0
    assert counts(view, 34)["streak"] == 2
    assert view.behaviour.turns == [3, 3]


def test_a_copy_is_independent() -> None:
    view = scripted(("a6a7", EAT), ("e7d8", MOVE))
    before = view.behaviour.weights(view.knowledge)
    twin = view.copy()
    for seat, move in ((0, "a7b7"), (1, "d8e7")):
        twin.moved(seat, parse_move(DUEL, move), EAT if seat == 0 else MOVE)
    assert view.behaviour.weights(view.knowledge) == before
    assert twin.behaviour.weights(twin.knowledge) != before
    assert view.behaviour.turns == [1, 1]


def test_a_view_without_a_history_has_no_weights() -> None:
    world = Position("duel")
    world.deploy([LINEUP, None])
    types = {
        point: Knowledge(DUEL, (0,), {0: LINEUP}).living[seat][point]
        for seat in (0, 1)
        for point, _ in world.pieces(seat)
    }
    view = PlayerView.of(world, (0,), types)
    view.moved(0, parse_move(DUEL, "a6a7"), EAT)
    view.moved(1, parse_move(DUEL, "e7d8"), MOVE)
    assert view.behaviour.weights(view.knowledge) == {}
    assert view.copy().behaviour.weights(view.knowledge) == {}


def test_a_lineup_of_good_play_is_recognised() -> None:
    """Mines in the front of the back rows speak for it; what is known of the flag says where the others are."""
    knowledge = Knowledge(DUEL, (0,), {0: LINEUP})
    factors = lineup_factors(knowledge, 1)
    assert factors[51][MINE] > factors[50][MINE]
    knowledge.living[1][56] = A_FLAG
    shown = lineup_factors(knowledge, 1)
    assert shown[51][MINE] > factors[51][MINE]
    assert shown[53][MINE] < factors[53][MINE]
    # A commander in the middle of the second row is no such lineup.
    odd = Knowledge(DUEL, (0,), {0: LINEUP})
    odd.living[1][41] = 1 << COMMANDER
    assert lineup_factors(odd, 1)[51][MINE] < factors[51][MINE]


@pytest.mark.parametrize(
    ("variant", "see", "make"),
    [("siguo", "team", random_lineup), ("duel", "own", sound_lineup), ("siguo", "own", sound_lineup)],
)
def test_weights_of_a_game(variant: str, see: str, make: object) -> None:
    """They are positive, and leave the true army possible; a record that is replayed gives the same ones."""
    assert callable(make)
    rules = VARIANTS[variant]
    chance = random.Random(f"{variant} {see}")
    lineups = [make(chance) for _ in range(rules.seats)]
    seats = (0,) if see == "own" else rules.team(0)
    shown = {seat: lineups[seat] for seat in seats}
    view = PlayerView(variant, seats, shown)
    arbiter = Arbiter(Terms(rules), lineups)
    all_seeing = [
        PlayerView(variant, rules.team(seat), {one: lineups[one] for one in rules.team(seat)}) for seat in (0, 1)
    ]
    while arbiter.outcome is None and arbiter.next_ply <= 80:
        move = choose("greedy", all_seeing[arbiter.turn % 2], chance)
        happening = arbiter.answer(BestMove("", move, arbiter.next_ply))
        assert isinstance(happening, Moved)
        for one in (*all_seeing, view):
            one.moved(happening.seat, happening.move, happening.result, happening.flags, happening.outs)
    weights = view.behaviour.weights(view.knowledge)
    hidden = [seat for seat in arbiter.position.living if seat not in seats]
    assert {home // HOME_POINTS for home in weights} >= set(hidden)
    assert not {home // HOME_POINTS for home in weights} & set(seats)
    for row in weights.values():
        assert len(row) == UNKNOWN
        assert all(0 < weight < math.inf for weight in row[ENGINEER : FLAG + 1])
    belief = Belief(view.knowledge, weights, seed=1)
    for seat in hidden:
        chances = belief.probabilities(seat)
        for point, types in view.knowledge.living[seat].items():
            kind = PIECES.index(lineups[seat][view.knowledge.homes[point] % HOME_POINTS])
            assert types >> kind & 1
            assert chances[point][kind] > 0 or belief.error

    replay = Replay(record_text(arbiter).encode("ascii"))
    again = PlayerView(variant, seats, shown)
    for happening in replay.arbiter.happenings:
        assert isinstance(happening, Moved)
        again.moved(happening.seat, happening.move, happening.result, happening.flags, happening.outs)
    assert again.behaviour.weights(again.knowledge) == weights


def test_evidence_of_a_whole_army_never_overflows() -> None:
    chance = random.Random(1)
    for make in (random_lineup, sound_lineup):
        lineup = make(chance)
        knowledge = Knowledge(SIGUO, (0,), {0: LINEUP})
        for point in knowledge.living[1]:
            knowledge.living[1][point] = 1 << PIECES.index(lineup[point % HOME_POINTS])
        for row in lineup_factors(knowledge, 1).values():
            assert all(0 < factor < 50 for factor in row)
