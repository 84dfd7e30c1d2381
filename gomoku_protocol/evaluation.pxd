from gomoku_protocol.evaluator cimport Evaluator

cdef class HandCraftedEvaluator(Evaluator):
    cdef int weight[2]  # of a colour's points, in 128ths
