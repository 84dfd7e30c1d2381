"""The compiled one-ply player: its games follow the rules, and it knows no more than it may."""

from __future__ import annotations

import random

import pytest
from sanqi_training.one_ply import WEIGHTS, OnePlyGame, self_play

from junqi_protocol.knowledge.knowledge import NUMBERS
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.rules.geometry import HOME_POINTS, VARIANTS
from junqi_protocol.rules.lineup import FLAG, LineupError, random_lineup
from junqi_protocol.rules.position import Position

BOTH_BOARDS = pytest.mark.parametrize("name", ["siguo", "duel"])


def deals(name: str, number: int, seed: int) -> list[list[str]]:
    chance = random.Random(seed)
    return [[random_lineup(chance) for _ in range(VARIANTS[name].seats)] for _ in range(number)]


@BOTH_BOARDS
def test_games_replayed_by_the_rules_end_alike(name: str) -> None:
    games = deals(name, 20, 1)
    for lineups, game in zip(games, self_play(name, games, seed=1, moves=True)):
        world = Position(name, quiet=70)
        world.deploy(lineups)
        clashes = sum(world.push(move)[0] > 0 for move in game.moves)
        assert world.outcome_text is not None
        assert (world.winner, world.ply, clashes) == (game.winner, game.plies, game.clashes)


@BOTH_BOARDS
def test_facts_contain_the_exact_sets(name: str) -> None:
    variant = VARIANTS[name]
    games = deals(name, 4, 2)
    equal = compared = 0
    for lineups, played in zip(games, self_play(name, games, seed=2, moves=True)):
        world = Position(name, quiet=70)
        world.deploy(lineups)
        game = OnePlyGame(name, lineups)
        views = [
            PlayerView(name, seats, {seat: lineups[seat] for seat in seats}) for seats in map(variant.team, (0, 1))
        ]
        for move in played.moves:
            seat = world.turn
            result, shown, outs = world.push(move)
            game.play(move)
            flags = [(one, one * HOME_POINTS + lineups[one].index("F")) for one in shown]
            for view in views:
                view.moved(seat, move, result, flags, outs)
                assert not view.knowledge.remarks
                for enemy in set(view.knowledge.enemies) & set(world.living):
                    sets, exact = game.types(enemy), view.knowledge.living[enemy]
                    assert sets.keys() == exact.keys()
                    for point, kind in world.pieces(enemy):
                        assert exact[point] >> kind & 1
                        assert exact[point] & ~sets[point] == 0
                        equal += exact[point] == sets[point]
                        compared += 1
        assert game.over
        assert game.winner == played.winner
    # 99 % are exact on the four-seat board, all on the other.
    assert equal > 0.95 * compared


@BOTH_BOARDS
def test_chances_fit_the_sets_and_the_numbers_of_the_army(name: str) -> None:
    (lineups,) = deals(name, 1, 3)
    (played,) = self_play(name, [lineups], seed=3, moves=True)
    game = OnePlyGame(name, lineups)
    for move in [None, *played.moves[:30]]:
        if move is not None:
            game.play(move)
        for seat in range(VARIANTS[name].seats):
            sets, chances = game.types(seat), game.chances(seat)
            for point, row in chances.items():
                assert sum(row) == pytest.approx(1, abs=1e-4)
                assert all(chance == 0 for kind, chance in enumerate(row) if not sets[point] >> kind & 1)
            if len(chances) == sum(NUMBERS):
                totals = [sum(row[kind] for row in chances.values()) for kind in range(FLAG + 1)]
                assert totals == pytest.approx(list(NUMBERS[: FLAG + 1]), abs=0.2)


@BOTH_BOARDS
def test_a_choice_does_not_depend_on_hidden_pieces(name: str) -> None:
    compared = 0
    for number, lineups in enumerate(deals(name, 30, 4)):
        (played,) = self_play(name, [lineups], seed=number, moves=True)
        moves = played.moves[:12]
        # Two pieces of seat 1 that have neither moved nor met another, ranks in the middle rows.
        touched = {point for move in moves for point in (move >> 8, move & 255)}
        free = [
            index for index in range(5, 20) if HOME_POINTS + index not in touched and lineups[1][index] in "23456789"
        ]
        other = list(lineups[1])
        for one, two in zip(free[:1], free[-1:]):
            other[one], other[two] = other[two], other[one]
        choices = []
        for theirs in (lineups[1], "".join(other)):
            game = OnePlyGame(name, [lineups[0], theirs, *lineups[2:]], seed=5)
            for move in moves:
                game.play(move)
            if not game.over and game.turn % 2 == 0:
                choices.append(game.choose())
        assert len(set(choices)) <= 1
        compared += other != list(lineups[1]) and len(choices) == 2
    assert compared >= 10


def test_the_seed_decides() -> None:
    games = deals("siguo", 5, 5)
    first = self_play("siguo", games, seed=1, moves=True)
    assert self_play("siguo", games, seed=1, moves=True) == first
    assert [game.moves for game in self_play("siguo", games, seed=2, moves=True)] != [game.moves for game in first]
    assert [game._replace(moves=[]) for game in first] == self_play("siguo", games, seed=1)


def test_a_flag_that_is_shown_and_in_reach_is_taken() -> None:
    games = deals("duel", 40, 6)
    taken = 0
    for lineups, played in zip(games, self_play("duel", games, seed=6, moves=True)):
        game = OnePlyGame("duel", lineups)
        for move in played.moves:
            target = game.types(1 - game.turn).get(move & 255)
            game.play(move)
            if target == 1 << FLAG:
                assert game.winner is not None
                taken += 1
    assert taken > 0


def test_what_is_refused() -> None:
    good = deals("duel", 1, 7)[0]
    with pytest.raises(LineupError, match="a mine stands at row 1, point 1"):
        self_play("duel", [[good[0], "M" + good[1][1:].replace("M", "9", 1).replace("9", good[1][0], 1)]])
    with pytest.raises(LineupError, match="a lineup has 30 points"):
        OnePlyGame("duel", [good[0], good[1][:-1]])
    with pytest.raises(ValueError, match="1 lineups, duel has 2 seats"):
        self_play("duel", [good[:1]])
    with pytest.raises(ValueError, match="no variant"):
        self_play("chess", [])
    with pytest.raises(ValueError, match="80 quiet plies, expected 1 to 79"):
        self_play("duel", [good], quiet=80)
    game = OnePlyGame("duel", good)
    with pytest.raises(ValueError, match="0 is not legal"):
        game.play(0)
    with pytest.raises(ValueError, match="seat 2 does not play duel"):
        game.types(2)
    while not game.over:
        game.play(game.choose(WEIGHTS))
    with pytest.raises(ValueError, match="the game is over"):
        game.choose()
