"""An evaluation net of Xiangqi positions: its sums follow the moves. docs/nets.md describes the net and its file."""

from libc.stdint cimport int16_t, int32_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from search_core.evaluator cimport Evaluator
from ucci_engine.board cimport KIND, NOWHERE, RED, SQUARES, Board, Dirty, State
from ucci_engine.evaluation cimport PIECE_SQUARE
from ucci_engine.evaluator cimport XiangqiEvaluator

import os

from search_core.net_file import NetError
from search_core.parts import load_part
from ucci_engine.net_inputs import INPUT_COUNT, INPUTS

cdef extern from "net_kernel.h" nogil:
    ctypedef struct sanqi_net_kernel:
        const char* name
        void (*update)(
            int16_t* to, const int16_t* from_, const int16_t* added, const int16_t* removed, const int16_t* captured,
            int width,
        ) noexcept nogil
        int32_t (*output)(const int16_t* sums, const int16_t* weights, int width) noexcept nogil
    const sanqi_net_kernel* sanqi_net_kernel_of(const char* name)

cdef enum:
    INPUT_ROWS = 692
    ZERO_ROW = INPUT_ROWS  # of pieces without an input
    BIAS_ROW
    ROOM = 256           # states whose sums are kept; a search is at most half as deep
    FAR = 8              # sums of a state so far back are not worth following
    SLOTS = 48
    ONE = 255            # 1.0 of the first layer
    MAX_SCORE = 15000

WANTED_KERNEL = os.environ.get("SANQI_KERNEL", "")

# The fastest, or the one that is wanted; NULL: there is none such here.
cdef const sanqi_net_kernel* KERNEL = sanqi_net_kernel_of(os.fsencode(WANTED_KERNEL))

# [whose view][slot][square]: the row of an input; the last row, of zeros, where a piece has no input.
cdef uint16_t ROW[2][SLOTS][SQUARES]
# Centipawns, in Red's view, of pieces without an input.
cdef int16_t VALUE_BESIDE[SLOTS][SQUARES]


cdef int row_of(int kind, int square) except -1:
    row = INPUTS[kind][square]
    return ZERO_ROW if row < 0 else row


cdef void fill_rows() except *:
    cdef int slot, square, kind
    assert INPUT_COUNT == INPUT_ROWS
    for slot in range(RED, SLOTS):
        kind = KIND[slot]
        for square in range(SQUARES):
            ROW[0][slot][square] = row_of(kind, square)
            ROW[1][slot][square] = row_of((kind + 7) % 14, 9 * (9 - square // 9) + square % 9)
            if INPUTS[kind][square] < 0:
                VALUE_BESIDE[slot][square] = <int16_t> PIECE_SQUARE[kind][square]


fill_rows()


cdef int must_have_kernel() except -1:
    if KERNEL == NULL:
        raise NetError(f"SANQI_KERNEL={WANTED_KERNEL}: this processor has no such kernel")
    return 0


def kernel_name() -> str:
    """The kernel in use: c, sse2, avx2 or neon. Raises NetError if this processor has none of the wanted name."""
    must_have_kernel()
    return KERNEL.name.decode()


cdef class NetWeights:
    """The weights of a net, shared by all evaluators that use it.

    Parameters
    ----------
    width : int
        Neurons of the first layer, for each side.
    rows, biases, outputs : bytes
        int16: a row for each input; ``width`` biases; ``2 * width`` weights of the output, those of the side to move
        first.
    bias : int
        Of the output, 255 times as fine as its weights.
    one : int
        1.0 of the weights of the output.
    scale : int
        Centipawns of an output of 1.

    Raises NetError if this processor has no kernel of the name that is wanted.
    """

    cdef readonly int width
    cdef readonly int bias
    cdef readonly int one
    cdef readonly int scale
    cdef int16_t* rows  # of the inputs, then zeros, then biases
    cdef int16_t* outputs

    def __cinit__(self, int width, bytes rows, bytes biases, bytes outputs, int bias, int one, int scale):
        must_have_kernel()
        self.width = width
        self.bias = bias
        self.one = one
        self.scale = scale
        self.rows = <int16_t*> calloc((BIAS_ROW + 1) * width, sizeof(int16_t))
        self.outputs = <int16_t*> calloc(2 * width, sizeof(int16_t))
        if self.rows == NULL or self.outputs == NULL:
            raise MemoryError("no memory for a net")
        memcpy(self.rows, <const char*> rows, INPUT_ROWS * width * sizeof(int16_t))
        memcpy(self.rows + BIAS_ROW * width, <const char*> biases, width * sizeof(int16_t))
        memcpy(self.outputs, <const char*> outputs, 2 * width * sizeof(int16_t))

    def __dealloc__(self):
        free(self.rows)
        free(self.outputs)


cdef class NetEvaluator(XiangqiEvaluator):
    """The score of a net, and of pieces that have no input.

    Parameters
    ----------
    net : NetWeights
    """

    cdef NetWeights net
    cdef int width
    cdef int16_t* sums  # [length % ROOM][Red's view, Black's view][width]
    cdef uint64_t tags[ROOM]  # keys of the states that the sums are of
    cdef int32_t beside[ROOM]

    def __cinit__(self, NetWeights net not None):
        self.net = net
        self.width = net.width

    def __dealloc__(self):
        free(self.sums)

    cdef int evaluate(self, const State* states, const uint64_t* keys, int length) noexcept nogil:
        cdef int at = length, value
        cdef const int16_t* own
        cdef const int16_t* other
        cdef int side = states[length].board.side
        if self.sums == NULL:
            # Made at the first call: most positions are never evaluated.
            self.sums = <int16_t*> calloc(ROOM * 2 * self.width, sizeof(int16_t))
            if self.sums == NULL:
                return 0
        while self.tags[at % ROOM] != keys[at] and at > 0 and length - at < FAR:
            at -= 1
        if self.tags[at % ROOM] != keys[at]:
            self.sum_up(&states[length].board, keys[length], length)
        else:
            while at < length:
                at += 1
                self.follow(states, keys[at], at)
        own = self.sums_of(length, side)
        other = self.sums_of(length, 1 - side)
        value = KERNEL.output(own, self.net.outputs, self.width)
        value += KERNEL.output(other, self.net.outputs + self.width, self.width)
        value = <int> ((<long long> (value // ONE + self.net.bias)) * self.net.scale // (ONE * self.net.one))
        value += -self.beside[length % ROOM] if side else self.beside[length % ROOM]
        return min(max(value, -MAX_SCORE), MAX_SCORE)

    cdef inline int16_t* sums_of(self, int length, int view) noexcept nogil:
        return self.sums + (length % ROOM * 2 + view) * self.width

    cdef inline const int16_t* row(self, int view, int slot, int square) noexcept nogil:
        return self.net.rows + ROW[view][slot][square] * self.width

    cdef void sum_up(self, const Board* board, uint64_t key, int length) noexcept nogil:
        """Compute the sums of a state from its pieces."""
        cdef const int16_t* biases = self.net.rows + BIAS_ROW * self.width
        cdef const int16_t* none = self.net.rows + ZERO_ROW * self.width
        cdef int16_t* sums
        cdef int32_t surplus = board.psq  # what an ExtraPiecesPosition has beyond a set; in a Position it comes to 0
        cdef int view, slot
        self.tags[length % ROOM] = key
        self.beside[length % ROOM] = 0
        for view in range(2):
            sums = self.sums_of(length, view)
            memcpy(sums, biases, self.width * sizeof(int16_t))
            for slot in range(RED, SLOTS):
                if board.square[slot] != NOWHERE:
                    KERNEL.update(sums, sums, self.row(view, slot, board.square[slot]), none, NULL, self.width)
                    if view == 0:
                        self.beside[length % ROOM] += VALUE_BESIDE[slot][board.square[slot]]
                        surplus -= PIECE_SQUARE[<int> KIND[slot]][board.square[slot]]
        self.beside[length % ROOM] += <int16_t> surplus  # the half of the middle game, as VALUE_BESIDE

    cdef void follow(self, const State* states, uint64_t key, int length) noexcept nogil:
        """Compute the sums of a state from those of the state before."""
        cdef const Dirty* dirty = &states[length].dirty
        cdef int view
        self.tags[length % ROOM] = key
        self.beside[length % ROOM] = self.beside[(length - 1) % ROOM]
        if dirty.piece == 0:
            memcpy(self.sums_of(length, 0), self.sums_of(length - 1, 0), 2 * self.width * sizeof(int16_t))
            return
        for view in range(2):
            KERNEL.update(
                self.sums_of(length, view), self.sums_of(length - 1, view),
                self.row(view, dirty.piece, dirty.target), self.row(view, dirty.piece, dirty.origin),
                self.row(view, dirty.victim, dirty.target) if dirty.victim else NULL, self.width,
            )
        self.beside[length % ROOM] += (
            VALUE_BESIDE[dirty.piece][dirty.target] - VALUE_BESIDE[dirty.piece][dirty.origin]
            - (VALUE_BESIDE[dirty.victim][dirty.target] if dirty.victim else 0)
        )

    cpdef Evaluator copy(self):
        return NetEvaluator(self.net)

    def set_style(self, style: str, side: int) -> bool:
        return style == "normal"  # a net has no terms to weigh

    def weakened(self, seed, permille: int, side: int) -> Evaluator:
        if not permille:  # level 20
            return self
        # Levels 1 to 19 are calibrated with the hand-made evaluation.
        return load_part("ucci_engine.evaluation:HandCraftedEvaluator")().weakened(seed, permille, side)
