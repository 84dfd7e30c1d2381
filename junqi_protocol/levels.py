"""The names of the levels; the first is the default.

"search" looks ahead: searching.py. The others do not: players.py. "expect" is stronger than "path", but takes longer.
If its time is too short to estimate probabilities, it plays like "greedy".
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SEARCH = "search"
LEVELS = (SEARCH, "path", "expect", "greedy", "events", "random")
HASH_MB = 16
"""Default size of the transposition table of the level "search", in megabytes."""


def add_level(parser: argparse.ArgumentParser) -> None:
    """Declare the option --level of a command."""
    parser.add_argument("--level", choices=LEVELS, default=LEVELS[0], help="who plays (default %(default)s)")
