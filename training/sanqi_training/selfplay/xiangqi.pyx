"""Games of Xiangqi against itself: each move is that of a search with a soft limit of nodes."""

from libc.stdint cimport int16_t, uint16_t

from search_core.game cimport MATE_BOUND
from search_core.search cimport Search
from search_core.transposition_table cimport TranspositionTable
from ucci_engine.position cimport Position

import random
import struct

from search_core.signals import Signals
from ucci_engine.evaluators import default_evaluator

cdef enum:
    MAX_PLIES = 400
    HARD_FACTOR = 8         # of the soft limit: no search is longer
    TABLE_MB = 4
    # An end is decided late: when a mate is seen, or both sides agree for so many plies running.
    WON_CP = 2000
    WON_PLIES = 6
    DRAWN_CP = 10
    DRAWN_PLIES = 20
    DRAWN_FROM_PLY = 140
    # Nor is much learnt of a game that goes in circles: of 180,738 plies 41,510 came after the fourth return to a
    # position, and 58 % of those are left out as near a repetition.
    DRAWN_RETURNS = 4

OPENING_PLIES = (8, 9)
"""How many random moves a game begins with: one of these numbers."""
MAX_OPENING_CP = 300
"""How far ahead either side may be after them."""
ENDS = (
    "mate", "stalemate", "perpetual-win", "perpetual-loss", "repetition", "no-capture", "material",
    "won", "drawn", "too-long",
)
"""How a game ended: as Position.result(), or decided by the scores ("won", "drawn")."""
HEAD = struct.Struct("<BBxxHH")
"""Of a game: Red's result (0 lost, 1 drawn, 2 won), its end in ENDS, moves of the opening, plies after it."""


cdef class XiangqiPlayer:
    """Plays games. A game depends on nothing but its seed.

    Parameters
    ----------
    nodes : int
        A search begins no iteration after so many.
    evaluator : str
        As of default_evaluator(). Raises NetError, OSError.
    avoided : set of int
        Keys of positions that no game may meet in its opening.
    """

    cdef Position position
    cdef Search search
    cdef TranspositionTable table
    cdef object avoided
    cdef int plies  # since the opening
    cdef uint16_t moves[MAX_PLIES]
    cdef int16_t scores[MAX_PLIES]

    def __init__(self, int nodes, str evaluator, avoided=frozenset()):
        self.position = Position(evaluator=default_evaluator(evaluator))
        self.table = TranspositionTable(TABLE_MB)
        self.search = Search(self.position, self.table, Signals())
        self.search.soft_nodes = nodes
        self.search.node_limit = HARD_FACTOR * nodes
        self.avoided = avoided

    def play(self, seed: str) -> bytes:
        """A game, from the first balanced opening of a seed on: HEAD, the moves of the opening, and for each ply its
        move and its score for the side that moves (docs/nets.md)."""
        chance = random.Random(seed)
        cdef int end = -1
        while end < 0:
            opening = self.draw_opening(chance)
            self.table.clear(0, self.table.bytes, False)
            self.search.learnt.clear()
            end = self.play_on()
        pairs = [number for ply in range(self.plies) for number in (self.moves[ply], self.scores[ply])]
        head = HEAD.pack(self.result_for_red(ENDS[end]), end, len(opening), self.plies)
        return head + struct.pack(f"<{len(opening)}H{'Hh' * self.plies}", *opening, *pairs)

    cdef int result_for_red(self, end) except -1:
        """Of the game that has ended so: 0 lost, 1 drawn, 2 won."""
        if end in ("mate", "stalemate", "perpetual-loss"):  # lost by the side to move
            return 2 * self.position.side
        if end == "perpetual-win" or (end == "won" and self.scores[self.plies - 1] > 0):
            return 2 - 2 * self.position.side
        return 2 * self.position.side if end == "won" else 1

    cdef list draw_opening(self, chance):
        """Play random moves from the start of a game that do not end it."""
        while True:
            while self.position.length:
                self.position.pop()
            opening = []
            for _ in range(chance.choice(OPENING_PLIES)):
                legal = self.position.legal_moves()
                if not legal or self.position.key in self.avoided:
                    break
                move = int(chance.choice(legal))
                self.position.push(move)
                opening.append(move)
            else:
                if self.position.key not in self.avoided and self.position.result() == "ongoing":
                    return opening

    cdef int play_on(self) except -2:
        """Play to the end, which is returned as a place in ENDS; -1: the opening was not balanced."""
        cdef int score, red_score, agreed = 0, level = 0, returns = 0
        seen = set()
        self.plies = 0
        while self.plies < MAX_PLIES:
            found = self.position.result()
            if found != "ongoing":
                return ENDS.index(found)
            returns += self.position.key in seen
            if returns == DRAWN_RETURNS:
                return ENDS.index("drawn")
            seen.add(self.position.key)
            self.table.next_age()
            self.search.init_root_moves()
            self.search.run()
            score = self.search.root_moves[0].score
            if self.plies == 0 and abs(score) > MAX_OPENING_CP:
                return -1
            level = level + 1 if abs(score) <= DRAWN_CP and self.plies >= DRAWN_FROM_PLY else 0
            self.moves[self.plies] = self.search.root_moves[0].move
            self.scores[self.plies] = score
            self.plies += 1
            red_score = -score if self.position.side else score
            # How many plies running Red is ahead; below 0: Black.
            if red_score >= WON_CP:
                agreed = max(agreed, 0) + 1
            elif red_score <= -WON_CP:
                agreed = min(agreed, 0) - 1
            else:
                agreed = 0
            if abs(agreed) >= WON_PLIES or abs(score) >= MATE_BOUND:
                return ENDS.index("won")
            if level >= DRAWN_PLIES:
                return ENDS.index("drawn")
            self.position.push(self.moves[self.plies - 1])
        return ENDS.index("too-long")
