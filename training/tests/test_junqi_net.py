"""The way from games to a net of Junqi, each step by its command, small."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sanqi_training.nets.baselines import scale_of, sigmoid, targets
from sanqi_training.nets.junqi_gradients import JunqiGradients
from sanqi_training.nets.junqi_training import JunqiSamples, JunqiTraining, sample_type
from sanqi_training.nets.samples_command import CHECK, LEARN
from sanqi_training.selfplay.junqi import JunqiPlayer, read_games
from sanqi_training.selfplay.store import read_blocks, read_header

from junqi_protocol.players.evaluation_weights import WEIGHTS
from junqi_protocol.players.evaluators import HAND_MADE, default_evaluator
from junqi_protocol.players.net import INPUT_COUNT, WIDTH
from junqi_protocol.players.searching import believed

GAMES = 200
COMMAND = str(Path(sysconfig.get_path("scripts"), "sanqi-train"))


def sanqi_train(*words: str | Path) -> str:
    done = subprocess.run([COMMAND, *map(str, words)], check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With games, samples and a net."""
    folder = tmp_path_factory.mktemp("net")
    selfplay = ["selfplay", "junqi", "--variant", "duel", "--nodes", "100", "--evaluator", HAND_MADE]
    sanqi_train(*selfplay, "--games", str(GAMES), "--out", folder / "games")
    sanqi_train("samples", folder / "games", "--out", folder / "samples")
    sanqi_train("train", folder / "samples", "--out", folder / "net", "--epochs", "2", "--batch", "256")
    return folder


def samples_of(folder: Path, name: str) -> Any:
    return np.fromfile(folder / "samples" / name, sample_type("duel"))


def net_of(folder: Path) -> Path:
    (path,) = (folder / "net").glob("*.net")
    return path


def test_samples_are_what_players_knew(folder: Path) -> None:
    (path,) = (folder / "games").glob("*.games")
    maker = JunqiSamples(read_header(path))
    made = b"".join(maker.samples(game.record) for _, games in read_blocks(path) for game in games)
    everything = np.frombuffer(made, maker.type)
    kept = np.concatenate([samples_of(folder, LEARN), samples_of(folder, CHECK)])
    assert sorted(row.tobytes() for row in kept) == sorted(row.tobytes() for row in everything)
    assert len(samples_of(folder, CHECK)) < len(kept) / 20
    results = {game.result for game in read_games(path)}
    assert set(kept["result"].tolist()) == results | {2 - result for result in results}
    assert 0.6 < kept["on_turn"].mean() < 0.95
    # The hand-made evaluation and the result agree on who is ahead, for the team whose knowledge it is.
    ahead = kept["features"].astype(float) @ np.array(WEIGHTS)
    assert np.corrcoef(ahead, kept["result"])[0, 1] > 0.15
    assert np.corrcoef(kept["score"], kept["result"])[0, 1] > 0.15


def test_the_net_has_learnt_more_than_the_hand_made_evaluation_knows(folder: Path) -> None:
    card = json.loads(net_of(folder).with_name(f"{net_of(folder).name}.json").read_text("utf-8"))
    # Of the samples it has learnt from: the others are of four games, whose results say nothing.
    samples = samples_of(folder, LEARN)
    results = samples["result"] / 2
    logits = samples["features"] @ np.array(WEIGHTS)
    wanted = targets(samples, JunqiTraining.defaults["result_share"], scale_of(samples["score"], results))
    hand_made = np.mean((sigmoid(logits / scale_of(logits, results)) - wanted) ** 2)
    assert card["losses"][-1]["learn"] < hand_made


def test_gradients_are_those_of_the_loss() -> None:
    chance = np.random.default_rng(1)
    samples = np.zeros(20, sample_type("duel"))
    samples["pieces"]["team"] = chance.integers(0, 2, samples["pieces"].shape)
    samples["pieces"]["team"][:, 30:] = 255
    samples["pieces"]["fold"] = chance.integers(0, 66, samples["pieces"].shape)
    samples["pieces"]["zone"] = chance.integers(0, 20, samples["pieces"].shape)
    samples["pieces"]["chances"] = chance.integers(0, 2, samples["pieces"]["chances"].shape) * 40
    samples["on_turn"] = chance.integers(0, 2, 20)
    samples["result"] = chance.integers(0, 3, 20)
    samples["score"] = chance.normal(0, 1, 20)
    samples["features"] = chance.integers(-2, 3, samples["features"].shape)
    gradients = JunqiGradients(samples.dtype, 0.5, 1.0, np.array(WEIGHTS))
    size = (INPUT_COUNT + 2) * WIDTH + 1 + len(WEIGHTS)
    weights = chance.uniform(-0.05, 0.05, size).astype(np.float32)
    weights[-len(WEIGHTS) :] *= 0.01
    batch = samples.view(np.uint8)
    loss, gradient = gradients.of_batch(weights, batch, 0)
    assert loss == pytest.approx(gradients.loss(weights, batch), rel=1e-5)
    guesses = 1 / (1 + np.exp(-gradients.outputs(weights, batch).astype(float)))
    assert loss == pytest.approx(float(np.mean((guesses - targets(samples, 0.5, 1.0)) ** 2)), rel=1e-5)
    for part in np.split(np.arange(size), [INPUT_COUNT * WIDTH, (INPUT_COUNT + 2) * WIDTH, size - len(WEIGHTS)]):
        way = np.zeros(size, np.float32)
        way[part] = gradient[part]
        length = np.linalg.norm(way)
        step = np.float32(1e-3) * way / length
        slope = (gradients.loss(weights + step, batch) - gradients.loss(weights - step, batch)) / 2e-3
        assert slope == pytest.approx(length, rel=0.05)


def test_the_net_plays(folder: Path) -> None:
    path = str(net_of(folder))
    assert JunqiPlayer(30, "duel", "team", path).play("1 1") != JunqiPlayer(30, "duel", "team", HAND_MADE).play("1 1")
    (games,) = (folder / "games").glob("*.games")
    view = next(iter(next(iter(read_games(games))).replay()))[0]
    scores = {believed(view, default_evaluator("duel", name)).evaluate_cp() for name in (path, HAND_MADE)}
    assert len(scores) == 2


def test_options_that_junqi_lacks_are_refused(folder: Path) -> None:
    for words, told in ((["--width", "64"], "have 16 neurons"), (["--torch", "cpu"], "not for Junqi")):
        done = subprocess.run(
            [COMMAND, "train", str(folder / "samples"), "--out", str(folder / "other"), *words],
            check=False, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 2
        assert told in done.stderr
