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
    # elo, nodes, depth, width, blind, quiescence, solver, window, root depth, prejudice, sees captures
    (0, 30, 1, 6, 450, 1, 0, 260, 1, 400, 0),
    (180, 49, 1, 6, 430, 1, 0, 200, 1, 380, 0),
    (350, 79, 1, 7, 410, 2, 0, 150, 1, 360, 0),
    (540, 129, 2, 7, 390, 2, 0, 148, 1, 340, 1),
    (795, 209, 2, 8, 353, 3, 0, 101, 1, 320, 1),
    (1025, 339, 2, 8, 312, 4, 0, 78, 2, 290, 1),
    (1195, 550, 3, 9, 288, 5, 0, 70, 2, 260, 1),
    (1385, 892, 3, 10, 240, 6, 0, 40, 2, 225, 1),
    (1625, 1449, 4, 12, 203, 7, 0, 22, 3, 192, 1),
    (1860, 2352, 5, 14, 192, 8, 0, 16, 3, 182, 1),
    (2030, 3820, 6, 16, 165, 0, 0, 0, 0, 160, 1),
    (2250, 6202, 0, 0, 140, 0, 0, 0, 0, 140, 1),
    (2460, 10072, 0, 0, 115, 0, 0, 0, 0, 120, 1),
    (2610, 16355, 0, 0, 95, 0, 0, 0, 0, 100, 1),
    (2720, 26557, 0, 0, 75, 0, 0, 0, 0, 80, 1),
    (2830, 43124, 0, 0, 55, 0, 0, 0, 0, 60, 1),
    (2930, 70025, 0, 0, 40, 0, 0, 0, 0, 40, 1),
    (3030, 113707, 0, 0, 25, 0, 0, 0, 0, 20, 1),
    (3120, 184700, 0, 0, 12, 0, 0, 0, 0, 0, 1),
    (3210, 300000, 0, 0, 0, 0, 0, 0, 0, 0, 1),
)

LEVELS = tuple(Level(number, elo, _points, *row) for number, (elo, *row) in enumerate(_ROWS, 1))
"""From 1 to 20."""
