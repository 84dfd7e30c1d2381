"""The level "search": the position of beliefs that it plays on, and the moves that it finds."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from queue import SimpleQueue

import pytest

from junqi_protocol.knowledge.belief import Belief
from junqi_protocol.knowledge.exposure import Exposure
from junqi_protocol.knowledge.knowledge import BOTH_DIED, EAT, KILLED, NUMBERS, clash_pairs
from junqi_protocol.knowledge.marginals import scaled
from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.belief_position import BeliefPosition
from junqi_protocol.players.evaluation_weights import WEIGHTS
from junqi_protocol.players.evaluators import JunqiEvaluator
from junqi_protocol.players.likely_line import endings, likely_line
from junqi_protocol.players.player import JunqiPlayer
from junqi_protocol.players.searching import believed
from junqi_protocol.protocols.setting_up import parse_position
from junqi_protocol.rules.geometry import HOME_POINTS, VARIANTS, parse_move
from junqi_protocol.rules.lineup import BOMB, MINE, PIECES, UNKNOWN, random_lineup
from junqi_protocol.rules.position import RESULTS, Position
from search_core.conformance import check_game
from search_core.thinker import Info, Limits, Result


def played(variant: str, seats: tuple[int, ...], plies: int, seed: int) -> tuple[Position, list[PlayerView]]:
    """A game of random moves: the world, and what each of these seats knows."""
    chance = random.Random(seed)
    lineups = [random_lineup(chance) for _ in range(VARIANTS[variant].seats)]
    flags = [seat * HOME_POINTS + lineup.index("F") for seat, lineup in enumerate(lineups)]
    world = Position(variant)
    world.deploy(lineups)
    views = [PlayerView(variant, (seat,), {seat: lineups[seat]}) for seat in seats]
    for _ in range(plies):
        if world.outcome_text is not None:
            break
        seat, move = world.turn, chance.choice(world.legal_moves())
        result, shown, outs = world.push(move)
        for view in views:
            view.moved(seat, move, result, [(one, flags[one]) for one in shown], outs)
    return world, views


def set_up(text: str) -> PlayerView:
    return parse_position(text.split())[1]


def move(variant: str, text: str) -> int:
    return parse_move(VARIANTS[variant], text)


def found(view: PlayerView, nodes: int) -> Result:
    player = JunqiPlayer("search", random.Random(1))
    results: SimpleQueue[Result] = SimpleQueue()
    player.go(view, Limits(nodes=nodes), on_result=results.put)
    result = results.get(timeout=60)
    player.close()
    return result


# What the search plays on


@pytest.mark.parametrize(
    # In games this long, a piece survives a clash that only a mine survives.
    ("variant", "plies", "games"),
    [
        ("duel", 0, 2),
        ("duel", 60, 3),
        pytest.param("duel", 60, 12, marks=pytest.mark.long),
        ("siguo", 40, 2),
        pytest.param("siguo", 200, 2, marks=pytest.mark.long),
    ],
)
def test_the_position_fulfils_the_contract_of_a_game(variant: str, plies: int, games: int) -> None:
    seats = tuple(range(VARIANTS[variant].seats))

    def make_position(chance: random.Random) -> BeliefPosition:
        while True:
            world, views = played(variant, seats, plies, chance.randrange(1000))
            if world.outcome_text is None:
                return believed(views[world.turn])

    check_game(make_position, games, 1, plies=60, generates_all=False)


@pytest.mark.parametrize(("variant", "plies"), [("duel", 50), ("siguo", 150)])
def test_the_evaluation_is_the_sum_of_its_features(variant: str, plies: int) -> None:
    for seed in range(5):
        world, views = played(variant, (0, 1), plies, seed)
        if world.outcome_text is not None:
            continue
        position = believed(views[0], JunqiEvaluator())
        logit = sum(weight * feature for weight, feature in zip(WEIGHTS, position.features()))
        score = 18000 * math.tanh(logit / 2) + 1900 * logit / (4 + abs(logit))
        assert position.evaluate_cp() == pytest.approx(score if world.turn % 2 == 0 else -score, abs=2)


def test_nothing_depends_on_what_a_hidden_piece_is() -> None:
    """Two worlds that look alike to seat 0 give the same position and the same answer."""
    answers = set()
    for hidden in ("96317/5.3.5/81.37/B.2.4/6M2MB/4FM21", "36917/5.3.5/81.37/B.2.4/6M2MB/4FM21"):
        world = Position("duel")
        lineups = ["96317/5.3.5/81.37/B.2.4/6M2MB/4FM21".replace("/", ""), hidden.replace("/", "")]
        world.deploy(lineups)
        view = PlayerView("duel", (0,), {0: lineups[0]})
        for text in ("a6b6", "b7a7"):
            if world.is_legal(move("duel", text)):
                seat, result = world.turn, world.push(move("duel", text))
                view.moved(seat, move("duel", text), result[0], [], result[2])
        answers.add((believed(view).evaluate_cp(), found(view, nodes=3000).best))
    assert len(answers) == 1


def test_a_piece_that_is_known_by_conclusion_alone_counts() -> None:
    """All of seat 1 is known, but only the facts say what its piece on a7 is."""
    concluded = believed(set_up("variant duel turn 0 pieces 0:b1=F 0:a6=8 0:d2=4 1:b12=F 1:a7=?{4} 1:d11=4"))
    told = believed(set_up("variant duel turn 0 pieces 0:b1=F 0:a6=8 0:d2=4 1:b12=F 1:a7=4 1:d11=4"))
    assert concluded.evaluate_cp() == told.evaluate_cp()
    attack = move("duel", "a6a7")
    assert endings(concluded, attack) == endings(told, attack) == [(attack, EAT, False, False, 1.0)]


@pytest.mark.parametrize(("types", "raids"), [("15", True), ("56", False), ("1", True)])
def test_a_hidden_piece_that_may_be_an_engineer_may_turn_on_the_rails_towards_the_flag(types: str, raids: bool) -> None:
    position = believed(set_up(f"variant duel turn 0 pieces 0:d1=F 0:e6=5 1:b12=F 1:a7=?{{{types}}} 1:e10=4"))
    position.push(move("duel", "e6e5"))
    moves = position.legal_moves()
    assert (move("duel", "a7d2") in moves) == raids
    assert move("duel", "a7a2") in moves


@pytest.mark.parametrize(("types", "takes"), [("15", False), ("56", True)])
def test_what_may_be_an_engineer_is_kept_from_the_flag(types: str, takes: bool) -> None:
    """If our 军长 leaves c2 to take, an engineer on a7 reaches d2 in one move, and then the flag."""
    ours, theirs = "0:d1=F 0:c2=8 0:e6=4 0:a1=7 0:e1=6", "1:b12=F 1:c3=6 1:d11=6 1:e11=6 1:c12=7 1:a12=8"
    view = set_up(f"variant duel turn 0 pieces {ours} {theirs} 1:a7=?{{{types}}}")
    assert (found(view, nodes=20_000).best == move("duel", "c2c3")) == takes


# Approximate probabilities


@pytest.mark.parametrize("variant", ["duel", "siguo"])
def test_scaled_weights_are_near_the_exact_probabilities(variant: str) -> None:
    worst = 0.0
    for seed in range(6):
        _world, views = played(variant, (0,), 30 * seed, seed)
        knowledge = views[0].knowledge
        for seat in knowledge.enemies[:1]:
            army = knowledge.army(seat)
            if not knowledge.living[seat]:
                continue
            rows = scaled([[float(types >> kind & 1) for kind in range(UNKNOWN)] for types in army], NUMBERS)
            exact = Belief(knowledge).probabilities(seat)
            if seat in Belief(knowledge).linked:
                continue
            for row, true in zip(rows, exact.values()):
                assert sum(row) == pytest.approx(1, abs=1e-3)
                worst = max(worst, *(abs(p - q) for p, q in zip(row, true)))
    assert worst < 0.08


def test_scaled_weights_add_up_to_the_numbers_of_an_army() -> None:
    chance = random.Random(3)
    army = [letter for letter in random_lineup(chance) if letter != "."]
    rows = [[0.0, *(chance.random() + (PIECES[kind] == letter) for kind in range(1, UNKNOWN))] for letter in army]
    made = scaled(rows, NUMBERS)
    for kind in range(1, UNKNOWN):
        assert sum(row[kind] for row in made) == pytest.approx(NUMBERS[kind], abs=1e-2)


# What the enemies know of us


def test_a_piece_that_takes_is_exposed_as_stronger() -> None:
    home = 0
    exposure = Exposure(range(30))
    before = exposure.probabilities(0)[home]
    exposure.moved(home, engineer=False)
    exposure.met(home, 1 << 6 | 1 << 7, clash_pairs(EAT, False, False, False), attacks=True)
    after = exposure.probabilities(0)[home]
    assert sum(after[1:7]) < 0.01 < sum(before[1:7])
    assert after[9] > before[9]


@pytest.mark.parametrize("result", [KILLED, BOTH_DIED])
def test_a_shown_flag_says_whether_the_commander_died(result: int) -> None:
    chances = []
    for shown in (True, False):
        exposure = Exposure(range(30))
        exposure.met(0, 1 << 9 | 1 << MINE | 1 << BOMB, clash_pairs(result, shown, False, False), attacks=True)
        chances.append(exposure.probabilities(0)[0][9])
    assert chances[0] > 0.99 and chances[1] < 0.01


def test_an_engineer_that_turns_on_the_rails_is_taken_for_one() -> None:
    """In the tree, too: hidden pieces that would leave an unknown piece alone take it."""
    taken = 0
    for seed in range(80):
        world, views = played("duel", (0, 1), 20, seed)
        if world.outcome_text is not None:
            continue
        view = views[world.turn]
        position = believed(view)
        for turn in world.legal_moves():
            if not world.turns_on_rails(turn) or world.piece_at(turn & 255):
                continue
            after = world.copy()
            after.push(turn)
            for reply in after.legal_moves():
                if reply & 255 != turn & 255 or after.turns_on_rails(reply):
                    continue
                if len(believed_types(view, reply >> 8)) > 3:
                    end = likely_line(position, [turn, reply])[1]
                    assert not end.declined and end.chance > 0.5
                    taken += 1
            turned = view.copy()
            turned.moved(world.turn, turn, 0)
            seat_row = turned.exposure.probabilities(world.turn)[turned.knowledge.homes[turn & 255]]
            assert seat_row[1] == pytest.approx(1)
    assert taken > 8


def believed_types(view: PlayerView, point: int) -> list[int]:
    """What a hidden piece can be, for all that this player knows."""
    army = next(army for army in view.knowledge.living if point in army)
    return [kind for kind in range(1, UNKNOWN) if army[point] >> kind & 1]


# The principal variation


@pytest.mark.parametrize(
    ("variant", "plies"),
    [
        ("duel", 60),
        ("siguo", 100),
        *(pytest.param(*kind, marks=pytest.mark.long) for kind in (("duel", 30), ("siguo", 200))),
    ],
)
def test_the_variation_is_legal_along_the_likeliest_ends(variant: str, plies: int) -> None:
    after_a_clash = 0
    for seed in range(6):
        world, views = played(variant, tuple(range(VARIANTS[variant].seats)), plies, seed)
        if world.outcome_text is not None:
            continue
        view = views[world.turn]
        shown: list[Info] = []
        player = JunqiPlayer("search")
        results: SimpleQueue[Result] = SimpleQueue()
        player.go(view, Limits(nodes=5000, multipv=3), on_info=shown.append, on_result=results.put)
        result = results.get(timeout=60)
        player.close()
        position = believed(view)
        key = position.key
        for info in (*shown, *result.lines):
            line = likely_line(position, info.pv)  # raises ValueError for an illegal move
            assert tuple(ending.move for ending in line) == info.pv
            assert not any(ending.declined for ending in line[:-1])
            after_a_clash += any(ending.chance < 1 for ending in line[:-1])
            for ending in line:
                assert 0 < ending.chance <= 1
        assert position.key == key
    assert after_a_clash > 0


def test_the_ends_of_a_clash() -> None:
    # The 军长 meets a piece that is a 司令, a 军长 or a 师长.
    view = set_up("variant duel turn 0 pieces 0:b1=F 0:a6=8 0:d2=4 1:b12=F 1:a7=?{789} 1:d11=4")
    position = believed(view)
    ends = endings(position, move("duel", "a6a7"))
    assert {RESULTS[end.result] for end in ends} == {"EAT", "KILLED", "BOMB"}
    assert sum(end.chance for end in ends) == pytest.approx(1)
    assert [end.chance for end in ends] == sorted((end.chance for end in ends), reverse=True)
    assert not any(end.declined or end.flag_falls for end in ends)
    (only,) = endings(position, move("duel", "d2e2"))
    assert (RESULTS[only.result], only.chance) == ("MOVE", 1)
    with pytest.raises(ValueError, match="not legal"):
        likely_line(position, [move("duel", "d2e2"), move("duel", "d2e2")])


# Moves


@pytest.mark.parametrize(
    ("text", "best"),
    [
        # A known 旅长 stands where our 军长 can take it.
        ("variant duel turn 0 pieces 0:b1=F 0:a6=8 0:d2=4 1:b12=F 1:a7=6 1:d11=4", "a6a7"),
        # Our bomb reaches the 司令.
        ("variant duel turn 0 pieces 0:b1=F 0:a6=B 0:d2=4 0:e2=6 1:b12=F 1:a7=9 1:d11=4", "a6a7"),
        # Their 司令 attacks our 军长, which can hide in the camp.
        ("variant duel turn 0 pieces 0:b1=F 0:b4=8 0:d2=4 1:b12=F 1:a4=9 1:d11=4", "b4b3"),
    ],
)
def test_known_pieces_are_taken_and_saved(text: str, best: str) -> None:
    view = set_up(text)
    answer = found(view, nodes=20_000).best
    assert answer is not None
    if best == "b4b3":
        after = view.position.copy()
        after.report(answer, 0)
        assert not any(m & 255 == answer & 255 for m in after.legal_moves())
    else:
        assert answer == move("duel", best)


def test_fixed_nodes_give_the_same_moves_in_each_game() -> None:
    games = []
    for _ in range(2):
        player = JunqiPlayer("search", random.Random(1))
        results: SimpleQueue[Result] = SimpleQueue()
        answers = []
        for game in range(2):
            player.searcher.new_game()
            _world, views = played("siguo", (0,), 40 + 4 * game, 5)
            player.go(views[0], Limits(nodes=2000), on_result=results.put)
            answers.append(replace(results.get(timeout=60), time_ms=0, lines=()))
            player.wait()
        games.append(answers)
        player.close()
    assert games[0] == games[1]


def test_a_stop_ends_a_search_without_limits() -> None:
    _world, views = played("siguo", (0,), 40, 2)
    player = JunqiPlayer("search")
    results: SimpleQueue[Result] = SimpleQueue()
    depths: SimpleQueue[int] = SimpleQueue()
    player.go(views[0], Limits(infinite=True), on_info=lambda info: depths.put(info.depth), on_result=results.put)
    assert depths.get(timeout=60) >= 1
    player.stop()
    assert results.get(timeout=60).best in views[0].position.legal_moves()
    player.close()


def test_a_weaker_player_searches_less() -> None:
    _world, views = played("siguo", (0,), 40, 2)
    nodes = []
    for strength in (0.0, 0.5, 1.0):
        player = JunqiPlayer("search")
        player.searcher.strength = strength
        results: SimpleQueue[Result] = SimpleQueue()
        player.go(views[0], Limits(nodes=20_000), on_result=results.put)
        nodes.append(results.get(timeout=60).nodes)
        player.close()
    assert nodes == sorted(nodes)
    assert nodes[0] < nodes[1] < nodes[2]


def test_copies_are_independent() -> None:
    _world, views = played("siguo", (0,), 40, 2)
    position = believed(views[0])
    twin = position.copy()
    assert isinstance(twin, BeliefPosition)
    score = position.evaluate_cp()
    for one in twin.legal_moves()[:5]:
        twin.push(one)
        twin.pop()
    assert position.evaluate_cp() == twin.evaluate_cp() == score
