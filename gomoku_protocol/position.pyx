"""The Gomoku position: the rules for Python, and what the search asks of a game."""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free

from gomoku_protocol.board cimport (
    BLACK, FIRST_POINT, MAX_BOARD, MARGIN, POINTS, STRIDE, VACANT, WALL, Board, Sums,
    block, collect, copy_board, defences, forbidden, forbidden_by_fours, near_row, new_board, place, recompute, stops,
    take_back,
)
from gomoku_protocol.evaluator cimport GomokuEvaluator
from gomoku_protocol.obscurity cimport has_straight, joins_line, obscurity_of
from gomoku_protocol.patterns cimport (
    DOUBLE_THREE, FIVE, FOUR, FOUR_THREE, LINE_OVERLINE, MAYBE_FORBIDDEN, OPEN_OR_DOUBLE_FOUR, PATTERN,
)
from gomoku_protocol.point_values cimport POINT_ORDER
from gomoku_protocol.threats cimport ThreatSearch, static_result, win_by_threes
from search_core.check cimport sanqi_check
from search_core.game cimport (
    AT_SIGHT, DRAWN, EVASION, LOST, MAX_PLY, NOISY, ONGOING, QUIET, Game, Move, Poller,
)

from gomoku_protocol.evaluators import default_evaluator
from gomoku_protocol.points import MAX_SIZE, RULES, MIN_SIZE, move_at, parse_point, point_text
from gomoku_protocol.points import Move as NamedMove
from search_core.parts import load_part


class IllegalMove(ValueError):
    """A move that the rules do not allow now; the message names it."""


cdef enum:
    FOURS_PLIES = 41      # longest win by fours that a node searches for
    ROOT_FOURS_STONES = 20000  # that the search for the other side's win by fours at the root may place
    LONG_FOURS = 13       # a level whose solver sees less does not look for the opponent's win by fours


cdef inline int history_slot_of(Move move) noexcept nogil:
    # Both colours share a slot: they want the same points, and a table half as large is in the cache twice as often.
    return (<int> move // STRIDE - MARGIN) * 22 + (move & (STRIDE - 1)) - MARGIN


cdef inline int pattern_of(const Board* board, int colour, int point) noexcept nogil:
    return PATTERN[board.renju and colour == BLACK][board.lines[colour][point]]


cdef inline int fours_in(const Sums* sums, int colour) noexcept nogil:
    return sums.ranks[colour][FOUR] + sums.ranks[colour][FOUR_THREE]


cdef inline bint is_far(int point, int other) noexcept nogil:
    """Whether two points are more than four rows or columns apart: no five can have both."""
    return max(abs(point // STRIDE - other // STRIDE), abs(point % STRIDE - other % STRIDE)) > 4


cdef class Position(Game):
    """A Gomoku position with the moves that led to it.

    Parameters
    ----------
    width, height : int
        Of the board, 5 to 22 points.
    rule : int
        One of points.RULES.
    evaluator : GomokuEvaluator, optional
        For this position only; each copy of the position gets a copy. Default: default_evaluator(rule).

    Black moves first and is `side` 0.
    """

    def __cinit__(self, int width=15, int height=15, int rule=0, GomokuEvaluator evaluator=None):
        if not MIN_SIZE <= width <= MAX_SIZE or not MIN_SIZE <= height <= MAX_SIZE:
            raise ValueError(f"a board of {width}x{height}: expected {MIN_SIZE} to {MAX_SIZE} points a side")
        if rule not in RULES:
            raise ValueError(f"rule {rule}: expected one of {', '.join(map(str, RULES))}")
        self.width = width
        self.height = height
        self.rule = rule
        self.max_moves = MAX_BOARD
        self.history_slots = MAX_BOARD
        self.stalemate_is_loss = True
        self.set_parameters()
        self.has_solver = True
        self.leaves_are_quiet = True
        self.many_quiet_moves = True
        self.threats = ThreatSearch()
        self.evaluator_class = GomokuEvaluator
        self.use_evaluator(default_evaluator(rule) if evaluator is None else evaluator)
        self.board = new_board(width, height, rule)
        self.sync()

    cdef void set_parameters(self) noexcept:
        """The numbers of the search that are not the defaults, most of them tuned together by games: docs/gomoku.md."""
        self.parameters.aspiration_delta = 12
        self.parameters.razor_margin = 320
        self.parameters.rfp_depth = 30
        self.parameters.rfp_margin = 22
        self.parameters.lmp_base = 4
        self.parameters.lmp_power = 154
        self.parameters.evasions_base = 78
        self.parameters.evasions_per_ply = 43
        self.parameters.history_pruning_margin = 828
        self.parameters.futility_depth = 5
        self.parameters.futility_base = -151
        self.parameters.futility_margin = 185
        self.parameters.futility_history_divisor = 224
        self.parameters.skip_quiets_margin = 115
        self.parameters.singular_depth = 3
        self.parameters.singular_margin = 1
        self.parameters.singular_double_margin = 36
        # The threat search sees farther than an extension of threats would; an answer to a four is no choice.
        self.parameters.check_extension = 0
        self.parameters.forced_reply_extension = 1
        self.parameters.lmr_min_depth = 2
        self.parameters.lmr_base = 45
        self.parameters.lmr_divisor = 131
        self.parameters.lmr_history_divisor = 12_200
        self.parameters.lmr_from_second_move = 1
        self.parameters.lmr_evasion = 8
        self.parameters.lmr_idle = 20
        self.parameters.lmr_cut_node = 66
        self.parameters.lmr_not_improving = 134
        self.parameters.lmr_pv_node = 73
        self.parameters.lmr_killer = 236
        self.parameters.lmr_root = 254
        self.parameters.lmr_root_moves = 2
        self.parameters.lmr_checks_at_root = 1
        self.parameters.policy_reduction = 193
        self.parameters.policy_credit = 102
        self.parameters.policy_late_moves = 3
        self.parameters.policy_pruning_base = 12_000
        self.parameters.policy_pruning_margin = 1_550
        self.parameters.order_history = 32
        self.parameters.order_answer = 45
        self.parameters.order_follow_up = 58
        self.parameters.history_bonus = 226
        self.parameters.history_bonus_max = 1400
        self.parameters.history_tt_bonus = 126
        self.parameters.correction_weight = 112
        # What stops a five or a four elsewhere is no good move here: with both +66 +- 21 Elo (790 games, 60,000 nodes).
        self.parameters.evasion_history = 0
        self.parameters.clear_killers = 1
        self.parameters.solver_leaf_budget = 12
        self.parameters.solver_depth_budget = 53
        # These gain in Xiangqi, but here they scored 24.4 % of 270 games against Rapfi, and without them 26.9 %.
        self.parameters.lmr_cutoffs = 0
        self.parameters.hindsight_reduction = 0
        self.parameters.history_fail_low_bonus = 0
        self.parameters.history_eval_weight = 0

    def __dealloc__(self):
        free(self.board)

    cdef void sync(self) noexcept nogil:
        self.key = self.board.key
        self.side = self.board.side

    # ------------------------------------------------------------- for Python

    def __repr__(self) -> str:
        moves = " ".join(map(point_text, self.moves))
        rule = load_part("gomoku_protocol.game_record:RULE_NAMES")[self.rule]
        side = "White" if self.side else "Black"
        return f"<Gomoku position {self.width}x{self.height} {rule}, {side} to move, moves: {moves or 'none'}>"

    def __str__(self) -> str:
        return load_part("gomoku_protocol.drawing:position_text")(self)

    def _repr_svg_(self) -> str:
        return load_part("gomoku_protocol.drawing:position_svg")(self)

    def named_move(self, move):
        return NamedMove(move)

    def set_up(self, black, white, blocked=(), int side=0):
        """Set up any position and clear the move history.

        Raises ValueError, changing nothing, if a point is off the board or named twice.
        """
        cdef Position fresh = Position(self.width, self.height, self.rule, self.evaluator)
        cdef int colour, point
        for colour, points in enumerate((black, white)):
            for point in points:
                fresh.must_be_vacant(point)
                fresh.board.side = colour
                place(fresh.board, point)
        for point in blocked:
            fresh.must_be_vacant(point)
            block(fresh.board, point)
        fresh.board.side = side
        recompute(fresh.board)
        self.board, fresh.board = fresh.board, self.board
        self.recent[0] = self.recent[1] = 0
        self.sync()

    def weaken(self, int solver_plies, seed, int prejudice_permille) -> None:
        """As Game.weaken()."""
        super().weaken(solver_plies, seed, prejudice_permille)
        self.weak_side = self.side

    def must_be_vacant(self, move):
        if not 0 <= move < POINTS or self.board.content[move] == WALL:
            raise ValueError(f"{point_text(move)} is not on the board")
        if self.board.content[move] != VACANT:
            raise ValueError(f"{point_text(move)} is taken")

    def push(self, move) -> None:
        """Play a move: its number, or ``x,y``. Raises IllegalMove or PointError, changing nothing."""
        if isinstance(move, str):
            x, y = parse_point(move)
            if not (x < self.width and y < self.height):
                raise IllegalMove(f"{x},{y} is off the board or blocked")
            move = move_at(x, y)
        if not 0 <= move < POINTS or self.board.content[move] == WALL:
            raise IllegalMove(f"{point_text(move)} is off the board or blocked")
        if self.board.content[move] != VACANT:
            raise IllegalMove(f"{point_text(move)} is taken")
        if self.board.won != VACANT:
            raise IllegalMove(f"{point_text(move)} comes after the end of the game")
        if not self.make(move):
            raise IllegalMove(f"{point_text(move)} is forbidden to Black")

    def pop(self) -> None:
        """Take back the last push. Raises IndexError if there is none."""
        if self.board.steps == 0:
            raise IndexError("no move to take back")
        self.unmake()

    @property
    def moves(self):
        """The moves pushed since the position was made or set up."""
        return [NamedMove(self.board.step[i].point) for i in range(self.board.steps)]

    def legal_moves(self):
        """All moves that push() accepts now."""
        return [NamedMove(point) for point in range(POINTS) if self.is_legal(point)]

    def is_legal(self, move) -> bool:
        """Whether push() accepts the move now."""
        return (
            0 <= move < POINTS and self.board.content[move] == VACANT and self.board.won == VACANT
            and not (self.side == BLACK and self.is_forbidden(move))
        )

    def is_forbidden(self, move) -> bool:
        """Whether renju forbids Black the vacant point, whoever is to move."""
        return 0 <= move < POINTS and self.board.content[move] == VACANT and forbidden(self.board, move)

    def forbidden_reason(self, move) -> str:
        """Why renju forbids Black the vacant point: ``overline``, ``double four`` or ``double three``; '': it does
        not."""
        cdef int point, direction
        if not self.is_forbidden(move):
            return ""
        point = move
        for direction in range(4):
            if (self.board.lines[BLACK][point] >> 4 * direction) & 15 == LINE_OVERLINE:
                return "overline"
        return "double four" if forbidden_by_fours(self.board, point) else "double three"

    def stone_at(self, x, y) -> int:
        """-1 nothing, 0 Black, 1 White, 2 blocked. Raises IndexError off the board."""
        if not 0 <= x < self.width or not 0 <= y < self.height:
            raise IndexError(f"{x},{y} is not on the board")
        content = self.board.content[FIRST_POINT + y * STRIDE + x]
        return -1 if content == VACANT else (2 if content == WALL else content)

    @property
    def winner(self):
        """Who has a five on the board, 0 or 1, or None."""
        return None if self.board.won == VACANT else self.board.won

    @property
    def vacant(self) -> int:
        """The number of points left."""
        return self.board.vacant

    @property
    def full(self) -> bool:
        """Whether no point is left."""
        return self.board.vacant == 0

    def evaluate_cp(self) -> int:
        """The static score for the side to move, in centipawns."""
        return self.evaluate()

    def patterns(self):
        """What the evaluation and the move order look at: (move, pattern for the side to move, pattern for the other)
        of every vacant point. The numbers are those of patterns.pattern_number()."""
        cdef int point, side = self.side
        return [
            (point, pattern_of(self.board, side, point), pattern_of(self.board, side ^ 1, point))
            for point in range(POINTS) if self.board.content[point] == VACANT
        ]

    @property
    def quiet(self) -> bool:
        """Whether the evaluation can be trusted: nobody has won, and a short search finds no forced win."""
        if self.board.won != VACANT or static_result(self.board):
            return False
        return not self.threats.find_vcf(self.board, FOURS_PLIES, self.parameters.solver_leaf_budget, True)

    def win_by_fours(self, budget) -> int:
        """Plies to the five if the side to move wins by fours, placing `budget` stones at most; 0: not found."""
        if self.board.won != VACANT:
            return 0
        return self.threats.find_vcf(self.board, MAX_PLY, budget, False)

    def forced_win(self, budget):
        """The moves of a win by fours and threes, as far as known, placing `budget` stones at most; []: not found."""
        cdef Move line[MAX_PLY]
        cdef int length = 0, i
        cdef uint64_t nodes = 0
        if self.board.won == VACANT:
            self.solve_root(budget, &nodes, line, &length, None)
        return [line[i] for i in range(length)]

    cpdef Game copy(self):
        """An independent copy, history included."""
        cdef Position twin = Position(self.width, self.height, self.rule, self.evaluator.copy())
        free(twin.board)
        twin.board = NULL
        twin.board = copy_board(self.board)
        twin.recent = self.recent
        twin.sync()
        return twin

    def without_moves(self):
        """A copy without the moves played, like a position just set up: what a search should begin from.

        The search takes the positions after these moves as searched before (has_gained()).
        """
        cdef Position twin = self.copy()
        self.last_stones(twin.recent)
        twin.board.steps = twin.board.changes = 0
        return twin

    # ------------------------------------------------------------- for Search

    cdef bint make(self, Move move) noexcept nogil:
        if self.board.side == BLACK and self.board.rank[BLACK][move] == MAYBE_FORBIDDEN and forbidden(self.board, move):
            return False
        place(self.board, move)
        self.sync()
        return True

    cdef void unmake(self) noexcept nogil:
        take_back(self.board)
        self.sync()

    cdef int generate(self, int stage, Move* moves) noexcept nogil:
        cdef int side = self.board.side, count = 0, row, column
        cdef uint64_t bits
        if self.board.sums.ranks[side][FIVE]:
            # A five wins, so no other move matters.
            return collect(self.board, side, FIVE, moves) if stage != QUIET else 0
        if stage == EVASION:
            return self.evade(moves)
        if stage == NOISY:
            # Plain fours come with the quiet moves: they seldom begin a forced win. probe_solver() leaves them out.
            count = collect(self.board, side, OPEN_OR_DOUBLE_FOUR, moves)
            count += collect(self.board, side, FOUR_THREE, moves + count)
            return count
        for row in range(MARGIN, MARGIN + self.height):
            bits = near_row(self.board, row) >> MARGIN
            column = row * STRIDE + MARGIN
            while bits:
                if bits & 1 and not self.noisy(column):
                    moves[count] = column
                    count += 1
                bits >>= 1
                column += 1
        if count == 0:
            count = self.generate_far(moves)
        return count

    cdef int generate_far(self, Move* moves) noexcept nogil:
        """Moves where no quiet point is near a stone: the centre of an empty board, else every quiet point."""
        cdef int point = (MARGIN + self.height // 2) * STRIDE + MARGIN + self.width // 2, count = 0
        if self.board.content[point] == VACANT and not self.noisy(point):
            moves[0] = point
            count = 1
            if self.board.vacant == self.width * self.height:
                return 1
        for point in range(FIRST_POINT, FIRST_POINT + self.height * STRIDE):
            if self.board.content[point] == VACANT and not self.noisy(point) and not (count and moves[0] == point):
                moves[count] = point
                count += 1
        return count

    cdef int evade(self, Move* moves) noexcept nogil:
        """All moves that can stop the other side's five, winning four or win by fours."""
        cdef int side = self.board.side, other = side ^ 1, count, fours, found, i, j
        if self.board.sums.ranks[other][FIVE]:
            count = stops(self.board, other, moves)
            return count if count else collect(self.board, other, FIVE, moves)
        fours = collect(self.board, side, OPEN_OR_DOUBLE_FOUR, moves)
        fours += collect(self.board, side, FOUR_THREE, moves + fours)
        fours += collect(self.board, side, FOUR, moves + fours)
        fours += collect(self.board, side, MAYBE_FORBIDDEN, moves + fours)
        count = fours
        if self.board.sums.ranks[other][OPEN_OR_DOUBLE_FOUR]:
            found = defences(self.board, other, moves + fours)
        else:
            found = self.threats.answers(self.board, moves + fours)
            if found == 0:
                # A stone anywhere could stop it.
                count = fours = 0
                for i in range(FIRST_POINT, FIRST_POINT + self.height * STRIDE):
                    if self.board.content[i] == VACANT:
                        moves[count] = i
                        count += 1
        sanqi_check(fours + found <= self.max_moves, b"evade() writes max_moves at most")
        for i in range(found):
            for j in range(fours):
                if moves[j] == moves[fours + i]:
                    break
            else:
                moves[count] = moves[fours + i]
                count += 1
        if side == BLACK and self.board.renju:
            for i in range(count):
                if self.board.rank[BLACK][moves[i]] != MAYBE_FORBIDDEN or not forbidden(self.board, moves[i]):
                    return count
            # All that could stop it is forbidden now. The game goes on, and another stone may change that.
            return self.generate(QUIET, moves)
        if count == 0:
            # The position is lost, but a move must be made.
            count = collect(self.board, other, OPEN_OR_DOUBLE_FOUR, moves)
        return count

    cdef void order(self, int stage, const Move* moves, int count, int32_t* scores, int32_t* slots) noexcept nogil:
        cdef int i, point, side = self.board.side, other = side ^ 1
        for i in range(count):
            point = moves[i]
            scores[i] = 3 * POINT_ORDER[pattern_of(self.board, side, point)][0]
            scores[i] += 3 * POINT_ORDER[pattern_of(self.board, other, point)][1]
            slots[i] = history_slot_of(point)

    cdef bint pseudo_legal(self, Move move) noexcept nogil:
        return move < POINTS and self.board.content[move] == VACANT

    cdef bint noisy(self, Move move) noexcept nogil:
        cdef int rank = self.board.rank[self.board.side][move]
        return FOUR_THREE <= rank <= FIVE

    cdef int gain(self, Move move) noexcept nogil:
        return 0

    cdef bint see_ge(self, Move move, int threshold) noexcept nogil:
        return True

    cdef bint gives_check(self, Move move) noexcept nogil:
        cdef int rank = self.board.rank[self.board.side][move]
        return rank == DOUBLE_THREE or rank == FOUR_THREE or rank == OPEN_OR_DOUBLE_FOUR

    cdef int history_slot(self, Move move) noexcept nogil:
        return history_slot_of(move)

    cdef void last_stones(self, int* stones) noexcept nogil:
        """Write the last two stones, the later one first; 0: not known."""
        cdef int i
        for i in range(2):
            if self.board.steps > i:
                stones[i] = self.board.step[self.board.steps - 1 - i].point
            else:
                stones[i] = self.recent[i - self.board.steps]

    cdef int obscurity(self, Move move) noexcept nogil:
        cdef int stones[2]
        self.last_stones(stones)
        return obscurity_of(self.board, move, stones)

    cdef bint relates(self, Move move) noexcept nogil:
        return joins_line(self.board, move)

    cdef int age(self) noexcept nogil:
        return self.width * self.height - self.board.vacant

    cdef int evaluate(self) noexcept nogil:
        return (<GomokuEvaluator> self.evaluator).evaluate(self.board)

    cdef bint policy(self, const Move* moves, int count, int32_t* scores) noexcept nogil:
        return (<GomokuEvaluator> self.evaluator).policy(self.board, moves, count, scores)

    cdef bint in_check(self) noexcept nogil:
        cdef int other = self.board.side ^ 1
        if self.board.sums.ranks[other][FIVE] > 0:
            return True
        if 0 < self.solver_plies < LONG_FOURS:
            return self.solver_plies > 1 and self.board.sums.ranks[other][OPEN_OR_DOUBLE_FOUR] > 0 and (
                self.solver_plies > 2 or has_straight(self.board, other, OPEN_OR_DOUBLE_FOUR)
            )
        if self.board.sums.ranks[other][OPEN_OR_DOUBLE_FOUR] > 0:
            return True
        if self.threats.knows_opponent_vcf(self.board):
            return True
        return self.has_gained(other) and self.threats.opponent_has_vcf(
            self.board, self.parameters.solver_leaf_budget, True
        )

    cdef void begin_root(self) noexcept nogil:
        """Look longer for the other side's win by fours than in the tree.

        If there is one, in_check() knows it, and evade() lists all defences, those far from all stones included.
        The stones are not counted: 60 microseconds in the mean of middle games.
        """
        cdef int side = self.side
        if (
            self.solver_plies == 0 and fours_in(&self.board.sums, side ^ 1) and not self.board.sums.ranks[side][FIVE]
            and not self.board.sums.ranks[side ^ 1][FIVE]
            and not self.board.sums.ranks[side ^ 1][OPEN_OR_DOUBLE_FOUR]
        ):
            self.threats.opponent_has_vcf(self.board, ROOT_FOURS_STONES, False)
            self.counted = self.threats.nodes

    cdef int outcome(self, int ply) noexcept nogil:
        if self.board.won != VACANT:
            return LOST
        return DRAWN if self.board.vacant == 0 else ONGOING

    cdef bint one_reply(self) noexcept nogil:
        return self.board.sums.ranks[self.board.side ^ 1][FIVE] != 0

    cdef int idleness(self, Move move) noexcept nogil:
        """Of an answer to the threat of an open four or of two fours that takes none of its points, such as an own four
        elsewhere: 2 if it is far from the last stone, and 1 if it is far from the own one before it. 0 within
        two plies of the root."""
        cdef int other = self.board.side ^ 1, steps = self.board.steps
        if (
            steps < 2 or self.board.sums.ranks[other][FIVE] or not self.board.sums.ranks[other][OPEN_OR_DOUBLE_FOUR]
            or FOUR <= self.board.rank[other][move] <= FIVE
        ):
            return 0
        return 2 * is_far(move, self.board.step[steps - 1].point) + is_far(move, self.board.step[steps - 2].point)

    cdef int probe_solver(self, int depth, uint64_t* nodes) noexcept nogil:
        cdef int plies = static_result(self.board), side = self.board.side, budget = self.parameters.solver_leaf_budget
        cdef int limit = self.longest_end(FOURS_PLIES)
        cdef Move point
        if abs(plies) > limit:
            # The lowest levels make their own open four on a row or a column, but do not see the opponent's.
            return plies if (
                limit == 1 and plies == -2 and side != self.weak_side and has_straight(self.board, side ^ 1, FIVE)
            ) else 0
        if depth == AT_SIGHT:
            return plies
        if not plies and limit >= 5:
            plies = win_by_threes(self.board, nodes, &point)
        if plies or limit < 5 or fours_in(&self.board.sums, side) == 0:
            return plies
        if depth > 0:
            budget = 2 * budget + self.parameters.solver_depth_budget * depth
        plies = self.threats.find_vcf(self.board, limit, budget, True)
        nodes[0] += self.threats.nodes - self.counted
        self.counted = self.threats.nodes
        return plies

    cdef int longest_end(self, int plies) noexcept nogil:
        """The longest end that may be reported, `plies` at most."""
        return min(plies, self.solver_plies) if self.solver_plies else plies

    cdef bint has_gained(self, int colour) noexcept nogil:
        """Whether a colour can make fours, and gained some of them, or fours that are better, by the last move.

        If it gained none, a win by fours would mostly have been seen before that move. A move before the root of the
        search was not seen so: the root should have no moves, and counts every four as gained.
        """
        cdef int steps = self.board.steps
        cdef const Sums* before
        if steps == 0:
            return fours_in(&self.board.sums, colour) > 0
        before = &self.board.step[steps - 1].sums
        return (
            fours_in(&self.board.sums, colour) > fours_in(before, colour)
            or self.board.sums.ranks[colour][FOUR_THREE] > before.ranks[colour][FOUR_THREE]
        )

    cdef int solve_root(
        self, uint64_t budget, uint64_t* nodes, Move* line, int* length, Poller poller
    ) noexcept nogil:
        cdef int plies
        length[0] = 0
        self.threats.poll(poller)
        # What probe_solver() knows comes first: a win that the search has announced must be found again.
        plies = self.threats.find_vcf(self.board, self.longest_end(FOURS_PLIES), budget // 4, True)
        if not plies and self.longest_end(5) == 5 and not static_result(self.board):
            plies = win_by_threes(self.board, nodes, line)
            length[0] = 1 if plies else 0
        if not plies:
            plies = self.threats.find_vcf(self.board, self.longest_end(61), budget // 4, False)
        if not plies:
            plies = self.threats.find_vct(self.board, self.longest_end(21), budget)
        if plies > self.longest_end(MAX_PLY):
            plies = length[0] = 0
        if plies and not length[0]:
            length[0] = self.threats.winning_line(self.board, line, plies)
        self.threats.poll(None)
        nodes[0] += self.threats.nodes - self.counted
        self.counted = self.threats.nodes
        return plies

    cdef int shorten(
        self, int plies, uint64_t budget, uint64_t* nodes, Move* line, int* length, Poller poller
    ) noexcept nogil:
        cdef int shorter
        self.threats.poll(poller)
        shorter = self.threats.find_shorter(self.board, plies - 2, budget)
        self.threats.poll(None)
        length[0] = self.threats.winning_line(self.board, line, shorter) if shorter else 0
        nodes[0] += self.threats.nodes - self.counted
        self.counted = self.threats.nodes
        return shorter if shorter or self.threats.exhausted else -1
