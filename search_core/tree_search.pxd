from libc.stdint cimport uint64_t

from search_core.corrections cimport Corrections, learn_correction
from search_core.game cimport (
    DRAWN, LOST, MATE, MAX_PLY, NO_SCORE, PENDING_BOUND, PENDING_SCORE, PENDING_WON, RULED_LOST, RULED_SCORE, RULED_WON,
    SURE_SCORE, WON,
    Game, Move,
)
from search_core.handicap cimport Handicap
from search_core.histories cimport Histories, reward_move_before
from search_core.learnt cimport Learnt
from search_core.limited_search cimport LimitedSearch
from search_core.move_picker cimport MoveArena
from search_core.parameters cimport SearchParameters
from search_core.stack cimport StackEntry
from search_core.transposition_table cimport NO_BOUND, TranspositionTable, TTData, plies_to_end

cdef enum:
    # Plies that quiescence may add below the deepest full-width node.
    DEEPEST = MAX_PLY - 1

# What a node is expected to be, its window apart.
cdef enum NodeKind:
    ALL_NODE  # no move beats alpha
    CUT_NODE  # a move beats beta
    PV_NODE   # in the principal variation

cdef inline int opposite(int kind) noexcept nogil:
    """What the nodes below a node are expected to be, searched in a null window."""
    return kind != CUT_NODE  # CUT_NODE is 1, ALL_NODE 0

cdef class TreeSearch(LimitedSearch):
    cdef Game game
    cdef TranspositionTable table
    cdef public bint full_width   # no selective step: plain alpha-beta
    cdef bint has_chance          # the game's
    cdef bint selective           # neither full width nor a game of chance
    cdef bint asks_solver         # selective, and the game has one
    cdef bint table_first         # the game's

    cdef Handicap handicap        # all zero at full strength
    cdef bint blind               # overlooks() may say yes
    cdef int quiescence_plies     # beyond the depth of the iteration

    cdef public int draw_score
    cdef bint strict          # only the third occurrence of a position may lose by a rule
    cdef uint64_t key_salt
    cdef readonly uint64_t pending_count  # nodes that ended with a repetition which a rule would judge if it went on
    cdef int seldepth
    cdef int root_side
    cdef int root_depth
    cdef int nmp_min_ply      # no null move before this ply while one is verified

    cdef readonly int history_slots
    cdef readonly int max_moves
    cdef StackEntry* plies
    cdef MoveArena arena
    cdef readonly Learnt learnt    # has the next two
    cdef Histories histories
    cdef Corrections* corrections
    cdef int reductions[MAX_PLY][64]  # by depth and number, in hundredths of a ply
    cdef int late_moves[MAX_PLY]   # by depth
    cdef SearchParameters parameters  # the game's

    cdef int allocate(self, Game game, Learnt learnt) except -1
    cdef void adopt_parameters(self) noexcept
    cdef void begin(self) noexcept nogil
    cdef int search(self, int alpha, int beta, int depth, int ply, int kind) noexcept nogil
    cdef int quiesce(self, int alpha, int beta, int ply, int kind) noexcept nogil
    cdef int child(self, int side, int alpha, int beta, int depth, int ply, int kind) noexcept nogil
    cdef int expect(self, int side, int alpha, int beta, int depth, int ply, int kind) noexcept nogil
    cdef void note_outcomes(self, StackEntry* here, Move move) noexcept nogil
    cdef int stuck(self, int ply) noexcept nogil
    cdef bint overlooks(self, int ply, Move move) noexcept nogil
    cdef inline uint64_t table_key(self) noexcept nogil:
        """The position's key in the table. A strict search must not meet the scores of one that is not."""
        return self.game.key ^ self.key_salt
    cdef inline bint believes(self, TTData* hit, int ply) noexcept nogil:
        """Whether a score of the table holds on this path to its position; if not, it loses its bound."""
        if self.game.path_allows(plies_to_end(hit.score), ply):
            return True
        hit.bound = NO_BOUND
        return False
    cdef inline int static_score(self, const TTData* hit) noexcept nogil:
        """The static score of the position, read from its entry of the table if that has one."""
        return hit.static_eval if hit.static_eval != NO_SCORE else self.game.evaluate()
    cdef inline bint settles(self, int outcome, int alpha, int beta) noexcept nogil:
        """Whether an outcome other than ONGOING decides the node's score in this window: ended() gives it.

        A side that has come back to a position by moves that would lose by a rule has gained nothing. In a strict
        search this means a draw at most, and the search goes on, as that side may change its moves.
        """
        if outcome < PENDING_WON:
            return True
        if not self.strict:
            self.pending_count += 1
            return True
        return beta <= self.ended(DRAWN, 0) if outcome == PENDING_WON else alpha >= self.ended(DRAWN, 0)
    cdef inline int ended(self, int outcome, int ply) noexcept nogil:
        """Score of a node that the rules end, for the side to move."""
        if outcome == DRAWN or (self.strict and outcome >= PENDING_WON):
            return self.draw_score if self.game.side == self.root_side else -self.draw_score
        if self.has_chance:
            return SURE_SCORE if outcome == WON or outcome == RULED_WON else -SURE_SCORE
        if outcome == WON:
            return MATE - ply
        if outcome == LOST:
            return ply - MATE
        if outcome == RULED_WON:
            return RULED_SCORE - ply
        if outcome == RULED_LOST:
            return ply - RULED_SCORE
        return PENDING_SCORE - ply if outcome == PENDING_WON else ply - PENDING_SCORE
    cdef inline int solved(self, int depth, int ply) noexcept nogil:
        """Score of a node whose end Game.probe_solver() proves, else NO_SCORE. Its moves are counted as nodes."""
        cdef uint64_t before = self.node_count
        cdef int plies = self.game.probe_solver(depth, &self.node_count)
        self.solver_node_count += self.node_count - before
        if plies == 0:
            return NO_SCORE
        return MATE - ply - plies if plies > 0 else ply - plies - MATE
    cdef inline int descend(self, int side, int alpha, int beta, int depth, int ply, int kind) noexcept nogil:
        """Score of the current position from `side`'s point of view; quiescence without depth."""
        if self.game.side == side:
            return self.search(alpha, beta, depth, ply, kind) if depth > 0 else self.quiesce(alpha, beta, ply, kind)
        if depth > 0:
            return -self.search(-beta, -alpha, depth, ply, kind)
        return -self.quiesce(-beta, -alpha, ply, kind)


cdef inline int most_moves(TreeSearch search, int depth, bint improving, bint has_policy) noexcept nogil:
    """How many moves a node looks at before late-move pruning leaves out the quiet ones."""
    cdef int most = (search.late_moves[depth] >> (not improving)) + search.parameters.lmp_minimum
    return most + search.parameters.policy_late_moves if has_policy else most


cdef inline int late_reduction(TreeSearch search, int depth, int number, int gap) noexcept nogil:
    """By how many hundredths of a ply a late move is searched less, before what else is known of it. `gap`: as
    policy_gap()."""
    cdef int hundredths = search.reductions[depth][min(number, 63)]
    if gap >= 0:
        hundredths += gap * search.parameters.policy_reduction // 10_000 - search.parameters.policy_credit
    return max(hundredths, 0)


cdef inline bint is_unlikely(TreeSearch search, int depth, int gap) noexcept nogil:
    """Whether a node of this depth leaves out a move for its gap, as policy_gap()."""
    return gap > search.parameters.policy_pruning_base + search.parameters.policy_pruning_margin * depth


cdef inline int history_plies(TreeSearch search, int history) noexcept nogil:
    """By how many plies a quiet move's history changes its late-move reduction; positive: it is reduced less."""
    # In hundredths of a ply it did not gain: -16 +- 26 Elo (600 games, 30,000 nodes).
    cdef int most = search.parameters.lmr_history_max
    return max(min(history // search.parameters.lmr_history_divisor, most), -most)


cdef inline void learn_from_score(
    TreeSearch search, int ply, int depth, int score, Move best_move, int beta
) noexcept nogil:
    """Learn from a node's score, of the move before it and of its static evaluation."""
    cdef const StackEntry* here = &search.plies[ply]
    cdef const StackEntry* parent = &search.plies[ply - 1]
    if (
        search.parameters.history_fail_low_bonus and not best_move
        and parent.move and not parent.noisy and parent.slot >= 0
    ):
        reward_move_before(
            &search.histories, search.plies, ply,
            min(search.parameters.history_fail_low_bonus * depth, search.parameters.history_fail_low_max),
        )
    if (
        search.parameters.correction_weight and not here.in_check and -PENDING_BOUND < score < PENDING_BOUND
        # What a capture wins is no fault of the evaluation, and a bound on its side of it says nothing.
        and not (best_move and search.game.noisy(best_move))
        and not (score >= beta and score <= here.static_eval) and not (not best_move and score >= here.static_eval)
    ):
        learn_correction(search.corrections, search.plies, ply, score - here.static_eval, depth)
