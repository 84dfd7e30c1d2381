from libc.stdint cimport uint64_t

from search_core.game cimport Game, Move

cdef class Perft:
    cdef Game game
    cdef int depth
    cdef bint makes_leaves
    cdef int cancel_flag
    cdef Move* moves    # max_moves for each ply

    cdef uint64_t leaves(self, int depth, Move* moves) noexcept nogil
