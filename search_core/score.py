"""A score that a person can read."""

from __future__ import annotations

from search_core.game import MATE, MATE_BOUND, RULED_BOUND, RULED_SCORE


class Score(int):
    """Centipawns for one side. Its repr says what the number means: ``+35 cp``, ``win in 5 plies``, ``loss by
    repetition in 12 plies``. As text it is the number."""

    __slots__ = ()

    def __repr__(self) -> str:
        size = abs(int(self))
        outcome = "win" if self > 0 else "loss"
        if size >= MATE_BOUND:
            return f"{outcome} in {MATE - size} plies"
        if RULED_BOUND <= size <= RULED_SCORE:
            return f"{outcome} by repetition in {RULED_SCORE - size} plies"
        return f"{int(self):+d} cp"

    __str__ = int.__repr__
