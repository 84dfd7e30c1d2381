"""The levels of Gomoku. docs/levels.md says what the figures mean and how they were found.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from search_core.levels import Level, choices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gomoku_protocol.position import Position

WEIGHTS = "weights"
"""The player that weighs points and knows no look-ahead."""

CHOICES = choices(WEIGHTS)
"""The values of the options `level` and `--level`."""


def _points(score: int, position: Position) -> float:
    from gomoku_protocol.win_probability import chances

    odds = chances(score, position)
    return odds.win + odds.draw / 2


_NODES = [round(30 * 10 ** (4 * number / 19)) for number in range(20)]

LEVELS = tuple(Level(number=n + 1, elo=100 * n, points=_points, nodes=nodes) for n, nodes in enumerate(_NODES))
"""From 1 to 20."""
