"""The net of Junqi: it says what the formula says, follows the moves, and no bad file is taken."""

from __future__ import annotations

import json
import math
import random
from array import array
from pathlib import Path

import pytest

from junqi_protocol.knowledge.seen_game import SeenGame
from junqi_protocol.players import evaluators
from junqi_protocol.players.belief_position import BeliefPosition
from junqi_protocol.players.evaluation_weights import WEIGHTS
from junqi_protocol.players.evaluators import JunqiEvaluator, default_evaluator
from junqi_protocol.players.net import FOLD_COUNT, INPUT_COUNT, KIND_COUNT, PLACE_COUNT, WIDTH, JunqiNet
from junqi_protocol.players.net_file import ONE, Net, net_bytes, net_name, parse_net
from junqi_protocol.players.searching import believed
from junqi_protocol.rules.geometry import HOME_POINTS, VARIANTS, move_of
from junqi_protocol.rules.lineup import random_lineup
from search_core.net_file import NetError, packed

PIECE_BYTES = 3 + KIND_COUNT
NO_WEIGHTS = (0.0,) * len(WEIGHTS)


def test_full_strength_with_four_seats_has_tuned_weights() -> None:
    tuned = default_evaluator("siguo")
    assert len(tuned.weights) == len(WEIGHTS)
    assert tuned.weights != WEIGHTS
    assert tuned.net is None
    assert default_evaluator("siguo", "hand-made").weights == WEIGHTS


class Numbers:
    """The weights of a random net."""

    def __init__(self, seed: int = 1) -> None:
        chance = random.Random(seed)
        self.rows = [chance.uniform(-0.2, 0.2) for _ in range(INPUT_COUNT * WIDTH)]
        self.biases = [chance.uniform(0, 1) for _ in range(WIDTH)]
        self.outputs = [chance.uniform(-1, 1) for _ in range(WIDTH)]
        self.bias = 0.1

    def net(self) -> JunqiNet:
        return JunqiNet(self.rows, self.biases, self.outputs, self.bias)

    def output(self, position: BeliefPosition, on_turn: bool) -> float:
        """By the formula of docs/nets.md, from what the position says of its pieces."""
        sums = list(self.biases)

        def add(row: int, share: float) -> None:
            for neuron in range(WIDTH):
                sums[neuron] += share * self.rows[row * WIDTH + neuron]

        add(INPUT_COUNT - 2 + on_turn, 1)
        pieces = position.net_pieces()
        for at in range(0, len(pieces), PIECE_BYTES):
            team, fold, zone, *chances = pieces[at : at + PIECE_BYTES]
            for kind, chance in enumerate(chances):
                first = (team * KIND_COUNT + kind) * PLACE_COUNT
                add(first + fold, chance / 255)
                add(first + FOLD_COUNT + zone, chance / 255)
        active = (max(0.0, min(one, 1.0)) for one in sums)
        return self.bias + sum(weight * one * one for weight, one in zip(self.outputs, active))


def game(variant: str, seed: int, plies: int, see: str = "own") -> SeenGame:
    """After some random moves."""
    chance = random.Random(seed)
    seen = SeenGame(variant, [random_lineup(chance) for _ in range(VARIANTS[variant].seats)], see=see)
    for _ in range(plies):
        if seen.world.outcome_text is None:
            seen.push(chance.choice(seen.world.legal_moves()))
    return seen


@pytest.mark.parametrize(("variant", "see"), [("duel", "own"), ("siguo", "own"), ("siguo", "team")])
def test_the_net_says_what_the_formula_says_and_follows_the_moves(variant: str, see: str) -> None:
    """Also in the tree, where clashes and declined attacks narrow what pieces can be."""
    numbers = Numbers()
    evaluator = JunqiEvaluator(NO_WEIGHTS, numbers.net())
    clashes = 0
    for seed in range(6):
        chance = random.Random(seed)
        seen = game(variant, seed, 20 + 20 * seed, see)
        for view in seen.views:
            if view.position.outcome_text is not None:
                continue
            position = believed(view, evaluator)
            scores = []
            while True:
                scores.append(position.evaluate_cp())
                on_turn = position.turn & 1 == view.seats[0] & 1
                logit = numbers.output(position, on_turn) * (1 if on_turn else -1)
                score = 18000 * math.tanh(logit / 2) + 1900 * logit / (4 + abs(logit))
                assert scores[-1] == pytest.approx(score, abs=300)  # the probabilities are rounded
                attacks = [move for move in position.legal_moves() if position.piece_at(move & 255)]
                moves = attacks if attacks and chance.random() < 0.5 else position.legal_moves()
                if not moves or len(scores) == 20:
                    break
                clashes += moves is attacks
                position.push(chance.choice(moves))
            for score in scores[-2::-1]:
                position.pop()
                assert position.evaluate_cp() == score
    assert clashes > 50


def mirrored(variant: str, point: int) -> int:
    """The point as a mirror has it that seat 0 stands in front of."""
    seats = VARIANTS[variant].seats
    if point >= seats * HOME_POINTS:
        number = point - seats * HOME_POINTS
        return seats * HOME_POINTS + number // 3 * 3 + 2 - number % 3
    seat, index = divmod(point, HOME_POINTS)
    return (-seat % seats) * HOME_POINTS + index // 5 * 5 + 4 - index % 5


@pytest.mark.parametrize("variant", ["duel", "siguo"])
def test_left_and_right_are_alike(variant: str) -> None:
    evaluator = JunqiEvaluator(net=Numbers().net())
    for seed in range(5):
        chance = random.Random(seed)
        seats = VARIANTS[variant].seats
        lineups = [random_lineup(chance) for _ in range(seats)]
        turned = ["".join(lineup[row : row + 5][::-1] for row in range(0, 30, 5)) for lineup in lineups]
        one = SeenGame(variant, lineups, see="team")
        two = SeenGame(variant, [turned[-seat % seats] for seat in range(seats)], see="team")
        scores = [believed(seen.views[0], evaluator).evaluate_cp() for seen in (one, two)]
        assert scores[0] == pytest.approx(scores[1], abs=2)
        if variant == "duel":  # with four seats the mirror image goes round the other way
            for _ in range(40):
                if one.world.outcome_text is not None:
                    break
                move = chance.choice(one.world.legal_moves())
                one.push(move)
                two.push(move_of(mirrored(variant, move >> 8), mirrored(variant, move & 255)))
            else:
                scores = [believed(seen.view, evaluator).evaluate_cp() for seen in (one, two)]
                assert scores[0] == pytest.approx(scores[1], abs=2)


def net(variant: str = "duel", seed: int = 1) -> Net:
    numbers = Numbers(seed)
    rows, biases, outputs = (
        array("h", [round(number * ONE) for number in part]).tobytes()
        for part in (numbers.rows, numbers.biases, numbers.outputs)
    )
    return Net(variant, WEIGHTS, numbers.bias, rows, biases, outputs)


def test_a_net_is_read_as_it_was_written(tmp_path: Path) -> None:
    content = net_bytes(net())
    assert parse_net(content) == net()
    path = tmp_path / net_name(net(), content)
    path.write_bytes(content)
    view = game("duel", 3, 20).view
    read, made = default_evaluator("duel", str(path)), JunqiEvaluator(net=Numbers().net())
    assert believed(view, read).evaluate_cp() == pytest.approx(believed(view, made).evaluate_cp(), abs=20)


def with_header(**changes: object) -> bytes:
    content = net_bytes(net())
    _, header, body = content.split(b"\n", 2)
    return packed(json.loads(header) | changes, body[:-32])


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "not a net"),
        (net_bytes(net())[:-1], "checksum"),
        (net_bytes(net())[:1000] + b"x" + net_bytes(net())[1001:], "checksum"),
        (with_header(game="xiangqi"), "another game"),
        (with_header(inputs=1), "other inputs"),
        (with_header(linear=None), "cannot be read"),
        (with_header(linear=[0.0]), "missing"),
        (with_header(bias=math.nan), "not finite"),
        (with_header(bias="x"), "cannot be read"),
        (packed({"game": "junqi"}, b""), "other inputs"),
        (packed(json.loads(net_bytes(net()).split(b"\n", 2)[1]), b"12"), "2 bytes of weights"),
    ],
)
def test_a_bad_file_is_refused(content: bytes, fault: str, tmp_path: Path) -> None:
    with pytest.raises(NetError, match=fault):
        parse_net(content)
    path = tmp_path / "bad.net"
    path.write_bytes(content)
    with pytest.raises(NetError, match=fault):
        default_evaluator("duel", str(path))


def test_the_built_in_nets_are_those_of_their_names() -> None:
    """And the folder has no other."""
    paths = (Path(evaluators.__file__).parents[1] / "data").glob("*.net")
    found = {path.name: path.read_bytes() for path in paths}
    assert set(found) == set(evaluators.NET_FILES.values())
    for variant, name in evaluators.NET_FILES.items():
        assert net_name(parse_net(found[name]), found[name]) == name
        assert default_evaluator(variant).net is not None


def test_a_net_of_the_other_board_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "siguo.net"
    path.write_bytes(net_bytes(net("siguo")))
    with pytest.raises(NetError, match="made for siguo, not for duel"):
        default_evaluator("duel", str(path))
