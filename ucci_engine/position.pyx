"""Xiangqi: the position, its moves and its rules, as a Game of the search core.

Legality costs almost nothing: each position examines its own king once, on the
first make() from it, and notes which pieces must not leave (`king_blockers`) and which
points must stay empty (`screen_points`). While the king is not in check, any other
move is legal without a look; the few others are tried out.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from search_core.check cimport sanqi_check
from search_core.game cimport (
    DRAWN, EVASION, MAX_PLY, NOISY, NULL_FREE, NULL_NEVER, NULL_VERIFIED, ONGOING, QUIET, RULED_LOST,
    RULED_WON,
    Game, Move,
)
from ucci_engine.board cimport (
    ADVISOR_STEPS, ADVISORS, BLACK, CANNONS, ELEPHANT_STEPS, ELEPHANTS, FILE_NEIGHBOURS, FILE_OF, HORSE_LEG,
    HORSE_STEPS, HORSES, KIND, KING, KING_STEPS, NOWHERE, PAWN_STEPS, PAWNS, RANK_NEIGHBOURS, RANK_OF, RAY, RAYS,
    RED, ROOKS, SQUARES,
    Board, LineNeighbours, Steps,
)
from ucci_engine.evaluation cimport PIECE_SQUARE
from ucci_engine.evaluation cimport evaluate as evaluate_board

from search_core.line_protocol import excerpt
from ucci_engine.points import START_FEN, move_text

cdef enum:
    # Plies without a capture that draw the game.
    QUIET_LIMIT = 120
    # No FEN has more pseudo-legal moves than 116 (rooks and cannons 17 each, horses 8, pawns 3, elephants 4,
    # the king 4, advisors 5 together); generate() writes up to RAY numbers beyond those that count.
    MAX_MOVES = 128
    ALL_SLOTS = 0xFFFF
    HISTORY_SLOTS = 14 * SQUARES

# The key and the value of a piece on a square share a cache line: make() needs both.
cdef struct Place:
    uint64_t key
    int32_t psq
    int32_t phase

cdef Place PLACE[14][SQUARES]
cdef const Place* PLACES[48]  # slot -> the row of its kind
cdef uint64_t SIDE_KEY

# The bits of a square in rank_occ and file_occ, as the six words that those lie in.
cdef enum:
    LINE_WORDS = 6
cdef uint64_t LINES[SQUARES][LINE_WORDS]
cdef uint64_t NO_LINES[LINE_WORDS]
# Exchange values in centipawns, by kind.
cdef int VALUE[14]


cdef uint64_t splitmix(uint64_t* state) noexcept:
    # S. Vigna's splitmix64, for reproducible keys.
    cdef uint64_t z
    state[0] += <uint64_t> 0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline void flip(Board* board, int square) noexcept nogil:
    board.rank_occ[RANK_OF[square]] ^= 1 << FILE_OF[square]
    board.file_occ[FILE_OF[square]] ^= 1 << RANK_OF[square]


cdef void fill_places() noexcept:
    global SIDE_KEY
    cdef uint64_t state = 20120331
    cdef uint64_t keys[14][90]
    cdef Board board
    cdef int kind, square, slot
    cdef int values[7]
    cdef int phases[7]
    values[:] = [10000, 200, 200, 450, 950, 460, 100]
    phases[:] = [0, 0, 0, 3, 6, 3, 0]
    for kind in range(14):
        VALUE[kind] = values[kind % 7]
        for square in range(SQUARES):
            keys[kind][square] = splitmix(&state)
    SIDE_KEY = splitmix(&state)
    for kind in range(14):
        for square in range(SQUARES):
            PLACE[kind][square].key = keys[kind][square]
            PLACE[kind][square].psq = PIECE_SQUARE[kind][square]
            PLACE[kind][square].phase = phases[kind % 7]
    for slot in range(RED, 48):
        PLACES[slot] = PLACE[<int> KIND[slot]]
    for square in range(SQUARES):
        memset(&board, 0, sizeof(Board))
        flip(&board, square)
        memcpy(LINES[square], board.rank_occ, sizeof(LINES[square]))


fill_places()

LETTERS = "KAEHRCPkaehrcp"
STANDARD = "KABNRCPkabnrcp"
COUNTS = (1, 2, 2, 2, 2, 2, 5)
OFFSETS = (KING, ADVISORS, ELEPHANTS, HORSES, ROOKS, CANNONS, PAWNS)
NAMES = ("king", "advisor", "elephant", "horse", "rook", "cannon", "pawn")


class FenError(ValueError):
    """A FEN that describes no Xiangqi position; the message names the bad part."""


class IllegalMove(ValueError):
    """A move that the rules forbid in the position; the position is unchanged."""


def allowed_square(kind: int, square: int) -> bool:
    """Whether a piece of `kind` (0 .. 13) can ever stand on `square` (0 .. 89)."""
    if kind >= 7:
        square = 89 - square
    rank, file = divmod(square, 9)
    role = kind % 7
    if role == 0:
        return rank <= 2 and 3 <= file <= 5
    if role == 1:
        return rank <= 2 and 3 <= file <= 5 and (rank + file) % 2 == 1
    if role == 2:
        return square in (2, 6, 18, 22, 26, 38, 42)
    if role == 6:
        return rank >= 5 or (rank >= 3 and file % 2 == 0)
    return True


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


cdef bint attacked(const Board* board, int side) noexcept nogil:
    """Whether the king of `side` is attacked, the facing king counting as an attacker."""
    cdef int own = RED << side, enemy = BLACK >> side
    cdef int king = board.square[own + KING], file = FILE_OF[king], base = king - file
    cdef int piece, square, forward
    cdef const LineNeighbours* line = along_file(board, king)
    piece = board.at[line.low * 9 + file]
    if is_rook(piece, enemy) or piece == enemy + KING:
        return True
    piece = board.at[line.high * 9 + file]
    if is_rook(piece, enemy) or piece == enemy + KING:
        return True
    if (
        is_cannon(board.at[line.low_next * 9 + file], enemy)
        or is_cannon(board.at[line.high_next * 9 + file], enemy)
    ):
        return True
    line = along_rank(board, king)
    if is_rook(board.at[base + line.low], enemy) or is_rook(board.at[base + line.high], enemy):
        return True
    if is_cannon(board.at[base + line.low_next], enemy) or is_cannon(board.at[base + line.high_next], enemy):
        return True
    square = board.square[enemy + HORSES]
    if square != NOWHERE and HORSE_LEG[square][king] != NOWHERE and board.at[HORSE_LEG[square][king]] == 0:
        return True
    square = board.square[enemy + HORSES + 1]
    if square != NOWHERE and HORSE_LEG[square][king] != NOWHERE and board.at[HORSE_LEG[square][king]] == 0:
        return True
    forward = -9 if side else 9
    return (
        is_pawn(board.at[king + forward], enemy)
        or is_pawn(board.at[king - 1], enemy) or is_pawn(board.at[king + 1], enemy)
    )


cdef inline void hold(State* state, int piece, int own) noexcept nogil:
    # Another's piece is not ours to move.
    if piece & own:
        state.king_blockers |= 1 << (piece & 15)


cdef inline void bind(State* state, int king, int first, int second, int third, int step) noexcept nogil:
    # One ray from a king that is not in check, with the first three pieces on it; the king's own square stands for
    # each that there is not.
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
        hold(state, board.at[first], own)
    if is_cannon(board.at[third], enemy):  # behind two screens: neither may leave
        hold(state, board.at[first], own)
        hold(state, board.at[second], own)


cdef inline void copy_flipped(char* to, const char* source, const uint64_t* lines, const uint64_t* more) noexcept nogil:
    # Sixteen bytes, read before any is written: the compiler makes one vector of them.
    cdef uint64_t low, high
    memcpy(&low, source, sizeof(low))
    memcpy(&high, source + sizeof(low), sizeof(high))
    low ^= lines[0] ^ more[0]
    high ^= lines[1] ^ more[1]
    memcpy(to, &low, sizeof(low))
    memcpy(to + sizeof(low), &high, sizeof(high))


cdef inline void copy_board(
    Board* board, const Board* source, const uint64_t* lines, const uint64_t* more
) noexcept nogil:
    # In two parts, the occupancies with the bits of two squares flipped on the way.
    cdef size_t start = <size_t> (<char*> &source.square[RED] - <char*> source)
    cdef size_t occupancies = <size_t> (<char*> source.rank_occ - <char*> source)
    cdef int i
    memcpy(<char*> board + start, <char*> source + start, occupancies - start)
    for i in range(0, LINE_WORDS, 2):
        copy_flipped(
            <char*> board + occupancies + i * sizeof(uint64_t), <char*> source + occupancies + i * sizeof(uint64_t),
            lines + i, more + i,
        )


cdef inline void play(Position self, const State* state, Move move) noexcept nogil:
    cdef State* after = <State*> state + 1
    cdef Board* board = &after.board
    cdef size_t origin = move & 127, target = move >> 7, piece = state.board.at[origin], victim = state.board.at[target]
    cdef const Place* places
    cdef uint64_t key = SIDE_KEY
    cdef int32_t psq = state.board.psq
    sanqi_check(self.length + 1 < self.capacity, b"make() needs room in the stack of states")
    sanqi_check(origin < SQUARES and target < SQUARES and piece != 0, b"make() plays pseudo-legal moves")
    if victim:
        copy_board(board, &state.board, LINES[origin], NO_LINES)
        places = PLACES[victim]
        key ^= places[target].key
        psq -= places[target].psq
        board.phase = state.board.phase - places[target].phase
        board.square[victim] = NOWHERE
        after.halfmove_clock = 0
    else:
        copy_board(board, &state.board, LINES[origin], LINES[target])
        after.halfmove_clock = state.halfmove_clock + 1
    after.guarded = ALL_SLOTS
    after.known = NOTHING_KNOWN
    after.in_check = False
    board.at[origin] = 0
    board.at[target] = piece
    board.square[piece] = target
    places = PLACES[piece]
    board.psq = psq + places[target].psq - places[origin].psq
    board.side = state.board.side ^ 1
    self.side = board.side
    self.key = self.keys[self.length] ^ key ^ places[origin].key ^ places[target].key
    self.length += 1
    self.keys[self.length] = self.key


cdef inline Move* add_steps(
    Move* out, const Board* board, const Steps* steps, int origin, uint64_t wanted
) noexcept nogil:
    # Each move is written, and kept by moving on: whether it counts is hard to foresee for a branch.
    cdef int i
    for i in range(steps.count):
        out[0] = origin | steps.hops[i].to << 7
        out += wanted >> board.at[steps.hops[i].to] & 1
    return out


cdef inline Move* add_hops(
    Move* out, const Board* board, const Steps* steps, int origin, uint64_t wanted
) noexcept nogil:
    cdef int i
    for i in range(steps.count):
        out[0] = origin | steps.hops[i].to << 7
        out += (wanted >> board.at[steps.hops[i].to] & 1) & (board.at[steps.hops[i].block] == 0)
    return out


cdef inline Move* add_slides(
    Move* out, const Board* board, int origin, bint over_screen, uint64_t wanted
) noexcept nogil:
    cdef int file = FILE_OF[origin], base = origin - file
    cdef const LineNeighbours* upright = along_file(board, origin)
    cdef const LineNeighbours* level = along_rank(board, origin)
    cdef uint64_t enemies = wanted & ~<uint64_t> 1
    cdef int target
    if enemies:
        target = (upright.low_next if over_screen else upright.low) * 9 + file
        out[0] = origin | target << 7
        out += enemies >> board.at[target] & 1
        target = (upright.high_next if over_screen else upright.high) * 9 + file
        out[0] = origin | target << 7
        out += enemies >> board.at[target] & 1
        target = (level.low_next if over_screen else level.low) + base
        out[0] = origin | target << 7
        out += enemies >> board.at[target] & 1
        target = (level.high_next if over_screen else level.high) + base
        out[0] = origin | target << 7
        out += enemies >> board.at[target] & 1
    if wanted & 1:
        # Whole rays are copied, and what is beyond the nearest piece is written over.
        memcpy(out, RAYS[origin][0], RAY * sizeof(Move))
        out += upright.empty - upright.low_empty
        memcpy(out, RAYS[origin][1], RAY * sizeof(Move))
        out += upright.low_empty
        memcpy(out, RAYS[origin][2], (RAY - 1) * sizeof(Move))
        out += level.empty - level.low_empty
        memcpy(out, RAYS[origin][3], (RAY - 1) * sizeof(Move))
        out += level.low_empty
    return out


cdef inline bint along_line(
    const Board* board, int own, int piece, int target, int near, int far
) noexcept nogil:
    # Whether the nearest piece or the one behind it attacks a king, once `piece` stands on `target`.
    cdef int first = piece if near == target else board.at[near]
    cdef int second = piece if far == target else board.at[far]
    return is_rook(first, own) or first == own + KING or is_cannon(second, own)


cdef int find_answers(const Board* board, int side, uint64_t* answers, int* screen) noexcept nogil:
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


cdef int cheapest_attacker(
    const Board* board, int target, int side, const uint64_t* gone, int file_occ, int rank_occ
) noexcept nogil:
    """Slot of the least valuable piece of `side` that can take on `target`, 0 if none can."""
    cdef int own = RED << side, slot, square, leg, i, file = FILE_OF[target], base = target - file
    cdef int backward = -9 if side == 0 else 9
    cdef int cannon = 0, rook = 0, king = 0
    cdef int near[4]
    cdef int far[4]
    cdef const LineNeighbours* line
    cdef const Steps* steps
    # pawns: from behind, and from beside once across the river
    square = target + backward
    if 0 <= square < SQUARES and is_pawn(board.at[square], own) and not marked(gone, square):
        return board.at[square]
    if (RANK_OF[target] >= 5) if side == 0 else (RANK_OF[target] <= 4):
        if file > 0 and is_pawn(board.at[target - 1], own) and not marked(gone, target - 1):
            return board.at[target - 1]
        if file < 8 and is_pawn(board.at[target + 1], own) and not marked(gone, target + 1):
            return board.at[target + 1]
    steps = &ADVISOR_STEPS[target]
    for i in range(steps.count):
        square = steps.hops[i].to
        if <unsigned int> (board.at[square] - own - ADVISORS) <= 1 and not marked(gone, square):
            return board.at[square]
    steps = &ELEPHANT_STEPS[target]
    for i in range(steps.count):
        square = steps.hops[i].to
        if <unsigned int> (board.at[square] - own - ELEPHANTS) <= 1 and not marked(gone, square):
            leg = steps.hops[i].block
            if board.at[leg] == 0 or marked(gone, leg):
                return board.at[square]
    for slot in range(own + HORSES, own + ROOKS):
        square = board.square[slot]
        if square == NOWHERE or marked(gone, square):
            continue
        leg = HORSE_LEG[square][target]
        if leg != NOWHERE and (board.at[leg] == 0 or marked(gone, leg)):
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
    for i in range(4):
        if far[i] != target and is_cannon(board.at[far[i]], own):
            cannon = board.at[far[i]]
        if near[i] != target:
            if is_rook(board.at[near[i]], own):
                rook = board.at[near[i]]
            elif board.at[near[i]] == own + KING:
                king = own + KING
    if cannon:
        return cannon
    if rook:
        return rook
    if king:
        steps = &KING_STEPS[board.square[king]]
        for i in range(steps.count):
            if steps.hops[i].to == target:
                return king
    return 0


cdef uint64_t perft_made(Game game, int depth) noexcept nogil:
    # Of any Game: it goes the way that the search goes.
    cdef Move moves[MAX_MOVES]
    cdef int i, count = game.generate(EVASION, moves)
    cdef uint64_t leaves = 0
    for i in range(count):
        if game.make(moves[i]):
            leaves += 1 if depth == 1 else perft_made(game, depth - 1)
            game.unmake()
    return leaves


cdef class Position(Game):
    """A Xiangqi position with the moves that led to it.

    Squares are ``rank * 9 + file`` from Red's left corner; a move is
    ``origin | target << 7``.

    Raises FenError for a FEN that is none.
    """

    def __cinit__(self, str fen not None=START_FEN):
        self.max_moves = MAX_MOVES
        self.history_slots = HISTORY_SLOTS
        self.stalemate_is_loss = True
        self.reserve()
        self.set_up(fen)

    def __dealloc__(self):
        free(self.states)
        free(self.keys)

    cdef void reserve(self) except *:
        # Room for the deepest search beyond the moves played, so that make() never allocates.
        cdef int wanted = self.length + 2 * MAX_PLY
        cdef State* states
        cdef uint64_t* keys
        if wanted < self.capacity:
            return
        wanted *= 2
        states = <State*> realloc(self.states, wanted * sizeof(State))
        if states != NULL:
            self.states = states
        keys = <uint64_t*> realloc(self.keys, wanted * sizeof(uint64_t))
        if keys != NULL:
            self.keys = keys
        if states == NULL or keys == NULL:
            raise MemoryError("no memory for the game's moves")
        self.capacity = wanted

    # ---------------------------------------------------------------- FEN

    cdef void set_up(self, str fen) except *:
        cdef State* state = &self.states[0]
        cdef Board* board = &state.board
        cdef int square, kind, slot
        cdef int used[14]
        memset(used, 0, sizeof(used))
        memset(state, 0, sizeof(State))
        fields = fen.split()
        if not fields:
            raise FenError("empty FEN")
        rows = fields[0].split("/")
        if len(rows) != 10:
            raise FenError(f"FEN has {len(rows)} ranks instead of 10: {excerpt(fields[0])}")
        for index, row in enumerate(rows):
            file = 0
            for letter in row:
                if letter in "123456789":
                    file += int(letter)
                    continue
                kind = LETTERS.find({"b": "e", "B": "E", "n": "h", "N": "H"}.get(letter, letter))
                if kind < 0:
                    raise FenError(f"FEN has an unknown piece {excerpt(letter)} in {excerpt(row)}")
                square = (9 - index) * 9 + file
                if file > 8:
                    raise FenError(f"FEN rank {excerpt(row)} is longer than 9 files")
                name = f"{'Red' if kind < 7 else 'Black'} {NAMES[kind % 7]}"
                if used[kind] == COUNTS[kind % 7]:
                    raise FenError(f"FEN has more than {COUNTS[kind % 7]} of {name} '{letter}'")
                if not allowed_square(kind, square):
                    raise FenError(f"FEN has a {name} where none can stand: '{letter}' in {excerpt(row)}")
                slot = (RED if kind < 7 else BLACK) + OFFSETS[kind % 7] + used[kind]
                used[kind] += 1
                board.at[square] = slot
                file += 1
            if file != 9:
                raise FenError(f"FEN rank {excerpt(row)} has {file} files instead of 9")
        for kind in (0, 7):
            if used[kind] == 0:
                raise FenError(f"FEN has no {'Red' if kind == 0 else 'Black'} king")
        turn = fields[1] if len(fields) > 1 else "w"
        if turn not in ("w", "r", "b", "W", "R", "B"):
            raise FenError(f"FEN has an unknown side to move {excerpt(turn)}, expected w or b")
        for field in fields[2:4]:
            if not all(letter in "-0123456789KQkq" for letter in field):
                raise FenError(f"FEN has {excerpt(field)} where - or a counter is expected")
        if len(fields) > 6:
            raise FenError(f"FEN has {excerpt(fields[6])} behind its counters, expected its end")
        counters = []
        for field in fields[4:6]:
            if field.isdigit() and field.isascii() and len(field) <= 6:
                counters.append(int(field))
            elif field == "-":
                counters.append(0)
            else:
                raise FenError(f"FEN has a bad counter {excerpt(field)}")
        memset(board.square, NOWHERE, sizeof(board.square))
        self.side = board.side = turn in "bB"
        self.key = SIDE_KEY if self.side else 0
        board.attack_percent = 100
        for square in range(SQUARES):
            slot = board.at[square]
            if slot:
                kind = KIND[slot]
                board.square[slot] = square
                flip(board, square)
                board.psq += PLACE[kind][square].psq
                board.phase += PLACE[kind][square].phase
                self.key ^= PLACE[kind][square].key
        self.keys[0] = self.key
        state.guarded = ALL_SLOTS
        if attacked(board, 1 - self.side):
            raise FenError(f"FEN has the side not to move in check (side to move '{turn}')")
        state.halfmove_clock = min(counters[0], QUIET_LIMIT) if counters else 0
        self.first_ply = 2 * (max(counters[1], 1) - 1 if len(counters) > 1 else 0) + self.side

    def fen(self) -> str:
        """The position in the standard spelling, counters included."""
        rows = []
        for rank in range(9, -1, -1):
            row = ""
            empty = 0
            for file in range(9):
                piece = self.piece_at(rank * 9 + file)
                if piece:
                    row += (str(empty) if empty else "") + piece
                    empty = 0
                else:
                    empty += 1
            rows.append(row + (str(empty) if empty else ""))
        full_move = (self.first_ply + self.length) // 2 + 1
        return f"{'/'.join(rows)} {'wb'[self.side]} - - {self.states[self.length].halfmove_clock} {full_move}"

    # ---------------------------------------------------------------- for Python

    def piece_at(self, int square) -> str:
        """The FEN letter of the piece on a square, '' if empty."""
        if not 0 <= square < SQUARES:
            raise ValueError(f"no such square: {square}")
        slot = self.states[self.length].board.at[square]
        return STANDARD[KIND[slot]] if slot else ""

    def legal_moves(self) -> list[int]:
        """All legal moves."""
        cdef Move moves[MAX_MOVES]
        cdef int i, count = self.generate(EVASION, moves)
        legal = []
        for i in range(count):
            if self.make(moves[i]):
                self.unmake()
                legal.append(moves[i])
        return legal

    def is_legal(self, move: int) -> bool:
        """Whether `move` may be played; any integer may be asked."""
        cdef Move wanted
        if not 0 < move < 1 << 20:
            return False
        wanted = move
        if not self.pseudo_legal(wanted) or not self.make(wanted):
            return False
        self.unmake()
        return True

    def push(self, move: int) -> None:
        """Play a move. Raises IllegalMove and changes nothing if the rules forbid it."""
        if not self.is_legal(move):
            raise IllegalMove(f"illegal move {move_text(move) if 0 < move < 1 << 14 else move} in {self.fen()}")
        self.reserve()
        self.in_check()  # repetition() asks later
        self.make(move)

    def pop(self) -> None:
        """Take back the last push()."""
        if self.length == 0:
            raise IndexError("no move to take back")
        self.unmake()

    @property
    def checked(self) -> bool:
        """Whether the side to move is in check."""
        return self.in_check()

    @property
    def plies(self) -> int:
        """Moves played since the FEN."""
        return self.length

    @property
    def attack_percent(self) -> int:
        """Weight of the king attack in the evaluation, 100 = as tuned."""
        return self.states[self.length].board.attack_percent

    @attack_percent.setter
    def attack_percent(self, value: int) -> None:
        for i in range(self.length + 1):
            self.states[i].board.attack_percent = value

    def evaluate_cp(self) -> int:
        """Static evaluation in centipawns for the side to move."""
        return self.evaluate()

    def result(self) -> str:
        """How the game stands: 'ongoing', 'mate', 'stalemate' (the side to move has lost), 'perpetual-win',
        'perpetual-loss' (for the side to move), 'repetition' or 'no-capture' (draws)."""
        if not self.has_legal_move():
            return "mate" if self.in_check() else "stalemate"
        repeated = self.repetition(0)
        if repeated == RULED_WON:
            return "perpetual-win"
        if repeated == RULED_LOST:
            return "perpetual-loss"
        if repeated == DRAWN:
            return "repetition"
        return "no-capture" if self.states[self.length].halfmove_clock >= QUIET_LIMIT else "ongoing"

    def perft(self, int depth, bint counted_leaves=True) -> int:
        """Leaves of the full tree of legal moves, `depth` plies deep, without the GIL.

        With `counted_leaves` the last ply is counted without being made.
        """
        cdef uint64_t leaves
        if depth <= 0:
            return 1
        with nogil:
            leaves = self.perft_counted(depth) if counted_leaves else perft_made(self, depth)
        return leaves

    def divide(self, int depth) -> dict[int, int]:
        """perft(depth - 1) behind each legal move."""
        counts = {}
        for move in self.legal_moves():
            self.push(move)
            counts[move] = self.perft(depth - 1)
            self.pop()
        return counts

    cpdef Game copy(self):
        cdef Position twin = Position()
        twin.length = self.length
        twin.reserve()
        memcpy(twin.states, self.states, (self.length + 1) * sizeof(State))
        memcpy(twin.keys, self.keys, (self.length + 1) * sizeof(uint64_t))
        twin.first_ply = self.first_ply
        twin.key = self.key
        twin.side = self.side
        return twin

    # ---------------------------------------------------------------- check and legality

    cdef void update_check_info(self) noexcept nogil:
        """Find out, once a position, what must stay where it is for the king's sake."""
        cdef State* state = &self.states[self.length]
        cdef const Board* board = &state.board
        cdef int own = RED << self.side, enemy = BLACK >> self.side
        cdef int king, file, base, square, leg, i
        cdef const LineNeighbours* line
        if state.known == BOUNDS_KNOWN:
            return
        if state.known == NOTHING_KNOWN:
            state.in_check = attacked(board, self.side)
        state.known = BOUNDS_KNOWN
        if state.in_check:
            return  # every move is tried out
        king = board.square[own + KING]
        file = FILE_OF[king]
        base = king - file
        state.king_blockers = 1 << KING
        state.screen_points[0] = state.screen_points[1] = 0
        line = along_file(board, king)
        bind(state, king, line.low * 9 + file, line.low_next * 9 + file, line.low_third * 9 + file, -9)
        bind(state, king, line.high * 9 + file, line.high_next * 9 + file, line.high_third * 9 + file, 9)
        line = along_rank(board, king)
        bind(state, king, base + line.low, base + line.low_next, base + line.low_third, -1)
        bind(state, king, base + line.high, base + line.high_next, base + line.high_third, 1)
        for i in range(2):
            square = board.square[enemy + HORSES + i]
            if square != NOWHERE:
                leg = HORSE_LEG[square][king]
                if leg != NOWHERE:
                    hold(state, board.at[leg], own)
        # A point that must stay empty may be entered by any piece.
        state.guarded = ALL_SLOTS if state.screen_points[0] | state.screen_points[1] else state.king_blockers

    cdef bint survives(self, int origin, int target) noexcept nogil:
        """Whether the mover's king is safe after a move, found by trying it out."""
        cdef Board* board = &self.states[self.length].board
        cdef int piece = board.at[origin], victim = board.at[target]
        cdef bint safe
        board.at[origin] = 0
        board.at[target] = piece
        board.square[piece] = target
        flip(board, origin)
        if victim:
            board.square[victim] = NOWHERE
        else:
            flip(board, target)
        safe = not attacked(board, self.side)
        board.at[origin] = piece
        board.at[target] = victim
        board.square[piece] = origin
        flip(board, origin)
        if victim:
            board.square[victim] = target
        else:
            flip(board, target)
        return safe

    cdef bint make(self, Move move) noexcept nogil:
        cdef State* state = &self.states[self.length]
        if state.guarded >> (state.board.at[move & 127] & 15) & 1:
            return self.make_guarded(move)
        play(self, state, move)
        return True

    cdef bint make_guarded(self, Move move) noexcept nogil:
        """make() of a move that may be illegal."""
        cdef State* state = &self.states[self.length]
        cdef int side = self.side
        self.update_check_info()
        play(self, state, move)
        if (
            (state.in_check or state.king_blockers >> (state[1].board.at[move >> 7] & 15) & 1
             or marked(state.screen_points, move >> 7))
            and attacked(&state[1].board, side)
        ):
            self.unmake()
            return False
        return True

    cdef void unmake(self) noexcept nogil:
        sanqi_check(self.length > 0, b"unmake() follows a make()")
        self.length -= 1
        self.side = self.states[self.length].board.side
        self.key = self.keys[self.length]

    cdef void make_null(self) noexcept nogil:
        cdef State* state = &self.states[self.length]
        cdef State* after = state + 1
        sanqi_check(self.length + 1 < self.capacity, b"make_null() needs room in the stack of states")
        memcpy(&after.board, &state.board, sizeof(Board))
        after.known = NOTHING_KNOWN
        after.guarded = ALL_SLOTS
        after.halfmove_clock = 0  # no repetition reaches back over a pass
        self.length += 1
        self.key ^= SIDE_KEY
        self.keys[self.length] = self.key
        self.side ^= 1
        after.board.side = self.side

    cdef void unmake_null(self) noexcept nogil:
        self.unmake()

    cdef int null_move(self) noexcept nogil:
        cdef int own = RED << self.side, slot, attackers = 0
        for slot in range(own + HORSES, own + PAWNS):
            attackers += self.states[self.length].board.square[slot] != NOWHERE
        if attackers >= 2:
            return NULL_FREE
        return NULL_VERIFIED if attackers else NULL_NEVER

    cdef bint in_check(self) noexcept nogil:
        cdef State* state = &self.states[self.length]
        if state.known == NOTHING_KNOWN:
            state.in_check = attacked(&state.board, self.side)
            state.known = CHECK_KNOWN
        return state.in_check

    # ---------------------------------------------------------------- moves

    cdef int generate(self, int stage, Move* moves) noexcept nogil:
        cdef const Board* board = &self.states[self.length].board
        cdef int own = RED << self.side, enemy = BLACK >> self.side
        # Bit = what may stand on the target: enemies, or slot 0, nothing.
        cdef uint64_t wanted = (<uint64_t> ALL_SLOTS << enemy if stage != QUIET else 0) | (stage != NOISY)
        cdef int slot, origin
        cdef Move* out = moves
        out = add_steps(out, board, &KING_STEPS[board.square[own + KING]], board.square[own + KING], wanted)
        for slot in range(own + ADVISORS, own + ELEPHANTS):
            origin = board.square[slot]
            if origin != NOWHERE:
                out = add_steps(out, board, &ADVISOR_STEPS[origin], origin, wanted)
        for slot in range(own + ELEPHANTS, own + HORSES):
            origin = board.square[slot]
            if origin != NOWHERE:
                out = add_hops(out, board, &ELEPHANT_STEPS[origin], origin, wanted)
        for slot in range(own + HORSES, own + ROOKS):
            origin = board.square[slot]
            if origin != NOWHERE:
                out = add_hops(out, board, &HORSE_STEPS[origin], origin, wanted)
        for slot in range(own + ROOKS, own + CANNONS):
            origin = board.square[slot]
            if origin != NOWHERE:
                out = add_slides(out, board, origin, False, wanted)
        for slot in range(own + CANNONS, own + PAWNS):
            origin = board.square[slot]
            if origin != NOWHERE:
                out = add_slides(out, board, origin, True, wanted)
        for slot in range(own + PAWNS, own + 16):
            origin = board.square[slot]
            if origin != NOWHERE:
                out = add_steps(out, board, &PAWN_STEPS[self.side][origin], origin, wanted)
        sanqi_check(out - moves <= MAX_MOVES - RAY, b"generate() writes MAX_MOVES at most, RAY of them beyond its list")
        if stage == EVASION and self.in_check():
            return self.filter_evasions(moves, <int> (out - moves))
        return <int> (out - moves)

    cdef int filter_evasions(self, Move* moves, int count) noexcept nogil:
        """Keep of `moves` what can answer a single check: king moves, captures of the checking
        piece, points between, a horse's leg, and moves of the screen before a cannon."""
        cdef uint64_t answers[2]
        cdef const Board* board = &self.states[self.length].board
        cdef int king = board.square[(RED << self.side) + KING]
        cdef int screen = NOWHERE, i, kept = 0, origin
        answers[0] = answers[1] = 0
        if find_answers(board, self.side, answers, &screen) != 1:
            return count
        for i in range(count):
            origin = moves[i] & 127
            if marked(answers, moves[i] >> 7) or origin == king or origin == screen:
                moves[kept] = moves[i]
                kept += 1
        return kept

    cdef void order(self, int stage, const Move* moves, int count, int32_t* scores, int32_t* slots) noexcept nogil:
        cdef const Board* board = &self.states[self.length].board
        cdef int i, origin, target, kind, victim
        for i in range(count):
            origin = moves[i] & 127
            target = moves[i] >> 7
            kind = KIND[board.at[origin]]
            slots[i] = kind * SQUARES + target
            victim = board.at[target]
            # Most valuable victim first, least valuable attacker among equals.
            scores[i] = 16 * VALUE[KIND[victim]] - VALUE[kind] if victim else 0
            if stage == EVASION and victim:
                scores[i] += 1 << 20

    cdef bint pseudo_legal(self, Move move) noexcept nogil:
        cdef const Board* board = &self.states[self.length].board
        cdef int own = RED << self.side, origin = move & 127, target = move >> 7
        cdef int offset, i
        cdef const LineNeighbours* line
        cdef const Steps* steps
        if origin >= SQUARES or target >= SQUARES or origin == target:
            return False
        if not board.at[origin] & own or board.at[target] & own:
            return False
        offset = board.at[origin] - own
        if offset >= ROOKS and offset < PAWNS:
            if FILE_OF[origin] == FILE_OF[target]:
                line = along_file(board, origin)
                i = RANK_OF[target]
            elif RANK_OF[origin] == RANK_OF[target]:
                line = along_rank(board, origin)
                i = FILE_OF[target]
            else:
                return False
            if board.at[target]:
                if offset < CANNONS:
                    return i == line.low or i == line.high
                return i == line.low_next or i == line.high_next
            if target > origin:
                return board.at[target] == 0 and (
                    i < line.high or line.high == (
                        RANK_OF[origin] if FILE_OF[origin] == FILE_OF[target] else FILE_OF[origin]
                    )
                )
            return i > line.low or line.low == (
                RANK_OF[origin] if FILE_OF[origin] == FILE_OF[target] else FILE_OF[origin]
            )
        if offset >= HORSES and offset < ROOKS:
            return HORSE_LEG[origin][target] != NOWHERE and board.at[HORSE_LEG[origin][target]] == 0
        if offset == KING:
            steps = &KING_STEPS[origin]
        elif offset < ELEPHANTS:
            steps = &ADVISOR_STEPS[origin]
        elif offset < HORSES:
            steps = &ELEPHANT_STEPS[origin]
        else:
            steps = &PAWN_STEPS[self.side][origin]
        for i in range(steps.count):
            if steps.hops[i].to == target:
                return steps.hops[i].block == NOWHERE or board.at[steps.hops[i].block] == 0
        return False

    cdef bint noisy(self, Move move) noexcept nogil:
        return self.states[self.length].board.at[move >> 7] != 0

    cdef int gain(self, Move move) noexcept nogil:
        cdef int victim = self.states[self.length].board.at[move >> 7]
        return VALUE[KIND[victim]] if victim else 0

    cdef int history_slot(self, Move move) noexcept nogil:
        return KIND[self.states[self.length].board.at[move & 127]] * SQUARES + <int> (move >> 7)

    cdef bint gives_check(self, Move move) noexcept nogil:
        cdef const Board* board = &self.states[self.length].board
        cdef int own = RED << self.side, origin = move & 127, target = move >> 7
        cdef int piece = board.at[origin], offset = piece - own
        cdef int king = board.square[(BLACK >> self.side) + KING], file = FILE_OF[king], rank = RANK_OF[king]
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
        for i in range(HORSES, ROOKS):  # a leg set free
            square = board.square[own + i]
            if square != NOWHERE and i != offset and HORSE_LEG[square][king] == origin:
                return True
        if offset >= PAWNS:
            return target == king + (9 if self.side else -9) or target == king - 1 or target == king + 1
        if offset >= HORSES and offset < ROOKS:
            leg = HORSE_LEG[target][king]
            return leg != NOWHERE and (board.at[leg] == 0 or leg == origin)
        return False

    cdef bint see_ge(self, Move move, int threshold) noexcept nogil:
        cdef const Board* board = &self.states[self.length].board
        cdef int origin = move & 127, target = move >> 7
        cdef int victim = board.at[target], piece = board.at[origin]
        cdef int swap = (VALUE[KIND[victim]] if victim else 0) - threshold
        cdef int side = self.side, slot, result = 1
        cdef int file_occ, rank_occ
        cdef uint64_t gone[2]
        if swap < 0:
            return False
        swap = VALUE[KIND[piece]] - swap
        if swap <= 0:
            return True
        gone[0] = gone[1] = 0
        file_occ = board.file_occ[FILE_OF[target]]
        rank_occ = board.rank_occ[RANK_OF[target]]
        # `swap`: what the side to take must win back; `result`: who has the better of it if the
        # exchange stops here.
        while True:
            mark(gone, origin)
            if FILE_OF[origin] == FILE_OF[target]:
                file_occ &= ~(1 << RANK_OF[origin])
            if RANK_OF[origin] == RANK_OF[target]:
                rank_occ &= ~(1 << FILE_OF[origin])
            side ^= 1
            slot = cheapest_attacker(board, target, side, gone, file_occ, rank_occ)
            if slot == 0:
                return result
            result ^= 1
            origin = board.square[slot]
            if slot & 15 == KING:
                # A king may not take what is guarded.
                if cheapest_attacker(board, target, side ^ 1, gone, file_occ, rank_occ):
                    result ^= 1
                return result
            swap = VALUE[KIND[slot]] - swap
            if swap < result:
                return result

    cdef int evaluate(self) noexcept nogil:
        return evaluate_board(&self.states[self.length].board, self.side)

    # ---------------------------------------------------------------- end of the game

    cdef int outcome(self, int ply) noexcept nogil:
        cdef State* state = &self.states[self.length]
        cdef int repeated
        if state.halfmove_clock >= 4:
            repeated = self.repetition(ply)
            if repeated != ONGOING:
                return repeated
        if state.halfmove_clock >= QUIET_LIMIT and not (self.in_check() and not self.has_legal_move()):
            return DRAWN
        return ONGOING

    cdef int repetition(self, int ply) noexcept nogil:
        """The verdict on a repeated position, ONGOING if it is none yet.

        The third occurrence counts; below the root of a search, `ply` plies deep, the
        second if the first lies in the tree too. A side that gave check with every move
        of the cycle loses; both or neither: a draw. Rules on chasing belong here.
        """
        cdef State* state = &self.states[self.length]
        cdef const uint64_t* key = &self.keys[self.length]
        cdef int back, seen = 0, i, reach = state.halfmove_clock if state.halfmove_clock < self.length else self.length
        cdef bint mover_checks = True, other_checks = True
        back = 4
        while back <= reach:
            if (key - back)[0] == self.key:
                seen += 1
                if seen == 2 or back <= ply:
                    break
            back += 2
        else:
            return ONGOING
        self.in_check()
        # The states at even distance follow a move of the side that is not on turn now.
        i = 0
        while i < back and (mover_checks or other_checks):
            if not (state - i).in_check:
                mover_checks = False
            if not (state - i - 1).in_check:
                other_checks = False
            i += 2
        if mover_checks == other_checks:
            return DRAWN
        return RULED_WON if mover_checks else RULED_LOST

    cdef bint has_legal_move(self) noexcept nogil:
        cdef Move moves[MAX_MOVES]
        cdef int i, count = self.generate(EVASION, moves)
        for i in range(count):
            if self.make(moves[i]):
                self.unmake()
                return True
        return False

    # ---------------------------------------------------------------- perft

    cdef int legal_count(self) noexcept nogil:
        """How many legal moves there are, counted from the tables where no king is at stake."""
        cdef const Board* board = &self.states[self.length].board
        cdef State* state = &self.states[self.length]
        cdef int own = RED << self.side, enemy = BLACK >> self.side
        cdef int slot, origin, file, base, i, count = 0, total
        cdef Move moves[MAX_MOVES]
        cdef const LineNeighbours* line
        cdef const Steps* steps
        self.update_check_info()
        if state.in_check or state.screen_points[0] | state.screen_points[1]:
            total = self.generate(EVASION, moves)
            for i in range(total):
                origin = moves[i] & 127
                count += (
                    not (state.in_check or state.king_blockers >> (board.at[origin] & 15) & 1
                         or marked(state.screen_points, moves[i] >> 7))
                    or self.survives(origin, moves[i] >> 7)
                )
            return count
        for slot in range(own + KING, own + 16):
            origin = board.square[slot]
            if origin == NOWHERE:
                continue
            if slot == own + KING:
                steps = &KING_STEPS[origin]
                for i in range(steps.count):
                    if not board.at[steps.hops[i].to] & own:
                        count += self.survives(origin, steps.hops[i].to)
            elif state.king_blockers >> (slot & 15) & 1:
                total = self.generate_from(slot, moves)
                for i in range(total):
                    count += self.survives(origin, moves[i] >> 7)
            elif slot >= own + ROOKS and slot < own + PAWNS:
                file = FILE_OF[origin]
                base = origin - file
                line = along_file(board, origin)
                count += line.empty
                if slot < own + CANNONS:
                    count += (board.at[line.low * 9 + file] & enemy) != 0
                    count += (board.at[line.high * 9 + file] & enemy) != 0
                    line = along_rank(board, origin)
                    count += (board.at[base + line.low] & enemy) != 0
                    count += (board.at[base + line.high] & enemy) != 0
                else:
                    count += (board.at[line.low_next * 9 + file] & enemy) != 0
                    count += (board.at[line.high_next * 9 + file] & enemy) != 0
                    line = along_rank(board, origin)
                    count += (board.at[base + line.low_next] & enemy) != 0
                    count += (board.at[base + line.high_next] & enemy) != 0
                count += line.empty
            elif slot >= own + HORSES and slot < own + ROOKS:
                steps = &HORSE_STEPS[origin]
                for i in range(steps.count):
                    count += (board.at[steps.hops[i].block] == 0) & ((board.at[steps.hops[i].to] & own) == 0)
            elif slot >= own + ELEPHANTS and slot < own + HORSES:
                steps = &ELEPHANT_STEPS[origin]
                for i in range(steps.count):
                    count += (board.at[steps.hops[i].block] == 0) & ((board.at[steps.hops[i].to] & own) == 0)
            else:
                steps = (
                    &PAWN_STEPS[self.side][origin] if slot >= own + PAWNS else &ADVISOR_STEPS[origin]
                )
                for i in range(steps.count):
                    count += (board.at[steps.hops[i].to] & own) == 0
        return count

    cdef int generate_from(self, int slot, Move* moves) noexcept nogil:
        """The pseudo-legal moves of one piece."""
        cdef Move all_moves[MAX_MOVES]
        cdef int i, total = self.generate(EVASION, all_moves), count = 0
        cdef Move origin = self.states[self.length].board.square[slot]
        for i in range(total):
            if all_moves[i] & 127 == origin:
                moves[count] = all_moves[i]
                count += 1
        return count

    cdef uint64_t perft_counted(self, int depth) noexcept nogil:
        cdef Move moves[MAX_MOVES]
        cdef int i, count
        cdef uint64_t leaves = 0
        if depth == 1:
            return self.legal_count()
        count = self.generate(EVASION, moves)
        for i in range(count):
            if self.make(moves[i]):
                leaves += self.perft_counted(depth - 1)
                self.unmake()
        return leaves
