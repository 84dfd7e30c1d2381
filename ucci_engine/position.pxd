from libc.stdint cimport uint8_t, uint16_t, uint64_t

from search_core.game cimport Game, Move
from ucci_engine.board cimport Board

# How far a position has looked at its own king: whether it stands in check, and
# what make() must know besides.
cdef enum:
    NOTHING_KNOWN
    CHECK_KNOWN
    BOUNDS_KNOWN

# A position and what it knows of its own king. A move copies the board of one state into
# the next and changes it there: nothing has to be put back, and trying the moves of a
# position one after the other, the processor need not wait for the last one's stores.
cdef struct State:
    Board board
    uint16_t guarded        # pieces whose moves make() must look at, bit = slot & 15; all until update_check_info()
    uint8_t known           # which of the fields below hold
    uint8_t in_check
    uint16_t king_blockers          # pieces that may uncover the king when they leave
    uint16_t halfmove_clock          # plies since the last capture, or since a pass
    uint64_t screen_points[2]    # points where a piece would be a cannon's screen before the king
    uint64_t spare[5]       # to 256 bytes: the address of a state is a shift

cdef class Position(Game):
    cdef State* states
    cdef uint64_t* keys     # of the states
    cdef int capacity
    cdef int length         # index of the current state
    cdef int first_ply      # plies played before the FEN

    cdef void reserve(self) except *
    cdef void set_up(self, str fen) except *
    cdef void update_check_info(self) noexcept nogil
    cdef bint make_guarded(self, Move move) noexcept nogil
    cdef bint survives(self, int origin, int target) noexcept nogil
    cdef int filter_evasions(self, Move* moves, int count) noexcept nogil
    cdef int legal_count(self) noexcept nogil
    cdef int generate_from(self, int slot, Move* moves) noexcept nogil
    cdef bint has_legal_move(self) noexcept nogil
    cdef int repetition(self, int ply) noexcept nogil
    cdef uint64_t perft_counted(self, int depth) noexcept nogil
