from libc.stdint cimport int16_t

from gomoku_protocol.patterns cimport LINE_CLASSES, RANKS

cdef enum:
    SCALE = 16  # of the worths to a centipawn

cdef int16_t LINE_WORTH[2][16]
cdef int16_t RANK_WORTH[2][RANKS]
cdef int16_t LINE_ORDER[16]
cdef int16_t RANK_ORDER[RANKS]
