"""sanqi_training.tune_search: it moves parameters towards what wins, and plays whole games."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

OPENINGS = "0,0 1,-1 2,0\n0,0 0,1 3,3\n"


@pytest.fixture
def tuning() -> Any:
    return import_module("sanqi_training.tune_search")


def test_parameters_move_towards_what_wins(tuning: Any) -> None:
    steps = {"rfp_margin": tuning.Step(100, 20), "lmp_base": tuning.Step(3, 1), "futility_margin": tuning.Step(95, 25)}
    spsa = tuning.SearchSpsa(steps, {"iir_depth": 9}, 0.02, 1)
    for _ in range(1000):
        first, second = spsa.sides()
        # A larger margin wins one pair in two, a smaller base one in four; the third parameter does not matter.
        points = (
            1 + 0.5 * (first["rfp_margin"] > second["rfp_margin"]) - 0.5 * (first["rfp_margin"] < second["rfp_margin"])
        )
        points += 0.25 * ((first["lmp_base"] < second["lmp_base"]) - (first["lmp_base"] > second["lmp_base"]))
        spsa.learn(points)
    assert spsa.values["rfp_margin"] > 400
    assert spsa.values["lmp_base"] == pytest.approx(0, abs=0.05)  # the least
    assert {side["iir_depth"] for side in spsa.sides()} == {9}
    assert 50 < spsa.values["futility_margin"] < 140


def test_the_values_are_whole_numbers_with_the_right_mean(tuning: Any) -> None:
    spsa = tuning.SearchSpsa({"lmp_base": tuning.Step(7.25, 0)}, {}, 0.02, 1)
    drawn = [side["lmp_base"] for _ in range(2000) for side in spsa.sides()]
    assert set(drawn) == {7, 8}
    assert sum(drawn) / len(drawn) == pytest.approx(7.25, abs=0.05)


@pytest.mark.parametrize(
    ("text", "fault"),
    [("rfp_margin=1", "expected NAME=START:STEP"), ("rfp=1:2", "rfp is not a parameter"), ("x", "x: expected")],
)
def test_a_wrong_parameter_is_named(tuning: Any, text: str, fault: str) -> None:
    with pytest.raises(SystemExit, match=fault):
        tuning.read_steps([text])
    with pytest.raises(SystemExit, match="expected NAME=VALUE"):
        tuning.read_parameters(text.replace("=1", "="))


def test_games_are_tuned_resumed_and_compared(
    tuning: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "openings.txt").write_text(OPENINGS, encoding="ascii")
    monkeypatch.setattr("sanqi_training.spsa.REPORT_PAIRS", 1)
    common = ["gomoku", "--openings", str(tmp_path / "openings.txt"), "--nodes", "50", "--pairs", "2"]
    run = ["tune_search.py", "tune", *common, "--out", str(tmp_path / "run.jsonl"), "rfp_margin=120:20"]
    for arguments in (run, [*run, "--resume"], ["tune_search.py", "compare", *common, "--first", "rfp_margin=30"]):
        monkeypatch.setattr("sys.argv", arguments)
        tuning.main()
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text(encoding="ascii").splitlines()]
    assert [line["pairs"] for line in lines] == [1, 2, 3, 4]
    out = capsys.readouterr().out.splitlines()
    for line, (first, second) in zip(out, (lines[1:2] * 2, lines[2:]), strict=False):
        mean = (first["values"]["rfp_margin"] + second["values"]["rfp_margin"]) / 2
        assert line == f"Mean of the last half: rfp_margin={round(mean)}"
    assert "of 4 games  Elo" in out[2]
    monkeypatch.setattr("sys.argv", run)
    with pytest.raises(SystemExit, match="exists; --resume"):
        tuning.main()
