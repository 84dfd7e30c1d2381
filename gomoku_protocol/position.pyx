"""The Gomoku position: the rules for Python, and what the search asks of a game."""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from gomoku_protocol cimport board as rules
from gomoku_protocol.board cimport (
    BLACK, FIRST_POINT, LARGEST_BOARD, MARGIN, POINTS, STRIDE, VACANT, WALL, block, collect, copy_board, forbidden,
    near_row, new_board, parries, place, recompute, stops, take_back,
)
from gomoku_protocol.evaluation cimport LINE_ORDER, RANK_ORDER
from gomoku_protocol.patterns cimport CHECK, CHECK_THREAT, LINE_CLASSES, RANKS, SUSPECT, THREAT, WIN, WINNING_FOUR
from gomoku_protocol.threats cimport ThreatSearch, settled
from search_core.game cimport (
    DRAWN, EVASION, LOST, NOISY, ONGOING, QUIET, Game, Move,
)

from gomoku_protocol.points import LARGEST_SIZE, RULES, SMALLEST_SIZE, point_text


# Weights of what the side that thinks can make, and of what its opponent can, in 128ths.
_STYLES = {"steady": (128, 128), "aggressive": (148, 116), "conservative": (116, 148)}


class IllegalMove(ValueError):
    """A move that the rules do not allow now; the message names it."""


cdef inline int slot_of(Move move) noexcept nogil:
    # Both colours want the same points; half the table is in the cache twice as often.
    return (<int> move // STRIDE - MARGIN) * 22 + (move & (STRIDE - 1)) - MARGIN


cdef class Position(Game):
    """A Gomoku position with the moves that led to it.

    Parameters
    ----------
    width, height : int
        Of the board, 5 to 22 points.
    rule : int
        One of points.RULES.

    Black is whoever moves first, `side` 0.
    """

    def __cinit__(self, int width=15, int height=15, int rule=0):
        if not SMALLEST_SIZE <= width <= LARGEST_SIZE or not SMALLEST_SIZE <= height <= LARGEST_SIZE:
            raise ValueError(f"a board of {width}x{height}: expected {SMALLEST_SIZE} to {LARGEST_SIZE} points a side")
        if rule not in RULES:
            raise ValueError(f"rule {rule}: expected one of {', '.join(map(str, RULES))}")
        self.width = width
        self.height = height
        self.rule = rule
        self.max_moves = LARGEST_BOARD
        self.history_slots = LARGEST_BOARD
        self.stuck_is_loss = True
        self.reduction_divisor = 1.7  # +45 Elo over the 2.25 of Xiangqi
        self.proves = True
        self.leaves_are_quiet = True
        self.threats = ThreatSearch()
        self.board = new_board(width, height, rule)
        self.sync()

    def __dealloc__(self):
        free(self.board)

    cdef void sync(self) noexcept nogil:
        self.key = self.board.key
        self.side = self.board.side

    # ------------------------------------------------------------- for Python

    def set_up(self, black, white, blocked=(), int side=0):
        """Take up an arbitrary position and forget the moves.

        Raises ValueError, changing nothing, if a point is off the board or named twice.
        """
        cdef Position fresh = Position(self.width, self.height, self.rule)
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
        self.sync()

    def must_be_vacant(self, move):
        if not 0 <= move < POINTS or self.board.content[move] == WALL:
            raise ValueError(f"{point_text(move)} is not on the board")
        if self.board.content[move] != VACANT:
            raise ValueError(f"{point_text(move)} is taken")

    def push(self, move) -> None:
        """Play a move. Raises IllegalMove, changing nothing."""
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
        return [self.board.step[i].point for i in range(self.board.steps)]

    def legal_moves(self):
        """All moves that push() takes now."""
        return [point for point in range(POINTS) if self.is_legal(point)]

    def is_legal(self, move) -> bool:
        """Whether push() takes the move now."""
        return (
            0 <= move < POINTS and self.board.content[move] == VACANT and self.board.won == VACANT
            and not (self.side == BLACK and self.is_forbidden(move))
        )

    def is_forbidden(self, move) -> bool:
        """Whether renju forbids Black the vacant point, whoever is to move."""
        return 0 <= move < POINTS and self.board.content[move] == VACANT and forbidden(self.board, move)

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
    def full(self) -> bool:
        """Whether no point is left."""
        return self.board.vacant == 0

    def evaluate_cp(self) -> int:
        """The static score for the side to move, in centipawns."""
        return self.evaluate()

    def set_style(self, style) -> None:
        """Weigh attack against defence for the side to move: "aggressive", "steady" or "conservative".

        Raises KeyError for another.
        """
        attack, defence = _STYLES[style]
        self.board.weight[self.side] = attack
        self.board.weight[self.side ^ 1] = defence

    def evaluation_counts(self):
        """What the evaluation adds up: for the side to move and for the other, vacant points by line class and by rank.

        Four tuples of counts. A point counts four times among the line classes.
        """
        cdef int sides[2]
        cdef int i, point, direction
        cdef int lines[LINE_CLASSES]
        found = []
        sides[0] = self.side
        sides[1] = self.side ^ 1
        for i in range(2):
            memset(lines, 0, sizeof(lines))
            for point in range(POINTS):
                if self.board.content[point] == VACANT:
                    for direction in range(4):
                        lines[(self.board.lines[sides[i]][point] >> 4 * direction) & 15] += 1
            found.append(tuple(lines[k] for k in range(LINE_CLASSES)))
            found.append(tuple(self.board.sums.ranks[sides[i]][k] for k in range(RANKS)))
        return tuple(found)

    @property
    def quiet(self) -> bool:
        """Whether the evaluation has the last word: nobody has won, and no win by fours is seen at once."""
        return self.board.won == VACANT and not settled(self.board) and not self.threats.find_fours(self.board, 41, 48)

    cpdef Game copy(self):
        """An independent copy, history included."""
        cdef Position twin = Position(self.width, self.height, self.rule)
        free(twin.board)
        twin.board = NULL
        twin.board = copy_board(self.board)
        twin.sync()
        return twin

    # ------------------------------------------------------------- for Search

    cdef bint make(self, Move move) noexcept nogil:
        if self.board.side == BLACK and self.board.rank[BLACK][move] == SUSPECT and forbidden(self.board, move):
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
        if self.board.sums.ranks[side][WIN]:
            # Nothing else is worth a look.
            return collect(self.board, side, WIN, moves) if stage != QUIET else 0
        if stage == EVASION:
            return self.evade(moves)
        if stage == NOISY:
            count = collect(self.board, side, WINNING_FOUR, moves)
            count += collect(self.board, side, CHECK_THREAT, moves + count)
            count += collect(self.board, side, CHECK, moves + count)
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
        """Where there is nothing near a stone: the centre of an empty board, else every quiet point."""
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
        """All that can stop a five, or a winning four, of the other side."""
        cdef int side = self.board.side, other = side ^ 1, count, fours, i, j
        if self.board.sums.ranks[other][WIN]:
            count = stops(self.board, other, moves)
            return count if count else collect(self.board, other, WIN, moves)
        fours = collect(self.board, side, WINNING_FOUR, moves)
        fours += collect(self.board, side, CHECK_THREAT, moves + fours)
        fours += collect(self.board, side, CHECK, moves + fours)
        fours += collect(self.board, side, SUSPECT, moves + fours)
        count = fours
        for i in range(parries(self.board, other, moves + fours)):
            for j in range(fours):
                if moves[j] == moves[fours + i]:
                    break
            else:
                moves[count] = moves[fours + i]
                count += 1
        if count == 0:
            # Lost, but a move is owed.
            count = collect(self.board, other, WINNING_FOUR, moves)
        return count

    cdef void order(self, int stage, const Move* moves, int count, int32_t* scores, int32_t* slots) noexcept nogil:
        cdef int i, d, point, side = self.board.side, other = side ^ 1
        cdef int32_t score
        cdef uint32_t mine, theirs
        for i in range(count):
            point = moves[i]
            mine = self.board.lines[side][point]
            theirs = self.board.lines[other][point]
            score = 2 * RANK_ORDER[self.board.rank[side][point]] + RANK_ORDER[self.board.rank[other][point]]
            for d in range(4):
                score += 2 * LINE_ORDER[(mine >> 4 * d) & 15] + LINE_ORDER[(theirs >> 4 * d) & 15]
            scores[i] = 4 * score
            slots[i] = slot_of(point)

    cdef bint pseudo_legal(self, Move move) noexcept nogil:
        return move < POINTS and self.board.content[move] == VACANT

    cdef bint noisy(self, Move move) noexcept nogil:
        cdef int rank = self.board.rank[self.board.side][move]
        return CHECK <= rank <= WIN

    cdef int gain(self, Move move) noexcept nogil:
        return 0

    cdef bint see_ge(self, Move move, int threshold) noexcept nogil:
        return True

    cdef bint gives_check(self, Move move) noexcept nogil:
        cdef int rank = self.board.rank[self.board.side][move]
        return THREAT <= rank <= WINNING_FOUR

    cdef int history_slot(self, Move move) noexcept nogil:
        return slot_of(move)

    cdef int evaluate(self) noexcept nogil:
        return rules.evaluate(self.board)

    cdef bint in_check(self) noexcept nogil:
        cdef int other = self.board.side ^ 1
        return self.board.sums.ranks[other][WIN] > 0 or self.board.sums.ranks[other][WINNING_FOUR] > 0

    cdef int outcome(self, int ply) noexcept nogil:
        if self.board.won != VACANT:
            return LOST
        return DRAWN if self.board.vacant == 0 else ONGOING

    cdef int proven_end(self, int depth, uint64_t* nodes) noexcept nogil:
        cdef int plies = settled(self.board), side = self.board.side
        cdef uint64_t before = self.threats.nodes
        if plies or self.board.sums.ranks[side][CHECK] + self.board.sums.ranks[side][CHECK_THREAT] == 0:
            return plies
        plies = self.threats.find_fours(self.board, 41, 48 if depth <= 0 else 96 + 32 * depth)
        nodes[0] += self.threats.nodes - before
        return plies

    cdef int prove(self, uint64_t budget, uint64_t* nodes, Move* line, int* length) noexcept nogil:
        cdef int plies
        cdef uint64_t before = self.threats.nodes
        length[0] = 0
        plies = self.threats.find_fours(self.board, 61, budget // 4)
        if not plies:
            plies = self.threats.find_threats(self.board, 21, budget)
        if plies:
            length[0] = self.threats.winning_line(self.board, line, plies)
        nodes[0] += self.threats.nodes - before
        return plies
