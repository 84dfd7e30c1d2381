"""The interface of the evaluators of Xiangqi positions. evaluators.py names them."""

from search_core.evaluator cimport Evaluator


class Term:
    """One term of an evaluation: centipawns of middle game and end game, each side in its own view."""

    __slots__ = ("name", "red_mg", "red_eg", "black_mg", "black_eg")

    def __init__(self, name: str, red_mg: int, red_eg: int, black_mg: int, black_eg: int) -> None:
        self.name = name
        self.red_mg = red_mg
        self.red_eg = red_eg
        self.black_mg = black_mg
        self.black_eg = black_eg

    def __repr__(self) -> str:
        return f"Term({self.name!r}, {self.red_mg}, {self.red_eg}, {self.black_mg}, {self.black_eg})"


cdef class XiangqiEvaluator(Evaluator):
    """Gives Xiangqi positions their static score.

    It gets the states from the set-up on (index 0) to the current one (index `length`) and the key of each. Equal
    keys stand for equal positions. A move does not call the evaluator: `dirty` of a state says what the move to it
    changed. If an evaluator keeps something between two calls, it tags it with the key that it was computed for.
    evaluate() then goes back to the last state whose tag is right, and adds the differences.
    """

    cdef int evaluate(self, const State* states, const uint64_t* keys, int length) noexcept nogil:
        """Centipawns for the side to move in `states[length]`; |score| < 20000. The same position, the same score."""
        return 0

    cdef bint policy(
        self, const State* states, const uint64_t* keys, int length, const Move* moves, int count, int32_t* scores
    ) noexcept nogil:
        """Score quiet moves in `states[length]`, as Game.policy()."""
        return False

    cdef tuple trace(self, const State* states, const uint64_t* keys, int length):
        """(list of Term, evaluate()). The list is empty if the score is no sum of terms."""
        return [], self.evaluate(states, keys, length)
