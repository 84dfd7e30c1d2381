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

    return chances(score, position).expected_score


_ROWS = (
    # elo, nodes, depth, width, blind, quiescence, solver, window, root depth, prejudice, sees captures, careless
    (0, 30, 1, 6, 500, 1, 0, 670, 1, 900, 0, 955),
    (185, 49, 1, 6, 495, 1, 0, 400, 1, 900, 0, 665),
    (430, 79, 1, 6, 490, 1, 0, 245, 1, 900, 0, 410),
    (625, 129, 1, 6, 490, 1, 0, 800, 1, 900, 1, 480),
    (850, 209, 1, 6, 455, 1, 0, 300, 1, 420, 2, 120),
    (1050, 339, 1, 7, 415, 2, 0, 140, 1, 400, 2, 0),
    (1205, 550, 1, 6, 413, 2, 0, 900, 2, 395, 2, 0),
    (1420, 892, 1, 7, 410, 2, 0, 999, 3, 380, 2, 0),
    (1515, 1449, 2, 8, 380, 4, 0, 470, 3, 330, 2, 0),
    (1625, 2352, 3, 9, 305, 6, 0, 145, 3, 260, 2, 0),
    (1800, 3820, 3, 12, 270, 8, 0, 0, 0, 225, 2, 0),
    (1930, 6202, 4, 13, 220, 10, 0, 0, 0, 195, 2, 0),
    (2170, 10072, 6, 15, 185, 0, 0, 0, 0, 175, 2, 0),
    (2295, 16355, 7, 18, 160, 0, 0, 0, 0, 150, 2, 0),
    (2530, 26557, 9, 22, 135, 0, 0, 0, 0, 130, 2, 0),
    (2750, 43124, 0, 0, 115, 0, 0, 0, 0, 110, 2, 0),
    (2870, 70025, 0, 0, 85, 0, 0, 0, 0, 85, 2, 0),
    (2980, 113707, 0, 0, 55, 0, 0, 0, 0, 55, 2, 0),
    (3080, 184700, 0, 0, 25, 0, 0, 0, 0, 25, 2, 0),
    (3170, 300000, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0),
)

LEVELS = tuple(Level(number, elo, _points, *row) for number, (elo, *row) in enumerate(_ROWS, 1))
"""From 1 to 20."""
