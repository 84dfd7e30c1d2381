# sanqi_check(held, b"what must hold"): in a debug build, a broken limit ends the process. Free otherwise.
cdef extern from "check.h" nogil:
    void sanqi_check(bint held, const char* limit)
