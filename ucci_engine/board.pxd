from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

# Squares are rank * 9 + file, 0 .. 89, from Red's left corner.
cdef enum:
    SQUARES = 90
    NOWHERE = 255
    RAY = 9  # the longest way along a line
    ALL_SLOTS = 0xFFFF

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

# The kinds of Red's pieces in KIND; Black's are 7 more.
cdef enum:
    KING_KIND
    ADVISOR_KIND
    ELEPHANT_KIND
    HORSE_KIND
    ROOK_KIND
    CANNON_KIND
    PAWN_KIND

# A line (a file of ten points or a rank of nine) as seen from a point on it. If
# there is no such piece, a field has the point itself: the piece there is the one
# that looks, never a target, so no test for "none" is needed.
cdef struct LineNeighbours:
    uint8_t low         # the nearest piece below
    uint8_t low_next    # the one behind it
    uint8_t low_third   # and the one behind that
    uint8_t high
    uint8_t high_next
    uint8_t high_third
    uint8_t empty       # empty points up to the nearest pieces on both sides
    uint8_t low_empty   # those below

# A step that needs an empty point: the horse's leg, the elephant's eye.
cdef struct Hop:
    uint8_t to
    uint8_t block

cdef struct Steps:
    int count
    Hop hops[8]

# Where a cheap piece may stand that takes on a point: a pawn, an advisor or an elephant.
cdef struct Origin:
    uint8_t square
    uint8_t first   # the slots of the pieces that would take, first of them
    uint8_t others  # and how many follow it
    uint8_t block   # the elephant's eye, or NOWHERE

cdef struct Origins:
    int count
    Origin origins[4]  # the cheapest first

# Every move copies it, so it is small (192 bytes) and its fields are in the order of the copy.
cdef struct Board:
    uint8_t square[48]      # slot -> square, NOWHERE if captured
    uint8_t at[SQUARES]     # square -> slot
    uint8_t side            # 0 Red, 1 Black
    uint8_t phase           # attacking material left: 6 a rook, 3 a horse or cannon
    int32_t psq             # sum of PIECE_SQUARE, packed, Red's view
    uint16_t rank_occ[10]   # bit = file
    uint16_t file_occ[9]    # bit = rank
    uint16_t padding[5]     # the occupancies are copied by sixteen bytes

# What a position knows of its own king: nothing, whether it is in check, or also
# what make() must know.
cdef enum:
    NOTHING_KNOWN
    CHECK_KNOWN
    BOUNDS_KNOWN

# What the move to a state changed, for evaluators that follow moves. All zero at the set-up and after a pass.
cdef struct Dirty:
    uint8_t piece   # the slot that moved
    uint8_t origin
    uint8_t target
    uint8_t victim  # the slot that was captured on the target, 0 if none

# A position and what it knows of its own king. A move copies the board of one state into
# the next and changes it there. So nothing has to be restored. When the moves of a position
# are tried one after another, the processor need not wait for the stores of the last one.
cdef struct State:
    Board board
    uint16_t guarded        # pieces whose moves make() must check, bit = slot & 15; all until update_check_info()
    uint8_t known           # which of the fields below are valid
    uint8_t in_check
    uint16_t king_blockers          # pieces that may expose the king when they leave
    uint16_t halfmove_clock          # plies since the last capture, or since a pass
    uint64_t screen_points[2]    # points where a piece would be a cannon's screen before the king
    Dirty dirty                  # by the move to this state
    uint64_t spare[4]       # to 256 bytes: the address of a state is a shift

cdef LineNeighbours FILE_NEIGHBOURS[10][1024]   # [rank of the point][occupancy of its file]
cdef LineNeighbours RANK_NEIGHBOURS[9][512]     # [file of the point][occupancy of its rank]
# The moves from a square along a line, nearest first: up, down, to the right, to the left.
cdef uint32_t RAYS[SQUARES][4][RAY]
cdef uint8_t FILE_OF[SQUARES]
cdef uint8_t RANK_OF[SQUARES]
cdef int8_t KIND[48]              # slot -> 0 .. 6 Red K A E H R C P, 7 .. 13 Black
cdef Steps KING_STEPS[SQUARES]
cdef Steps ADVISOR_STEPS[SQUARES]
cdef Steps ELEPHANT_STEPS[SQUARES]
cdef Steps HORSE_STEPS[SQUARES]
cdef Steps PAWN_STEPS[2][SQUARES]
cdef Origins CHEAP_ORIGINS[2][SQUARES]  # [side][target]
# [kind][square]: the steps of a king, advisor, elephant, horse or pawn from any point, also from one where it cannot
# come to stand. A rook and a cannon have none.
cdef Steps STEPS_OF[14][SQUARES]
cdef uint8_t HORSE_LEG[SQUARES][SQUARES]  # [from][to] -> the leg, NOWHERE if no horse move
# [king][a horse's square] -> bit = hop of HORSE_STEPS after which it may give check
cdef uint8_t CHECKING_HOPS[SQUARES][SQUARES]


cdef inline void flip(Board* board, int square) noexcept nogil:
    """Put a square into the occupancies, or take it out."""
    board.rank_occ[RANK_OF[square]] ^= 1 << FILE_OF[square]
    board.file_occ[FILE_OF[square]] ^= 1 << RANK_OF[square]
