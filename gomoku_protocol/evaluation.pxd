from gomoku_protocol.evaluator cimport GomokuEvaluator

cdef class HandCraftedEvaluator(GomokuEvaluator):
    cdef int weight[2]  # of a colour's points, in 128ths
