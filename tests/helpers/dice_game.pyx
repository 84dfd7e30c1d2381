"""A game of chance for testing the search: a walk through a layered graph made of Python lists.

As in toy_game.pyx, a node has an owner (the side to move there, which may be the owner of the node before it), a static
value and edges. An edge has one end or several with chances. `fault` breaks one clause of the contract of Game.
"""

from libc.stdint cimport uint64_t

from search_core.game cimport (
    DRAWN, EVASION, MAX_OUTCOMES, NOISY, NULL_FREE, NULL_NEVER, ONGOING, Game, Move, Poller,
)
from search_core.search cimport Search
from search_core.splitmix cimport splitmix

cdef enum:
    MAX_NODES = 1024
    MAX_EDGES = 6
    MAX_ENDS = 5
    SLOTS = 64

# In the order of FAULTS.
cdef enum Fault:
    NO_FAULT
    SMALL_CHANCES
    ZERO_CHANCE
    TOO_MANY_OUTCOMES
    HALF_A_CHANCE
    OUTCOMES_WITHOUT_CHANCE
    OUTCOME_REFUSED
    MAKE_PLAYS_THE_LAST
    UNMAKE_FORGETS_THE_KEY
    OUTCOME_KEEPS_THE_KEY

FAULTS = (
    "",
    "chances are too small",
    "chance of zero",
    "too many outcomes",
    "certain move has half a chance",
    "outcomes without chance",
    "outcome refused",
    "make plays the last outcome",
    "unmake forgets the key",
    "outcome keeps the key",
)


cdef class Dice(Game):
    cdef int owner[MAX_NODES]
    cdef int value[MAX_NODES]     # for side 0
    cdef bint checked[MAX_NODES]
    cdef bint drawn[MAX_NODES]
    cdef uint64_t keys[MAX_NODES]
    cdef int edge_count[MAX_NODES]
    cdef bint loud[MAX_NODES][MAX_EDGES]
    cdef bint legal[MAX_NODES][MAX_EDGES]
    cdef int end_count[MAX_NODES][MAX_EDGES]
    cdef int target[MAX_NODES][MAX_EDGES][MAX_ENDS]
    cdef double chance[MAX_NODES][MAX_EDGES][MAX_ENDS]
    cdef int path[256]
    cdef uint64_t path_keys[256]
    cdef int length
    cdef bint tempting            # offers what the search of a game of chance must not use
    cdef bint distinct            # no two positions have the same key, so that the table knows none
    cdef uint64_t last_key
    cdef object graph
    cdef str fault
    cdef int broken               # one of Fault

    def __cinit__(self, graph, int start, *, bint distinct=False, bint tempting=False, str fault=""):
        cdef int node, i, j
        self.fault = fault
        self.broken = FAULTS.index(fault)
        if self.broken != OUTCOMES_WITHOUT_CHANCE:
            self.enable_chance()
        self.graph = graph
        self.max_moves = MAX_EDGES
        self.history_slots = SLOTS
        self.stalemate_is_loss = True
        self.distinct = distinct
        self.tempting = self.has_solver = tempting
        for node in range(len(graph)):
            self.owner[node] = graph[node].owner
            self.value[node] = graph[node].value
            self.checked[node] = graph[node].checked
            self.drawn[node] = graph[node].drawn
            self.keys[node] = graph[node].key
            self.edge_count[node] = len(graph[node].edges)
            for i in range(self.edge_count[node]):
                edge = graph[node].edges[i]
                self.loud[node][i] = edge.noisy
                self.legal[node][i] = edge.legal
                self.end_count[node][i] = len(edge.ends)
                for j in range(self.end_count[node][i]):
                    self.target[node][i][j] = edge.ends[j]
                    self.chance[node][i][j] = edge.chances[j]
        self.path[0] = start
        self.path_keys[0] = self.key = self.keys[start]
        self.side = self.owner[start]

    cdef int here(self) noexcept nogil:
        return self.path[self.length]

    cdef int generate(self, int stage, Move* moves) noexcept nogil:
        cdef int node = self.here(), i, count = 0
        for i in range(self.edge_count[node]):
            if stage == EVASION or self.loud[node][i] == (stage == NOISY):
                moves[count] = i + 1
                count += 1
        return count

    cdef int outcomes(self, Move move, double* chances) noexcept nogil:
        cdef int node = self.here(), i, count = self.end_count[node][move - 1]
        for i in range(count):
            chances[i] = self.chance[node][move - 1][i]
        if count > 1:
            if self.broken == SMALL_CHANCES:
                chances[0] /= 2
            if self.broken == ZERO_CHANCE:
                chances[1] += chances[0]
                chances[0] = 0
            if self.broken == TOO_MANY_OUTCOMES:
                return MAX_OUTCOMES + 1
        elif self.broken == HALF_A_CHANCE:
            chances[0] = 0.5
        return count

    cdef bint make(self, Move move) noexcept nogil:
        return self.go(move, self.end_count[self.here()][move - 1] - 1 if self.broken == MAKE_PLAYS_THE_LAST else 0)

    cdef bint make_outcome(self, Move move, int which) noexcept nogil:
        return self.go(move, which)

    cdef bint go(self, Move move, int which) noexcept nogil:
        cdef int node = self.here()
        if not self.legal[node][move - 1] or (self.broken == OUTCOME_REFUSED and which > 0):
            return False
        self.length += 1
        self.path[self.length] = self.target[node][move - 1][which]
        if self.distinct:
            self.key = splitmix(&self.last_key)
        elif self.broken != OUTCOME_KEEPS_THE_KEY or which == 0:
            self.key = self.keys[self.here()]
        self.path_keys[self.length] = self.key
        self.side = self.owner[self.here()]
        if self.broken == UNMAKE_FORGETS_THE_KEY and which > 0:
            self.path_keys[self.length - 1] ^= 1
        return True

    cdef void unmake(self) noexcept nogil:
        self.length -= 1
        self.key = self.path_keys[self.length]
        self.side = self.owner[self.here()]

    cdef bint pseudo_legal(self, Move move) noexcept nogil:
        return 1 <= move <= <Move> self.edge_count[self.here()]

    cdef bint noisy(self, Move move) noexcept nogil:
        return self.loud[self.here()][move - 1]

    cdef int history_slot(self, Move move) noexcept nogil:
        return self.target[self.here()][move - 1][0] % SLOTS

    cdef int evaluate(self) noexcept nogil:
        return self.value[self.here()] if self.owner[self.here()] == 0 else -self.value[self.here()]

    cdef bint in_check(self) noexcept nogil:
        return self.checked[self.here()]

    cdef int null_move(self) noexcept nogil:
        return NULL_FREE if self.tempting else NULL_NEVER

    cdef int probe_solver(self, int depth, uint64_t* nodes) noexcept nogil:
        return 1

    cdef int solve_root(
        self, uint64_t budget, uint64_t* nodes, Move* line, int* length, Poller poller
    ) noexcept nogil:
        line[0] = 1
        length[0] = 1
        return 1

    cdef bint see_ge(self, Move move, int threshold) noexcept nogil:
        return not self.tempting

    cdef int outcome(self, int ply) noexcept nogil:
        return DRAWN if self.drawn[self.here()] else ONGOING

    cpdef Game copy(self):
        cdef Dice twin = Dice(
            self.graph, self.path[0], distinct=self.distinct, tempting=self.tempting, fault=self.fault
        )
        twin.path = self.path
        twin.path_keys = self.path_keys
        twin.length = self.length
        twin.key = self.key
        twin.side = self.side
        return twin


def search_window(Search search not None, int alpha, int beta, int depth, int kind):
    """The score of the position as of a node below the root, searched in a window; `kind` is a NodeKind."""
    search.begin()
    search.root_depth = depth + 1
    if depth == 0:
        return search.quiesce(alpha, beta, 1, kind)
    return search.search(alpha, beta, depth, 1, kind)
