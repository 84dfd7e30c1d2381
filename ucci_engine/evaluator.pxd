from libc.stdint cimport uint64_t

from ucci_engine.board cimport State

cdef class Evaluator:
    cdef int evaluate(self, const State* states, const uint64_t* keys, int length) noexcept nogil
    cdef tuple trace(self, const State* states, const uint64_t* keys, int length)
    cpdef Evaluator copy(self)
