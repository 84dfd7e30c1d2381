"""Searches beside each other learn in one memory."""

from __future__ import annotations

import pytest

from gomoku_protocol.position import Position as GomokuPosition
from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable
from ucci_engine.position import Position


def search_beside(other: Search | None) -> Search:
    return Search(Position(), TranspositionTable(1), Signals(), None, other)


def nodes_of(search: Search) -> int:
    """Nodes of a search of 8 plies with an empty table: they depend only on what was learnt before."""
    search.set_root(Position(), TranspositionTable(1), Signals(), None)
    search.depth_limit = 8
    search.init_root_moves()
    search.run()
    return search.nodes


def test_a_search_begins_with_what_the_one_beside_it_has_learnt() -> None:
    alone = search_beside(None)
    unlearned, learned = nodes_of(alone), nodes_of(alone)
    assert unlearned != learned

    first = search_beside(None)
    second = search_beside(first)
    assert nodes_of(first) == unlearned
    assert nodes_of(second) == learned
    first.clear()
    assert nodes_of(second) == unlearned


def test_what_was_learnt_outlives_the_search_that_made_room_for_it() -> None:
    first = search_beside(None)
    second = search_beside(first)
    unlearned = nodes_of(first)
    del first
    assert nodes_of(second) != unlearned


def test_a_search_of_another_game_cannot_learn_beside_it() -> None:
    with pytest.raises(ValueError, match="made for another game"):
        Search(GomokuPosition(15, 15, 0), TranspositionTable(1), Signals(), None, search_beside(None))
