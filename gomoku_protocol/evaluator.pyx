"""What a Gomoku position asks for its static score. evaluation.pyx has the evaluator that is used by default."""


cdef class Evaluator:
    """Gives positions their static score. Belongs to one Position, and so to one thread.

    A board has the stones since the set-up, and the key before each: `step[0]` to `step[steps - 1]`. Equal keys stand
    for equal positions. A stone changes nothing here: what an evaluator keeps between two calls, it tags with the key
    that it was computed for.
    """

    cdef int evaluate(self, const Board* board) noexcept nogil:
        """Centipawns for the side to move; |score| <= 20000. The same position, the same score."""
        return 0

    cpdef Evaluator copy(self):
        """An evaluator for another thread: it shares the weights and has accumulators of its own."""
        raise NotImplementedError

    def set_style(self, style: str, side: int) -> None:
        """Play for a side "aggressive", "steady" or "conservative". An evaluator without styles plays on as before.

        Scores of another style are others: who changes it clears the transposition table.
        """
