"""A net beside the linear evaluation of a Junqi position. docs/nets.md describes it."""

from libc.stdint cimport uint16_t
from libc.string cimport memcpy

from junqi_protocol.rules.board cimport CENTRE_POINT, ENGINEER, HOME, UNKNOWN, Geometry

from array import array
from collections.abc import Iterable

WIDTH = NEURONS
FOLD_COUNT = FOLDS
KIND_COUNT = KINDS
PLACE_COUNT = PLACES
INPUT_COUNT = PIECE_ROWS + 2
"""Pieces, the other team on turn, the knower's."""


cdef int fold_of(const Geometry* geometry, int seat, int point) noexcept nogil:
    """A point as a seat sees it, the same for a point and its mirror image.

    0 to 17: the seat's home, row by row; 18 to 35: its partner's; 36 to 65: an enemy's; 66 to 71: the centre. Two
    enemies are mirror images of each other.
    """
    cdef int relation, row, column, across, ahead, turned, _turn
    if point >= CENTRE_POINT:
        across = 1 - (point - CENTRE_POINT) % 3
        ahead = (point - CENTRE_POINT) // 3 - 1
        for _turn in range(seat):
            turned = across
            across = ahead
            ahead = -turned
        return 66 + (3 if across else 0) + ahead + 1
    relation = (point // HOME + geometry.seats - seat) % geometry.seats
    row = point % HOME // 5
    column = point % 5
    if relation & 1 and geometry.seats == 4:
        return 36 + 5 * row + (column if relation == 1 else 4 - column)
    return (0 if relation == 0 else 18 if relation == 2 else 36) + 3 * row + min(column, 4 - column)


cdef class JunqiNet:
    """The weights of a net.

    Parameters
    ----------
    rows : iterable of float
        Of each input, one for each neuron: by team, type and place of a piece; the other team on turn, the knower's.
    biases, outputs : iterable of float
        One for each neuron.
    bias : float
        Of the output.
    """

    def __init__(self, rows: Iterable[float], biases: Iterable[float], outputs: Iterable[float], float bias):
        cdef float[::1] numbers = array("f", rows)
        cdef float[::1] bias_of = array("f", biases)
        cdef float[::1] output_of = array("f", outputs)
        cdef int side, i
        if (len(numbers), len(bias_of), len(output_of)) != (INPUT_COUNT * NEURONS, NEURONS, NEURONS):
            raise ValueError("wrong number of weights")
        memcpy(self.rows, &numbers[0], sizeof(self.rows))
        for side in range(2):
            for i in range(NEURONS):
                self.biases[side][i] = bias_of[i] + numbers[(PIECE_ROWS + side) * NEURONS + i]
        memcpy(self.outputs, &output_of[0], sizeof(self.outputs))
        self.bias = bias

    cdef void add(
        self, float* sums, int team, int fold, int zone, const double* weight, uint16_t types, double share,
    ) noexcept nogil:
        """Add a piece that is of one of these types to the sums. `share`: 1, or -1 to take it away."""
        cdef int kind, i, first = team * KINDS * PLACES
        cdef double total = 0
        cdef float chance
        cdef const float* at_fold
        cdef const float* in_zone
        for kind in range(ENGINEER, UNKNOWN):
            if (types >> kind) & 1:
                total += weight[kind]
        if total <= 0:
            return
        for kind in range(ENGINEER, UNKNOWN):
            if (types >> kind) & 1:
                chance = <float> (share * weight[kind] / total)
                at_fold = self.rows[first + (kind - ENGINEER) * PLACES + fold]
                in_zone = self.rows[first + (kind - ENGINEER) * PLACES + FOLDS + zone]
                for i in range(NEURONS):
                    sums[i] += chance * (at_fold[i] + in_zone[i])

    cdef double output(self, const float* sums, bint on_turn) noexcept nogil:
        """What the net adds to the evaluation for the knower's team, in logits."""
        cdef int i
        cdef float total = self.bias, active
        for i in range(NEURONS):
            active = sums[i] + self.biases[on_turn][i]
            active = 0 if active < 0 else 1 if active > 1 else active
            total += self.outputs[i] * active * active
        return total
