"""What the enemies can conclude about the player's own pieces, from what all have seen.

An enemy knows its own piece in each clash; the player does not, and takes the mean over what that piece may have been.
"""

from __future__ import annotations

from junqi_protocol.knowledge.knowledge import A_FLAG, A_MINE, AN_ENGINEER, ANY_TYPE, NUMBERS, starting_types
from junqi_protocol.knowledge.marginals import scaled
from junqi_protocol.rules.geometry import HOME_POINTS
from junqi_protocol.rules.lineup import ENGINEER, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

_TYPES = range(ENGINEER, UNKNOWN)


def _row(types: int) -> list[float]:
    return [float(types >> kind & 1) for kind in range(UNKNOWN)]


class Exposure:
    """The weights by type that the enemies would give to each piece that the player is shown, by the point it began on.

    Parameters
    ----------
    homes : iterable of int
        Where the pieces began.
    """

    def __init__(self, homes: Sequence[int]) -> None:
        self._rows = {home: tuple(_row(starting_types(home % HOME_POINTS))) for home in homes}

    def __contains__(self, home: object) -> bool:
        return home in self._rows

    def copy(self) -> Self:
        """An independent copy."""
        twin = self.__class__(())
        twin._rows = dict(self._rows)
        return twin

    def moved(self, home: int, *, engineer: bool) -> None:
        """A piece of ours has moved; `engineer`: as only an engineer can."""
        self._keep(home, AN_ENGINEER if engineer else ANY_TYPE & ~(A_MINE | A_FLAG))

    def shown(self, home: int) -> None:
        """A flag of ours has been shown."""
        self._keep(home, A_FLAG)

    def met(self, home: int, enemy_types: int, pairs: Sequence[int], *, attacks: bool) -> None:
        """A piece of ours has met an enemy's piece, which may have been of these types. `pairs`: of clash_pairs()."""
        others = [(kind, NUMBERS[kind]) for kind in _TYPES if enemy_types >> kind & 1]
        row = list(self._rows[home])
        for mine in _TYPES:
            row[mine] *= sum(
                number for kind, number in others if (pairs[mine] >> kind if attacks else pairs[kind] >> mine) & 1
            )
        if any(row):
            self._rows[home] = tuple(row)

    def probabilities(self, seat: int) -> dict[int, list[float]]:
        """By home point, how probable the enemies may think each type."""
        homes = [home for home in self._rows if home // HOME_POINTS == seat]
        return dict(zip(homes, scaled([self._rows[home] for home in homes], NUMBERS)))

    def _keep(self, home: int, types: int) -> None:
        row = self._rows[home]
        kept = tuple(weight if types >> kind & 1 else 0.0 for kind, weight in enumerate(row))
        if kept != row and any(kept):
            self._rows[home] = kept
