"""The levels of a game: one scale from 1 to 20, then full strength, the same in every protocol.

Each game has a table of its own, a tuple of Level from 1 to 20. docs/levels.md says what the fields do to the play.
Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

from search_core.fields import Fields
from search_core.line_protocol import excerpt, series
from search_core.parts import load_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

FULL = "full"
"""The choice that is no level."""
LEVEL_COUNT = 20
NUMBERS = tuple(str(number) for number in range(1, LEVEL_COUNT + 1))
FULL_SKILL = LEVEL_COUNT
"""UCI's `Skill Level` that is full strength; n below it is level n + 1."""
FULL_STRENGTH = 100
"""Of a strength from 0 to 100, full strength."""


class Level(Fields):
    """How one level plays. What is 0 takes nothing away."""

    number: int
    elo: int
    """Its place on the game's scale, where level 1 is at 0."""
    curve: str
    """What gives the chances at a score in a position, ``package.module:name``."""
    nodes: int
    depth: int = 0
    """Plies."""
    width: int = 0
    """Quiet moves that a node looks at."""
    blind_permille: int = 0
    """How often the move that is hardest to see is overlooked."""
    quiescence_plies: int = 0
    """How many plies beyond the depth of the iteration captures are followed."""
    solver_plies: int = 0
    """The longest win that the game's own solver sees."""
    root_window: int = 0
    """How much expected score the move that is chosen may lose, in permille."""
    root_depth: int = 1
    """Plies of the search that compares the moves within the root window."""
    prejudice_permille: int = 0
    """How much too high or low the terms of the evaluation are weighed, at most."""
    sees_captures: int = 0
    """It sees every capture that wins material at once: 1 the opponent's, 2 also its own."""
    careless_permille: int = 0
    """How often it overlooks any move, captures and mates too; own moves half as often."""
    careful: int = 0
    """1: the search that compares the root moves overlooks nothing, and no move is played that loses much by it."""
    unrelated_permille: int = 0
    """How often it overlooks a move that has nothing to do with what is on the board."""

    def points(self, score: int, position: Any) -> float:
        """The expected score, 0 to 1, of a search's score in a position."""
        points: float = load_part(self.curve)(score, position).expected_score
        return points

    @property
    def name(self) -> str:
        return str(self.number)


def levels_of(rows: Iterable[Sequence[int]], curve: str) -> tuple[Level, ...]:
    """The levels from 1 on. A row has the fields from `elo` on, but for the curve."""
    return tuple(Level(number, elo, curve, *row) for number, (elo, *row) in enumerate(rows, 1))


def choices(*others: str) -> tuple[str, ...]:
    """The values of an option that takes a level: `full`, `others`, and 20 to 1."""
    return (FULL, *others, *reversed(NUMBERS))


def by_name(levels: Sequence[Level], name: str) -> Level | None:
    """The level of a choice; None: it is no number."""
    return levels[int(name) - 1] if name in NUMBERS else None


def by_skill(levels: Sequence[Level], skill: int) -> Level | None:
    """The level of UCI's `Skill Level`, from 0; None: full strength."""
    return levels[skill] if skill < FULL_SKILL else None


def by_strength(levels: Sequence[Level], strength: int) -> Level | None:
    """The level of a strength from 0 to 100, linear; None: full strength."""
    return levels[strength * LEVEL_COUNT // FULL_STRENGTH] if strength < FULL_STRENGTH else None


def by_elo(levels: Sequence[Level], elo: int) -> Level:
    """The level that is nearest to an Elo figure of the game's scale."""
    return min(levels, key=lambda level: abs(level.elo - elo))


def level_argument(*names: str) -> Callable[[str], str]:
    """The type of a command's option that takes one of these names; argparse shows its error."""
    expected = series([f"1 to {LEVEL_COUNT}", *(name for name in names if name not in NUMBERS)])
    return choice_argument(dict(zip(names, names)), expected)


def choice_argument(choices: Mapping[str, str], expected: str) -> Callable[[str], str]:
    """The type of a command's option that takes one of these texts, in any case, and gives what it stands for."""

    def read(text: str) -> str:
        if text.lower() not in choices:
            from argparse import ArgumentTypeError

            raise ArgumentTypeError(f"expected {expected}, got {excerpt(text)}")
        return choices[text.lower()]

    return read
