"""Plain averaging over complete worlds: its flaw, which the level search has not, and the player of
benchmarks/junqi_yardstick.py that plays so."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from junqi_protocol.knowledge.knowledge import NUMBERS
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.searching import believed
from junqi_protocol.protocols.setting_up import parse_position
from junqi_protocol.rules.geometry import HOME_POINTS, VARIANTS, parse_move
from junqi_protocol.rules.lineup import FLAG, random_lineup
from junqi_protocol.rules.position import Position
from search_core.engine import Engine
from search_core.thinker import Limits

GUESS = "variant duel turn 0 pieces 0:b1=F 0:c11=2 0:d3=8 1:c2=7 1:d10=5 1:b12=?{FM} 1:d12=?{FM}"
GUESS_WORLDS = [GUESS.replace("b12=?{FM}", f"b12={b}").replace("d12=?{FM}", f"d12={d}") for b, d in ("FM", "MF")]


@pytest.fixture
def yardstick(load_benchmark: Callable[[str], Any]) -> Any:
    return load_benchmark("junqi_yardstick")


def set_up(text: str) -> PlayerView:
    return parse_position(text.split())[1]


def move(text: str) -> int:
    return parse_move(VARIANTS["duel"], text)


def averaged(texts: list[str], plies: int) -> dict[int, float]:
    """By root move, its mean score over these worlds, each searched to so many plies."""
    engine = Engine()
    return {
        one: sum(engine.search(believed(set_up(text)), Limits(depth=plies, root_moves=(one,))).score for text in texts)
        / len(texts)
        for one in set_up(texts[0]).position.legal_moves()
    }


# The flaw


@pytest.mark.parametrize("plies", [3, 4, 5])
def test_averaging_believes_that_it_will_know_where_the_flag_is(plies: int) -> None:
    """An enemy 师长 on c2 is two moves from our flag. Our 军长 can take it now, but not later. Our 排长 on c11 can go
    between the two headquarters, one of which has the flag, the other a mine; on c11 it will be taken.

    If it goes, it has one guess before our flag falls: an even chance. But in each world, the search knows the flag.
    So averaging thinks that the game is won, lets our flag stand, and then attacks blindly.
    """
    scores = averaged(GUESS_WORLDS, plies)
    goes, saves = scores[move("c11c12")], scores[move("d3c2")]
    assert max(scores, key=lambda one: scores[one]) == move("c11c12")
    assert goes > saves + 1000
    if plies > 3:
        assert goes == 20000


def test_the_search_takes_the_attacker_in_place_of_a_guess() -> None:
    position = believed(set_up(GUESS))
    engine = Engine()
    assert engine.search(position, Limits(nodes=20_000)).best == move("d3c2")
    guess = engine.search(position, Limits(depth=5, root_moves=(move("c11c12"),)))
    assert abs(guess.score) < 300
    saved = engine.search(position, Limits(depth=5, root_moves=(move("d3c2"),)))
    assert saved.score > guess.score + 300


# The player that averages


def middle_game(variant: str, seats: tuple[int, ...], plies: int, seed: int) -> PlayerView:
    """What the player of these seats knows after so many random moves, and until it is on turn."""
    chance = random.Random(seed)
    lineups = [random_lineup(chance) for _ in range(VARIANTS[variant].seats)]
    flags = [seat * HOME_POINTS + lineup.index("F") for seat, lineup in enumerate(lineups)]
    world = Position(variant)
    world.deploy(lineups)
    view = PlayerView(variant, seats, {seat: lineups[seat] for seat in seats})
    while world.ply < plies or world.turn not in seats:
        seat, one = world.turn, chance.choice(world.legal_moves())
        result, shown, outs = world.push(one)
        view.moved(seat, one, result, [(other, flags[other]) for other in shown], outs)
    return view


@pytest.mark.parametrize(
    ("variant", "seats", "plies"),
    # Under `see own`, hidden armies have met each other after so many plies.
    [("duel", (0,), 60), ("siguo", (0, 2), 100), ("siguo", (0,), 200)],
)
def test_worlds_agree_with_what_is_known(yardstick: Any, variant: str, seats: tuple[int, ...], plies: int) -> None:
    view = middle_game(variant, seats, plies, 4)
    source = yardstick.draw_worlds(view, 1)
    found = [next(source) for _ in range(40)]
    for seat, army in enumerate(view.knowledge.living):
        dead = Counter(types.bit_length() - 1 for types in view.knowledge.dead[seat] if not types & (types - 1))
        for world in found:
            types = {point: world.get(point, possible.bit_length() - 1) for point, possible in army.items()}
            assert all(army[point] >> kind & 1 for point, kind in types.items())
            numbers = Counter(types.values()) + dead
            assert all(numbers[kind] <= number for kind, number in enumerate(NUMBERS))
            assert numbers[FLAG] == 1
    assert len({tuple(sorted(world.items())) for world in found}) > 30


def test_the_yardstick_searches_as_many_nodes_as_told(yardstick: Any) -> None:
    answers = []
    for _ in range(2):
        player = yardstick.Yardstick(nodes=5000)
        for seed in (1, 2):
            view = middle_game("siguo", (0, 2), 100, seed)
            answers.append(player.move(view))
            assert answers[-1] in view.position.legal_moves()
            assert 5000 <= player.searched < 5500
    assert answers[:2] == answers[2:]


def test_the_yardstick_takes_a_known_flag(yardstick: Any) -> None:
    view = set_up("variant duel turn 0 pieces 0:b1=F 0:b11=5 0:d2=4 1:b12=F 1:a7=9 1:d11=?")
    assert yardstick.Yardstick(nodes=3000).move(view) == move("b11b12")
