from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint64_t

# Squares are rank * 9 + file, 0 .. 89, from Red's left corner.
cdef enum:
    SQUARES = 90
    NOWHERE = 255

# A piece is a slot: 16 .. 31 Red's, 32 .. 47 Black's, 0 an empty square.
cdef enum SlotOffset:
    KING = 0
    ADVISORS = 1   # and 2
    ELEPHANTS = 3  # and 4
    HORSES = 5     # and 6
    ROOKS = 7      # and 8
    CANNONS = 9    # and 10
    PAWNS = 11     # to 15

cdef enum:
    RED = 16
    BLACK = 32

# What a line (a file of ten points or a rank of nine) looks like from a point on
# it. Where there is no such piece, the point itself stands: it holds the piece
# that looks, which is no target, and so no test for "none" is needed.
cdef struct Reach:
    uint8_t low         # the nearest piece below
    uint8_t low_next    # the one behind it
    uint8_t high
    uint8_t high_next
    uint8_t empty       # empty points up to the nearest pieces on both sides

# A step that needs an empty point: the horse's leg, the elephant's eye.
cdef struct Hop:
    uint8_t to
    uint8_t block

cdef struct Steps:
    int count
    Hop hops[8]

cdef struct Board:
    uint8_t at[SQUARES]     # square -> slot
    uint8_t square[48]      # slot -> square, NOWHERE if captured
    uint16_t rank_occ[10]   # bit = file
    uint16_t file_occ[9]    # bit = rank
    int32_t psq             # sum of PIECE_SQUARE, packed, Red's view
    int phase               # attacking material left, see PHASE
    int attack_percent      # weight of the king attack in the evaluation
    int side                # 0 Red, 1 Black

cdef Reach FILE_REACH[10][1024]   # [rank of the point][occupancy of its file]
cdef Reach RANK_REACH[9][512]     # [file of the point][occupancy of its rank]
cdef uint8_t FILE_OF[SQUARES]
cdef uint8_t RANK_OF[SQUARES]
cdef int8_t KIND[48]              # slot -> 0 .. 6 Red K A E H R C P, 7 .. 13 Black
cdef Steps KING_STEPS[SQUARES]
cdef Steps ADVISOR_STEPS[SQUARES]
cdef Steps ELEPHANT_STEPS[SQUARES]
cdef Steps HORSE_STEPS[SQUARES]
cdef Steps PAWN_STEPS[2][SQUARES]
cdef uint8_t HORSE_LEG[SQUARES][SQUARES]  # [from][to] -> the leg, NOWHERE if no horse move
