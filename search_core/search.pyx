"""Iterative-deepening principal variation search over any Game.

One Search belongs to one thread; the threads of a Lazy SMP search share a
TranspositionTable and Signals and otherwise know nothing of each other. The selective steps
are the field's common ones; see https://www.chessprogramming.org for each name.
"""

from libc.math cimport log, pow
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset

from search_core.check cimport sanqi_check
from search_core.game cimport (
    DRAWN, EVASION, INFINITE_SCORE, LOST, MATE, MATE_BOUND, MAX_PLY, NO_MOVE, NO_SCORE, NOISY,
    NULL_NEVER, NULL_VERIFIED, ONGOING, QUIET, RULED_SCORE, RULED_WON, WON,
    Game, Move, Poller,
)
from search_core.histories cimport (
    allocate_histories, apply_bonus, clear_histories, free_histories, quiet_history, update_histories,
)
from search_core.move_picker cimport PICK_LOSING, MovePicker, init_picker, next_move
from search_core.parameters cimport SearchParameters
from search_core.stack cimport StackEntry, extend_pv, last_own_ply
from search_core.transposition_table cimport (
    EXACT, LOWER, UPPER, TTData, TranspositionTable, bound_of, decides, from_table, to_table,
)

cdef extern from "platform.h" nogil:
    int sanqi_load(int* flag)
    void sanqi_store(int* flag, int value)
    int sanqi_load_acquire(int* flag)
    void sanqi_store_release(int* flag, int value)
    int64_t sanqi_load_i64(int64_t* number)
    void sanqi_store_i64(int64_t* number, int64_t value)
    uint64_t sanqi_load64(const uint64_t* word)
    void sanqi_store64(uint64_t* word, uint64_t value)
    int64_t sanqi_clock_ns()

cdef enum:
    # Plies that quiescence may add below the deepest full-width node.
    DEEPEST = MAX_PLY - 1
    HISTORY_LIMIT = 16384
    # Nodes between two looks at the clock: 0.3 ms at 3 million nodes/s.
    POLL_INTERVAL = 1024
    # A stop waits until quiescence has seen every root move once, but for no more nodes than these.
    FIRST_LOOK = 8192
    # More than an exchange can lose, in centipawns.
    LARGEST_LOSS = 1024

cdef class Signals:
    """Stop and ponder flags and the clock's start, shared between threads."""

    def __cinit__(self, bint pondering=False):
        self.ponder_flag = pondering
        self.clock_start_ns = sanqi_clock_ns()

    def stop(self) -> None:
        """Make every search end at its next node."""
        sanqi_store(&self.stop_flag, 1)

    def ponderhit(self) -> None:
        """Start the clock now and let the limits of time apply."""
        sanqi_store_i64(&self.clock_start_ns, sanqi_clock_ns())
        sanqi_store_release(&self.ponder_flag, 0)  # whoever sees it sees the clock

    @property
    def pondering(self) -> bool:
        """Whether the clock does not count yet."""
        return self.is_pondering()

    @property
    def stopped(self) -> bool:
        """Whether stop() was called."""
        return sanqi_load(&self.stop_flag) != 0

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds since the clock's start."""
        return self.elapsed_ns() // 1000000

    cdef bint is_pondering(self) noexcept nogil:
        return sanqi_load_acquire(&self.ponder_flag) != 0

    cdef int64_t elapsed_ns(self) noexcept nogil:
        return sanqi_clock_ns() - sanqi_load_i64(&self.clock_start_ns)


cdef class Search(Poller):
    """One thread's search.

    Parameters
    ----------
    game : Game
        Used as the scratch board; pass a copy.
    table : TranspositionTable
        Shared by all threads.
    signals : Signals
        Shared by all threads.
    report : callable or None
        Called with (depth, seldepth, line, score, bound, nodes, elapsed_ms, hashfull, pv) as
        results come; `line` counts from 0, `bound` is "exact", "lower" or "upper".

    The search with `thread_index` 0 keeps the limits. The others are its helpers: they run until stopped or out
    of depth.

    Histories survive from one run to the next; clear() clears them.
    """

    def __cinit__(self, Game game not None, TranspositionTable table not None, Signals signals not None, report=None):
        self.game = game
        self.table = table
        self.signals = signals
        self.report = report
        self.full_width = False
        self.multipv = 1
        self.depth_limit = DEEPEST
        self.history_slots = game.history_slots
        self.max_moves = game.max_moves
        self.root_moves = <RootMove*> calloc(self.max_moves, sizeof(RootMove))
        self.plies = <StackEntry*> calloc(MAX_PLY + 2, sizeof(StackEntry))
        self.arena.max_moves = self.max_moves
        self.arena.moves = <Move*> calloc((MAX_PLY + 1) * self.max_moves, sizeof(Move))
        self.arena.scores = <int32_t*> calloc((MAX_PLY + 1) * self.max_moves, sizeof(int32_t))
        self.arena.slots = <int32_t*> calloc((MAX_PLY + 1) * self.max_moves, sizeof(int32_t))
        if (
            not allocate_histories(&self.histories, self.history_slots) or self.root_moves == NULL
            or self.plies == NULL or self.arena.moves == NULL or self.arena.scores == NULL or self.arena.slots == NULL
        ):
            raise MemoryError("no memory for a search thread")
        self.adopt_parameters()

    def __dealloc__(self):
        free(self.root_moves)
        free(self.plies)
        free(self.arena.moves)
        free(self.arena.scores)
        free(self.arena.slots)
        free_histories(&self.histories)

    def set_root(self, Game game not None, TranspositionTable table not None, Signals signals not None, report) -> None:
        """Take the next position to search; a game of the same kind as before."""
        if game.history_slots != self.history_slots or game.max_moves != self.max_moves:
            raise ValueError("this search was made for another game")
        self.game = game
        self.table = table
        self.signals = signals
        self.report = report
        if memcmp(&self.parameters, &game.parameters, sizeof(SearchParameters)) != 0:
            self.adopt_parameters()

    cdef void adopt_parameters(self) noexcept:
        """Take the game's parameters, and compute the tables that hang on them."""
        cdef int depth, number
        self.parameters = self.game.parameters
        for depth in range(1, MAX_PLY):
            self.late_moves[depth] = self.parameters.lmp_base + <int> pow(depth, self.parameters.lmp_power / 100.0)
            for number in range(1, 64):
                self.reductions[depth][number] = <int> (
                    self.parameters.lmr_base / 100.0
                    + log(depth) * log(number) / (self.parameters.lmr_divisor / 100.0)
                )

    def clear(self) -> None:
        """Clear what was learnt of move ordering."""
        clear_histories(&self.histories)

    def init_root_moves(self, only=(), excluded=()) -> int:
        """List the legal root moves, only those of `only` (if any), none of `excluded`; return how many.

        They are in the order of their static scores, best first.
        """
        cdef Move* moves = self.arena.moves
        cdef Move* listed = self.arena.moves + self.max_moves
        cdef int32_t* scores = self.arena.scores
        cdef int i, j, count, stage, score
        cdef int stages[3]
        cdef Move move
        cdef RootMove* line
        stages[0] = EVASION
        stages[1] = NOISY
        stages[2] = QUIET
        self.root_count = 0
        sanqi_store64(&self.published_nodes, 0)
        self.root_side = self.game.side
        self.filtered = bool(only) or bool(excluded)
        for stage in range(0 if self.game.in_check() else 1, 3):
            # A move that does not answer the threat may be legal, and be asked for or all that is left (renju).
            if stage == 1 and self.root_count:
                break
            count = self.game.generate(stages[stage], moves)
            sanqi_check(0 <= count <= self.max_moves, b"generate() writes max_moves at most")
            for i in range(count):
                move = moves[i]
                sanqi_check(0 < move < 1 << 20, b"a move is a number below 2**20")
                if (only and move not in only) or move in excluded or not self.score_statically(move, &score):
                    continue
                j = self.root_count
                while j > 0 and scores[j - 1] < score:
                    listed[j] = listed[j - 1]
                    scores[j] = scores[j - 1]
                    j -= 1
                sanqi_check(self.root_count < self.max_moves, b"there are max_moves root moves at most")
                listed[j] = move
                scores[j] = score
                self.root_count += 1
        for i in range(self.root_count):
            line = &self.root_moves[i]
            memset(line, 0, sizeof(RootMove))
            line.move = listed[i]
            line.score = scores[i]
            line.previous_score = scores[i]
            line.pv_length = 1
            line.pv[0] = listed[i]
        return self.root_count

    cdef bint score_statically(self, Move move, int* score) noexcept nogil:
        """Write a root move's score without a search; False: the move is illegal.

        The static evaluation after the move, less what the exchange on its target gives back.
        """
        cdef int loss = self.exchange_loss(move), outcome, value
        if not self.game.make(move):
            return False
        outcome = self.game.outcome(1)
        value = self.game.evaluate() if outcome == ONGOING else self.ended(outcome, 1)
        if self.game.side != self.root_side:
            value = -value
        self.game.unmake()
        score[0] = value - loss if outcome == ONGOING else value
        return True

    cdef int exchange_loss(self, Move move) noexcept nogil:
        """Centipawns of the move's gain that the exchange on its target loses again, to the next 16."""
        cdef int gain = self.game.gain(move), low = gain - LARGEST_LOSS, high = gain, middle
        if self.game.see_ge(move, gain):
            return 0
        while high - low > 16:
            middle = (low + high) // 2
            if self.game.see_ge(move, middle):
                low = middle
            else:
                high = middle
        return gain - low

    @property
    def nodes(self) -> int:
        """Nodes so far, safe to ask from any thread."""
        return sanqi_load64(&self.published_nodes)

    def run(self) -> None:
        """Search the prepared root until a limit or a stop. Releases the GIL.

        Raises what `report` raised, which ends the search.
        """
        self.failure = None
        with nogil:
            self.iterate()
            sanqi_store64(&self.published_nodes, self.node_count)
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure

    def lines(self) -> list:
        """The root moves, best first, as (score, pv) pairs of the last iteration."""
        return [
            (self.root_moves[i].score, tuple(self.root_moves[i].pv[j] for j in range(self.root_moves[i].pv_length)))
            for i in range(self.root_count)
        ]

    # ---------------------------------------------------------------- root

    cdef void iterate(self) noexcept nogil:
        cdef int depth, i, lines, best_move_stability = 0, score, last_score = 0
        cdef int64_t elapsed
        cdef double time_factor
        cdef uint64_t nodes_before
        cdef Move best = NO_MOVE
        self.node_count = 0
        self.next_poll = 0
        self.stopped = False
        self.seen_all = False
        self.completed_depth = 0
        self.nmp_min_ply = 0
        memset(self.plies, 0, (MAX_PLY + 2) * sizeof(StackEntry))
        if self.root_count == 0:
            return
        lines = min(self.multipv, self.root_count)
        for depth in range(1, min(self.depth_limit, DEEPEST) + 1):
            if lines == 1 and self.proves_root():
                self.shorten_win(depth)
                self.report_pv(depth, 0, EXACT)
                break
            # Half of the helper threads run a ply ahead, so that they do not all search the same tree.
            if self.thread_index & 1 and depth > 1 and depth & 1 and depth < self.depth_limit:
                continue
            self.root_depth = depth
            nodes_before = self.node_count
            for i in range(self.root_count):
                self.root_moves[i].previous_score = self.root_moves[i].score
                self.root_moves[i].nodes = 0
            for self.line_index in range(lines):
                self.seldepth = 0
                self.aspiration_search(depth)
                self.seen_all = self.seen_all or not self.stopped
                # A later line can come out above an earlier one.
                self.sort_root(0, self.line_index + 1)
                if self.stopped:
                    break
            if self.stopped and depth > 1:
                break
            # Of the first iteration, which may have been broken off, the lines that it has finished.
            for i in range(self.line_index if self.stopped else lines):
                self.report_pv(depth, i, EXACT)
            if self.stopped:
                break
            self.completed_depth = depth
            if self.is_helper():
                continue

            score = self.root_moves[0].score
            if self.mate_limit and score >= MATE - (2 * self.mate_limit - 1):
                break
            if self.node_limit and self.node_count >= self.node_limit:
                break
            best_move_stability = best_move_stability + 1 if self.root_moves[0].move == best else 0
            best = self.root_moves[0].move
            # A soft limit that equals the hard one means to use all of the time.
            if 0 < self.soft_ns != self.hard_ns and not self.signals.is_pondering():
                elapsed = self.signals.elapsed_ns()
                # Longer while the choice changes or the score falls, shorter
                # while one move takes nearly all nodes.
                time_factor = 1.35 - 0.09 * min(best_move_stability, 7)
                if depth > 5 and score < last_score - 20:
                    time_factor += min(last_score - score, 100) / 200.0
                time_factor *= 1.6 - 0.9 * self.root_moves[0].nodes / <double> max(self.node_count - nodes_before, 1)
                if self.root_count == 1 and depth >= 4:
                    time_factor = 0
                if elapsed > time_factor * self.soft_ns:
                    break
                # A proven mate found this deep will not get shorter.
                if score >= MATE_BOUND and depth > 2 * (MATE - score) + 2:
                    break
            last_score = score

    cdef bint proves_root(self) noexcept nogil:
        """Whether a forced win is known, by the last iteration or by the game itself; it is the first root move then.

        Asked before each iteration; the game may play as many moves as a part of the nodes searched so far.
        """
        cdef uint64_t budget = max(self.node_count // 4, 2000)
        cdef Move line[MAX_PLY]
        cdef int plies, length
        if not self.game.has_solver or self.full_width or self.is_helper():
            return False
        if self.completed_depth > 0 and self.root_moves[0].score >= MATE_BOUND:
            return True
        budget = min(budget, 50000)
        if self.hard_ns:
            budget = min(budget, <uint64_t> (self.hard_ns // 20000))
            budget = min(budget, <uint64_t> (self.remaining_ns() // 4000))
        if self.node_limit:
            budget = min(budget, self.node_limit // 8)
        plies = self.game.solve_root(budget, &self.node_count, line, &length, self)
        sanqi_check(0 <= length <= MAX_PLY, b"solve_root() writes MAX_PLY moves at most")
        return plies > 0 and self.adopt_win(plies, line, length)

    cdef void shorten_win(self, int depth) noexcept nogil:
        """Look for a shorter win than the first root move's, for a fifth of the turn at most.

        The game looks first, then the search, depth by depth: nothing longer
        than the known win is visited there, so little is left of the tree.
        """
        cdef uint64_t budget = 2000, start = self.node_count, share = max(start // 4, 100000)
        cdef int64_t start_ns = self.signals.elapsed_ns()
        cdef int64_t share_ns = (self.soft_ns if self.soft_ns else self.hard_ns) // 5
        cdef Move line[MAX_PLY]
        cdef int plies, length, i = 2
        cdef RootMove known
        self.completed_depth = depth  # there is a move to play, so the limits hold
        self.seen_all = True
        if share_ns:
            self.hard_ns = min(self.hard_ns, start_ns + share_ns) if self.hard_ns else start_ns + share_ns
        if self.node_limit:
            share = self.node_limit // 5
            self.node_limit = min(self.node_limit, start + share)
        elif not share_ns:
            self.node_limit = start + share
        self.poll()
        # The game has half of the share.
        while not self.stopped and (
            self.node_count - start < share // 2 if not share_ns else 2 * self.remaining_ns() > share_ns
        ):
            plies = self.game.shorten(MATE - self.root_moves[0].score, budget, &self.node_count, line, &length, self)
            sanqi_check(0 <= length <= MAX_PLY, b"shorten() writes MAX_PLY moves at most")
            if plies < 0 or (plies > 0 and not self.adopt_win(plies, line, length)):
                break
            budget = min(2 * budget, 50000)
            self.poll()
        while i < min(2 * (MATE - self.root_moves[0].score) + 2, self.depth_limit + 1) and not self.stopped:
            self.line_index = 0
            self.root_depth = i
            self.seldepth = 0
            known = self.root_moves[0]
            self.search_root(known.score, INFINITE_SCORE, i)
            if self.root_moves[0].score <= known.score:
                self.adopt_win(MATE - known.score, known.pv, known.pv_length)
                if not self.filtered:
                    self.table.store(self.game.key, known.move, known.score, i, EXACT)
            i += 1

    cdef bint adopt_win(self, int plies, const Move* line, int length) noexcept nogil:
        """Make a win's first move the first root move; False if it is not to be considered."""
        cdef int i, j
        cdef RootMove won
        if length == 0:
            return False
        for i in range(self.root_count):
            if self.root_moves[i].move == line[0]:
                won = self.root_moves[i]
                for j in range(i, 0, -1):
                    self.root_moves[j] = self.root_moves[j - 1]
                won.score = MATE - plies
                won.seldepth = plies
                won.pv_length = length
                for j in range(length):
                    won.pv[j] = line[j]
                self.root_moves[0] = won
                return True
        return False

    cdef int aspiration_search(self, int depth) noexcept nogil:
        """Search one line at one depth, widening a window around its last score."""
        cdef int alpha = -INFINITE_SCORE, beta = INFINITE_SCORE, delta = self.parameters.aspiration_delta
        cdef int score, center = self.root_moves[self.line_index].previous_score, reduced = 0
        if depth >= self.parameters.aspiration_depth and -RULED_SCORE < center < RULED_SCORE:
            alpha = max(center - delta, -INFINITE_SCORE)
            beta = min(center + delta, INFINITE_SCORE)
        while True:
            score = self.search_root(alpha, beta, max(depth - reduced, 1))
            if self.stopped:
                return score
            if score <= alpha and alpha > -INFINITE_SCORE:
                if not self.is_helper():
                    self.report_pv(depth, self.line_index, UPPER)
                beta = (alpha + beta) // 2
                alpha = max(score - delta, -INFINITE_SCORE)
                reduced = 0
            elif score >= beta and beta < INFINITE_SCORE:
                if not self.is_helper():
                    self.report_pv(depth, self.line_index, LOWER)
                beta = min(score + delta, INFINITE_SCORE)
                if not self.full_width and reduced < self.parameters.aspiration_reduction and score < RULED_SCORE:
                    reduced += 1
            else:
                return score
            delta += delta * self.parameters.aspiration_growth // 100
            if delta > self.parameters.aspiration_limit:
                alpha = -INFINITE_SCORE
                beta = INFINITE_SCORE

    cdef int search_root(self, int alpha, int beta, int depth) noexcept nogil:
        cdef int i, j, score, best_score = -INFINITE_SCORE, reduction, new_depth, side = self.game.side
        cdef int number = 0, old_alpha = alpha
        cdef uint64_t before
        cdef RootMove* line
        cdef StackEntry* here = &self.plies[0]
        cdef bint noisy
        here.in_check = self.game.in_check()
        here.static_eval = NO_SCORE if here.in_check else self.game.evaluate()
        here.side = side
        for i in range(self.line_index, self.root_count):
            line = &self.root_moves[i]
            number += 1
            noisy = self.game.noisy(line.move)
            here.move = line.move
            here.slot = self.game.history_slot(line.move)
            sanqi_check(0 <= here.slot < self.history_slots, b"history_slot() is below history_slots")
            if not self.game.make(line.move):
                continue
            self.node_count += 1
            before = self.node_count
            self.plies[1].pv_length = 0
            new_depth = depth - 1
            if number == 1:
                score = self.child(side, alpha, beta, new_depth, 1, False)
            else:
                reduction = 0
                if (
                    not self.full_width and not noisy
                    and depth >= self.parameters.lmr_root_depth and number > self.parameters.lmr_root_moves
                    and (self.parameters.lmr_checks_at_root or not self.game.in_check())
                ):
                    reduction = max(self.reductions[depth][min(number, 63)] - 1, 0)
                score = self.child(side, alpha, alpha + 1, new_depth - reduction, 1, True)
                if score > alpha and reduction and not self.stopped:
                    score = self.child(side, alpha, alpha + 1, new_depth, 1, True)
                if alpha < score < beta and not self.stopped:
                    score = self.child(side, alpha, beta, new_depth, 1, False)
            self.game.unmake()
            line.nodes += self.node_count - before
            if self.stopped:
                break
            if number == 1 or score > alpha:
                line.score = score
                line.seldepth = self.seldepth
                line.pv_length = 1 + self.plies[1].pv_length
                for j in range(self.plies[1].pv_length):
                    line.pv[j + 1] = self.plies[1].pv[j]
            else:
                line.score = -INFINITE_SCORE
            if score > best_score:
                best_score = score
                if score > alpha:
                    alpha = score
                    if score >= beta:
                        break
        # The move that a stop interrupted still holds the last iteration's score.
        if self.stopped:
            number -= 1
        self.sort_root(self.line_index, self.line_index + number)
        # Only a full list of moves says something about the position itself.
        if not self.stopped and self.line_index == 0 and not self.filtered:
            self.table.store(
                self.game.key, self.root_moves[0].move, best_score, depth,
                bound_of(best_score, old_alpha, beta, True),
            )
        return best_score

    cdef void sort_root(self, int begin, int end) noexcept nogil:
        # Stable, so that moves which failed low keep the order of earlier iterations.
        cdef int i, j
        cdef RootMove moved
        for i in range(begin + 1, end):
            j = i
            moved = self.root_moves[i]
            while j > begin and self.root_moves[j - 1].score < moved.score:
                self.root_moves[j] = self.root_moves[j - 1]
                j -= 1
            self.root_moves[j] = moved

    # ---------------------------------------------------------------- tree

    cdef int child(self, int side, int alpha, int beta, int depth, int ply, bint cut_node) noexcept nogil:
        """Score of the position after a move of `side`, from `side`'s point of view; quiescence without depth.

        The only place that knows whether the turn changed: a side whose
        opponent is skipped moves twice running and keeps sign and window.
        """
        if self.game.side == side:
            return self.search(alpha, beta, depth, ply, cut_node) if depth > 0 else self.quiesce(alpha, beta, ply)
        return -(self.search(-beta, -alpha, depth, ply, cut_node) if depth > 0 else self.quiesce(-beta, -alpha, ply))

    cdef int ended(self, int outcome, int ply) noexcept nogil:
        """Score of a node that the rules end, for the side to move."""
        if outcome == DRAWN:
            return self.draw_score if self.game.side == self.root_side else -self.draw_score
        if outcome == WON:
            return MATE - ply
        if outcome == LOST:
            return ply - MATE
        if outcome == RULED_WON:
            return RULED_SCORE - ply
        return ply - RULED_SCORE

    cdef int proven(self, int plies, int ply) noexcept nogil:
        """Score of a node that the game has proven to end so many plies later."""
        return MATE - ply - plies if plies > 0 else ply - plies - MATE

    cdef int stuck(self, int ply) noexcept nogil:
        """Score of a node without a legal move: in check it is lost in every game."""
        return self.ended(LOST if self.game.stalemate_is_loss or self.plies[ply].in_check else DRAWN, ply)

    cdef int search(self, int alpha, int beta, int depth, int ply, bint cut_node) noexcept nogil:
        """Principal variation search below the root, `depth` at least 1; a fail-soft score for the side to move."""
        cdef bint pv_node = beta - alpha > 1
        cdef StackEntry* here = &self.plies[ply]
        cdef StackEntry* parent = &self.plies[ply - 1]
        cdef TTData hit
        cdef bint known, in_check, improving, noisy, checks, full_search, hopeless
        cdef MovePicker picker
        cdef Move move, best_move = NO_MOVE, tt_move = NO_MOVE
        cdef Move excluded = here.excluded
        cdef int side = self.game.side
        cdef int score, best_score = -INFINITE_SCORE, old_alpha = alpha
        cdef int static_eval, evaluation, tt_score = NO_SCORE, outcome, null_kind
        cdef int number = 0, tried = 0, extension, new_depth, reduction, lmr_depth, margin, slot, history
        cdef int quiet_count = 0, noisy_count = 0, back
        cdef int32_t quiets[48]
        cdef int32_t noisies[24]

        sanqi_check(0 < ply <= DEEPEST, b"the search is DEEPEST plies deep at most")
        here.pv_length = 0
        if self.node_count >= self.next_poll:
            self.poll()
        if self.stopped:
            return 0
        if ply > self.seldepth:
            self.seldepth = ply

        outcome = self.game.outcome(ply)
        if outcome != ONGOING:
            return self.ended(outcome, ply)
        in_check = self.game.in_check()
        if ply >= DEEPEST:
            return 0 if in_check else self.game.evaluate()
        if not self.full_width:
            # Mate distance: no line from here can beat a shorter mate already found.
            if alpha < ply - MATE:
                alpha = ply - MATE
            if beta > MATE - ply - 1:
                beta = MATE - ply - 1
            if alpha >= beta:
                return alpha

        here.side = side
        here.in_check = in_check
        hit.depth = 0
        hit.bound = 0
        hit.score = NO_SCORE
        known = False
        # While the table's cache line is on its way: measured 5 % faster than to ask the table first
        # and to evaluate only what it does not know.
        static_eval = NO_SCORE
        if not in_check:
            static_eval = here.static_eval if excluded else self.game.evaluate()
        if not excluded:
            known = self.table.probe(self.game.key, &hit)
            if known:
                if hit.move and self.game.pseudo_legal(hit.move):
                    tt_move = hit.move
                tt_score = from_table(hit.score, ply)
                if (
                    not pv_node
                    and (hit.depth == depth if self.full_width else hit.depth >= depth)
                    and decides(&hit, tt_score, beta)
                ):
                    if tt_move and tt_score >= beta and not self.game.noisy(tt_move):
                        slot = self.game.history_slot(tt_move)
                        sanqi_check(0 <= slot < self.history_slots, b"history_slot() is below history_slots")
                        apply_bonus(
                            &self.histories.quiet[slot],
                            min(self.parameters.history_tt_bonus * depth, self.parameters.history_tt_bonus_max),
                        )
                    return tt_score
            if self.game.has_solver and not self.full_width:
                outcome = self.game.probe_solver(depth, &self.node_count)
                if outcome:
                    return self.proven(outcome, ply)

        # ------------------------------------------------ static evaluation
        improving = False
        evaluation = -INFINITE_SCORE
        if not in_check:
            evaluation = static_eval
            if known and decides(&hit, tt_score, static_eval + 1):
                evaluation = tt_score
            back = last_own_ply(self.plies, ply, side)
            if back >= 0 and self.plies[back].in_check:
                back = last_own_ply(self.plies, back, side)
            if back >= 0 and not self.plies[back].in_check:
                improving = static_eval > self.plies[back].static_eval
        here.static_eval = static_eval
        self.plies[ply + 1].excluded = NO_MOVE

        # ------------------------------------------------ whole-node pruning
        if not self.full_width and not in_check and not excluded:
            if (
                not pv_node and depth <= self.parameters.razor_depth
                and evaluation + self.parameters.razor_margin * depth < alpha
            ):
                score = self.quiesce(alpha, alpha + 1, ply)
                if score <= alpha:
                    return score
            if (
                not pv_node and depth <= self.parameters.rfp_depth
                and evaluation < RULED_SCORE and beta > -RULED_SCORE
                and evaluation - self.parameters.rfp_margin * (depth - improving) >= beta
            ):
                return (evaluation + beta) // 2
            if (
                not pv_node and depth >= self.parameters.nmp_depth and evaluation >= beta
                and static_eval >= beta - self.parameters.nmp_depth_margin * depth + self.parameters.nmp_margin
                and parent.move and ply >= self.nmp_min_ply and beta > -RULED_SCORE
            ):
                null_kind = self.game.null_move()
                if null_kind != NULL_NEVER:
                    reduction = self.parameters.nmp_base + depth // self.parameters.nmp_depth_divisor + min(
                        (evaluation - beta) // self.parameters.nmp_eval_divisor, self.parameters.nmp_eval_max
                    )
                    here.move = NO_MOVE
                    here.slot = -1
                    self.game.make_null()
                    self.table.prefetch(self.game.key)
                    score = self.child(side, beta - 1, beta, depth - reduction, ply + 1, not cut_node)
                    self.game.unmake_null()
                    if self.stopped:
                        return 0
                    if score >= beta:
                        if score >= RULED_SCORE:
                            score = beta
                        if null_kind != NULL_VERIFIED and depth < self.parameters.nmp_verification_depth:
                            return score
                        back = self.nmp_min_ply
                        self.nmp_min_ply = ply + (depth - reduction) * 3 // 4 + 1
                        margin = self.search(beta - 1, beta, max(depth - reduction, 1), ply, False)
                        self.nmp_min_ply = back
                        if self.stopped:
                            return 0
                        if margin >= beta:
                            return score
                        here.static_eval = static_eval
            # ProbCut: a good capture that beats beta by a margin in a reduced search.
            margin = beta + self.parameters.probcut_margin
            if (
                not pv_node and depth >= self.parameters.probcut_depth
                and margin < RULED_SCORE - 30 and beta > -RULED_SCORE
                and not (known and hit.depth > depth - self.parameters.probcut_reduction and tt_score < margin)
            ):
                init_picker(
                    &picker, &self.arena, &self.histories, self.plies, ply,
                    tt_move if tt_move and self.game.noisy(tt_move) else NO_MOVE, True,
                )
                while True:
                    move = next_move(self.game, &picker)
                    if not move:
                        break
                    if not self.game.see_ge(move, margin - static_eval):
                        continue
                    slot = picker.slot
                    if not self.game.make(move):
                        continue
                    self.node_count += 1
                    here.move = move
                    here.slot = slot
                    self.table.prefetch(self.game.key)
                    self.plies[ply + 1].pv_length = 0
                    score = self.child(side, margin - 1, margin, 0, ply + 1, not cut_node)
                    if score >= margin:
                        score = self.child(
                            side, margin - 1, margin, depth - self.parameters.probcut_reduction, ply + 1, not cut_node
                        )
                    self.game.unmake()
                    if self.stopped:
                        return 0
                    if score >= margin:
                        self.table.store(
                            self.game.key, move, to_table(score, ply),
                            depth - self.parameters.probcut_reduction + 1, LOWER,
                        )
                        return score

        # Internal iterative reduction: without a move to try first, search less.
        if (
            not self.full_width and depth >= self.parameters.iir_depth and not tt_move and not excluded
            and (pv_node or cut_node)
        ):
            depth -= 1

        # ------------------------------------------------ moves
        init_picker(&picker, &self.arena, &self.histories, self.plies, ply, tt_move, False)
        # So far below alpha that no quiet move will be searched: none need be generated.
        hopeless = (
            not self.full_width and not pv_node and not in_check and depth <= self.parameters.skip_quiets_depth
            and static_eval + self.parameters.futility_base + self.parameters.futility_margin * depth
            + self.parameters.skip_quiets_margin <= alpha
        )
        while True:
            if hopeless and best_score > -RULED_SCORE:
                picker.skip_quiets = True
            move = next_move(self.game, &picker)
            if not move:
                break
            if move == excluded:
                continue
            slot = picker.slot
            number += 1
            noisy = self.game.noisy(move)
            extension = 0
            checks = False

            if not self.full_width and best_score > -RULED_SCORE and ply > 0:
                reduction = self.reductions[depth][min(number, 63)]
                lmr_depth = max(depth - reduction, 0)
                if not noisy:
                    history = quiet_history(&self.histories, picker.continuation, slot)
                    if not in_check:
                        if (
                            not pv_node and number
                            > self.late_moves[depth] // (1 if improving else 2) + self.parameters.lmp_minimum
                        ):
                            picker.skip_quiets = True
                            if not self.game.gives_check(move):
                                continue
                            checks = True
                        elif (
                            depth <= self.parameters.history_pruning_depth
                            and history < -self.parameters.history_pruning_margin * depth
                        ):
                            continue
                        if (
                            not checks and lmr_depth <= self.parameters.futility_depth
                            and static_eval + self.parameters.futility_base
                            + self.parameters.futility_margin * lmr_depth
                            + history // self.parameters.futility_history_divisor <= alpha
                            and not self.game.gives_check(move)
                        ):
                            if not pv_node:
                                picker.skip_quiets = True
                            continue
                    elif self.parameters.prune_late_evasions and not pv_node and number > 1 + depth // 2:
                        continue
                    # A sacrifice with check may be the first move of a mate.
                    if (
                        lmr_depth <= self.parameters.see_quiet_depth
                        and not self.game.see_ge(move, -self.parameters.see_quiet_margin * lmr_depth * lmr_depth)
                        and not self.game.gives_check(move)
                    ):
                        continue
                elif (
                    depth <= self.parameters.see_noisy_depth and picker.stage >= PICK_LOSING
                    and not self.game.see_ge(move, -self.parameters.see_noisy_margin * depth)
                    and not self.game.gives_check(move)
                ):
                    continue

            # Singular extension: if every other move fails well below the table's score, the
            # table move is the only one and deserves another ply.
            if (
                not self.full_width and move == tt_move and depth >= self.parameters.singular_depth and not excluded
                and ply < 2 * self.root_depth and hit.depth >= depth - self.parameters.singular_tt_depth
                and (hit.bound & LOWER) and -RULED_SCORE < tt_score < RULED_SCORE
            ):
                margin = tt_score - self.parameters.singular_margin * depth
                here.excluded = move
                score = self.search(margin - 1, margin, (depth - 1) // 2, ply, cut_node)
                here.excluded = NO_MOVE
                if self.stopped:
                    return 0
                if score < margin:
                    extension = 1
                    if not pv_node and score < margin - self.parameters.singular_double_margin:
                        extension = 2
                elif margin >= beta:
                    return margin
                elif tt_score >= beta:
                    extension = -1
                init_picker(&picker, &self.arena, &self.histories, self.plies, ply, tt_move, False)
                next_move(self.game, &picker)

            if not self.game.make(move):
                number -= 1
                continue
            self.node_count += 1
            self.table.prefetch(self.game.key)
            here.move = move
            here.slot = slot
            tried += 1
            self.plies[ply + 1].pv_length = 0
            checks = self.parameters.check_extension and self.game.in_check()
            if (
                not self.full_width and checks and extension == 0
                and ply < 2 * self.root_depth and (pv_node or depth <= self.parameters.check_extension_depth)
            ):
                extension = 1
            new_depth = depth - 1 + extension

            # ------------------------------------------------ reductions
            full_search = True
            if not self.full_width and depth >= self.parameters.lmr_min_depth and (
                number > 1 if self.parameters.lmr_from_second_move
                else number > 1 + pv_node and (not noisy or picker.stage >= PICK_LOSING)
            ):
                reduction = self.reductions[depth][min(number, 63)]
                if cut_node:
                    reduction += 1
                if pv_node:
                    reduction -= 1
                if not improving:
                    reduction += 1
                if checks:
                    reduction -= 1
                if in_check and self.parameters.lmr_spare_evasions:
                    reduction -= 1
                if not noisy:
                    history = quiet_history(&self.histories, picker.continuation, slot)
                    reduction -= max(
                        min(history // self.parameters.lmr_history_divisor, self.parameters.lmr_history_max),
                        -self.parameters.lmr_history_max,
                    )
                    if move == picker.killers[0] or move == picker.killers[1] or move == picker.killers[2]:
                        reduction -= 1
                else:
                    reduction -= 1
                if reduction > 0:
                    reduction = min(reduction, new_depth - 1)
                    if reduction > 0:
                        score = self.child(side, alpha, alpha + 1, new_depth - reduction, ply + 1, True)
                        full_search = score > alpha and not self.stopped
            if full_search:
                if not pv_node or number > 1:
                    score = self.child(side, alpha, alpha + 1, new_depth, ply + 1, not cut_node)
                if pv_node and (number == 1 or (score > alpha and not self.stopped)):
                    score = self.child(side, alpha, beta, new_depth, ply + 1, False)
            self.game.unmake()
            if self.stopped:
                return 0

            if score > best_score:
                best_score = score
                if score > alpha:
                    best_move = move
                    if pv_node:
                        extend_pv(here, move)
                    if score >= beta:
                        update_histories(
                            &self.histories, picker.continuation, self.plies, ply, move, slot, noisy,
                            min(
                                self.parameters.history_bonus * depth - self.parameters.history_bonus_offset,
                                self.parameters.history_bonus_max,
                            ),
                            quiets, quiet_count, noisies, noisy_count,
                        )
                        break
                    alpha = score
            if noisy:
                if noisy_count < 24:
                    noisies[noisy_count] = slot
                    noisy_count += 1
            elif quiet_count < 48:
                quiets[quiet_count] = slot
                quiet_count += 1

        if best_score == -INFINITE_SCORE:
            # Moves are pruned only beside a better one that was searched, so none was legal
            # - unless the only one was left out, which says nothing about the others.
            if excluded:
                return alpha
            return self.stuck(ply)
        if not excluded:
            self.table.store(
                self.game.key, best_move, to_table(best_score, ply), depth,
                bound_of(best_score, old_alpha, beta, pv_node),
            )
        return best_score

    cdef int quiesce(self, int alpha, int beta, int ply) noexcept nogil:
        """Noisy moves only, or all evasions in check, until the position is quiet."""
        cdef bint pv_node = beta - alpha > 1
        cdef StackEntry* here = &self.plies[ply]
        cdef TTData hit
        cdef bint known, in_check
        cdef MovePicker picker
        cdef Move move, best_move = NO_MOVE, tt_move = NO_MOVE
        cdef int side = self.game.side
        cdef int score, best_score, static_eval, tt_score, outcome, slot, number = 0, old_alpha = alpha
        cdef int futility = -INFINITE_SCORE

        sanqi_check(0 < ply <= DEEPEST, b"quiescence is DEEPEST plies deep at most")
        here.pv_length = 0
        if self.node_count >= self.next_poll:
            self.poll()
        if self.stopped:
            return 0
        if ply > self.seldepth:
            self.seldepth = ply
        outcome = self.game.outcome(ply)
        if outcome != ONGOING:
            return self.ended(outcome, ply)
        if self.game.has_solver and not self.full_width:
            outcome = self.game.probe_solver(0, &self.node_count)
            if outcome:
                return self.proven(outcome, ply)
        if self.game.leaves_are_quiet:
            return self.game.evaluate()
        in_check = self.game.in_check()
        if ply >= DEEPEST:
            return 0 if in_check else self.game.evaluate()

        here.side = side
        here.in_check = in_check
        self.plies[ply + 1].excluded = NO_MOVE
        # Half of these nodes end here, so the table, a likely cache miss, is asked only afterwards.
        static_eval = NO_SCORE if in_check else self.game.evaluate()
        here.static_eval = static_eval
        if static_eval >= beta and not in_check:
            return static_eval
        known = False if self.full_width else self.table.probe(self.game.key, &hit)
        if known:
            tt_score = from_table(hit.score, ply)
            if not pv_node and decides(&hit, tt_score, beta):
                return tt_score
            if hit.move and self.game.pseudo_legal(hit.move) and (in_check or self.game.noisy(hit.move)):
                tt_move = hit.move

        if in_check:
            best_score = -INFINITE_SCORE
        else:
            best_score = static_eval
            if known and decides(&hit, tt_score, static_eval + 1):
                best_score = tt_score
            if best_score >= beta:
                return best_score
            if best_score > alpha:
                alpha = best_score
            futility = best_score + self.parameters.qs_futility_margin

        init_picker(&picker, &self.arena, &self.histories, self.plies, ply, tt_move, True)
        while True:
            move = next_move(self.game, &picker)
            if not move:
                break
            slot = picker.slot
            number += 1
            if not self.full_width and best_score > -RULED_SCORE:
                if not in_check:
                    if futility + self.game.gain(move) <= alpha and not self.game.gives_check(move):
                        if futility + self.game.gain(move) > best_score:
                            best_score = futility + self.game.gain(move)
                        continue
                    if not self.game.see_ge(move, 0):
                        continue
                elif number > self.parameters.qs_evasions and not self.game.noisy(move):
                    continue
            if not self.game.make(move):
                number -= 1
                continue
            self.node_count += 1
            here.move = move
            here.slot = slot
            self.table.prefetch(self.game.key)
            score = self.child(side, alpha, beta, 0, ply + 1, False)
            self.game.unmake()
            if self.stopped:
                return 0
            if score > best_score:
                best_score = score
                if score > alpha:
                    best_move = move
                    if pv_node:
                        extend_pv(here, move)
                    if score >= beta:
                        break
                    alpha = score
        if best_score == -INFINITE_SCORE:
            return self.stuck(ply)
        if not self.full_width:
            self.table.store(
                self.game.key, best_move, to_table(best_score, ply), 0,
                bound_of(best_score, old_alpha, beta, pv_node),
            )
        return best_score

    # ---------------------------------------------------------------- limits

    cdef inline bint is_helper(self) noexcept nogil:
        """Whether another search keeps the limits and gives the answer."""
        return self.thread_index > 0

    cdef void poll(self) noexcept nogil:
        """Look at the stop flag and, if this is no helper, at the limits."""
        self.next_poll = self.node_count + POLL_INTERVAL
        sanqi_store64(&self.published_nodes, self.node_count)
        if self.is_helper():
            if sanqi_load(&self.signals.stop_flag):
                self.stopped = True
            return
        if self.node_count < self.node_limit < self.next_poll:
            self.next_poll = self.node_limit
        # The answer that is owed is found first.
        if not self.seen_all and self.node_count < FIRST_LOOK:
            return
        if self.must_stop() or (0 < self.node_limit <= self.node_count and self.completed_depth > 0):
            self.stopped = True

    cdef bint must_stop(self) noexcept nogil:
        """Whether a stop was asked for or the hard limit of time has passed."""
        return sanqi_load(&self.signals.stop_flag) or self.remaining_ns() == 0

    cdef int64_t remaining_ns(self) noexcept nogil:
        """What is left until the hard limit; while pondering all of it."""
        if not self.hard_ns:
            return 1 << 62
        if self.signals.is_pondering():
            return self.hard_ns
        return max(self.hard_ns - self.signals.elapsed_ns(), 0)

    cdef void report_pv(self, int depth, int line, int bound) noexcept nogil:
        if self.report is None:
            return
        sanqi_store64(&self.published_nodes, self.node_count)
        with gil:
            try:
                self.report(
                    depth,
                    self.root_moves[line].seldepth,
                    line,
                    self.root_moves[line].score,
                    "exact" if bound == EXACT else ("lower" if bound == LOWER else "upper"),
                    self.node_count,
                    self.signals.elapsed_ns() // 1000000,
                    self.table.hashfull(),
                    tuple(self.root_moves[line].pv[i] for i in range(self.root_moves[line].pv_length)),
                )
            except BaseException as error:
                self.failure = error
                self.stopped = True
