"""A search below full strength: docs/levels.md.

It has a table and histories of its own. From the searches before, it has only the plan that was made for this position,
before the opponent's move. So the same seed and the same game, played through, give the same moves.
"""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from search_core.game import MATE
from search_core.thinker import Info, Result
from search_core.transposition_table import TranspositionTable
from search_core.weak_search import WeakSearch

if TYPE_CHECKING:
    from search_core.game import Game
    from search_core.levels import Level
    from search_core.signals import Signals
    from search_core.thinker import Limits

MAX_SHOWN = 2000
"""Centipawns: a score beyond it, also a mate, is shown as this."""

_NODES_PER_MB = 30_000  # of a table
_COMPARED_NODES = 20_000  # of the search that compares the root moves, at most
_SPREAD = 3  # window / temperature of the choice
_CP_PER_PERMILLE = 2  # of the root window: expected score alone says little in a position that is won or lost
_DEEP, _MAX_LOSS = 2, 250  # levels comparing at least this many plies choose no move that loses more centipawns
_PLAN_BONUS = 0.5  # of the root window, for the move that follows the plan
_MAX_PLANS = 1 << 16  # positions; a move adds those after each reply, at most some hundreds

Plans = dict[int, int]
"""The move that a level means to play, by the key of the position."""

Compared = tuple[int, bool, tuple[int, ...]]
"""Of a root move: its score, whether it loses material to a capture, and its line."""


class RootMove(NamedTuple):
    """A move that may be chosen."""

    score: int
    pv: tuple[int, ...]


def search_at_level(game: Game, level: Level, limits: Limits, signals: Signals, plans: Plans) -> Result:
    """Search a position, which this uses as its scratch board. It follows the plan of the last search, and adds its
    own."""
    position = game.copy()
    weaken(game, level, limits.seed)
    search = WeakSearch(game, TranspositionTable(1 + level.nodes // _NODES_PER_MB), signals)
    search.weaken(_handicap(level, limits))
    search.hard_ns = limits.hard_ms * 1_000_000
    search.draw_score = limits.draw_score
    if not search.init_root_moves(limits.root_moves, limits.excluded_moves):
        return Result(None, None, 0, 0, 0, signals.elapsed_ms, ())
    search.run()
    best = RootMove(*search.lines()[0])
    depth = search.completed_depth
    if level.root_window or level.careful:
        best = _choose(search, best, position, level, limits.seed, plans.get(position.key))
        _remember(plans, best, search)
    score = max(min(best.score, MAX_SHOWN), -MAX_SHOWN)
    nodes, time_ms = search.nodes, signals.elapsed_ms
    info = Info(depth, depth, 1, score, "exact", nodes, time_ms, nodes * 1000 // max(time_ms, 1), 0, best.pv)
    pv = (*best.pv, None)
    return Result(pv[0], pv[1], score, depth, nodes, time_ms, (info,))


def _remember(plans: Plans, line: RootMove, search: WeakSearch) -> None:
    """Plan the next move of a line, whatever the opponent replies."""
    keys = search.keys_after_replies(line.pv[0])
    if len(line.pv) > 2:
        if len(plans) > _MAX_PLANS:
            plans.clear()
        plans.update(dict.fromkeys(keys, line.pv[2]))
    else:
        for key in keys:
            plans.pop(key, None)


def weaken(game: Game, level: Level, seed: int) -> None:
    """Set what a level changes in the game itself: its solver, its evaluation and the width of the search."""
    game.weaken(level.solver_plies, seed, level.prejudice_permille)
    if level.width:
        # A node of any depth looks at as many quiet moves; the table's move and captures come before.
        game.tune({"lmp_base": 0, "lmp_power": 0, "lmp_minimum": level.width})


def _handicap(level: Level, limits: Limits) -> dict[str, int]:
    return {
        "seed": limits.seed,
        "nodes": min(limits.nodes or level.nodes, level.nodes),
        "depth": min(limits.depth or level.depth, level.depth) if level.depth else limits.depth,
        "blind_permille": level.blind_permille,
        "careless_permille": level.careless_permille,
        "unrelated_permille": level.unrelated_permille,
        "quiescence_plies": level.quiescence_plies,
        "sees_captures": level.sees_captures,
    }


def _choose(search: WeakSearch, best: RootMove, position: Game, level: Level, seed: int, plan: int | None) -> RootMove:
    """One of the moves that lose little against the best line, by chance: the less it loses, the likelier."""
    if best.score >= MATE - 1:
        return best
    found = search.compare(level.root_depth, _COMPARED_NODES, bool(level.careful))
    best, least = _corrected(best, found, search.completed_depth, level)
    if not level.root_window:
        return best
    window = level.root_window / 1000
    top = level.points(best.score, position)
    lines, weights = [], []
    for score, loses_material, pv in found:
        is_best = pv[0] == best.pv[0]
        line = best if is_best else RootMove(min(score, best.score), pv)
        if not is_best and (line.score < least or (loses_material and level.sees_captures)):
            continue
        loss = top - level.points(line.score, position)
        if loss > window:
            continue
        if pv[0] == plan:
            loss -= _PLAN_BONUS * window
        lines.append(line)
        weights.append(math.exp(-_SPREAD * loss / window))
    if len(lines) < 2:
        return best
    return Random(f"{seed} {position.key}").choices(lines, weights)[0]


def _corrected(best: RootMove, found: list[Compared], depth: int, level: Level) -> tuple[RootMove, int]:
    """The best line as the comparison `found` has it, if that saw more, and the score that other lines need. `depth`:
    of the search that found the best line."""
    most_loss = _CP_PER_PERMILLE * level.root_window
    if level.root_depth < _DEEP or not found:
        return best, best.score - most_loss
    score, _, pv = max(found, key=lambda one: one[0])
    least = score - _MAX_LOSS if level.careful else -MATE
    seen = next((one[0] for one in found if one[2][0] == best.pv[0]), score)
    if depth < level.root_depth or seen < least:
        best = RootMove(score, pv)
    return best, max(least, best.score - min(most_loss, _MAX_LOSS))
