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
    (0, 30, 1, 6, 450, 1, 1, 260, 1, 400, False),
    (100, 49, 1, 6, 420, 1, 1, 200, 1, 380, False),
    (200, 79, 1, 7, 390, 2, 1, 150, 1, 360, False),
    (300, 129, 2, 7, 360, 2, 1, 120, 1, 340, True),
    (400, 209, 2, 8, 330, 3, 1, 95, 2, 320, True),
    (500, 339, 2, 8, 300, 4, 3, 75, 2, 290, True),
    (600, 550, 3, 9, 270, 5, 3, 58, 2, 260, True),
    (700, 892, 3, 10, 240, 6, 3, 42, 2, 230, True),
    (800, 1449, 4, 12, 215, 7, 5, 28, 3, 200, True),
    (900, 2352, 5, 14, 190, 8, 5, 15, 3, 180, True),
    (1000, 3820, 6, 16, 165, 0, 7, 0, 0, 160, True),
    (1100, 6202, 0, 0, 140, 0, 7, 0, 0, 140, True),
    (1200, 10072, 0, 0, 115, 0, 9, 0, 0, 120, True),
    (1300, 16355, 0, 0, 95, 0, 9, 0, 0, 100, True),
    (1400, 26557, 0, 0, 75, 0, 11, 0, 0, 80, True),
    (1500, 43124, 0, 0, 55, 0, 13, 0, 0, 60, True),
    (1600, 70025, 0, 0, 40, 0, 15, 0, 0, 40, True),
    (1700, 113707, 0, 0, 25, 0, 17, 0, 0, 20, True),
    (1800, 184700, 0, 0, 12, 0, 21, 0, 0, 0, True),
    (1900, 300000, 0, 0, 0, 0, 0, 0, 0, 0, True),
)

LEVELS = tuple(
    Level(number, elo, _points, nodes, depth, width, blind, quiescence, solver, window, root_depth, prejudice, captures)
    for number, (
        elo,
        nodes,
        depth,
        width,
        blind,
        quiescence,
        solver,
        window,
        root_depth,
        prejudice,
        captures,
    ) in enumerate(_ROWS, 1)
)
"""From 1 to 20."""
