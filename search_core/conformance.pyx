"""The contract of Game as a test: random games, in which every clause is checked at every position.

The first thing that a new game's tests run. Nothing imports it at run time.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc

from search_core.conformance_chance cimport broken_outcomes, drawn_outcome
from search_core.game cimport (
    AT_SIGHT, CHECKS, DRAWN, EVASION, LOST, MAX_PLY, NO_MOVE, NOISY, NULL_NEVER, ONGOING, QUIET, RULED_LOST,
    RULED_WON, WON,
    Game, Move, Poller,
)

import random
from threading import Barrier, Thread

from search_core.conformance_walk import digest_of
from search_core.contract import CLAUSES, ContractBroken

cdef enum:
    MOVE_LIMIT = 1 << 20       # every move is below it
    GUARD = 64                 # entries before and behind a buffer that must stay as they are
    SCORE_LIMIT = 20_000       # of evaluate()
    ORDER_LIMIT = 1 << 30      # of order(): the histories are added to it
    MAX_PLIES = MAX_PLY - 16  # of a random game: a game has room for a search, not for more
    FULL_LOOKS = 12            # moves of a position after which everything is compared
    LEFT_OUT = 8               # legal moves outside EVASION that are looked at
    PROOF_BUDGET = 20_000      # for the proof that one of them loses
    SOLVER_BUDGET = 2_000

cdef Move UNTOUCHED = 0xA5A5A5A5
cdef int32_t UNWRITTEN = -0x5A5A5A5B

cdef tuple FIELDS = (
    "key", "side", "outcome()", "evaluate()", "NOISY", "order() of NOISY", "QUIET", "order() of QUIET", "in_check()",
    "null_move()", "EVASION", "order() of EVASION",
)


cdef class Stop(Poller):
    """Wants an end at once."""

    cdef bint must_stop(self) noexcept nogil:
        return True


cdef int exhaust(Game game, Move* accepted, int room) noexcept nogil:
    """Write what pseudo_legal() accepts of all numbers there are, up to `room` moves; return how many it accepts."""
    cdef Move move
    cdef int count = 0
    for move in range(MOVE_LIMIT):
        if game.pseudo_legal(move):
            if count < room:
                accepted[count] = move
            count += 1
    return count


def shown_by_default(Game game not None):
    """A position in words: its FEN, if it has one."""
    fen = getattr(game, "fen", None)
    return fen() if fen is not None else f"key {game.key:#018x}, side {game.side} to move"


cdef class Checker:
    """One random game, and the buffers with guarded ends that it is played with."""

    cdef Game game
    cdef object chance, fresh, result, show
    cdef bint generates_all, exact_checks
    cdef dict counts, seen
    cdef list path, trail
    cdef str start
    cdef int max_moves, history_slots
    cdef Move* moves
    cdef int32_t* scores
    cdef int32_t* slots

    def __cinit__(
        self, Game game not None, chance, dict counts, dict seen, bint generates_all, bint exact_checks, fresh, result,
        show,
    ):
        cdef int i, room
        self.game = game
        self.chance = chance
        self.counts = counts
        self.seen = seen
        self.generates_all = generates_all
        self.exact_checks = exact_checks
        self.fresh = fresh
        self.result = result
        self.show = show
        self.path = []
        self.trail = []
        self.start = self.shown()
        self.max_moves = game.max_moves
        self.history_slots = game.history_slots
        self.hold("facts", self.max_moves >= 1, f"max_moves is {self.max_moves}")
        self.hold("facts", self.history_slots >= 1, f"history_slots is {self.history_slots}")
        room = self.max_moves + 2 * GUARD
        self.moves = <Move*> malloc(room * sizeof(Move))
        self.scores = <int32_t*> malloc(room * sizeof(int32_t))
        self.slots = <int32_t*> malloc(room * sizeof(int32_t))
        if self.moves == NULL or self.scores == NULL or self.slots == NULL:
            raise MemoryError()
        for i in range(room):
            self.moves[i] = UNTOUCHED

    def __dealloc__(self):
        free(self.moves)
        free(self.scores)
        free(self.slots)

    # ------------------------------------------------------------- reporting

    cdef str shown(self):
        try:
            return str(self.show(self.game))
        except Exception as error:  # a broken game may not be able to show itself
            return f"(not shown: {error!r})"

    cdef fail(self, str clause, str detail):
        raise ContractBroken(clause, detail, self.shown(), list(self.path), self.start)

    cdef hold(self, str clause, bint held, str detail):
        self.counts[clause] += 1
        if not held:
            self.fail(clause, detail)

    cdef same(self, str clause, tuple before, tuple now, str when):
        self.counts[clause] += 1
        if before == now:
            return
        for name, old, new in zip(FIELDS, before, now):
            if old != new:
                self.fail(clause, f"{name} was {old} and is {new} {when}")
        self.fail(clause, f"the game had ended and goes on, or the other way round, {when}")

    # --------------------------------------------------------------- asking

    cdef list listed(self, Game game, int stage, int offset):
        """The moves of a stage, written `offset` entries into the buffer."""
        cdef Move* moves = self.moves + GUARD
        cdef int count = game.generate(stage, moves + offset), i
        cdef str name = ("NOISY", "QUIET", "EVASION", "CHECKS")[stage]
        self.counts["room"] += 1
        if not 0 <= count <= self.max_moves - offset:
            self.fail("room", f"{name} has {count} moves where there is room for {self.max_moves - offset}")
        for i in range(GUARD):
            if self.moves[i] != UNTOUCHED or moves[self.max_moves + i] != UNTOUCHED:
                self.fail("room", f"generate({name}) writes beyond {self.max_moves} moves")
        return [moves[offset + i] for i in range(count)]

    cdef tuple ordered(self, Game game, int stage, list listed):
        """The scores that order(), or policy() in its place, gives a list of moves."""
        cdef Move* moves = self.moves + GUARD
        cdef int32_t* scores = self.scores + GUARD
        cdef int count = len(listed), i  # at most max_moves
        cdef bint replaced
        for i in range(count):
            moves[i] = listed[i]
        for i in range(count + 2 * <int> GUARD):
            self.scores[i] = self.slots[i] = UNWRITTEN
        game.order(stage, moves, count, scores, self.slots + GUARD)
        given = self.scored(game, count, "order")
        if stage == QUIET and game.has_policy:
            replaced = game.policy(moves, count, scores)
            found = self.scored(game, count, "policy")
            self.hold("policy", replaced or found == given, "policy() says that it has none, and changes scores")
            return found
        return given

    cdef tuple scored(self, Game game, int count, str name):
        """The scores that the method of this name, which is also a clause, has written."""
        cdef const Move* moves = self.moves + GUARD
        cdef const int32_t* scores = self.scores + GUARD
        cdef const int32_t* slots = self.slots + GUARD
        cdef int i, slot
        for i in range(GUARD):
            if (
                scores[-1 - i] != UNWRITTEN or slots[-1 - i] != UNWRITTEN
                or scores[count + i] != UNWRITTEN or slots[count + i] != UNWRITTEN
            ):
                self.fail("room", f"{name}() writes beyond its {count} moves")
        self.counts[name] += count
        for i in range(count):
            slot = game.history_slot(moves[i])
            if not 0 <= slot < self.history_slots:
                self.fail("slots", f"the slot of move {moves[i]} is {slot}, of {self.history_slots}")
            if slots[i] != slot:
                self.fail("order", f"order() writes the slot {slots[i]} for move {moves[i]}, history_slot() is {slot}")
            if not -<int> ORDER_LIMIT < scores[i] < <int> ORDER_LIMIT:
                self.fail(name, f"{name}() scores move {moves[i]} {scores[i]}")
        self.counts["slots"] += count
        return tuple([scores[i] for i in range(count)])

    cdef tuple observed(self, Game game, bint backwards=False):
        """All answers to a search's questions, asked in the search's order, or lists of moves first."""
        cdef int ply = len(self.path), outcome = 0, score = 0
        cdef bint checked = False
        cdef list noisy, quiet, evasions = []
        cdef object null = None
        if not backwards:
            outcome = game.outcome(ply)
            if outcome != ONGOING:
                return game.key, game.side, outcome
            checked = game.in_check()
            score = game.evaluate()
        noisy = self.listed(game, NOISY, 0)
        quiet = self.listed(game, QUIET, len(noisy))
        noisy_scores = self.ordered(game, NOISY, noisy)
        quiet_scores = self.ordered(game, QUIET, quiet)
        if backwards:
            score = game.evaluate()
            checked = game.in_check()
            outcome = game.outcome(ply)
        if checked:
            evasions = self.listed(game, EVASION, 0)
        else:
            null = game.null_move()
        return (
            game.key, game.side, outcome, score, noisy, noisy_scores, quiet, quiet_scores, checked, null, evasions,
            self.ordered(game, EVASION, evasions),
        )

    cdef tuple glimpsed(self, Game game):
        """The answers that cost little."""
        cdef int outcome = game.outcome(len(self.path))
        if outcome != ONGOING:
            return game.key, game.side, outcome
        return game.key, game.side, outcome, game.evaluate()

    cdef bint wins_at_once(self, Game game, Move move):
        """Whether a move ends the game as won by who makes it."""
        cdef int side = game.side, outcome
        if not game.make(move):
            return False
        outcome = game.outcome(len(self.path) + 1)
        outcome = outcome == (WON if game.side == side else LOST)
        game.unmake()
        return outcome

    cdef bint loses(self, Game game, Move move):
        """Whether the other side is seen to win after a legal move: in one ply, or as its solver proves."""
        cdef int side = game.side, outcome, length = 0
        cdef uint64_t nodes = 0
        cdef Move line[MAX_PLY]
        cdef bint lost
        game.make(move)
        outcome = game.outcome(len(self.path) + 1)
        if outcome != ONGOING:
            lost = outcome == (LOST if game.side == side else WON)
        elif game.side == side:
            lost = False
        else:
            replies = self.listed(game, NOISY, 0)
            replies += self.listed(game, QUIET, len(replies))
            lost = any([self.wins_at_once(game, reply) for reply in replies]) or (
                game.has_solver and game.solve_root(PROOF_BUDGET, &nodes, line, &length, None) > 0
            )
        game.unmake()
        return lost

    # -------------------------------------------------------------- checking

    cdef play(self, int plies):
        """Play one game of at most `plies` plies, checking, and take it back."""
        cdef Game twin
        cdef tuple state
        cdef int thread_ply = self.chance.randrange(plies), exhaust_ply = self.chance.randrange(8)
        while True:
            state = self.observed(self.game)
            self.trail.append(state)
            self.hold("facts", 0 <= self.game.side <= 1, f"side is {self.game.side}")
            legal = self.check_position(state, len(self.path) == exhaust_ply)
            if len(self.path) == thread_ply:
                self.check_threads()
            if not legal or len(self.path) == plies:
                break
            move = self.chosen(state, legal)
            which = drawn_outcome(self.game, move, self.chance)
            self.game.make_outcome(move, which)
            self.path.append(move + which * <int> MOVE_LIMIT)
        ended = len(self.path)
        # Back to the start, and a copy with it.
        twin = self.game.copy()
        while self.path:
            move = self.path.pop()
            self.trail.pop()
            state = self.trail[len(self.trail) - 1]
            self.game.unmake()
            self.same("unmake", state, self.observed(self.game), f"after taking back {move}")
            twin.unmake()
            self.same("copy", state, self.observed(twin), f"in a copy that has taken back {move}")
        if thread_ply > ended:
            self.check_threads()
        self.check_upper_bits()

    cdef Move chosen(self, tuple state, list legal):
        """One of the legal moves; noisy ones and checks more often than they are."""
        cdef Move move
        whim = self.chance.random()
        if whim < 0.25:
            preferred = [move for move in legal if move in state[4]]
        elif whim < 0.45:
            preferred = [move for move in legal if self.game.gives_check(move)]
        else:
            preferred = []
        return self.chance.choice(preferred or legal)

    cdef list check_position(self, tuple state, bint exhaustive):
        """Check all clauses in the current position; return its legal moves, [] if the game has ended."""
        cdef Game game = self.game
        cdef list legal = []
        if state[2] == ONGOING:
            self.hold("evaluate", -<int> SCORE_LIMIT <= state[3] <= <int> SCORE_LIMIT, f"evaluate() is {state[3]}")
            self.check_lists(state)
            self.same("questions", state, self.observed(game), "when asked again")
            legal = self.check_moves(state)
            self.check_evasions(state, legal)
            self.check_null(state)
            self.check_pseudo_legal(state, exhaustive)
            if game.has_solver and len(self.path) % 4 == 0:
                self.check_solver(state)
            self.check_key(state)
            self.check_legal_moves(legal)
        self.check_result(legal)
        if len(self.path) % 5 == 0:
            self.check_copy(state, legal)
        return legal

    cdef check_lists(self, tuple state):
        cdef list moves = state[4] + state[6], evasions = state[10] if len(state) > 10 else []
        cdef Move move
        for listed, name in ((moves, "NOISY and QUIET"), (evasions, "EVASION")):
            self.hold("stages", len(set(listed)) == len(listed), f"{name} have a move twice: {sorted(listed)}")
            for move in listed:
                self.hold("stages", NO_MOVE < move < MOVE_LIMIT, f"{name} have the move {move}")
                self.hold("pseudo_legal", self.game.pseudo_legal(move), f"generated move {move} is not accepted")
        for move in state[4]:
            self.hold("noisy", self.game.noisy(move), f"noisy({move}) is false, and the move is in NOISY")
        for move in state[6]:
            self.hold("noisy", not self.game.noisy(move), f"noisy({move}) is true, and the move is in QUIET")

    cdef list check_moves(self, tuple state):
        """Make and take back every generated move; return the legal ones."""
        cdef Game game = self.game
        cdef list moves = state[4] + state[6], legal = []
        cdef set closely = set(self.chance.sample(moves, min(len(moves), <int> FULL_LOOKS)))
        cdef tuple glimpse = self.glimpsed(game)
        cdef Move move
        cdef bint checks, made
        for move in moves:
            self.check_exchange(move)
            checks = game.gives_check(move)
            made = game.make(move)
            if made:
                legal.append(move)
                self.hold("facts", 0 <= game.side <= 1, f"side is {game.side} after {move}")
                self.hold("key", game.key != state[0], f"key is the same after {move}")
                if self.exact_checks and game.outcome(len(self.path) + 1) == ONGOING:
                    self.hold(
                        "gives_check", checks == game.in_check(),
                        f"gives_check({move}) is {bool(checks)}, and in_check() after it is {bool(game.in_check())}",
                    )
                game.unmake()
            clause, when = ("unmake", "after taking back") if made else ("make", "after refusing")
            if move in closely:
                self.same(clause, state, self.observed(game), f"{when} {move}")
            else:
                self.same(clause, glimpse, self.glimpsed(game), f"{when} {move}")
            broken = broken_outcomes(game, move, made, len(self.path), self.counts)
            if broken:
                self.fail(broken[0], broken[1])
        self.same("unmake", state, self.observed(game), "after making and taking back all moves")
        if self.exact_checks and game.parameters.quiet_checks and not game.in_check():
            listed = self.listed(game, CHECKS, 0)
            checking = {move for move in state[6] if move in legal and game.gives_check(move)}
            self.hold("stages", len(set(listed)) == len(listed), f"CHECKS have a move twice: {sorted(listed)}")
            self.hold("stages", set(listed) <= set(state[6]), f"CHECKS have moves that are not in QUIET: {listed}")
            self.hold("stages", {move for move in listed if move in legal} == checking, f"CHECKS are not {checking}")
        return legal

    cdef check_exchange(self, Move move):
        cdef int threshold, gain = self.game.gain(move)
        cdef bint won = True
        self.counts["see_ge"] += 1
        for threshold in sorted({-2000, -450, -100, -1, 0, 1, 100, 450, 2000, gain - 1, gain, gain + 1}):
            if self.game.see_ge(move, threshold):
                if not won:
                    self.fail("see_ge", f"see_ge({move}, {threshold}) is true, and is false for less")
            else:
                won = False

    cdef check_evasions(self, tuple state, list legal):
        cdef Game game = self.game
        cdef Move move
        if not game.in_check():
            return
        evasions = self.listed(game, EVASION, 0)
        self.ordered(game, EVASION, evasions)
        left_out = sorted(set(legal) - set(evasions))
        self.counts["evasion"] += 1
        if any([self.wins_at_once(game, move) for move in evasions]):
            return
        for move in self.chance.sample(left_out, min(len(left_out), <int> LEFT_OUT)):
            self.hold("evasion", self.loses(game, move), f"legal move {move} is not in EVASION and is not seen to lose")

    cdef check_null(self, tuple state):
        cdef Game game = self.game
        cdef int key_changed
        if game.in_check() or game.null_move() == NULL_NEVER:
            return
        game.make_null()
        key_changed = game.key != state[0]
        if game.outcome(len(self.path) + 1) == ONGOING:
            game.in_check()
            moves = self.listed(game, NOISY, 0)
            moves += self.listed(game, QUIET, len(moves))
            for move in self.chance.sample(moves, min(len(moves), 4)):
                if game.make(move):
                    game.unmake()
        game.unmake_null()
        self.hold("null", key_changed, "key is the same after a pass")
        self.same("null", state, self.observed(game), "after a pass taken back")

    cdef check_pseudo_legal(self, tuple state, bint exhaustive):
        """Ask for numbers that were not generated; where they are accepted, play them."""
        cdef Game game = self.game
        cdef Move number
        cdef int i, count
        cdef Move* accepted = NULL
        generated = {*state[4], *state[6]}
        if exhaustive:
            accepted = <Move*> malloc(self.max_moves * sizeof(Move))
            if accepted == NULL:
                raise MemoryError()
            with nogil:
                count = exhaust(game, accepted, self.max_moves)
            asked = {accepted[i] for i in range(min(count, self.max_moves))}
            free(accepted)
            self.same("questions", state, self.observed(game), "after pseudo_legal() of every number")
        else:
            asked = {self.chance.getrandbits(self.chance.randint(1, 20)) for _ in range(48)}
            if generated:
                listed = sorted(generated)
                asked |= {self.chance.choice(listed) ^ 1 << bit for bit in range(20)}
                if len(self.trail) > 1:
                    before = self.trail[len(self.trail) - 2]
                    asked |= {*before[4], *before[6]}
            asked.add(<int> NO_MOVE)
        foreign = []
        for number in sorted(asked - generated):
            self.counts["pseudo_legal"] += 1
            if game.pseudo_legal(number):
                if self.generates_all or number == NO_MOVE:
                    self.fail("pseudo_legal", f"{number} is accepted, and generate() does not give it")
                foreign.append(number)
        for number in self.chance.sample(foreign, min(len(foreign), <int> FULL_LOOKS)):
            i = game.history_slot(number)
            self.hold("slots", 0 <= i < self.history_slots, f"the slot of the accepted move {number} is {i}")
            game.noisy(number)
            game.gives_check(number)
            self.check_exchange(number)
            if game.make(number):
                self.hold("key", game.key != state[0], f"key is the same after {number}")
                game.unmake()
            self.same("pseudo_legal", state, self.observed(game), f"after the accepted move {number}")

    cdef check_key(self, tuple state):
        """Whether the same key has always meant the same, and that of a position set up afresh."""
        cdef Game other
        whole = (state[1], state[3], sorted(state[4]), sorted(state[6]))
        known = self.seen.setdefault(state[0], whole)
        self.hold("key", known == whole, f"two positions have this key: {known} and {whole}")
        if self.fresh is None:
            return
        other = self.fresh(self.game)
        self.hold("key", other.key == state[0], f"key is {state[0]:#x}, and {other.key:#x} when set up afresh")
        other.in_check()  # a search asks it first
        again = (
            other.side, other.evaluate(), sorted(self.listed(other, NOISY, 0)), sorted(self.listed(other, QUIET, 0))
        )
        self.hold("key", again == whole, f"set up afresh the position is {again}, not {whole}")

    cdef check_upper_bits(self):
        """Whether the keys seen so far are spread over the table: their upper bits choose the place."""
        cdef int places = len({key >> 56 for key in self.seen}), keys = len(self.seen)
        self.hold("key", 2 * places >= min(keys, 256), f"the upper 8 bits of {keys} keys have {places} values")

    cdef check_legal_moves(self, list legal):
        cdef int counted = self.game.count_legal()
        self.hold(
            "count_legal", counted == -1 or counted == len(legal), f"count_legal() is {counted}, not {len(legal)}"
        )
        for_python = getattr(self.game, "legal_moves", None)
        if for_python is None or self.game.outcome(0) != ONGOING:
            return
        found = set(for_python())
        missing = set(legal) - found
        self.hold("legal_moves", not missing, f"legal_moves() lacks {sorted(missing)}")
        if self.generates_all:
            self.hold("legal_moves", found <= set(legal), f"legal_moves() has {sorted(found - set(legal))} besides")

    cdef check_result(self, list legal):
        cdef int outcome = self.game.outcome(0)
        if self.result is None:
            return
        if outcome == ONGOING and not legal and self.game.outcome(len(self.path)) == ONGOING:
            outcome = LOST if self.game.stalemate_is_loss or self.game.in_check() else DRAWN
        expected = {
            <int> ONGOING: "ongoing", <int> DRAWN: "drawn", <int> WON: "won", <int> LOST: "lost",
            <int> RULED_WON: "won", <int> RULED_LOST: "lost",
        }.get(outcome)
        found = self.result(self.game)
        self.hold("outcome", found == expected, f"outcome() says {expected} ({outcome}), and the result is {found}")

    cdef check_copy(self, tuple state, list legal):
        """A copy answers alike, even where nothing has been asked before, and goes its own way."""
        cdef Game twin = self.game.copy()
        cdef Move move
        cdef int plies = 0
        self.hold("copy", type(twin) is type(self.game), f"copy() of a {type(self.game)} is a {type(twin)}")
        self.same("copy", state, self.observed(twin), "in a copy")
        if state[2] != ONGOING:
            return
        twin = self.game.copy()
        self.same("questions", state, self.observed(twin, True), "in a copy that is asked in another order")
        twin = self.game.copy()
        possible = []
        for move in state[4] + state[6]:
            if twin.make(move):
                twin.unmake()
                possible.append(move)
        self.hold("make", possible == legal, f"make() plays {possible} in a copy not asked before, and {legal} here")
        while plies < 8 and twin.outcome(plies) == ONGOING:
            twin.in_check()
            moves = self.listed(twin, NOISY, 0)
            moves += self.listed(twin, QUIET, len(moves))
            self.chance.shuffle(moves)
            for move in moves:
                if twin.make(move):
                    plies += 1
                    break
            else:
                break
        self.same("copy", state, self.observed(self.game), "after moves of its copy")
        for move in legal[:4]:
            self.game.make(move)
            self.game.unmake()
        while plies:
            twin.unmake()
            plies -= 1
        self.same("copy", self.glimpsed(self.game), self.glimpsed(twin), "in a copy that has taken back its moves")

    cdef check_threads(self):
        """Two copies that are played at the same time give the answers that each gives alone."""
        seeds = [self.chance.getrandbits(60), self.chance.getrandbits(60)]
        alone = [digest_of(self.game.copy(), seed) for seed in seeds]
        barrier = Barrier(2)
        together = [None, None]

        def run(index, copy):
            together[index] = digest_of(copy, seeds[index], barrier)

        threads = [Thread(target=run, args=(index, self.game.copy())) for index in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.hold("threads", together == alone, f"the answers of two copies come to {alone} alone, {together} together")

    cdef check_solver(self, tuple state):
        cdef Game game = self.game
        cdef uint64_t nodes = 1
        cdef Move line[MAX_PLY + GUARD]
        cdef int length = 0, plies, shorter, i, _i, made = 0
        plies = game.probe_solver(self.chance.randrange(AT_SIGHT, 4), &nodes)
        self.hold(
            "solver", nodes >= 1 and -<int> MAX_PLY <= plies <= <int> MAX_PLY,
            f"probe_solver(): {plies} plies, {nodes} nodes",
        )
        self.same("solver", state, self.observed(game), "after probe_solver()")
        nodes = 1
        for i in range(GUARD):
            line[MAX_PLY + i] = UNTOUCHED
        plies = game.solve_root(SOLVER_BUDGET, &nodes, line, &length, None)
        self.same("solver", state, self.observed(game), "after solve_root()")
        self.hold(
            "solver", nodes >= 1 and -<int> MAX_PLY <= plies <= <int> MAX_PLY and 0 <= length <= MAX_PLY,
            f"solve_root(): {plies} plies, {nodes} nodes, {length} moves",
        )
        for i in range(GUARD):
            self.hold("solver", line[MAX_PLY + i] == UNTOUCHED, "solve_root() writes beyond MAX_PLY moves")
        if plies > 0:
            self.hold("solver", length >= 1, f"solve_root() finds a win in {plies}, and no move")
        if plies == 1:
            self.hold("solver", self.wins_at_once(game, line[0]), f"solve_root(): move {line[0]} does not win at once")
        for i in range(length):
            if not game.pseudo_legal(line[i]) or not game.make(line[i]):
                self.fail("solver", f"move {i + 1} of {[line[j] for j in range(length)]} cannot be played")
            made += 1
        for _i in range(made):
            game.unmake()
        if plies > 1:
            shorter = game.shorten(plies, SOLVER_BUDGET, &nodes, line, &length, None)
            self.hold("solver", -1 <= shorter < plies, f"shorten({plies}) finds {shorter}")
        game.solve_root(SOLVER_BUDGET, &nodes, line, &length, Stop())
        self.same("solver", state, self.observed(game), "after solve_root() was told to stop")


def check_game(
    make_position, int games, int seed, *, int plies=60, bint generates_all=True, bint exact_checks=True, fresh=None,
    result=None, show=None,
):
    """Play random games of at most `plies` plies and check the contract of Game at every position.

    Parameters
    ----------
    make_position : callable
        Takes a random.Random and returns a Game to start from.
    generates_all : bool
        Whether generate() gives all that pseudo_legal() accepts. False for a game that leaves out moves which are not
        worth a look.
    exact_checks : bool
        Whether gives_check() is always right. False for a game in which it is an estimate.
    fresh : callable, optional
        Takes the Game and returns the same position, set up without the moves that led to it.
    result : callable, optional
        Takes the Game and returns how it stands for the side to move: "ongoing", "drawn", "won" or "lost".
    show : callable, optional
        Takes the Game and returns it as text, for the message. Without it: its FEN, or its key.

    Returns how often each of CLAUSES was checked. Raises ContractBroken at the first that does not hold.
    """
    if not 1 <= plies <= MAX_PLIES:
        raise ValueError(f"{plies} plies: expected 1 to {<int> MAX_PLIES}")
    chance = random.Random(seed)
    counts = dict.fromkeys(CLAUSES, 0)
    seen = {}
    cdef Checker checker
    for _ in range(games):
        checker = Checker(
            make_position(chance), chance, counts, seen, generates_all, exact_checks, fresh, result,
            show or shown_by_default,
        )
        checker.play(plies)
    return counts
