cdef class Evaluator:
    cdef readonly bint table_first
    cdef readonly bint has_policy

    cpdef Evaluator copy(self)
