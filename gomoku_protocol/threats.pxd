from libc.stdint cimport int16_t, uint8_t, uint32_t, uint64_t

from gomoku_protocol.board cimport Board
from search_core.game cimport Poller

cdef struct Proof:
    uint64_t key
    uint32_t point      # the first move of the win
    int16_t plies       # to the five; 0: none was found within `limit`
    int16_t limit

cdef class ThreatSearch:
    cdef Proof* table
    cdef uint64_t nodes      # stones placed so far
    cdef uint64_t last_node  # value of `nodes` at which the budget ends
    cdef uint64_t next_look  # value of `nodes` at which to call spent()
    cdef void* poller        # a Poller that outlives the search for a win, or NULL
    cdef bint brief            # no plain fours
    cdef bint exhausted
    cdef bint shortening       # looks for the shortest win: wins longer than the limit do not count
    cdef bint opponent_vcf           # the last result of opponent_has_vcf()
    cdef bint opponent_vcf_known     # whether there is one
    cdef uint64_t opponent_vcf_key   # the key of its position

    cdef bint reserve(self) noexcept nogil
    cdef void poll(self, Poller poller) noexcept nogil
    cdef void allow(self, uint64_t budget) noexcept nogil
    cdef bint spent(self) noexcept nogil
    cdef int find_vcf(self, Board* board, int limit, uint64_t budget, bint brief) noexcept nogil
    cdef int find_vct(self, Board* board, int limit, uint64_t budget) noexcept nogil
    cdef int find_shorter(self, Board* board, int limit, uint64_t budget) noexcept nogil
    cdef int winning_line(self, Board* board, uint32_t* points, int room) noexcept nogil
    cdef Proof* known_win(self, Board* board) noexcept nogil
    cdef int best_attack(self, Board* board) noexcept nogil
    cdef int best_defence(self, Board* board) noexcept nogil
    cdef int vcf(self, Board* board, int limit) noexcept nogil
    cdef bint knows_opponent_vcf(self, const Board* board) noexcept nogil
    cdef bint opponent_has_vcf(self, Board* board, uint64_t budget, bint brief) noexcept nogil
    cdef int answers(self, Board* board, uint32_t* points) noexcept nogil
    cdef bint depends(self, Board* board, uint8_t* mark) noexcept nogil
    cdef int vct_attack(self, Board* board, int limit) noexcept nogil
    cdef int vct_defend(self, Board* board, int limit) noexcept nogil
    cdef Proof* probe(self, uint64_t key) noexcept nogil
    cdef void store(self, uint64_t key, int point, int plies, int limit) noexcept nogil

cdef int static_result(Board* board) noexcept nogil
cdef int win_by_threes(Board* board, uint64_t* nodes, uint32_t* point) noexcept nogil
