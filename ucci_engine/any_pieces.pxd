from libc.stdint cimport int8_t

from ucci_engine.board cimport Board

cdef bint reaches(const int8_t* kinds, const Board* board, int origin, int target) noexcept nogil
cdef bint king_attacked(const int8_t* kinds, const Board* board, int side) noexcept nogil
cdef void lift(Board* board, int square) noexcept nogil
cdef void move_piece(Board* board, int origin, int target) noexcept nogil
