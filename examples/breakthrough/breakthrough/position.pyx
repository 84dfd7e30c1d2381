# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Breakthrough (Dan Troyka, 2000): men move straight or diagonally forward, and take diagonally. The first side with a
man on the last rank wins, or the side that has taken all others.

A square is eight times its rank plus its file. A move is 64 times the square from which it goes, plus its target.
"""

from libc.stdint cimport int32_t

from search_core.game cimport LOST, NOISY, ONGOING, QUIET, Game, Move
from search_core.splitmix cimport scrambled

cdef enum:
    SIZE = 8
    SQUARES = 64
    EMPTY = 2  # besides the men of side 0, which begins on the first two ranks, and side 1
    MAX_PLIES = 256  # each ply moves a man one rank forward: 16 men a side, six ranks each
    MAN_CP = 100
    ADVANCE_CP = 6  # a rank that a man has advanced


cdef class Position(Game):
    """A game from its start position to the current one."""

    cdef int board[SQUARES]
    cdef int men[2]
    cdef Move played[MAX_PLIES]
    cdef int taken[MAX_PLIES]  # what stood on the target
    cdef int plies
    cdef bint over  # the last move has won

    def __cinit__(self):
        cdef int square
        self.max_moves = 3 * 2 * SIZE
        self.history_slots = SQUARES * SQUARES
        self.stalemate_is_loss = True  # it cannot happen while the game goes on: the foremost man can always move
        for square in range(SQUARES):
            self.board[square] = 0 if square < 2 * SIZE else 1 if square >= SQUARES - 2 * SIZE else EMPTY
            if self.board[square] != EMPTY:
                self.key ^= scrambled(SQUARES * self.board[square] + square)
        self.men[:] = [2 * SIZE, 2 * SIZE]

    cdef inline int target(self, int square, int step) noexcept nogil:
        """The square one rank forward and `step` files to the right; -1: there is none."""
        cdef int column = square % SIZE + step
        cdef int rank = square / SIZE + (1 if self.side == 0 else -1)
        return rank * SIZE + column if 0 <= column < SIZE and 0 <= rank < SIZE else -1

    cdef inline bint may_go(self, int target, int step) noexcept nogil:
        """Whether a man of the side to move may go to `target`."""
        return target >= 0 and (self.board[target] == EMPTY or (step != 0 and self.board[target] != self.side))

    cdef inline bint wins(self, int target) noexcept nogil:
        """Whether `target` is on a last rank."""
        return target < SIZE or target >= SQUARES - SIZE

    cdef int generate(self, int stage, Move* moves) noexcept nogil:
        cdef int square, step, target, count = 0
        for square in range(0 if self.over else SQUARES):
            if self.board[square] != self.side:
                continue
            for step in range(-1, 2):
                target = self.target(square, step)
                if self.may_go(target, step) and (stage == NOISY) == self.noisy(64 * square + target):
                    moves[count] = 64 * square + target
                    count += 1
        return count

    cdef bint noisy(self, Move move) noexcept nogil:
        return self.board[move % 64] != EMPTY or self.wins(move % 64)

    cdef int gain(self, Move move) noexcept nogil:
        return 20000 if self.wins(move % 64) else 0 if self.board[move % 64] == EMPTY else MAN_CP + 6 * ADVANCE_CP

    cdef void order(self, int stage, const Move* moves, int count, int32_t* scores, int32_t* slots) noexcept nogil:
        cdef int i
        for i in range(count):
            slots[i] = moves[i]
            scores[i] = 10000 if self.wins(moves[i] % 64) else self.advance(moves[i] / 64)

    cdef inline int advance(self, int square) noexcept nogil:
        """How many ranks a man on the square has advanced, or could have been let through."""
        return square / SIZE if self.side == 0 else SIZE - 1 - square / SIZE

    cdef bint make(self, Move move) noexcept nogil:
        cdef int origin = move / 64, target = move % 64, taken = self.board[target]
        if taken != EMPTY:
            self.men[taken] -= 1
            self.key ^= scrambled(SQUARES * taken + target)
        self.board[origin], self.board[target] = EMPTY, self.side
        self.key ^= scrambled(SQUARES * self.side + origin) ^ scrambled(SQUARES * self.side + target) ^ scrambled(999)
        self.played[self.plies], self.taken[self.plies] = move, taken
        self.plies += 1
        self.side = 1 - self.side
        self.over = self.wins(target) or self.men[self.side] == 0
        return True

    cdef void unmake(self) noexcept nogil:
        cdef int origin, target, taken
        self.plies -= 1
        origin, target, taken = self.played[self.plies] / 64, self.played[self.plies] % 64, self.taken[self.plies]
        self.side = 1 - self.side
        self.over = False
        self.key ^= scrambled(SQUARES * self.side + origin) ^ scrambled(SQUARES * self.side + target) ^ scrambled(999)
        self.board[origin], self.board[target] = self.side, taken
        if taken != EMPTY:
            self.men[taken] += 1
            self.key ^= scrambled(SQUARES * taken + target)

    cdef bint pseudo_legal(self, Move move) noexcept nogil:
        cdef int origin = move / 64, step
        if self.over or move >= SQUARES * SQUARES or self.board[origin] != self.side:
            return False
        for step in range(-1, 2):
            if self.target(origin, step) == <int> (move % 64):
                return self.may_go(move % 64, step)
        return False

    cdef int history_slot(self, Move move) noexcept nogil:
        return move

    cdef int outcome(self, int ply) noexcept nogil:
        return LOST if self.over else ONGOING

    cdef int evaluate(self) noexcept nogil:
        cdef int square, score = 0
        for square in range(SQUARES):
            if self.board[square] == 0:
                score += MAN_CP + ADVANCE_CP * (square / SIZE)
            elif self.board[square] == 1:
                score -= MAN_CP + ADVANCE_CP * (SIZE - 1 - square / SIZE)
        return score if self.side == 0 else -score

    cpdef Game copy(self):
        cdef Position twin = Position()
        twin.board, twin.men, twin.played, twin.taken = self.board, self.men, self.played, self.taken
        twin.plies, twin.over, twin.side, twin.key = self.plies, self.over, self.side, self.key
        return twin

    def piece(self, int square):
        """The side whose man stands on the square; 2: none."""
        return self.board[square]

    def legal_moves(self):
        """As numbers."""
        cdef Move moves[3 * 2 * SIZE]
        cdef int noisy = self.generate(NOISY, moves), count = noisy + self.generate(QUIET, moves + noisy)
        return [moves[i] for i in range(count)]

    def is_won(self):
        """Whether the last move has won."""
        return bool(self.over)

    def push(self, Move move):
        """Play a legal move."""
        self.make(move)

    def pop(self):
        """Take the last move back."""
        self.unmake()
