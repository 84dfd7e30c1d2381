"""Xiangqi: the position, its moves and its rules, as a Game of the search core.

Legality costs almost nothing: each position examines its own king once, on the
first make() from it, and notes which pieces must not leave (`king_blockers`) and which
points must stay empty (`screen_points`). While the king is not in check, a move that
concerns neither is legal without a test; the few others are tried out.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from search_core.check cimport sanqi_check
from search_core.game cimport (
    CHECKS, DRAWN, EVASION, MAX_PLY, NOISY, NULL_FREE, NULL_NEVER, NULL_VERIFIED, ONGOING, QUIET, RULED_LOST,
    RULED_WON, Game, Move,
)
from search_core.splitmix cimport splitmix
from ucci_engine.attacks cimport (
    along_file, along_rank, attacked, cheapest_attacker, checks_after, mark, marked, update_check_info,
)
from ucci_engine.board cimport (
    ADVISOR_STEPS, ALL_SLOTS, BLACK, CANNONS, CHECK_KNOWN, ELEPHANT_STEPS, ELEPHANTS, FILE_OF, HORSE_STEPS, HORSES,
    KIND, KING, KING_STEPS, NOTHING_KNOWN, NOWHERE, PAWN_STEPS, PAWNS, RANK_OF, RAY, RED, ROOKS, SQUARES,
    Board, Dirty, LineNeighbours, State, Steps, flip,
)
from ucci_engine.evaluation cimport PIECE_SQUARE
from ucci_engine.evaluator cimport XiangqiEvaluator
from ucci_engine.generation cimport add_moves, add_moves_of, add_quiet_checks, can_reach, filter_evasions
from ucci_engine.obscurity cimport obscurity_of
from ucci_engine.rules cimport NO_LIMIT, fits_path, has_recurred, material_draw, quiet_plies, repetition

from search_core.parts import load_part
from ucci_engine.evaluators import default_evaluator
from ucci_engine.fen import LETTERS, FenError, KingCapture, parse_fen, placement  # no-cython-lint
from ucci_engine.points import START_FEN, move_text
from ucci_engine.points import Move as NamedMove
from ucci_engine.rule_sets import COMPUTER, QUIET_LIMIT, RULE_SETS

cdef enum:
    # Where no more material is left than a rook, or two horses or cannons, a draw by material is possible.
    LITTLE_PHASE = 6
    # No FEN has more pseudo-legal moves than 116 (rooks and cannons 17 each, horses 8, pawns 3, elephants 4,
    # the king 4, advisors 5 together); generate() writes up to RAY numbers beyond those that count.
    MAX_MOVES_OF_A_SET = 128
    HISTORY_SLOTS = 14 * SQUARES
    FULL_PHASE = 48
    # The search finds few longer mates.
    NEAR_QUIET_LIMIT = 30


class IllegalMove(ValueError):
    """A move that the rules forbid in the position; the position is unchanged."""


cdef const Place* PLACES[48]  # slot -> the row of its kind in PLACE

# The bits of a square in rank_occ and file_occ, as the six 64-bit words that hold these.
cdef enum:
    LINE_WORDS = 6
cdef uint64_t LINES[SQUARES][LINE_WORDS]
cdef uint64_t NO_LINES[LINE_WORDS]


cdef void fill_places() noexcept:
    global SIDE_KEY
    cdef uint64_t state = 20120331
    cdef uint64_t keys[14][90]
    cdef Board board
    cdef int kind, square, slot
    cdef int[7] values = [10000, 200, 200, 450, 950, 460, 100]
    cdef int[7] phases = [0, 0, 0, 3, 6, 3, 0]
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
    after.dirty = Dirty(piece, origin, target, victim)
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


cdef class Position(Game):
    """A Xiangqi position with the moves that led to it.

    Squares are ``rank * 9 + file`` from Red's left corner; a move is
    ``origin | target << 7``.

    Parameters
    ----------
    fen : str
        With at most the pieces of a set; open_position() takes others too. Raises FenError if it is not valid,
        KingCapture if the side to move can take the king.
    evaluator : XiangqiEvaluator, optional
        For this position alone; its copies get copies. Default: default_evaluator().
    """

    def __cinit__(self):
        self.max_moves = MAX_MOVES_OF_A_SET
        self.history_slots = HISTORY_SLOTS
        self.stalemate_is_loss = True
        self.parameters.quiet_checks = 2
        self.parameters.nmp_verification_depth = 1
        self.evaluator_class = XiangqiEvaluator
        self.rules.quiet_limit = QUIET_LIMIT
        self.kind_of = KIND
        self.reserve()
        memset(self.states, 0, sizeof(State))

    def __init__(self, str fen not None=START_FEN, XiangqiEvaluator evaluator=None):
        self.use_evaluator(default_evaluator() if evaluator is None else evaluator)
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
        fields = self.read_fen(fen)
        memset(state, 0, sizeof(State))
        memset(board.square, NOWHERE, sizeof(board.square))
        self.side = board.side = fields.black_to_move
        self.key = SIDE_KEY if self.side else 0
        for square, kind in fields.pieces:
            slot = self.free_slot(kind)
            board.at[square] = slot
            board.square[slot] = square
            flip(board, square)
            board.psq += PLACE[kind][square].psq
            board.phase += PLACE[kind][square].phase
            self.key ^= PLACE[kind][square].key
        self.keys[0] = self.key
        state.guarded = ALL_SLOTS
        if self.attacks_king(1 - self.side):
            raise KingCapture(self.king_capture())
        state.halfmove_clock = min(fields.halfmove_clock, QUIET_LIMIT)
        self.first_ply = 2 * (fields.full_move - 1) + self.side

    cdef object read_fen(self, str fen):
        """What a FEN says. Raises FenError."""
        return parse_fen(fen)

    cdef int free_slot(self, int kind) except -1:
        """A free slot for a piece of the position that is set up."""
        cdef int slot = RED
        while KIND[slot] != kind or self.states[0].board.square[slot] != NOWHERE:
            slot += 1
        return slot

    cdef bint attacks_king(self, int side) noexcept nogil:
        """Whether the king of `side` is attacked; a facing king is an attacker too."""
        return attacked(&self.states[self.length].board, side)

    cdef Move king_capture(self) noexcept nogil:
        """A move that takes the attacked king of the side not to move."""
        cdef Move moves[MAX_MOVES]
        cdef const Board* board = &self.states[self.length].board
        cdef Move king = board.square[(BLACK >> self.side) + KING]
        cdef int i, count = self.generate(NOISY, moves)
        for i in range(count):
            if moves[i] >> 7 == king:
                return moves[i]
        return board.square[(RED << self.side) + KING] | king << 7  # along the file

    def fen(self) -> str:
        """The position in the standard spelling, counters included."""
        rows, clock = placement(self.piece_at), self.states[self.length].halfmove_clock
        return f"{rows} {'wb'[self.side]} - - {clock} {self.move_number}"

    # ---------------------------------------------------------------- for Python

    def __repr__(self) -> str:
        return f"<Xiangqi position {self.fen()}>"

    def __str__(self) -> str:
        return "\n".join(load_part("ucci_engine.display:board_lines")(self))

    def _repr_svg_(self) -> str:
        return load_part("ucci_engine.drawing:position_svg")(self)

    def named_move(self, move):
        return NamedMove(move)

    def piece_at(self, int square) -> str:
        """The FEN letter of the piece on a square, '' if empty."""
        if not 0 <= square < SQUARES:
            raise ValueError(f"no such square: {square}")
        slot = self.states[self.length].board.at[square]
        return LETTERS[KIND[slot]] if slot else ""

    def legal_moves(self) -> list[int]:
        """All legal moves."""
        cdef Move moves[MAX_MOVES]
        cdef int i, count = self.generate(EVASION, moves)
        legal = []
        for i in range(count):
            if self.make(moves[i]):
                self.unmake()
                legal.append(NamedMove(moves[i]))
        return legal

    def is_legal(self, move: int) -> bool:
        """Whether `move`, any integer, may be played."""
        cdef Move wanted
        if not 0 < move < 1 << 20:
            return False
        wanted = move
        if not self.pseudo_legal(wanted) or not self.make(wanted):
            return False
        self.unmake()
        return True

    def push(self, move: int | str) -> None:
        """Play a move: its number, or a text in any notation. Raises IllegalMove or NotationError, changing nothing."""
        if isinstance(move, str):
            move = load_part("ucci_engine.notation:read_move")(self, move)
        if not self.is_legal(move):
            raise IllegalMove(f"illegal move {move_text(move) if 0 < move < 1 << 14 else move} in {self.fen()}")
        self.reserve()
        self.in_check()  # repetition() needs the answer later
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
    def move_number(self) -> int:
        """Which move of the game comes next, as the FEN counts: 1 is the first of either side."""
        return (self.first_ply + self.length) // 2 + 1

    @property
    def plies(self) -> int:
        """Moves played since the FEN."""
        return self.length

    def evaluate_cp(self) -> int:
        """Static evaluation in centipawns for the side to move."""
        return self.evaluate()

    def trace(self) -> tuple:
        """(the evaluator's terms, evaluate_cp()): what the static evaluation is made of."""
        return (<XiangqiEvaluator> self.evaluator).trace(self.states, self.keys, self.length)

    @property
    def phase(self) -> int:
        """How much of the middle game is left: 48 with all rooks (6 each), horses and cannons (3 each), 0 with none."""
        return min(self.states[self.length].board.phase, FULL_PHASE)

    def set_rules(self, str rule_set=COMPUTER, quiet_limit: int | None = QUIET_LIMIT) -> None:
        """Set the rules of the game's end, docs/repetition.md. Raises ValueError and changes nothing for other values.

        `rule_set` is one of RULE_SETS. `quiet_limit`: plies without a capture that draw the game; None: no number does.
        """
        if rule_set not in RULE_SETS:
            raise ValueError(f"no such rule set: {rule_set}")
        if quiet_limit is not None and not 0 < quiet_limit < NO_LIMIT:
            raise ValueError(f"no such limit of quiet plies: {quiet_limit}")
        self.rules.rule_set = RULE_SETS.index(rule_set)
        self.rules.quiet_limit = NO_LIMIT if quiet_limit is None else quiet_limit

    def result(self) -> str:
        """How the game stands: 'ongoing', 'mate', 'stalemate' (the side to move has lost), 'perpetual-win',
        'perpetual-loss' (for the side to move), 'repetition', 'no-capture' or 'material' (draws)."""
        cdef bint in_check = self.in_check()  # repetition() needs the answer
        if not self.has_legal_move():
            return "mate" if in_check else "stalemate"
        repeated = repetition(self.kind_of, self.states, self.keys, self.length, 0, self.rules)
        if repeated == RULED_WON:
            return "perpetual-win"
        if repeated == RULED_LOST:
            return "perpetual-loss"
        if repeated == DRAWN:
            return "repetition"
        if self.is_too_quiet():
            return "no-capture"
        if material_draw(self.kind_of, &self.states[self.length].board, self.side, self.rules.rule_set):
            return "material"
        return "ongoing"

    @property
    def is_past_quiet_limit(self) -> bool:
        """Whether the limit of plies without a capture is reached, whatever else has ended the game."""
        return self.is_too_quiet()

    cpdef Game copy(self):
        cdef Position twin = Position.__new__(Position)
        self.copy_to(twin)
        return twin

    cpdef Game past_quiet_limit(self):
        if quiet_plies(self.states, self.length) + NEAR_QUIET_LIMIT < self.rules.quiet_limit:
            return None
        cdef Position twin = self.copy()
        twin.rules.quiet_limit = NO_LIMIT
        return twin

    cdef void copy_to(self, Position twin) except *:
        """Make a new object equal to this one."""
        twin.use_evaluator(self.evaluator.copy())
        twin.length = self.length
        twin.reserve()
        memcpy(twin.states, self.states, (self.length + 1) * sizeof(State))
        memcpy(twin.keys, self.keys, (self.length + 1) * sizeof(uint64_t))
        twin.first_ply = self.first_ply
        twin.rules = self.rules
        twin.key = self.key
        twin.side = self.side

    # ---------------------------------------------------------------- check and legality

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
        update_check_info(state)
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
        memset(&after.dirty, 0, sizeof(Dirty))
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
        cdef int count
        if stage == CHECKS:
            return add_quiet_checks(&self.states[self.length].board, self.side, moves)
        count = add_moves(&self.states[self.length].board, self.side, stage, moves)
        sanqi_check(count <= MAX_MOVES_OF_A_SET - RAY, b"generate() leaves room for RAY moves beyond its list")
        if stage == EVASION and self.in_check():
            return filter_evasions(&self.states[self.length].board, self.side, moves, count)
        return count

    cdef void order(self, int stage, const Move* moves, int count, int32_t* scores, int32_t* slots) noexcept nogil:
        cdef const Board* board = &self.states[self.length].board
        cdef int i, origin, target, kind, victim
        if stage == QUIET:
            for i in range(count):
                slots[i] = KIND[board.at[moves[i] & 127]] * SQUARES + <int> (moves[i] >> 7)
                scores[i] = 0
            return
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
        return can_reach(&self.states[self.length].board, self.side, move)

    cdef bint noisy(self, Move move) noexcept nogil:
        return self.states[self.length].board.at[move >> 7] != 0

    cdef int gain(self, Move move) noexcept nogil:
        cdef int victim = self.states[self.length].board.at[move >> 7]
        return VALUE[KIND[victim]] if victim else 0

    cdef int history_slot(self, Move move) noexcept nogil:
        return KIND[self.states[self.length].board.at[move & 127]] * SQUARES + <int> (move >> 7)

    cdef bint gives_check(self, Move move) noexcept nogil:
        return checks_after(&self.states[self.length].board, self.side, move)

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
        # `swap`: what the side to take must win back; `result`: 1 if the exchange is good for the
        # mover when it stops here.
        while True:
            mark(gone, origin)
            # Without branches, which would be hard to predict.
            file_occ &= ~((FILE_OF[origin] == FILE_OF[target]) << RANK_OF[origin])
            rank_occ &= ~((RANK_OF[origin] == RANK_OF[target]) << FILE_OF[origin])
            side ^= 1
            slot = cheapest_attacker(board, target, side, gone, file_occ, rank_occ)
            if slot == 0:
                return result
            result ^= 1
            origin = board.square[slot]
            if slot & 15 == KING:
                # A king may not take a guarded piece.
                if cheapest_attacker(board, target, side ^ 1, gone, file_occ, rank_occ):
                    result ^= 1
                return result
            swap = VALUE[KIND[slot]] - swap
            if swap < result:
                return result

    cdef int obscurity(self, Move move) noexcept nogil:
        return obscurity_of(self.kind_of, self.states, self.length, move, self.gives_check(move), self.in_check())

    cdef int age(self) noexcept nogil:
        return self.first_ply + self.length

    cdef int evaluate(self) noexcept nogil:
        return (<XiangqiEvaluator> self.evaluator).evaluate(self.states, self.keys, self.length)

    cdef bint policy(self, const Move* moves, int count, int32_t* scores) noexcept nogil:
        return (<XiangqiEvaluator> self.evaluator).policy(self.states, self.keys, self.length, moves, count, scores)

    # ---------------------------------------------------------------- end of the game

    cdef int outcome(self, int ply) noexcept nogil:
        cdef State* state = &self.states[self.length]
        cdef int repeated
        if state.halfmove_clock >= 4:
            self.in_check()
            repeated = repetition(self.kind_of, self.states, self.keys, self.length, ply, self.rules)
            if repeated != ONGOING:
                return repeated
        if state.halfmove_clock >= self.rules.quiet_limit and self.is_too_quiet() and self.has_legal_move():
            return DRAWN
        if (
            state.board.phase <= LITTLE_PHASE
            and material_draw(self.kind_of, &state.board, self.side, self.rules.rule_set) and self.has_legal_move()
        ):
            return DRAWN
        return ONGOING

    cdef bint recurs(self) noexcept nogil:
        return has_recurred(self.states, self.keys, self.length)

    cdef bint path_allows(self, int plies, int ply) noexcept nogil:
        return fits_path(self.states, self.keys, self.length, plies, ply, self.rules.quiet_limit)

    cdef bint is_too_quiet(self) noexcept nogil:
        """Whether the limit of quiet plies is reached."""
        self.in_check()
        return quiet_plies(self.states, self.length) >= self.rules.quiet_limit

    cdef bint has_legal_move(self) noexcept nogil:
        cdef Move moves[MAX_MOVES]
        cdef int i, count = self.generate(EVASION, moves)
        for i in range(count):
            if self.make(moves[i]):
                self.unmake()
                return True
        return False

    cdef int count_legal(self) noexcept nogil:
        """How many legal moves there are, counted from the tables where the king cannot be exposed."""
        cdef const Board* board = &self.states[self.length].board
        cdef State* state = &self.states[self.length]
        cdef int own = RED << self.side, enemy = BLACK >> self.side
        cdef int slot, origin, file, base, i, count = 0, total
        cdef Move moves[MAX_MOVES_OF_A_SET]
        cdef const LineNeighbours* line
        cdef const Steps* steps
        update_check_info(state)
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
                total = <int> (add_moves_of(moves, board, self.side, slot, <uint64_t> ALL_SLOTS << enemy | 1) - moves)
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
                steps = &PAWN_STEPS[self.side][origin] if slot >= own + PAWNS else &ADVISOR_STEPS[origin]
                for i in range(steps.count):
                    count += (board.at[steps.hops[i].to] & own) == 0
        return count
