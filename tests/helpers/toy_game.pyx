"""A game for testing the search: a walk through a layered graph made of Python lists.

A node has an owner (the side to move there, which may be the owner of the
node before it), a static value, and edges. A side that must move and cannot has lost,
or draws if it is not in check and the game was made with `stalemate_is_loss=False`. With `table_first` the search
asks the table before it evaluates; with `backwards` a policy reverses the order of the quiet moves.
"""

from libc.stdint cimport int32_t, uint64_t

from search_core.game cimport DRAWN, EVASION, NOISY, ONGOING, Game, Move

cdef enum:
    MAX_NODES = 4096
    MAX_EDGES = 8
    SLOTS = 64


cdef class Walk(Game):
    cdef int owner[MAX_NODES]
    cdef int value[MAX_NODES]     # for side 0
    cdef bint checked[MAX_NODES]
    cdef bint drawn[MAX_NODES]
    cdef uint64_t keys[MAX_NODES]
    cdef int edge_count[MAX_NODES]
    cdef int target[MAX_NODES][MAX_EDGES]
    cdef bint loud[MAX_NODES][MAX_EDGES]
    cdef bint legal[MAX_NODES][MAX_EDGES]
    cdef int path[256]
    cdef int length
    cdef readonly int evaluated
    cdef object graph

    def __cinit__(
        self, graph, int start, int slots=SLOTS, bint stalemate_is_loss=True, bint table_first=False,
        bint backwards=False,
    ):
        cdef int node, i
        self.graph = graph
        self.max_moves = MAX_EDGES
        self.history_slots = slots
        self.stalemate_is_loss = stalemate_is_loss
        self.table_first = table_first
        self.has_policy = backwards
        for node in range(len(graph)):
            self.owner[node] = graph[node].owner
            self.value[node] = graph[node].value
            self.checked[node] = graph[node].checked
            self.drawn[node] = graph[node].drawn
            self.keys[node] = graph[node].key
            self.edge_count[node] = len(graph[node].edges)
            for i in range(self.edge_count[node]):
                self.target[node][i] = graph[node].edges[i].target
                self.loud[node][i] = graph[node].edges[i].noisy
                self.legal[node][i] = graph[node].edges[i].legal
        self.path[0] = start
        self.settle()

    cdef void settle(self) noexcept nogil:
        self.side = self.owner[self.path[self.length]]
        self.key = self.keys[self.path[self.length]]

    cdef int generate(self, int stage, Move* moves) noexcept nogil:
        cdef int node = self.path[self.length], i, count = 0
        for i in range(self.edge_count[node]):
            if stage == EVASION or self.loud[node][i] == (stage == NOISY):
                moves[count] = i + 1
                count += 1
        return count

    cdef bint make(self, Move move) noexcept nogil:
        cdef int node = self.path[self.length]
        if not self.legal[node][move - 1]:
            return False
        self.length += 1
        self.path[self.length] = self.target[node][move - 1]
        self.settle()
        return True

    cdef void unmake(self) noexcept nogil:
        self.length -= 1
        self.settle()

    cdef bint pseudo_legal(self, Move move) noexcept nogil:
        return 1 <= move <= <Move> self.edge_count[self.path[self.length]]

    cdef bint noisy(self, Move move) noexcept nogil:
        return self.loud[self.path[self.length]][move - 1]

    cdef int gain(self, Move move) noexcept nogil:
        return 100

    cdef int history_slot(self, Move move) noexcept nogil:
        return self.target[self.path[self.length]][move - 1] % SLOTS

    cdef int evaluate(self) noexcept nogil:
        cdef int node = self.path[self.length]
        self.evaluated += 1
        return self.value[node] if self.owner[node] == 0 else -self.value[node]

    cdef bint policy(self, const Move* moves, int count, int32_t* scores) noexcept nogil:
        cdef int i
        for i in range(count):
            scores[i] = i << 20
        return True

    cdef bint in_check(self) noexcept nogil:
        return self.checked[self.path[self.length]]

    cdef int outcome(self, int ply) noexcept nogil:
        return DRAWN if self.drawn[self.path[self.length]] else ONGOING

    cpdef Game copy(self):
        cdef Walk twin = Walk(
            self.graph, self.path[self.length], self.history_slots, self.stalemate_is_loss, self.table_first,
            self.has_policy,
        )
        twin.path = self.path
        twin.length = self.length
        return twin
