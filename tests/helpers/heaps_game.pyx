"""A game that keeps every clause of the contract of Game, or breaks the one clause that `fault` selects.

Both sides take coins from heaps; the side that takes the last coin wins. Heap 0 is the first side's guard, heap 1 the
second side's: one coin left in the guard of the side to move is a check, which it answers by taking that coin. A side
may not leave its own guard with one coin. If several heaps have one coin each and no heap has more, the game is drawn.
"""

from libc.stdint cimport int32_t, uint64_t

from search_core.game cimport (
    CHECKS, DRAWN, EVASION, LOST, MAX_PLY, NOISY, NULL_VERIFIED, ONGOING, QUIET, Game, Move, Poller,
)
from search_core.splitmix cimport splitmix

cdef extern from *:
    """
    static volatile int shared_by_threads;
    """
    int shared_by_threads

cdef enum:
    HEAPS = 5
    COINS = 8        # a heap has fewer
    NUMBERS = HEAPS * COINS
    SPIN = 50_000

cdef enum Fault:
    NO_FAULT
    SIDE_OUT_OF_RANGE
    MOVE_TWICE
    MOVE_IN_BOTH_STAGES
    MOVE_OF_21_BITS
    WRITES_BEYOND_MAX_MOVES
    ORDER_WRITES_BEYOND_ITS_MOVES
    ORDER_FORGETS_THE_SLOT
    POLICY_WRITES_BEYOND_ITS_MOVES
    HUGE_POLICY
    REFUSED_POLICY_CHANGES_SCORES
    HUGE_ORDER
    HUGE_SLOT
    NOISY_IS_WRONG
    GENERATED_MOVE_REFUSED
    WILD_MOVE_ACCEPTED
    REFUSAL_CHANGES_THE_KEY
    LEGALITY_HANGS_ON_A_QUESTION
    UNMAKE_FORGETS_A_HEAP
    UNMAKE_FORGETS_THE_KEY
    QUESTION_CHANGES_THE_SCORE
    ANSWER_HANGS_ON_THE_ORDER
    GIVES_CHECK_IS_WRONG
    EVASION_IS_MISSING
    CHECK_IS_MISSING
    NULL_MOVE_FORGETS_THE_KEY
    NULL_MOVE_KEEPS_THE_KEY
    KEY_WITHOUT_A_HEAP
    KEY_HANGS_ON_THE_WAY
    KEY_OF_32_BITS
    HUGE_SCORE
    EXCHANGE_IS_NOT_MONOTONIC
    OUTCOME_IS_WRONG
    LEGAL_MOVES_LACK_ONE
    COUNT_IS_WRONG
    COPY_SHARES_ITS_HEAPS
    COPY_WITHOUT_ITS_MOVES
    THREADS_SHARE_A_VARIABLE
    SOLVER_FORGETS_THE_KEY
    SOLVER_NAMES_NO_MOVE

FAULTS = {
    "": NO_FAULT,
    "side out of range": SIDE_OUT_OF_RANGE,
    "move twice": MOVE_TWICE,
    "move in both stages": MOVE_IN_BOTH_STAGES,
    "move of 21 bits": MOVE_OF_21_BITS,
    "generate writes beyond max_moves": WRITES_BEYOND_MAX_MOVES,
    "order writes beyond its moves": ORDER_WRITES_BEYOND_ITS_MOVES,
    "order forgets the slot": ORDER_FORGETS_THE_SLOT,
    "policy writes beyond its moves": POLICY_WRITES_BEYOND_ITS_MOVES,
    "huge policy": HUGE_POLICY,
    "refused policy changes scores": REFUSED_POLICY_CHANGES_SCORES,
    "huge order": HUGE_ORDER,
    "huge slot": HUGE_SLOT,
    "noisy is wrong": NOISY_IS_WRONG,
    "generated move refused": GENERATED_MOVE_REFUSED,
    "wild move accepted": WILD_MOVE_ACCEPTED,
    "refusal changes the key": REFUSAL_CHANGES_THE_KEY,
    "legality hangs on a question": LEGALITY_HANGS_ON_A_QUESTION,
    "unmake forgets a heap": UNMAKE_FORGETS_A_HEAP,
    "unmake forgets the key": UNMAKE_FORGETS_THE_KEY,
    "question changes the score": QUESTION_CHANGES_THE_SCORE,
    "answer hangs on the order": ANSWER_HANGS_ON_THE_ORDER,
    "gives_check is wrong": GIVES_CHECK_IS_WRONG,
    "evasion is missing": EVASION_IS_MISSING,
    "check is missing": CHECK_IS_MISSING,
    "null move forgets the key": NULL_MOVE_FORGETS_THE_KEY,
    "null move keeps the key": NULL_MOVE_KEEPS_THE_KEY,
    "key without a heap": KEY_WITHOUT_A_HEAP,
    "key hangs on the way": KEY_HANGS_ON_THE_WAY,
    "key of 32 bits": KEY_OF_32_BITS,
    "huge score": HUGE_SCORE,
    "exchange is not monotonic": EXCHANGE_IS_NOT_MONOTONIC,
    "outcome is wrong": OUTCOME_IS_WRONG,
    "legal moves lack one": LEGAL_MOVES_LACK_ONE,
    "count is wrong": COUNT_IS_WRONG,
    "copy shares its heaps": COPY_SHARES_ITS_HEAPS,
    "copy without its moves": COPY_WITHOUT_ITS_MOVES,
    "threads share a variable": THREADS_SHARE_A_VARIABLE,
    "solver forgets the key": SOLVER_FORGETS_THE_KEY,
    "solver names no move": SOLVER_NAMES_NO_MOVE,
}

cdef uint64_t HEAP_KEY[HEAPS][COINS]
cdef uint64_t TURN_KEY
cdef uint64_t WAY_KEY


cdef void fill_keys() noexcept:
    global TURN_KEY, WAY_KEY
    cdef uint64_t state = 2026
    cdef int heap, coins
    for heap in range(HEAPS):
        for coins in range(COINS):
            HEAP_KEY[heap][coins] = splitmix(&state)
    TURN_KEY = splitmix(&state)
    WAY_KEY = splitmix(&state)


fill_keys()


cdef inline int heap_of(Move move) noexcept nogil:
    return <int> (move - 1) // COINS


cdef inline int taken_by(Move move) noexcept nogil:
    return <int> (move - 1) % COINS + 1


cdef class Heaps(Game):
    cdef int own[HEAPS]
    cdef int* heap      # `own`, or the original's heaps in a copy that shares them
    cdef object original
    cdef int turn
    cdef int fault
    cdef bint asked     # in_check() has been called
    cdef int questions
    cdef Move played[2 * MAX_PLY]
    cdef int taken[2 * MAX_PLY]
    cdef int length

    def __cinit__(self, heaps, int turn, str fault=""):
        self.max_moves = 2 * NUMBERS
        self.history_slots = 2 * NUMBERS
        self.stalemate_is_loss = True
        self.has_solver = True
        self.has_policy = True
        self.parameters.quiet_checks = 2
        self.fault = FAULTS[fault]
        self.heap = self.own
        self.turn = self.side = turn
        for i in range(HEAPS):
            self.heap[i] = heaps[i]
        self.key = self.computed_key()

    cdef uint64_t computed_key(self) noexcept nogil:
        cdef uint64_t key = TURN_KEY if self.turn else 0
        cdef int i
        for i in range(HEAPS):
            if self.fault != KEY_WITHOUT_A_HEAP or i != HEAPS - 1:
                key ^= HEAP_KEY[i][self.heap[i]]
        return self.cut(key)

    cdef uint64_t cut(self, uint64_t key) noexcept nogil:
        """The bits of a key that the fault leaves."""
        return <Move> key if self.fault == KEY_OF_32_BITS else key

    # ------------------------------------------------------------- for Python

    @property
    def heaps(self):
        return [self.heap[i] for i in range(HEAPS)]

    def fen(self):
        return f"{self.heaps} {self.turn}"

    def legal_moves(self):
        legal = [move for move in range(1, NUMBERS + 1) if self.pseudo_legal(move) and self.is_legal(move)]
        return legal[1:] if self.fault == LEGAL_MOVES_LACK_ONE else legal

    def result(self):
        """How the game stands for the side to move, in the words of check_game()."""
        if not any(self.heaps):
            return "lost"
        if max(self.heaps) == 1 < sum(self.heaps):
            return "drawn"
        return "ongoing" if any(self.is_legal(move) for move in range(1, NUMBERS + 1)) else "lost"

    cpdef Game copy(self):
        cdef Heaps twin = Heaps(self.heaps, self.turn)
        cdef int i
        twin.fault = self.fault
        twin.key = self.key
        if self.fault == COPY_SHARES_ITS_HEAPS:
            twin.original = self
            twin.heap = self.heap
        if self.fault != COPY_WITHOUT_ITS_MOVES:
            twin.length = self.length
            for i in range(self.length):
                twin.played[i] = self.played[i]
                twin.taken[i] = self.taken[i]
        return twin

    # ------------------------------------------------------------- for Search

    cdef bint is_legal(self, Move move) noexcept nogil:
        """Whether the heap has this many coins, and the side's guard would not be left with one."""
        cdef int heap = heap_of(move), taken = taken_by(move)
        if taken > self.heap[heap]:
            return self.fault == WILD_MOVE_ACCEPTED
        return self.heap[self.turn] - (taken if heap == self.turn else 0) != 1

    cdef int generate(self, int stage, Move* moves) noexcept nogil:
        cdef int heap, taken, count = 0
        if self.fault == WRITES_BEYOND_MAX_MOVES:
            moves[self.max_moves] = 0
        if stage == EVASION and self.fault != EVASION_IS_MISSING:
            moves[0] = 1 + self.turn * COINS
            return 1
        for heap in range(HEAPS):
            for taken in range(1, self.heap[heap] + 1):
                if stage == EVASION:
                    continue
                if (taken == self.heap[heap]) == (stage == NOISY) or self.fault == MOVE_IN_BOTH_STAGES:
                    moves[count] = 1 + heap * COINS + taken - 1
                    count += stage != CHECKS or self.gives_check(moves[count])
        if count and stage == CHECKS and self.fault == CHECK_IS_MISSING:
            return count - 1
        if count and stage == QUIET:
            if self.fault == MOVE_TWICE:
                moves[count - 1] = moves[0]
            if self.fault == MOVE_OF_21_BITS:
                moves[0] |= 1 << 20
        return count

    cdef int count_legal(self) noexcept nogil:
        return 1000 if self.fault == COUNT_IS_WRONG else -1

    cdef void order(self, int stage, const Move* moves, int count, int32_t* scores, int32_t* slots) noexcept nogil:
        cdef int i
        for i in range(count):
            scores[i] = taken_by(moves[i]) if self.fault != HUGE_ORDER else 1 << 30
            slots[i] = self.history_slot(moves[i]) if self.fault != ORDER_FORGETS_THE_SLOT else 0
        if self.fault == ORDER_WRITES_BEYOND_ITS_MOVES:
            scores[count] = 0

    cdef bint policy(self, const Move* moves, int count, int32_t* scores) noexcept nogil:
        cdef int i
        if self.turn and self.fault != REFUSED_POLICY_CHANGES_SCORES:
            return False
        for i in range(count):
            scores[i] = 100 - taken_by(moves[i]) if self.fault != HUGE_POLICY else 1 << 30
        if self.fault == POLICY_WRITES_BEYOND_ITS_MOVES:
            scores[count] = 0
        return self.turn == 0

    cdef bint make(self, Move move) noexcept nogil:
        cdef int heap = heap_of(move), taken = taken_by(move)
        if not self.is_legal(move) and (self.asked or self.fault != LEGALITY_HANGS_ON_A_QUESTION):
            if self.fault == REFUSAL_CHANGES_THE_KEY:
                self.key ^= 1
            return False
        if taken > self.heap[heap]:
            taken = self.heap[heap]
        self.played[self.length] = move
        self.taken[self.length] = taken
        self.length += 1
        self.change(heap, -taken)
        if self.fault == SIDE_OUT_OF_RANGE:
            self.side = 2
        return True

    cdef void change(self, int heap, int coins) noexcept nogil:
        if self.fault != KEY_WITHOUT_A_HEAP or heap != HEAPS - 1:
            self.key ^= self.cut(HEAP_KEY[heap][self.heap[heap]] ^ HEAP_KEY[heap][self.heap[heap] + coins] ^ TURN_KEY)
        if self.fault == KEY_HANGS_ON_THE_WAY and heap == HEAPS - 1:
            self.key ^= WAY_KEY
        self.heap[heap] += coins
        self.turn ^= 1
        self.side = self.turn

    cdef void unmake(self) noexcept nogil:
        cdef int heap
        cdef uint64_t key = self.key
        if self.length == 0:
            return
        self.length -= 1
        heap = heap_of(self.played[self.length])
        self.change(heap, self.taken[self.length])
        if self.fault == UNMAKE_FORGETS_A_HEAP and heap == 2:
            self.heap[2] -= self.taken[self.length]
        if self.fault == UNMAKE_FORGETS_THE_KEY:
            self.key = key
        if self.fault == WILD_MOVE_ACCEPTED and self.taken[self.length] < taken_by(self.played[self.length]):
            self.key ^= 1

    cdef int null_move(self) noexcept nogil:
        return NULL_VERIFIED

    cdef void make_null(self) noexcept nogil:
        self.turn ^= 1
        self.side = self.turn
        if self.fault != NULL_MOVE_KEEPS_THE_KEY:
            self.key ^= self.cut(TURN_KEY)

    cdef void unmake_null(self) noexcept nogil:
        if self.fault == NULL_MOVE_FORGETS_THE_KEY:
            self.turn ^= 1
            self.side = self.turn
        else:
            self.make_null()

    cdef bint pseudo_legal(self, Move move) noexcept nogil:
        if not 1 <= move <= <Move> NUMBERS:
            return False
        if self.fault == GENERATED_MOVE_REFUSED and taken_by(move) == 2:
            return False
        if self.fault == WILD_MOVE_ACCEPTED and taken_by(move) == self.heap[heap_of(move)] + 1:
            return self.heap[heap_of(move)] > 0
        return taken_by(move) <= self.heap[heap_of(move)]

    cdef bint noisy(self, Move move) noexcept nogil:
        return self.fault != NOISY_IS_WRONG and taken_by(move) == self.heap[heap_of(move)]

    cdef int gain(self, Move move) noexcept nogil:
        return 100 * taken_by(move)

    cdef bint see_ge(self, Move move, int threshold) noexcept nogil:
        if self.fault == EXCHANGE_IS_NOT_MONOTONIC:
            return threshold != 0
        return self.gain(move) >= threshold

    cdef bint gives_check(self, Move move) noexcept nogil:
        if self.fault == GIVES_CHECK_IS_WRONG:
            return False
        return heap_of(move) == self.turn ^ 1 and self.heap[self.turn ^ 1] - taken_by(move) == 1

    cdef int history_slot(self, Move move) noexcept nogil:
        return self.turn * NUMBERS + <int> (move - 1) % NUMBERS + (2 * NUMBERS if self.fault == HUGE_SLOT else 0)

    cdef int evaluate(self) noexcept nogil:
        global shared_by_threads
        cdef int score = 100 * (self.heap[self.turn] - self.heap[self.turn ^ 1]) + 10 * self.heap[2], _i
        if self.fault == HUGE_SCORE:
            return score + 30_000
        if self.fault == QUESTION_CHANGES_THE_SCORE:
            self.questions += 1
            return score + self.questions
        if self.fault == ANSWER_HANGS_ON_THE_ORDER:
            return score + self.asked
        if self.fault == THREADS_SHARE_A_VARIABLE:
            shared_by_threads = score
            for _i in range(SPIN):
                if shared_by_threads != score:
                    break
            return shared_by_threads
        return score

    cdef bint in_check(self) noexcept nogil:
        self.asked = True
        return self.heap[self.turn] == 1

    cdef int outcome(self, int ply) noexcept nogil:
        cdef int total = 0, most = 0, i
        for i in range(HEAPS):
            total += self.heap[i]
            most = max(most, self.heap[i])
        if total == 0:
            return LOST
        return DRAWN if most == 1 and total > 1 and self.fault != OUTCOME_IS_WRONG else ONGOING

    cdef Move last_heap(self) noexcept nogil:
        """The move that takes all coins there are, or 0."""
        cdef int i, last = -1
        for i in range(HEAPS):
            if self.heap[i]:
                if last >= 0:
                    return 0
                last = i
        return 1 + last * COINS + self.heap[last] - 1 if last >= 0 else 0

    cdef int probe_solver(self, int depth, uint64_t* nodes) noexcept nogil:
        if self.fault == SOLVER_FORGETS_THE_KEY:
            self.key ^= 1
        return 1 if self.last_heap() else 0

    cdef int solve_root(
        self, uint64_t budget, uint64_t* nodes, Move* line, int* length, Poller poller
    ) noexcept nogil:
        length[0] = 0
        line[0] = self.last_heap()
        if self.fault == SOLVER_NAMES_NO_MOVE:
            line[0] = NUMBERS + 1
            length[0] = 1
            return 3
        if not line[0]:
            return 0
        nodes[0] += 1
        length[0] = 1
        return 1
