"""sanqi_training.calibrate_levels: known ratings are found again, whole games are played, and a run is resumed."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ucci_engine.points import parse_move
from ucci_engine.position import Position

LEVELS = tuple(str(number) for number in range(1, 9))


@pytest.fixture
def terry() -> Any:
    return import_module("sanqi_training.bradley_terry")


@pytest.fixture
def calibrating() -> Any:
    return import_module("sanqi_training.calibrate_levels")


def results(terry: Any, elo: dict[str, float], pairings: Sequence[tuple[str, str]], pairs: int, seed: int) -> list[Any]:
    """Pairs of games between players of these ratings; one game in ten is drawn."""
    chance = random.Random(seed)

    def game(first: str, second: str) -> float:
        if chance.random() < 0.1:
            return 0.5
        return float(chance.random() < 1 / (1 + 10 ** ((elo[second] - elo[first]) / 400)))

    return [
        terry.Pair(first, second, game(first, second) + game(first, second))
        for first, second in pairings
        for _ in range(pairs)
    ]


def test_known_ratings_are_found_again_within_their_errors(terry: Any) -> None:
    elo = {level: 110.0 * number for number, level in enumerate(LEVELS)} | {"anchor": 300.0}
    pairings = [*pairwise(LEVELS), *zip(LEVELS, LEVELS[2:]), ("anchor", "2"), ("anchor", "5")]
    outside = total = 0
    for seed in range(40):
        ratings = terry.fit(results(terry, elo, pairings, 100, seed), "1")
        assert ratings.of("1") == (0, 0)
        for name in (*LEVELS[1:], "anchor"):
            found, error = ratings.of(name)
            # Draws that do not depend on the players draw the scores together: 0.9 of the slope.
            assert abs(found - 0.88 * elo[name]) < 120
            assert 10 < error < 90
        for low, high in pairwise(LEVELS):
            step = ratings.step(low, high)
            assert (step.lower, step.higher) == (low, high)
            total += 1
            outside += abs(step.elo - 97) > step.error
        assert ratings.games["3"] == 800
    assert outside / total < 0.1


def test_the_order_is_sure_only_with_enough_games(terry: Any) -> None:
    elo = {level: 60.0 * number for number, level in enumerate(LEVELS)}
    pairings = list(pairwise(LEVELS))
    few = terry.fit(results(terry, elo, pairings, 5, 1), "1").order_probability(LEVELS)
    many = terry.fit(results(terry, elo, pairings, 1000, 1), "1").order_probability(LEVELS)
    assert few < 0.5
    assert many > 0.95
    same = dict.fromkeys(LEVELS, 0.0)
    assert terry.fit(results(terry, same, pairings, 100, 2), "1").order_probability(LEVELS) < 0.3


def test_who_loses_all_has_a_rating_with_a_wide_interval(terry: Any) -> None:
    pairs = [terry.Pair("1", "2", 0.0)] * 30 + [terry.Pair("2", "3", 1.0)] * 30
    ratings = terry.fit(pairs, "1")
    elo, error = ratings.of("2")
    assert 500 < elo < 1500
    assert error > 150
    assert math.isfinite(ratings.step("2", "3").error)


def test_the_errors_count_the_games_of_a_pair_as_dependent(terry: Any) -> None:
    even = [terry.Pair("1", "2", 1.0)] * 100
    wild = [terry.Pair("1", "2", 2.0), terry.Pair("1", "2", 0.0)] * 50
    assert terry.fit(wild, "1").of("2")[1] > 1.8 * terry.fit(even, "1").of("2")[1]


def test_players_without_a_common_opponent_are_not_rated(terry: Any) -> None:
    with pytest.raises(ValueError, match="no chain of games leads from 1 to 3"):
        terry.fit([terry.Pair("1", "2", 1.0), terry.Pair("3", "4", 1.0)], "1")


def test_all_pairings_go_on_together(calibrating: Any) -> None:
    tasks = calibrating.schedule(LEVELS, ["weights"], ["1", "5"], 20, 6, 4)
    counts = Counter((task.first, task.second) for task in tasks)
    assert all(counts[low, high] == 10 for low, high in pairwise(LEVELS))
    assert all(counts[low, high] == 3 for low, high in zip(LEVELS, LEVELS[2:]))
    assert counts["weights", "1"] == counts["weights", "5"] == 2
    assert len(set(tasks)) == len(tasks)
    half = Counter((task.first, task.second) for task in tasks[: len(tasks) // 2])
    assert all(3 <= half[low, high] <= 7 for low, high in pairwise(LEVELS))


def run(calibrating: Any, *arguments: object) -> None:
    calibrating.main([str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("game", "levels", "anchors"),
    [("xiangqi", "1,2", "classic-1ply"), ("gomoku", "1,2", "weights"), ("junqi", "1,2", "random")],
)
def test_games_are_played_resumed_and_fitted(
    calibrating: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], game: str, levels: str, anchors: str
) -> None:
    out, whole, picture = tmp_path / "games.jsonl", tmp_path / "whole.jsonl", tmp_path / "levels.svg"
    common = ["--levels", levels, "--anchors", anchors, "--anchored", "1", "--neighbours", 2, "--anchor", 2]
    common += ["--second", 0, "--variant", "duel"]
    run(calibrating, "play", game, "--out", whole, *common)
    assert capsys.readouterr().out == "2 of 2 pairs are played\n"
    lines = whole.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    for pair in map(json.loads, lines[1:]):
        assert len(pair["points"]) == len(pair["reasons"]) == len(pair["moves"]) == 2
        assert set(pair["points"]) <= {0, 0.5, 1}
    # A run that was killed in the middle of its second pair.
    out.write_text("\n".join(lines[:2]) + "\n" + lines[2][:30], encoding="utf-8")
    with pytest.raises(SystemExit, match="exists; --resume"):
        run(calibrating, "play", game, "--out", out, *common)
    run(calibrating, "play", game, "--out", out, "--resume", *common)
    assert out.read_text(encoding="utf-8").splitlines() == lines
    with pytest.raises(SystemExit, match="other settings"):
        run(calibrating, "play", game, "--out", out, "--resume", *common, "--seed", 2)
    capsys.readouterr()
    run(calibrating, "fit", out, "--plot", picture)
    report = capsys.readouterr().out
    assert "the order of the levels is right with a probability of" in report
    assert anchors in report
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    run(calibrating, "fit", out, "--json")
    fitted = json.loads(capsys.readouterr().out)
    assert set(fitted["players"]) == {*levels.split(","), anchors}
    assert fitted["steps"][0]["from"] == "1"


def test_two_processes_play_the_same_games(calibrating: Any, tmp_path: Path) -> None:
    options = ["--levels", "1,2", "--anchors", "", "--neighbours", 8, "--second", 0]
    alone, together = tmp_path / "alone.jsonl", tmp_path / "together.jsonl"
    run(calibrating, "play", "gomoku", "--out", alone, *options)
    command = [sys.executable, calibrating.__file__, "play", "gomoku", "--out", together, "--workers", 2, *options]
    subprocess.run([str(word) for word in command], check=True)
    first, *games = together.read_text(encoding="utf-8").splitlines()
    assert [first, *sorted(games)] == alone.read_text(encoding="utf-8").splitlines()
    assert len(games) == 4


def test_a_part_ends_in_time(calibrating: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games.jsonl"
    run(calibrating, "play", "junqi", "--out", out, "--hours", 0, "--anchors", "", "--variant", "duel")
    assert capsys.readouterr().out.startswith("0 of ")
    assert len(out.read_text(encoding="utf-8").splitlines()) == 1
    with pytest.raises(SystemExit, match="no level has played"):
        run(calibrating, "fit", out)


@pytest.mark.parametrize(
    ("game", "name"), [("xiangqi", "weights"), ("xiangqi", "21"), ("gomoku", "path"), ("junqi", "full"), ("junqi", "x")]
)
def test_a_wrong_player_is_named(calibrating: Any, tmp_path: Path, game: str, name: str) -> None:
    with pytest.raises(SystemExit, match=name):
        run(calibrating, "play", game, "--out", tmp_path / "games.jsonl", "--levels", f"1,{name}", "--anchors", "")


@pytest.mark.parametrize(
    ("fen", "played", "refutation", "kind"),
    [
        ("3ak4/9/9/9/8r/9/9/9/9/R2K5 b", "i5i4", "a0a9", "long"),
        ("3ak4/9/9/9/4r4/4P4/4N4/9/9/3K5 b", "e5e4", "d0d1", "quiet"),
        ("4k4/9/9/9/4r4/4P4/9/4R4/9/3K5 b", "e5e4", "e2e4", "recapture"),
        ("4k4/R8/9/9/8r/9/9/9/9/3K5 b", "i5i4", "a8a7", "backward"),
        ("4k4/9/9/9/4N4/8r/9/4R4/9/3K5 b", "i4i3", "e5g6", "discovered"),
    ],
)
def test_the_kinds_of_refutations(fen: str, played: str, refutation: str, kind: str) -> None:
    mistakes = import_module("sanqi_training.level_mistakes")
    position = Position(fen)
    position.push(parse_move(played))
    assert mistakes.kind_of(position, parse_move(refutation), parse_move(played)) == kind


def test_a_hanging_piece_is_a_mistake_seen_at_once() -> None:
    mistakes = import_module("sanqi_training.level_mistakes")
    judge = mistakes.Judge(3000, 300)
    position = Position("3akab2/9/9/9/4r4/8p/4P4/4R4/9/3AK4 b - - 0 1")
    found = judge.mistake(position, parse_move("e5e3"))
    assert found is not None
    depth, kind = found
    assert (depth, kind) == (1, "recapture")
    assert judge.mistake(position, parse_move("e5d5")) is None


@pytest.mark.parametrize(
    ("chances", "replies", "depth"),
    [
        ({1: 0, 2: 0, 3: 0}, {1: 400, 2: 400}, 1),  # a piece that hangs
        ({1: 0, 2: 0, 3: 0, 4: 0}, {1: 0, 2: 20, 3: 350}, 3),  # a deep refutation
        ({1: 0, 2: 0, 3: 0, 4: 500}, {1: 0, 2: 0, 3: 0}, 3),  # a deep chance that is missed
        ({1: 500, 2: 0, 3: 500, 5: 500}, {1: 0, 2: 0, 3: 0}, 2),  # seen from there on; depth 4 has no exact score
    ],
)
def test_a_loss_is_as_deep_as_what_is_overlooked(chances: dict[int, int], replies: dict[int, int], depth: int) -> None:
    assert import_module("sanqi_training.level_mistakes").first_depth(chances, replies, 300) == depth


def test_the_mistakes_of_a_file_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games.jsonl"
    options = ["--levels", "1,2", "--anchors", "choice:100:80", "--anchored", "1", "--neighbours", 2, "--anchor", 2]
    run(import_module("sanqi_training.calibrate_levels"), "play", "xiangqi", "--out", out, *options)
    capsys.readouterr()
    import_module("sanqi_training.level_mistakes").main([str(out), "--nodes", "300", "--games", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines} == {"1", "2", "choice:100:80"}
    assert all(" moves, " in line for line in lines)


def test_a_program_that_is_not_there_is_named(
    calibrating: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibrating, "FAIRY_COMMAND", "no-such-engine")
    with pytest.raises(SystemExit, match="no-such-engine is not installed"):
        run(calibrating, "play", "xiangqi", "--out", tmp_path / "games.jsonl")


def test_a_program_that_fails_ends_the_run_and_keeps_the_games(
    calibrating: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "games.jsonl"
    monkeypatch.setattr(calibrating, "FAIRY_COMMAND", sys.executable)  # it is there
    monkeypatch.setattr(sys.modules["sanqi_training.level_games"], "FAIRY_COMMAND", "no-such-engine")
    options = ["--levels", "1", "--anchors", "fairy:-20", "--anchored", "1"]
    with pytest.raises(SystemExit, match="fairy:-20 against 1: cannot be started"):
        run(calibrating, "play", "xiangqi", "--out", out, *options)
    assert len(out.read_text(encoding="utf-8").splitlines()) == 1
