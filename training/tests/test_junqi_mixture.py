"""The mixture of Junqi lineups: its equilibrium, and the whole command on a small pool."""

from __future__ import annotations

import random
import runpy
from pathlib import Path

import numpy as np
import pytest
from sanqi_training.junqi_mixture import WARMTH, equilibrium, exchanged, main, module

from junqi_protocol.rules.geometry import VARIANTS
from junqi_protocol.rules.lineup import check, mirrored, parse, random_lineup
from junqi_protocol.rules.rated_lineups import RATED_LINEUPS


def test_lineups_that_beat_each_other_in_a_circle_are_as_frequent() -> None:
    scores = 0.5 + 0.1 * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert equilibrium(scores) == pytest.approx([1 / 3] * 3, abs=1e-6)


def test_weights_fall_with_the_score_against_the_mixture() -> None:
    # The third loses to both others by as much.
    scores = np.array([[0.5, 0.5, 0.51], [0.5, 0.5, 0.51], [0.49, 0.49, 0.5]])
    weights = equilibrium(scores)
    value = scores @ weights
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == pytest.approx(weights[1])
    assert weights[2] / weights[0] == pytest.approx(np.exp((value[2] - value[0]) / WARMTH), rel=1e-4)


def test_exchanged_pieces_leave_a_legal_lineup_and_its_flag_on_the_left() -> None:
    chance = random.Random(1)
    for _ in range(300):
        lineup = random_lineup(chance)
        other = exchanged(lineup, 8, chance)
        check(other)
        assert sorted(other) == sorted(lineup) and other.index("F") == 26


@pytest.mark.parametrize("board", VARIANTS)
def test_a_small_mixture_is_found_written_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], board: str
) -> None:
    path = tmp_path / "rated_lineups.py"
    small = ["--deals", "10", "--replies", "4"]
    monkeypatch.setattr(
        "sys.argv", ["junqi_mixture", "find", board, *small, "--rounds", "2", "--pool", "3", "--write", str(path)]
    )
    main()
    assert capsys.readouterr().out.count("round ") == 2
    tables = runpy.run_path(str(path))["RATED_LINEUPS"]
    assert [other for other in VARIANTS if tables[other] != RATED_LINEUPS[other]] == [board]
    lineups = {parse(text) for text in tables[board]}
    assert len({mirrored(one) for one in lineups} | lineups) == 2 * len(tables[board])
    monkeypatch.setattr("sanqi_training.junqi_mixture.RATED_LINEUPS", tables)
    monkeypatch.setattr("sys.argv", ["junqi_mixture", "check", board, *small])
    main()
    assert "the best three in new games" in capsys.readouterr().out


def test_the_lineups_of_the_other_boards_stay_as_the_file_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rated_lineups.py"
    others = {board: dict.fromkeys(RATED_LINEUPS[board], 1) for board in VARIANTS}
    path.write_text(module(others), encoding="utf-8")
    few = ["--deals", "1", "--replies", "4", "--rounds", "2", "--pool", "3"]
    monkeypatch.setattr("sys.argv", ["junqi_mixture", "find", "duel", *few, "--write", str(path)])
    main()
    tables = runpy.run_path(str(path))["RATED_LINEUPS"]
    assert tables["siguo"] == others["siguo"] and tables["duel"] != others["duel"]
