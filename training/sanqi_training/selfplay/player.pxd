from libc.stdint cimport int16_t, uint16_t

from search_core.game cimport Game
from search_core.search cimport Search
from search_core.transposition_table cimport TranspositionTable

cdef enum:
    MAX_PLIES = 500

cdef class SelfPlayer:
    cdef Search search
    cdef TranspositionTable table
    cdef int plies  # since the opening
    cdef uint16_t moves[MAX_PLIES]
    cdef int16_t scores[MAX_PLIES]
    cdef int prepare(self, Game game, int nodes) except -1
    cdef int search_move(self) except? -1
    cdef list draw_opening(self, chance)
    cdef int play_on(self) except -2
    cdef tuple ends(self)
    cdef int result_of_first(self, end) except -1
    cdef int pack_move(self, int move) noexcept
