from gomoku_protocol.board cimport Board

cdef class Evaluator:
    cdef int evaluate(self, const Board* board) noexcept nogil
    cpdef Evaluator copy(self)
