"""sanqi_training.tune_evaluation: it plays games, counts what the evaluation counts, and writes a module of weights."""

from __future__ import annotations

import random
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ucci_engine.evaluation_weights import MATERIAL, PLACEMENT, TEMPO, WEIGHTS


@pytest.fixture
def tuner() -> Any:
    return import_module("sanqi_training.tune_evaluation")


@pytest.fixture(scope="module")
def game_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tune") / "games.jsonl"


@pytest.fixture
def games(tuner: Any, game_file: Path) -> Path:
    if not game_file.exists():
        run(tuner, "play", "--games", "12", "--nodes", "150", "--seed", "3", str(game_file))
    return game_file


def run(tuner: Any, *arguments: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["tune_evaluation.py", *arguments])
        tuner.main()


def sample_of(tuner: Any, games: Path) -> Any:
    return tuner.Sample([games], 0.8)


def test_the_sample_gives_the_evaluation(tuner: Any, games: Path) -> None:
    """The matrix times the installed weights is what the program evaluates, but for rounding."""
    weights = tuner.installed_weights()
    sample = sample_of(tuner, games)
    middle, end = weights[: tuner.COLUMNS], weights[tuner.COLUMNS : -2]
    late = 1 - sample.middle
    scores = (sample.counts @ middle) * sample.middle + (sample.counts @ end) * late
    scores = scores * np.where(scores > 0, sample.scales[:, 0], sample.scales[:, 1])
    scores = scores * sample.turn + TEMPO[0] * sample.middle + TEMPO[1] * late
    evaluated = [example.position.evaluate_cp() for example in tuner.examples([games])]
    assert len(evaluated) > 300
    assert np.abs(scores - evaluated).max() < 3


def test_the_gradient_is_that_of_the_error(tuner: Any, games: Path) -> None:
    sample = sample_of(tuner, games)
    weights = tuner.installed_weights()
    _, gradient = tuner.error_of(sample, weights)
    for column in random.Random(4).sample(list(np.flatnonzero(gradient)), 20):
        change = np.zeros(len(weights))
        change[column] = 0.5
        above, below = (tuner.error_of(sample, weights + sign * change)[0] for sign in (1, -1))
        assert above - below == pytest.approx(gradient[column], rel=0.05, abs=1e-9)


def test_the_module_has_every_weight(tuner: Any, games: Path, tmp_path: Path) -> None:
    out = tmp_path / "weights.py"
    run(tuner, "fit", str(games), "--out", str(out))
    module: dict[str, Any] = {}
    exec(out.read_text(encoding="ascii"), module)
    assert [(name, len(pairs)) for name, pairs in module["WEIGHTS"].items()] == [
        (name, len(pairs)) for name, pairs in WEIGHTS.items()
    ]
    assert len(module["MATERIAL"]) == len(MATERIAL)
    assert np.shape(module["PLACEMENT"][3]) == np.shape(PLACEMENT[3])
    assert module["WEIGHTS"] != WEIGHTS
