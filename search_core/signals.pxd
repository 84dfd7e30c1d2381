from libc.stdint cimport int64_t

cdef class Signals:
    # Shared by the threads of one search and the thread that controls it.
    cdef int stop_flag
    cdef int ponder_flag
    cdef int64_t start_ns
    cdef int64_t clock_start_ns

    cdef bint is_stopped(self) noexcept nogil
    cdef bint is_pondering(self) noexcept nogil
    cdef int64_t elapsed_ns(self) noexcept nogil
    cdef int64_t clock_ns(self) noexcept nogil
