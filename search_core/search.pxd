from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t

from search_core.game cimport MAX_PLY, Game, Move, Poller
from search_core.parameters cimport SearchParameters
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

# What the search remembers of a ply on the way to the current node.
cdef struct StackEntry:
    Move move            # made at this ply; 0 for a passed turn
    int slot             # its history slot, or -1
    int side             # who was to move
    int static_eval
    bint in_check
    Move excluded        # left out while its singularity is tested
    Move killers[2]
    int pv_length
    Move pv[MAX_PLY + 1]

# The moves of one node, from the most to the least promising.
cdef struct MovePicker:
    int stage
    Move tt_move
    Move killers[3]      # two killers and the counter move
    int killer_index
    Move* moves
    int32_t* scores
    int32_t* slots
    int count
    int index
    int losing           # noisy moves that lose material, kept at the front of `moves`
    int slot             # of the move just returned
    bint quiescent
    bint skip_quiets
    int16_t* continuation[2]

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
    cdef Move* move_arena
    cdef int32_t* score_arena
    cdef int32_t* slot_arena
    cdef int16_t* history          # [slot]
    cdef int16_t* noisy_history    # [slot]
    cdef int16_t* continuation     # [earlier slot][slot]
    cdef Move* counter_moves       # [slot]
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
    cdef void init_picker(self, MovePicker* picker, Move tt_move, int ply, bint quiescent) noexcept nogil
    cdef void add_history(self, MovePicker* picker) noexcept nogil
    cdef void sort_promising(self, MovePicker* picker) noexcept nogil
    cdef inline void check_list(self, MovePicker* picker, int begin) noexcept nogil
    cdef Move next_move(self, MovePicker* picker) noexcept nogil
    cdef void update_histories(
        self, MovePicker* picker, Move move, int slot, int bonus, int ply,
        int32_t* quiets, int quiet_count, int32_t* noisies, int noisy_count
    ) noexcept nogil
    cdef void extend_pv(self, int ply, Move move) noexcept nogil
    cdef void report_pv(self, int depth, int line, int bound) noexcept nogil
