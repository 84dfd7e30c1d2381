"""The names of the levels; the first is the default. players.py says what each does.

"expect" is stronger than "path", but takes longer and does not keep to a short time: up to a second a move where it
has to estimate probabilities.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

LEVELS = ("path", "expect", "greedy", "events", "random")


def add_level(parser: argparse.ArgumentParser) -> None:
    """Declare the option --level of a command."""
    parser.add_argument("--level", choices=LEVELS, default=LEVELS[0], help="who plays (default %(default)s)")
