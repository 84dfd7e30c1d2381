"""The interface of Gomoku evaluators. evaluators.py names them."""

from search_core.evaluator cimport Evaluator


cdef class GomokuEvaluator(Evaluator):
    """Gives Gomoku positions their static score, and perhaps an order of their quiet moves.

    `step[0]` to `step[steps - 1]` of a board are the stones since the set-up, each with the key before it. The colours
    alternate; the last is that of the side not to move. Equal keys mean equal positions. An evaluator is not called for
    moves: what it keeps between calls must say of which position it is, for example by the key.
    """

    cdef int evaluate(self, const Board* board) noexcept nogil:
        """Centipawns for the side to move; |score| <= 20000. The same position always gets the same score."""
        return 0

    cdef bint policy(self, const Board* board, const Move* moves, int count, int32_t* scores) noexcept nogil:
        """Score quiet moves, as Game.policy()."""
        return False
