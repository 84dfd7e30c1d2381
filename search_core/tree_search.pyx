"""The search below the root: principal variation search and quiescence over any Game.

The selective steps are the field's common ones; see https://www.chessprogramming.org for each name.
"""

from libc.math cimport log, pow
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from search_core.check cimport sanqi_check
from search_core.corrections cimport correction
from search_core.game cimport (
    AT_SIGHT, DRAWN, INFINITE_SCORE, LOST, MATE, MATE_BOUND, MAX_PLY, NO_MOVE, NO_SCORE, NULL_NEVER, NULL_VERIFIED,
    ONGOING, PENDING_BOUND, RULED_BOUND,
    Game, Move,
)
from search_core.histories cimport apply_bonus, quiet_history, update_histories
from search_core.learnt cimport Learnt
from search_core.limited_search cimport LimitedSearch
from search_core.move_picker cimport (
    PICK_LOSING, MovePicker, allocate_arena, free_arena, init_picker, is_noisy, next_move, next_sharp_move,
    policy_gap, skip_tt_move,
)
from search_core.stack cimport StackEntry, extend_pv, last_own_ply
from search_core.transposition_table cimport LOWER, UPPER, TTData, bound_of, decides, from_table, is_proof, to_table

cdef class TreeSearch(LimitedSearch):
    """The search of the positions after a root move, with what it has learnt."""

    cdef int allocate(self, Game game, Learnt learnt) except -1:
        """Make room for the searches of such a game. Raises ValueError if `learnt` is not of that game, MemoryError."""
        self.history_slots = game.history_slots
        self.max_moves = game.max_moves
        self.learnt = Learnt(self.history_slots) if learnt is None else learnt
        self.histories = self.learnt.histories
        self.corrections = &self.learnt.corrections
        if self.histories.slots != self.history_slots:
            raise ValueError("what another game has learnt is of no use")
        self.plies = <StackEntry*> calloc(MAX_PLY + 2, sizeof(StackEntry))
        if not allocate_arena(&self.arena, self.max_moves, self.history_slots) or self.plies == NULL:
            raise MemoryError("no memory for a search thread")
        return 0

    def __dealloc__(self):
        free(self.plies)
        free_arena(&self.arena)

    cdef void adopt_parameters(self) noexcept:
        """Take the game's parameters, and compute the tables that depend on them."""
        cdef int depth, number
        self.has_chance = self.game.has_chance
        self.parameters = self.game.parameters
        self.arena.weights[0] = self.parameters.order_history
        self.arena.weights[1] = self.parameters.order_answer
        self.arena.weights[2] = self.parameters.order_follow_up
        for depth in range(1, MAX_PLY):
            self.late_moves[depth] = self.parameters.lmp_base + <int> pow(depth, self.parameters.lmp_power / 100.0)
            for number in range(1, 64):
                self.reductions[depth][number] = <int> (
                    self.parameters.lmr_base + log(depth) * log(number) / (self.parameters.lmr_divisor / 10_000.0)
                )

    cdef void begin(self) noexcept nogil:
        """Forget the run before, but not what was learnt."""
        self.begin_count()
        self.nmp_min_ply = 0
        self.selective = not self.full_width and not self.has_chance
        self.asks_solver = self.selective and self.game.has_solver
        self.table_first = self.game.table_first
        self.blind = self.handicap.blind_permille > 0
        self.quiescence_plies = self.handicap.quiescence_plies if self.handicap.quiescence_plies else DEEPEST
        memset(self.plies, 0, (MAX_PLY + 2) * sizeof(StackEntry))

    cdef int child(self, int side, int alpha, int beta, int depth, int ply, int kind) noexcept nogil:
        """Score of the move of `side` that has just been made, from `side`'s point of view.

        With descend(), the only place that knows whether the turn changed: a side whose opponent is skipped moves
        twice running and keeps sign and window. A move with several outcomes is made with any of them.
        """
        if self.has_chance and self.plies[ply - 1].outcome_count > 1:
            return self.expect(side, alpha, beta, depth, ply, kind)
        return self.descend(side, alpha, beta, depth, ply, kind)

    # weak_search.pyx has the first of these, chance_search.pyx the others, which only a game of chance needs.

    cdef bint overlooks(self, int ply, Move move) noexcept nogil:
        """Whether a pseudo-legal move is not seen, below full strength."""
        return False

    cdef int expect(self, int side, int alpha, int beta, int depth, int ply, int kind) noexcept nogil:
        """As child(), for a move with several outcomes."""
        return 0

    cdef void note_outcomes(self, StackEntry* here, Move move) noexcept nogil:
        """Note with which chances a move has which outcomes."""

    cdef int stuck(self, int ply) noexcept nogil:
        """Score of a node without a legal move: in check it is lost in every game."""
        return self.ended(LOST if self.game.stalemate_is_loss or self.plies[ply].in_check else DRAWN, ply)

    cdef int search(self, int alpha, int beta, int depth, int ply, int kind) noexcept nogil:
        """Principal variation search below the root, `depth` at least 1; a fail-soft score for the side to move."""
        # In a game without chance, only nodes of the principal variation are wide.
        cdef bint wide = beta - alpha > 1
        cdef StackEntry* here = &self.plies[ply]
        cdef StackEntry* parent = &self.plies[ply - 1]
        cdef TTData hit
        cdef bint known = False, in_check, improving, noisy, checks, full_search, hopeless
        cdef bint blind = self.blind, overlooked = False, quiet_checks = self.parameters.quiet_checks > 0
        cdef MovePicker picker
        cdef Move move, best_move = NO_MOVE, tt_move = NO_MOVE
        cdef Move excluded = here.excluded
        cdef int side = self.game.side
        cdef int score, best_score = -INFINITE_SCORE, old_alpha = alpha
        cdef int static_eval, uncorrected, evaluation, tt_score = NO_SCORE, outcome, null_kind
        cdef int number = 0, extension, new_depth, reduction, lmr_depth, slot, history, own_ply, gained, bonus
        cdef int gap, late, idleness
        cdef int quiet_count = 0, noisy_count = 0, forced = 0, verified, min_ply_before, probcut_beta, singular_beta
        cdef int32_t quiets[48]
        cdef int32_t noisies[24]

        sanqi_check(0 < ply <= DEEPEST and depth <= DEEPEST, b"the search is DEEPEST plies deep at most")
        here.pv_length = 0
        if self.node_count >= self.next_poll:
            self.poll()
        if self.stopped:
            return 0
        if ply > self.seldepth:
            self.seldepth = ply

        outcome = self.game.outcome(ply)
        if outcome != ONGOING and self.settles(outcome, alpha, beta):
            return self.ended(outcome, ply)
        # Where the game has a solver, in_check() is a search, too: it can wait until the table is asked.
        in_check = not self.asks_solver and self.game.in_check()
        if ply >= DEEPEST:
            return 0 if in_check else self.game.evaluate()
        if self.selective:
            # Mate distance: no line from here can beat a shorter mate already found.
            if alpha < ply - MATE:
                alpha = ply - MATE
            if beta > MATE - ply - 1:
                beta = MATE - ply - 1
            if alpha >= beta:
                return alpha

        here.side = side
        here.quiescent = False
        self.plies[ply + 2].cutoffs = 0
        if self.parameters.clear_killers:
            self.plies[ply + 2].killers[0] = self.plies[ply + 2].killers[1] = NO_MOVE
        hit = TTData(NO_MOVE, NO_SCORE, 0, 0, NO_SCORE)
        # A fast evaluation is computed while the prefetched entry loads (docs/search.md).
        static_eval = NO_SCORE
        if not in_check and (excluded or not self.table_first):
            static_eval = here.static_eval if excluded else self.game.evaluate()
        if not excluded:
            known = self.table.probe(self.table_key(), &hit)
            if known:
                if hit.move and self.game.pseudo_legal(hit.move):
                    tt_move = hit.move
                tt_score = from_table(hit.score, ply)
                known = self.believes(&hit, ply)
                # Where a root move repeats a position, a reply may end the game by a rule. The table knows no rule.
                if (
                    (not wide or (kind != PV_NODE and decides(&hit, tt_score, alpha + 1)))
                    and (
                        (hit.depth == depth if self.full_width else hit.depth >= depth)
                        or (self.asks_solver and is_proof(tt_score, LOWER if tt_score >= beta else UPPER))
                    )
                    and decides(&hit, tt_score, beta)
                    and not (ply == 1 and self.game.recurs())
                ):
                    if tt_move and tt_score >= beta and not self.game.noisy(tt_move):
                        slot = self.game.history_slot(tt_move)
                        sanqi_check(0 <= slot < self.history_slots, b"history_slot() is below history_slots")
                        apply_bonus(
                            &self.histories.quiet[slot],
                            min(self.parameters.history_tt_bonus * depth, self.parameters.history_tt_bonus_max),
                        )
                    return tt_score
            if self.asks_solver:
                score = self.solved(AT_SIGHT, ply)
                if score != NO_SCORE:
                    return score
        if self.asks_solver and self.game.in_check():
            in_check = True
            static_eval = NO_SCORE
        if self.table_first and not in_check and not excluded:
            static_eval = self.static_score(&hit)
        here.in_check = in_check
        uncorrected = static_eval

        # ------------------------------------------------ static evaluation
        improving = False
        evaluation = -INFINITE_SCORE
        if not in_check:
            if self.selective and self.parameters.correction_weight and not excluded:
                static_eval += correction(self.corrections, self.plies, ply, self.parameters.correction_weight)
            evaluation = static_eval
            if known and decides(&hit, tt_score, static_eval + 1):
                evaluation = tt_score
            own_ply = last_own_ply(self.plies, ply, side)
            if own_ply >= 0 and self.plies[own_ply].in_check:
                own_ply = last_own_ply(self.plies, own_ply, side)
            if own_ply >= 0 and not self.plies[own_ply].in_check:
                improving = static_eval > self.plies[own_ply].static_eval
        here.static_eval = static_eval
        self.plies[ply + 1].excluded = NO_MOVE
        if self.selective and not in_check and not excluded and parent.move and not parent.in_check:
            # What the move before has changed is known now, if both evaluations are.
            gained = static_eval + parent.static_eval
            if self.parameters.history_eval_weight and not parent.noisy and parent.slot >= 0:
                bonus = -self.parameters.history_eval_weight * gained
                bonus = max(min(bonus, self.parameters.history_eval_max), -self.parameters.history_eval_max)
                apply_bonus(&self.histories.quiet[parent.slot], bonus)
            if 0 < self.parameters.hindsight_reduction <= parent.reduction and gained <= 0 and depth < DEEPEST:
                depth += 1
                # Once only, or the searches of this position again would go deeper and deeper.
                parent.reduction = 0

        # ------------------------------------------------ whole-node pruning
        if (
            self.selective and not in_check and not excluded and not wide and depth <= self.parameters.rfp_depth
            and evaluation < PENDING_BOUND and beta > -PENDING_BOUND
            and evaluation - self.parameters.rfp_margin * (depth - improving) >= beta
        ):
            return (evaluation + beta) // 2
        if self.asks_solver and not excluded:
            score = self.solved(depth, ply)
            if score != NO_SCORE:
                return score
        if self.selective and not in_check and not excluded:
            if (
                not wide and depth <= self.parameters.razor_depth
                and evaluation + self.parameters.razor_margin * depth < alpha
            ):
                score = self.quiesce(alpha, alpha + 1, ply, ALL_NODE)
                if score <= alpha:
                    return score
                here.static_eval = static_eval
                here.quiescent = False
            if (
                not wide and depth >= self.parameters.nmp_depth and evaluation >= beta
                and static_eval >= beta - self.parameters.nmp_depth_margin * depth + self.parameters.nmp_margin
                and parent.move and ply >= self.nmp_min_ply and beta > -PENDING_BOUND
            ):
                null_kind = self.game.null_move()
                if null_kind != NULL_NEVER:
                    reduction = self.parameters.nmp_base + depth // self.parameters.nmp_depth_divisor + min(
                        (evaluation - beta) // self.parameters.nmp_eval_divisor, self.parameters.nmp_eval_max
                    )
                    here.move = NO_MOVE
                    here.slot = -1
                    self.game.make_null()
                    self.table.prefetch(self.table_key())
                    score = self.child(side, beta - 1, beta, depth - reduction, ply + 1, opposite(kind))
                    self.game.unmake_null()
                    if self.stopped:
                        return 0
                    if score >= beta:
                        if score >= PENDING_BOUND:
                            score = beta
                        if null_kind != NULL_VERIFIED and depth < self.parameters.nmp_verification_depth:
                            return score
                        min_ply_before = self.nmp_min_ply
                        self.nmp_min_ply = ply + max(depth - reduction, 0) * 3 // 4 + 1
                        verified = self.search(beta - 1, beta, max(depth - reduction, 1), ply, ALL_NODE)
                        self.nmp_min_ply = min_ply_before
                        if self.stopped:
                            return 0
                        if verified >= beta:
                            return score
                        here.static_eval = static_eval
            # ProbCut: a good capture that beats beta by a margin in a reduced search.
            probcut_beta = beta + self.parameters.probcut_margin
            new_depth = depth - self.parameters.probcut_reduction
            if (
                not wide and depth >= self.parameters.probcut_depth
                and probcut_beta < PENDING_BOUND - 30 and beta > -PENDING_BOUND
                and not (known and hit.depth > new_depth and tt_score < probcut_beta)
            ):
                init_picker(
                    &picker, &self.arena, &self.histories, self.plies, ply,
                    tt_move if tt_move and self.game.noisy(tt_move) else NO_MOVE, True, False,
                )
                while True:
                    move = next_sharp_move(self.game, &picker)
                    if not move:
                        break
                    if not self.game.see_ge(move, probcut_beta - static_eval) or (blind and self.overlooks(ply, move)):
                        continue
                    slot = picker.slot
                    if not self.game.make(move):
                        continue
                    self.node_count += 1
                    here.move = move
                    here.slot = slot
                    here.noisy = True
                    here.reduction = 0
                    self.table.prefetch(self.table_key())
                    self.plies[ply + 1].pv_length = 0
                    score = self.child(side, probcut_beta - 1, probcut_beta, 0, ply + 1, opposite(kind))
                    if score >= probcut_beta:
                        score = self.child(side, probcut_beta - 1, probcut_beta, new_depth, ply + 1, opposite(kind))
                    self.game.unmake()
                    if self.stopped:
                        return 0
                    if score >= probcut_beta:
                        self.table.store(
                            self.table_key(), move, to_table(score, ply), new_depth + 1, LOWER, uncorrected,
                        )
                        return score

        # Internal iterative reduction: without a move to try first, search less.
        if (
            not self.full_width and depth >= self.parameters.iir_depth and not tt_move and not excluded
            and (kind == CUT_NODE or (wide and kind == PV_NODE))
        ):
            depth -= 1

        if wide and self.asks_solver and tt_move and alpha < tt_score >= MATE_BOUND and hit.bound & LOWER:
            # A win that is known stays one: only a shorter one is of interest.
            if tt_score >= beta:
                return tt_score
            best_score = alpha = tt_score
            best_move = tt_move
            self.plies[ply + 1].pv_length = 0
            extend_pv(here, tt_move)

        # ------------------------------------------------ moves
        if in_check and self.parameters.forced_reply_extension and ply < 2 * self.root_depth and self.game.one_reply():
            forced = self.parameters.forced_reply_extension
        init_picker(&picker, &self.arena, &self.histories, self.plies, ply, tt_move, False, quiet_checks)
        # So far below alpha that no quiet move will be searched: none need be generated.
        hopeless = (
            self.selective and not wide and not in_check and depth <= self.parameters.skip_quiets_depth
            and static_eval + self.parameters.futility_base + self.parameters.futility_margin * depth
            + self.parameters.skip_quiets_margin <= alpha
        )
        while True:
            if hopeless and best_score > -RULED_BOUND:
                picker.skip_quiets = True
            move = next_move(self.game, &picker)
            if not move:
                if not overlooked or best_score > -INFINITE_SCORE:
                    break
                # Nobody overlooks the only moves there are.
                blind = overlooked = False
                init_picker(&picker, &self.arena, &self.histories, self.plies, ply, tt_move, False, quiet_checks)
                continue
            if move == excluded:
                continue
            if blind and self.overlooks(ply, move):
                overlooked = True
                continue
            slot = picker.slot
            number += 1
            noisy = is_noisy(self.game, &picker, move)
            extension = forced
            checks = False
            gap = policy_gap(&picker)
            late = late_reduction(self, depth, number, gap)

            if self.selective and best_score > -RULED_BOUND and ply > 0:
                lmr_depth = max(depth - late // 100, 0)
                if not noisy:
                    history = quiet_history(&self.histories, picker.continuation, slot)
                    if not in_check:
                        if not wide and number > most_moves(self, depth, improving, picker.has_gaps):
                            picker.skip_quiets = True
                            if not self.game.gives_check(move):
                                continue
                            checks = True
                        elif (
                            depth <= self.parameters.history_pruning_depth
                            and history < -self.parameters.history_pruning_margin * depth
                        ) or (not wide and is_unlikely(self, depth, gap)):
                            continue
                        if (
                            not checks and lmr_depth <= self.parameters.futility_depth
                            and static_eval + self.parameters.futility_base
                            + self.parameters.futility_margin * lmr_depth
                            + history // self.parameters.futility_history_divisor <= alpha
                            and not self.game.gives_check(move)
                        ):
                            if not wide:
                                picker.skip_quiets = True
                            continue
                    elif 0 < self.parameters.evasions_base and not wide and (
                        100 * number > self.parameters.evasions_base + self.parameters.evasions_per_ply * depth
                    ):
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
                self.selective and move == tt_move and depth >= self.parameters.singular_depth and not excluded
                and ply < 2 * self.root_depth and hit.depth >= depth - self.parameters.singular_tt_depth
                and (hit.bound & LOWER) and -PENDING_BOUND < tt_score < PENDING_BOUND
            ):
                singular_beta = tt_score - self.parameters.singular_margin * depth
                here.excluded = move
                score = self.search(
                    singular_beta - 1, singular_beta, (depth - 1) // 2, ply, CUT_NODE if kind == CUT_NODE else ALL_NODE
                )
                here.excluded = NO_MOVE
                if self.stopped:
                    return 0
                if score < singular_beta:
                    extension = 1
                    if not wide and score < singular_beta - self.parameters.singular_double_margin:
                        extension = 2
                elif singular_beta >= beta:
                    return singular_beta
                elif tt_score >= beta:
                    extension = -1
                init_picker(&picker, &self.arena, &self.histories, self.plies, ply, tt_move, False, quiet_checks)
                skip_tt_move(&picker)

            idleness = self.game.idleness(move) if in_check and self.parameters.lmr_idle else 0
            if self.has_chance:
                # Outcomes have wide windows outside of the principal variation, too.
                if (
                    kind != PV_NODE and not noisy and not self.full_width and best_score > -INFINITE_SCORE
                    and number > most_moves(self, depth, improving, picker.has_gaps)
                ):
                    picker.skip_quiets = True
                    continue
                self.note_outcomes(here, move)
            if not self.game.make(move):
                number -= 1
                continue
            self.node_count += 1
            self.table.prefetch(self.table_key())
            here.move = move
            here.slot = slot
            here.noisy = noisy
            here.reduction = 0
            self.plies[ply + 1].pv_length = 0
            checks = self.parameters.check_extension and self.game.in_check()
            if (
                not self.full_width and checks and extension == 0
                and ply < 2 * self.root_depth
                and (depth <= self.parameters.check_extension_depth or (wide and kind == PV_NODE))
                and here.outcome_count <= 1
            ):
                extension = 1
            # Double extensions would lead beyond the tables, in drawn positions that are searched to the last depth.
            new_depth = min(depth - 1 + extension, DEEPEST)

            # ------------------------------------------------ reductions
            full_search = True
            if not self.full_width and depth >= self.parameters.lmr_min_depth and (
                number > 1 if self.parameters.lmr_from_second_move
                else number > (2 if wide and kind == PV_NODE else 1)
                and (not noisy or picker.stage >= PICK_LOSING)
            ) and here.outcome_count <= 1:
                reduction = late
                if kind == CUT_NODE:
                    reduction += self.parameters.lmr_cut_node
                if wide and kind == PV_NODE:
                    reduction -= self.parameters.lmr_pv_node
                if not improving:
                    reduction += self.parameters.lmr_not_improving
                if checks:
                    reduction -= 100
                if in_check:
                    reduction += self.parameters.lmr_idle * idleness - self.parameters.lmr_evasion
                if not noisy:
                    history = quiet_history(&self.histories, picker.continuation, slot)
                    reduction -= 100 * history_plies(self, history)
                    if move == picker.killers[0] or move == picker.killers[1] or move == picker.killers[2]:
                        reduction -= self.parameters.lmr_killer
                else:
                    reduction -= 100
                if 0 < self.parameters.lmr_cutoffs <= self.plies[ply + 1].cutoffs:
                    reduction += 100
                if reduction >= 100:
                    reduction = min(reduction // 100, new_depth - 1)
                    if reduction > 0:
                        here.reduction = reduction
                        score = self.child(side, alpha, alpha + 1, new_depth - reduction, ply + 1, CUT_NODE)
                        here.reduction = 0
                        full_search = score > alpha and not self.stopped
            if full_search:
                if not wide or number > 1:
                    score = self.child(side, alpha, alpha + 1, new_depth, ply + 1, opposite(kind))
                if wide and (number == 1 or (score > alpha and not self.stopped)):
                    score = self.child(
                        side, alpha, beta, new_depth, ply + 1, PV_NODE if kind == PV_NODE else opposite(kind)
                    )
            self.game.unmake()
            if self.stopped:
                return 0

            if score > best_score:
                best_score = score
                if score > alpha:
                    best_move = move
                    if wide:
                        extend_pv(here, move)
                    if score >= beta:
                        here.cutoffs += 1
                        bonus = min(
                            self.parameters.history_bonus * depth - self.parameters.history_bonus_offset,
                            self.parameters.history_bonus_max,
                        )
                        if not in_check or self.parameters.evasion_history:
                            update_histories(
                                &self.histories, picker.continuation, self.plies, ply, move, slot, noisy, bonus,
                                quiets, quiet_count, noisies, noisy_count,
                            )
                        elif picker.continuation[0] != NULL:
                            apply_bonus(&picker.continuation[0][slot], bonus)
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
            if self.selective:
                learn_from_score(self, ply, depth, best_score, best_move, beta)
            self.table.store(
                self.table_key(), best_move, to_table(best_score, ply), depth,
                bound_of(best_score, old_alpha, beta, wide), uncorrected,
            )
        return best_score

    cdef int quiesce(self, int alpha, int beta, int ply, int kind) noexcept nogil:
        """Noisy moves only, or all evasions in check, until the position is quiet."""
        cdef bint wide = beta - alpha > 1
        cdef StackEntry* here = &self.plies[ply]
        cdef TTData hit
        cdef bint known, in_check, blind = self.blind, overlooked = False, quiet_checks
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
        if outcome != ONGOING and self.settles(outcome, alpha, beta):
            return self.ended(outcome, ply)
        static_eval = self.game.evaluate() if self.game.leaves_are_quiet else -INFINITE_SCORE
        if self.asks_solver:
            score = self.solved(AT_SIGHT if static_eval >= beta else 0, ply)
            if score != NO_SCORE:
                return score
        if self.game.leaves_are_quiet:
            return static_eval
        in_check = self.game.in_check()
        if ply >= min(self.root_depth + self.quiescence_plies, DEEPEST):
            return 0 if in_check and ply >= DEEPEST else self.game.evaluate()

        here.side = side
        here.quiescent = True
        here.in_check = in_check
        # Half of these nodes end here, so the table, a likely cache miss, is best asked only afterwards.
        hit.static_eval = NO_SCORE
        known = self.table_first and not self.full_width and self.table.probe(self.table_key(), &hit)
        static_eval = NO_SCORE if in_check else self.static_score(&hit)
        here.static_eval = static_eval
        if static_eval >= beta and not in_check:
            return static_eval
        if not self.table_first:
            known = not self.full_width and self.table.probe(self.table_key(), &hit)
        if known:
            tt_score = from_table(hit.score, ply)
            self.believes(&hit, ply)
            if (
                (not wide or (kind != PV_NODE and decides(&hit, tt_score, alpha + 1)))
                and decides(&hit, tt_score, beta)
            ):
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

        quiet_checks = self.selective and self.parameters.quiet_checks > 1 and not self.plies[ply - 1].quiescent
        init_picker(&picker, &self.arena, &self.histories, self.plies, ply, tt_move, True, quiet_checks)
        while True:
            move = next_sharp_move(self.game, &picker)
            if not move:
                if not overlooked or best_score > -INFINITE_SCORE:
                    break
                blind = overlooked = False
                init_picker(&picker, &self.arena, &self.histories, self.plies, ply, tt_move, True, quiet_checks)
                continue
            if blind and self.overlooks(ply, move):
                overlooked = True
                continue
            slot = picker.slot
            number += 1
            if self.selective and best_score > -RULED_BOUND:
                if not in_check:
                    score = futility + self.game.gain(move)
                    if score <= alpha and not self.game.gives_check(move):
                        best_score = max(best_score, score)
                        continue
                    if not self.game.see_ge(move, 0):
                        continue
                elif number > self.parameters.qs_evasions and not self.game.noisy(move):
                    continue
            if self.has_chance:
                self.note_outcomes(here, move)
            if not self.game.make(move):
                number -= 1
                continue
            self.node_count += 1
            here.move = move
            here.slot = slot
            self.table.prefetch(self.table_key())
            score = self.child(side, alpha, beta, 0, ply + 1, kind)
            self.game.unmake()
            if self.stopped:
                return 0
            if score > best_score:
                best_score = score
                if score > alpha:
                    best_move = move
                    if wide:
                        extend_pv(here, move)
                    if score >= beta:
                        break
                    alpha = score
        if best_score == -INFINITE_SCORE:
            return self.stuck(ply)
        if not self.full_width:
            self.table.store(
                self.table_key(), best_move, to_table(best_score, ply), 0,
                bound_of(best_score, old_alpha, beta, wide), static_eval,
            )
        return best_score
