"""Two outside evaluators for Xiangqi: the smallest, and one that keeps data between two calls."""

from libc.stdint cimport uint64_t

from search_core.evaluator cimport Evaluator
from ucci_engine.board cimport BLACK, KIND, NOWHERE, RED, SQUARES, Board, State
from ucci_engine.evaluator cimport XiangqiEvaluator

cdef int VALUE[14]
VALUE[:] = [0, 200, 200, 450, 950, 460, 100, 0, -200, -200, -450, -950, -460, -100]

cdef enum:
    SUMS = 64  # kept, one a ply; a power of two

cdef struct Sum:
    uint64_t key
    int value


cdef class MaterialEvaluator(XiangqiEvaluator):
    """Counts material and nothing else."""

    cdef int evaluate(self, const State* states, const uint64_t* keys, int length) noexcept nogil:
        cdef const Board* board = &states[length].board
        cdef int slot, score = 0
        for slot in range(RED, 48):
            if board.square[slot] != NOWHERE:
                score += VALUE[KIND[slot]]
        return -score if board.side else score

    cpdef Evaluator copy(self):
        return MaterialEvaluator()


cdef class AccumulatorEvaluator(XiangqiEvaluator):
    """Keeps sums between two calls, as a net would keep its accumulators.

    It adds a weight for each piece on its square. `weights` has one signed byte per kind of piece and square: 14 by 90.
    """

    cdef bytes weights
    cdef const signed char* weight
    cdef Sum sums[SUMS]
    cdef readonly int computed  # sums computed from all pieces
    cdef readonly int updated   # and those from the sum before

    def __cinit__(self, bytes weights):
        self.weights = weights
        self.weight = self.weights

    cdef int added(self, int slot, int square) noexcept nogil:
        cdef int value = self.weight[KIND[slot] * SQUARES + square] if square != NOWHERE else 0
        return -value if slot >= BLACK else value

    cdef int evaluate(self, const State* states, const uint64_t* keys, int length) noexcept nogil:
        cdef int known = length, slot, value = 0
        cdef const Board* board = &states[length].board
        while known >= 0 and length - known < SUMS and self.sums[known & SUMS - 1].key != keys[known]:
            known -= 1
        if known >= 0 and length - known < SUMS:
            value = self.sums[known & SUMS - 1].value
        else:
            known = length
            self.computed += 1
            for slot in range(RED, 48):
                value += self.added(slot, board.square[slot])
        while known < length:
            known += 1
            self.updated += 1
            for slot in range(RED, 48):
                if states[known].board.square[slot] != states[known - 1].board.square[slot]:
                    value -= self.added(slot, states[known - 1].board.square[slot])
                    value += self.added(slot, states[known].board.square[slot])
            self.sums[known & SUMS - 1] = Sum(keys[known], value)
        self.sums[length & SUMS - 1] = Sum(keys[length], value)
        return -value if board.side else value

    cpdef Evaluator copy(self):
        return AccumulatorEvaluator(self.weights)
