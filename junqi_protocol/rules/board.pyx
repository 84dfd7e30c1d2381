"""The rules of Junqi: who may move where, what a clash does, when a seat falls and a game ends. docs/junqi-rules.md.

A piece keeps its number for the whole game. So, besides the points, a move changes only one State, and a copy of the
State before it is enough to take it back.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc
from libc.string cimport memset

from search_core.check cimport sanqi_check
from search_core.splitmix cimport splitmix

from junqi_protocol.rules import lineup


cdef uint64_t PIECE_KEY[ALL_PIECES >> 5][TYPES][POINTS]
cdef uint64_t SEAT_KEY[SEATS]
cdef uint8_t CLASH[TYPES][TYPES]

_GEOMETRIES = {}


cdef int result_of(int attacker, int defender) noexcept nogil:
    """The result of a clash."""
    if attacker == BOMB or defender == BOMB:
        return BOTH_DIED
    if defender == FLAG:
        return EAT
    if defender == MINE:
        return EAT if attacker == ENGINEER else KILLED
    if attacker == defender:
        return BOTH_DIED
    return EAT if attacker > defender else KILLED


cdef void fill_tables():
    cdef uint64_t state = 2026
    cdef int seat, kind, point, other
    for seat in range(SEATS):
        SEAT_KEY[seat] = splitmix(&state)
        for kind in range(TYPES):
            for point in range(POINTS):
                PIECE_KEY[seat][kind][point] = splitmix(&state)
    for kind in range(TYPES):
        WORTH[kind] = lineup.WORTH[kind]
        for other in range(TYPES):
            CLASH[kind][other] = result_of(kind, other)


fill_tables()


cdef const Geometry* geometry_of(variant):
    """The native tables of a geometry.Variant. They live as long as the program."""
    cdef Geometry* made
    cdef size_t address
    if variant.name in _GEOMETRIES:
        address = _GEOMETRIES[variant.name]
        return <const Geometry*> address
    made = <Geometry*> calloc(1, sizeof(Geometry))
    if made == NULL:
        raise MemoryError()
    made.seats = variant.seats
    made.size = variant.size
    for point in range(variant.size):
        kind = (ON_RAILS if variant.rails[point] else 0) | (CAMP if point in variant.camps else 0)
        made.kind[point] = kind | (HEADQUARTERS if point in variant.headquarters else 0)
        made.road_count[point] = len(variant.roads[point])
        for i, other in enumerate(variant.roads[point]):
            made.road[point][i] = other
        made.rail_count[point] = len(variant.rails[point])
        for i, other in enumerate(variant.rails[point]):
            made.rail[point][i] = other
        made.line_count[point] = len(variant.runs[point])
        for i, (named, line) in enumerate(variant.runs[point]):
            made.line[point][i].named = named
            made.line[point][i].length = len(line)
            for j, other in enumerate(line):
                made.line[point][i].point[j] = other
    _GEOMETRIES[variant.name] = <size_t> made
    return made


cdef int resolve_combat(int attacker, int defender) noexcept nogil:
    """How an attack of one type on another ends."""
    return CLASH[attacker][defender]


cdef inline int lowest(uint32_t bits) noexcept nogil:
    """The number of the lowest bit set, by de Bruijn's sequence: portable to any compiler."""
    return BIT_NUMBER[((bits & (0 - bits)) * <uint32_t> 0x077CB531) >> 27]


cdef uint8_t[32] BIT_NUMBER = [
    0, 1, 28, 2, 29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4, 8,
    31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6, 11, 5, 10, 9,
]


# ---------------------------------------------------------------- setting up

cdef void clear(Board* board) noexcept nogil:
    """Remove all pieces and seats. The rules stay."""
    memset(&board.state, 0, sizeof(State))
    memset(board.piece_at, 0, sizeof(board.piece_at))
    memset(board.place, 0, sizeof(board.place))
    memset(board.type, 0, sizeof(board.type))
    memset(board.witness, 0, sizeof(board.witness))
    board.undo_count = 0
    board.state.key = SEAT_KEY[0]


cdef void put(Board* board, int seat, int number, int type, int point) noexcept nogil:
    """Add a piece to a seat; the seat is then alive."""
    cdef int piece = 1 + seat * 32 + number
    board.piece_at[point] = piece
    board.place[piece] = point
    board.type[piece] = type
    board.state.alive[seat] |= <uint32_t> 1 << number
    if type != MINE and type != FLAG and not board.geometry.kind[point] & HEADQUARTERS:
        board.state.mobile[seat] |= <uint32_t> 1 << number
    board.state.material[seat] += WORTH[type]
    board.state.key ^= PIECE_KEY[seat][type][point]
    board.state.living |= 1 << seat


cdef void put_away(Board* board, int piece) noexcept nogil:
    """Remove a piece from its army. The caller updates its point."""
    cdef int seat = seat_of(piece)
    cdef uint32_t bit = <uint32_t> 1 << ((piece - 1) & 31)
    board.state.alive[seat] &= ~bit
    board.state.mobile[seat] &= ~bit
    board.state.material[seat] -= WORTH[board.type[piece]]
    board.state.key ^= PIECE_KEY[seat][board.type[piece]][board.place[piece]]


# -------------------------------------------------------------------- moving

cdef inline bint open_to(const Board* board, int seat, int target) noexcept nogil:
    """Whether a seat's piece may enter a point, or attack what is there."""
    cdef int there = board.piece_at[target]
    return there == 0 or ((seat_of(there) ^ seat) & 1 and not board.geometry.kind[target] & CAMP)


cdef int list_moves(const Board* board, int seat, bint captures, bint others, uint32_t* moves) noexcept nogil:
    """Write the moves of a seat that attack, those that do not, or both; return how many."""
    cdef const Geometry* geometry = board.geometry
    cdef uint32_t army = board.state.mobile[seat], origin_bits
    cdef int piece, origin, target, there, i, k, flights, count = 0
    cdef uint8_t flown[POINTS]
    cdef const Line* line
    while army:
        piece = 1 + seat * 32 + lowest(army)
        army &= army - 1
        origin = board.place[piece]
        origin_bits = <uint32_t> origin << 8
        for i in range(geometry.road_count[origin]):
            target = geometry.road[origin][i]
            there = board.piece_at[target]
            if there == 0:
                if others:
                    moves[count] = origin_bits | target
                    count += 1
            elif captures and (seat_of(there) ^ seat) & 1 and not geometry.kind[target] & CAMP:
                moves[count] = origin_bits | target
                count += 1
        if geometry.rail_count[origin] == 0:
            continue
        if board.type[piece] == ENGINEER:
            flights = follow_rails(board, origin, flown)
            for i in range(1, flights):
                there = board.piece_at[flown[i]]
                if (others and there == 0) or (captures and there and (seat_of(there) ^ seat) & 1):
                    moves[count] = origin_bits | flown[i]
                    count += 1
            continue
        for i in range(geometry.line_count[origin]):
            line = &geometry.line[origin][i]
            for k in range(line.length):
                target = line.point[k]
                there = board.piece_at[target]
                if there:
                    if k >= line.named and captures and (seat_of(there) ^ seat) & 1:
                        moves[count] = origin_bits | target
                        count += 1
                    break
                if others and k >= line.named:
                    moves[count] = origin_bits | target
                    count += 1
    sanqi_check(count <= MAX_MOVES, b"a seat has MAX_MOVES moves at most")
    return count


cdef int follow_rails(const Board* board, int origin, uint8_t* points) noexcept nogil:
    """Write the points that ways by rail lead to, the origin first: along empty points, up to the first piece."""
    cdef const Geometry* geometry = board.geometry
    cdef uint8_t seen[POINTS + 3]
    cdef int head = 0, count = 1, here, target, i
    memset(seen, 0, sizeof(seen))
    seen[origin] = 1
    points[0] = origin
    while head < count:
        here = points[head]
        head += 1
        if board.piece_at[here] and here != origin:
            continue
        for i in range(geometry.rail_count[here]):
            target = geometry.rail[here][i]
            if not seen[target]:
                seen[target] = 1
                points[count] = target
                count += 1
    return count


cdef bint may_reach(const Board* board, int piece, int target) noexcept nogil:
    """Whether a living piece can move to a point."""
    cdef const Geometry* geometry = board.geometry
    cdef int seat = seat_of(piece), origin = board.place[piece], i, count
    cdef uint8_t flown[POINTS]
    if not (board.state.mobile[seat] >> ((piece - 1) & 31)) & 1 or not open_to(board, seat, target):
        return False
    if not turns_on_rails(board, origin << 8 | target):
        return True
    if board.type[piece] == ENGINEER and geometry.rail_count[origin]:
        count = follow_rails(board, origin, flown)
        for i in range(1, count):
            if flown[i] == target:
                return True
    return False


cdef bint turns_on_rails(const Board* board, int move) noexcept nogil:
    """Whether only an engineer can make this move, since it is neither by road nor straight along the rails.

    The move has not been played.
    """
    cdef const Geometry* geometry = board.geometry
    cdef int origin = move >> 8, target = move & 255, i, k
    cdef const Line* line
    for i in range(geometry.road_count[origin]):
        if geometry.road[origin][i] == target:
            return False
    for i in range(geometry.line_count[origin]):
        line = &geometry.line[origin][i]
        for k in range(line.length):
            if line.point[k] == target:
                return False
            if board.piece_at[line.point[k]]:
                break
    return True


cdef bint can_move(Board* board, int seat) noexcept nogil:
    """Whether a seat has a move. If it has any, it has one to a neighbouring point."""
    cdef const Geometry* geometry = board.geometry
    cdef int origin = board.witness[seat][0], target = board.witness[seat][1], piece = board.piece_at[origin], i
    cdef uint32_t army = board.state.mobile[seat]
    # The step found last time is nearly always still possible.
    if (
        origin != target and piece and seat_of(piece) == seat and (army >> ((piece - 1) & 31)) & 1
        and open_to(board, seat, target)
    ):
        return True
    while army:
        origin = board.place[1 + seat * 32 + lowest(army)]
        army &= army - 1
        for i in range(geometry.road_count[origin] + geometry.rail_count[origin]):
            if i < geometry.road_count[origin]:
                target = geometry.road[origin][i]
            else:
                target = geometry.rail[origin][i - geometry.road_count[origin]]
            if open_to(board, seat, target):
                board.witness[seat][0] = origin
                board.witness[seat][1] = target
                return True
    return False


cdef void arrive(Board* board, int piece, int origin, int target) noexcept nogil:
    """Put a piece that has left `origin` on an empty point. In a headquarters it can never move again."""
    cdef int seat = seat_of(piece)
    board.piece_at[target] = piece
    board.place[piece] = target
    board.state.key ^= PIECE_KEY[seat][board.type[piece]][origin] ^ PIECE_KEY[seat][board.type[piece]][target]
    if board.geometry.kind[target] & HEADQUARTERS:
        board.state.mobile[seat] &= ~(<uint32_t> 1 << ((piece - 1) & 31))


cdef void play(Board* board, int move) noexcept nogil:
    """Make a legal move of the seat on turn. The types of the pieces decide how it ends."""
    cdef int attacker = board.piece_at[move >> 8], defender = board.piece_at[move & 255]
    if defender:
        play_to(
            board, move, CLASH[board.type[attacker]][board.type[defender]],
            seat_of(defender) if board.type[defender] == FLAG else -1,
        )
    else:
        play_to(board, move, MOVE, -1)


cdef void play_to(Board* board, int move, int result, int fallen) noexcept nogil:
    """Make a legal move of the seat on turn that ends so. `fallen`: the seat that loses its flag by it, or -1."""
    cdef int seat = board.state.turn
    sanqi_check(board.undo_count < UNDO_ROOM, b"a board can take back UNDO_ROOM moves at most")
    sanqi_check(board.piece_at[move >> 8] != 0, b"play() moves a piece")
    board.undo[board.undo_count] = board.state
    board.undo_count += 1
    carry_out(board, move, result)
    if fallen >= 0:
        eliminate(board, fallen, BY_FLAG)
    judge(board, seat, result == MOVE)


cdef void carry_out(Board* board, int move, int result) noexcept nogil:
    """Move a piece, and take what dies off the board. The move is noted in the state."""
    cdef int origin = move >> 8, target = move & 255
    cdef int attacker = board.piece_at[origin], defender = board.piece_at[target]
    cdef State* state = &board.state
    state.move = move
    state.attacker = attacker
    state.defender = defender
    state.result = result
    state.shown = 0
    state.fallen_count = 0
    board.piece_at[origin] = 0
    if result == EAT or result == BOTH_DIED:
        put_away(board, defender)
        board.piece_at[target] = 0
        if board.type[defender] == COMMANDER:
            state.shown |= 1 << seat_of(defender)
    if result == KILLED or result == BOTH_DIED:
        put_away(board, attacker)
        if board.type[attacker] == COMMANDER:
            state.shown |= 1 << seat_of(attacker)
    else:
        arrive(board, attacker, origin, target)


cdef void stay(Board* board) noexcept nogil:
    """Let the seat on turn pass. take_back() undoes it."""
    cdef State* state = &board.state
    sanqi_check(board.undo_count < UNDO_ROOM, b"a board can take back UNDO_ROOM moves at most")
    board.undo[board.undo_count] = state[0]
    board.undo_count += 1
    state.move = 0
    state.fallen_count = 0
    judge(board, state.turn, True)


cdef void take_back(Board* board) noexcept nogil:
    """Undo the last play(), play_to() or stay()."""
    cdef State* state = &board.state
    cdef int origin = state.move >> 8, target = state.move & 255, attacker = state.attacker, i, seat, piece
    cdef uint32_t army
    sanqi_check(board.undo_count > 0, b"take_back() follows a move")
    board.undo_count -= 1
    if state.move:
        board.piece_at[target] = 0
        board.place[attacker] = origin
    # First the pieces of seats that fell, then those of the clash.
    for i in range(state.fallen_count):
        seat = state.fallen[i]
        army = board.undo[board.undo_count].alive[seat]
        while army:
            piece = 1 + seat * 32 + lowest(army)
            army &= army - 1
            board.piece_at[board.place[piece]] = piece
    if state.move:
        board.piece_at[origin] = attacker
        board.piece_at[target] = state.defender
    state[0] = board.undo[board.undo_count]


# ---------------------------------------------------------- seats and verdicts

cdef inline int team_of(int seat) noexcept nogil:
    return seat & 1


cdef inline bint team_lives(const Board* board, int team) noexcept nogil:
    return (board.state.living & (0b0101 << team)) != 0


cdef void eliminate(Board* board, int seat, int reason) noexcept nogil:
    """Put a seat out and remove its pieces."""
    cdef State* state = &board.state
    cdef uint32_t army = state.alive[seat]
    cdef int piece
    while army:
        piece = 1 + seat * 32 + lowest(army)
        army &= army - 1
        board.piece_at[board.place[piece]] = 0
        put_away(board, piece)
    state.living &= ~(1 << seat)
    state.last_reason[team_of(seat)] = reason
    sanqi_check(state.fallen_count < SEATS, b"a move fells SEATS seats at most")
    state.fallen[state.fallen_count] = seat
    state.fallen_reason[state.fallen_count] = reason
    state.fallen_count += 1


cdef void give_turn(Board* board, int seat) noexcept nogil:
    """Set the seat on turn."""
    board.state.key ^= SEAT_KEY[board.state.turn] ^ SEAT_KEY[seat]
    board.state.turn = seat


cdef void pass_turn(Board* board) noexcept nogil:
    """Give the turn to the next living seat."""
    cdef int seats = board.geometry.seats, next = board.state.turn, _i
    for _i in range(seats):
        next = (next + 1) % seats
        if (board.state.living >> next) & 1:
            break
    give_turn(board, next)


cdef void judge(Board* board, int mover, bint quiet_ply) noexcept nogil:
    """After a move: put out seats without a move, check for the end of the game, pass the turn."""
    cdef State* state = &board.state
    cdef int seats = board.geometry.seats, i, seat
    if team_lives(board, 0) and team_lives(board, 1):
        for i in range(seats):
            seat = (mover + i) % seats
            if (state.living >> seat) & 1 and not can_move(board, seat):
                eliminate(board, seat, BY_NO_MOVE)
    state.quiet = state.quiet + 1 if quiet_ply else 0
    conclude(board, mover, board.quiet_limit > 0 and state.quiet >= board.quiet_limit)


cdef void conclude(Board* board, int mover, bint too_quiet) noexcept nogil:
    """Count the ply, check for the end of the game, pass the turn. Deaths count before quiet plies, these before the
    limit of plies."""
    cdef State* state = &board.state
    state.ply += 1
    if not team_lives(board, 0) or not team_lives(board, 1):
        if team_lives(board, 0):
            state.verdict = TEAM_0_WON
            state.reason = state.last_reason[1]
        elif team_lives(board, 1):
            state.verdict = TEAM_1_WON
            state.reason = state.last_reason[0]
        else:
            state.verdict = NOBODY_WON
            state.reason = BY_NO_MOVE
    elif too_quiet:
        state.reason = BY_QUIET
        state.verdict = NOBODY_WON
        if board.quiet_loses:
            state.verdict = TEAM_1_WON if team_of(mover) == 0 else TEAM_0_WON
    elif board.ply_limit > 0 and state.ply >= board.ply_limit:
        state.verdict = NOBODY_WON
        state.reason = BY_PLIES
    pass_turn(board)
