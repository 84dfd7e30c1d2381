"""benchmarks/swap2_openings.py: which openings are alike, which are fair, and how a board goes on with its file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gomoku_protocol.points import FREESTYLE, move_at
from search_core.engine import MATE, Engine


@pytest.fixture
def swap2_openings(load_benchmark: Callable[[str], Any]) -> Any:
    return load_benchmark("swap2_openings")


def moves(*points: tuple[int, int]) -> list[int]:
    return [move_at(x, y) for x, y in points]


def test_turned_and_mirrored_openings_are_alike(swap2_openings: Any) -> None:
    stones = ((3, 4), (5, 5), (6, 2))
    likeness = swap2_openings.likeness(moves(*stones), 15)
    for turn in swap2_openings.symmetries(15):
        black, white, third = (turn(x, y) for x, y in stones)
        assert swap2_openings.likeness(moves(black, white, third), 15) == likeness
        assert swap2_openings.likeness(moves(third, white, black), 15) == likeness
        assert swap2_openings.likeness(moves(white, black, third), 15) != likeness


def test_a_forced_win_is_never_fair(swap2_openings: Any) -> None:
    position = swap2_openings.after(moves((7, 7), (8, 8), (6, 8)), FREESTYLE, 15)
    assert swap2_openings.is_fair(0, position, 0.05)
    assert not any(swap2_openings.is_fair(sign * (MATE - 20), position, 1.0) for sign in (1, -1))


def test_a_board_goes_on_behind_its_last_candidate(swap2_openings: Any) -> None:
    lines = [
        {"board": "freestyle 15x15", "number": 4, "stones": "1,1 2,2 3,3", "fair": True},
        {"board": "freestyle 15x15", "number": 9, "stones": "1,2 2,2 3,4", "fair": False},
        {"board": "standard 15x15", "number": 30, "stones": "1,1 2,2 3,3", "fair": True},
    ]
    board = swap2_openings.Board(FREESTYLE, 15, 100, 2, lines, [Engine()])
    assert (board.fair, board.number) == (1, 10)
