"""The rules that end a game of Xiangqi without mate or stalemate, and their names: docs/repetition.md.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from search_core.levels import choice_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping

COMPUTER = "Computer"
RULE_SETS = (COMPUTER, "Asian", "Chinese", "Draw")
"""What a third occurrence of a position means, in the order of RuleSet in rules.pxd."""
RULE_SPELLINGS = {f"{name.lower()}{blank}rule": name for name in RULE_SETS for blank in ("", " ")} | {
    "alwaysdraw": "Draw"
}
"""Other names that hosts use, in lower case."""

QUIET_LIMIT = 120
"""Plies without a capture that draw the game."""
QUIET_LIMITS = {"120": 120, "100": 100, "none": None}
"""What the option may be, and plies; None: no number draws."""
MOVE_SPELLINGS = {"60": "120", "50": "100", "0": "none"}
"""Old hosts count moves of both sides."""
PIKAFISH_LIMITS = ("120", "100")
"""What Pikafish's option `Rule60MaxPly`, which counts plies, may be here."""


def add_rule_arguments(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Declare the options of a command that judges games; None if they are not given."""
    parser.add_argument(
        "--repetition-rule",
        type=_one_of(RULE_SETS, RULE_SPELLINGS),
        metavar="RULE",
        help=f"Xiangqi's rule on repeated positions: {', '.join(RULE_SETS)} (default {COMPUTER})",
    )
    parser.add_argument(
        "--quiet-limit",
        type=_one_of(QUIET_LIMITS, {}),
        metavar="PLIES",
        help=f"plies of Xiangqi without a capture that draw: {', '.join(QUIET_LIMITS)} (default {QUIET_LIMIT})",
    )


def rules_of(args: argparse.Namespace) -> tuple[str, int | None]:
    """The rule set and the limit of quiet plies that the options say."""
    return args.repetition_rule or COMPUTER, QUIET_LIMITS[args.quiet_limit or str(QUIET_LIMIT)]


def _one_of(choices: Iterable[str], spellings: Mapping[str, str]) -> Callable[[str], str]:
    """The type of an option that takes one of the choices."""
    return choice_argument(
        {choice.lower(): choice for choice in choices} | dict(spellings), f"one of {', '.join(choices)}"
    )
