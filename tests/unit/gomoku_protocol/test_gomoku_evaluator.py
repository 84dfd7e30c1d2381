"""The evaluator of a Gomoku position: its style and its copies."""

from __future__ import annotations

import random
import re
from pathlib import Path
from types import ModuleType

import pytest

from gomoku_protocol.evaluators import EVALUATORS, NET, default_evaluator
from gomoku_protocol.points import FREESTYLE, STRIDE, move_at
from gomoku_protocol.position import Position
from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable

CHECKOUT = Path(__file__).parents[3]


def opened() -> Position:
    """Black, to move, has an open two."""
    position = Position()
    for x, y in ((7, 7), (0, 0), (8, 7), (14, 14)):
        position.push(move_at(x, y))
    return position


def test_the_style_weighs_the_points_of_both_sides() -> None:
    scores = {}
    for style in ("steady", "aggressive", "conservative"):
        for side in range(2):
            position = opened()
            position.evaluator.set_style(style, side)
            scores[style, side] = position.evaluate_cp()
    assert scores["steady", 0] == scores["steady", 1] == opened().evaluate_cp()
    # What one side attacks with, the other defends against.
    assert scores["aggressive", 0] == scores["conservative", 1]
    assert scores["aggressive", 1] == scores["conservative", 0]
    assert len(set(scores.values())) == 3


def test_a_copy_has_its_own_evaluator_and_the_same_style() -> None:
    position = opened()
    position.evaluator.set_style("aggressive", 0)
    twin = position.copy()
    assert twin.evaluator is not position.evaluator
    assert twin.evaluate_cp() == position.evaluate_cp()
    twin.evaluator.set_style("steady", 0)
    assert twin.evaluate_cp() == opened().evaluate_cp() != position.evaluate_cp()


def test_the_style_stays_when_a_position_is_set_up() -> None:
    position = opened()
    position.evaluator.set_style("aggressive", 0)
    score = position.evaluate_cp()
    position.set_up([move_at(7, 7), move_at(8, 7)], [move_at(0, 0), move_at(14, 14)])
    assert position.evaluate_cp() == score


def test_an_unknown_style_changes_nothing() -> None:
    position = opened()
    assert not position.evaluator.set_style("wild", 0)
    assert position.evaluate_cp() == opened().evaluate_cp()


@pytest.mark.parametrize("name", [*EVALUATORS, NET])
def test_every_evaluator_can_be_weakened(name: str) -> None:
    def score(seed: int, permille: int) -> int:
        position = opened()
        position.use_evaluator(default_evaluator(FREESTYLE, name))
        position.weaken(0, seed, permille)
        return position.copy().evaluate_cp()

    assert score(1, 0) == opened().evaluate_cp()
    assert score(1, 300) == score(1, 300) != score(2, 300)
    assert score(1, 300) != score(1, 0)


def weights() -> bytes:
    return random.Random(5).randbytes(STRIDE * 32)


def test_sums_follow_stones_and_take_backs(gomoku_evaluators: ModuleType) -> None:
    gomoku_evaluators.take_tally()
    for seed in range(4):
        dice = random.Random(seed)
        position = Position(15, 15, 0, gomoku_evaluators.StoneSums(weights()))
        position.set_up([move_at(3, 3)], [move_at(11, 11)], side=dice.randrange(2))
        for _ in range(150):
            if dice.random() < 0.2 and position.moves:
                for _ in range(dice.randint(1, len(position.moves))):
                    position.pop()
            elif position.winner is None:
                position.push(dice.choice(position.legal_moves()))
            if dice.random() < 0.6:
                position.evaluate_cp()
    computed, updated, wrong = gomoku_evaluators.take_tally()
    assert wrong == 0
    assert updated > 300
    assert computed < 60


def test_sums_follow_a_search(gomoku_evaluators: ModuleType) -> None:
    position = Position(15, 15, 0, gomoku_evaluators.StoneSums(weights()))
    for x, y in ((7, 7), (8, 8), (6, 8), (8, 6)):
        position.push(move_at(x, y))
    search = Search(position, TranspositionTable(4), Signals())
    search.depth_limit = 6
    search.init_root_moves()
    gomoku_evaluators.take_tally()
    search.run()
    computed, updated, wrong = gomoku_evaluators.take_tally()
    assert wrong == 0
    assert updated > 500
    assert computed < updated / 5


def test_the_tuner_writes_the_tables_that_the_evaluation_reads() -> None:
    declarations = (CHECKOUT / "gomoku_protocol" / "point_values.pxd").read_text(encoding="utf-8")
    tables = re.findall(r"const int\d+_t (\w+)\[", declarations)
    assert len(tables) == 3
    tuner = (CHECKOUT / "training" / "sanqi_training" / "tune_gomoku.py").read_text(encoding="utf-8")
    header = (CHECKOUT / "gomoku_protocol" / "point_values.h").read_text(encoding="utf-8")
    assert [table for table in tables if not re.search(rf"\b{table}\b", tuner)] == []
    assert set(re.findall(r"^static const \w+ (\w+)\[", header, re.MULTILINE)) == set(tables)
