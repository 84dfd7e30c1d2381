"""Positions that no game leads to, such as with three rooks or a pawn on its own back rank: a slower Position, and
open_position().

Position finds a piece's kind by its slot, and a set's slots leave no room for a third rook. Its tables hold only the
points where a piece can come to stand. Here any slot but the king's may hold a piece of any kind, on any point.
Nothing is kept between moves: every move is tried out.
"""

from libc.stdint cimport int8_t, int32_t
from libc.string cimport memcpy, memset

from search_core.check cimport sanqi_check
from search_core.game cimport CHECKS, EVASION, NULL_FREE, NULL_NEVER, NULL_VERIFIED, QUIET, Game, Move
from ucci_engine.any_pieces cimport king_attacked, lift, move_piece, reaches
from ucci_engine.board cimport (
    ADVISORS, ALL_SLOTS, BLACK, CANNONS, CANNON_KIND, CHECK_KNOWN, ELEPHANTS, FILE_OF, HORSES, HORSE_KIND, KING,
    NOTHING_KNOWN, NOWHERE, PAWNS, RANK_OF, RAYS, RED, ROOKS, ROOK_KIND, SQUARES, STEPS_OF,
    Board, Dirty, State, Steps,
)
from ucci_engine.evaluation cimport PIECE_SQUARE
from ucci_engine.evaluator cimport XiangqiEvaluator
from ucci_engine.position cimport MAX_MOVES, PLACE, SIDE_KEY, VALUE, Place, Position

from ucci_engine.evaluator import Term
from ucci_engine.fen import LETTERS, parse_fen

cdef enum:
    # Board.phase of a whole set; more counts as much.
    FULL_PHASE = 48

# The first slot of each kind in a set, and the end.
cdef int FIRST[8]
FIRST[:] = [KING, ADVISORS, ELEPHANTS, HORSES, ROOKS, CANNONS, PAWNS, 16]


def open_position(str fen not None, XiangqiEvaluator evaluator=None):
    """The position of a FEN: a Position, or an ExtraPiecesPosition if it has more pieces than a set, or a piece where
    no move leads.

    Raises FenError as Position does.
    """
    if parse_fen(fen, composed=True).is_playable:
        return Position(fen, evaluator)
    return ExtraPiecesPosition(fen, evaluator)


def remark_on(Position position not None) -> str:
    """What a person should know of a position that no game leads to: its pieces on odd points; '' if there are none."""
    odd = parse_fen(position.fen(), composed=True).misplaced if isinstance(position, ExtraPiecesPosition) else []
    return f"{', '.join(odd)}: no move leads there; the position is searched all the same" if odd else ""


cdef int cheapest_taker(const int8_t* kinds, const Board* board, int target, int side) noexcept nogil:
    """The slot of the least valuable piece of `side` that can take on `target`, 0 if none can."""
    cdef int own = RED << side, slot, best = 0
    for slot in range(own, own + 16):
        if (
            board.square[slot] != NOWHERE
            and (best == 0 or VALUE[kinds[slot]] < VALUE[kinds[best]])
            and reaches(kinds, board, board.square[slot], target)
        ):
            best = slot
    return best


cdef inline Move* add(Move* out, const Board* board, int own, int stage, int origin, int target) noexcept nogil:
    """Write a move if it belongs to the stage and takes no own piece."""
    cdef int victim = board.at[target]
    if not victim & own and (stage == EVASION or (victim == 0) == (stage == QUIET)):
        out[0] = origin | target << 7
        out += 1
    return out


cdef Move* add_slides(Move* out, const Board* board, int own, int stage, int origin, bint jumps) noexcept nogil:
    """The moves of a rook, or of a cannon, which `jumps` to take."""
    cdef int direction, length, i, target
    cdef bint behind
    for direction in range(4):
        if direction == 0:
            length = 9 - RANK_OF[origin]
        elif direction == 1:
            length = RANK_OF[origin]
        elif direction == 2:
            length = 8 - FILE_OF[origin]
        else:
            length = FILE_OF[origin]
        behind = False
        for i in range(length):
            target = RAYS[origin][direction][i] >> 7
            if board.at[target] == 0:
                if not behind:
                    out = add(out, board, own, stage, origin, target)
            elif jumps and not behind:
                behind = True
            else:
                out = add(out, board, own, stage, origin, target)
                break
    return out


cdef class ExtraPiecesPosition(Position):
    """A Position with any number of pieces of each kind, at most 16 a side with the king, on any point. Slower than
    Position.

    A piece where no move leads moves as its kind does: a pawn forward, an advisor or an elephant to points that its
    kind may enter.

    The evaluator sees a set: of the surplus pieces it gets only the material and the squares.
    """

    def __cinit__(self):
        self.max_moves = MAX_MOVES
        memset(self.kinds, -1, sizeof(self.kinds))
        self.kind_of = self.kinds

    cdef object read_fen(self, str fen):
        return parse_fen(fen, composed=True)

    cdef int free_slot(self, int kind) except -1:
        cdef int slot = BLACK if kind >= 7 else RED
        if kind % 7 != 0:
            slot += 1
            while self.kinds[slot] >= 0:
                slot += 1
        self.kinds[slot] = kind
        return slot

    def piece_at(self, int square) -> str:
        """The FEN letter of the piece on a square, '' if empty."""
        if not 0 <= square < SQUARES:
            raise ValueError(f"no such square: {square}")
        slot = self.states[self.length].board.at[square]
        return LETTERS[self.kinds[slot]] if slot else ""

    cpdef Game copy(self):
        cdef ExtraPiecesPosition twin = ExtraPiecesPosition.__new__(ExtraPiecesPosition)
        self.copy_to(twin)
        memcpy(twin.kinds, self.kinds, sizeof(self.kinds))
        return twin

    cdef bint attacks_king(self, int side) noexcept nogil:
        return king_attacked(self.kinds, &self.states[self.length].board, side)

    # ---------------------------------------------------------------- moves

    cdef bint make(self, Move move) noexcept nogil:
        cdef State* state = &self.states[self.length]
        cdef State* after = state + 1
        cdef int origin = move & 127, target = move >> 7
        cdef const Place* places = PLACE[self.kinds[state.board.at[origin]]]
        cdef const Place* victim
        sanqi_check(self.length + 1 < self.capacity, b"make() needs room in the stack of states")
        sanqi_check(origin < SQUARES and target < SQUARES and state.board.at[origin] != 0,
                    b"make() plays pseudo-legal moves")
        memcpy(&after.board, &state.board, sizeof(Board))
        after.dirty = Dirty(state.board.at[origin], origin, target, state.board.at[target])
        after.known = NOTHING_KNOWN
        after.guarded = ALL_SLOTS
        after.in_check = False
        after.halfmove_clock = state.halfmove_clock + 1
        self.key ^= SIDE_KEY ^ places[origin].key ^ places[target].key
        after.board.psq += places[target].psq - places[origin].psq
        if state.board.at[target]:
            victim = &PLACE[self.kinds[state.board.at[target]]][target]
            self.key ^= victim.key
            after.board.psq -= victim.psq
            after.board.phase -= victim.phase
            after.halfmove_clock = 0
        move_piece(&after.board, origin, target)
        after.board.side = self.side ^ 1
        self.length += 1
        self.keys[self.length] = self.key
        self.side ^= 1
        if king_attacked(self.kinds, &after.board, self.side ^ 1):
            self.unmake()
            return False
        return True

    cdef bint in_check(self) noexcept nogil:
        cdef State* state = &self.states[self.length]
        if state.known == NOTHING_KNOWN:
            state.in_check = king_attacked(self.kinds, &state.board, self.side)
            state.known = CHECK_KNOWN
        return state.in_check

    cdef int generate(self, int stage, Move* moves) noexcept nogil:
        cdef const Board* board = &self.states[self.length].board
        cdef int own = RED << self.side, slot, origin, role, i
        cdef const Steps* steps
        cdef Move* out = moves
        if stage == CHECKS:
            for i in range(self.generate(QUIET, moves)):
                out[0] = moves[i]
                out += self.gives_check(moves[i])
            return <int> (out - moves)
        for slot in range(own, own + 16):
            origin = board.square[slot]
            if origin == NOWHERE:
                continue
            role = self.kinds[slot] % 7
            if role == ROOK_KIND or role == CANNON_KIND:
                out = add_slides(out, board, own, stage, origin, role == CANNON_KIND)
                continue
            steps = &STEPS_OF[self.kinds[slot]][origin]
            for i in range(steps.count):
                if steps.hops[i].block == NOWHERE or board.at[steps.hops[i].block] == 0:
                    out = add(out, board, own, stage, origin, steps.hops[i].to)
        sanqi_check(out - moves <= MAX_MOVES, b"generate() writes MAX_MOVES at most")
        return <int> (out - moves)

    cdef int count_legal(self) noexcept nogil:
        cdef Move moves[MAX_MOVES]
        cdef int i, legal = 0, count = self.generate(EVASION, moves)
        for i in range(count):
            if self.make(moves[i]):
                self.unmake()
                legal += 1
        return legal

    cdef void order(self, int stage, const Move* moves, int count, int32_t* scores, int32_t* slots) noexcept nogil:
        cdef const Board* board = &self.states[self.length].board
        cdef int i, kind, victim
        for i in range(count):
            kind = self.kinds[board.at[moves[i] & 127]]
            victim = board.at[moves[i] >> 7]
            slots[i] = kind * SQUARES + <int> (moves[i] >> 7)
            scores[i] = 16 * VALUE[self.kinds[victim]] - VALUE[kind] if victim else 0
            if stage == EVASION and victim:
                scores[i] += 1 << 20

    cdef bint pseudo_legal(self, Move move) noexcept nogil:
        cdef const Board* board = &self.states[self.length].board
        cdef int own = RED << self.side, origin = move & 127, target = move >> 7
        if origin >= SQUARES or target >= SQUARES or origin == target:
            return False
        if not board.at[origin] & own or board.at[target] & own:
            return False
        return reaches(self.kinds, board, origin, target)

    cdef int gain(self, Move move) noexcept nogil:
        cdef int victim = self.states[self.length].board.at[move >> 7]
        return VALUE[self.kinds[victim]] if victim else 0

    cdef int history_slot(self, Move move) noexcept nogil:
        return self.kinds[self.states[self.length].board.at[move & 127]] * SQUARES + <int> (move >> 7)

    cdef bint gives_check(self, Move move) noexcept nogil:
        cdef Board board = self.states[self.length].board
        move_piece(&board, move & 127, move >> 7)
        return king_attacked(self.kinds, &board, self.side ^ 1)

    cdef int null_move(self) noexcept nogil:
        cdef const Board* board = &self.states[self.length].board
        cdef int own = RED << self.side, slot, attackers = 0
        for slot in range(own, own + 16):
            if board.square[slot] != NOWHERE and HORSE_KIND <= self.kinds[slot] % 7 <= CANNON_KIND:
                attackers += 1
        if attackers >= 2:
            return NULL_FREE
        return NULL_VERIFIED if attackers else NULL_NEVER

    cdef bint see_ge(self, Move move, int threshold) noexcept nogil:
        cdef Board board = self.states[self.length].board
        cdef int origin = move & 127, target = move >> 7, side = self.side, result = 1, slot
        cdef int swap = self.gain(move) - threshold
        if swap < 0:
            return False
        swap = VALUE[self.kinds[board.at[origin]]] - swap
        if swap <= 0:
            return True
        # Something stands on the target throughout; which piece does not matter.
        move_piece(&board, origin, target)
        board.square[board.at[target]] = NOWHERE
        # As in Position: `swap` is what the side to take must win back, `result` 1 if the mover may stop here.
        while True:
            side ^= 1
            slot = cheapest_taker(self.kinds, &board, target, side)
            if slot == 0:
                return result
            result ^= 1
            if slot & 15 == KING:
                # A king may not take a guarded piece.
                if cheapest_taker(self.kinds, &board, target, side ^ 1):
                    result ^= 1
                return result
            swap = VALUE[self.kinds[slot]] - swap
            if swap < result:
                return result
            lift(&board, board.square[slot])

    # ---------------------------------------------------------------- evaluation

    cdef void show_set(self, State* state, int32_t* extra) noexcept nogil:
        """Fill a state that an evaluator understands: the slots are those of a set.

        The pieces farthest forward get them. `extra` gets the PIECE_SQUARE of the others of each side, in Red's view.
        """
        cdef const Board* board = &self.states[self.length].board
        cdef int used[2][7]
        cdef int i, square, slot, side, role
        state[0] = self.states[self.length]
        memset(&state.dirty, 0, sizeof(Dirty))
        memset(state.board.square, NOWHERE, sizeof(state.board.square))
        memset(used, 0, sizeof(used))
        extra[0] = extra[1] = 0
        for side in range(2):
            for i in range(SQUARES):
                square = i if side else (9 - RANK_OF[i]) * 9 + FILE_OF[i]
                if not board.at[square] & (RED << side):
                    continue
                role = self.kinds[board.at[square]] % 7
                slot = (RED << side) + FIRST[role]
                if used[side][role] < FIRST[role + 1] - FIRST[role]:
                    slot += used[side][role]
                    used[side][role] += 1
                    state.board.square[slot] = square
                else:
                    extra[side] += PIECE_SQUARE[self.kinds[board.at[square]]][square]
                state.board.at[square] = slot
        state.board.phase = min(state.board.phase, FULL_PHASE)

    cdef int evaluate(self) noexcept nogil:
        cdef State state
        cdef int32_t extra[2]
        self.show_set(&state, extra)
        return (<XiangqiEvaluator> self.evaluator).evaluate(&state, &self.key, 0)

    def trace(self) -> tuple:
        """(the evaluator's terms, evaluate_cp()): what the static evaluation is made of."""
        cdef State state
        cdef int32_t extra[2]
        self.show_set(&state, extra)
        terms, total = (<XiangqiEvaluator> self.evaluator).trace(&state, &self.key, 0)
        if terms:
            red, black = pair_of(extra[0]), pair_of(-extra[1])
            terms.append(Term("extra pieces", *red, *black))
        return terms, total


cdef tuple pair_of(int32_t packed):
    """The middle game's and the end game's part of a sum of PIECE_SQUARE."""
    cdef int end = (packed + 0x8000) >> 16
    return packed - (end << 16), end
