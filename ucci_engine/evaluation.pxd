from libc.stdint cimport int32_t, uint64_t

from ucci_engine.board cimport Board
from ucci_engine.evaluator cimport XiangqiEvaluator

# Value of a piece on a square in centipawns, material included, in Red's view
# (Black's are negative): middle game in the low, end game in the high 16 bits.
# First index: Red K A E H R C P = 0 .. 6, Black 7 .. 13.
cdef int32_t PIECE_SQUARE[14][90]

cdef class HandCraftedEvaluator(XiangqiEvaluator):
    cdef readonly int attack_percent
    cdef uint64_t* kept  # scores by key; NULL: none yet

cdef int count_terms(const Board* board, int attack_percent, int* red, int* black) noexcept nogil
cdef int winning_scale(const Board* board, int side) noexcept nogil
