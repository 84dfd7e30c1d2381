"""Iterative deepening over any Game: the root of the search, its lines and its time. tree_search.pyx has the rest.

One Search belongs to one thread; the threads of a Lazy SMP search share a
TranspositionTable, Signals, and what they learn of moves and of the static evaluation.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset

from search_core.chance_search cimport ChanceSearch
from search_core.check cimport sanqi_check
from search_core.game cimport (
    EVASION, INFINITE_SCORE, MATE, MATE_BOUND, MAX_OUTCOMES, MAX_PLY, NO_MOVE, NO_SCORE, NOISY, ONGOING, QUIET,
    PENDING_BOUND, PENDING_SCORE,
    Game, Move,
)
from search_core.learnt cimport Learnt
from search_core.parameters cimport SearchParameters
from search_core.signals cimport Signals
from search_core.stack cimport StackEntry
from search_core.transposition_table cimport EXACT, LOWER, UPPER, TranspositionTable, TTData, bound_of
from search_core.tree_search cimport CUT_NODE, DEEPEST, PV_NODE

cdef enum:
    # Where one node in so many of a large tree has a pending end, scores cannot be trusted (of 20,000-node searches, no
    # middle game of 20 has so many, but 8 endings of 60).
    LARGE_TREE = 100000
    MANY_PENDING = 128
    # More than an exchange can lose, in centipawns.
    MAX_LOSS = 1024
    # Of a game of chance, near an even score: what counts as a centipawn in the use of time.
    CHANCE_CENTIPAWN = 16


cdef inline bint is_pending(int score) noexcept nogil:
    """Whether a score is that of an end by a rule which can still be avoided."""
    return PENDING_BOUND <= abs(score) <= PENDING_SCORE


cdef class Search(ChanceSearch):
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
    learnt : Learnt or None
        Shared by all threads, and kept from one run to the next.
    """

    def __cinit__(
        self, Game game not None, TranspositionTable table not None, Signals signals not None, report=None,
        Learnt learnt=None,
    ):
        self.game = game
        self.table = table
        table.keeps_proofs = game.has_solver
        self.signals = signals
        self.report = report
        self.multipv = 1
        self.depth_limit = DEEPEST
        self.allocate(game, learnt)
        self.root_moves = <RootMove*> calloc(self.max_moves, sizeof(RootMove))
        if self.root_moves == NULL:
            raise MemoryError("no memory for a search thread")
        self.adopt_parameters()

    def __dealloc__(self):
        free(self.root_moves)

    def set_root(self, Game game not None, TranspositionTable table not None, Signals signals not None, report) -> None:
        """Take the next position to search; a game of the same kind as before."""
        if game.history_slots != self.history_slots or game.max_moves != self.max_moves:
            raise ValueError("this search was made for another game")
        self.game = game
        self.table = table
        table.keeps_proofs = game.has_solver
        self.signals = signals
        self.report = report
        self.has_chance = game.has_chance
        if memcmp(&self.parameters, &game.parameters, sizeof(SearchParameters)) != 0:
            self.adopt_parameters()

    def init_root_moves(self, only=(), excluded=()) -> int:
        """List the legal root moves, only those of `only` (if any), none of `excluded`; return how many.

        They are in the order of their static scores, best first. A game may generate only the moves that are worth a
        search; `only` may name others.
        """
        cdef Move* moves = self.arena.moves
        cdef int i, count, stage
        cdef int stages[3]
        cdef Move move
        cdef RootMove* line
        stages[0] = EVASION
        stages[1] = NOISY
        stages[2] = QUIET
        self.root_count = 0
        self.node_count = 0
        self.solver_node_count = self.root_solver_nodes = 0
        self.publish_nodes()
        self.root_side = self.game.side
        self.filtered = bool(only) or bool(excluded)
        self.game.begin_root()
        for stage in range(0 if self.game.in_check() else 1, 3):
            # A move that does not answer the threat may be legal, and be asked for, or be all that is left where the
            # answers are forbidden.
            if stage == 1 and self.root_count:
                break
            count = self.game.generate(stages[stage], moves)
            sanqi_check(0 <= count <= self.max_moves, b"generate() writes max_moves at most")
            for i in range(count):
                move = moves[i]
                sanqi_check(0 < move < 1 << 20, b"a move is a number below 2**20")
                if not (only and move not in only) and move not in excluded:
                    self.list_root_move(move)
        for move in only:
            if move not in excluded and not self.is_listed(move) and self.game.pseudo_legal(move):
                self.list_root_move(move)
        for i in range(self.root_count):
            line = &self.root_moves[i]
            memset(line, 0, sizeof(RootMove))
            line.move = self.arena.moves[self.max_moves + i]
            line.score = self.arena.scores[i]
            line.previous_score = line.score
            line.pv_length = 1
            line.pv[0] = line.move
        return self.root_count

    cdef void list_root_move(self, Move move) noexcept nogil:
        """Put a pseudo-legal root move where its static score belongs; an illegal one is left out."""
        cdef Move* listed = self.arena.moves + self.max_moves
        cdef int32_t* scores = self.arena.scores
        cdef int j = self.root_count, score
        if not self.score_statically(move, &score):
            return
        while j > 0 and scores[j - 1] < score:
            listed[j] = listed[j - 1]
            scores[j] = scores[j - 1]
            j -= 1
        sanqi_check(self.root_count < self.max_moves, b"there are max_moves root moves at most")
        listed[j] = move
        scores[j] = score
        self.root_count += 1

    cdef bint is_listed(self, Move move) noexcept nogil:
        cdef Move* listed = self.arena.moves + self.max_moves
        cdef int i
        for i in range(self.root_count):
            if listed[i] == move:
                return True
        return False

    cdef bint score_statically(self, Move move, int* score) noexcept nogil:
        """Write a root move's score without a search; False: the move is illegal.

        The static evaluation after the move, less what the exchange on its target gives back; with chance, the mean of
        the evaluations after its outcomes.
        """
        cdef int loss = 0 if self.has_chance else self.exchange_loss(move), outcome, value, i, count
        cdef double chances[MAX_OUTCOMES]
        cdef double total = 0
        count = self.game.outcomes(move, chances)
        for i in range(count):
            if not self.game.make_outcome(move, i):
                return False
            outcome = self.game.outcome(1)
            value = self.game.evaluate() if outcome == ONGOING else self.ended(outcome, 1)
            if self.game.side != self.root_side:
                value = -value
            self.game.unmake()
            total += chances[i] * (value - loss if outcome == ONGOING else value)
        score[0] = <int> total
        return True

    cdef int exchange_loss(self, Move move) noexcept nogil:
        """Centipawns of the move's gain that the exchange on its target loses again, to the next 16."""
        cdef int gain = self.game.gain(move), low = gain - MAX_LOSS, high = gain, middle
        if self.game.see_ge(move, gain):
            return 0
        while high - low > 16:
            middle = (low + high) // 2
            if self.game.see_ge(move, middle):
                low = middle
            else:
                high = middle
        return gain - low

    def run(self) -> None:
        """Search the prepared root until a limit or a stop. Releases the GIL.

        Raises what `report` raised, which ends the search.
        """
        self.failure = None
        with nogil:
            self.iterate()
            self.publish_nodes()
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
        cdef int depth = 0, i, lines, best_move_stability = 0, score, last_score = 0, drop
        cdef int64_t elapsed
        cdef double time_factor
        cdef uint64_t nodes_before
        cdef Move best = NO_MOVE
        self.begin()
        self.strict = False
        self.key_salt = self.pending_count = self.pending_depth = 0
        self.last_score = self.draw_score
        if self.root_count == 0:
            return
        lines = min(self.multipv, self.root_count)
        while depth < min(self.depth_limit, DEEPEST):
            depth += 1
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
            self.refuted = False
            for self.line_index in range(lines):
                self.seldepth = 0
                self.aspiration_search(depth)
                self.seen_all = self.seen_all or not self.stopped
                # A later line can come out above an earlier one.
                self.sort_root(0, self.line_index + 1)
                if self.stopped:
                    break
            if self.stopped and depth > 1:
                if self.refuted and self.line_index == 0:
                    self.restore_settled()
                break
            if self.needs_strictness(lines) and not 0 < self.node_limit <= self.node_count:
                # The side that would lose may mix two cycles to a draw.
                self.begin_strict_search(depth)
                depth = 0
                continue
            # Of the first iteration, which may have been broken off, the lines that it has finished.
            if depth >= self.pending_depth:
                for i in range(self.line_index if self.stopped else lines):
                    self.report_pv(depth, i, EXACT)
            if self.stopped:
                break
            self.completed_depth = depth
            self.settled = self.root_moves[0]
            if self.is_helper():
                continue

            score = self.root_moves[0].score
            if self.mate_limit and score >= MATE - (2 * self.mate_limit - 1):
                break
            if 0 < self.node_limit <= self.node_count:
                break
            # Else it would end after the first iteration wherever the solver is not done in its budget.
            if 0 < self.soft_nodes <= self.node_count - self.root_solver_nodes:
                break
            best_move_stability = best_move_stability + 1 if self.root_moves[0].move == best else 0
            best = self.root_moves[0].move
            # A soft limit that equals the hard one means to use all of the time.
            if 0 < self.soft_ns != self.hard_ns:
                elapsed = self.signals.elapsed_ns()
                # Longer while the choice changes or the score falls, shorter
                # while one move takes nearly all nodes.
                time_factor = 1.35 - 0.09 * min(best_move_stability, 7)
                drop = (last_score - score) // (CHANCE_CENTIPAWN if self.has_chance else 1)
                if depth > 5 and drop > 20:
                    time_factor += min(drop, 100) / 200.0
                time_factor *= 1.6 - 0.9 * self.root_moves[0].nodes / <double> max(self.node_count - nodes_before, 1)
                if self.root_count == 1 and depth >= 4:
                    time_factor = 0
                self.thought_enough = (
                    elapsed > time_factor * self.soft_ns
                    # A proven mate found this deep will not get shorter.
                    or (score >= MATE_BOUND and depth > 2 * (MATE - score) + 2)
                )
                if self.thought_enough and not self.signals.is_pondering():
                    break
            last_score = self.last_score = score
        if self.strict:
            self.end_strict_search(lines)
        self.hide_pending()

    cdef bint needs_strictness(self, int lines) noexcept nogil:
        """Whether one of the lines only wins or loses if a repetition goes on, or much of a large tree does."""
        cdef int i
        if self.strict or self.stopped:
            return False
        if self.node_count >= LARGE_TREE and self.pending_count > self.node_count // MANY_PENDING:
            return True
        for i in range(lines):
            if is_pending(self.root_moves[i].score):
                return True
        return False

    cdef void begin_strict_search(self, int depth) noexcept nogil:
        """Search again from depth 1 on, without pending ends."""
        self.pending = self.root_moves[0]
        self.pending_depth = depth
        self.strict = True
        self.key_salt = <uint64_t> 0x9E3779B97F4A7C15
        self.completed_depth = 0

    cdef void end_strict_search(self, int lines) noexcept nogil:
        """Report what nobody has seen yet. A strict search that did not come far has nothing to say: the move of the
        search before it is played."""
        cdef int i
        if 2 * self.completed_depth < self.pending_depth:
            self.put_first(&self.pending)
            self.completed_depth = self.pending_depth - 1
        elif self.completed_depth < self.pending_depth:
            for i in range(lines):
                self.report_pv(self.completed_depth, i, EXACT)

    cdef void hide_pending(self) noexcept nogil:
        """Give a root move whose end is pending the score of the iteration before."""
        cdef int i
        for i in range(self.root_count):
            if is_pending(self.root_moves[i].score):
                self.root_moves[i].score = self.last_score

    cdef bint proves_root(self) noexcept nogil:
        """Whether a forced win is known, by the last iteration, the table or the game; it is the first root move then.

        Asked before each iteration; the game may play as many moves as a part of the nodes searched so far.
        """
        cdef uint64_t budget = max(self.node_count // 4, 2000), before = self.node_count
        cdef Move line[MAX_PLY]
        cdef TTData hit
        cdef int plies, length
        if not self.asks_solver or self.is_helper():
            return False
        if self.completed_depth > 0 and self.root_moves[0].score >= MATE_BOUND:
            return True
        if self.table.probe(self.table_key(), &hit) and hit.score >= MATE_BOUND and hit.bound & LOWER:
            if self.adopt_win(MATE - hit.score, &hit.move, 1):
                return True
        budget = min(budget, 50000)
        if self.hard_ns:
            budget = min(budget, <uint64_t> (self.hard_ns // 20000))
            budget = min(budget, <uint64_t> (self.remaining_ns() // 4000))
        if self.node_limit:
            budget = min(budget, self.node_limit // 8)
        plies = self.game.solve_root(budget, &self.node_count, line, &length, self)
        self.solver_node_count += self.node_count - before
        self.root_solver_nodes += self.node_count - before
        sanqi_check(0 <= length <= MAX_PLY, b"solve_root() writes MAX_PLY moves at most")
        return plies > 0 and self.adopt_win(plies, line, length)

    cdef void shorten_win(self, int depth) noexcept nogil:
        """Look for a shorter win than the first root move's, for a fifth of the turn at most.

        The game looks first, then the search, depth by depth: nothing longer
        than the known win is visited there, so little is left of the tree.
        """
        cdef uint64_t budget = 2000, before, start = self.node_count, share = max(start // 4, 100000)
        cdef int64_t start_ns = self.signals.clock_ns()
        # While it ponders, the clock stands still: nodes decide.
        cdef int64_t share_ns = 0 if self.signals.is_pondering() else (
            self.soft_ns if self.soft_ns else self.hard_ns
        ) // 5
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
            before = self.node_count
            plies = self.game.shorten(MATE - self.root_moves[0].score, budget, &self.node_count, line, &length, self)
            self.solver_node_count += self.node_count - before
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
                    self.table.store(self.table_key(), known.move, known.score, i, EXACT, self.plies[0].static_eval)
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
        if depth >= self.parameters.aspiration_depth and -PENDING_BOUND < center < PENDING_BOUND:
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
                if not self.full_width and reduced < self.parameters.aspiration_reduction and score < PENDING_BOUND:
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
            if self.has_chance:
                self.note_outcomes(here, line.move)
            here.slot = self.game.history_slot(line.move)
            here.noisy = noisy
            sanqi_check(0 <= here.slot < self.history_slots, b"history_slot() is below history_slots")
            if not self.game.make(line.move):
                continue
            self.node_count += 1
            before = self.node_count
            self.plies[1].pv_length = 0
            new_depth = depth - 1
            if number == 1:
                score = self.child(side, alpha, beta, new_depth, 1, PV_NODE)
            else:
                reduction = 0
                if (
                    not self.full_width and not noisy and here.outcome_count <= 1
                    and depth >= self.parameters.lmr_root_depth and number > self.parameters.lmr_root_moves
                    and (self.parameters.lmr_checks_at_root or not self.game.in_check())
                ):
                    reduction = max(self.reductions[depth][min(number, 63)] - self.parameters.lmr_root, 0) // 100
                score = self.child(side, alpha, alpha + 1, new_depth - reduction, 1, CUT_NODE)
                if score > alpha and reduction and not self.stopped:
                    score = self.child(side, alpha, alpha + 1, new_depth, 1, CUT_NODE)
                if alpha < score < beta and not self.stopped:
                    score = self.child(side, alpha, beta, new_depth, 1, PV_NODE)
            self.game.unmake()
            line.nodes += self.node_count - before
            if self.stopped:
                break
            if number == 1 or score > alpha:
                self.refuted = score <= alpha
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
                self.table_key(), self.root_moves[0].move, best_score, depth,
                bound_of(best_score, old_alpha, beta, True), here.static_eval,
            )
        return best_score

    cdef void restore_settled(self) noexcept nogil:
        """Let the best move of the last complete iteration be the first one again.

        A move that beat it at first, but was then refuted itself, would be played otherwise.
        """
        self.put_first(&self.settled)

    cdef void put_first(self, const RootMove* line) noexcept nogil:
        """Let the line of a root move be the first one."""
        cdef int i
        cdef RootMove first = line[0]
        for i in range(self.root_count):
            if self.root_moves[i].move == first.move:
                self.root_moves[i] = self.root_moves[0]
                self.root_moves[0] = first
                return

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

    cdef void report_pv(self, int depth, int line, int bound) noexcept nogil:
        if self.report is None or is_pending(self.root_moves[line].score):
            return
        self.publish_nodes()
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
