"""Junqi's levels from 1 to 20: what they overlook and forget, and that the same seed gives the same game."""

from __future__ import annotations

import argparse
import random
from itertools import pairwise

import pytest

from junqi_protocol.knowledge.knowledge import A_FLAG, A_MINE
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.evaluators import JunqiEvaluator
from junqi_protocol.players.levels import SEARCH, WEAKNESSES, Weakness, read_level
from junqi_protocol.players.searching import Searcher, believed, weakly_believed
from junqi_protocol.players.weaker_play import remembered, seen_moves
from junqi_protocol.protocols.setting_up import parse_position
from junqi_protocol.rules.geometry import HOME_POINTS, VARIANTS, parse_move
from junqi_protocol.rules.lineup import parse, random_lineup
from junqi_protocol.rules.position import Position
from search_core.conformance import check_game
from search_core.levels import NUMBERS
from search_core.thinker import Limits, Result

MAX_NODES = 300_000
FIRST_LOOK = 8192  # a search looks at each move once, whatever its limit
NO_LIMITS = Limits()
LINEUP = parse("96317/5.3.5/81.37/B.2.4/6M2MB/4FM21")


def find(searcher: Searcher, view: PlayerView, weakness: Weakness, seed: int, limits: Limits = NO_LIMITS) -> Result:
    return searcher.find_weaker(view, limits, weakness, random.Random(seed))


def played(variant: str, level: str, seed: int, plies: int) -> list[int]:
    """The moves of a game of a level against itself; each is legal."""
    chance = random.Random(seed)
    lineups = [random_lineup(chance) for _ in range(VARIANTS[variant].seats)]
    flags = [seat * HOME_POINTS + lineup.index("F") for seat, lineup in enumerate(lineups)]
    world = Position(variant, quiet=70, plies=plies)
    world.deploy(lineups)
    views = [PlayerView(variant, (seat,), {seat: lineup}) for seat, lineup in enumerate(lineups)]
    searchers = [Searcher() for _ in lineups]
    moves = []
    while world.outcome_text is None:
        seat = world.turn
        result = find(searchers[seat], views[seat], WEAKNESSES[level], seed)
        assert result.best is not None
        assert result.nodes <= max(WEAKNESSES[level].nodes, FIRST_LOOK)
        shown, cast, outs = world.push(result.best)
        for view in views:
            view.moved(seat, result.best, shown, [(one, flags[one]) for one in cast], outs)
        moves.append(result.best)
    for searcher in searchers:
        searcher.close()
    return moves


def test_every_level_is_at_least_as_strong_in_each_respect_as_the_one_below() -> None:
    assert tuple(WEAKNESSES) == NUMBERS
    for below, above in pairwise(WEAKNESSES.values()):
        assert below.nodes < above.nodes <= MAX_NODES
        assert below.blur >= above.blur
        assert below.overlooked >= above.overlooked
        assert below.prejudice >= above.prejudice
        assert 0 < below.memory <= (above.memory or 10**6)
    assert WEAKNESSES["20"] == Weakness(MAX_NODES, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("variant", "level"),
    [("duel", "1"), ("siguo", "1"), ("duel", "9"), pytest.param("siguo", "14", marks=pytest.mark.long)],
)
def test_games_are_legal_and_the_same_seed_repeats_them(variant: str, level: str) -> None:
    plies = 60 if variant == "duel" else 40
    moves = played(variant, level, 3, plies)
    assert played(variant, level, 3, plies) == moves
    assert played(variant, level, 4, plies) != moves


def test_a_move_depends_neither_on_the_time_nor_on_earlier_searches() -> None:
    view = PlayerView("siguo", (0,), {0: LINEUP})
    weakness = WEAKNESSES["8"]
    searcher, other = Searcher(), Searcher()
    first = find(searcher, view, weakness, 5).best
    for limits in (Limits(soft_ms=20_000, hard_ms=60_000), Limits(depth=100), Limits(nodes=10**9), Limits()):
        assert find(searcher, view, weakness, 5, limits).best == first
    other.find(view, Limits(nodes=3000))
    assert find(other, view, weakness, 5).best == first


def test_what_is_overlooked_is_another_part_of_the_moves_in_another_game() -> None:
    view = PlayerView("siguo", (0,), {0: LINEUP})
    moves = view.position.legal_moves()
    assert set(seen_moves(view, 0, 1)) == set(moves)
    seen = {seed: set(seen_moves(view, 1, seed)) for seed in range(200)}
    assert all(found <= set(moves) for found in seen.values())
    assert seen_moves(view, 1, 7) == seen_moves(view, 1, 7)
    assert len({frozenset(found) for found in seen.values()}) > 150
    often = {move: sum(move in found for found in seen.values()) for move in moves}
    assert all(often.values())
    assert max(often.values()) < 200


# Our 连长 on a6 can go round the corner of the rails only as an engineer would.
TURNING = "variant duel turn 0 pieces 0:b1=F 0:a2=1 0:c2=9 1:b12=F 1:e11=5"


def test_turns_on_the_rails_are_overlooked_first() -> None:
    view = parse_position(TURNING.split())[1]
    turns = {move for move in view.position.legal_moves() if move == parse_move(VARIANTS["duel"], "a2e6")}
    assert turns
    for seed in range(50):
        seen = set(seen_moves(view, 1, seed))
        assert not turns & seen or len(seen) == 1  # one, if none would be seen
    assert turns <= set(seen_moves(view, 0, 1))


def test_a_recapture_is_always_seen() -> None:
    view = parse_position(
        ["variant", "duel", "turn", "0", "pieces", "0:b1=F", "0:c2=9", "0:d3=5", "1:b12=F", "1:c3=4"]
    )[1]
    taking = parse_move(VARIANTS["duel"], "c2c3")
    assert any(taking not in seen_moves(view, 1, seed) for seed in range(100))
    view.last_target = taking & 255
    assert all(taking in seen_moves(view, 1, seed) for seed in range(100))
    assert 0 < sum(taking in seen_moves(view, 1.25, seed) for seed in range(100)) < 90  # but not by a beginner


def test_a_known_flag_is_always_taken() -> None:
    view = parse_position(["variant", "duel", "turn", "0", "pieces", "0:b1=F", "0:b11=9", "1:b12=F"])[1]
    taking = parse_move(VARIANTS["duel"], "b11b12")
    assert taking in view.position.legal_moves()
    assert all(taking in seen_moves(view, share, seed) for share in (0.5, 1, 1.3) for seed in range(100))


def test_above_1_hardly_anything_is_seen_but_always_a_move() -> None:
    view = PlayerView("siguo", (0,), {0: LINEUP})
    numbers = [len(seen_moves(view, 1.3, seed)) for seed in range(200)]
    assert min(numbers) == 1
    assert sum(numbers) < 2 * len(numbers) + sum(len(seen_moves(view, 1, seed)) for seed in range(200)) / 2


def random_game(variant: str, chance: random.Random, plies: int) -> tuple[Position, list[PlayerView]]:
    """A game of random moves that is not over: the world, and what each seat knows."""
    while True:
        lineups = [random_lineup(chance) for _ in range(VARIANTS[variant].seats)]
        flags = [seat * HOME_POINTS + lineup.index("F") for seat, lineup in enumerate(lineups)]
        world = Position(variant)
        world.deploy(lineups)
        views = [PlayerView(variant, (seat,), {seat: lineup}) for seat, lineup in enumerate(lineups)]
        while world.ply < plies and world.outcome_text is None:
            seat, move = world.turn, chance.choice(world.legal_moves())
            result, shown, outs = world.push(move)
            for view in views:
                view.moved(seat, move, result, [(one, flags[one]) for one in shown], outs)
        if world.outcome_text is None:
            return world, views


def test_a_clash_is_forgotten_after_some_plies() -> None:
    widened = 0
    for seed in range(5):
        world, views = random_game("siguo", random.Random(seed), 80)
        view = views[world.turn]
        for seat in view.knowledge.enemies:
            for point, types in view.knowledge.living[seat].items():
                found = world.piece_at(point)
                assert found is not None
                truth = 1 << found[1]
                assert remembered(view, point, types, 0) == types
                assert remembered(view, point, types, 1000) == types
                forgotten = remembered(view, point, types, 1)
                assert forgotten & types == types and forgotten & truth
                home = view.knowledge.homes[point]
                assert not (view.behaviour.has_moved(home) and forgotten & (A_MINE | A_FLAG))
                clashed = view.clash_plies.get(home)
                if clashed is None:
                    assert forgotten == types
                elif types != A_FLAG and world.ply - clashed > 1:
                    widened += forgotten != types
                    age = world.ply - clashed
                    assert remembered(view, point, types, age) == types
                    assert remembered(view, point, types, age - 1) == forgotten
    assert widened > 10


@pytest.mark.parametrize("variant", ["duel", "siguo"])
def test_a_forgetful_and_blind_position_is_a_game(variant: str) -> None:
    def make_position(chance: random.Random) -> Position:
        world, views = random_game(variant, chance, 60)
        return believed(views[world.turn], JunqiEvaluator().weakened(1, 400, 0), blur=1, memory=1)

    check_game(make_position, 3, 1, generates_all=False)


def test_the_prejudice_lasts_for_a_game() -> None:
    def weakened(seed: int, permille: int) -> tuple[float, ...]:
        return JunqiEvaluator().weakened(seed, permille, 0).weights

    usual = JunqiEvaluator().copy().weights
    assert weakened(1, 0) == pytest.approx(usual)
    assert weakened(1, 400) == weakened(1, 400) != weakened(2, 400)
    for seed in range(20):
        assert all(abs(new - old) <= 0.4 * abs(old) + 1e-12 for new, old in zip(weakened(seed, 400), usual))


@pytest.mark.parametrize("variant", VARIANTS)
def test_levels_play_without_the_net(variant: str) -> None:
    views = random_game(variant, random.Random(1), 20)[1]
    weakness = Weakness(nodes=30, blur=0, overlooked=0, memory=0, prejudice=0)
    for view in views:
        unbiased = weakly_believed(view, weakness, 1)
        assert unbiased.evaluate_cp() == believed(view, JunqiEvaluator()).evaluate_cp()


def test_a_turn_of_the_enemy_that_is_overlooked_is_not_feared() -> None:
    # If our 军长 leaves c2 to take, their engineer on a7 reaches d2 in one move, and then the flag.
    ours, theirs = "0:d1=F 0:c2=8 0:e6=4 0:a1=7 0:e1=6", "1:b12=F 1:c3=6 1:d11=6 1:e11=6 1:c12=7 1:a12=8"
    view = parse_position(f"variant duel turn 0 pieces {ours} {theirs} 1:a7=?{{15}}".split())[1]
    taking = parse_move(VARIANTS["duel"], "c2c3")
    searcher, limits = Searcher(), Limits(root_moves=tuple(view.position.legal_moves()))
    weakness = Weakness(20_000, blur=0, overlooked=0, memory=0, prejudice=0)
    assert find(searcher, view, weakness, 1, limits).best != taking
    assert find(searcher, view, weakness._replace(overlooked=1), 1, limits).best == taking
    searcher.close()


@pytest.mark.parametrize(("text", "level"), [("full", SEARCH), ("7", "7"), ("PATH", "path"), ("search", SEARCH)])
def test_a_level_of_the_command_line(text: str, level: str) -> None:
    assert read_level(text) == level


@pytest.mark.parametrize("text", ["0", "21", "-1", "best", "", "1.5"])
def test_a_wrong_level_is_named(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected 1 to 20, search"):
        read_level(text)
