from gomoku_protocol.board cimport Board

cdef int obscurity_of(const Board* board, int point, const int* last) noexcept nogil
cdef bint has_straight(const Board* board, int colour, int rank) noexcept nogil
cdef bint joins_line(const Board* board, int point) noexcept nogil
