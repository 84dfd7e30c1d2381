"""The net that orders Gomoku's quiet moves: its neurons follow the stones, every kernel says the same, and no bad file
is taken."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from array import array
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gomoku_protocol import evaluators
from gomoku_protocol.evaluation import HandCraftedEvaluator
from gomoku_protocol.net import NetEvaluator, NetWeights
from gomoku_protocol.net_file import CLASSES, WIDTH, Net, net_bytes, net_name, parse_net, read_net
from gomoku_protocol.points import FREESTYLE, RENJU, RULES, STRIDE, move_at
from gomoku_protocol.position import Position
from search_core.engine import Engine, Limits
from search_core.net_file import NetError

if TYPE_CHECKING:
    from types import ModuleType

PARTS = {"inputs": (225, 900), "stones": (2, 4000), "biases": (1, 900), "around": (9, 3000), "around_biases": (1, 200)}
PARTS |= {"gates": (16, 900), "gate_biases": (1, 4000)}


def net(seed: int = 1, rule: int = FREESTYLE) -> Net:
    """A net of random weights."""
    chance = random.Random(seed)
    return Net(
        rule,
        *(
            array("h", [chance.randint(-largest, largest) for _ in range(rows * WIDTH)]).tobytes()
            for rows, largest in PARTS.values()
        ),
    )


def evaluator(rule: int = FREESTYLE) -> NetEvaluator:
    return NetEvaluator(NetWeights(*net(rule=rule)))


def by_formula(position: Position, weights: Net, probe: ModuleType) -> dict[int, int]:
    """The scores of the quiet moves, computed slowly."""
    inputs, stones, biases, around, around_biases, gates, gate_biases = (array("h", part) for part in weights[1:])
    size, side = position.width, position.side
    first: dict[tuple[int, int], list[int]] = {}
    second: dict[tuple[int, int], list[int]] = {}
    held = {(x, y): position.stone_at(x, y) for x, y in product(range(size), range(size))}
    for (x, y), stone in held.items():
        if stone == 2:
            first[x, y] = [0] * WIDTH
        elif stone >= 0:
            first[x, y] = list(stones[(stone ^ side) * WIDTH :][:WIDTH])
        else:
            own, other = probe.line_classes(position, move_at(x, y))
            rows = [inputs[(CLASSES * a + b) * WIDTH :][:WIDTH] for a, b in zip(own, other, strict=True)]
            first[x, y] = [max(biases[k] + sum(row[k] for row in rows), 0) for k in range(WIDTH)]
    for (x, y), stone in held.items():
        beside = product(range(x - 2, x + 3), range(y - 2, y + 3))
        if stone != -1 or not any(held.get(point, 2) in (0, 1) for point in beside):
            continue
        places = [(x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
        neurons = [first.get(place, [0] * WIDTH) for place in places]
        second[x, y] = [
            max(around_biases[k] + sum(around[WIDTH * i + k] * neurons[i][k] >> 16 for i in range(9)), 0)
            for k in range(WIDTH)
        ]
    whole = [min(sum(neurons[k] for neurons in second.values()) >> 3, 32767) for k in range(WIDTH)]
    weight = [
        (gate_biases[i] * 1024 + sum(gates[WIDTH * i + k] * whole[k] for k in range(WIDTH))) >> 10 for i in range(WIDTH)
    ]
    weight = [max(min(one, 32767), -32768) for one in weight]
    scores = {
        int(move_at(x, y)): sum(weight[k] * neurons[k] for k in range(WIDTH)) * 4200 >> 21
        for (x, y), neurons in second.items()
    }
    moves = set(probe.quiet_scores(position))
    best = max(scores[move] for move in moves)
    return {move: scores[move] - best + 24_000 for move in moves}


def played(chance: random.Random, evaluator: NetEvaluator, size: int = 15) -> Position:
    position = Position(size, size, FREESTYLE, evaluator)
    position.set_up([move_at(7, 7), move_at(6, 8)], [move_at(8, 6)], [move_at(9, 7)], side=1)
    for _ in range(chance.randint(0, 12)):
        near = [move for move in position.legal_moves() if abs(move // STRIDE - 12) < 4 and abs(move % STRIDE - 12) < 4]
        position.push(chance.choice(near))
        if position.winner is not None:
            position.pop()
    return position


@pytest.mark.parametrize("size", [15, 20])
def test_scores_are_those_of_the_formula(size: int, gomoku_probe: ModuleType) -> None:
    compared = 0
    for seed in range(12):
        position = played(random.Random(seed), evaluator(), size)
        scores = gomoku_probe.quiet_scores(position)
        if scores:
            assert scores == by_formula(position, net(), gomoku_probe)
            compared += len(set(scores.values())) > 10
    assert compared > 6


def test_neurons_follow_stones_and_take_backs(gomoku_probe: ModuleType) -> None:
    compared = 0
    for seed in range(4):
        chance = random.Random(seed)
        position = played(chance, evaluator())
        for _ in range(100):
            if chance.random() < 0.4 and position.moves:
                for _ in range(chance.randint(1, len(position.moves))):
                    position.pop()
            elif position.winner is None:
                position.push(chance.choice(position.legal_moves()))
            if position.winner is None and chance.random() < 0.6:
                scores = gomoku_probe.quiet_scores(position)
                assert scores == gomoku_probe.quiet_scores(position.copy())
                compared += len(scores) > 10
    assert compared > 100


def test_a_net_orders_no_moves_of_another_rule(gomoku_probe: ModuleType) -> None:
    for rule in (FREESTYLE, RENJU):
        position = Position(15, 15, rule, evaluator(RENJU))
        position.push(move_at(7, 7))
        assert bool(gomoku_probe.quiet_scores(position)) == (rule == RENJU)


def test_a_net_orders_no_moves_far_from_all_stones(gomoku_probe: ModuleType) -> None:
    """Of these it has kept nothing, or what it saw there in another position."""
    position = played(random.Random(3), evaluator())
    assert gomoku_probe.quiet_scores(position)
    around = [move_at(x, y) for x, y in product(range(5, 10), range(5, 10)) if (x, y) != (7, 7)]
    position.set_up([move_at(7, 7)], [], around, side=1)
    assert gomoku_probe.quiet_scores(position) == gomoku_probe.quiet_scores(Position(evaluator=evaluator())) == {}


def test_levels_and_styles_are_those_of_the_hand_made_evaluation() -> None:
    position = Position(15, 15, FREESTYLE, evaluator())
    hand_made = Position(15, 15, FREESTYLE, HandCraftedEvaluator())
    for weakened in (position, hand_made):
        weakened.push(move_at(7, 7))
        assert weakened.evaluator.set_style("aggressive", 0)
        assert weakened.evaluator.copy().set_style("steady", 0)
    assert position.evaluate_cp() == hand_made.evaluate_cp()
    for weakened in (position, hand_made):
        weakened.weaken(0, 7, 0)
    assert position.evaluate_cp() == hand_made.evaluate_cp()
    assert type(position.evaluator) is HandCraftedEvaluator


def test_a_search_with_two_threads_plays() -> None:
    with Engine() as engine:
        engine.threads = 2
        result = engine.search(Position(15, 15, FREESTYLE, evaluator()), Limits(nodes=50_000))
    assert result.best is not None


# ---------------------------------------------------------------- kernels

_TREE = """
import sys
from search_core.engine import Engine, Limits
from gomoku_protocol.net import NetEvaluator, NetWeights, kernel_name
from gomoku_protocol.net_file import read_net
from gomoku_protocol.points import move_at
from gomoku_protocol.position import Position
position = Position(15, 15, 0, NetEvaluator(NetWeights(*read_net(sys.argv[1]))))
for x, y in ((7, 7), (8, 8), (6, 8)):
    position.push(move_at(x, y))
with Engine() as engine:
    found = engine.search(position, Limits(depth=8))
print(kernel_name(), found.nodes, found.score)
"""


def tree(kernel: str, path: Path) -> list[str] | None:
    environment = {**os.environ, "SANQI_GOMOKU_KERNEL": kernel}
    done = subprocess.run(
        [sys.executable, "-I", "-c", _TREE, str(path)], env=environment, capture_output=True, text=True, timeout=120
    )
    if done.returncode:
        assert f"SANQI_GOMOKU_KERNEL={kernel}: this processor has no such kernel" in done.stderr
        return None
    return done.stdout.split()


_TWICE = """
from gomoku_protocol.position import Position
from search_core.net_file import NetError
for _ in range(2):
    try:
        Position()
    except NetError as error:
        print(error)
"""


def test_a_kernel_that_is_not_here_is_reported_each_time() -> None:
    environment = {**os.environ, "SANQI_GOMOKU_KERNEL": "abacus"}
    done = subprocess.run(
        [sys.executable, "-I", "-c", _TWICE], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines() == ["SANQI_GOMOKU_KERNEL=abacus: this processor has no such kernel"] * 2


def test_every_kernel_searches_the_same_tree(tmp_path: Path) -> None:
    path = tmp_path / "a.net"
    path.write_bytes(net_bytes(net()))
    plain = tree("c", path)
    assert plain is not None and plain[0] == "c"
    vectors = tree("sse2", path)
    assert vectors is None or vectors == ["sse2", *plain[1:]]
    assert tree("", path) == (vectors or plain)
    assert tree("mmx", path) is None


# ---------------------------------------------------------------- files


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    content = net_bytes(net())
    path = tmp_path / net_name(content)
    path.write_bytes(content)
    assert read_net(path) == net()


def test_the_built_in_nets_are_those_of_their_rules_and_names() -> None:
    """And the folder has no others."""
    paths = {path.name: path for path in (Path(evaluators.__file__).parent / "data").glob("*.net")}
    assert sorted(paths) == sorted(evaluators.NET_FILES.values())
    for rule, name in evaluators.NET_FILES.items():
        assert name == net_name(paths[name].read_bytes())
        assert read_net(paths[name]).rule == rule
        assert paths[name].stat().st_size < 10_000


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_without_a_net_is_played_by_hand(rule: int) -> None:
    assert isinstance(Position(rule=rule).evaluator, NetEvaluator) == (rule in evaluators.NET_FILES)
    assert Position(rule=rule).has_policy == (rule in evaluators.NET_FILES)


@pytest.mark.parametrize("part", range(1, 8))
def test_parts_of_another_size_are_refused(part: int) -> None:
    parts: list[Any] = list(net())
    parts[part] = parts[part][:-2]
    with pytest.raises(ValueError, match=r"a part of a net has \d+ bytes, not"):
        NetWeights(*parts)


def signed(content: bytes) -> bytes:
    """With the checksum that belongs to it."""
    return content[:-32] + sha256(content[:-32]).digest()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda content: content[:-1], "checksum"),
        (lambda content: b"", "not a net"),
        (lambda content: signed(content.replace(b'"gomoku"', b'"western"')), "other inputs: western"),
        (lambda content: signed(content.replace(b'"width": 16', b'"width": 32')), "width 32"),
        (lambda content: signed(content.replace(b'"rule": 0', b'"rule": 7')), "a rule 7"),
        (lambda content: signed(content.replace(b'"rule": 0', b'"rule": []')), "a rule \\[\\]"),
        (lambda content: signed(content[:-40] + content[-32:]), "bytes of weights"),
    ],
)
def test_bad_files_are_refused(change: object, fault: str) -> None:
    assert callable(change)
    with pytest.raises(NetError, match=fault):
        parse_net(change(net_bytes(net())))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"inputs": 8000}, r"neuron \d+ may overflow"),
        ({"inputs": -8100}, r"neuron \d+ may overflow"),
        ({"stones": 30_000, "around": 30_000}, "neuron 0 of the second layer may overflow"),
        ({"stones": 30_000, "around": -30_000}, "neuron 0 of the second layer may overflow"),
        ({"stones": -30_000, "around": 30_000}, "neuron 0 of the second layer may overflow"),
        ({"around_biases": 20_000}, "the score of a move may overflow"),
        ({"gates": 5000}, "gate 0 may overflow"),
    ],
)
def test_nets_whose_sums_overflow_are_refused(changes: dict[str, int], fault: str) -> None:
    parts: dict[str, Any] = {
        part: array("h", [number] * (PARTS[part][0] * WIDTH)).tobytes() for part, number in changes.items()
    }
    with pytest.raises(NetError, match=fault):
        net_bytes(net()._replace(**parts))
