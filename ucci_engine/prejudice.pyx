"""An evaluation whose terms are weighed too high or too low: the style of a level below full strength. Slow."""

from libc.stdint cimport uint64_t

from search_core.evaluator cimport Evaluator
from ucci_engine.board cimport State
from ucci_engine.evaluation cimport HandCraftedEvaluator, count_terms

from random import Random

from ucci_engine.evaluation_weights import WEIGHTS

cdef enum:
    MAX_WEIGHTS = 512
    FULL_PHASE = 48
    PERMILLE = 1000


cdef class PrejudicedEvaluator(HandCraftedEvaluator):
    """The hand-crafted evaluation with each term scaled by a factor of its own. Material is weighed right."""

    cdef int weights
    cdef int change[2][MAX_WEIGHTS]  # what the factors add to the weights of middle game and end game, times 1000
    cdef object seed
    cdef int permille

    cdef void draw(self, seed, int permille) except *:
        """Draw the factors."""
        self.seed = seed
        self.permille = permille
        chance = Random(f"prejudice {seed}")
        for weights in WEIGHTS.values():
            factor = round(permille * chance.uniform(-1, 1))
            for middle, end in weights:
                assert self.weights < MAX_WEIGHTS
                self.change[0][self.weights] = factor * middle
                self.change[1][self.weights] = factor * end
                self.weights += 1

    cdef int evaluate(self, const State* states, const uint64_t* keys, int length) noexcept nogil:
        cdef int red[MAX_WEIGHTS]
        cdef int black[MAX_WEIGHTS]
        cdef int i, count, value, middle = 0, end = 0, phase = states[length].board.phase
        value = count_terms(&states[length].board, self.attack_percent, red, black)
        for i in range(self.weights):
            count = red[i] - black[i]
            middle += count * self.change[0][i]
            end += count * self.change[1][i]
        middle = (middle * phase + end * (FULL_PHASE - phase)) // (FULL_PHASE * PERMILLE)
        return value - middle if states[length].board.side else value + middle

    cpdef Evaluator copy(self):
        return prejudiced(self.attack_percent, self.seed, self.permille)


def prejudiced(int attack_percent, seed, int permille):
    """A PrejudicedEvaluator whose factors are up to `permille` from 1, the same for the same seed."""
    cdef PrejudicedEvaluator evaluator = PrejudicedEvaluator(attack_percent)
    evaluator.draw(seed, permille)
    return evaluator
