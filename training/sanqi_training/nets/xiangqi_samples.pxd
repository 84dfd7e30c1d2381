from libc.stdint cimport int16_t, uint8_t, uint16_t

cdef enum:
    PIECES = 32

cdef packed struct Sample:
    uint8_t squares[PIECES]  # of Red's pieces, then Black's, in the order of their slots; 255: captured
    uint8_t side             # to move: 0 Red, 1 Black
    uint8_t result           # for that side: 0 lost, 1 drawn, 2 won
    int16_t score            # for that side
    uint16_t ply
    uint16_t padding
