from libc.stdint cimport uint8_t, uint16_t, uint32_t

cdef enum:
    ROWS = 22

cdef packed struct Sample:
    uint32_t stones[2][ROWS]  # of the side to move, and of the other: a bit for each column
    uint16_t best             # what the search chose: x + 32 * y
    uint8_t side              # to move: 0 Black, 1 White
    uint8_t padding
