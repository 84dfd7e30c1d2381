from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

# Points are numbered as in geometry.py. A move is origin << 8 | target.
cdef enum:
    POINTS = 129
    HOME = 30                     # points of a seat's home
    CENTRE_POINT = 120            # the first point that is nobody's home
    SEATS = 4
    ARMY_SIZE = 25
    ALL_PIECES = 1 + SEATS * 32   # a piece is 1 + seat * 32 + its number in the army; 0 is no piece
    MAX_MOVES = 1536             # 25 pieces, each to fewer than 61 points
    UNDO_ROOM = 640               # moves that can be taken back
    UNDO_KEPT = 256               # of these, how many push() keeps

cdef enum Type:
    NOTHING
    ENGINEER = 1
    COMMANDER = 9
    BOMB = 10
    MINE = 11
    FLAG = 12
    UNKNOWN = 13
    TYPES = 14

# How a move ended. All but MOVE are clashes.
cdef enum Result:
    MOVE
    EAT       # the defender died
    KILLED    # the attacker died
    BOTH_DIED

# Why a seat is out, or a game is drawn; REASONS in position.pyx has the words.
cdef enum Reason:
    BY_NOTHING
    BY_FLAG
    BY_NO_MOVE
    BY_RESIGNATION
    BY_SKIPS
    BY_TIME
    BY_ILLEGAL
    BY_EXIT
    BY_QUIET
    BY_PLIES

cdef enum Verdict:
    GOES_ON
    TEAM_0_WON
    TEAM_1_WON
    NOBODY_WON

# What a point is.
cdef enum PointKind:
    ON_RAILS = 1
    CAMP = 2
    HEADQUARTERS = 4

cdef struct Line:
    uint8_t named      # how many of its first points an earlier line of the same point has too
    uint8_t length
    uint8_t point[14]

cdef struct Geometry:
    int seats
    int size
    uint8_t kind[POINTS]
    uint8_t road_count[POINTS]
    uint8_t road[POINTS][8]
    uint8_t rail_count[POINTS]
    uint8_t rail[POINTS][4]
    uint8_t line_count[POINTS]
    Line line[POINTS][4]

# All that a move changes besides the board's points.
cdef struct State:
    uint64_t key
    uint32_t alive[SEATS]      # bit = number in the army
    uint32_t mobile[SEATS]     # of the living, those that may ever move
    int32_t material[SEATS]    # centipawns
    int32_t quiet              # plies in a row without a clash
    int32_t ply                # moves, skips and departures so far
    uint8_t living             # bit = seat
    uint8_t turn               # seat
    uint8_t verdict
    uint8_t reason             # of the verdict
    uint8_t last_reason[2]     # by team: why its latest seat fell
    # The move that led here:
    uint16_t move
    uint8_t attacker           # pieces
    uint8_t defender
    uint8_t result
    uint8_t shown              # seats whose commander died in it, bit = seat
    uint8_t fallen[SEATS]      # seats out by it, in order
    uint8_t fallen_reason[SEATS]
    uint8_t fallen_count

cdef struct Board:
    const Geometry* geometry
    State state
    uint8_t piece_at[POINTS + 3]
    uint8_t place[ALL_PIECES]       # point of a piece, also after its death
    uint8_t type[ALL_PIECES]
    uint8_t witness[SEATS][2]       # a step that can_move() found last: origin, target
    int quiet_limit
    bint quiet_loses
    int ply_limit
    int undo_count
    State undo[UNDO_ROOM]

cdef int32_t[14] WORTH


cdef inline int seat_of(int piece) noexcept nogil:
    """Whose a piece is."""
    return (piece - 1) >> 5


cdef inline bint in_armies(const uint32_t* armies, int piece) noexcept nogil:
    """Whether a piece is in the army of its seat: State.alive or State.mobile."""
    return (armies[seat_of(piece)] >> ((piece - 1) & 31)) & 1


cdef const Geometry* geometry_of(variant)
cdef int resolve_combat(int attacker, int defender) noexcept nogil
cdef void clear(Board* board) noexcept nogil
cdef void put(Board* board, int seat, int number, int type, int point) noexcept nogil
cdef void put_away(Board* board, int piece) noexcept nogil
cdef int list_moves(const Board* board, int seat, bint captures, bint others, uint32_t* moves) noexcept nogil
cdef int follow_rails(const Board* board, int origin, uint8_t* points) noexcept nogil
cdef bint may_reach(const Board* board, int piece, int target) noexcept nogil
cdef bint turns_on_rails(const Board* board, int move) noexcept nogil
cdef bint can_move(Board* board, int seat) noexcept nogil
cdef void play(Board* board, int move) noexcept nogil
cdef void play_to(Board* board, int move, int result, int fallen) noexcept nogil
cdef void stay(Board* board) noexcept nogil
cdef void take_back(Board* board) noexcept nogil
cdef void carry_out(Board* board, int move, int result) noexcept nogil
cdef void eliminate(Board* board, int seat, int reason) noexcept nogil
cdef void give_turn(Board* board, int seat) noexcept nogil
cdef void conclude(Board* board, int mover, bint too_quiet) noexcept nogil
