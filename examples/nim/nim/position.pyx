# cython: language_level=3
from search_core.game cimport NOISY, Game, Move
from search_core.splitmix cimport scrambled


cdef class Position(Game):
    """Heaps of stones. A move is 16 times the heap, plus the number of stones taken. Taking the last stone wins."""

    cdef readonly int heaps[3]
    cdef Move played[16]
    cdef int ply

    def __cinit__(self):
        self.max_moves = 16
        self.history_slots = 48
        self.stalemate_is_loss = True  # no stone is left: the other side took the last one
        self.heaps[:] = [3, 4, 5]
        self.settle()

    cdef void settle(self) noexcept nogil:
        self.side = self.ply % 2
        self.key = scrambled(self.heaps[0] + 16 * self.heaps[1] + 256 * self.heaps[2] + 4096 * self.side)

    cdef int generate(self, int stage, Move* moves) noexcept nogil:
        cdef int heap, taken, count = 0
        for heap in range(3 if stage != NOISY else 0):
            for taken in range(1, self.heaps[heap] + 1):
                moves[count] = 16 * heap + taken
                count += 1
        return count

    cdef bint make(self, Move move) noexcept nogil:
        self.heaps[move >> 4] -= move & 15
        self.played[self.ply] = move
        self.ply += 1
        self.settle()
        return True

    cdef void unmake(self) noexcept nogil:
        self.ply -= 1
        self.heaps[self.played[self.ply] >> 4] += self.played[self.ply] & 15
        self.settle()

    cdef bint pseudo_legal(self, Move move) noexcept nogil:
        return move < 48 and 0 < <int> (move & 15) <= self.heaps[move >> 4]

    cdef int history_slot(self, Move move) noexcept nogil:
        return move

    cdef int evaluate(self) noexcept nogil:
        return 100 if self.heaps[0] ^ self.heaps[1] ^ self.heaps[2] else -100

    cpdef Game copy(self):
        cdef Position twin = Position()
        twin.heaps, twin.played, twin.ply = self.heaps, self.played, self.ply
        twin.settle()
        return twin

    def legal_moves(self):
        return [16 * heap + taken for heap in range(3) for taken in range(1, self.heaps[heap] + 1)]

    def push(self, Move move):
        self.make(move)

    def pop(self):
        self.unmake()
