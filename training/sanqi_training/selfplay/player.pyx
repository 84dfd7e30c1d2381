"""Games of the program against itself: each move is that of a search with a soft limit of nodes."""

import random
import struct

from search_core.signals import Signals

cdef enum:
    HARD_FACTOR = 8  # of the soft limit: no search is longer
    TABLE_MB = 4

HEAD = struct.Struct("<BBxxHH")
"""Of a game: the first side's result (0 lost, 1 drawn, 2 won), its end in the game's ENDS, moves of the opening, plies
after it."""


cdef class SelfPlayer:
    """Plays games of one kind. A game depends on nothing but its seed."""

    cdef int prepare(self, Game game, int nodes) except -1:
        """Play this game, with searches that begin no iteration after so many nodes."""
        self.table = TranspositionTable(TABLE_MB)
        self.search = Search(game, self.table, Signals())
        self.search.soft_nodes = nodes
        self.search.node_limit = HARD_FACTOR * nodes
        return 0

    def play(self, seed: str) -> bytes:
        """A game, from the first balanced opening of a seed on: HEAD, the moves of the opening, and for each ply its
        move and its score for the side that moves (docs/nets.md)."""
        cdef int end = -1, ply
        chance = random.Random(seed)
        while end < 0:
            opening = [self.pack_move(move) for move in self.draw_opening(chance)]
            self.table.clear(0, self.table.bytes, False)
            self.search.learnt.clear()
            self.plies = 0
            end = self.play_on()
        pairs = [n for ply in range(self.plies) for n in (self.pack_move(self.moves[ply]), self.scores[ply])]
        head = HEAD.pack(self.result_of_first(self.ends()[end]), end, len(opening), self.plies)
        return head + struct.pack(f"<{len(opening)}H{'Hh' * self.plies}", *opening, *pairs)

    cdef int search_move(self) except? -1:
        """Search, and keep the move and its score, which is returned."""
        self.table.next_age()
        self.search.init_root_moves()
        self.search.run()
        self.moves[self.plies] = self.search.root_moves[0].move
        self.scores[self.plies] = self.search.root_moves[0].score
        self.plies += 1
        return self.scores[self.plies - 1]

    cdef list draw_opening(self, chance):
        """Play random moves that do not end the game: the opening."""
        raise NotImplementedError

    cdef int play_on(self) except -2:
        """Play to the end, which is returned as a place in ends(); -1: the opening was not balanced."""
        raise NotImplementedError

    cdef tuple ends(self):
        """The names of the ends of a game."""
        raise NotImplementedError

    cdef int result_of_first(self, end) except -1:
        """Of the side that began, in the game that has ended so: 0 lost, 1 drawn, 2 won."""
        raise NotImplementedError

    cdef int pack_move(self, int move) noexcept:
        """The move as the game's record has it."""
        return move
