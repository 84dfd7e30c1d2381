"""The solvers of a Gomoku position, the root's with a poller that counts, made visible to tests."""

from libc.stdint cimport int32_t, uint64_t

from gomoku_protocol.board cimport MAX_BOARD
from gomoku_protocol.position cimport Position
from search_core.game cimport MAX_PLY, QUIET, Move, Poller


cdef class Counter(Poller):
    cdef int asked
    cdef int last   # from this call on the answer is to stop; 0: never

    cdef bint must_stop(self) noexcept nogil:
        self.asked += 1
        return 0 < self.last <= self.asked


def solve_root(Position position not None, uint64_t budget, int last=0):
    """(plies, stones placed, questions asked) of solve_root(), which is told to stop from question number `last` on."""
    cdef Counter counter = Counter()
    cdef uint64_t nodes = 0
    cdef Move line[MAX_PLY]
    cdef int length = 0
    counter.last = last
    plies = position.solve_root(budget, &nodes, line, &length, counter)
    return plies, nodes, counter.asked


def shorten(Position position not None, int plies, uint64_t budget, int last=0):
    """The same for shorten()."""
    cdef Counter counter = Counter()
    cdef uint64_t nodes = 0
    cdef Move line[MAX_PLY]
    cdef int length = 0
    counter.last = last
    found = position.shorten(plies, budget, &nodes, line, &length, counter)
    return found, nodes, counter.asked


def probe_solver(Position position not None):
    """Plies that probe_solver() gives at a leaf: positive for a win of the side to move, negative for a loss, or 0."""
    cdef uint64_t nodes = 0
    return position.probe_solver(0, &nodes)


def in_check(Position position not None):
    """Whether the side to move is under a threat, as the search sees it."""
    return position.in_check()


def quiet_scores(Position position not None) -> dict:
    """The scores by which the evaluator orders the quiet moves; {}: it leaves their order."""
    cdef Move moves[MAX_BOARD]
    cdef int32_t scores[MAX_BOARD]
    cdef int i, count = position.generate(QUIET, moves)
    if not position.has_policy or not position.policy(moves, count, scores):
        return {}
    return {moves[i]: scores[i] for i in range(count)}


def line_classes(Position position not None, int point) -> tuple:
    """The classes of the four lines of a vacant point, for the side to move and for the other."""
    cdef int side = position.side, whose, k
    return tuple(
        [position.board.lines[side ^ whose][point] >> 4 * k & 15 for k in range(4)] for whose in range(2)
    )
