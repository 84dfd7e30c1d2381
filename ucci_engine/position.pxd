from libc.stdint cimport uint64_t

from search_core.game cimport Game, Move
from ucci_engine.board cimport State
from ucci_engine.evaluator cimport Evaluator

cdef class Position(Game):
    cdef State* states
    cdef uint64_t* keys     # of the states
    cdef int capacity
    cdef int length         # index of the current state
    cdef int first_ply      # plies played before the FEN
    cdef readonly Evaluator evaluator

    cdef void reserve(self) except *
    cdef void set_up(self, str fen) except *
    cdef bint make_guarded(self, Move move) noexcept nogil
    cdef bint survives(self, int origin, int target) noexcept nogil
    cdef int generate_from(self, int slot, Move* moves) noexcept nogil
    cdef bint has_legal_move(self) noexcept nogil
