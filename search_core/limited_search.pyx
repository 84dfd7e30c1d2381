"""What a search counts, and when it must stop."""

from libc.stdint cimport int64_t, uint64_t

from search_core.game cimport Poller

cdef extern from "platform.h" nogil:
    uint64_t sanqi_load64(const uint64_t* word)
    void sanqi_store64(uint64_t* word, uint64_t value)

cdef enum:
    # Nodes between two looks at the clock: 0.3 ms at 3 million nodes/s.
    POLL_INTERVAL = 1024
    # A stop waits until quiescence has seen every root move once, but for no more nodes than these.
    FIRST_LOOK = 8192


cdef class LimitedSearch(Poller):
    """A search with limits of nodes and time.

    The search with `thread_index` 0 keeps the limits. The others are its helpers: they run until stopped or out
    of depth.
    """

    @property
    def nodes(self) -> int:
        """Nodes so far, safe to ask from any thread."""
        return sanqi_load64(&self.published_nodes)

    @property
    def solver_nodes(self) -> int:
        """Those of the nodes that the game's solver has played, safe to ask from any thread."""
        return sanqi_load64(&self.published_solver_nodes)

    cdef void publish_nodes(self) noexcept nogil:
        sanqi_store64(&self.published_nodes, self.node_count)
        sanqi_store64(&self.published_solver_nodes, self.solver_node_count)

    cdef void begin_count(self) noexcept nogil:
        """Begin a run."""
        self.node_count = 0
        self.solver_node_count = 0
        self.next_poll = 0
        self.stopped = False
        self.thought_enough = False
        self.seen_all = False
        self.completed_depth = 0

    cdef void poll(self) noexcept nogil:
        """Look at the stop flag and, if this is no helper, at the limits."""
        self.next_poll = self.node_count + POLL_INTERVAL
        self.publish_nodes()
        if self.is_helper():
            if self.signals.is_stopped():
                self.stopped = True
            return
        if self.node_count < self.node_limit < self.next_poll:
            self.next_poll = self.node_limit
        # The answer that is owed is found first.
        if not self.seen_all and self.node_count < FIRST_LOOK:
            return
        if self.must_stop() or (0 < self.node_limit <= self.node_count and self.completed_depth > 0):
            self.stopped = True

    cdef bint must_stop(self) noexcept nogil:
        """Whether a stop was asked for, the hard limit of time has passed, or a ponderhit found enough thought."""
        return (
            self.signals.is_stopped() or self.remaining_ns() == 0
            or (self.thought_enough and not self.signals.is_pondering())
        )

    cdef int64_t remaining_ns(self) noexcept nogil:
        """What is left until the hard limit; while pondering all of it."""
        if not self.hard_ns:
            return 1 << 62
        if self.signals.is_pondering():
            return self.hard_ns
        return max(self.hard_ns - self.signals.clock_ns(), 0)
