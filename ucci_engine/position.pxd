from libc.stdint cimport int32_t, uint8_t, uint64_t

from search_core.game cimport Game, Move
from ucci_engine.board cimport Board

# How far a position has looked at its own king: whether it stands in check, and
# what make() must know besides.
cdef enum:
    NOTHING_KNOWN
    CHECK_KNOWN
    BOUNDS_KNOWN

# What a position keeps of itself when a move leaves it, and what it knows of its own king.
cdef struct State:
    uint64_t key
    int32_t psq
    int phase
    Move move               # the move that led on from here
    uint8_t captured
    int known               # which of the fields below hold
    bint in_check
    uint64_t bound_from[2]  # own pieces that may uncover the king when they leave
    uint64_t bound_to[2]    # points where a piece would be a cannon's screen before the king
    int quiet               # plies since the last capture
    int reversible          # plies back to which a repetition can reach

cdef class Position(Game):
    cdef Board board
    cdef State* states
    cdef int capacity
    cdef int length         # index of the current state
    cdef int first_ply      # plies played before the FEN

    cdef void reserve(self) except *
    cdef void set_up(self, str fen) except *
    cdef void examine(self) noexcept nogil
    cdef bint attacked(self, int side) noexcept nogil
    cdef void bind(self, State* state, int king, int first, int second, int step) noexcept nogil
    cdef bint survives(self, int origin, int target) noexcept nogil
    cdef int keep_answers(self, Move* moves, int count) noexcept nogil
    cdef int find_answers(self, uint64_t* answers, int* screen) noexcept nogil
    cdef int cheapest_attacker(
        self, int target, int side, const uint64_t* gone, int file_occ, int rank_occ
    ) noexcept nogil
    cdef int legal_count(self) noexcept nogil
    cdef int generate_from(self, int slot, Move* moves) noexcept nogil
    cdef bint has_legal_move(self) noexcept nogil
    cdef int repetition(self, int ply) noexcept nogil
    cdef uint64_t perft_counted(self, int depth) noexcept nogil
    cdef uint64_t perft_made(self, int depth) noexcept nogil
