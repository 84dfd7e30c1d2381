"""What the games of a review have in common: typical mistakes by phase, opening, player and time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from game_core.review import PHASES
from game_review.review_document import GameReport, Group, Ply, Summary, Worst, figures_of

_WORST = 10
_TIMES = ((5_000, "under 5 s"), (15_000, "5 to 15 s"), (60_000, "15 to 60 s"), (None, "a minute and more"))
"""Thinking times: the least milliseconds that are not in a group any more, and its name."""
_ORDERED = (*PHASES, *(name for _, name in _TIMES))


def summary_of(games: Sequence[GameReport], errors: int) -> Summary:
    """The summary of the games of a document that are complete. `errors`: how many could not be reviewed."""
    moves: list[Ply] = []
    groups: list[dict[str, list[tuple[int, Ply]]]] = [defaultdict(list) for _ in range(4)]
    worst = []
    for number, game in enumerate(games, 1):
        players = dict(zip(game.players, game.names))
        for ply in game.plies if game.complete else ():
            if ply.loss is None:  # a turn was skipped, or a seat left the game: there is nothing to judge
                continue
            moves.append(ply)
            names = (ply.phase, game.opening, players[ply.side], _time_name(ply.spent_ms))
            for group, name in zip(groups, names):
                if name:
                    group[name].append((number, ply))
            if ply.mark is not None:
                worst.append(Worst(number, ply.ply, ply.side, ply.name, ply.loss, ply.mark))
    worst.sort(key=lambda each: (-each.loss, each.game, each.ply))
    by_phase, by_opening, by_player, by_time = map(_groups, groups)
    complete = sum(game.complete for game in games)
    figures = figures_of(moves)
    return Summary(len(games), complete, errors, figures, by_phase, by_opening, by_player, by_time, worst[:_WORST])


def _groups(moves: dict[str, list[tuple[int, Ply]]]) -> dict[str, Group]:
    groups = {
        name: Group(len({game for game, _ in found}), figures_of(ply for _, ply in found))
        for name, found in moves.items()
    }
    return dict(sorted(groups.items(), key=_order))


def _time_name(spent_ms: int | None) -> str:
    if spent_ms is None:
        return ""
    return next(name for least, name in _TIMES if least is None or spent_ms < least)


def _order(group: tuple[str, Group]) -> tuple[int, int, str]:
    """Phases and times in their own order, the others by the number of their moves."""
    name, found = group
    return (_ORDERED.index(name), 0, "") if name in _ORDERED else (0, -found.figures.moves, name)
