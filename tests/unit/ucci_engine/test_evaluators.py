"""A Xiangqi position with an evaluator of its own; test_conformance.py plays random games with them."""

from __future__ import annotations

import random
from types import ModuleType

import pytest

from gomoku_protocol.position import Position as GomokuPosition
from search_core.engine import Engine, Limits, Result
from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable
from tests.helpers.random_walk import random_step
from ucci_engine.evaluation import HandCraftedEvaluator
from ucci_engine.evaluators import EVALUATORS, default_evaluator
from ucci_engine.points import parse_move
from ucci_engine.position import Position

MIDDLE_GAME = "r1bakab1r/9/1cn2cn2/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKAB1R b"


def searched_here(position: Position, depth: int, *, full_width: bool = False) -> Search:
    """A search of the position itself, not of a copy."""
    search = Search(position, TranspositionTable(4), Signals())
    search.full_width = full_width
    search.depth_limit = depth
    search.init_root_moves()
    search.run()
    return search


def searched(position: Position, limits: Limits, threads: int) -> Result:
    results: list[Result] = []
    engine = Engine()
    engine.hash_mb = 4
    engine.threads = threads
    engine.go(position, limits, on_result=results.append)
    engine.wait()
    engine.close()
    return results[0]


def test_a_copy_has_its_own_evaluator_and_the_same_style() -> None:
    position = Position(evaluator=HandCraftedEvaluator())
    position.evaluator.set_style("risky", 0)
    twin = position.copy()
    assert isinstance(twin.evaluator, HandCraftedEvaluator)
    assert twin.evaluator is not position.evaluator
    assert twin.evaluator.attack_percent == 130
    twin.evaluator.set_style("solid", 0)
    assert isinstance(position.evaluator, HandCraftedEvaluator)
    assert position.evaluator.attack_percent == 130


def test_an_unknown_style_changes_nothing() -> None:
    evaluator = HandCraftedEvaluator(90)
    assert evaluator.set_style("risky", 0)
    assert not evaluator.set_style("wild", 0)
    assert evaluator.attack_percent == 130


@pytest.mark.parametrize("name", EVALUATORS)
def test_every_evaluator_can_be_weakened(name: str) -> None:
    fens = ("r1bakab1r/9/1cn2cn2/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKAB1R b", "4k4/9/9/4C4/9/9/9/9/9/3KR4 b")

    def scores(seed: int, permille: int) -> list[int]:
        positions = [Position(fen, default_evaluator(name)) for fen in fens]
        for position in positions:
            position.weaken(0, seed, permille)
        return [position.copy().evaluate_cp() for position in positions]

    assert scores(1, 0) == [Position(fen, default_evaluator(name)).evaluate_cp() for fen in fens]
    assert scores(1, 300) == scores(1, 300) != scores(2, 300)
    assert scores(1, 300) != scores(1, 0)


def test_weakening_keeps_the_style() -> None:
    position = Position(evaluator=HandCraftedEvaluator())
    position.evaluator.set_style("risky", 0)
    position.weaken(0, 1, 300)
    assert isinstance(position.evaluator, HandCraftedEvaluator)
    assert position.evaluator.attack_percent == 130


def test_an_evaluator_that_does_not_know_levels_says_so(xiangqi_evaluators: ModuleType) -> None:
    position = Position(evaluator=xiangqi_evaluators.MaterialEvaluator())
    with pytest.raises(NotImplementedError):
        position.weaken(0, 1, 300)


def test_a_position_takes_another_evaluator(xiangqi_evaluators: ModuleType) -> None:
    position = Position("3k5/9/9/9/9/9/9/9/4R4/4KC3 w")
    assert position.evaluate_cp() != 950 + 460
    position.use_evaluator(xiangqi_evaluators.MaterialEvaluator())
    assert position.evaluate_cp() == position.copy().evaluate_cp() == 950 + 460
    with pytest.raises(TypeError):
        position.use_evaluator(GomokuPosition().evaluator)


def test_material_alone(xiangqi_evaluators: ModuleType) -> None:
    position = Position("3k5/9/9/9/9/9/9/9/4R4/4KC3 w", xiangqi_evaluators.MaterialEvaluator())
    assert position.evaluate_cp() == 950 + 460
    assert position.trace() == ([], 950 + 460)
    assert not position.evaluator.set_style("risky", 0)  # it has none
    assert position.copy().evaluate_cp() == 950 + 460


@pytest.mark.parametrize("threads", [1, 2])
def test_the_engine_searches_with_the_position_s_evaluator(xiangqi_evaluators: ModuleType, threads: int) -> None:
    position = Position("2bakab2/9/9/4p4/r8/9/4P4/9/R8/2BAKAB2 w", xiangqi_evaluators.MaterialEvaluator())
    result = searched(position, Limits(depth=3), threads)
    assert result.best == parse_move("a1a5")
    assert result.score == 950


def weights() -> bytes:
    return random.Random(5).randbytes(14 * 90)


def test_sums_follow_moves_passes_and_take_backs(xiangqi_evaluators: ModuleType, probe: ModuleType) -> None:
    updated = passes = 0
    for seed in range(4):
        position = Position(evaluator=xiangqi_evaluators.AccumulatorEvaluator(weights()))
        dice = random.Random(seed)
        for _ in range(150):
            random_step(position, dice, probe)
            if dice.random() < 0.6:
                position.evaluate_cp()
        evaluator = position.evaluator
        assert isinstance(evaluator, xiangqi_evaluators.AccumulatorEvaluator)
        assert evaluator.wrong == 0
        assert evaluator.computed < 12
        updated += evaluator.updated
        passes += evaluator.passes
    assert updated > 300
    assert passes > 20


@pytest.mark.parametrize("table_first", [False, True])
def test_sums_follow_a_search(xiangqi_evaluators: ModuleType, table_first: bool) -> None:
    position = Position(MIDDLE_GAME, xiangqi_evaluators.AccumulatorEvaluator(weights(), table_first))
    searched_here(position, 8)
    evaluator = position.evaluator
    assert isinstance(evaluator, xiangqi_evaluators.AccumulatorEvaluator)
    assert evaluator.wrong == 0
    assert evaluator.computed <= 1 + len(position.legal_moves())  # the root is evaluated after its moves
    assert evaluator.updated > 1000
    assert evaluator.passes > 10


def test_asking_the_table_first_changes_only_the_number_of_evaluations(xiangqi_evaluators: ModuleType) -> None:
    evaluated, found = [], []
    for table_first in (False, True):
        position = Position(MIDDLE_GAME, xiangqi_evaluators.AccumulatorEvaluator(weights(), table_first))
        search = searched_here(position, 8)
        evaluator = position.evaluator
        assert isinstance(evaluator, xiangqi_evaluators.AccumulatorEvaluator)
        evaluated.append(evaluator.evaluated)
        found.append((search.lines(), search.nodes))
    assert found[0] == found[1]
    assert evaluated[1] < 0.9 * evaluated[0]


def test_a_policy_changes_the_order_and_not_the_score(xiangqi_evaluators: ModuleType) -> None:
    scores, nodes = [], []
    for backwards in (False, True):
        position = Position(MIDDLE_GAME, xiangqi_evaluators.MaterialEvaluator(backwards=backwards))
        search = searched_here(position, 3, full_width=True)
        scores.append(search.lines()[0][0])
        nodes.append(search.nodes)
        evaluator = position.evaluator
        assert isinstance(evaluator, xiangqi_evaluators.MaterialEvaluator)
        assert (evaluator.asked > 0) == backwards
    assert scores[0] == scores[1]
    assert nodes[0] != nodes[1]
