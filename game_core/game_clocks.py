"""The clocks of a game at a table: what each seat has left of its time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_FORM = re.compile(r"(\d{1,3})(?:\+(\d{1,3}))?", re.ASCII)


class TimeControl(NamedTuple):
    """Time for the whole game, and what is added to it after each own move, in milliseconds."""

    base_ms: int
    increment_ms: int = 0

    def left_ms(self, seat: int, movers: Sequence[int], times: Sequence[int | None]) -> int:
        """What a seat has left when these moves have been made; a move of an unknown time took none."""
        spent = [ms or 0 for mover, ms in zip(movers, times) if mover == seat]
        return self.base_ms + len(spent) * self.increment_ms - sum(spent)


def read_time_control(text: str) -> TimeControl:
    """`10+5`: ten minutes for the game and five seconds for each move. Raises ValueError."""
    found = _FORM.fullmatch(text)
    if found is None or not int(found[1]):
        raise ValueError("clocks are written as 10+5: minutes for the game, seconds for each move")
    return TimeControl(int(found[1]) * 60_000, int(found[2] or 0) * 1000)
