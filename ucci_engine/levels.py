"""The levels of Xiangqi. docs/levels.md says what the figures mean and how they were found.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from search_core.levels import choices, levels_of

CLASSIC_1PLY = "classic-1ply"
CLASSIC_4PLY = "classic-4ply"
CLASSIC_PLAYERS = (CLASSIC_1PLY, CLASSIC_4PLY)
"""The names of the classic players (classic.pyx)."""

CHOICES = choices(CLASSIC_4PLY, CLASSIC_1PLY)
"""The values of the options `Level`, `level` and `--level`."""


_ROWS = (
    # elo, nodes, depth, width, blind, quiescence, solver, window, root depth, prejudice, captures, careless, careful
    (0, 30, 1, 6, 500, 1, 0, 670, 1, 900, 0, 955),
    (240, 49, 1, 6, 495, 1, 0, 400, 1, 900, 0, 640),
    (475, 79, 1, 6, 490, 1, 0, 245, 1, 900, 0, 400),
    (715, 129, 1, 6, 490, 1, 0, 800, 1, 900, 1, 535),
    (930, 209, 1, 6, 450, 1, 0, 220, 1, 410, 2, 55),
    (1095, 339, 1, 7, 415, 2, 0, 120, 1, 400, 2, 0),
    (1305, 550, 1, 7, 380, 2, 0, 220, 2, 395, 2, 0),
    (1505, 892, 1, 5, 375, 2, 0, 9000, 3, 900, 2, 0, 1),
    (1680, 1449, 2, 9, 360, 4, 0, 280, 3, 330, 2, 0, 1),
    (1875, 2352, 3, 10, 290, 6, 0, 115, 3, 250, 2, 0, 1),
    (2060, 3820, 3, 12, 270, 8, 0, 0, 3, 225, 2, 0, 1),
    (2185, 6202, 4, 13, 220, 10, 0, 0, 3, 195, 2, 0, 1),
    (2425, 10072, 6, 15, 185, 0, 0, 0, 3, 175, 2, 0, 1),
    (2555, 16355, 7, 18, 160, 0, 0, 0, 3, 150, 2, 0, 1),
    (2810, 26557, 9, 22, 135, 0, 0, 0, 3, 130, 2, 0, 1),
    (3045, 43124, 0, 0, 115, 0, 0, 0, 3, 110, 2, 0, 1),
    (3215, 70025, 0, 0, 85, 0, 0, 0, 3, 85, 2, 0, 1),
    (3355, 113707, 0, 0, 55, 0, 0, 0, 3, 55, 2, 0, 1),
    (3490, 184700, 0, 0, 25, 0, 0, 0, 3, 25, 2, 0, 1),
    (3620, 50000, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0),
)

LEVELS = levels_of(_ROWS, "ucci_engine.win_probability:chances")
"""From 1 to 20."""
