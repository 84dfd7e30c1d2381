"""sanqi_training.level_curve: it finds the curve by which games were drawn, also from levels that were moved."""

from __future__ import annotations

import json
import math
import random
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from gomoku_protocol.levels import LEVELS as GOMOKU_LEVELS
from junqi_protocol.players.levels import sight

MOVED = {1: 0.0, 2: 0.1, 4: 0.27, 8: 0.5, 12: 0.72, 20: 1.0}
ELO = 1200.0
"""Of sight 1; the scale is a straight line."""


def games(path: Path, sights: dict[int, float], pairs: int, game: str = "junqi") -> None:
    """Pairs of games between neighbours, and against a player that is no level."""
    chance = random.Random(3)
    terms = {"game": game, "variant": "siguo", "openings": "", "seed": 1, "anchor_nodes": 0}
    lines: list[dict[str, Any]] = [{"terms": terms}]
    for low, high in zip(sights, list(sights)[1:]):
        wins = 1 / (1 + 10 ** (ELO * (sights[high] - sights[low]) / 400))
        for number in range(pairs):
            points = [float(chance.random() < wins), float(chance.random() < wins)]
            lines.append({"first": str(low), "second": str(high), "number": number, "points": points})
    lines.append({"first": "random", "second": "1", "number": 0, "points": [1, 1]})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_a_drive_is_no_place_and_levels_without_one_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curve = import_module("sanqi_training.level_curve")
    monkeypatch.chdir(tmp_path)
    Path("C:games").mkdir()
    places = {level: math.log2(GOMOKU_LEVELS[level - 1].nodes) / 100 for level in (11, 12, 13)}
    games(Path("C:games/new.jsonl"), places, 5, "gomoku")
    game, rows = curve.read_pairs("C:games/new.jsonl")
    assert (game, len(rows)) == ("gomoku", 5)  # those of level 12 against 13
    _, rows = curve.read_pairs("C:games/new.jsonl:12=30000,13=50000")
    assert rows[0][:2] == (pytest.approx(math.log2(30000)), pytest.approx(math.log2(50000)))


def test_the_curve_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("numpy")
    today = {number: sight(number) for number in (1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20)}
    games(tmp_path / "new.jsonl", today, 300)
    games(tmp_path / "old.jsonl", MOVED, 300)
    moved = ",".join(f"{number}={value}" for number, value in MOVED.items())
    curve = import_module("sanqi_training.level_curve")
    picture = tmp_path / "levels.svg"
    curve.main([str(tmp_path / "new.jsonl"), f"{tmp_path / 'old.jsonl'}:{moved}", "--plot", str(picture)])
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    said = capsys.readouterr().out
    assert said.startswith(f"{300 * (len(today) - 1 + len(MOVED) - 1)} pairs of games\n")
    rows = re.findall(r"^ +(\d+) +(\d\.\d+) +([+-]\d+) ± (\d+)", said, re.MULTILINE)
    assert [int(number) for number, *_ in rows] == list(range(1, 21))
    for number, at, elo, error in rows:
        assert float(at) == pytest.approx(sight(int(number)), abs=6e-4)
        assert float(elo) == pytest.approx(ELO * sight(int(number)), abs=2 * float(error) + 1)
        assert float(error) < 100
    even = dict(re.findall(r" (\d+)=(\d\.\d+)", said))
    assert len(even) == 20
    for level, wanted in even.items():
        assert float(wanted) == pytest.approx((int(level) - 1) / 19, abs=0.08)


def test_the_curve_of_gomoku_goes_by_the_logarithm_of_nodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("numpy")
    numbers = range(12, 21)
    places = {number: math.log2(GOMOKU_LEVELS[number - 1].nodes / GOMOKU_LEVELS[11].nodes) / 12 for number in numbers}
    games(tmp_path / "new.jsonl", places, 400, "gomoku")
    import_module("sanqi_training.level_curve").main([str(tmp_path / "new.jsonl")])
    said = capsys.readouterr().out
    rows = re.findall(r"^ +(\d+) +(\d+) +([+-]\d+) ± (\d+)", said, re.MULTILINE)
    assert [(int(number), int(nodes)) for number, nodes, *_ in rows] == [
        (number, GOMOKU_LEVELS[number - 1].nodes) for number in numbers
    ]
    for number, _, elo, error in rows:
        assert float(elo) == pytest.approx(ELO * places[int(number)], abs=2 * float(error) + 1)
    games(tmp_path / "other.jsonl", {1: 0, 2: 1}, 1, "xiangqi")
    for files in (["new.jsonl", "other.jsonl"], ["other.jsonl"]):
        with pytest.raises(SystemExit):
            import_module("sanqi_training.level_curve").main([str(tmp_path / file) for file in files])
