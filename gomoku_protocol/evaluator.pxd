from libc.stdint cimport int32_t

from gomoku_protocol.board cimport Board
from search_core.evaluator cimport Evaluator
from search_core.game cimport Move

cdef class GomokuEvaluator(Evaluator):
    cdef int evaluate(self, const Board* board) noexcept nogil
    cdef bint policy(self, const Board* board, const Move* moves, int count, int32_t* scores) noexcept nogil
