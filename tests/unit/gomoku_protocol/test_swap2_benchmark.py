"""benchmarks/swap2_openings.py: which openings are alike, fair and near, and the file for the engine."""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gomoku_protocol import swap2_store
from gomoku_protocol.points import FREESTYLE, STANDARD, move_at, point_of
from search_core.engine import MATE, Engine


@pytest.fixture
def swap2_openings(load_benchmark: Callable[[str], Any]) -> Any:
    return load_benchmark("swap2_openings")


def moves(*points: tuple[int, int]) -> list[int]:
    return [move_at(x, y) for x, y in points]


def test_turned_and_mirrored_openings_are_alike(swap2_openings: Any) -> None:
    stones = ((3, 4), (5, 5), (6, 2))
    likeness = swap2_openings.likeness(moves(*stones), 15)
    for turn in swap2_store.symmetries(15):
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
    board = swap2_openings.Board(FREESTYLE, 15, 100, 2, lines, [], [Engine()])
    assert (board.fair, board.number) == (1, 10)


def test_a_neighbour_has_at_most_one_stone_moved_by_a_point(swap2_openings: Any) -> None:
    stones = moves((0, 0), (1, 0), (14, 14))
    chance = random.Random(1)
    found = {tuple(swap2_openings.neighbour(stones, 15, chance)) for _ in range(500)}
    # the corner stones go to two or three points, the other to four of its five
    assert len(found) == 1 + 2 + 4 + 3
    for opening in found:
        points = [(point_of(move), point_of(old)) for move, old in zip(opening, stones, strict=True) if move != old]
        assert len(points) <= 1
        assert all(abs(x - old_x) <= 1 and abs(y - old_y) <= 1 for (x, y), (old_x, old_y) in points)


def test_the_written_file_is_what_the_engine_reads(
    swap2_openings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        {"board": f"{rule} 15x15", "stones": f"{number},1 {number},2 {number},3", "fair": fair}
        for number in range(3)
        for rule in ("freestyle", "standard")
        for fair in (False, True)
    ]
    judged, openings = tmp_path / "judged.jsonl", tmp_path / "swap2.txt"
    judged.write_text("".join(json.dumps(line) + "\n" for line in [{}, *lines]), encoding="utf-8")
    args = argparse.Namespace(judged=judged, openings=openings)
    monkeypatch.setattr(swap2_openings, "WANTED", ((FREESTYLE, 15, 3), (STANDARD, 15, 2)))
    swap2_openings.write(args)
    monkeypatch.setattr(swap2_store, "_FILE", str(openings))
    assert swap2_store.openings(FREESTYLE, 15, 15) == [[(number, row) for row in (1, 2, 3)] for number in range(3)]
    assert len(swap2_store.openings(STANDARD, 15, 15)) == 2
    assert swap2_store.openings(STANDARD, 20, 20) == []

    monkeypatch.setattr(swap2_openings, "WANTED", ((FREESTYLE, 15, 4), (STANDARD, 15, 3)))
    swap2_openings.write(args)
    assert swap2_store.openings(FREESTYLE, 15, 15) == []
    assert len(swap2_store.openings(STANDARD, 15, 15)) == 3
