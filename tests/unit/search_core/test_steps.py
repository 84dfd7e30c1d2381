"""Steps of the search that a parameter switches off: each changes the tree, and none that of a full-width search."""

from __future__ import annotations

import pytest

from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable
from ucci_engine.position import Position

MIDDLE_GAME = "r1bakab1r/9/1cn3n1c/p1p1p1p1p/9/2P3P2/P3P3P/1CN1C1N2/9/R1BAKAB1R w"
OFF = {
    "rfp_depth": 0,
    "nmp_depth": 127,
    "hindsight_reduction": 0,
    "lmr_cutoffs": 0,
    "history_fail_low_bonus": 0,
    "history_eval_weight": 0,
    "correction_weight": 0,
}


def nodes(changes: dict[str, int], depth: int, *, full_width: bool = False) -> int:
    position = Position(MIDDLE_GAME)
    position.tune(changes)
    search = Search(position, TranspositionTable(1), Signals())
    search.depth_limit = depth
    search.full_width = full_width
    search.init_root_moves()
    search.run()
    return search.nodes


@pytest.mark.parametrize("name", OFF)
def test_a_step_changes_the_tree(name: str) -> None:
    assert nodes({name: OFF[name]}, 9) != nodes({}, 9)


@pytest.mark.parametrize("name", OFF)
def test_a_full_width_search_has_no_such_step(name: str) -> None:
    assert nodes({name: OFF[name]}, 4, full_width=True) == nodes({}, 4, full_width=True)


def test_what_was_learnt_is_cleared() -> None:
    search = Search(Position(MIDDLE_GAME), TranspositionTable(1), Signals())
    search.depth_limit = 8
    counts = []
    for cleared in (True, False, True):
        if cleared:
            search.learnt.clear()
        search.set_root(Position(MIDDLE_GAME), TranspositionTable(1), Signals(), None)
        search.init_root_moves()
        search.run()
        counts.append(search.nodes)
    assert counts[0] == counts[2] != counts[1]
