"""What a game offers the search.

``docs/adding-a-game.md`` says what each method must do, and
``conformance.check_game`` tests it. The defaults suit a game that needs nothing
special. The methods without a sensible default do nothing: every game overrides them.
"""

from search_core.evaluator cimport Evaluator
from search_core.parameters cimport SearchParameters

from search_core.parts import load_part
from search_core.options import DEFAULT_HASH_MB
from search_core.parameters import PARAMETERS

# A field of the struct that is not in PARAMETERS raises ValueError here.
cdef SearchParameters DEFAULTS = {name: default for name, default, _minimum, _maximum in PARAMETERS}


cdef class Poller:
    """A game asks it during a long computation, at least once a millisecond, whether to give up."""

    cdef bint must_stop(self) noexcept nogil:
        """Whether to give up now, because of a stop or the clock."""
        return False


cdef class Game:
    """A position with its history, on which the search plays.

    Scores are centipawns from the side to move; in a game of chance, win probabilities. Methods are called without
    the GIL and must not raise. A query does not change the answer of any later query.
    """

    def __cinit__(self, *args, **kwargs):
        self.parameters = DEFAULTS

    def tune(self, values) -> None:
        """Set the search parameters that the mapping names, for this object only: a copy() has the game's own.

        Raises KeyError, and changes nothing, if a name is unknown.
        """
        cdef dict parameters = self.parameters
        for name in values:
            if name not in parameters:
                raise KeyError(name)
        self.parameters = {**parameters, **values}

    def use_evaluator(self, Evaluator evaluator not None) -> None:
        """Be evaluated by this evaluator from now on, which no other position has. Raises TypeError for one of another
        game."""
        if not isinstance(evaluator, self.evaluator_class):
            raise TypeError(f"{type(evaluator).__name__} is for positions of another game")
        self.evaluator = evaluator
        self.table_first = evaluator.table_first
        self.has_policy = evaluator.has_policy

    def weaken(self, int solver_plies, seed, int prejudice_permille) -> None:
        """Play below full strength (docs/levels.md), for this object only, as tune().

        `prejudice_permille`: how much too high or low the terms of the evaluation are weighed, at most, the same for
        the same `seed`. A game without an evaluator weighs them right.
        """
        self.solver_plies = solver_plies
        if self.evaluator is not None:
            self.use_evaluator(self.evaluator.weakened(seed, prejudice_permille, self.side))

    def named_move(self, move):
        """The move as Python code gets it: an int, which a game may give a readable text."""
        return move

    def analyse(
        self, *, depth=0, nodes=0, time_ms=0, multipv=1, root_moves=(), threads=1, hash_mb=DEFAULT_HASH_MB
    ):
        """Search this position in the background: an iterator of Info, one for each line as it is found.

        It ends at the first limit that is reached (plies, nodes, milliseconds; 0: none); leaving the loop ends the
        search, too. `root_moves`: only these at the root. `hash_mb`: MiB of the hash table.
        """
        # By name: the engine imports this module.
        limits = load_part("search_core.thinker:Limits")(
            depth=depth, nodes=nodes, soft_ms=time_ms, hard_ms=time_ms, multipv=multipv, root_moves=tuple(root_moves)
        )
        return load_part("search_core.iterations:iterations")(self, limits, threads, hash_mb)

    cdef void enable_chance(self) noexcept:
        """Say that moves may have several outcomes. For __cinit__: sets `has_chance`, and the aspiration window to the
        scale of win probabilities and late-move pruning off."""
        self.has_chance = True
        self.parameters.lmp_minimum = 100
        self.parameters.aspiration_delta = 300
        self.parameters.aspiration_depth = 3
        self.parameters.aspiration_limit = 5000

    cdef int generate(self, int stage, Move* moves) noexcept nogil:
        """Write the pseudo-legal moves of `stage` to `moves`; return how many.

        A game may leave out moves that are not worth a look: those far from all that matters, or all others when one
        wins at once. A legal move that is not in EVASION loses, or a move in EVASION wins at once. QUIET is written
        after the NOISY moves, all within `max_moves`.
        """
        return 0

    cdef int count_legal(self) noexcept nogil:
        """How many legal moves there are, if the game can count them faster than by making each; -1: it cannot."""
        return -1

    cdef void order(
        self, int stage, const Move* moves, int count, int32_t* scores, int32_t* slots
    ) noexcept nogil:
        """Write each move's static ordering score and its history slot.

        History adds up to 65,536 either way to the score of a quiet move or an evasion.
        """
        cdef int i
        for i in range(count):
            scores[i] = 0
            slots[i] = self.history_slot(moves[i])

    cdef bint make(self, Move move) noexcept nogil:
        """Play a move that pseudo_legal() accepts. False: it is illegal and nothing has changed."""
        return False

    cdef int outcomes(self, Move move, double* chances) noexcept nogil:
        """How many outcomes the pseudo-legal move can have, from 1 to MAX_OUTCOMES; 1 is a certain move.

        Writes their chances, which are above 0 and sum to 1; the likeliest is best written first.
        """
        chances[0] = 1
        return 1

    cdef bint make_outcome(self, Move move, int which) noexcept nogil:
        """Play a pseudo-legal move with one of its outcomes, from 0. make() plays outcome 0.

        False: the move is illegal, whatever the outcome, and nothing has changed.
        """
        return self.make(move)

    cdef void unmake(self) noexcept nogil:
        """Take back the last successful make() or make_outcome()."""
        pass

    cdef void make_null(self) noexcept nogil:
        """Pass the turn. Called only where null_move() allows it."""
        pass

    cdef void unmake_null(self) noexcept nogil:
        """Take back the last make_null()."""
        pass

    cdef int null_move(self) noexcept nogil:
        """One of NullMove for this position, which is not in check."""
        return NULL_NEVER

    cdef bint pseudo_legal(self, Move move) noexcept nogil:
        """Whether make() can play or refuse `move`; any 20-bit number may be asked.

        True of every move that generate() writes; of other moves only if the game leaves moves out.
        """
        return False

    cdef bint noisy(self, Move move) noexcept nogil:
        """Whether a move that generate() writes belongs to the NOISY stage. May be asked of any pseudo-legal move."""
        return False

    cdef int gain(self, Move move) noexcept nogil:
        """The most that the move itself can win in material, in centipawns."""
        return 0

    cdef bint see_ge(self, Move move, int threshold) noexcept nogil:
        """Whether the exchange that the move begins wins at least `threshold` centipawns.

        If it is false for a threshold, it is false for all higher ones. Always true in a game without exchanges.
        """
        return self.gain(move) >= threshold

    cdef bint gives_check(self, Move move) noexcept nogil:
        """Whether in_check() would hold after the pseudo-legal move.

        The search prunes such moves less. Where the exact answer costs too much, an estimate does.
        """
        return False

    cdef int history_slot(self, Move move) noexcept nogil:
        """Where history tables keep the move: at least 0, below `history_slots`."""
        return 0

    cdef int obscurity(self, Move move) noexcept nogil:
        """How hard a pseudo-legal move is to see for a person: 0 obvious, 255 hardly anybody sees it.

        A move that answers what the opponent has just done is obvious, such as a recapture. Asked below full strength.
        """
        return 0

    cdef bint relates(self, Move move) noexcept nogil:
        """Whether a person sees at once what the pseudo-legal move has to do with what is on the board. Asked below
        full strength."""
        return True

    cdef int age(self) noexcept nogil:
        """Plies played so far, as far as known. Asked below full strength."""
        return 0

    cdef int evaluate(self) noexcept nogil:
        """Static score of the position for the side to move, between -20000 and 20000."""
        return 0

    cdef bint policy(self, const Move* moves, int count, int32_t* scores) noexcept nogil:
        """Score the QUIET moves in place of order(); False: `scores` are as order() wrote them.

        Asked with `has_policy`. The search adds history, as to the scores of order(); by how far a score is below the
        best, it reduces and leaves out moves (the parameters policy_...).
        """
        return False

    cdef bint in_check(self) noexcept nogil:
        """Whether the side to move must answer a threat that loses the game.

        Asked at every position before a move is made there. A game may find the threat by a search with a budget.
        """
        return False

    cdef void begin_root(self) noexcept nogil:
        """The root moves of a search of this position will be listed next."""

    cdef int outcome(self, int ply) noexcept nogil:
        """One of Outcome. `ply` plies have been made since the root of the search.

        The first query at a node below the root, and the only one if the game has ended.
        """
        return ONGOING

    cdef bint recurs(self) noexcept nogil:
        """Whether this position has occurred before in the game, so that moves after it may end the game by a rule on
        repetitions."""
        return False

    cdef bint path_allows(self, int plies, int ply) noexcept nogil:
        """Whether no rule on the moves before this position can end the game in the next `plies` plies.

        Asked before a score is believed that was found on another path to this position: a forced end in `plies` plies,
        or 0 for any other score, after in_check(). `ply` plies have been made since the root of the search.
        """
        return True

    cdef bint one_reply(self) noexcept nogil:
        """Whether all moves but one lose at once. Asked in check, if forced_reply_extension is set."""
        return False

    cdef int idleness(self, Move move) noexcept nogil:
        """How little an evasion that is yet to be made has to do with the last moves, from 0 to 3. Asked if lmr_idle is
        set."""
        return 0

    cdef int probe_solver(self, int depth, uint64_t* nodes) noexcept nogil:
        """Plies to a forced end that the game can prove by itself, at a cost that suits a node of that depth.

        Positive: the side to move wins; negative: it loses; 0: unknown. Adds the moves that it plays to `nodes`.
        AT_SIGHT: it should cost nothing, as only an end that loses or that comes at once is of interest.
        """
        return 0

    cdef int solve_root(
        self, uint64_t budget, uint64_t* nodes, Move* line, int* length, Poller poller
    ) noexcept nogil:
        """The same at the root, playing at most about `budget` moves; a win's moves are written to `line`.

        Asked again with a larger budget while the search goes on. `line` has room for MAX_PLY moves.
        `poller`, which may be None, says when to give up.
        """
        return 0

    cdef int shorten(
        self, int plies, uint64_t budget, uint64_t* nodes, Move* line, int* length, Poller poller
    ) noexcept nogil:
        """Plies to a shorter win at the root than the known one of `plies`. The rest is as in solve_root().

        0: none was found within the budget; -1: the game cannot find one.
        """
        return -1

    cpdef Game copy(self):
        """An independent copy, history included."""
        raise NotImplementedError

    cpdef Game past_quiet_limit(self):
        """A copy that no number of quiet moves draws, if they soon may; else None.

        The search looks there for a win that runs past the limit, and plays it in place of a draw.
        """
        return None
