"""Losses and gradients of the net that orders Gomoku's moves; gomoku_gradients.h has the formulas."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from gomoku_protocol.board cimport (
    FIRST_POINT, MARGIN, STRIDE, VACANT, Board, near_row, new_board, place, take_back,
)
from sanqi_training.nets.gomoku_samples cimport Sample
from search_core.splitmix cimport splitmix

from concurrent.futures import ThreadPoolExecutor

import numpy as np

cdef extern from "gomoku_gradients.h" nogil:
    enum: SANQI_STRIDE
    enum: SANQI_OFF
    enum: SANQI_OWN_STONE
    ctypedef struct sanqi_order_net:
        pass
    ctypedef struct sanqi_order_position:
        uint8_t lines[SANQI_STRIDE * SANQI_STRIDE][4]
        uint16_t nearby[22 * 22]
        int32_t nearby_count
        int32_t best
    ctypedef struct sanqi_order_room:
        pass
    double sanqi_order_pass(
        const sanqi_order_net* net, sanqi_order_net* slopes, const sanqi_order_position* position,
        sanqi_order_room* room, int* is_best,
    )

cdef enum:
    CLASSES = 15
    CHUNK = 256  # samples: a thread takes whole ones


cdef void put_stones(Board* board, const Sample* sample, int mirrored) noexcept nogil:
    """Place a sample's stones; the lower three bits of `mirrored` say how it is turned."""
    cdef int whose, row, column
    for whose in range(2):
        for row in range(board.height):
            for column in range(board.width):
                if sample.stones[whose][row] >> column & 1:
                    board.side = sample.side ^ whose
                    place(board, point_of(board, column, row, mirrored))
    board.side = sample.side


cdef int point_of(const Board* board, int x, int y, int mirrored) noexcept nogil:
    if mirrored & 1:
        x = board.width - 1 - x
    if mirrored & 2:
        y = board.height - 1 - y
    return FIRST_POINT + (x * STRIDE + y if mirrored & 4 else y * STRIDE + x)


cdef bint decode(Board* board, const Sample* sample, int mirrored, sanqi_order_position* position) noexcept nogil:
    """What the net sees of a sample. False: its move is not near a stone."""
    cdef int x, y, point, at, k, side = sample.side, best
    cdef uint64_t nearby
    best = point_of(board, sample.best % STRIDE, sample.best // STRIDE, mirrored)
    put_stones(board, sample, mirrored)
    memset(position.lines, SANQI_OFF, sizeof(position.lines))
    position.nearby_count = 0
    position.best = -1
    for y in range(board.height):
        nearby = near_row(board, y + MARGIN)
        for x in range(board.width):
            point = FIRST_POINT + y * STRIDE + x
            at = (y + 1) * SANQI_STRIDE + x + 1
            if board.content[point] != VACANT:
                position.lines[at][0] = SANQI_OWN_STONE + (board.content[point] ^ side)
                continue
            for k in range(4):
                position.lines[at][k] = CLASSES * (board.lines[side][point] >> 4 * k & 15) + (
                    board.lines[side ^ 1][point] >> 4 * k & 15
                )
            if nearby >> (x + MARGIN) & 1:
                if point == best:
                    position.best = position.nearby_count
                position.nearby[position.nearby_count] = at
                position.nearby_count += 1
    while board.steps:
        # It is the side that did not place the last stone that is to move: put_stones() takes no turns.
        board.side = board.content[board.step[board.steps - 1].point] ^ 1
        take_back(board)
    return position.best >= 0


cdef class GomokuGradients:
    """What samples say of a net; as BatchGradients of trainer.

    Parameters
    ----------
    rule, size : int
        Of the samples' games.
    threads : int
    """

    cdef int rule
    cdef int size
    cdef int threads
    cdef object pool
    cdef readonly int weights

    def __init__(self, int rule, int size, int threads):
        self.rule = rule
        self.size = size
        self.threads = threads
        self.pool = ThreadPoolExecutor(threads)
        self.weights = sizeof(sanqi_order_net) // sizeof(float)

    def of_batch(self, const float[::1] weights, const uint8_t[::1] batch, seed: int) -> tuple:
        """(mean loss, its gradient by the weights, as a numpy array of float32) of samples, turned at random."""
        losses, gradients = self.pass_all(weights, batch, True, seed)
        # A sample whose move is not near a stone teaches nothing.
        count = max(losses[1], 1)
        return losses[0] / count, gradients / np.float32(count)

    def loss(self, const float[::1] weights, const uint8_t[::1] batch) -> float:
        """The mean loss of samples."""
        losses, _ = self.pass_all(weights, batch, False, 0)
        return losses[0] / losses[1]

    def first_right(self, const float[::1] weights, const uint8_t[::1] batch) -> float:
        """In which share of samples the move that was chosen has the highest score."""
        losses, _ = self.pass_all(weights, batch, False, 0)
        return losses[2] / losses[1]

    def pass_all(self, const float[::1] weights, const uint8_t[::1] batch, learn: bool, seed: int) -> tuple:
        """(Sum of the losses, number of samples, of those whose best move is first; the sum of the gradients)."""
        count = len(batch) // sizeof(Sample)
        # Whole chunks, so that how samples are turned does not depend on the number of threads.
        bounds = [count * part // (self.threads * CHUNK) * CHUNK for part in range(self.threads)] + [count]
        parts = [np.zeros(self.weights, np.float32) for _ in range(self.threads)]
        sums = [np.zeros(3) for _ in range(self.threads)]
        list(self.pool.map(
            lambda part: self.pass_part(
                weights, batch, bounds[part], bounds[part + 1], parts[part], sums[part], learn, seed
            ),
            range(self.threads),
        ))
        return sum(sums), sum(parts)

    def pass_part(
        self, const float[::1] weights, const uint8_t[::1] batch, long first, long end, float[::1] gradients,
        double[::1] sums, bint learn, uint64_t seed,
    ) -> None:
        cdef Board* board = new_board(self.size, self.size, self.rule)
        cdef sanqi_order_room* room = <sanqi_order_room*> malloc(sizeof(sanqi_order_room))
        cdef sanqi_order_position* position = <sanqi_order_position*> malloc(sizeof(sanqi_order_position))
        cdef const Sample* samples = <const Sample*> &batch[0]
        cdef uint64_t state, draw
        cdef int is_best
        if room == NULL or position == NULL:
            free(room)
            free(position)
            free(board)
            raise MemoryError("no memory for samples")
        with nogil:
            while first < end:
                state = seed + first
                draw = splitmix(&state) if seed else 0
                if decode(board, &samples[first], draw & 7, position):
                    sums[0] += sanqi_order_pass(
                        <const sanqi_order_net*> &weights[0],
                        <sanqi_order_net*> &gradients[0] if learn else NULL, position, room, &is_best,
                    )
                    sums[1] += 1
                    sums[2] += is_best
                first += 1
        free(room)
        free(position)
        free(board)
