from search_core.game cimport Game, Move

from junqi_protocol.rules.board cimport Board

cdef class Position(Game):
    cdef Board* board
    cdef readonly object variant
    cdef readonly int skip_limit
    cdef object skip_counts
    cdef void sync(self) noexcept nogil
    cdef void make_room(self) noexcept nogil
