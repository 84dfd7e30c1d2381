"""What the games of a review have in common: typical mistakes by phase, opening, player and time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from game_core.review import PHASES
from game_review.review_figures import figures_of

_WORST = 10
_TIMES = ((5_000, "under 5 s"), (15_000, "5 to 15 s"), (60_000, "15 to 60 s"), (None, "a minute and more"))
"""Thinking times: the least milliseconds that are not in a group any more, and its name."""


def summary_of(games: Sequence[Mapping[str, Any]], errors: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The summary of the games of a document that are complete."""
    whole = [(index, game) for index, game in enumerate(games) if game["complete"]]
    groups: dict[str, dict[str, list[Mapping[str, Any]]]] = {
        "byPhase": {},
        "byOpening": {},
        "byPlayer": {},
        "byTime": {},
    }
    numbers: dict[str, dict[str, set[int]]] = {name: defaultdict(set) for name in groups}
    worst = []
    for index, game in whole:
        players = dict(zip(game["players"], game["names"]))
        for ply in _moves(game):
            of = {
                "byPhase": ply["phase"],
                "byOpening": game["opening"],
                "byPlayer": players[ply["side"]],
                "byTime": _time_name(ply["spentMs"]),
            }
            for group, name in of.items():
                if name:
                    groups[group].setdefault(name, []).append(ply)
                    numbers[group][name].add(index)
            if ply["mark"] is not None:
                of_ply = {name: ply[name] for name in ("ply", "side", "name", "loss", "mark")}
                worst.append({"game": index + 1, **of_ply})
    names = (*PHASES, *(name for _, name in _TIMES))
    found: dict[str, Any] = {
        group: {
            name: {"games": len(numbers[group][name]), **figures_of(plies)}
            for name, plies in sorted(of.items(), key=lambda each: _order(each[0], each[1], names))
        }
        for group, of in groups.items()
    }
    plies = [ply for _, game in whole for ply in _moves(game)]
    return {
        "games": len(games),
        "complete": len(whole),
        "errors": len(errors),
        **figures_of(plies),
        **found,
        "worst": sorted(worst, key=lambda each: (-each["loss"], each["game"], each["ply"]))[:_WORST],
    }


def _moves(game: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The plies without skipped turns and seats that left the game, of which there is nothing to judge."""
    return [ply for ply in game["plies"] if ply["loss"] is not None]


def _time_name(spent_ms: int | None) -> str:
    if spent_ms is None:
        return ""
    return next(name for least, name in _TIMES if least is None or spent_ms < least)


def _order(name: str, plies: Iterable[Any], names: Sequence[str]) -> tuple[int, int, str]:
    """Phases and times in their own order, the others by the number of their moves."""
    return (names.index(name), 0, "") if name in names else (0, -len(list(plies)), name)
