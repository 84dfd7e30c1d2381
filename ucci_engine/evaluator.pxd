from libc.stdint cimport uint64_t

from search_core.evaluator cimport Evaluator
from ucci_engine.board cimport State

cdef class XiangqiEvaluator(Evaluator):
    cdef int evaluate(self, const State* states, const uint64_t* keys, int length) noexcept nogil
    cdef tuple trace(self, const State* states, const uint64_t* keys, int length)
