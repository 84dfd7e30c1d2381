"""Games of Xiangqi against itself: each move is that of a search with a soft limit of nodes."""

from libc.stdint cimport int16_t, uint16_t

from search_core.game cimport MATE_BOUND, Move
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

OPENING_PLIES = (8, 9)
"""How many random moves a game begins with: one of these numbers."""
MAX_OPENING_CP = 300
"""How far ahead either side may be after them."""
ENDS = (
    "mate", "stalemate", "perpetual-win", "perpetual-loss", "repetition", "no-capture", "material",
    "won", "drawn", "too-long",
)
"""How a game ended: as Position.result(), or decided by the scores ("won", "drawn")."""
HEAD = struct.Struct("<BBBxHH")
"""Of a game: Red's result (0 lost, 1 drawn, 2 won), its end in ENDS, 0, moves of the opening, plies after it."""


cdef class XiangqiPlayer:
    """Plays games. A game depends on nothing but its seed.

    Parameters
    ----------
    nodes : int
        A search begins no iteration after so many.
    evaluator : str
        One of ucci_engine.evaluators.
    avoided : set of int
        Keys of positions that no game may meet in its opening.
    """

    cdef Position position
    cdef Search search
    cdef TranspositionTable table
    cdef object avoided
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
        cdef int first = 0
        cdef int plies = 0, end = -1
        while end < 0:
            opening = self.draw_opening(chance)
            self.table.clear(0, self.table.bytes, False)
            self.search.clear()
            plies = 0
            end = self.play_on(&plies)
        red = 1
        if ENDS[end] in ("mate", "stalemate", "perpetual-loss"):  # lost by the side to move
            red = 2 * self.position.side
        elif ENDS[end] == "perpetual-win":
            red = 2 - 2 * self.position.side
        elif ENDS[end] == "won":
            first = len(opening) + plies - 1  # the ply of the last score
            red = 2 if (self.scores[plies - 1] > 0) == (first % 2 == 0) else 0
        pairs = [number for ply in range(plies) for number in (self.moves[ply], self.scores[ply])]
        return HEAD.pack(red, end, 0, len(opening), plies) + struct.pack(
            f"<{len(opening)}H{'Hh' * plies}", *opening, *pairs
        )

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

    cdef int play_on(self, int* plies) except -2:
        """Play to the end, which is returned as a place in ENDS; -1: the opening was not balanced."""
        cdef int score, red_score, leader = 0, agreed = 0, level = 0, ply
        cdef Move move
        for ply in range(MAX_PLIES):
            found = self.position.result()
            if found != "ongoing":
                plies[0] = ply
                return ENDS.index(found)
            self.table.next_age()
            self.search.init_root_moves()
            self.search.run()
            move = self.search.root_moves[0].move
            score = self.search.root_moves[0].score
            if ply == 0 and abs(score) > MAX_OPENING_CP:
                return -1
            self.moves[ply] = move
            self.scores[ply] = score
            red_score = -score if self.position.side else score
            if abs(score) < WON_CP:
                agreed = 0
            elif agreed and (red_score > 0) == (leader > 0):
                agreed += 1
            else:
                agreed = 1
            leader = red_score
            level = level + 1 if abs(score) <= DRAWN_CP and ply >= DRAWN_FROM_PLY else 0
            plies[0] = ply + 1
            if agreed >= WON_PLIES or abs(score) >= MATE_BOUND:
                return ENDS.index("won")
            if level >= DRAWN_PLIES:
                return ENDS.index("drawn")
            self.position.push(move)
        return ENDS.index("too-long")
