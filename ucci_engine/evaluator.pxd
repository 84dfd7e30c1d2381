from libc.stdint cimport int32_t, uint64_t

from search_core.evaluator cimport Evaluator
from search_core.game cimport Move
from ucci_engine.board cimport State

cdef class XiangqiEvaluator(Evaluator):
    cdef int evaluate(self, const State* states, const uint64_t* keys, int length) noexcept nogil
    cdef bint policy(
        self, const State* states, const uint64_t* keys, int length, const Move* moves, int count, int32_t* scores
    ) noexcept nogil
    cdef tuple trace(self, const State* states, const uint64_t* keys, int length)
