from libc.stdint cimport int8_t, int32_t

from ucci_engine.board cimport State
from ucci_engine.position cimport Position

cdef class ExtraPiecesPosition(Position):
    cdef int8_t kinds[48]   # slot -> kind as in KIND, -1 for none

    cdef void show_set(self, State* state, int32_t* extra) noexcept nogil
