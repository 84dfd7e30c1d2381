from libc.stdint cimport uint64_t

from search_core.game cimport Game, Move

from gomoku_protocol.board cimport Board
from gomoku_protocol.threats cimport ThreatSearch

cdef class Position(Game):
    cdef Board* board
    cdef ThreatSearch threats
    cdef uint64_t counted   # nodes of `threats` that the search has counted
    cdef int recent[2]      # the last two stones before without_moves(), the later one first; 0: not known
    cdef int weak_side      # the side that plays below full strength; read only then
    cdef readonly int width
    cdef readonly int height
    cdef readonly int rule
    cdef void set_parameters(self) noexcept
    cdef void sync(self) noexcept nogil
    cdef int generate_far(self, Move* moves) noexcept nogil
    cdef void last_stones(self, int* stones) noexcept nogil
    cdef int longest_end(self, int plies) noexcept nogil
    cdef bint has_gained(self, int colour) noexcept nogil
    cdef int evade(self, Move* moves) noexcept nogil
