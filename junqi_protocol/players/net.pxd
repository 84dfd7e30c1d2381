from libc.stdint cimport uint16_t

from junqi_protocol.rules.board cimport ENGINEER, FLAG, Geometry
from junqi_protocol.players.evaluation cimport ZONES

cdef enum:
    NEURONS = 16
    FOLDS = 72
    KINDS = FLAG - ENGINEER + 1
    PLACES = FOLDS + ZONES
    PIECE_ROWS = 2 * KINDS * PLACES

cdef class JunqiNet:
    cdef float[PIECE_ROWS][NEURONS] rows   # by team (the knower's, the other), type, place: fold or zone
    cdef float[2][NEURONS] biases          # if the other team is on turn, if the knower's is
    cdef float[NEURONS] outputs
    cdef float bias
    cdef void add(
        self, float* sums, int team, int fold, int zone, const double* weight, uint16_t types, double share,
    ) noexcept nogil
    cdef double output(self, const float* sums, bint on_turn) noexcept nogil

cdef int fold_of(const Geometry* geometry, int seat, int point) noexcept nogil
