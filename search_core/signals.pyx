"""The signals to a running search: stop, ponderhit, and when it and its clock began."""

from libc.stdint cimport int64_t

cdef extern from "platform.h" nogil:
    int sanqi_load(int* flag)
    void sanqi_store(int* flag, int value)
    int sanqi_load_acquire(int* flag)
    void sanqi_store_release(int* flag, int value)
    int64_t sanqi_load_i64(int64_t* number)
    void sanqi_store_i64(int64_t* number, int64_t value)
    int64_t sanqi_clock_ns()


cdef class Signals:
    """Stop and ponder flags and the starts of search and clock, shared between threads."""

    def __cinit__(self, bint pondering=False):
        self.ponder_flag = pondering
        self.start_ns = self.clock_start_ns = sanqi_clock_ns()

    def stop(self) -> None:
        """Make every search end at its next poll."""
        sanqi_store(&self.stop_flag, 1)

    def ponderhit(self) -> None:
        """Start the clock now; from now on the time limits apply. What was pondered counts as thought."""
        sanqi_store_i64(&self.clock_start_ns, sanqi_clock_ns())
        sanqi_store_release(&self.ponder_flag, 0)  # a thread that sees the flag also sees the clock

    @property
    def pondering(self) -> bool:
        """Whether the clock does not count yet."""
        return self.is_pondering()

    @property
    def stopped(self) -> bool:
        """Whether stop() was called."""
        return self.is_stopped()

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds since the search began, pondering included."""
        return self.elapsed_ns() // 1000000

    @property
    def clock_ms(self) -> int:
        """Milliseconds since the clock's start."""
        return self.clock_ns() // 1000000

    cdef bint is_stopped(self) noexcept nogil:
        return sanqi_load(&self.stop_flag) != 0

    cdef bint is_pondering(self) noexcept nogil:
        return sanqi_load_acquire(&self.ponder_flag) != 0

    cdef int64_t elapsed_ns(self) noexcept nogil:
        return sanqi_clock_ns() - self.start_ns

    cdef int64_t clock_ns(self) noexcept nogil:
        return sanqi_clock_ns() - sanqi_load_i64(&self.clock_start_ns)
