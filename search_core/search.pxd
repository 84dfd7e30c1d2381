from libc.stdint cimport int64_t, uint64_t

from search_core.chance_search cimport ChanceSearch
from search_core.game cimport MAX_PLY, Move

# One move at the root, with the line that it begins.
cdef struct RootMove:
    Move move
    int score
    int previous_score
    int seldepth
    uint64_t nodes
    int pv_length
    Move pv[MAX_PLY + 1]

cdef class Search(ChanceSearch):
    cdef object report
    cdef object failure      # what `report` raised

    # limits
    cdef public int depth_limit
    cdef public uint64_t soft_nodes  # after which no iteration begins; the solver's at the root do not count
    cdef uint64_t root_solver_nodes  # those
    cdef public int64_t soft_ns
    cdef public int mate_limit
    cdef public int multipv

    cdef RootMove* root_moves
    cdef int root_count
    cdef bint filtered       # init_root_moves() left legal moves out
    cdef int line_index
    cdef RootMove settled    # the best line of the last complete iteration
    cdef int last_score      # of that iteration
    cdef RootMove pending    # the best line of the search before the strict one
    cdef int pending_depth   # to which that search came; 0: there was no strict one
    cdef bint refuted        # in this iteration the first move has failed low, and no other has beaten alpha since

    cdef void list_root_move(self, Move move) noexcept nogil
    cdef bint is_listed(self, Move move) noexcept nogil
    cdef bint score_statically(self, Move move, int* score) noexcept nogil
    cdef int exchange_loss(self, Move move) noexcept nogil
    cdef void iterate(self) noexcept nogil
    cdef bint proves_root(self) noexcept nogil
    cdef void shorten_win(self, int depth) noexcept nogil
    cdef bint adopt_win(self, int plies, const Move* line, int length) noexcept nogil
    cdef int aspiration_search(self, int depth) noexcept nogil
    cdef int search_root(self, int alpha, int beta, int depth) noexcept nogil
    cdef bint needs_strictness(self, int lines) noexcept nogil
    cdef void begin_strict_search(self, int depth) noexcept nogil
    cdef void end_strict_search(self, int lines) noexcept nogil
    cdef void hide_pending(self) noexcept nogil
    cdef void restore_settled(self) noexcept nogil
    cdef void put_first(self, const RootMove* line) noexcept nogil
    cdef void sort_root(self, int begin, int end) noexcept nogil
    cdef void report_pv(self, int depth, int line, int bound) noexcept nogil
