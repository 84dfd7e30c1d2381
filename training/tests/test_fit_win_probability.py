"""sanqi_training.fit_win_probability finds the curves that made the games, and refuses files that it cannot use."""

from __future__ import annotations

import json
import math
import random
import re
import struct
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from sanqi_training.selfplay.gomoku import ENDS
from sanqi_training.selfplay.junqi import JunqiPlayer
from sanqi_training.selfplay.junqi import read_games as read_junqi
from sanqi_training.selfplay.player import HEAD
from sanqi_training.selfplay.store import Game as StoredGame
from sanqi_training.selfplay.store import GameWriter

import junqi_protocol.players.win_probability as junqi
import ucci_engine.win_probability as xiangqi
from game_core.win_probability import Curves

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def fitting() -> Any:
    pytest.importorskip("numpy")
    return import_module("sanqi_training.fit_win_probability")


class Made(NamedTuple):
    """A position with a result by chance."""

    stage: float
    score: int
    result: int


def made(curves: Curves, count: int, seed: int) -> list[Made]:
    """Positions whose results are drawn with the chances of the curves."""
    chance = random.Random(seed)
    positions = []
    for _ in range(count):
        stage, score = chance.random(), round(chance.gauss(0, 300))
        result = chance.choices((1, 0, -1), curves.chances(score, stage))[0]
        positions.append(Made(stage, score, result))
    return positions


def sample_of(fitting: Any, positions: list[Made]) -> Any:
    np = fitting.np
    stages, scores, results = (np.array(values) for values in zip(*positions))
    numbers = np.arange(len(positions))
    return fitting.Sample(numbers, np.full(len(positions), "made"), numbers % fitting.FOLDS, stages, scores, results)


@pytest.mark.parametrize(
    "curves", [Curves((5.3,), (4.8,)), Curves((5.6, -0.7), (4.2, 1.1)), Curves((5.3, 1.5, -2.1), (4.4, 1.6, -0.7))]
)
def test_the_fit_finds_the_curves_that_made_the_games(fitting: Any, curves: Curves) -> None:
    sample = sample_of(fitting, made(curves, 40_000, 3))
    found = fitting.fit(sample, len(curves.log_even_cp) - 1)
    for stage in (0.1, 0.5, 0.9):
        for score in (-400, -100, 0, 30, 250):
            assert found.chances(score, stage) == pytest.approx(curves.chances(score, stage), abs=0.015)
    # Nothing predicts better than the true curves; curves that do not know the stage are worse where it matters.
    true = fitting.losses(fitting.probabilities(curves, sample), sample).mean()
    held_out = fitting.losses(fitting.held_out(sample, len(curves.log_even_cp) - 1), sample).mean()
    assert true - 0.001 < held_out < true + 0.003
    if len(curves.log_even_cp) > 1:
        assert fitting.losses(fitting.held_out(sample, 0), sample).mean() > held_out + 0.003


def test_the_fit_uses_the_formula_of_the_modules(fitting: Any) -> None:
    positions = made(xiangqi.CURVES, 50, 1)
    found = fitting.probabilities(xiangqi.CURVES, sample_of(fitting, positions))
    for row, position in zip(found, positions):
        assert tuple(row) == pytest.approx(xiangqi.CURVES.chances(position.score, position.stage))


def gomoku_games(path: Path, count: int, seed: int) -> None:
    """A file as of sanqi-train selfplay; the results follow from random scores by the curves of an empty board."""
    chance = random.Random(seed)
    curves = Curves((1.0,), (5.0,))
    writer = GameWriter(path, {"game": "gomoku", "record": 1, "rule": 0, "size": 15}, 64)
    for number in range(count):
        moves = chance.sample([32 * y + x for x in range(15) for y in range(15)], 6)
        score = round(chance.gauss(0, 200))
        white_is_better = chance.choices((2, 1, 0), curves.chances(score, 0))[0]
        scores = (score, -score, 31_999)
        end = ENDS.index("full" if number % 10 else "drawn")  # those that were drawn by scores do not count
        record = HEAD.pack(2 - white_is_better, end, 3, 3)
        for words in (moves[:3], *zip(moves[3:], scores, strict=True)):
            record += struct.pack("<3H" if len(words) == 3 else "<Hh", *words)
        writer.add(StoredGame(number, record))
    writer.close()
    with path.open("ab") as file:
        file.write(b"GAME\x00")  # the next block is being written


def test_games_become_constants_and_a_plot(fitting: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gomoku_games(tmp_path / "games.games", 1000, 5)
    fitting.main([str(tmp_path / "games.games"), "--plot", str(tmp_path / "plot.svg"), "--every", "1"])
    said = capsys.readouterr().out
    assert said.startswith("games: 900 games, 1800 positions\n")  # forced wins are no positions
    constant, present, same, curves = map(float, re.findall(r" (\d\.\d{4})\b(?!\))", said))
    assert curves < constant - 0.1
    assert curves == pytest.approx(present, abs=0.01)  # e^5 is near the spread of Gomoku's curves on an empty board
    assert curves == pytest.approx(same, abs=0.01)
    constants = re.search(r"^CURVES = (Curves\(.*^\))", said, re.MULTILINE | re.DOTALL)
    assert constants is not None
    found = eval(constants[1], {"Curves": Curves})
    assert math.exp(found.log_spread_cp[0]) == pytest.approx(math.exp(5), rel=0.25)
    plot = ElementTree.fromstring((tmp_path / "plot.svg").read_text(encoding="utf-8"))
    assert len([node for node in plot.iter() if node.tag.endswith("circle")]) > 10
    assert "script" not in {node.tag.rpartition("}")[2] for node in plot.iter()}


def match_line(number: int, moves: list[str], scores: list[int | None], **changes: object) -> dict[str, Any]:
    """A game of Xiangqi as `sanqi match --out` writes it, with two moves of an opening."""
    return {
        "game": number, "red": "a", "black": "b", "result": "0-1", "reason": "mate", "detail": "", "opening_line": 1,
        "opening_plies": 2, "start": "", "duplicate": False, "moves": moves,
        "thoughts": [[ply % 2, 1.0, 8, 100, 1.0, score] for ply, score in enumerate(scores)], **changes,
    }  # fmt: skip


def match_file(path: Path, *games: dict[str, Any], **terms: str) -> Path:
    head = {"match": {"terms": {"game": "xiangqi", **terms}, "limit": {"nodes": 8000}}, "format": 1}
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, *games)), encoding="utf-8")
    return path


def test_positions_of_a_match(fitting: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "FOLDS", 1)
    moves = ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "b9c7"]
    file = match_file(
        tmp_path / "match.jsonl",
        match_line(1, moves, [40, -50, None, 29_995]),
        match_line(2, moves, [40, -50, None, 29_995]),  # the same game
        match_line(3, moves[:4], [70, 80], reason="adjudication"),
        match_line(4, moves[:4], [12, 13], result="1/2-1/2", reason="repetition"),
    )
    name, sample, counts = fitting.read_sample([file], 1)
    assert (name, counts) == ("xiangqi", {"8000 nodes": 2})
    rows = zip(sample.stage.tolist(), sample.score.tolist(), sample.result.tolist())
    assert list(rows) == [(1.0, 40, -1), (1.0, -50, 1), (1.0, 12, 0), (1.0, 13, 0)]


def test_positions_of_a_match_of_junqi(fitting: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real games of junqi_match.py: those of a deal have the sides swapped."""
    monkeypatch.setattr(fitting, "FOLDS", 1)
    file = tmp_path / "games.jsonl"
    command = [sys.executable, CHECKOUT / "benchmarks" / "junqi_match.py", "search:1000", "search:2000"]
    command += ["--variant", "duel", "--games", "6", "--processes", "1", "--out", file]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    _, *deals = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    name, sample, counts = fitting.read_sample([file], 1)
    assert (name, counts) == ("junqi", {"games": 6})
    rows = iter(zip(sample.stage.tolist(), sample.score.tolist(), sample.result.tolist()))
    for deal in deals:
        for winner, points, searched in zip((0, 1), deal["points"], deal["searched"]):
            # The first player has team 0 in the first game, team 1 in the second.
            won = {0: 1 - winner, 0.5: None, 1: winner}[points]
            assert searched[0][2] == 0 and len(searched) > 20
            for team, score, stage in searched:
                if abs(score) < 20_000:
                    result = 0 if won is None else 1 if team == won else -1
                    assert next(rows) == (stage, pytest.approx(junqi.log_odds(score)), result)
    assert next(rows, None) is None
    # The score is for the team that moves: whoever has taken more wins more often.
    assert sum(sample.score * sample.result) > 0


def test_positions_of_junqi_against_itself(fitting: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "FOLDS", 1)
    played = JunqiPlayer(60, "duel", "team").play("1")
    writer = GameWriter(tmp_path / "j.games", {"game": "junqi", "record": 1, "variant": "duel", "see": "team"}, 1)
    writer.add(StoredGame(0, played))
    writer.close()
    (game,) = read_junqi(tmp_path / "j.games")
    name, sample, counts = fitting.read_sample([tmp_path / "j.games"], 1)
    assert (name, counts) == ("junqi", {"j": 1})
    unsure = [score for score in game.scores if abs(score) < junqi.SURE_SCORE]
    assert sample.score.tolist() == pytest.approx([junqi.log_odds(score) for score in unsure])
    assert sample.stage.tolist() == sorted(sample.stage.tolist()) and sample.stage[0] == 0
    assert set(sample.result.tolist()) <= {0} if game.result == 1 else set(sample.result.tolist()) == {-1, 1}


def test_files_that_cannot_be_used(fitting: Any, tmp_path: Path) -> None:
    moves = ["h2e2", "h9g7", "e2e6"]
    match = match_file(tmp_path / "match.jsonl", match_line(1, moves, [40]))
    gomoku_games(tmp_path / "gomoku.games", 3, 1)
    (tmp_path / "text").write_text("h2e2\n", encoding="utf-8")
    broken = match_file(tmp_path / "broken.jsonl", match_line(1, ["h2e2", "h9g9", "e2e6"], [40]))
    for files, fault in (
        ((tmp_path / "text",), "text is not a file of games with scores"),
        ((match, tmp_path / "gomoku.games"), "gomoku.games has games of gomoku, .*match.jsonl of xiangqi"),
        ((match_file(tmp_path / "junqi.jsonl", game="junqi"),), "junqi.jsonl is not a file of games"),
        ((tmp_path / "missing",), "missing: No such file"),
        ((broken,), "broken.jsonl: .*h9g9"),
        ((match,), "too few games"),
    ):
        with pytest.raises(SystemExit, match=fault):
            fitting.main(list(map(str, files)))
