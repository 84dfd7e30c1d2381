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


_ROWS = (
    # elo, nodes, depth, width, blind, quiescence, solver, window, root depth, prejudice, sees captures
    (0, 30, 1, 5, 500, 1, 1, 330, 1, 400, 0),
    (165, 49, 1, 5, 470, 1, 1, 205, 1, 380, 0),
    (425, 79, 1, 5, 464, 2, 2, 318, 1, 368, 0),
    (675, 129, 2, 6, 428, 2, 2, 138, 1, 340, 2),
    (840, 209, 2, 7, 350, 3, 2, 88, 1, 320, 2),
    (1030, 339, 2, 7, 350, 4, 3, 112, 2, 290, 2),
    (1100, 550, 3, 8, 278, 5, 3, 33, 2, 245, 2),
    (1225, 892, 3, 9, 254, 6, 3, 22, 2, 225, 2),
    (1350, 1449, 4, 10, 230, 7, 5, 14, 3, 200, 2),
    (1410, 2352, 5, 12, 158, 8, 7, 4, 3, 150, 2),
    (1515, 3820, 6, 14, 128, 0, 9, 0, 0, 130, 2),
    (1680, 6202, 0, 0, 98, 0, 13, 0, 0, 110, 2),
    (1745, 10072, 0, 0, 74, 0, 15, 0, 0, 100, 2),
    (1805, 16355, 0, 0, 52, 0, 17, 0, 0, 80, 2),
    (1885, 26557, 0, 0, 35, 0, 19, 0, 0, 60, 2),
    (1965, 43124, 0, 0, 22, 0, 21, 0, 0, 45, 2),
    (2045, 70025, 0, 0, 13, 0, 25, 0, 0, 30, 2),
    (2125, 113707, 0, 0, 7, 0, 31, 0, 0, 15, 2),
    (2205, 184700, 0, 0, 3, 0, 41, 0, 0, 0, 2),
    (2290, 300000, 0, 0, 0, 0, 0, 0, 0, 0, 2),
)

LEVELS = tuple(Level(number, elo, _points, *row) for number, (elo, *row) in enumerate(_ROWS, 1))
"""From 1 to 20."""
