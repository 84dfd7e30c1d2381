"""The interface of Gomoku evaluators. evaluation.pyx has the default one."""


cdef class Evaluator:
    """Computes the static score of a position. Belongs to one Position, and so to one thread.

    `step[0]` to `step[steps - 1]` of a board are the stones since the set-up, each with the key before it. Equal keys
    mean equal positions. An evaluator is not called for moves: it must tag all that it keeps between calls with the
    key of the position.
    """

    cdef int evaluate(self, const Board* board) noexcept nogil:
        """Centipawns for the side to move; |score| <= 20000. The same position always gets the same score."""
        return 0

    cpdef Evaluator copy(self):
        """An evaluator for another thread: it shares the weights and has its own accumulators."""
        raise NotImplementedError

    def prejudice(self, seed, int permille, int side) -> None:
        """Weigh what a side can make, and what its opponent can, up to so much too high or low: always the same for
        the same seed. An evaluator without prejudices ignores this."""

    def set_style(self, style: str, side: int) -> None:
        """Set a side's style: "aggressive", "steady" or "conservative". An evaluator without styles ignores this.

        A new style changes the scores, so the caller clears the transposition table.
        """
