# What attacks what: the king, a point, a piece behind a screen. All of it is hot, so it is inlined.
from libc.stdint cimport uint64_t

from search_core.game cimport Move
from ucci_engine.board cimport (
    ALL_SLOTS, BLACK, BOUNDS_KNOWN, CANNONS, CHEAP_ORIGINS, FILE_NEIGHBOURS, FILE_OF, HORSE_LEG, HORSES, KING,
    KING_STEPS, NOTHING_KNOWN, NOWHERE, PAWNS, RANK_NEIGHBOURS, RANK_OF, RED, ROOKS,
    Board, LineNeighbours, Origins, State, Steps,
)


cdef inline LineNeighbours* along_file(const Board* board, int square) noexcept nogil:
    return &FILE_NEIGHBOURS[RANK_OF[square]][board.file_occ[FILE_OF[square]]]


cdef inline LineNeighbours* along_rank(const Board* board, int square) noexcept nogil:
    return &RANK_NEIGHBOURS[FILE_OF[square]][board.rank_occ[RANK_OF[square]]]


cdef inline bint is_rook(int slot, int enemy) noexcept nogil:
    return <unsigned int> (slot - enemy - ROOKS) <= 1


cdef inline bint is_cannon(int slot, int enemy) noexcept nogil:
    return <unsigned int> (slot - enemy - CANNONS) <= 1


cdef inline bint is_pawn(int slot, int enemy) noexcept nogil:
    return <unsigned int> (slot - enemy - PAWNS) <= 4


cdef inline void mark(uint64_t* squares, int square) noexcept nogil:
    squares[square >> 6] |= <uint64_t> 1 << (square & 63)


cdef inline bint marked(const uint64_t* squares, int square) noexcept nogil:
    return squares[square >> 6] >> (square & 63) & 1


cdef inline uint64_t piece_bit(const Board* board, int square) noexcept nogil:
    """The set of one slot, that of the piece on a square; bit 0 for an empty one."""
    return <uint64_t> 1 << board.at[square]


cdef inline bint attacked(const Board* board, int side) noexcept nogil:
    """Whether the king of `side` is attacked; a facing king is an attacker too."""
    cdef int own = RED << side, enemy = BLACK >> side
    cdef int king = board.square[own + KING], file = FILE_OF[king], base = king - file
    cdef int square, forward = -9 if side else 9
    cdef uint64_t rooks, cannons, pawns, found
    cdef const LineNeighbours* line = along_file(board, king)
    # Pieces in the way of each other are hard to predict: sets of slots instead of branches.
    rooks = piece_bit(board, line.low * 9 + file) | piece_bit(board, line.high * 9 + file)
    found = rooks & <uint64_t> 1 << (enemy + KING)
    cannons = piece_bit(board, line.low_next * 9 + file) | piece_bit(board, line.high_next * 9 + file)
    line = along_rank(board, king)
    rooks |= piece_bit(board, base + line.low) | piece_bit(board, base + line.high)
    cannons |= piece_bit(board, base + line.low_next) | piece_bit(board, base + line.high_next)
    pawns = piece_bit(board, king + forward) | piece_bit(board, king - 1) | piece_bit(board, king + 1)
    if (
        found | rooks & <uint64_t> 3 << (enemy + ROOKS) | cannons & <uint64_t> 3 << (enemy + CANNONS)
        | pawns & <uint64_t> 31 << (enemy + PAWNS)
    ):
        return True
    square = board.square[enemy + HORSES]
    if square != NOWHERE and HORSE_LEG[square][king] != NOWHERE and board.at[HORSE_LEG[square][king]] == 0:
        return True
    square = board.square[enemy + HORSES + 1]
    if square != NOWHERE and HORSE_LEG[square][king] != NOWHERE and board.at[HORSE_LEG[square][king]] == 0:
        return True
    return False


cdef inline void add_blocker(State* state, int piece, int own) noexcept nogil:
    # Only an own piece can be moved away.
    if piece & own:
        state.king_blockers |= 1 << (piece & 15)


cdef inline void scan_ray(State* state, int king, int first, int second, int third, int step) noexcept nogil:
    # One ray from a king that is not in check, with the first three pieces on it; the king's own square for a missing
    # one.
    cdef const Board* board = &state.board
    cdef int own = RED << board.side, enemy = BLACK >> board.side
    cdef int piece = board.at[first], square
    if is_cannon(piece, enemy):  # a hollow cannon: any screen is a check
        square = king + step
        while square != first:
            mark(state.screen_points, square)
            square += step
    piece = board.at[second]
    if is_rook(piece, enemy) or piece == enemy + KING:
        add_blocker(state, board.at[first], own)
    if is_cannon(board.at[third], enemy):  # behind two screens: neither may leave
        add_blocker(state, board.at[first], own)
        add_blocker(state, board.at[second], own)


cdef inline void update_check_info(State* state) noexcept nogil:
    """Find, once per position, which pieces must stay and which points must stay empty to protect the king."""
    cdef const Board* board = &state.board
    cdef int own = RED << board.side, enemy = BLACK >> board.side
    cdef int king, file, base, square, leg, i
    cdef const LineNeighbours* line
    if state.known == BOUNDS_KNOWN:
        return
    if state.known == NOTHING_KNOWN:
        state.in_check = attacked(board, board.side)
    state.known = BOUNDS_KNOWN
    if state.in_check:
        return  # every move is tried out
    king = board.square[own + KING]
    file = FILE_OF[king]
    base = king - file
    state.king_blockers = 1 << KING
    state.screen_points[0] = state.screen_points[1] = 0
    line = along_file(board, king)
    scan_ray(state, king, line.low * 9 + file, line.low_next * 9 + file, line.low_third * 9 + file, -9)
    scan_ray(state, king, line.high * 9 + file, line.high_next * 9 + file, line.high_third * 9 + file, 9)
    line = along_rank(board, king)
    scan_ray(state, king, base + line.low, base + line.low_next, base + line.low_third, -1)
    scan_ray(state, king, base + line.high, base + line.high_next, base + line.high_third, 1)
    for i in range(2):
        square = board.square[enemy + HORSES + i]
        if square != NOWHERE:
            leg = HORSE_LEG[square][king]
            if leg != NOWHERE:
                add_blocker(state, board.at[leg], own)
    # A point that must stay empty may be entered by any piece.
    state.guarded = ALL_SLOTS if state.screen_points[0] | state.screen_points[1] else state.king_blockers


cdef inline bint along_line(
    const Board* board, int own, int piece, int target, int near, int far
) noexcept nogil:
    # Whether the nearest piece or the one behind it attacks a king, once `piece` stands on `target`.
    cdef int first = piece if near == target else board.at[near]
    cdef int second = piece if far == target else board.at[far]
    return is_rook(first, own) or first == own + KING or is_cannon(second, own)


cdef inline bint checks_after(const Board* board, int side, Move move) noexcept nogil:
    """Whether a pseudo-legal move of `side`, which gives no check yet, leaves the other king attacked."""
    cdef int own = RED << side, origin = move & 127, target = move >> 7
    cdef int piece = board.at[origin], offset = piece - own
    cdef int king = board.square[(BLACK >> side) + KING], file = FILE_OF[king], rank = RANK_OF[king]
    cdef int square, leg, i, occupancy
    cdef const LineNeighbours* line
    # The side to move gives no check yet, so one comes along a line only if the move changes that line.
    if FILE_OF[origin] == file or FILE_OF[target] == file:
        occupancy = board.file_occ[file]
        if FILE_OF[origin] == file:
            occupancy &= ~(1 << RANK_OF[origin])
        if FILE_OF[target] == file:
            occupancy |= 1 << RANK_OF[target]
        line = &FILE_NEIGHBOURS[rank][occupancy]
        if (
            along_line(board, own, piece, target, line.low * 9 + file, line.low_next * 9 + file)
            or along_line(board, own, piece, target, line.high * 9 + file, line.high_next * 9 + file)
        ):
            return True
    if RANK_OF[origin] == rank or RANK_OF[target] == rank:
        occupancy = board.rank_occ[rank]
        if RANK_OF[origin] == rank:
            occupancy &= ~(1 << FILE_OF[origin])
        if RANK_OF[target] == rank:
            occupancy |= 1 << FILE_OF[target]
        line = &RANK_NEIGHBOURS[file][occupancy]
        if (
            along_line(board, own, piece, target, rank * 9 + line.low, rank * 9 + line.low_next)
            or along_line(board, own, piece, target, rank * 9 + line.high, rank * 9 + line.high_next)
        ):
            return True
    for i in range(HORSES, ROOKS):  # a horse's leg that becomes free
        square = board.square[own + i]
        if square != NOWHERE and i != offset and HORSE_LEG[square][king] == origin:
            return True
    if offset >= PAWNS:
        return target == king + (9 if side else -9) or target == king - 1 or target == king + 1
    if offset >= HORSES and offset < ROOKS:
        leg = HORSE_LEG[target][king]
        return leg != NOWHERE and (board.at[leg] == 0 or leg == origin)
    return False


cdef inline int find_answers(const Board* board, int side, uint64_t* answers, int* screen) noexcept nogil:
    """How many pieces give check; for the last found, the points that answer it and the screen it uses."""
    cdef int enemy = BLACK >> side, king = board.square[(RED << side) + KING]
    cdef int file = FILE_OF[king], base = king - file, forward = -9 if side else 9
    cdef int checkers = 0, square, i, near, far, step
    cdef const LineNeighbours* along = along_file(board, king)
    cdef const LineNeighbours* across = along_rank(board, king)
    for i in range(4):
        if i == 0:
            step = -9
            near = along.low * 9 + file
            far = along.low_next * 9 + file
        elif i == 1:
            step = 9
            near = along.high * 9 + file
            far = along.high_next * 9 + file
        elif i == 2:
            step = -1
            near = base + across.low
            far = base + across.low_next
        else:
            step = 1
            near = base + across.high
            far = base + across.high_next
        if is_rook(board.at[near], enemy) or (i < 2 and board.at[near] == enemy + KING):
            far = near
        elif is_cannon(board.at[far], enemy):
            screen[0] = near
        else:
            continue
        checkers += 1
        square = king + step
        while square != far:
            mark(answers, square)
            square += step
        mark(answers, far)
    for i in range(2):
        square = board.square[enemy + HORSES + i]
        if square != NOWHERE and HORSE_LEG[square][king] != NOWHERE and board.at[HORSE_LEG[square][king]] == 0:
            checkers += 1
            mark(answers, square)
            mark(answers, HORSE_LEG[square][king])
    for i in range(3):
        square = king + (forward if i == 0 else i * 2 - 3)
        if is_pawn(board.at[square], enemy):
            checkers += 1
            mark(answers, square)
    return checkers


cdef inline int cheapest_attacker(
    const Board* board, int target, int side, const uint64_t* gone, int file_occ, int rank_occ
) noexcept nogil:
    """Slot of the least valuable piece of `side` that can take on `target`, 0 if none can."""
    cdef int own = RED << side, slot, square, leg, i, file = FILE_OF[target], base = target - file
    cdef uint64_t beside = 0, behind = 0
    cdef int near[4]
    cdef int far[4]
    cdef const LineNeighbours* line
    cdef const Steps* steps
    cdef const Origins* cheap = &CHEAP_ORIGINS[side][target]
    for i in range(cheap.count):
        square = cheap.origins[i].square
        if (
            <unsigned int> (board.at[square] - cheap.origins[i].first) <= cheap.origins[i].others
            and not marked(gone, square)
        ):
            leg = cheap.origins[i].block
            if leg == NOWHERE or board.at[leg] == 0 or marked(gone, leg):
                return board.at[square]
    for slot in range(own + HORSES, own + ROOKS):
        square = board.square[slot]
        if square == NOWHERE:
            continue
        leg = HORSE_LEG[square][target]
        if leg != NOWHERE and (board.at[leg] == 0 or marked(gone, leg)) and not marked(gone, square):
            return slot
    line = &FILE_NEIGHBOURS[RANK_OF[target]][file_occ]
    near[0] = line.low * 9 + file
    near[1] = line.high * 9 + file
    far[0] = line.low_next * 9 + file
    far[1] = line.high_next * 9 + file
    line = &RANK_NEIGHBOURS[file][rank_occ]
    near[2] = base + line.low
    near[3] = base + line.high
    far[2] = base + line.low_next
    far[3] = base + line.high_next
    # What stands there is hard to predict: sets of slots instead of branches. A missing piece is the target itself.
    for i in range(4):
        beside |= piece_bit(board, near[i])
        behind |= piece_bit(board, far[i])
    beside = (beside & ~piece_bit(board, target)) >> own
    behind = (behind & ~piece_bit(board, target)) >> (own + CANNONS) & 3
    if behind:
        if behind < 3:
            return own + CANNONS - 1 + <int> behind
        for i in range(3, -1, -1):
            if is_cannon(board.at[far[i]], own):
                return board.at[far[i]]
    if beside >> ROOKS & 3:
        if (beside >> ROOKS & 3) < 3:
            return own + ROOKS - 1 + <int> (beside >> ROOKS & 3)
        for i in range(3, -1, -1):
            if is_rook(board.at[near[i]], own):
                return board.at[near[i]]
    if beside & 1:
        steps = &KING_STEPS[board.square[own + KING]]
        for i in range(steps.count):
            if steps.hops[i].to == target:
                return own + KING
    return 0
