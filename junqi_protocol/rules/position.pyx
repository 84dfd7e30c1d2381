"""The Junqi position: the rules for Python, and what the search asks of a game.

A position in which every piece is known is a *world*: push() finds out how a move ends. If some pieces are UNKNOWN, as
on a player's board, report() takes the result from the referee.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memmove

from junqi_protocol.rules cimport board as rules
from junqi_protocol.rules.board cimport (
    ARMY_SIZE, BOMB, BOTH_DIED, BY_EXIT, BY_FLAG, BY_ILLEGAL, BY_NO_MOVE, BY_RESIGNATION, BY_SKIPS, BY_TIME,
    COMMANDER, EAT, ENGINEER, FLAG, GOES_ON, KILLED, MINE, MAX_MOVES, MOVE, NOBODY_WON, NOTHING, POINTS, SEATS,
    TEAM_0_WON, UNDO_KEPT, UNKNOWN, State,
)
from search_core.game cimport DRAWN, LOST, NOISY, ONGOING, QUIET, WON, Game, Move
from search_core.splitmix cimport splitmix

from junqi_protocol.rules.geometry import HOME_POINTS, VARIANTS, move_text
from junqi_protocol.rules.lineup import PIECES
from junqi_protocol.rules.move_fault import move_fault


RESULTS = ("MOVE", "EAT", "KILLED", "BOMB")
"""How a move ends, in the words of the line protocol."""
REASONS = ("", "flag", "nomove", "resign", "skips", "time", "illegal", "exit", "quiet", "plies")
"""Why a seat is out or a game is over, in the same words."""

_LEAVING = {"resign": BY_RESIGNATION, "illegal": BY_ILLEGAL, "exit": BY_EXIT, "time": BY_TIME}

# Groups of pieces with history scores of their own.
cdef enum:
    KINDS = 6

cdef uint8_t[14] KIND = [0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 0, 0, 2]


class IllegalMove(ValueError):
    """A move that the rules do not allow now; the message names it."""


class Contradiction(ValueError):
    """A move cannot have ended as reported; the message says why."""


def resolve_combat(int attacker, int defender) -> int:
    """How an attack of one known type on another ends: an index in RESULTS. Raises ValueError for other types."""
    # C's enums are unsigned: without the casts -1 would be a large number.
    if not <int> ENGINEER <= attacker < <int> UNKNOWN or not <int> ENGINEER <= defender < <int> UNKNOWN:
        raise ValueError(f"{attacker} on {defender}: no known pieces")
    return rules.resolve_combat(attacker, defender)


cdef class Position(Game):
    """A Junqi position. Points and moves are numbered as in geometry.py, pieces as in lineup.PIECES.

    Parameters
    ----------
    variant : str
        "siguo" or "duel".
    first : int
        The seat that begins.
    quiet : int
        After this many plies in a row without a clash the game is drawn; with `quiet_loses` the team that made the
        last one loses. 0: there is no such rule.
    skips : int
        A seat is out after this many skips. 0: never.
    plies : int
        The game is drawn after this many plies. 0: never.
    """

    def __cinit__(self, variant="siguo", *, int first=0, int quiet=0, bint quiet_loses=False, int skips=0, int plies=0):
        if variant not in VARIANTS:
            raise ValueError(f"{variant!a} is no variant, expected siguo or duel")
        self.variant = VARIANTS[variant]
        if not 0 <= first < self.variant.seats:
            raise ValueError(f"seat {first} does not play {variant}")
        self.max_moves = MAX_MOVES
        self.history_slots = 2 * KINDS * POINTS
        self.stalemate_is_loss = True
        self.board = <rules.Board*> calloc(1, sizeof(rules.Board))
        if self.board == NULL:
            raise MemoryError()
        self.board.geometry = rules.geometry_of(self.variant)
        self.board.quiet_limit = quiet
        self.board.quiet_loses = quiet_loses
        self.board.ply_limit = plies
        self.skip_limit = skips
        self.skip_counts = [0] * self.variant.seats
        rules.clear(self.board)
        rules.give_turn(self.board, first)
        self.sync()

    def __dealloc__(self):
        free(self.board)

    cdef void sync(self) noexcept nogil:
        self.key = self.board.state.key
        self.side = self.board.state.turn & 1

    def __repr__(self) -> str:
        state = self.outcome_text or f"seat {self.turn} to move"
        return f"<Junqi position {self.variant.name}, ply {self.ply}, {state}>"

    # ------------------------------------------------------------- setting up

    def deploy(self, lineups) -> None:
        """Put the armies on an empty board. `lineups`: for each seat a legal lineup, or None: all pieces unknown."""
        for seat, lineup in enumerate(lineups):
            number = 0
            for index in range(HOME_POINTS):
                point = seat * HOME_POINTS + index
                if point not in self.variant.camps:
                    rules.put(
                        self.board, seat, number, UNKNOWN if lineup is None else PIECES.index(lineup[index]), point
                    )
                    number += 1
        self.sync()

    def place(self, int seat, int point, int type) -> None:
        """Add one piece. Raises ValueError, changing nothing, if there is no room for it."""
        if not 0 <= seat < self.variant.seats:
            raise ValueError(f"seat {seat} does not play {self.variant.name}")
        if not 0 <= point < self.variant.size or self.board.piece_at[point]:
            raise ValueError(f"point {point} is not free")
        if not <int> ENGINEER <= type <= <int> UNKNOWN:
            raise ValueError(f"{type} is no piece")
        for number in range(ARMY_SIZE):
            if not (self.board.state.alive[seat] >> number) & 1:
                rules.put(self.board, seat, number, type, point)
                self.sync()
                return
        raise ValueError(f"seat {seat} has {ARMY_SIZE} pieces already")

    def set_state(self, int turn, int quiet, skips) -> None:
        """Set whose turn it is, the plies without a clash, and the skips of each seat."""
        rules.give_turn(self.board, turn)
        self.board.state.quiet = quiet
        self.skip_counts = list(skips)
        self.sync()

    # ------------------------------------------------------------ what there is

    @property
    def turn(self) -> int:
        """The seat on turn."""
        return self.board.state.turn

    @property
    def ply(self) -> int:
        """Moves, skips and departures so far."""
        return self.board.state.ply

    @property
    def quiet(self) -> int:
        """Plies in a row without a clash."""
        return self.board.state.quiet

    @property
    def living(self):
        """The seats still in the game, in order."""
        return [seat for seat in range(self.variant.seats) if (self.board.state.living >> seat) & 1]

    def skips_of(self, int seat) -> int:
        """How often a seat has not moved."""
        return self.skip_counts[seat]

    def piece_at(self, int point):
        """(seat, type) of the piece on a point, or None."""
        if not 0 <= point < self.variant.size:
            raise IndexError(f"there is no point {point}")
        piece = self.board.piece_at[point]
        return (rules.seat_of(piece), self.board.type[piece]) if piece else None

    def pieces(self, int seat):
        """(point, type) of a seat's pieces."""
        return [
            (self.board.place[1 + seat * 32 + number], self.board.type[1 + seat * 32 + number])
            for number in range(ARMY_SIZE) if (self.board.state.alive[seat] >> number) & 1
        ]

    @property
    def outcome_text(self):
        """How the game ended, as the line protocol says it after `gameover`; None while it goes on."""
        state = &self.board.state
        if state.verdict == GOES_ON:
            return None
        if state.verdict == NOBODY_WON:
            return f"draw {REASONS[state.reason]}"
        winners = self.variant.team(0 if state.verdict == TEAM_0_WON else 1)
        return f"win {','.join(map(str, winners))} {REASONS[state.reason]}"

    @property
    def winner(self):
        """The team that won, 0 or 1; None: nobody, or not yet."""
        verdict = self.board.state.verdict
        return None if verdict in (GOES_ON, NOBODY_WON) else (0 if verdict == TEAM_0_WON else 1)

    def evaluate_cp(self) -> int:
        """The static score for the team on turn, in centipawns."""
        return self.evaluate()

    # -------------------------------------------------------------- moving

    def legal_moves(self):
        """All moves of the seat on turn."""
        cdef uint32_t moves[MAX_MOVES]
        if self.board.state.verdict != GOES_ON:
            return []
        count = rules.list_moves(self.board, self.board.state.turn, True, True, moves)
        return [moves[i] for i in range(count)]

    def is_legal(self, int move) -> bool:
        """Whether push() accepts the move now."""
        return 0 <= move < 1 << 16 and self.pseudo_legal(move)

    def reaches(self, int origin, int target) -> bool:
        """Whether the piece on a point can move to another, whoever is on turn."""
        cdef int piece = self.board.piece_at[origin]
        return piece != 0 and rules.may_reach(self.board, piece, target)

    def turns_on_rails(self, int move) -> bool:
        """Whether only an engineer can make this legal move."""
        return rules.turns_on_rails(self.board, move)

    def push(self, int move):
        """Play a move in a world; returns how it ended: (result, seats whose commander died, seats that fell).

        Raises IllegalMove, changing nothing.
        """
        if not self.is_legal(move):
            raise IllegalMove(self.complaint(move))
        self.make_room()
        self.make(move)
        return self.last_outcome()

    def complaint(self, int move):
        """Why a move is not legal."""
        origin, target = move >> 8, move & 255
        if max(origin, target) >= self.variant.size:
            return f"{move} is no move"
        name = move_text(self.variant, move)
        if self.board.state.verdict != GOES_ON:
            return f"{name} comes after the end of the game"
        piece = self.board.piece_at[origin]
        if piece == 0 or rules.seat_of(piece) != self.board.state.turn:
            return f"{name} moves no piece of seat {self.board.state.turn}"
        return f"{name} is not legal: {move_fault(self.variant, self.piece_at, origin, target)}"

    def last_outcome(self):
        """What the last move did: (result, seats whose commander died, ((seat, reason) that fell, ...))."""
        cdef State* state = &self.board.state
        cdef int i
        return (
            state.result,
            tuple([i for i in range(SEATS) if (state.shown >> i) & 1]) if state.shown else (),
            tuple([(state.fallen[i], REASONS[state.fallen_reason[i]]) for i in range(state.fallen_count)]),
        )

    def pop(self) -> None:
        """Take back the last push. Raises IndexError if there is none to take back."""
        if self.board.undo_count == 0:
            raise IndexError("no move to take back")
        self.unmake()

    def skip(self, out=None) -> bool:
        """The seat on turn does not move; True if this puts it out. Neither this nor earlier moves can be taken back.

        `out`: on a player's board, what the referee says; None: the limit of skips decides.
        """
        cdef State* state = &self.board.state
        cdef int seat = state.turn
        self.board.undo_count = 0
        state.fallen_count = 0
        self.skip_counts[seat] += 1
        if out is None:
            out = 0 < self.skip_limit <= self.skip_counts[seat]
        if out:
            rules.eliminate(self.board, seat, BY_SKIPS)
        rules.conclude(self.board, seat, False)
        self.sync()
        return out

    def leave(self, reason) -> None:
        """The seat on turn is out: "resign", "illegal", "exit" or "time". Raises KeyError for another reason."""
        cdef State* state = &self.board.state
        cdef int seat = state.turn, cause = _LEAVING[reason]
        self.board.undo_count = 0
        state.fallen_count = 0
        rules.eliminate(self.board, seat, cause)
        rules.conclude(self.board, seat, False)
        self.sync()

    # ------------------------------------------------------ a player's board

    def report(self, int move, int result, flags=(), outs=()) -> None:
        """Play a move of the seat on turn that ended as reported.

        Parameters
        ----------
        result : int
            Index in RESULTS.
        flags : iterable of (int, int)
            Seats whose commander died, and where their flag stands.
        outs : iterable of (int, str)
            Seats that fell, and why: "flag" or "nomove".

        Raises IllegalMove or Contradiction, changing nothing.
        """
        cdef int origin = move >> 8, target = move & 255, seat = self.board.state.turn, fallen
        cdef int attacker, defender, kind, there
        if not 0 <= move < 1 << 16 or max(origin, target) >= self.variant.size:
            raise IllegalMove(f"{move} is no move")
        attacker = self.board.piece_at[origin]
        defender = self.board.piece_at[target]
        if attacker == 0 or rules.seat_of(attacker) != seat:
            raise IllegalMove(self.complaint(move))
        kind = self.board.type[attacker]
        if not rules.may_reach(self.board, attacker, target):
            # A piece that turns on the rails shows that it is an engineer.
            if kind == UNKNOWN:
                self.board.type[attacker] = ENGINEER
                if rules.may_reach(self.board, attacker, target):
                    kind = ENGINEER
                self.board.type[attacker] = UNKNOWN
            if kind != ENGINEER or self.board.type[attacker] == ENGINEER:
                raise IllegalMove(self.complaint(move))
        there = self.board.type[defender] if defender else NOTHING
        self.must_agree(move, kind, there, result, tuple(flags), tuple(outs))
        self.board.undo_count = 0
        if kind != self.board.type[attacker]:
            self.reveal(origin, kind)
        for _owner, point in flags:
            self.reveal(point, FLAG)
        rules.carry_out(self.board, move, result)
        for fallen, reason in outs:
            rules.eliminate(self.board, fallen, BY_FLAG if reason == "flag" else BY_NO_MOVE)
        self.board.state.quiet = self.board.state.quiet + 1 if result == MOVE else 0
        rules.conclude(self.board, seat, False)
        self.sync()

    def must_agree(self, int move, int kind, int there, int result, flags, outs):
        """Raise Contradiction if a move cannot have ended so. `kind`: the type of the moving piece; `there`: the type
        of the piece at the target. Both may be UNKNOWN, `there` also NOTHING."""
        cdef int seat = self.board.state.turn, target = move & 255, a, d
        name = move_text(self.variant, move)
        if (there == NOTHING) != (result == MOVE):
            found = "an empty point" if there == NOTHING else "a piece"
            raise Contradiction(f"{RESULTS[result]}, but {name} goes to {found}")
        other = rules.seat_of(self.board.piece_at[target]) if there else -1
        fell = [owner for owner, reason in outs if reason == "flag"]
        shown = [owner for owner, _point in flags]
        if len({owner for owner, _ in outs}) != len(outs) or any(
            not 0 <= owner < SEATS or not (self.board.state.living >> owner) & 1 for owner, _ in outs
        ):
            raise Contradiction(f"{name}: a seat is out twice, or was out already")
        for owner, point in flags:
            piece = self.board.piece_at[point] if 0 <= point < self.variant.size else 0
            if (
                point not in self.variant.headquarters or piece == 0 or rules.seat_of(piece) != owner
                or (point == target and result != KILLED)
                or self.variant.seat_of(point) != owner or self.board.type[piece] not in (FLAG, UNKNOWN)
            ):
                raise Contradiction(f"{name}: the flag of seat {owner} cannot stand there")
        if fell not in ([], [other]) or any(owner not in (seat, other) for owner in shown):
            raise Contradiction(f"{name}: a seat that has nothing to do with the move lost its flag or its commander")
        # Some pair of possible types must end so.
        for a in range(ENGINEER, BOMB + 1) if kind == UNKNOWN else (kind,):
            for d in range(ENGINEER, UNKNOWN) if there == UNKNOWN else (there,):
                if there != NOTHING and (rules.resolve_combat(a, d) != result or not self.could_be(other, target, d)):
                    continue
                if (d == FLAG) != bool(fell):
                    continue
                dead = {seat} if a == COMMANDER and result in (KILLED, BOTH_DIED) else set()
                if d == COMMANDER and result in (EAT, BOTH_DIED):
                    dead.add(other)
                if dead == set(shown):
                    return
        raise Contradiction(f"{name}: {RESULTS[result]} cannot be the end of it")

    def could_be(self, int seat, int point, int type) -> bool:
        """Whether a seat's piece could be of a type, judged only by its point."""
        if self.board.type[self.board.piece_at[point]] != UNKNOWN:
            return True
        home = self.variant.seat_of(point) == seat
        if type == FLAG:
            return home and point in self.variant.headquarters
        return type != MINE or (home and point % HOME_POINTS >= 20)

    def reveal(self, int point, int type) -> None:
        """Set the type of an unknown piece. Raises Contradiction if it is known to be of another type."""
        cdef int piece = self.board.piece_at[point], seat, number
        if piece == 0 or self.board.type[piece] not in (UNKNOWN, type):
            raise Contradiction(f"{self.variant.squares[point]} holds no unknown piece")
        seat = rules.seat_of(piece)
        number = (piece - 1) & 31
        mobile = (self.board.state.mobile[seat] >> number) & 1
        rules.put_away(self.board, piece)
        rules.put(self.board, seat, number, type, point)
        if not mobile:
            self.board.state.mobile[seat] &= ~(<uint32_t> 1 << number)
        self.sync()

    cpdef Game copy(self):
        """An independent copy, history included."""
        cdef Position twin = Position(self.variant.name, skips=self.skip_limit)
        memcpy(twin.board, self.board, sizeof(rules.Board))
        twin.skip_counts = list(self.skip_counts)
        twin.sync()
        return twin

    cdef void make_room(self) noexcept nogil:
        """Drop old moves, so that there is room for a deep search."""
        if self.board.undo_count > UNDO_KEPT:
            memmove(
                &self.board.undo[0], &self.board.undo[self.board.undo_count - UNDO_KEPT], UNDO_KEPT * sizeof(State)
            )
            self.board.undo_count = UNDO_KEPT

    # -------------------------------------------------------------- measuring

    def play_random(self, uint64_t seed, int most=0) -> int:
        """Play random moves in a world to its end, or `most` plies; return how many. They cannot be taken back."""
        cdef uint32_t moves[MAX_MOVES]
        cdef int count, plies = 0
        cdef uint64_t state = seed
        with nogil:
            while self.board.state.verdict == GOES_ON and (most == 0 or plies < most):
                count = rules.list_moves(self.board, self.board.state.turn, True, True, moves)
                self.board.undo_count = 0
                rules.play(self.board, moves[((splitmix(&state) >> 32) * <uint64_t> count) >> 32])
                plies += 1
            self.board.undo_count = 0
            self.sync()
        return plies

    # ------------------------------------------------------------- for Search

    cdef int generate(self, int stage, Move* moves) noexcept nogil:
        if self.board.state.verdict != GOES_ON:
            return 0
        return rules.list_moves(self.board, self.board.state.turn, stage == NOISY, stage == QUIET, moves)

    cdef int count_legal(self) noexcept nogil:
        cdef Move moves[MAX_MOVES]
        if self.board.state.verdict != GOES_ON:
            return 0
        return rules.list_moves(self.board, self.board.state.turn, True, True, moves)

    cdef void order(self, int stage, const Move* moves, int count, int32_t* scores, int32_t* slots) noexcept nogil:
        cdef int i, attacker, defender
        for i in range(count):
            slots[i] = self.history_slot(moves[i])
            scores[i] = 0
            if stage != QUIET:
                attacker = self.board.piece_at[moves[i] >> 8]
                defender = self.board.piece_at[moves[i] & 255]
                scores[i] = 8 * self.gain(moves[i]) - rules.WORTH[self.board.type[attacker]] if defender else 0

    cdef bint make(self, Move move) noexcept nogil:
        rules.play(self.board, move)
        self.sync()
        return True

    cdef void unmake(self) noexcept nogil:
        rules.take_back(self.board)
        self.sync()

    cdef bint pseudo_legal(self, Move move) noexcept nogil:
        cdef int origin = move >> 8, target = move & 255, piece
        if origin >= self.board.geometry.size or target >= self.board.geometry.size:
            return False
        piece = self.board.piece_at[origin]
        return (
            piece != 0 and self.board.state.verdict == GOES_ON and rules.seat_of(piece) == self.board.state.turn
            and rules.may_reach(self.board, piece, target)
        )

    cdef bint noisy(self, Move move) noexcept nogil:
        return self.board.piece_at[move & 255] != 0

    cdef int gain(self, Move move) noexcept nogil:
        """The value taken minus the value lost. Both pieces are known."""
        cdef int attacker = self.board.type[self.board.piece_at[move >> 8]]
        cdef int defender = self.board.type[self.board.piece_at[move & 255]]
        cdef int result
        if defender == NOTHING:
            return 0
        result = rules.resolve_combat(attacker, defender)
        return (rules.WORTH[defender] if result != KILLED else 0) - (rules.WORTH[attacker] if result != EAT else 0)

    cdef bint see_ge(self, Move move, int threshold) noexcept nogil:
        return self.gain(move) >= threshold

    cdef int history_slot(self, Move move) noexcept nogil:
        cdef int kind = KIND[self.board.type[self.board.piece_at[move >> 8]]]
        return ((self.board.state.turn & 1) * KINDS + kind) * POINTS + (move & 255)

    cdef int evaluate(self) noexcept nogil:
        cdef State* state = &self.board.state
        cdef int score = state.material[0] + state.material[2] - state.material[1] - state.material[3]
        return -score if state.turn & 1 else score

    cdef int outcome(self, int ply) noexcept nogil:
        cdef int verdict = self.board.state.verdict
        if verdict == GOES_ON:
            return ONGOING
        if verdict == NOBODY_WON:
            return DRAWN
        return WON if (verdict == TEAM_0_WON) == ((self.board.state.turn & 1) == 0) else LOST
