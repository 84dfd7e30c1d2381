from libc.stdint cimport int32_t

from ucci_engine.board cimport Board

# Value of a piece on a square in centipawns, material included, in Red's view
# (Black's are negative): middle game in the low, end game in the high 16 bits.
# First index: Red K A E H R C P = 0 .. 6, Black 7 .. 13.
cdef int32_t PIECE_SQUARE[14][90]

# The whole evaluation in centipawns for `side`, who is to move; |score| < 20000.
cdef int evaluate(const Board* board, int side) noexcept nogil
