from search_core.corrections cimport Corrections
from search_core.histories cimport Histories

cdef class Learnt:
    cdef Histories histories
    cdef Corrections corrections

    cpdef void clear(self) noexcept
