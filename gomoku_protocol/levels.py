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

    return chances(score, position).expected_score


_ROWS = (
    # elo, nodes, depth, width, blind, quiescence, solver, window, root depth, prejudice, sees captures
    (0, 30, 1, 5, 500, 1, 1, 250, 1, 400, 0),
    (110, 38, 1, 5, 480, 1, 1, 140, 1, 385, 0),
    (270, 49, 1, 5, 470, 1, 2, 260, 1, 375, 0),
    (370, 79, 1, 5, 450, 2, 3, 390, 1, 360, 2),
    (500, 129, 1, 6, 420, 2, 3, 243, 1, 335, 2),
    (745, 180, 2, 7, 395, 3, 3, 205, 1, 320, 2),
    (885, 250, 2, 7, 365, 3, 3, 135, 2, 300, 2),
    (990, 360, 3, 7, 345, 4, 3, 133, 2, 285, 2),
    (1140, 1150, 3, 9, 220, 6, 3, 12, 2, 210, 2),
    (1310, 2000, 5, 12, 185, 7, 5, 6, 3, 175, 2),
    (1455, 2800, 6, 13, 155, 0, 7, 0, 0, 150, 2),
    (1555, 4300, 0, 0, 122, 0, 11, 0, 0, 125, 2),
    (1725, 10000, 0, 0, 76, 0, 15, 0, 0, 100, 2),
    (1820, 16000, 0, 0, 54, 0, 17, 0, 0, 80, 2),
    (1960, 32000, 0, 0, 30, 0, 20, 0, 0, 55, 2),
    (2040, 42500, 0, 0, 23, 0, 22, 0, 0, 46, 2),
    (2120, 58000, 0, 0, 16, 0, 24, 0, 0, 36, 2),
    (2190, 91500, 0, 0, 9, 0, 29, 0, 0, 22, 2),
    (2290, 153000, 0, 0, 4, 0, 36, 0, 0, 6, 2),
    (2415, 300000, 0, 0, 0, 0, 0, 0, 0, 0, 2),
)

LEVELS = tuple(Level(number, elo, _points, *row) for number, (elo, *row) in enumerate(_ROWS, 1))
"""From 1 to 20."""
