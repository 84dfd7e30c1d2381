"""A search below full strength: it looks at less, and overlooks moves that are hard to see.

docs/levels.md explains it. At full strength this class is not used.
"""

from libc.stdint cimport uint64_t

from search_core.game cimport EVASION, INFINITE_SCORE, NO_SCORE, NOISY, QUIET, Move
from search_core.search cimport RootMove, Search
from search_core.splitmix cimport scrambled
from search_core.stack cimport StackEntry
from search_core.transposition_table cimport TranspositionTable
from search_core.tree_search cimport DEEPEST, PV_NODE

cdef enum:
    # The same moves stay unseen for this number of plies.
    STRETCH = 8
    # A root move that is easier to see than this is never overlooked.
    MIN_OBSCURITY_AT_ROOT = 96
    # Centipawns: a capture that wins more is seen by those who see captures.
    MATERIAL = 60


cdef class WeakSearch(Search):
    """The search of one move at a level. Call weaken() first."""

    def weaken(self, handicap) -> None:
        """Take a mapping with all fields of the struct Handicap. The game must have been weakened in the same way."""
        self.handicap = handicap
        self.node_limit = self.handicap.nodes
        if self.handicap.depth:
            self.depth_limit = self.handicap.depth

    def init_root_moves(self, only=(), excluded=()) -> int:
        """As in Search, without the moves that are overlooked."""
        cdef int i, kept = 0
        cdef Move move
        Search.init_root_moves(self, only, excluded)
        self.blind_key = scrambled(self.handicap.seed ^ scrambled(self.game.age() // STRETCH + 1))
        if not self.handicap.blind_permille or self.game.in_check():
            return self.root_count
        for i in range(self.root_count):
            move = self.root_moves[i].move
            if (kept == 0 and i == self.root_count - 1) or not (
                (
                    (
                        2 * self.draw(move) < self.handicap.careless_permille
                        or self.game.obscurity(move) >= MIN_OBSCURITY_AT_ROOT
                    )
                    and self.overlooks(0, move)
                )
                or (self.draw(move) < self.handicap.unrelated_permille and not self.game.relates(move))
            ):
                self.root_moves[kept] = self.root_moves[i]
                kept += 1
        self.filtered = self.filtered or kept < self.root_count
        self.root_count = kept
        return kept

    cdef int draw(self, Move move) noexcept nogil:
        """A number from 0 to 999, the same for a move in one stretch of the game."""
        return <int> (scrambled(self.blind_key ^ scrambled(move)) % 1000)

    cdef bint overlooks(self, int ply, Move move) noexcept nogil:
        """Whether a pseudo-legal move is overlooked: always the same moves in one stretch of the game.

        Never a mate, and never what the game calls obvious, unless the level is careless.
        """
        cdef int drawn = self.draw(move)
        cdef bint careless = drawn < self.handicap.careless_permille
        if not careless and (
            drawn >= self.handicap.blind_permille
            or 255 * drawn >= self.handicap.blind_permille * self.game.obscurity(move)
        ):
            return False
        if (
            ply <= 1 and self.handicap.sees_captures > 1 - ply
            and self.game.gain(move) > MATERIAL and self.game.see_ge(move, MATERIAL)
        ):
            return False
        return careless or not (self.game.gives_check(move) and self.mates(ply, move))

    cdef bint mates(self, int ply, Move move) noexcept nogil:
        """Whether a pseudo-legal move mates at once."""
        cdef Move* replies = self.arena.moves + (ply + 1) * self.max_moves
        cdef int i, count
        cdef bint mated
        if not self.game.make(move):
            return False
        mated = self.game.in_check()
        if mated:
            count = self.game.generate(EVASION, replies)
            for i in range(count):
                if self.game.make(replies[i]):
                    self.game.unmake()
                    mated = False
                    break
        self.game.unmake()
        return mated

    cdef bint loses_material(self, int gain) noexcept nogil:
        """Whether the side to move can capture more at once than the `gain` of the move that was just made."""
        cdef Move* replies = self.arena.moves + self.max_moves
        cdef int i, count = self.game.generate(EVASION if self.game.in_check() else NOISY, replies)
        for i in range(count):
            if (
                self.game.gain(replies[i]) > gain + MATERIAL and self.game.see_ge(replies[i], gain + MATERIAL)
                and self.game.make(replies[i])
            ):
                self.game.unmake()
                return True
        return False

    def keys_after_replies(self, Move move) -> list:
        """The keys of the positions after a legal root move and each reply that the game generates."""
        cdef Move* replies = self.arena.moves + self.max_moves
        cdef int i, count, stage
        cdef int stages[3]
        stages[0] = EVASION
        stages[1] = NOISY
        stages[2] = QUIET
        keys = []
        self.game.make(move)
        for stage in range(0 if self.game.in_check() else 1, 3):
            count = self.game.generate(stages[stage], replies)
            for i in range(count):
                if self.game.make(replies[i]):
                    keys.append(self.game.key)
                    self.game.unmake()
        self.game.unmake()
        return keys

    def compare(self, int depth, uint64_t most_nodes, bint careful) -> list:
        """Search each root move with a full window: (score, whether it loses material to a capture, pv) of each.

        For use after run(). If `careful`, nothing is overlooked any more, but late quiet moves. Ends early, with fewer
        moves, at a stop, at the hard limit of time, or after `most_nodes`.
        """
        cdef int i, j, score, side = self.game.side, gain
        cdef bint loses
        cdef StackEntry* here = &self.plies[0]
        cdef RootMove* line
        found = []
        if careful:
            self.handicap.blind_permille = self.handicap.careless_permille = 0
            self.blind = False
            self.quiescence_plies = DEEPEST
            self.table = TranspositionTable(1)  # the old one has scores of what overlooks
        self.stopped = False
        self.next_poll = 0
        self.node_limit = self.node_count + most_nodes
        self.root_depth = depth
        here.in_check = self.game.in_check()
        here.static_eval = NO_SCORE if here.in_check else self.game.evaluate()
        here.side = side
        for i in range(self.root_count):
            line = &self.root_moves[i]
            here.move = line.move
            here.slot = self.game.history_slot(line.move)
            here.noisy = self.game.noisy(line.move)
            gain = self.game.gain(line.move)
            if self.has_chance:
                self.note_outcomes(here, line.move)
            if not self.game.make(line.move):
                continue
            with nogil:
                self.node_count += 1
                self.plies[1].pv_length = 0
                loses = self.game.side != side and self.loses_material(gain)
                score = self.child(side, -INFINITE_SCORE, INFINITE_SCORE, depth - 1, 1, PV_NODE)
            self.game.unmake()
            if self.stopped:
                break
            pv = [line.move]
            for j in range(self.plies[1].pv_length):
                pv.append(self.plies[1].pv[j])
            found.append((score, loses, tuple(pv)))
        self.publish_nodes()
        return found
