"""Moves with several outcomes: expectation with the windows of Star1.

B. Ballard, "The *-minimax search procedure for trees containing chance nodes", 1983.
"""

from libc.math cimport ceil, floor, fmax, fmin, lrint
from libc.string cimport memcpy

from search_core.check cimport sanqi_check
from search_core.game cimport MAX_OUTCOMES, MAX_PLY, SURE_SCORE, Move
from search_core.stack cimport StackEntry
from search_core.tree_search cimport PV_NODE, TreeSearch


cdef inline double weighted(const StackEntry* here, const double* values) noexcept nogil:
    """The mean of the outcomes' values. Always summed in the same order, so that it grows with each value."""
    cdef double total = 0
    cdef int i
    for i in range(here.outcome_count):
        total += here.chances[i] * values[i]
    return total


cdef class ChanceSearch(TreeSearch):
    """What the search below the root needs besides, in a game of chance."""

    cdef int expect(self, int side, int alpha, int beta, int depth, int ply, int kind) noexcept nogil:
        """The mean of the outcomes' scores, rounded to the nearest integer, or a bound outside of the window.

        Each outcome's window is what may still change the result (Star1). On return, any outcome may be on the board.
        The principal variation is that of the likeliest outcome.
        """
        cdef StackEntry* here = &self.plies[ply - 1]
        cdef StackEntry* below = &self.plies[ply]
        cdef Move pv[MAX_PLY + 1]       # after the likeliest outcome
        cdef int pv_length = 0, likeliest = 0
        cdef double low[MAX_OUTCOMES]   # what each outcome is worth at least and at most
        cdef double high[MAX_OUTCOMES]
        cdef double chance
        cdef int i, score, lower, upper
        for i in range(here.outcome_count):
            low[i] = -SURE_SCORE
            high[i] = SURE_SCORE
            if here.chances[i] > here.chances[likeliest]:
                likeliest = i
        for i in range(here.outcome_count + 1):
            score = <int> lrint(weighted(here, high))
            if score <= alpha:
                break
            score = <int> lrint(weighted(here, low))
            if score >= beta or i == here.outcome_count:
                break
            chance = here.chances[i]
            # Rounded outward: a score outside of this window decides, and one on the limit of all scores is exact.
            lower = <int> fmax(floor((alpha - weighted(here, high)) / chance + high[i]), -SURE_SCORE)
            upper = <int> fmin(ceil((beta - weighted(here, low)) / chance + low[i]), SURE_SCORE)
            sanqi_check(lower < upper, b"the window of an outcome is never empty")
            if here.outcome != i:
                self.game.unmake()
                self.game.make_outcome(here.move, i)
                here.outcome = i
                self.node_count += 1
                self.table.prefetch(self.table_key())
            score = self.descend(side, lower, upper, depth, ply, kind)
            if self.stopped:
                break
            if i == likeliest and kind == PV_NODE:
                pv_length = below.pv_length
                memcpy(pv, below.pv, pv_length * sizeof(Move))
            if score < upper:
                high[i] = score
            if score > lower:
                low[i] = score
        memcpy(below.pv, pv, pv_length * sizeof(Move))
        below.pv_length = pv_length
        return score

    cdef void note_outcomes(self, StackEntry* here, Move move) noexcept nogil:
        """Note with which chances a move has which outcomes."""
        here.outcome_count = self.game.outcomes(move, here.chances)
        here.outcome = 0
        sanqi_check(1 <= here.outcome_count <= MAX_OUTCOMES, b"a move has MAX_OUTCOMES outcomes at most")
