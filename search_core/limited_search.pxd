from libc.stdint cimport int64_t, uint64_t

from search_core.game cimport Poller
from search_core.signals cimport Signals

cdef class LimitedSearch(Poller):
    cdef Signals signals
    cdef public int thread_index  # 0: keeps the limits; else a helper
    cdef public uint64_t node_limit
    cdef public int64_t hard_ns

    cdef uint64_t node_count
    cdef uint64_t solver_node_count  # those of them that the game's solver played
    cdef uint64_t published_nodes  # what other threads see of the two, at most POLL_INTERVAL behind
    cdef uint64_t published_solver_nodes
    cdef readonly int completed_depth
    cdef uint64_t next_poll
    cdef bint stopped
    cdef bint thought_enough  # by the soft limit: a search that ponders ends at ponderhit
    cdef bint seen_all       # every root move has been searched at least once

    cdef void publish_nodes(self) noexcept nogil
    cdef void begin_count(self) noexcept nogil
    cdef void poll(self) noexcept nogil
    cdef int64_t remaining_ns(self) noexcept nogil
    cdef inline bint is_helper(self) noexcept nogil:
        """Whether another search keeps the limits and gives the answer."""
        return self.thread_index > 0
