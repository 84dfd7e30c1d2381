"""Draws that people agree on, in games whose own rules know no offer."""

from __future__ import annotations

from collections.abc import Iterable

AGREEMENT = "both agreed"
"""The reason of such a draw."""


class DrawOffers:
    """Who offers a draw. An offer stands until a move is made or taken back.

    Parameters
    ----------
    persons : iterable of int
        The seats that people play: all of them must agree.
    """

    def __init__(self, persons: Iterable[int]) -> None:
        self._persons = set(persons)
        self._offering: set[int] = set()
        self._ply = 0

    def at(self, ply: int) -> list[int]:
        """The seats that offer one after so many plies."""
        return sorted(self._offering) if ply == self._ply else []

    def toggle(self, seats: Iterable[int], ply: int) -> bool:
        """Seats offer a draw, or no longer do. Returns whether all agree."""
        offering = set(self.at(ply))
        self._ply = ply
        self._offering = offering - set(seats) if offering.issuperset(seats) else offering | set(seats)
        if self._offering != self._persons:
            return False
        self._offering.clear()  # the end may be taken back
        return True
