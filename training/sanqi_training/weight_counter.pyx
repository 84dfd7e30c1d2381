"""The evaluation, and what it counted: for the fit of its weights (tune_evaluation.py). Slow."""

from libc.stdint cimport uint64_t

from search_core.evaluator cimport Evaluator
from ucci_engine.board cimport State
from ucci_engine.evaluation cimport HandCraftedEvaluator, count_terms, winning_scale

from ucci_engine.evaluation_weights import WEIGHTS

cdef enum:
    MAX_WEIGHTS = 512

cdef int FEATURES = sum(map(len, WEIGHTS.values()))
assert FEATURES <= MAX_WEIGHTS


cdef class WeightCounter(HandCraftedEvaluator):
    """The hand-crafted evaluation, which keeps the counts of the last position that it was asked for."""

    cdef int red[MAX_WEIGHTS]
    cdef int black[MAX_WEIGHTS]
    cdef int scale_of[2]

    cdef int evaluate(self, const State* states, const uint64_t* keys, int length) noexcept nogil:
        cdef int side
        for side in range(2):
            self.scale_of[side] = winning_scale(&states[length].board, side)
        return count_terms(&states[length].board, self.attack_percent, self.red, self.black)

    @property
    def counts(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Of Red and of Black: (number of a weight, in the order of WEIGHTS, how often it counted), if it did."""
        return (
            [(i, self.red[i]) for i in range(FEATURES) if self.red[i]],
            [(i, self.black[i]) for i in range(FEATURES) if self.black[i]],
        )

    @property
    def scales(self) -> tuple[int, int]:
        """Of 64 parts of an advantage, how many Red and Black would keep (docs/evaluation.md#drawish-positions)."""
        return self.scale_of[0], self.scale_of[1]

    cpdef Evaluator copy(self):
        return WeightCounter(self.attack_percent)
