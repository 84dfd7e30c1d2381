"""The transposition table: what an entry holds, and which entry of a bucket is replaced."""

from __future__ import annotations

from types import ModuleType

import pytest

from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable
from ucci_engine.position import Position

UPPER, LOWER, EXACT = 1, 2, 3
NO_SCORE = 32002
AGES = 8
NEWCOMER = 99


@pytest.fixture
def table() -> TranspositionTable:
    return TranspositionTable(1)


def survivors(probe: ModuleType, table: TranspositionTable) -> set[int]:
    """The keys below 100 that the table holds. They share a bucket."""
    return {key for key in range(1, 100) if probe.probe(table, key) is not None}


@pytest.mark.parametrize("age", range(AGES))
@pytest.mark.parametrize(
    "entry",
    [
        (1, 0, 0, UPPER, 0),
        ((1 << 20) - 1, 32000, 127, EXACT, NO_SCORE),
        (1 << 19, -32000, 64, LOWER, -20000),
        (0, -1, 1, UPPER, 20000),
        (77, 1, 2, LOWER, -1),
    ],
)
def test_an_entry_comes_back_whole(
    table_probe: ModuleType, table: TranspositionTable, entry: tuple[int, int, int, int, int], age: int
) -> None:
    for _ in range(age):
        table.next_age()
    key = 0xFEDCBA9876543210
    table_probe.store(table, key, *entry)
    assert table_probe.probe(table, key) == entry
    assert table_probe.probe(table, key ^ 1) is None


def test_a_bound_without_a_move_keeps_the_move(table_probe: ModuleType, table: TranspositionTable) -> None:
    table_probe.store(table, 1, move=5, depth=3)
    table_probe.store(table, 1, move=0, depth=4, score=10, static_eval=20)
    assert table_probe.probe(table, 1) == (5, 10, 4, LOWER, 20)


@pytest.mark.parametrize(("score", "bound"), [(31980, LOWER), (31980, EXACT), (-31980, UPPER), (-31980, EXACT)])
def test_a_forced_win_or_loss_outlasts_what_proves_less(
    table_probe: ModuleType, table: TranspositionTable, score: int, bound: int
) -> None:
    table.keeps_proofs = True
    table_probe.store(table, 1, move=5, depth=3, score=score, bound=bound)
    for other, its_bound in ((100, EXACT), (31970, UPPER), (-31970, LOWER)):
        table_probe.store(table, 1, move=6, depth=9, score=other, bound=its_bound)
        assert table_probe.probe(table, 1)[:4] == (5, score, 3, bound)
    shorter = score + (2 if score > 0 else -2)
    table_probe.store(table, 1, move=7, depth=2, score=shorter, bound=EXACT)
    assert table_probe.probe(table, 1)[:4] == (7, shorter, 2, EXACT)


@pytest.mark.parametrize(("score", "bound"), [(31980, LOWER), (-31980, UPPER)])
def test_a_forced_win_or_loss_replaces_what_is_much_deeper(
    table_probe: ModuleType, table: TranspositionTable, score: int, bound: int
) -> None:
    table.keeps_proofs = True
    table_probe.store(table, 1, move=5, depth=12, score=100, bound=LOWER)
    table_probe.store(table, 1, move=6, depth=2, score=score, bound=bound)
    assert table_probe.probe(table, 1)[:4] == (6, score, 2, bound)


def test_the_shallowest_entry_of_a_search_is_replaced(table_probe: ModuleType, table: TranspositionTable) -> None:
    for key, depth in ((1, 9), (2, 3), (3, 5), (4, 12)):
        table_probe.store(table, key, depth=depth)
    table_probe.store(table, NEWCOMER, depth=0)
    assert survivors(table_probe, table) == {1, 3, 4, NEWCOMER}


@pytest.mark.parametrize("age", range(AGES))
def test_the_oldest_of_equal_depth_is_replaced(table_probe: ModuleType, table: TranspositionTable, age: int) -> None:
    for _ in range(age):
        table.next_age()
    for key in (3, 1, 4, 2):
        table_probe.store(table, key, depth=40)
        table.next_age()
    for newcomer, left in ((11, {1, 4, 2, 11}), (12, {4, 2, 11, 12}), (13, {2, 11, 12, 13})):
        table_probe.store(table, newcomer, depth=40)
        assert survivors(table_probe, table) == left


@pytest.mark.parametrize("searches", range(1, AGES))
def test_an_old_entry_counts_four_plies_less_per_search(
    table_probe: ModuleType, table: TranspositionTable, searches: int
) -> None:
    table_probe.store(table, 1, depth=40)
    for _ in range(searches):
        table.next_age()
    for key in (2, 3, 4):
        table_probe.store(table, key, depth=40 - 4 * searches + 1)
    table_probe.store(table, NEWCOMER, depth=0)
    assert survivors(table_probe, table) == {2, 3, 4, NEWCOMER}


def test_a_deep_result_of_this_search_outlasts_a_shallow_bound(
    table_probe: ModuleType, table: TranspositionTable
) -> None:
    table_probe.store(table, 1, depth=20, score=50)
    table_probe.store(table, 1, depth=15, score=60)
    assert table_probe.probe(table, 1)[1:3] == (50, 20)
    table_probe.store(table, 1, depth=16, score=60)
    assert table_probe.probe(table, 1)[1:3] == (60, 16)
    table_probe.store(table, 1, depth=2, score=70, bound=EXACT)
    assert table_probe.probe(table, 1)[1:3] == (70, 2)


@pytest.mark.parametrize("searches", range(1, AGES))
def test_a_deep_result_of_an_older_search_does_not_outlast_it(
    table_probe: ModuleType, table: TranspositionTable, searches: int
) -> None:
    table_probe.store(table, 1, depth=20, score=50)
    for _ in range(searches):
        table.next_age()
    table_probe.store(table, 1, depth=2, score=60)
    assert table_probe.probe(table, 1)[1:3] == (60, 2)


def test_hashfull_counts_the_entries_of_this_search(table_probe: ModuleType, table: TranspositionTable) -> None:
    for key in (1, 2, 3):
        table_probe.store(table, key)
    assert table_probe.hashfull(table) == 3
    table.next_age()
    assert table_probe.hashfull(table) == 0
    table_probe.store(table, 4)
    assert table_probe.hashfull(table) == 1


def test_the_table_has_the_static_evaluation_of_searched_positions(
    table_probe: ModuleType, table: TranspositionTable
) -> None:
    position = Position("r1bakab2/9/1cn4c1/p1p1p3p/6p2/2P6/P3P1P1P/1C2C1N2/9/R1BAKAB1R w")
    search = Search(position.copy(), table, Signals())
    search.depth_limit = 6
    search.init_root_moves()
    search.run()
    known = 0
    for move in position.legal_moves():
        position.push(move)
        entry = table_probe.probe(table, position.key)
        if entry is not None:
            assert entry[4] == (NO_SCORE if position.checked else position.evaluate_cp())
            known += 1
        position.pop()
    assert known > 10
