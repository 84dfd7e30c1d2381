"""A Gomoku evaluator from outside that keeps its sums between two calls and follows the stones."""

from libc.stdint cimport uint64_t

from gomoku_protocol.board cimport BLACK, POINTS, WHITE, Board
from gomoku_protocol.evaluator cimport GomokuEvaluator
from search_core.evaluator cimport Evaluator

cdef enum:
    SUMS = 64  # kept, one a stone; a power of two

cdef struct Sum:
    uint64_t key
    int value

# Of all evaluators: sums computed from the whole board, sums updated, and updated ones that were wrong.
cdef int[3] tally


def take_tally() -> tuple:
    """(computed, updated, wrong) since the last call."""
    found = tuple(tally)
    tally[:] = [0, 0, 0]
    return found


cdef class StoneSums(GomokuEvaluator):
    """Adds a weight for each stone, and compares with the whole board. `weights`: a signed byte a point."""

    cdef bytes weights
    cdef const signed char* weight
    cdef Sum sums[SUMS]

    def __cinit__(self, bytes weights):
        assert len(weights) == POINTS
        self.weights = weights
        self.weight = self.weights

    cdef int counted(self, const Board* board) noexcept nogil:
        cdef int point, value = 0
        for point in range(POINTS):
            if board.content[point] == BLACK:
                value += self.weight[point]
            elif board.content[point] == WHITE:
                value -= self.weight[point]
        return value

    cdef int evaluate(self, const Board* board) noexcept nogil:
        cdef int steps = board.steps, known = steps, value = 0, colour
        cdef uint64_t key = board.key
        while self.sums[known & SUMS - 1].key != key and known > 0 and steps - known < SUMS:
            known -= 1
            key = board.step[known].key
        if self.sums[known & SUMS - 1].key == key:
            value = self.sums[known & SUMS - 1].value
            while known < steps:
                # The last stone is that of the side not to move, the one before it of the other.
                colour = board.side ^ (steps - known & 1)
                value += -self.weight[board.step[known].point] if colour == WHITE else (
                    self.weight[board.step[known].point]
                )
                known += 1
                self.sums[known & SUMS - 1] = Sum(board.key if known == steps else board.step[known].key, value)
            tally[1] += 1
            tally[2] += value != self.counted(board)
        else:
            value = self.counted(board)
            tally[0] += 1
        self.sums[steps & SUMS - 1] = Sum(board.key, value)
        return -value if board.side == WHITE else value

    cpdef Evaluator copy(self):
        return StoneSums(self.weights)
