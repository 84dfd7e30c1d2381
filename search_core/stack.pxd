# What the search remembers of the plies on the way to the current node.
from search_core.game cimport MAX_OUTCOMES, MAX_PLY, Move

cdef struct StackEntry:
    Move move            # made at this ply; 0 for a passed turn
    int slot             # its history slot, or -1
    bint noisy           # whether it was noisy
    int reduction        # by which its search is reduced, in plies
    int side             # who was to move
    int static_eval
    bint in_check
    bint quiescent       # whether the ply is one of quiescence
    Move excluded        # left out while its singularity is tested
    Move killers[2]
    int cutoffs          # of the nodes at this ply since the node two plies above was entered
    int outcome_count    # of the move; 0 or 1: it is certain
    int outcome          # which of them is made
    double chances[MAX_OUTCOMES]
    int pv_length
    Move pv[MAX_PLY + 1]


cdef inline int last_own_ply(const StackEntry* stack, int ply, int side) noexcept nogil:
    """The last ply before `ply` with `side` to move, or -1. Not always ply - 2: a side may move twice in a row."""
    ply -= 1
    while ply >= 0 and stack[ply].side != side:
        ply -= 1
    return ply


cdef inline void extend_pv(StackEntry* here, Move move) noexcept nogil:
    """Set the principal variation of a ply: a move, then the variation of the next ply."""
    cdef const StackEntry* below = here + 1
    cdef int i
    here.pv[0] = move
    for i in range(min(below.pv_length, MAX_PLY)):
        here.pv[i + 1] = below.pv[i]
    here.pv_length = min(below.pv_length, MAX_PLY) + 1
