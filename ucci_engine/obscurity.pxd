from libc.stdint cimport int8_t

from search_core.game cimport Move
from ucci_engine.board cimport State

cdef int obscurity_of(
    const int8_t* kinds, const State* states, int length, Move move, bint checks, bint in_check
) noexcept nogil
