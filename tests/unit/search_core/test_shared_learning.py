"""Searches of several threads share what they learn."""

from __future__ import annotations

import pytest

from gomoku_protocol.position import Position as GomokuPosition
from search_core.learnt import Learnt
from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable
from ucci_engine.position import Position


def search_with(learnt: Learnt | None = None) -> Search:
    return Search(Position(), TranspositionTable(1), Signals(), None, learnt)


def nodes_of(search: Search) -> int:
    """Nodes of a search of 8 plies with an empty table: they depend only on what was learnt before."""
    search.set_root(Position(), TranspositionTable(1), Signals(), None)
    search.depth_limit = 8
    search.init_root_moves()
    search.run()
    return search.nodes


def test_a_search_begins_with_what_another_one_has_learnt() -> None:
    alone = search_with()
    unlearned, learned = nodes_of(alone), nodes_of(alone)
    assert unlearned != learned

    first = search_with()
    second = search_with(first.learnt)
    assert nodes_of(first) == unlearned
    assert nodes_of(second) == learned
    first.learnt.clear()
    assert nodes_of(second) == unlearned


def test_what_another_game_has_learnt_is_refused() -> None:
    with pytest.raises(ValueError, match="another game"):
        Search(GomokuPosition(15, 15, 0), TranspositionTable(1), Signals(), None, search_with().learnt)
