from libc.stdint cimport int64_t, uint64_t

from search_core.game cimport MAX_PLY, Game, Move, Poller
from search_core.histories cimport Histories
from search_core.move_picker cimport MoveArena
from search_core.parameters cimport SearchParameters
from search_core.stack cimport StackEntry
from search_core.transposition_table cimport TranspositionTable

cdef class Signals:
    # Shared by the threads of one search and whoever commands them.
    cdef int stop_flag
    cdef int ponder_flag
    cdef int64_t clock_start_ns

    cdef bint is_pondering(self) noexcept nogil
    cdef int64_t elapsed_ns(self) noexcept nogil

# One move at the root, with the line that it begins.
cdef struct RootMove:
    Move move
    int score
    int previous_score
    int seldepth
    uint64_t nodes
    int pv_length
    Move pv[MAX_PLY + 1]

cdef class Search(Poller):
    cdef Game game
    cdef TranspositionTable table
    cdef Signals signals
    cdef object report
    cdef object failure      # what `report` raised
    cdef public int thread_index  # 0: keeps the limits; else a helper
    cdef public bint full_width   # no selective step: plain alpha-beta

    # limits
    cdef public int depth_limit
    cdef public uint64_t node_limit
    cdef public int64_t soft_ns
    cdef public int64_t hard_ns
    cdef public int mate_limit
    cdef public int multipv
    cdef public int draw_score

    cdef uint64_t node_count
    cdef uint64_t published_nodes  # what other threads see of it, at most POLL_INTERVAL behind
    cdef readonly int completed_depth
    cdef uint64_t next_poll
    cdef bint stopped
    cdef bint seen_all       # every root move has been searched at least once
    cdef int seldepth
    cdef int root_side
    cdef int root_depth
    cdef int nmp_min_ply      # no null move before this ply while one is verified

    cdef readonly int history_slots
    cdef readonly int max_moves
    cdef RootMove* root_moves
    cdef int root_count
    cdef bint filtered       # init_root_moves() left legal moves out
    cdef int line_index
    cdef StackEntry* plies
    cdef MoveArena arena
    cdef Histories histories
    cdef int reductions[MAX_PLY][64]
    cdef int late_moves[MAX_PLY]   # by depth
    cdef SearchParameters parameters  # the game's

    cdef void adopt_parameters(self) noexcept
    cdef bint score_statically(self, Move move, int* score) noexcept nogil
    cdef int exchange_loss(self, Move move) noexcept nogil
    cdef void iterate(self) noexcept nogil
    cdef bint proves_root(self) noexcept nogil
    cdef void shorten_win(self, int depth) noexcept nogil
    cdef bint adopt_win(self, int plies, const Move* line, int length) noexcept nogil
    cdef int aspiration_search(self, int depth) noexcept nogil
    cdef int search_root(self, int alpha, int beta, int depth) noexcept nogil
    cdef void sort_root(self, int begin, int end) noexcept nogil
    cdef int search(self, int alpha, int beta, int depth, int ply, bint cut_node) noexcept nogil
    cdef int quiesce(self, int alpha, int beta, int ply) noexcept nogil
    cdef int child(self, int side, int alpha, int beta, int depth, int ply, bint cut_node) noexcept nogil
    cdef int ended(self, int outcome, int ply) noexcept nogil
    cdef int proven(self, int plies, int ply) noexcept nogil
    cdef int stuck(self, int ply) noexcept nogil
    cdef inline bint is_helper(self) noexcept nogil
    cdef void poll(self) noexcept nogil
    cdef int64_t remaining_ns(self) noexcept nogil
    cdef void report_pv(self, int depth, int line, int bound) noexcept nogil
