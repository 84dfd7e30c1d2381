"""Count the leaves of a game's tree, to test the rules and to measure their speed."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc

from search_core.game cimport EVASION, Game, Move, NOISY, QUIET

cdef extern from "platform.h" nogil:
    int sanqi_load(int* flag)
    void sanqi_store(int* flag, int value)


cdef int list_moves(Game game, Move* moves) noexcept nogil:
    cdef int count
    if game.in_check():
        return game.generate(EVASION, moves)
    count = game.generate(NOISY, moves)
    return count + game.generate(QUIET, moves + count)


cdef class Perft:
    """One count: the leaves `depth` plies (at least 1) below a copy of a position.

    A game that counts its legal moves without making them does so in the last ply, unless `makes_leaves`.
    """

    def __cinit__(self, Game game not None, int depth, *, bint makes_leaves=False):
        if depth < 1:
            raise ValueError(f"a depth of {depth}, expected 1 or more")
        self.game = game.copy()
        self.depth = depth
        self.makes_leaves = makes_leaves
        self.moves = <Move*> malloc(depth * game.max_moves * sizeof(Move))
        if self.moves is NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.moves)

    def cancel(self) -> None:
        """End the count soon. Any thread may call it."""
        sanqi_store(&self.cancel_flag, 1)

    @property
    def cancelled(self) -> bool:
        """Whether cancel() was called: total() is too small then, and divide() ends early."""
        return sanqi_load(&self.cancel_flag) != 0

    def total(self) -> int:
        """The number of leaves."""
        cdef uint64_t leaves
        with nogil:
            leaves = self.leaves(self.depth, self.moves)
        return leaves

    def divide(self, moves):
        """Each of the `moves` that is legal, with the number of leaves below it."""
        cdef uint64_t leaves
        cdef Move move
        for move in moves:
            if not self.game.pseudo_legal(move) or not self.game.make(move):
                continue
            with nogil:
                leaves = self.leaves(self.depth - 1, self.moves)
            self.game.unmake()
            if self.cancelled:
                return
            yield move, leaves

    cdef uint64_t leaves(self, int depth, Move* moves) noexcept nogil:
        cdef uint64_t total = 0
        cdef int i, count
        if depth == 0:
            return 1
        if depth == 1 and not self.makes_leaves:
            count = self.game.count_legal()
            if count >= 0:
                return count
        if sanqi_load(&self.cancel_flag):
            return 0
        count = list_moves(self.game, moves)
        for i in range(count):
            if self.game.make(moves[i]):
                total += 1 if depth == 1 else self.leaves(depth - 1, moves + self.game.max_moves)
                self.game.unmake()
        return total
