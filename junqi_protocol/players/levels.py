"""Who plays: the levels by name, and the scale from 1 to 20. docs/junqi-player.md says what the figures do to the play.

"search" looks ahead: searching.py. So do the levels from 1 to 20, less well. The other levels do not: players.py.
"expect" is stronger than "path", but takes longer. If its time is too short to estimate probabilities, it plays like
"greedy".
"""

from __future__ import annotations

from typing import NamedTuple

from search_core.levels import FULL, LEVEL_COUNT, NUMBERS, level_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SEARCH = "search"
LEVELS = (SEARCH, "path", "expect", "greedy", "events", "random")
"""The levels by name; the first is the default."""
CHOICES = (*LEVELS, *reversed(NUMBERS))
"""All levels."""
SPELLINGS = {FULL: SEARCH}
"""Other names of levels."""
HASH_MB = 16
"""Default size of the transposition table of the level "search", in megabytes."""

_MIN_NODES, _MAX_NODES = 30, 300_000
_SIGHT = (
    0.0, 0.236, 0.261, 0.289, 0.312, 0.335, 0.37, 0.424, 0.475, 0.522,
    0.563, 0.594, 0.626, 0.668, 0.738, 0.793, 0.845, 0.897, 0.948, 1.0,
)  # fmt: skip
"""How well each level sees the game. training/sanqi_training/level_curve.py places them in even steps of strength."""
_MAX_OVERLOOKED = 1.3
"""Of level 1. Above 1, even moves that are easy to see are overlooked nearly always."""


class Weakness(NamedTuple):
    """How a level from 1 to 20 plays worse than the search. A share is from 0 to 1."""

    nodes: int
    blur: float
    """The share of each belief that is replaced by equal probabilities."""
    overlooked: float
    """How often a move is overlooked that is hard to see, such as an engineer's that turns on the rails."""
    memory: int
    """For how many plies it remembers what a clash has shown; 0: for the whole game."""
    prejudice: float
    """How much too high or low the terms of the evaluation are weighed, at most."""


def sight(number: int) -> float:
    """How well a level from 1 to 20 sees the game, from 0 to 1."""
    return _SIGHT[number - 1]


def _weakness(number: int) -> Weakness:
    up = sight(number)
    down = _MAX_OVERLOOKED * (1 - up)
    return Weakness(
        nodes=round(_MIN_NODES * (_MAX_NODES / _MIN_NODES) ** up),
        blur=round(min(down, 1), 3),
        overlooked=round(down, 3),
        memory=round(8 + 150 * up) if number < LEVEL_COUNT else 0,
        prejudice=round(0.5 * down, 3),
    )


WEAKNESSES = {name: _weakness(int(name)) for name in NUMBERS}
"""By the level's name."""


def read_level(text: str) -> str:
    """The type of an option that takes a level."""
    name = level_argument(*CHOICES, *SPELLINGS)(text)
    return SPELLINGS.get(name, name)


def add_level(parser: argparse.ArgumentParser) -> None:
    """Declare the option --level of a command."""
    parser.add_argument(
        "--level",
        type=read_level,
        default=SEARCH,
        metavar="LEVEL",
        help=f"who plays: {LEVELS_HELP} (default %(default)s)",
    )


LEVELS_HELP = f"1 (a beginner) to {LEVEL_COUNT}, {', '.join(LEVELS[:-1])} or {LEVELS[-1]}"
