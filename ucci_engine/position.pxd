from libc.stdint cimport int8_t, int32_t, uint64_t

from search_core.game cimport Game, Move
from ucci_engine.board cimport SQUARES, State
from ucci_engine.rules cimport Rules

cdef enum:
    # With any pieces: fifteen rooks or cannons 17 each, the king 4.
    MAX_MOVES = 259

# The key and the value of a piece on a square share a cache line: make() needs both.
cdef struct Place:
    uint64_t key
    int32_t psq
    int32_t phase

cdef Place PLACE[14][SQUARES]
cdef uint64_t SIDE_KEY
cdef int VALUE[14]          # exchange values in centipawns, by kind

cdef class Position(Game):
    cdef State* states
    cdef uint64_t* keys     # of the states
    cdef int capacity
    cdef int length         # index of the current state
    cdef const int8_t* kind_of  # slot -> kind
    cdef int first_ply      # plies played before the FEN
    cdef Rules rules

    cdef void reserve(self) except *
    cdef void set_up(self, str fen) except *
    cdef object read_fen(self, str fen)
    cdef int free_slot(self, int kind) except -1
    cdef void copy_to(self, Position twin) except *
    cdef bint attacks_king(self, int side) noexcept nogil
    cdef Move king_capture(self) noexcept nogil
    cdef bint make_guarded(self, Move move) noexcept nogil
    cdef bint survives(self, int origin, int target) noexcept nogil
    cdef bint has_legal_move(self) noexcept nogil
    cdef bint is_too_quiet(self) noexcept nogil
