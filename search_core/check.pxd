# sanqi_check(held, b"what must hold"): of a debug build, which ends the process where it does not. Free otherwise.
cdef extern from "check.h" nogil:
    void sanqi_check(bint held, const char* limit)
