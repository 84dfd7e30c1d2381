"""The levels of Gomoku. docs/levels.md says what the figures mean and how they were found.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from search_core.levels import choices, levels_of

WEIGHTS = "weights"
"""The player that weighs points and knows no look-ahead."""

CHOICES = choices(WEIGHTS)
"""The values of the options `level` and `--level`."""


_ROWS = (
    # elo, nodes, depth, width, blind, quiescence, solver, window, root depth, prejudice, sees captures;
    # then careless, careful, unrelated. The levels were calibrated without prejudices.
    (0, 30, 1, 5, 500, 1, 1, 250, 1, 0, 0),
    (185, 38, 1, 5, 480, 1, 1, 140, 1, 0, 0, 0, 0, 900),
    (355, 49, 1, 5, 470, 1, 2, 260, 1, 0, 0, 0, 0, 1000),
    (480, 79, 1, 5, 450, 2, 3, 450, 1, 0, 2, 0, 0, 900),
    (610, 129, 1, 6, 420, 2, 3, 243, 1, 0, 2, 0, 0, 900),
    (850, 180, 2, 7, 395, 3, 3, 205, 1, 0, 2),
    (990, 250, 2, 7, 365, 3, 3, 135, 2, 0, 2),
    (1095, 360, 3, 7, 345, 4, 3, 133, 2, 0, 2),
    (1245, 1150, 3, 9, 220, 6, 3, 12, 2, 0, 2),
    (1415, 2000, 5, 12, 185, 7, 5, 6, 3, 0, 2),
    (1560, 2800, 6, 13, 155, 0, 7, 0, 0, 0, 2),
    (1660, 4300, 0, 0, 122, 0, 11, 0, 0, 0, 2),
    (1735, 7300, 0, 0, 93, 0, 13, 0, 0, 0, 2),
    (1830, 12500, 0, 0, 66, 0, 16, 0, 0, 0, 2),
    (1950, 21300, 0, 0, 44, 0, 18, 0, 0, 0, 2),
    (2030, 35000, 0, 0, 28, 0, 21, 0, 0, 0, 2),
    (2100, 55000, 0, 0, 18, 0, 23, 0, 0, 0, 2),
    (2225, 91000, 0, 0, 9, 0, 28, 0, 0, 0, 2),
    (2345, 163000, 0, 0, 4, 0, 36, 0, 0, 0, 2),
    (2445, 300000, 0, 0, 0, 0, 0, 0, 0, 0, 2),
)

LEVELS = levels_of(_ROWS, "gomoku_protocol.win_probability:chances")
"""From 1 to 20."""
