"""Moves with several outcomes: expectation with the windows of Star1, and moves whose outcome the mover knows.

B. Ballard, "The *-minimax search procedure for trees containing chance nodes", 1983.
"""

from libc.math cimport ceil, floor, fmax, fmin, lrint
from libc.string cimport memcpy

from search_core.check cimport sanqi_check
from search_core.game cimport MAX_OUTCOMES, MAX_PLY, MOVER, NO_MOVE, SURE_SCORE, Move
from search_core.move_picker cimport MovePicker, init_picker, next_move, next_sharp_move
from search_core.stack cimport StackEntry, extend_pv
from search_core.tree_search cimport ALL_NODE, KNOWN_OUTCOMES, PV_NODE, TreeSearch, opposite


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
            low[i] = here.least
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
            lower = <int> fmax(floor((alpha - weighted(here, high)) / chance + high[i]), here.least)
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
            # What the mover dislikes it does not play.
            if i == likeliest and kind == PV_NODE and (score > here.least or here.least == -SURE_SCORE):
                pv_length = below.pv_length
                memcpy(pv, below.pv, pv_length * sizeof(Move))
            if score < upper:
                high[i] = max(score, here.least)
            if score > lower:
                low[i] = max(score, here.least)
        memcpy(below.pv, pv, pv_length * sizeof(Move))
        below.pv_length = pv_length
        return score

    cdef bint postpones(self, StackEntry* here, Move move) noexcept nogil:
        """Note the outcomes of a move; whether the mover knows which it will be."""
        cdef int knows = 0
        here.outcome_count = self.game.outcomes(move, here.chances, &knows)
        here.outcome = 0
        here.least = -SURE_SCORE
        sanqi_check(1 <= here.outcome_count <= MAX_OUTCOMES, b"a move has MAX_OUTCOMES outcomes at most")
        return here.outcome_count > 1 and knows == MOVER

    cdef int search_postponed(
        self, int alpha, int beta, int depth, int ply, int kind, Move tt_move, int others, bint exact, Move* best_move
    ) noexcept nogil:
        """Fail-soft score of a node, given `others`: that of all moves whose outcome the mover does not know.

        In each outcome that it dislikes, the mover plays the best of the others instead. If `others` is only an upper
        bound (not `exact`), it serves until a move seems to beat alpha with it; then the score itself is searched.
        """
        cdef StackEntry* here = &self.plies[ply]
        cdef MovePicker picker
        cdef Move move
        cdef bint full_width
        cdef int side = here.side, score, best_score = others
        cdef int below = PV_NODE if kind == PV_NODE else opposite(kind)
        init_picker(&picker, &self.arena, &self.histories, self.plies, ply, tt_move, depth == 0, False)
        while True:
            move = next_move(self.game, &picker) if depth else next_sharp_move(self.game, &picker)
            if not move:
                return best_score
            if not self.postpones(here, move):
                continue
            here.move = move
            here.slot = picker.slot
            here.least = max(others, -SURE_SCORE)
            if not self.game.make(move):
                continue
            self.node_count += 1
            self.plies[ply + 1].pv_length = 0
            score = self.child(side, alpha, beta, depth - 1, ply + 1, below)
            self.game.unmake()
            if self.stopped:
                return 0
            if score > alpha and not exact:
                exact = True
                here.excluded = KNOWN_OUTCOMES
                if depth > 0:
                    score = self.search(-SURE_SCORE - 1, others + 1, depth, ply, ALL_NODE)
                else:
                    # Without the table, which is for all moves.
                    full_width = self.full_width
                    self.full_width = True
                    score = self.quiesce(-SURE_SCORE - 1, others + 1, ply, ALL_NODE)
                    self.full_width = full_width
                here.excluded = NO_MOVE
                if self.stopped:
                    return 0
                others = min(score, others)
                best_score = others
                init_picker(&picker, &self.arena, &self.histories, self.plies, ply, tt_move, depth == 0, False)
                continue
            if score > best_score:
                best_score = score
                if score > alpha:
                    best_move[0] = move
                    if kind == PV_NODE:
                        extend_pv(here, move)
                    if score >= beta:
                        return best_score
                    alpha = score
