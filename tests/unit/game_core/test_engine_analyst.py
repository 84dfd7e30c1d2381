"""Our engine as an analyst, in all three games."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from game_core.analysis import AnalysisError, AnalysisTask, Finding, mate_in_moves, rule_win_in_moves
from game_core.engine_analyst import EngineAnalyst
from gomoku_protocol.analysis import GomokuSubject, SetUp
from search_core.engine import MATE, Engine
from search_core.search import Search
from search_core.thinker import Limits
from ucci_engine.analysis import XiangqiSubject
from ucci_engine.points import START_FEN

XIANGQI = XiangqiSubject(START_FEN, ["h2e2", "h9g7"], "Computer", 120)
GOMOKU = GomokuSubject(15, 15, 0, SetUp(), ["7,7", "8,8"])


@pytest.fixture
def analyst() -> Iterator[EngineAnalyst]:
    made = EngineAnalyst(1)
    yield made
    made.close()


def task(subject: Any, turn: int = 0, **limits: Any) -> AnalysisTask:
    return AnalysisTask(subject, turn, subject.at(turn), Limits(**limits))


def analyse(analyst: EngineAnalyst, asked: AnalysisTask) -> Finding:
    said: list[str] = []
    found = analyst.analyse(asked, said.append)
    assert said == []
    return found


def test_the_finished_iterations(analyst: EngineAnalyst) -> None:
    for limits in ({"depth": 5}, {"nodes": 3000}):
        found = analyse(analyst, task(XIANGQI, 2, **limits))
        assert [line.depth for line in found.iterations] == list(range(1, (found.depth or 0) + 1))
        assert all(line.bound == "exact" for line in found.iterations)
    assert analyse(analyst, task(XIANGQI, 2, depth=1)).iterations[0].pv[0] in XIANGQI.at(2).legal_moves()


@pytest.mark.parametrize("subject", [XIANGQI, GOMOKU])
def test_lines_begin_with_different_moves(analyst: EngineAnalyst, subject: Any) -> None:
    for nodes in (1, 10, 300, 3000):
        found = analyse(analyst, task(subject, 2, nodes=nodes, multipv=4))
        assert 1 <= len(found.lines) <= 4
        assert len({line.pv[0] for line in found.lines}) == len(found.lines)
        assert all(line.score_cp is not None and line.chances is not None for line in found.lines)
        scores = [line.score_cp or 0 for line in found.lines if line.bound == "exact"]
        assert scores == sorted(scores, reverse=True)


def test_the_first_line_is_the_move_that_would_be_played(analyst: EngineAnalyst) -> None:
    """A search that is broken off may have found another move than its last whole iteration."""
    for nodes in range(100, 6000, 97):
        asked = task(XIANGQI, 1, nodes=nodes)
        found = analyse(analyst, asked)
        analyst.clear()
        assert asked.turn.game is not None
        with Engine() as engine:
            engine.hash_mb = 1
            result = engine.search(asked.turn.game, asked.limits)
        assert found.lines[0].pv[0] == result.best


def test_what_the_quiet_limit_draws_is_no_win(analyst: EngineAnalyst) -> None:
    """An engine that plays goes for such a mate, since the opponent need not claim the draw."""
    fen = "4k4/9/9/9/9/9/9/9/9/R2K5 w - - 118 90"
    asked = task(XiangqiSubject(fen, [], "Computer", 120), nodes=20_000)
    assert asked.turn.game is not None
    with Engine() as engine:
        engine.hash_mb = 1
        assert engine.search(asked.turn.game, asked.limits).score == MATE - 3
    found = analyse(analyst, asked)
    assert (found.lines[0].score_cp, found.lines[0].mate) == (0, None)


def test_a_slow_machine_finds_the_same(analyst: EngineAnalyst, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that takes long also reports bounds: what is found in so many nodes must not depend on them."""
    limits = [{"nodes": nodes, "multipv": 1 + (nodes % 2)} for nodes in range(500, 20_000, 597)]

    def findings() -> list[Finding]:
        analyst.clear()
        return [analyse(analyst, task(XIANGQI, 1, **each))._replace(time_ms=0) for each in limits]

    fast = findings()
    monkeypatch.setattr("search_core.engine._SLOW_MS", -1)
    assert findings() == fast


def test_what_is_allowed(analyst: EngineAnalyst) -> None:
    turn = XIANGQI.at(0)
    only = tuple(turn.read_move(text) for text in ("a0a1", "a3a4"))
    found = analyse(analyst, task(XIANGQI, nodes=500, multipv=9, root_moves=only))
    assert {line.pv[0] for line in found.lines} == set(only)
    with pytest.raises(AnalysisError, match="no legal move"):
        analyst.analyse(task(XIANGQI, nodes=500, root_moves=only, excluded_moves=only), print)


def test_a_stop_before_the_search_is_not_lost(analyst: EngineAnalyst) -> None:
    asked = task(XIANGQI, nodes=10**12)
    asked.stopped.set()
    analyst.stop()
    assert analyst.analyse(asked, print).nodes is not None
    assert analyse(analyst, task(XIANGQI, nodes=500)).lines


def test_a_snapshot_is_of_the_running_analysis(analyst: EngineAnalyst) -> None:
    assert analyst.snapshot() is None
    analyse(analyst, task(XIANGQI, nodes=500))
    assert analyst.snapshot() is None


def test_another_game_or_rule_does_not_count(analyst: EngineAnalyst) -> None:
    """What is learnt in one of them must not be used in another."""
    first = analyse(analyst, task(XIANGQI, nodes=2000))._replace(time_ms=0)
    analyse(analyst, task(GOMOKU, nodes=2000))
    analyse(analyst, task(XiangqiSubject(START_FEN, [], "Draw", 120), nodes=2000))
    assert analyse(analyst, task(XIANGQI, nodes=2000))._replace(time_ms=0) == first


def test_a_change_of_the_game_leaves_no_search_behind(analyst: EngineAnalyst) -> None:
    """Each has megabytes; without a cycle they are freed at once."""

    def searches() -> int:
        return sum(isinstance(found, Search) for found in gc.get_objects())

    gc.collect()
    gc.disable()
    others = searches()  # of other tests in this process
    try:
        for _ in range(5):
            analyse(analyst, task(XIANGQI, nodes=100))
            analyse(analyst, task(GOMOKU, nodes=100))
        assert searches() <= others + 1
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("score", "moves"), [(0, None), (28_000, None), (MATE - 1, 1), (MATE - 3, 2), (-MATE, 0), (2 - MATE, -1)]
)
def test_a_mate_in_moves(score: int, moves: int | None) -> None:
    assert mate_in_moves(score) == moves


@pytest.mark.parametrize(
    ("score", "moves"),
    [(27_999, 1), (27_997, 2), (-27_998, -1), (28_000, 0), (27_872, 64), (27_871, None), (28_001, None), (0, None)],
)
def test_a_win_by_a_rule_in_moves(score: int, moves: int | None) -> None:
    assert rule_win_in_moves(score) == moves
