"""The evaluation net of Xiangqi: its sums follow the moves, every kernel says the same, and no bad file is taken."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from array import array
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from search_core.engine import Engine, Limits
from search_core.net_file import NetError
from tests.helpers.random_walk import random_step
from ucci_engine import evaluators
from ucci_engine.bench_positions import POSITIONS
from ucci_engine.evaluation import HandCraftedEvaluator
from ucci_engine.extra_pieces import open_position
from ucci_engine.net import NetEvaluator, NetWeights
from ucci_engine.net_file import Net, net_bytes, net_name, parse_net, read_net
from ucci_engine.net_inputs import INPUT_COUNT, INPUTS
from ucci_engine.position import Position

if TYPE_CHECKING:
    from types import ModuleType

WIDTH = 64


def numbers(chance: random.Random, count: int, largest: int) -> bytes:
    return array("h", [chance.randint(-largest, largest) for _ in range(count)]).tobytes()


def net(width: int = WIDTH, seed: int = 1) -> Net:
    """A net of random weights."""
    chance = random.Random(seed)
    return Net(
        width,
        numbers(chance, INPUT_COUNT * width, 90),
        numbers(chance, width, 90),
        numbers(chance, 2 * width, 127),
        bias=1000,
        one=64,
        scale=400,
    )


def evaluator(width: int = WIDTH) -> NetEvaluator:
    return NetEvaluator(NetWeights(*net(width)))


def by_formula(position: Position, weights: Net) -> int:
    """The score of a position, computed slowly."""
    rows, biases, outputs = (array("h", data) for data in (weights.rows, weights.biases, weights.outputs))
    letters = "KAEHRCPkaehrcp"
    side = position.fen().split()[1] == "b"
    total = 0
    for half, view in enumerate((side, not side)):
        sums = list(biases)
        for square in range(90):
            letter = position.piece_at(square).replace("B", "E").replace("N", "H").replace("b", "e").replace("n", "h")
            if not letter:
                continue
            kind, seen = letters.index(letter), square
            if view:
                kind, seen = (kind + 7) % 14, 9 * (9 - square // 9) + square % 9
            number = INPUTS[kind][seen]
            for neuron in range(weights.width):
                sums[neuron] += rows[number * weights.width + neuron]
        for neuron in range(weights.width):
            total += min(max(sums[neuron], 0), 255) ** 2 * outputs[half * weights.width + neuron]
    # As C divides: towards zero.
    value = int((int(total / 255) + weights.bias) * weights.scale / (255 * weights.one))
    return min(max(value, -15000), 15000)


def random_walk(position: Position, chance: random.Random, steps: int, probe: ModuleType) -> int:
    """Play, pass and take back; compare the score with that of the same board set up. The number compared."""
    compared = 0
    for _ in range(steps):
        random_step(position, chance, probe)
        if chance.random() < 0.6:
            twin = position.evaluator.copy()
            assert isinstance(twin, NetEvaluator)
            fresh = open_position(position.fen(), twin)
            assert position.evaluate_cp() == fresh.evaluate_cp()
            compared += 1
    return compared


def test_the_score_is_that_of_the_formula() -> None:
    for fen in POSITIONS[:8]:
        assert Position(fen, evaluator()).evaluate_cp() == by_formula(Position(fen), net())


def test_sums_follow_moves_passes_and_take_backs(probe: ModuleType) -> None:
    for seed in range(3):
        assert random_walk(Position(evaluator=evaluator()), random.Random(seed), 200, probe) > 80


@pytest.mark.long
@pytest.mark.timeout(0)
def test_sums_follow_a_million_moves(probe: ModuleType) -> None:
    for seed in range(500):
        random_walk(Position(evaluator=evaluator(32)), random.Random(seed), 2000, probe)


def test_sums_follow_in_two_threads(probe: ModuleType) -> None:
    """The weights are shared, the sums are not."""
    weights = NetWeights(*net())
    compared: list[int] = []

    def walk(seed: int) -> None:
        compared.append(random_walk(Position(evaluator=NetEvaluator(weights)), random.Random(seed), 300, probe))

    threads = [Thread(target=walk, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(compared) == 2 and min(compared) > 100


def test_the_sides_are_symmetric() -> None:
    for fen in POSITIONS[:8]:
        board, side = fen.split()[:2]
        turned = "/".join(reversed(board.swapcase().split("/")))
        other = f"{turned} {'b' if side == 'w' else 'w'}"
        assert Position(fen, evaluator()).evaluate_cp() == Position(other, evaluator()).evaluate_cp()


def test_pieces_without_an_input_count_as_in_the_hand_made_evaluation(probe: ModuleType) -> None:
    plain = "2rk1r3/9/9/9/9/9/1C7/9/9/R3KR3 w"
    odd = "2rk1r3/9/9/9/9/9/1C7/P8/9/R3KR3 w"  # a pawn behind its own rank
    without, with_it = (open_position(fen, evaluator()).evaluate_cp() for fen in (plain, odd))
    assert 20 < with_it - without < 200
    assert random_walk(open_position(odd, evaluator()), random.Random(1), 200, probe) > 80


def test_levels_and_styles_are_those_of_the_hand_made_evaluation() -> None:
    position = Position(POSITIONS[2], evaluator())
    assert position.evaluator.set_style("normal", 0)
    assert not position.evaluator.set_style("risky", 0)
    hand_made = Position(POSITIONS[2], HandCraftedEvaluator())
    for weakened in (position, hand_made):
        weakened.weaken(0, 7, 300)
    assert position.evaluate_cp() == hand_made.evaluate_cp()
    position = Position(POSITIONS[2], evaluator())
    position.weaken(0, 7, 0)  # level 20
    assert isinstance(position.evaluator, NetEvaluator)


def test_a_search_with_two_threads_plays() -> None:
    with Engine() as engine:
        engine.threads = 2
        result = engine.search(Position(evaluator=evaluator()), Limits(nodes=50_000))
    assert result.best is not None


# ---------------------------------------------------------------- kernels

_TREE = """
import sys
from search_core.engine import Engine, Limits
from ucci_engine import evaluators
from ucci_engine.net import NetEvaluator, NetWeights, kernel_name
from ucci_engine.net_file import read_net
from ucci_engine.position import Position
with Engine() as engine:
    found = engine.search(Position(evaluator=NetEvaluator(NetWeights(*read_net(sys.argv[1])))), Limits(depth=8))
print(kernel_name(), found.nodes, found.score)
"""


def tree(kernel: str, path: Path) -> list[str] | None:
    environment = {**os.environ, "SANQI_KERNEL": kernel}
    done = subprocess.run(
        [sys.executable, "-I", "-c", _TREE, str(path)], env=environment, capture_output=True, text=True, timeout=120
    )
    if done.returncode:
        assert f"SANQI_KERNEL={kernel}: this processor has no such kernel" in done.stderr
        return None
    return done.stdout.split()


def test_every_kernel_searches_the_same_tree(tmp_path: Path) -> None:
    path = tmp_path / "a.net"
    path.write_bytes(net_bytes(net(96)))
    plain = tree("c", path)
    assert plain is not None and plain[0] == "c"
    trees = {kernel: tree(kernel, path) for kernel in ("sse2", "avx2", "neon")}
    best = tree("", path)
    assert best is not None and best[1:] == plain[1:]
    assert best[0] == "c" or trees[best[0]] == best
    for kernel, found in trees.items():
        assert found is None or found == [kernel, *plain[1:]]
    assert tree("mmx", path) is None


# ---------------------------------------------------------------- files


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    content = net_bytes(net())
    path = tmp_path / net_name(content)
    path.write_bytes(content)
    assert read_net(path) == net()
    assert sha256(content[:-32]).hexdigest()[:12] in path.name


def test_the_built_in_net_is_the_one_of_its_name_and_of_a_card() -> None:
    """And the folder has no other."""
    (path,) = (Path(evaluators.__file__).parent / "data").glob("*.net")
    assert path.name == evaluators.NET_FILE == net_name(path.read_bytes())
    assert path.stat().st_size < 1_000_000
    assert evaluators.default_evaluator(evaluators.NET).copy() is not None
    position = Position("3k5/9/9/9/9/9/9/9/4R4/4K4 w", evaluators.default_evaluator(evaluators.NET))
    assert position.evaluate_cp() > 300


@pytest.mark.parametrize("name", ["none.net", "a\0b", ".", *(["pipe"] if hasattr(os, "mkfifo") else [])])
def test_what_is_no_file_is_refused(name: str, tmp_path: Path) -> None:
    if name == "pipe":
        os.mkfifo(tmp_path / "pipe")  # nobody writes to it
    with pytest.raises((NetError, OSError)):
        read_net(os.path.join(tmp_path, name))


def signed(content: bytes) -> bytes:
    """With the checksum that belongs to it."""
    return content[:-32] + sha256(content[:-32]).digest()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda content: content[:-1], "checksum"),
        (lambda content: content[: len(content) // 2], "checksum"),
        (lambda content: b"", "not a net"),
        (lambda content: content.replace(b"net 1", b"net 2"), "another format"),
        (lambda content: content[:5000] + bytes([content[5000] ^ 1]) + content[5001:], "checksum"),
        (lambda content: signed(content.replace(b'"xiangqi"', b'"western"')), "other inputs: western"),
        (lambda content: signed(content.replace(b'"width": 64', b'"width": 96')), "bytes of weights"),
        (lambda content: signed(content.replace(b'"width": 64', b'"width": 63')), "width 63"),
        (lambda content: signed(content.replace(b'"one": 64', b'"one": 00')), "cannot be read"),
        (lambda content: signed(content.replace(b'"scale": 400', b'"scale": null')), "cannot be read"),
        (lambda content: signed(content.replace(b'"scale": 400', b'"scale": 1e999')), "cannot be read"),
        (lambda content: signed(b"sanqi net 1\n" + b"[" * 100_000 + b"\n" + content[-32:]), "cannot be read"),
    ],
)
def test_bad_files_are_refused(change: object, fault: str) -> None:
    assert callable(change)
    with pytest.raises(NetError, match=fault):
        parse_net(change(net_bytes(net())))


def test_nets_whose_sums_overflow_are_refused() -> None:
    good = net(512)
    large = array("h", [127] * 1024).tobytes()
    with pytest.raises(NetError, match="output may overflow"):
        net_bytes(good._replace(outputs=large))
    with pytest.raises(NetError, match="larger than 127"):
        net_bytes(good._replace(outputs=array("h", [128] * 1024).tobytes()))
    good = net()
    with pytest.raises(NetError, match="neuron 0 may overflow"):
        net_bytes(good._replace(rows=array("h", [1100] * (INPUT_COUNT * WIDTH)).tobytes()))
    with pytest.raises(NetError, match="neuron 3 may overflow"):
        biases = array("h", good.biases)
        biases[3] = -32_000
        net_bytes(good._replace(biases=biases.tobytes(), rows=array("h", [-30] * (INPUT_COUNT * WIDTH)).tobytes()))
