"""sanqi_training.tune_junqi: it plays whole games, and writes the weights that they gave."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest
from sanqi_training import tune_junqi

from junqi_protocol.players.evaluation_weights import NODES, WEIGHTS, ZONES
from junqi_protocol.players.evaluators import learnt_evaluator
from junqi_protocol.players.tuned_weights import TUNED_WEIGHTS
from junqi_protocol.rules.lineup import COMMANDER, FLAG, PIECES

NOTHING = dict.fromkeys(tune_junqi.NAMES, 0.0)
ZONES_BEGIN = len(PIECES) * NODES


def changed(name: str) -> dict[int, float]:
    """By place, by how much a weight grows when this number is a step up."""
    weights = tune_junqi.weights_of(NOTHING | {name: 1.0}, "siguo")
    return {place: weight - WEIGHTS[place] for place, weight in enumerate(weights) if weight != WEIGHTS[place]}


def test_no_steps_are_the_weights_of_the_start() -> None:
    assert tune_junqi.weights_of(NOTHING, "siguo") == pytest.approx(WEIGHTS)
    learnt = learnt_evaluator("duel").weights
    assert learnt != pytest.approx(WEIGHTS)
    assert tune_junqi.weights_of(NOTHING, "duel") == pytest.approx(learnt)
    assert len(set(tune_junqi.NAMES)) == len(tune_junqi.NAMES) == 83


def test_each_number_moves_its_weights() -> None:
    commander, zones = COMMANDER * NODES, list(ZONES)
    assert list(changed(f"worth {PIECES[COMMANDER]}")) == list(range(commander, commander + NODES))
    assert list(changed(f"worth {PIECES[FLAG]}")) == list(range(FLAG * NODES, FLAG * NODES + NODES))
    rivals = changed(f"rivals {PIECES[COMMANDER]}")
    assert [rivals.get(commander + node, 0) > 0 for node in range(NODES)] == [False, False, False, True, True]
    camps = changed("enemy's camps")
    assert {(place - ZONES_BEGIN) % len(ZONES) for place in camps} == {zones.index("enemy's camps")}
    assert camps[ZONES_BEGIN + len(ZONES) + zones.index("enemy's camps")] == pytest.approx(0.4 * 0.042)
    mines = changed("share 6 own flag")
    assert list(mines) == [ZONES_BEGIN + 6 * len(ZONES) + zones.index("beside the own flag")]
    assert list(changed("turn")) == [len(WEIGHTS) - 1]


def test_games_are_played_resumed_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sanqi_training.spsa.REPORT_PAIRS", 1)
    run_file, module = tmp_path / "run.jsonl", tmp_path / "weights.py"
    run = ["tune_junqi.py", "play", "duel", "--nodes", "30", "--pairs", "2", "--rate", "0.5", "--out", str(run_file)]
    for arguments in (run, [*run, "--resume"]):
        monkeypatch.setattr("sys.argv", arguments)
        tune_junqi.main()
    lines = [json.loads(line) for line in run_file.read_text("ascii").splitlines()]
    assert [(line["board"], line["pairs"]) for line in lines] == [("duel", number) for number in range(1, 5)]
    monkeypatch.setattr("sys.argv", run)
    with pytest.raises(SystemExit, match="exists; --resume"):
        tune_junqi.main()
    monkeypatch.setattr("sys.argv", ["siguo" if word == "duel" else word for word in run] + ["--resume"])
    with pytest.raises(SystemExit, match="is of duel"):
        tune_junqi.main()
    monkeypatch.setattr("sys.argv", ["tune_junqi.py", "write", str(run_file), "--to", str(module)])
    tune_junqi.main()
    written = runpy.run_path(str(module))
    assert written["TUNED_WEIGHTS"]["siguo"] == TUNED_WEIGHTS["siguo"]
    numbers = [number / written["SCALE"] for row in written["TUNED_WEIGHTS"]["duel"] for number in row]
    last_half = {name: (value + lines[3]["values"][name]) / 2 for name, value in lines[2]["values"].items()}
    assert numbers == pytest.approx(tune_junqi.weights_of(last_half, "duel"), abs=0.51 / written["SCALE"])
    monkeypatch.setattr("sys.argv", ["tune_junqi.py", "write", str(tmp_path / "none.jsonl"), "--to", str(module)])
    with pytest.raises(SystemExit, match="has no values yet"):
        tune_junqi.main()


def test_the_stronger_side_gets_the_points() -> None:
    suicidal = tuple(-weight for weight in WEIGHTS)
    deals = [tune_junqi.Deal(number, "siguo", 200, 0.25, (WEIGHTS, suicidal)) for number in range(2)]
    assert sum(map(tune_junqi.play, deals)) >= 3.5
    assert sum(tune_junqi.play(deal._replace(sides=deal.sides[::-1])) for deal in deals) <= 0.5
