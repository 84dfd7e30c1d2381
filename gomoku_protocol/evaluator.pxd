from gomoku_protocol.board cimport Board
from search_core.evaluator cimport Evaluator

cdef class GomokuEvaluator(Evaluator):
    cdef int evaluate(self, const Board* board) noexcept nogil
