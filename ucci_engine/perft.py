"""Counting the leaves of the move tree, in slices short enough to be cancelled between."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucci_engine.position import Position

LARGEST_DEPTH = 20
"""Plies; far more than anybody can wait for."""

# Deeper trees are taken apart: a native count cannot be interrupted.
_SLICE_DEPTH = 4


class Perft:
    """One count: the leaves `depth` plies (at least 1) below a position."""

    def __init__(self, position: Position, depth: int) -> None:
        self.cancelled = False
        """Whether cancel() was called: the counts given so far are right, and not all."""
        self._position = position.copy()
        self._depth = depth

    def cancel(self) -> None:
        """End divide() soon. May be called from any thread."""
        self.cancelled = True

    def divide(self) -> Iterator[tuple[int, int]]:
        """Each legal move with the number of leaves below it, in the order of their squares."""
        for move in sorted(self._position.legal_moves(), key=lambda move: (move & 127, move >> 7)):
            self._position.push(move)
            count = self._count(self._depth - 1)
            self._position.pop()
            if self.cancelled:
                return
            yield move, count

    def _count(self, depth: int) -> int:
        if self.cancelled:
            return 0
        if depth == 0:
            return 1
        if depth <= _SLICE_DEPTH:
            return self._position.perft(depth)
        total = 0
        for move in self._position.legal_moves():
            self._position.push(move)
            total += self._count(depth - 1)
            self._position.pop()
        return total
