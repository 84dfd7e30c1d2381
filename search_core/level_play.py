"""A search below full strength.

It has nothing from the searches before but the plan that it followed: a table and histories of its own. So the same
seed and the same game give the same moves, whatever else was searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from search_core.search import Search
from search_core.thinker import Info, Result
from search_core.transposition_table import TranspositionTable

if TYPE_CHECKING:
    from search_core.game import Game
    from search_core.levels import Level
    from search_core.signals import Signals
    from search_core.thinker import Limits

LARGEST_SHOWN = 2000
"""Centipawns: a score beyond it, also a mate, is shown as this."""

_NODES_PER_MB = 30_000  # of a table


class Choice(NamedTuple):
    """The move of a level, and the line that it expects."""

    result: Result
    plan: int | None
    """The move that it means to play next."""


def search_at_level(game: Game, level: Level, limits: Limits, signals: Signals, plan: int | None) -> Choice:
    """Search a position, which this uses as its scratch board."""
    search = Search(game, TranspositionTable(1 + level.nodes // _NODES_PER_MB), signals)
    search.depth_limit = min(limits.depth or 127, level.depth or 127)
    search.node_limit = min(limits.nodes or level.nodes, level.nodes)
    search.hard_ns = limits.hard_ms * 1_000_000
    search.draw_score = limits.draw_score
    if not search.init_root_moves(limits.root_moves, limits.excluded_moves):
        return Choice(Result(None, None, 0, 0, 0, signals.elapsed_ms, ()), None)
    search.run()
    score, pv = search.lines()[0]
    score = max(min(score, LARGEST_SHOWN), -LARGEST_SHOWN)
    depth, nodes, time_ms = search.completed_depth, search.nodes, signals.elapsed_ms
    line = Info(depth, depth, 1, score, "exact", nodes, time_ms, nodes * 1000 // max(time_ms, 1), 0, pv)
    ponder = pv[1] if len(pv) > 1 else None
    return Choice(Result(pv[0], ponder, score, depth, nodes, time_ms, (line,)), pv[2] if len(pv) > 2 else None)
