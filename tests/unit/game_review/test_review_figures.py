"""The formulas of docs/review.md."""

from __future__ import annotations

from typing import Any

import pytest

from game_review.json_parts import read_part
from game_review.review_document import Ended, GameReport, Ply, figures_of
from game_review.review_figures import Figures, Thresholds, accuracy_of, is_turning_point, standing
from game_review.review_summary import summary_of


@pytest.mark.parametrize(
    ("loss", "mark"),
    [
        (-0.3, None),
        (0.0, None),
        (0.0499, None),
        (0.05, "inaccuracy"),
        (0.1, "mistake"),
        (0.1999, "mistake"),
        (0.2, "blunder"),
        (0.3 - 0.1, "blunder"),
        (1.0, "blunder"),
    ],
)
def test_marks(loss: float, mark: str | None) -> None:
    assert Thresholds().mark(loss) == mark


def test_thresholds_can_be_set() -> None:
    assert [Thresholds(1, 2.5, 50).mark(loss) for loss in (0.009, 0.01, 0.3, 0.5)] == [
        None, "inaccuracy", "mistake", "blunder",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("loss", "accuracy"), [(0.0, 100), (0.02, 100), (0.05, 86.07), (0.1, 67.03), (0.22, 36.79), (1.0, 0.74)]
)
def test_accuracy_of_a_move(loss: float, accuracy: float) -> None:
    assert accuracy_of(loss) == pytest.approx(accuracy, abs=0.01)


def test_standing() -> None:
    assert [standing(expected) for expected in (0.0, 0.35, 0.36, 0.5, 0.64, 0.65, 1.0)] == [-1, -1, 0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("before", "played", "mark", "turns"),
    [
        (0.5, 0.3, "blunder", True),
        (0.9, 0.2, "blunder", True),
        (0.66, 0.55, "mistake", True),
        (0.95, 0.7, "blunder", False),
        (0.3, 0.05, "blunder", False),
        (0.5, 0.4, "mistake", False),
        (0.37, 0.31, "inaccuracy", False),
        (0.5, 0.3, None, False),
    ],
)
def test_turning_points(before: float, played: float, mark: str | None, turns: bool) -> None:
    assert is_turning_point(before, played, mark) is turns


def ply(loss: float | None, mark: str | None = None, **more: Any) -> Ply:
    usual = {
        "ply": 1, "side": "red", "move": "h2e2", "names": {}, "name": "C2.5", "comment": "", "spentMs": None,
        "phase": "opening", "before": None, "played": None, "confirmed": None, "best": None, "isBest": None,
        "book": False, "forced": False, "counted": True, "turningPoint": False, "missedWin": None, "rule": None,
    }  # fmt: skip
    return read_part(Ply, usual | {"loss": loss, "mark": mark} | more)


def game(*plies: Ply, complete: bool = True, **more: Any) -> GameReport:
    usual: dict[str, Any] = {
        "source": "a", "number": 1, "game": "xiangqi", "headers": {}, "start": {}, "players": ["red", "black"],
        "names": ["A", ""], "opening": "open", "result": Ended("*", ""), "sides": {},
    }  # fmt: skip
    return GameReport(plies=plies, complete=complete, **usual | more)


def test_skipped_turns_are_no_moves_of_a_summary() -> None:
    plies = [ply(0.12, "mistake"), ply(None, counted=False, spentMs=90_000)]
    summary = summary_of([game(*plies, opening="")], 0)
    assert (summary.figures.moves, summary.by_player["A"].figures.moves, summary.by_time) == (1, 1, {})
    assert summary.by_opening == {}


def test_figures_of_a_side() -> None:
    """A loss within two points is none; what does not count changes nothing but the number of moves."""
    plies = [ply(0.0), ply(0.019), ply(0.12, "mistake"), ply(0.5, counted=False)]
    accuracy = round((100 + 100 + accuracy_of(0.12)) / 3, 1)
    assert figures_of(plies) == Figures(4, 3, accuracy, 0.04, inaccuracies=0, mistakes=1, blunders=0)
    assert figures_of([]).accuracy is figures_of([]).average_loss is None


def test_a_summary() -> None:
    worst = ply(0.4, "blunder", phase="end game", spentMs=4_999, ply=7)
    games = [
        game(ply(0.06, "inaccuracy", spentMs=5_000), worst),
        game(ply(0.9, "blunder"), complete=False),
        game(ply(0.07, "inaccuracy"), ply(0.0, side="black")),
    ]
    found = summary_of(games, 1)
    assert (found.games, found.complete, found.errors, found.figures.moves) == (3, 2, 1, 4)
    assert list(found.by_phase) == ["opening", "end game"] and found.by_phase["end game"].figures.blunders == 1
    assert list(found.by_time) == ["under 5 s", "5 to 15 s"]
    assert list(found.by_player) == ["A"] and found.by_player["A"].games == 2
    assert found.by_opening["open"].figures.counted == 4
    assert [(entry.game, entry.ply) for entry in found.worst] == [(1, 7), (3, 1), (1, 1)]
