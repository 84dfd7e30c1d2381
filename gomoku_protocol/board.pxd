from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from gomoku_protocol.patterns cimport LINE_CLASSES, RANKS

# A point is (y + MARGIN) * STRIDE + x + MARGIN; points.py has the same figures.
cdef enum:
    STRIDE = 32
    MARGIN = 5
    POINTS = STRIDE * 32
    FIRST_POINT = MARGIN * STRIDE + MARGIN
    MAX_BOARD = 22 * 22
    LINES = 64                # at most, in one direction
    MAX_CHANGES = 4 * 2 * 5 + 1  # points that one stone can change

cdef enum:
    BLACK = 0
    WHITE = 1
    VACANT = 2
    WALL = 3    # beyond the edge, or blocked

# A point whose classes a move changed: what it was before.
cdef struct Change:
    uint16_t point
    uint16_t ranks               # Black's, and White's in the upper half
    uint32_t lines               # the same

# Sums over all vacant points.
cdef struct Sums:
    int16_t ranks[2][RANKS]      # how many points have each rank; 0 for those below OPEN_THREE
    int32_t value[2][2]          # [colour][0 when it waits, 1 when it is to move]

# A stone placed, and the Board's fields before it.
cdef struct Step:
    uint16_t point
    uint8_t won
    int32_t change_count
    uint64_t key
    Sums sums

cdef struct Board:
    int width
    int height
    int rule
    int reach                    # how far along a line a stone matters
    int five[2]                  # by colour: FIVE_OR_MORE, EXACTLY_FIVE, CARO_FIVE or CARO_EXACT_FIVE
    bint renju
    int side
    int won                      # who has a five on the board: BLACK, WHITE or VACANT
    int vacant                   # points left
    uint64_t key
    Sums sums
    uint8_t content[POINTS]
    uint8_t rank[2][POINTS]      # of a vacant point for a colour; NOTHING elsewhere
    uint16_t lines[2][POINTS]    # the line class of four directions, four bits each
    uint32_t stones[2][4][LINES]  # [colour][direction][line], one bit per point
    uint32_t walls[4][LINES]
    int steps
    int changes
    Step step[MAX_BOARD + 1]
    Change change[MAX_BOARD * MAX_CHANGES]

cdef int[4] STEP          # row, column, diagonal down, diagonal up
cdef uint64_t TURN_KEY    # in the key when White is to move

cdef Board* new_board(int width, int height, int rule)
cdef Board* copy_board(const Board* board)
cdef void block(Board* board, int point) noexcept
cdef void recompute(Board* board) noexcept
cdef uint64_t key_after(const Board* board, int point) noexcept nogil
cdef void place(Board* board, int point) noexcept nogil
cdef void place_unvalued(Board* board, int point) noexcept nogil
cdef void take_back(Board* board) noexcept nogil
cdef bint forbidden_by_fours(const Board* board, int point) noexcept nogil
cdef bint forbidden(Board* board, int point) noexcept nogil
cdef int find_rank(const Board* board, int colour, int rank, int start) noexcept nogil
cdef int collect(const Board* board, int colour, int rank, uint32_t* points) noexcept nogil
cdef int stops(Board* board, int attacker, uint32_t* points) noexcept nogil
cdef int defences(const Board* board, int attacker, uint32_t* points) noexcept nogil
cdef uint64_t near_row(const Board* board, int row) noexcept nogil
