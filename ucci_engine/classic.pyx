"""The classic players: the first two steps of many a Xiangqi program. docs/classic-players.md.

"classic-1ply" counts material after each of its moves. "classic-4ply" is a principal variation search of four plies,
without quiescence. Both play by the rules, and draw lots among moves of equal score.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

from search_core.game cimport (
    DRAWN, EVASION, LOST, NO_MOVE, ONGOING, PENDING_LOST, RULED_LOST, RULED_WON, Move,
)
from search_core.signals cimport Signals
from search_core.splitmix cimport scrambled
from ucci_engine.board cimport CANNON_KIND, RANK_OF, SQUARES, Board
from ucci_engine.position cimport MAX_MOVES, Position

from ucci_engine.levels import CLASSIC_1PLY

cdef enum:
    DEPTH = 4
    LINE = DEPTH + 2
    WIDTH = 7             # best by history, and best by the one-move score
    KILLERS = 4
    HISTORY_SLOTS = 14 * SQUARES
    PAWN = 6              # the kind
    KING_VALUE = 1500
    RULED_VALUE = 1400    # a loss by a rule on repetitions: worse than any material, better than mate
    MAX_MATERIAL = 1300
    INFINITE = 30000
    POLL_NODES = 1024

# By kind: king, advisor, elephant, horse, chariot, cannon, pawn.
cdef int[7] VALUES_1PLY = [KING_VALUE, 10, 10, 50, 100, 50, 20]
cdef int[7] VALUES_4PLY = [KING_VALUE, 60, 60, 80, 100, 80, 10]
cdef int CROSSED_PAWN = 20  # of the player of four plies
# A score in centipawns: a pawn at home is worth 100.
cdef int UNIT_1PLY = 5
cdef int UNIT_4PLY = 10


cdef class ClassicSearch:
    """One search of a classic player."""

    cdef Position position
    cdef Signals signals
    cdef int depth_limit, unit
    cdef uint64_t nodes
    cdef bint stopped, may_stop
    cdef int32_t[14][SQUARES] value
    cdef int32_t[HISTORY_SLOTS] history
    cdef Move[LINE][KILLERS] killers
    cdef Move[LINE][LINE] line     # the principal variation from each ply
    cdef int[LINE] line_length
    cdef Move[LINE] previous       # that of the last iteration
    cdef int previous_length
    cdef Move[MAX_MOVES] root
    cdef uint64_t[MAX_MOVES] lot  # decides between root moves of equal score
    cdef bint[MAX_MOVES] loses_by_rule
    cdef int root_count
    cdef Move best
    cdef int best_score

    def __cinit__(self, Position position not None, str name not None, seed, Signals signals not None):
        cdef const int* values
        cdef int kind, square, rank
        self.position = position.copy()
        self.signals = signals
        if name == CLASSIC_1PLY:
            values, self.depth_limit, self.unit = VALUES_1PLY, 1, UNIT_1PLY
        else:
            values, self.depth_limit, self.unit = VALUES_4PLY, DEPTH, UNIT_4PLY
        for kind in range(14):
            for square in range(SQUARES):
                rank = RANK_OF[square] if kind < 7 else 9 - RANK_OF[square]
                self.value[kind][square] = values[kind % 7]
                if kind % 7 == PAWN and rank >= 5 and self.depth_limit > 1:
                    self.value[kind][square] = CROSSED_PAWN

    cdef void list_root(self, uint64_t seed, wanted, excluded) except *:
        """Find the legal moves that may be played, give each a lot, and note those that lose by a rule."""
        cdef Move[MAX_MOVES] moves
        cdef int i, count
        self.position.in_check()
        count = self.position.generate(EVASION, moves)
        self.order(moves, count, 0)
        for i in range(count):
            if (wanted and moves[i] not in wanted) or moves[i] in excluded or not self.position.make(moves[i]):
                continue
            self.root[self.root_count] = moves[i]
            self.lot[self.root_count] = scrambled(seed ^ <uint64_t> moves[i] << 40)
            self.loses_by_rule[self.root_count] = self.may_lose_by_rule()
            self.position.unmake()
            self.root_count += 1

    cdef bint may_lose_by_rule(self) noexcept nogil:
        """Whether the game is lost by a rule on repetitions after the move just made, or after a reply to it."""
        cdef Move[MAX_MOVES] moves
        cdef int i, count
        cdef bint lost = False
        self.position.in_check()
        if self.position.outcome(1) == RULED_WON:
            return True
        count = self.position.generate(EVASION, moves)
        for i in range(count):
            if not lost and self.position.make(moves[i]):
                lost = self.position.outcome(2) == RULED_LOST
                self.position.unmake()
        return lost

    cdef int material(self) noexcept nogil:
        """The balance of material for the side to move."""
        cdef const Board* board = &self.position.states[self.position.length].board
        cdef int square, slot, kind, balance = 0
        for square in range(SQUARES):
            slot = board.at[square]
            if slot:
                kind = self.position.kind_of[slot]
                balance += -self.value[kind][square] if kind >= 7 else self.value[kind][square]
        return -balance if self.position.side else balance

    cdef int won(self, Move move) noexcept nogil:
        """What a move adds to the mover's balance."""
        cdef const Board* board = &self.position.states[self.position.length].board
        cdef int origin = move & 127, target = move >> 7
        cdef int kind = self.position.kind_of[board.at[origin]]
        cdef int victim = board.at[target]
        cdef int sum = self.value[kind][target] - self.value[kind][origin]
        if victim:
            sum += self.value[self.position.kind_of[victim]][target]
        return sum

    # ------------------------------------------------------------- the order of moves

    cdef void order(self, Move* moves, int count, int ply) noexcept nogil:
        """Sort: the last line's move, killers, the best by history, the best by the one-move score, the others."""
        cdef int32_t[MAX_MOVES] scores
        cdef int i, placed = 0
        if ply < self.previous_length:
            placed = self.put(moves, count, placed, self.previous[ply])
        for i in range(KILLERS):
            placed = self.put(moves, count, placed, self.killers[ply][i])
        for i in range(placed, count):
            scores[i] = self.history[self.position.history_slot(moves[i])]
        placed = put_best(moves, scores, count, placed)
        self.score_moves(moves, scores, count, placed)
        put_best(moves, scores, count, placed)

    cdef int put(self, Move* moves, int count, int placed, Move move) noexcept nogil:
        """Put a move, if it is in the list, behind those that have their place; return how many have."""
        cdef int i
        for i in range(placed, count):
            if moves[i] == move:
                moves[i] = moves[placed]
                moves[placed] = move
                return placed + 1
        return placed

    cdef void score_moves(self, const Move* moves, int32_t* scores, int count, int placed) noexcept nogil:
        """The one-move score: the value of the target, plus the mover's own where another piece of its side guards it.

        A piece guards a point if it could move there too; a cannon guards only what it could take.
        """
        cdef const Board* board = &self.position.states[self.position.length].board
        cdef int[SQUARES] guards
        cdef int i, slot, kind, target, victim
        cdef bint shoots
        memset(guards, 0, sizeof(guards))
        for i in range(count):
            target = moves[i] >> 7
            kind = self.position.kind_of[board.at[moves[i] & 127]] % 7
            guards[target] += kind != CANNON_KIND or board.at[target] != 0
        for i in range(placed, count):
            target = moves[i] >> 7
            slot = board.at[moves[i] & 127]
            victim = board.at[target]
            kind = self.position.kind_of[slot]
            shoots = kind % 7 != CANNON_KIND or victim != 0
            scores[i] = self.value[self.position.kind_of[victim]][target] if victim else 0
            if guards[target] > shoots and kind % 7:
                scores[i] += self.value[kind][target]

    cdef void reward(self, Move move, int depth, int ply) noexcept nogil:
        """A move was good enough for a cut-off."""
        cdef int i
        self.history[self.position.history_slot(move)] += depth * depth
        if self.killers[ply][0] == move:
            return
        for i in range(KILLERS - 1, 0, -1):
            self.killers[ply][i] = self.killers[ply][i - 1]
        self.killers[ply][0] = move

    # ------------------------------------------------------------- the search

    cdef int search(self, int depth, int ply, int alpha, int beta, int material) noexcept nogil:
        cdef Move[MAX_MOVES] moves
        cdef int i, count, outcome, score, best = -INFINITE
        cdef bint in_check = self.position.in_check()
        self.line_length[ply] = 0
        outcome = self.position.outcome(ply)
        if outcome != ONGOING:
            if outcome == DRAWN:
                return 0
            return -RULED_VALUE if outcome in (RULED_LOST, PENDING_LOST, LOST) else RULED_VALUE
        if depth == 0:
            if in_check and not self.position.has_legal_move():
                return ply - KING_VALUE
            return min(max(material, -MAX_MATERIAL), MAX_MATERIAL)
        count = self.position.generate(EVASION, moves)
        self.order(moves, count, ply)
        for i in range(count):
            score = self.won(moves[i])
            if not self.position.make(moves[i]):
                continue
            self.count_node()
            score = self.try_move(depth, ply, alpha, beta, -(material + score), best > -INFINITE)
            self.position.unmake()
            if self.stopped:
                return 0
            if score > best:
                best = score
                if score > alpha:
                    alpha = score
                    self.keep_line(ply, moves[i])
                    if score >= beta:
                        self.reward(moves[i], depth, ply)
                        return score
        return ply - KING_VALUE if best == -INFINITE else best

    cdef int try_move(self, int depth, int ply, int alpha, int beta, int material, bint narrow) noexcept nogil:
        """The score of the move just made; `narrow`: first by a null window."""
        cdef int score
        if narrow:
            score = -self.search(depth - 1, ply + 1, -alpha - 1, -alpha, material)
            if score <= alpha or score >= beta:
                return score
        return -self.search(depth - 1, ply + 1, -beta, -alpha, material)

    cdef void count_node(self) noexcept nogil:
        self.nodes += 1
        if self.nodes % POLL_NODES == 0 and self.may_stop and self.signals.is_stopped():
            self.stopped = True

    cdef void keep_line(self, int ply, Move move) noexcept nogil:
        cdef int k, length = self.line_length[ply + 1]
        self.line[ply][0] = move
        for k in range(length):
            self.line[ply][k + 1] = self.line[ply + 1][k]
        self.line_length[ply] = length + 1

    cdef void search_root(self, int depth) noexcept nogil:
        """One iteration. Of moves with equal scores, the one with the highest lot is best."""
        cdef int i, alpha, score, material = self.material(), best = -INFINITE
        cdef uint64_t best_lot = 0
        cdef Move move, best_move = NO_MOVE
        for i in range(self.root_count):
            move = self.root[i]
            score = self.won(move)
            self.position.make(move)
            self.count_node()
            alpha = best - (self.lot[i] > best_lot)
            self.line_length[1] = 0
            if self.loses_by_rule[i]:
                score = -RULED_VALUE
            elif best_move == NO_MOVE:
                score = self.try_move(depth, 0, -INFINITE, INFINITE, -(material + score), False)
            else:
                score = self.try_move(depth, 0, alpha, INFINITE, -(material + score), True)
            self.position.unmake()
            if self.stopped:
                return
            if best_move == NO_MOVE or score > alpha:
                best, best_lot, best_move = score, self.lot[i], move
                self.keep_line(0, move)
        self.best, self.best_score = best_move, best
        self.previous_length = self.line_length[0]
        for i in range(self.previous_length):
            self.previous[i] = self.line[0][i]

    cdef void put_first(self, Move move) noexcept nogil:
        """Search this root move first in the next iteration."""
        cdef int i
        for i in range(self.root_count):
            if self.root[i] == move:
                self.root[i], self.root[0] = self.root[0], self.root[i]
                self.lot[i], self.lot[0] = self.lot[0], self.lot[i]
                self.loses_by_rule[i], self.loses_by_rule[0] = self.loses_by_rule[0], self.loses_by_rule[i]
                return

    cdef int run(self) noexcept nogil:
        """Search; return the depth of the last complete iteration."""
        cdef int depth
        for depth in range(1, self.depth_limit + 1):
            self.may_stop = depth > 1  # the first iteration always gives a move
            self.search_root(depth)
            if self.stopped:
                return depth - 1
            self.put_first(self.best)
        return self.depth_limit


cdef int put_best(Move* moves, int32_t* scores, int count, int placed) noexcept nogil:
    """Put the WIDTH moves of the highest positive scores behind those that have their place; return how many have."""
    cdef int i, best
    for _ in range(WIDTH):
        best = placed
        for i in range(placed + 1, count):
            if scores[i] > scores[best]:
                best = i
        if placed >= count or scores[best] <= 0:
            return placed
        moves[best], moves[placed] = moves[placed], moves[best]
        scores[best], scores[placed] = scores[placed], scores[best]
        placed += 1
    return placed


def find(
    Position position not None, str name not None, seed: int, Signals signals not None, root_moves=(), excluded_moves=()
) -> tuple:
    """The player's move: (best or None, score in centipawns, depth, nodes, the principal variation).

    The same seed gives the same move at the same place of the same game. `root_moves`, if not empty, are all that may
    be played.
    """
    cdef ClassicSearch search = ClassicSearch(position, name, seed, signals)
    cdef int depth, i
    cdef uint64_t mixed = scrambled(<uint64_t> (seed & 0xFFFFFFFFFFFFFFFF) ^ position.key)
    search.list_root(scrambled(mixed + position.length), frozenset(root_moves), frozenset(excluded_moves))
    if search.root_count == 0:
        return None, 0, 0, 0, ()
    with nogil:
        depth = search.run()
    line = tuple([search.previous[i] for i in range(search.previous_length)])
    return search.best, search.best_score * search.unit, depth, search.nodes, line
