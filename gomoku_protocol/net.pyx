"""A net that orders Gomoku's quiet moves, beside the hand-made evaluation. docs/nets.md describes it and its file."""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from gomoku_protocol.board cimport MARGIN, POINTS, STRIDE, Board, near_row
from gomoku_protocol.evaluation cimport HandCraftedEvaluator
from gomoku_protocol.patterns cimport LINE_CLASSES
from search_core.evaluator cimport Evaluator
from search_core.game cimport Move

import os

from search_core.net_file import NetError

cdef extern from "gomoku_net_kernel.h" nogil:
    enum: SANQI_WIDTH
    ctypedef struct sanqi_net:
        int16_t inputs[256][SANQI_WIDTH]
        int16_t stones[2][SANQI_WIDTH]
        int16_t biases[SANQI_WIDTH]
        int16_t around[9][SANQI_WIDTH]
        int16_t around_biases[SANQI_WIDTH]
        int16_t gates[SANQI_WIDTH][SANQI_WIDTH]
        int32_t gate_biases[SANQI_WIDTH]
    ctypedef struct sanqi_view:
        uint8_t content[POINTS]
    ctypedef struct sanqi_net_kernel:
        const char* name
        void (*follow)(
            const sanqi_net* net, sanqi_view* view, const uint16_t* own, const uint16_t* other,
            const uint8_t* content, int side, int first_row, int rows,
        ) noexcept nogil
        void (*neighbours)(
            const sanqi_net* net, const sanqi_view* view, const uint64_t* nearby, int first_row, int rows,
            int16_t (*neurons)[SANQI_WIDTH], int32_t* sums,
        ) noexcept nogil
        void (*scores)(
            const sanqi_net* net, const int16_t (*neurons)[SANQI_WIDTH], const int32_t* sums, const uint32_t* moves,
            int count, int32_t* scores,
        ) noexcept nogil
    const sanqi_net_kernel* sanqi_net_kernel_of(const char* name)

ctypedef int16_t Neurons[SANQI_WIDTH]

cdef enum:
    UNSEEN = 255  # content of a point that no board has

WANTED_KERNEL = os.environ.get("SANQI_GOMOKU_KERNEL", "")

# The best, or the one that is wanted; NULL: there is none such here.
cdef const sanqi_net_kernel* KERNEL = sanqi_net_kernel_of(os.fsencode(WANTED_KERNEL))


cdef int must_have_kernel() except -1:
    if KERNEL == NULL:
        raise NetError(f"SANQI_GOMOKU_KERNEL={WANTED_KERNEL}: this processor has no such kernel")
    return 0


def kernel_name() -> str:
    """The kernel in use: c or sse2. Raises NetError if this processor has none of the wanted name."""
    must_have_kernel()
    return KERNEL.name.decode()


cdef class NetWeights:
    """The weights of a net, shared by all evaluators that use it.

    Parameters
    ----------
    rule : int
        Of the games whose moves it orders.
    inputs, stones, biases, around, around_biases, gates, gate_biases : bytes
        int16, as the parts of Net in net_file.py.

    Raises NetError if this processor has no kernel of the name that is wanted, ValueError for parts of another size.
    """

    cdef int rule
    cdef sanqi_net net

    def __cinit__(
        self, int rule, bytes inputs, bytes stones, bytes biases, bytes around, bytes around_biases, bytes gates,
        bytes gate_biases,
    ):
        cdef int own, other, neuron
        cdef const int16_t* row = <const int16_t*> <const char*> inputs
        must_have_kernel()
        for part, size in (
            (inputs, LINE_CLASSES * LINE_CLASSES * sizeof(Neurons)), (stones, sizeof(self.net.stones)),
            (biases, sizeof(self.net.biases)), (around, sizeof(self.net.around)),
            (around_biases, sizeof(self.net.around_biases)), (gates, sizeof(self.net.gates)),
            (gate_biases, sizeof(Neurons)),
        ):
            if len(part) != size:
                raise ValueError(f"a part of a net has {len(part)} bytes, not {size}")
        self.rule = rule
        for own in range(LINE_CLASSES):
            for other in range(LINE_CLASSES):
                memcpy(self.net.inputs[own << 4 | other], row, sizeof(Neurons))
                row += SANQI_WIDTH
        memcpy(self.net.stones, <const char*> stones, sizeof(self.net.stones))
        memcpy(self.net.biases, <const char*> biases, sizeof(self.net.biases))
        memcpy(self.net.around, <const char*> around, sizeof(self.net.around))
        memcpy(self.net.around_biases, <const char*> around_biases, sizeof(self.net.around_biases))
        memcpy(self.net.gates, <const char*> gates, sizeof(self.net.gates))
        row = <const int16_t*> <const char*> gate_biases
        for neuron in range(SANQI_WIDTH):
            self.net.gate_biases[neuron] = 1024 * row[neuron]


cdef class NetEvaluator(HandCraftedEvaluator):
    """The hand-made score, and a net's order of the quiet moves.

    Parameters
    ----------
    net : NetWeights
    """

    cdef NetWeights net
    cdef sanqi_view* views   # Black's, White's
    cdef Neurons* neurons    # of the second layer, by point
    cdef uint64_t nearby[STRIDE]

    def __cinit__(self, NetWeights net not None):
        cdef int side
        self.net = net
        self.has_policy = True
        self.views = <sanqi_view*> calloc(2, sizeof(sanqi_view))
        self.neurons = <Neurons*> calloc(POINTS, sizeof(Neurons))
        if self.views == NULL or self.neurons == NULL:
            raise MemoryError("no memory for a net's sums")
        for side in range(2):
            memset(self.views[side].content, UNSEEN, POINTS)

    def __dealloc__(self):
        free(self.views)
        free(self.neurons)

    cdef bint policy(self, const Board* board, const Move* moves, int count, int32_t* scores) noexcept nogil:
        cdef int side = board.side, row
        cdef int32_t sums[SANQI_WIDTH]
        if board.rule != self.net.rule:
            return False
        for row in range(MARGIN, MARGIN + board.height):
            self.nearby[row] = near_row(board, row)
        # Where no quiet point is near a stone, all others are listed, of which the net says nothing.
        if count == 0 or not self.nearby[moves[0] // STRIDE] >> moves[0] % STRIDE & 1:
            return False
        KERNEL.follow(
            &self.net.net, &self.views[side], board.lines[side], board.lines[side ^ 1], board.content, side,
            MARGIN - 1, board.height + 2,
        )
        KERNEL.neighbours(
            &self.net.net, &self.views[side], self.nearby, MARGIN, board.height, self.neurons, sums
        )
        KERNEL.scores(&self.net.net, self.neurons, sums, moves, count, scores)
        return True

    cpdef Evaluator copy(self):
        cdef NetEvaluator twin = NetEvaluator(self.net)
        twin.weight = self.weight
        return twin
