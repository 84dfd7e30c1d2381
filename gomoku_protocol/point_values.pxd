# What a vacant point is worth to a colour, by its pattern (patterns.pattern_number()).

from libc.stdint cimport int16_t, int32_t

from gomoku_protocol.patterns cimport PATTERNS

cdef enum:
    SCALE = 16  # of the worths to a centipawn
    FORCING_SIZE = 2592

cdef extern from "point_values.h" nogil:
    # In the score of a position: [0] while the colour waits, [1] when it is to move.
    const int16_t POINT_VALUE[PATTERNS][2]
    # In the score of a position besides, by what both sides can force: evaluation.forcing_index().
    const int16_t FORCING_VALUE[FORCING_SIZE]
    # In the order of moves: [0] by the pattern for the side to move, [1] by that for the other side.
    const int32_t POINT_ORDER[PATTERNS][2]
