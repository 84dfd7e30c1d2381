"""The way from games to a net of Gomoku, each step by its command, small."""

from __future__ import annotations

import json
import struct
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sanqi_training.nets.gomoku_gradients import GomokuGradients
from sanqi_training.nets.gomoku_samples import GomokuReplay
from sanqi_training.nets.gomoku_training import SAMPLE, GomokuSamples, quantised
from sanqi_training.nets.samples_command import ABOUT, CHECK, LEARN
from sanqi_training.selfplay.gomoku_games import read_games
from sanqi_training.selfplay.player import HEAD
from sanqi_training.selfplay.store import read_blocks, read_header

from gomoku_protocol.evaluators import net_evaluator
from gomoku_protocol.net_file import net_bytes, parse_net, read_net
from gomoku_protocol.points import FREESTYLE, RENJU, point_of
from gomoku_protocol.position import Position
from search_core.engine import Engine, Limits

COMMAND = str(Path(sysconfig.get_path("scripts"), "sanqi-train"))
SIZE = 12
RANDOM_SHARE = 30


def sanqi_train(*words: str | Path) -> str:
    done = subprocess.run([COMMAND, *map(str, words)], check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With games, samples and a net."""
    folder = tmp_path_factory.mktemp("net")
    selfplay = ["selfplay", "gomoku", "--size", str(SIZE), "--nodes", "100", "--random-moves", str(RANDOM_SHARE)]
    sanqi_train(*selfplay, "--games", "400", "--out", folder / "games")
    sanqi_train("samples", folder / "games", "--out", folder / "samples")
    sanqi_train("train", folder / "samples", "--out", folder / "net", "--epochs", "6", "--batch", "64")
    return folder


def games_of(folder: Path) -> Path:
    (path,) = (folder / "games").glob("*.games")
    return path


def net_of(folder: Path) -> Path:
    (path,) = (folder / "net").glob("*.net")
    return path


def samples_of(folder: Path, name: str = LEARN) -> Any:
    return np.fromfile(folder / "samples" / name, SAMPLE)


def test_some_moves_are_drawn_at_random(folder: Path) -> None:
    drawn = [random for game in read_games(games_of(folder)) for random in game.random]
    # Under threat, and when the end is seen, none are.
    assert RANDOM_SHARE / 300 < sum(drawn) / len(drawn) < RANDOM_SHARE / 100
    for game in read_games(games_of(folder)):
        for position, move, _ in game.replay():
            assert position.winner is None
            assert position.is_legal(move)


def test_samples_are_the_quiet_moves_of_searches(folder: Path) -> None:
    def sample(position: Position, move: int) -> bytes:
        row = np.zeros((), SAMPLE)
        row["side"] = position.side
        for x in range(SIZE):
            for y in range(SIZE):
                stone = position.stone_at(x, y)
                if stone >= 0:
                    row["stones"][stone ^ position.side, y] |= np.uint32(1 << x)
        x, y = point_of(move)
        row["best"] = 32 * y + x
        return row.tobytes()

    kept = {row.tobytes() for name in (LEARN, CHECK) for row in samples_of(folder, name)}
    found: set[bytes] = set()
    drawn: set[bytes] = set()
    for game in read_games(games_of(folder)):
        for (position, move, _), random in zip(game.replay(), game.random, strict=True):
            (drawn if random else found).add(sample(position, move))
    assert kept <= found
    assert len(drawn - found) > 100
    about = json.loads((folder / "samples" / ABOUT).read_text("utf-8"))
    positions = about["positions"]
    assert sum(positions.values()) == sum(len(game.moves) for game in read_games(games_of(folder)))
    assert positions["drawn at random"] == sum(sum(game.random) for game in read_games(games_of(folder)))
    assert 0 < positions["under threat"] < positions["kept"] == about[LEARN] + about[CHECK]


def test_damaged_games_are_refused() -> None:
    replay = GomokuReplay(FREESTYLE, SIZE)
    head, beside = HEAD.pack(2, 0, 1, 1), 32 * 5 + 5
    assert replay.samples(head + struct.pack("<HHh", beside, beside + 1, 0)) is not None
    for move in (beside, SIZE, 32 * 40, 61_439):  # taken, beyond the edge, off the array
        with pytest.raises(ValueError, match="a damaged game"):
            replay.samples(head + struct.pack("<HHh", beside, move, 0))
    with pytest.raises(ValueError, match="a damaged game"):
        replay.samples(head[:-1])


def test_openings_are_on_one_side_of_the_split(folder: Path) -> None:
    maker = GomokuSamples(read_header(games_of(folder)))
    records = [game.record for _, games in read_blocks(games_of(folder)) for game in games]
    checked = {maker.group(record) for record in records if maker.group(record) % 50 == 0}
    assert checked
    assert 0 < len(samples_of(folder, CHECK)) < len(samples_of(folder)) / 10


def test_an_opening_turned_or_in_another_order_is_the_same() -> None:
    maker = GomokuSamples({"rule": FREESTYLE, "size": SIZE})

    def group(*stones: tuple[int, int]) -> int:
        return maker.group(HEAD.pack(1, 0, len(stones), 0) + b"".join(struct.pack("<H", x + 32 * y) for x, y in stones))

    last = SIZE - 1
    opening = group((1, 2), (3, 3), (4, 2))
    assert opening == group((4, 2), (3, 3), (1, 2)) == group((2, 1), (3, 3), (2, 4))
    assert opening == group((last - 1, 2), (last - 3, 3), (last - 4, 2))
    assert opening != group((1, 2), (4, 2), (3, 3))
    assert opening != group((1, 2), (3, 3), (4, 3))


def test_gradients_are_those_of_differences(folder: Path) -> None:
    gradients = GomokuGradients(FREESTYLE, SIZE, 2)
    batch = samples_of(folder)[:600].view(np.uint8)
    chance = np.random.default_rng(1)
    weights = chance.uniform(-0.3, 0.3, gradients.weights).astype(np.float32)
    loss, gradient = gradients.of_batch(weights, batch, 0)
    assert loss == pytest.approx(gradients.loss(weights, batch), rel=1e-6)
    rows = np.cumsum([225, 2, 1, 9, 1, 16])  # of the parts of a net
    for part in np.split(np.arange(gradients.weights), 16 * rows):
        way = np.zeros(gradients.weights, np.float32)
        way[part] = gradient[part]
        length = np.linalg.norm(way)
        step = np.float32(3e-3) * way / length
        slope = (gradients.loss(weights + step, batch) - gradients.loss(weights - step, batch)) / 6e-3
        assert slope == pytest.approx(length, rel=0.05)


def test_the_loss_is_the_same_in_any_threads_and_for_turned_boards(folder: Path) -> None:
    batch = samples_of(folder)[:600].view(np.uint8)
    weights = np.random.default_rng(2).uniform(-0.3, 0.3, GomokuGradients(FREESTYLE, SIZE, 1).weights)
    weights[16 * 228 : 16 * 237] = np.tile(weights[16 * 228 : 16 * 229], 9)  # alike all around
    floats = weights.astype(np.float32)
    losses = [GomokuGradients(FREESTYLE, SIZE, threads).of_batch(floats, batch, 7)[0] for threads in (1, 2, 3)]
    assert losses[1:] == pytest.approx(losses[:1] * 2, rel=1e-9)
    assert losses[0] == pytest.approx(GomokuGradients(FREESTYLE, SIZE, 1).loss(floats, batch), rel=1e-5)


def test_the_net_has_learnt(folder: Path) -> None:
    card = json.loads(net_of(folder).with_name(f"{net_of(folder).name}.json").read_text("utf-8"))
    (baseline,) = (loss for name, loss in card.items() if name.startswith("loss of equal chances"))
    assert card["losses"][-1]["check"] < 0.8 * baseline
    assert card["first move right"] > 0.15


def test_the_program_plays_with_the_net(folder: Path) -> None:
    assert read_net(net_of(folder)).rule == FREESTYLE
    nodes = set()
    with Engine() as engine:
        for evaluator in (net_evaluator(str(net_of(folder))), None):
            position = Position(15, 15, FREESTYLE, evaluator)
            for move in ("7,7", "8,8", "6,8"):
                position.push(move)
            engine.new_game()
            nodes.add(engine.search(position, Limits(depth=8)).nodes)
    assert len(nodes) == 2


def test_a_net_that_could_overflow_is_written_with_smaller_neurons() -> None:
    chance = np.random.default_rng(3)
    rows = np.cumsum([225, 2, 1, 9, 1, 16])  # of the parts of a net
    weights = chance.uniform(0.1, 0.4, 16 * (rows[-1] + 1))
    weights[16 * rows[2] : 16 * rows[3]] = 0.7  # around
    read = parse_net(net_bytes(quantised(RENJU, weights.astype(np.float32))))
    assert read.rule == RENJU
    ones = [4096, 4096, 4096, 8192, 512, 4096, 4096]
    parts = [np.frombuffer(part, "<i2") / one for part, one in zip(read[1:], ones, strict=True)]
    inputs, stones, biases, around, around_biases, gates, gate_biases = np.split(weights, 16 * rows)
    share = np.median(parts[3] / around)
    assert share == pytest.approx(round(share, 1), abs=1e-3)
    assert 0.3 < share < 1
    for part, weight in zip(parts[:3], (inputs, stones, biases), strict=True):
        assert part == pytest.approx(weight, abs=2e-4)
    assert parts[4] / share == pytest.approx(around_biases, abs=0.03)
    assert parts[5] * share**2 == pytest.approx(gates, abs=1e-3)
    assert parts[6] * share == pytest.approx(gate_biases, abs=1e-3)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--width", "64"], "have 16 neurons"),
        (["--torch", "cpu"], "not for Gomoku"),
        (["--result-share", "0.5"], "learns moves, not results"),
    ],
)
def test_options_that_gomoku_lacks_are_refused(words: list[str], told: str, folder: Path) -> None:
    done = subprocess.run(
        [COMMAND, "train", str(folder / "samples"), "--out", str(folder / "other"), *words],
        check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert told in done.stderr and done.stderr.count("\n") == 1
