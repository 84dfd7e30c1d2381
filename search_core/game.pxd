from libc.stdint cimport int32_t, uint32_t, uint64_t

from search_core.evaluator cimport Evaluator
from search_core.parameters cimport SearchParameters

# A move is any nonzero number below 2**20 that the game can read back: the
# transposition table keeps twenty bits of it.
ctypedef uint32_t Move

cdef enum:
    NO_MOVE = 0
    MAX_PLY = 128

# Scores are centipawns for the side to move. A score beyond MATE_BOUND is a
# forced end: MATE - plies for the winner.
cpdef enum:  # for Python, too
    MATE = 32000
    MATE_BOUND = MATE - 1000
    RULED_SCORE = 28000  # of RULED_WON, below every mate score: RULED_SCORE - plies for the winner
    RULED_BOUND = RULED_SCORE - MAX_PLY
    PENDING_SCORE = 26000  # of PENDING_WON: never the score of a root move
    PENDING_BOUND = PENDING_SCORE - MAX_PLY

cdef enum:
    SURE_SCORE = 20000  # a won game of chance, where scores are win probabilities from -SURE_SCORE to SURE_SCORE
    MAX_OUTCOMES = 16   # of one move

cdef enum:
    INFINITE_SCORE = 32001
    NO_SCORE = 32002

cdef enum Stage:
    NOISY    # captures, and whatever else quiescence must look at
    QUIET    # every other move
    EVASION  # all moves that can answer a check (a threat that loses); used instead of the other two while in_check()
    CHECKS   # the quiet moves that give check; only asked for if parameters.quiet_checks is set

# The end of the game by the rules at a node, besides "no legal move".
cdef enum Outcome:
    ONGOING
    DRAWN
    WON          # by the side to move
    LOST         # by the side to move
    RULED_WON    # by a rule that depends on the moves before this node (perpetual check).
    RULED_LOST   # Decisive, but not a mate: another path to this position may end differently.
    PENDING_WON  # The game goes on. The side to move would win by such a rule if the moves went on as before, but
    PENDING_LOST  # its opponent may still change them.

# Whether passing the turn can serve as a lower bound of a node's score.
cdef enum NullMove:
    NULL_NEVER
    NULL_VERIFIED  # zugzwang is likely: a cut-off is searched again without the pass
    NULL_FREE

# The `depth` at which probe_solver() plays no moves.
cdef enum:
    AT_SIGHT = -1

# A game asks it during a long computation whether to give up.
cdef class Poller:
    cdef bint must_stop(self) noexcept nogil

cdef class Game:
    # `key` is of the full position, turn included. `side` is the team to move,
    # 0 or 1; it may be the same before and after a move.
    cdef readonly uint64_t key
    cdef readonly int side
    # Facts of the game, set once by the constructor.
    cdef readonly int max_moves       # room for what generate() writes: NOISY and QUIET together, or EVASION
    cdef readonly int history_slots   # history_slot() < history_slots
    cdef readonly bint stalemate_is_loss  # no legal move and no check: lost or drawn; in check it is always lost
    cdef readonly bint has_solver         # probe_solver() and solve_root() are worth a call
    cdef readonly bint leaves_are_quiet  # evaluate() needs no quiescence, not even in check
    cdef readonly bint many_quiet_moves  # most nodes need few of theirs, which are then not sorted but chosen from
    cdef readonly bint has_chance        # outcomes() may say more than 1; set by enable_chance()
    # How the search prunes, reduces and extends: the defaults of parameters.py, unless the constructor or tune() set
    # others.
    cdef readonly SearchParameters parameters
    cdef type evaluator_class         # of the game's evaluators; None: evaluate() asks none
    cdef readonly Evaluator evaluator  # set by use_evaluator()
    cdef readonly bint table_first     # the evaluator's: its score costs more than a look into the table
    cdef readonly bint has_policy      # the evaluator's: policy() is worth a call
    # Below full strength: the longest end, in plies, that the solver may report. 0: no limit. Set by weaken().
    cdef readonly int solver_plies

    cdef void enable_chance(self) noexcept
    cdef int generate(self, int stage, Move* moves) noexcept nogil
    cdef int count_legal(self) noexcept nogil
    cdef void order(self, int stage, const Move* moves, int count, int32_t* scores, int32_t* slots) noexcept nogil
    cdef bint make(self, Move move) noexcept nogil
    cdef int outcomes(self, Move move, double* chances) noexcept nogil
    cdef bint make_outcome(self, Move move, int which) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef void make_null(self) noexcept nogil
    cdef void unmake_null(self) noexcept nogil
    cdef int null_move(self) noexcept nogil
    cdef bint pseudo_legal(self, Move move) noexcept nogil
    cdef bint noisy(self, Move move) noexcept nogil
    cdef int gain(self, Move move) noexcept nogil
    cdef bint see_ge(self, Move move, int threshold) noexcept nogil
    cdef bint gives_check(self, Move move) noexcept nogil
    cdef int history_slot(self, Move move) noexcept nogil
    cdef int obscurity(self, Move move) noexcept nogil
    cdef bint relates(self, Move move) noexcept nogil
    cdef int age(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef bint policy(self, const Move* moves, int count, int32_t* scores) noexcept nogil
    cdef bint in_check(self) noexcept nogil
    cdef void begin_root(self) noexcept nogil
    cdef int outcome(self, int ply) noexcept nogil
    cdef bint recurs(self) noexcept nogil
    cdef bint path_allows(self, int plies, int ply) noexcept nogil
    cdef bint one_reply(self) noexcept nogil
    cdef int idleness(self, Move move) noexcept nogil
    cdef int probe_solver(self, int depth, uint64_t* nodes) noexcept nogil
    cdef int solve_root(
        self, uint64_t budget, uint64_t* nodes, Move* line, int* length, Poller poller
    ) noexcept nogil
    cdef int shorten(
        self, int plies, uint64_t budget, uint64_t* nodes, Move* line, int* length, Poller poller
    ) noexcept nogil
    cpdef Game copy(self)
    cpdef Game past_quiet_limit(self)
