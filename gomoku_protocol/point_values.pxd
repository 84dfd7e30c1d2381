# What a vacant point is worth to a colour, by its pattern (patterns.pattern_number()).

from libc.stdint cimport int16_t, int32_t

from gomoku_protocol.patterns cimport PATTERNS

cdef enum:
    SCALE = 16  # units of these values per centipawn
    FORCING_SIZE = 2592

cdef extern from "point_values.h" nogil:
    # For the score of a position: [0] while the colour waits, [1] when it is to move.
    const int16_t POINT_VALUE[PATTERNS][2]
    # Also added to the score, by what both sides can force: evaluation.forcing_index().
    const int16_t FORCING_VALUE[FORCING_SIZE]
    # For the order of moves: [0] by the pattern for the side to move, [1] by the other side's pattern.
    const int32_t POINT_ORDER[PATTERNS][2]
