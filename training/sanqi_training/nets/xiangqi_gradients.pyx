"""Losses and gradients of an evaluation net of Xiangqi, of the samples of xiangqi_samples."""

from libc.math cimport exp
from libc.stdint cimport uint8_t, uint16_t, uint64_t

from sanqi_training.nets.gradients cimport Gradients, sanqi_sample
from sanqi_training.nets.xiangqi_samples cimport PIECES, Sample
from search_core.splitmix cimport splitmix
from ucci_engine.board cimport KIND, NOWHERE, RED, SQUARES

from ucci_engine.net_inputs import INPUT_COUNT, INPUTS

# [whose view][piece][square]
cdef uint16_t INPUT_OF[2][PIECES][SQUARES]


cdef void fill_inputs() except *:
    cdef int piece, square, kind
    for piece in range(PIECES):
        kind = KIND[RED + piece]
        for square in range(SQUARES):
            INPUT_OF[0][piece][square] = INPUTS[kind][square] & 0xFFFF
            INPUT_OF[1][piece][square] = INPUTS[(kind + 7) % 14][9 * (9 - square // 9) + square % 9] & 0xFFFF


fill_inputs()


cdef class XiangqiGradients(Gradients):
    """What samples say of a net.

    Parameters
    ----------
    width, threads : int
        As of Gradients.
    result_share : float
        How much of the target is the result of the game; the rest is the score.
    score_scale : float
        The score, in centipawns, that counts as a win probability of 1 / (1 + 1/e).
    """

    cdef float result_share
    cdef float score_scale

    def __init__(self, int width, int threads, float result_share, float score_scale):
        super().__init__(INPUT_COUNT, width, threads)
        self.sample_bytes = sizeof(Sample)
        self.result_share = result_share
        self.score_scale = score_scale

    cdef void decode(self, const uint8_t* raw, long count, sanqi_sample* samples, uint64_t seed) noexcept nogil:
        cdef const Sample* positions = <const Sample*> raw
        cdef uint64_t state = seed, draws = 0
        cdef int i, piece, square, side, own, other
        for i in range(count):
            if i & 63 == 0:
                draws = splitmix(&state) if seed else 0
            side = positions[i].side
            own = 0
            other = 0
            for piece in range(PIECES):
                square = positions[i].squares[piece]
                if square == NOWHERE:
                    continue
                if draws >> (i & 63) & 1:
                    square += 8 - 2 * (square % 9)
                samples[i].active[0][own] = INPUT_OF[side][piece][square]
                samples[i].active[1][other] = INPUT_OF[1 - side][piece][square]
                own += 1
                other += 1
            samples[i].count[0] = own
            samples[i].count[1] = other
            samples[i].target = (
                self.result_share * positions[i].result * 0.5
                + (1 - self.result_share) / (1 + exp(-positions[i].score / self.score_scale))
            )
