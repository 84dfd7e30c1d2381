"""The hand-crafted evaluation of a Gomoku position: what each vacant point is worth, and what both sides can force.

The board keeps the sums of the points. docs/gomoku.md says where the numbers come from.
"""

from libc.stdint cimport int16_t

from gomoku_protocol.board cimport BLACK, WHITE, Board
from gomoku_protocol.evaluator cimport GomokuEvaluator
from gomoku_protocol.patterns cimport DOUBLE_THREE, FOUR, FOUR_THREE, OPEN_OR_DOUBLE_FOUR, OPEN_THREE
from gomoku_protocol.point_values cimport FORCING_VALUE, SCALE
from search_core.evaluator cimport Evaluator

from random import Random

cdef enum:
    MAX_SCORE = 5000   # centipawns

# Weights of what a side can make, and of what its opponent can, in 128ths.
_STYLES = {"steady": (128, 128), "aggressive": (148, 116), "conservative": (116, 148)}


cdef inline int upto(int count, int most) noexcept nogil:
    return count if count < most else most


cdef inline int forcing_index(const int16_t* own, const int16_t* foe) noexcept nogil:
    """The index of the fours and threes that each side can make. tune_gomoku.py counts in the same way."""
    cdef int index = upto(own[FOUR_THREE], 1)
    index = index * 3 + upto(own[FOUR], 2)
    index = index * 2 + upto(own[DOUBLE_THREE], 1)
    index = index * 3 + upto(own[OPEN_THREE], 2)
    index = index * 2 + upto(foe[OPEN_OR_DOUBLE_FOUR], 1)
    index = index * 2 + upto(foe[FOUR_THREE], 1)
    index = index * 3 + upto(foe[FOUR], 2)
    index = index * 2 + upto(foe[DOUBLE_THREE], 1)
    return index * 3 + upto(foe[OPEN_THREE], 2)


cdef class HandCraftedEvaluator(GomokuEvaluator):
    """Weighs the points of both colours. Keeps nothing between calls."""

    def __cinit__(self):
        self.weight[BLACK] = self.weight[WHITE] = 128

    cdef int evaluate(self, const Board* board) noexcept nogil:
        cdef int side = board.side, other = side ^ 1, score
        score = FORCING_VALUE[forcing_index(board.sums.ranks[side], board.sums.ranks[other])] // SCALE
        score += (board.sums.value[side][1] * self.weight[side] - board.sums.value[other][0] * self.weight[other]) // (
            128 * SCALE
        )
        return max(min(score, MAX_SCORE), -MAX_SCORE)

    cpdef Evaluator copy(self):
        cdef HandCraftedEvaluator twin = HandCraftedEvaluator()
        twin.weight = self.weight
        return twin

    def weakened(self, seed, permille: int, side: int) -> Evaluator:
        """What a side can make, and what its opponent can, weigh too much or too little."""
        cdef HandCraftedEvaluator twin = HandCraftedEvaluator()
        twin.weight = self.weight
        chance = Random(f"prejudice {seed}")
        for colour in (side, side ^ 1):
            twin.weight[colour] = round(twin.weight[colour] * (1 + permille / 1000 * chance.uniform(-1, 1)))
        return twin

    def set_style(self, style: str, side: int) -> bool:
        if style not in _STYLES:
            return False
        self.weight[side], self.weight[side ^ 1] = _STYLES[style]
        return True
