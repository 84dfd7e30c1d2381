"""The levels of Xiangqi. docs/levels.md says what the figures mean and how they were found.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from search_core.levels import Level, choices
from ucci_engine.classic_names import CLASSIC_1PLY, CLASSIC_4PLY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ucci_engine.position import Position

CHOICES = choices(CLASSIC_4PLY, CLASSIC_1PLY)
"""The values of the options `Level`, `level` and `--level`."""


def _points(score: int, position: Position) -> float:
    from ucci_engine.win_probability import chances

    odds = chances(score, position)
    return odds.win + odds.draw / 2


_ROWS = (
    # elo, nodes, depth, width, blind, quiescence, solver, window, root depth, prejudice, sees captures, careless
    (0, 30, 1, 6, 500, 1, 0, 670, 1, 900, 0, 955),
    (230, 49, 1, 6, 495, 1, 0, 400, 1, 900, 0, 690),
    (455, 79, 1, 6, 490, 1, 0, 245, 1, 900, 0, 410),
    (680, 129, 1, 6, 490, 1, 0, 800, 1, 900, 1, 480),
    (850, 209, 1, 6, 455, 1, 0, 300, 1, 420, 2, 120),
    (1020, 339, 1, 7, 415, 2, 0, 155, 1, 370, 2, 0),
    (1235, 550, 2, 8, 385, 2, 0, 270, 2, 340, 2, 0),
    (1485, 892, 2, 8, 360, 3, 0, 140, 2, 320, 2, 0),
    (1625, 1449, 2, 9, 310, 5, 0, 75, 2, 280, 2, 0),
    (1845, 2352, 3, 10, 285, 8, 0, 52, 2, 250, 2, 0),
    (2010, 3820, 3, 12, 245, 8, 0, 0, 0, 220, 2, 0),
    (2140, 6202, 4, 13, 215, 10, 0, 0, 0, 195, 2, 0),
    (2340, 10072, 6, 15, 185, 0, 0, 0, 0, 175, 2, 0),
    (2470, 16355, 7, 18, 160, 0, 0, 0, 0, 150, 2, 0),
    (2620, 26557, 9, 22, 135, 0, 0, 0, 0, 130, 2, 0),
    (2750, 43124, 0, 0, 115, 0, 0, 0, 0, 110, 2, 0),
    (2870, 70025, 0, 0, 85, 0, 0, 0, 0, 85, 2, 0),
    (2980, 113707, 0, 0, 55, 0, 0, 0, 0, 55, 2, 0),
    (3080, 184700, 0, 0, 25, 0, 0, 0, 0, 25, 2, 0),
    (3170, 300000, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0),
)

LEVELS = tuple(Level(number, elo, _points, *row) for number, (elo, *row) in enumerate(_ROWS, 1))
"""From 1 to 20."""
