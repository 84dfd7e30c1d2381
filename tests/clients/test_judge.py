"""Whole games under a judge that works as Gomocup's does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .gomoku_board import PlainBoard
from .judge import Foul, JudgedEngine

MEMORY = 350 << 20

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and SIGSTOP")


@pytest.mark.parametrize(
    ("rule", "size"), [(0, 20), (1, 15), (4, 15), *(pytest.param(rule, 15, marks=pytest.mark.long) for rule in (8, 9))]
)
def test_whole_game(sanqi: str, tmp_path: Path, rule: int, size: int) -> None:
    board = PlainBoard(size, rule)
    engines = [JudgedEngine([sanqi], size, rule, turn_ms=15, match_ms=20_000, memory=MEMORY) for _ in range(2)]
    opening = [(size // 2, size // 2), (size // 2 + 1, size // 2), (size // 2 + 2, size // 2 + 2)]
    for point in opening:
        board.play(point)
    started = [False, False]
    try:
        while board.winner is None and not board.full:
            mover = board.count % 2
            if started[mover]:
                lines = [f"TURN {board.points[-1][0]},{board.points[-1][1]}"]
            else:
                fields = [(x, y, 1 if number % 2 == mover else 2) for number, (x, y) in enumerate(board.points)]
                lines = ["BOARD", *(f"{x},{y},{field}" for x, y, field in fields), "DONE"]
                started[mover] = True
            board.play(engines[mover].move(lines))
        assert board.count > len(opening)
        assert max(engine.peak for engine in engines) <= 300 << 20
    finally:
        ended = [engine.end() for engine in engines]
    assert all(ended)


def test_the_judge_sees_a_foul(sanqi: str) -> None:
    """An engine that may hold no memory at all holds too much."""
    engine = JudgedEngine([sanqi], 15, 0, turn_ms=50, match_ms=20_000, memory=1 << 20)
    with pytest.raises(Foul, match="bytes"):
        engine.move(["BEGIN"])
    engine.end()
