"""Two outside evaluators for Xiangqi: the smallest, and one that keeps sums and follows the moves."""

from libc.stdint cimport int32_t, uint64_t

from search_core.evaluator cimport Evaluator
from search_core.game cimport Move
from ucci_engine.board cimport BLACK, KIND, NOWHERE, RED, SQUARES, Board, Dirty, State
from ucci_engine.evaluator cimport XiangqiEvaluator

cdef int VALUE[14]
VALUE[:] = [0, 200, 200, 450, 950, 460, 100, 0, -200, -200, -450, -950, -460, -100]

cdef enum:
    SUMS = 64  # kept, one a ply; a power of two

cdef struct Sum:
    uint64_t key
    int value


cdef class MaterialEvaluator(XiangqiEvaluator):
    """Counts material and nothing else. `backwards`: with a policy, which reverses the order of generation."""

    cdef readonly int asked  # policies

    def __cinit__(self, bint table_first=False, bint backwards=False):
        self.table_first = table_first
        self.has_policy = backwards

    cdef int evaluate(self, const State* states, const uint64_t* keys, int length) noexcept nogil:
        cdef const Board* board = &states[length].board
        cdef int slot, score = 0
        for slot in range(RED, 48):
            if board.square[slot] != NOWHERE:
                score += VALUE[KIND[slot]]
        return -score if board.side else score

    cdef bint policy(
        self, const State* states, const uint64_t* keys, int length, const Move* moves, int count, int32_t* scores
    ) noexcept nogil:
        cdef int i
        self.asked += 1
        for i in range(count):
            scores[i] = i << 20
        return True

    cpdef Evaluator copy(self):
        return MaterialEvaluator(self.table_first, self.has_policy)


cdef class AccumulatorEvaluator(XiangqiEvaluator):
    """Keeps sums between two calls, as a net would keep its accumulators, and compares them with full counts.

    It adds a weight for each piece on its square. `weights` has one signed byte per kind of piece and square: 14 by 90.
    """

    cdef bytes weights
    cdef const signed char* weight
    cdef Sum sums[SUMS]
    cdef readonly int evaluated
    cdef readonly int computed  # sums computed from all pieces
    cdef readonly int updated   # and those from the sum before
    cdef readonly int passes    # among the updated ones
    cdef readonly int wrong     # that were not what all pieces make

    def __cinit__(self, bytes weights, bint table_first=False):
        self.weights = weights
        self.weight = self.weights
        self.table_first = table_first

    cdef int added(self, int slot, int square) noexcept nogil:
        cdef int value = self.weight[KIND[slot] * SQUARES + square]
        return -value if slot >= BLACK else value

    cdef int counted(self, const Board* board) noexcept nogil:
        cdef int slot, value = 0
        for slot in range(RED, 48):
            if board.square[slot] != NOWHERE:
                value += self.added(slot, board.square[slot])
        return value

    cdef int evaluate(self, const State* states, const uint64_t* keys, int length) noexcept nogil:
        cdef int known = length, value
        cdef const Board* board = &states[length].board
        cdef const Dirty* dirty
        self.evaluated += 1
        while known >= 0 and length - known < SUMS and self.sums[known & SUMS - 1].key != keys[known]:
            known -= 1
        if known >= 0 and length - known < SUMS:
            value = self.sums[known & SUMS - 1].value
        else:
            known = length
            self.computed += 1
            value = self.counted(board)
        while known < length:
            known += 1
            self.updated += 1
            dirty = &states[known].dirty
            if dirty.piece:
                value += self.added(dirty.piece, dirty.target) - self.added(dirty.piece, dirty.origin)
                if dirty.victim:
                    value -= self.added(dirty.victim, dirty.target)
            else:
                self.passes += 1
            self.sums[known & SUMS - 1] = Sum(keys[known], value)
        self.sums[length & SUMS - 1] = Sum(keys[length], value)
        self.wrong += value != self.counted(board)
        return -value if board.side else value

    cpdef Evaluator copy(self):
        return AccumulatorEvaluator(self.weights, self.table_first)
