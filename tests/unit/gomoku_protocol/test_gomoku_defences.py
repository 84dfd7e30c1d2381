"""Under a threat of fours every real defence is a root move, and threats by forbidden blocks are seen (renju)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from gomoku_protocol.points import CARO, CARO_EXACT, FREESTYLE, RENJU, RULES, STANDARD, move_at, parse_point, point_text
from gomoku_protocol.position import Position
from search_core.engine import MATE_BOUND, Engine, Limits, mate_in_plies


def points(text: str) -> list[int]:
    return [move_at(*parse_point(point)) for point in text.split()]


def after(rule: int, moves: str) -> Position:
    position = Position(15, 15, rule)
    for move in points(moves):
        position.push(move)
    return position


@pytest.fixture
def defences(load_benchmark: Callable[[str], Any]) -> Any:
    return load_benchmark("gomoku_defences")


def check(defences: Any, rule: int, seed: int, nodes: int, number: int) -> None:
    """No position lacks a real defence, and the root leaves out moves that lose."""
    left_out = 0
    for position in itertools.islice(defences.threatened_positions(rule, seed, nodes), number):
        searched = defences.root_moves(position)
        missing = defences.missing_defences(position, searched)
        assert not missing, f"rule {rule}, {said(position.moves)} lacks {said(missing)}"
        left_out += len(position.legal_moves()) - len(searched)
    assert left_out > 50 * number


def said(moves: list[int]) -> str:
    return " ".join(map(point_text, moves))


@pytest.mark.parametrize("rule", RULES)
def test_no_real_defence_is_left_out(defences: Any, rule: int) -> None:
    check(defences, rule, seed=rule, nodes=0, number=120)


@pytest.mark.parametrize("rule", RULES)
def test_no_real_defence_is_left_out_in_self_play(defences: Any, rule: int) -> None:
    check(defences, rule, seed=rule, nodes=100, number=15)


@pytest.mark.long
@pytest.mark.timeout(0)
@pytest.mark.parametrize("rule", RULES)
def test_no_real_defence_is_left_out_in_thousands_of_positions(defences: Any, rule: int) -> None:
    check(defences, rule, seed=100 + rule, nodes=0, number=2_000)
    check(defences, rule, seed=100 + rule, nodes=300, number=500)


# Real defences more than two points from every stone, or of a win that only a longer search finds.
FAR_DEFENCES = (
    (STANDARD, "5,6 10,7 5,10 9,4 4,8 4,10 9,10 7,9 6,9 10,6 5,5 7,8 9,6 7,7 7,10 4,7 9,8", "10,13"),
    (
        FREESTYLE,
        "8,4 9,4 11,6 4,7 8,7 11,4 10,6 8,5 9,5 11,7 7,6 6,5 9,6 8,6 7,5 7,4 5,6 7,8 9,8 10,9 12,6 13,6 6,6 5,7 10,7 "
        "12,5 10,3 9,3 10,4 10,5 3,7",
        "6,1",
    ),
    (RENJU, "8,8 8,4 7,6 10,5 11,4 8,3 9,4 9,5 8,5 10,3 7,8", "4,8"),
    (RENJU, "6,5 5,6 5,7 9,7 9,5 6,8 6,6 5,9 5,8 7,6 9,9 8,6 6,7 8,5", "2,7"),
    (CARO, "8,4 9,4 11,6 4,7 8,7 11,4 10,6 8,5 9,5 11,7 7,6 6,5 8,6 9,6 7,7 10,4 10,7", "5,1"),
    (CARO_EXACT, "3,10 11,10 8,7 4,5 4,6 9,6 10,10 10,7 8,8 8,5 11,8 5,4", "8,1"),
)


@pytest.mark.parametrize(("rule", "moves", "defence"), FAR_DEFENCES)
@pytest.mark.parametrize("with_moves", [False, True])
def test_a_far_defence_is_a_root_move(defences: Any, rule: int, moves: str, defence: str, with_moves: bool) -> None:
    position = after(rule, moves)
    assert points(defence)[0] in defences.root_moves(position, with_moves)


def test_a_four_with_a_forbidden_block_wins(gomoku_probe: ModuleType) -> None:
    """White plays 4,10, a four that makes nothing else; its block is a forbidden double three."""
    black_to_move = after(RENJU, "6,5 5,6 5,7 9,7 9,5 6,8 6,6 5,9 5,8 7,6 9,9 8,6 6,7 8,5")
    white_to_move = Position(15, 15, RENJU)
    white_to_move.set_up(black_to_move.moves[0::2], black_to_move.moves[1::2], side=1)
    assert gomoku_probe.probe_solver(white_to_move) == 3
    white_to_move.push(points("4,10")[0])
    assert white_to_move.is_forbidden(points("7,7")[0])


# In renju: Black's and White's stones. White wins in at most so many plies, not by fours alone: with plain fours first,
# and at the end with a four whose block is forbidden. The first position is one of quintet's.
PLAIN_FOURS = (
    ("7,7 8,7 7,8 9,9 6,10 7,10 10,12", "7,6 8,8 7,9 8,9 8,10 9,11", 9),
    ("7,7 8,7 7,8 9,9 6,10 7,10 10,12", "5,4 8,8 7,9 8,9 8,10 9,11", 9),
    ("7,7 8,7 7,8 9,9 6,10 7,10 10,12", "7,6 8,8 7,9 8,9 8,10 10,11", 11),
    ("7,7 8,7 7,8 9,9 6,10 6,11 10,12", "7,6 8,8 7,9 8,9 8,10 9,11", 9),
)


@pytest.mark.parametrize(("black", "white", "plies"), PLAIN_FOURS)
def test_a_win_that_begins_with_a_plain_four_is_found(black: str, white: str, plies: int) -> None:
    position = Position(15, 15, RENJU)
    position.set_up(points(black), points(white), side=1)
    assert not position.win_by_fours(100_000)
    with Engine() as engine:
        engine.hash_mb = 16
        result = engine.search(position, Limits(nodes=2_000_000))
        assert mate_in_plies(result.score) in range(1, plies + 1)
        assert result.best is not None
        position.push(result.best)
        for reply in position.legal_moves():
            position.push(reply)
            assert position.winner is None
            answer = engine.search(position.without_moves(), Limits(nodes=400_000))
            assert answer.score >= MATE_BOUND, point_text(reply)
            position.pop()
