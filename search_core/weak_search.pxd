from libc.stdint cimport uint64_t

from search_core.game cimport Move
from search_core.search cimport Search

cdef class WeakSearch(Search):
    cdef uint64_t blind_key  # of this stretch of the game

    cdef int draw(self, Move move) noexcept nogil
    cdef bint mates(self, int ply, Move move) noexcept nogil
    cdef bint loses_material(self, int gain) noexcept nogil
