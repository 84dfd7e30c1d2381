"""Win and loss from a score of Junqi's search, which is a win probability on another scale. docs/win-probability.md
explains it."""

from __future__ import annotations

from search_core.win_probability import Chances

_SURE_SCORE = 20_000


def chances(score_cp: int) -> Chances:
    """The chances of the team to move. A draw is not told apart: it is half a win and half a loss."""
    win = (1 + max(-1.0, min(score_cp / _SURE_SCORE, 1.0))) / 2
    return Chances(win, 0.0, 1 - win)
