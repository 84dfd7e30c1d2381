"""Games of Gomoku against itself."""

from libc.stdint cimport int32_t

from gomoku_protocol.board cimport FIRST_POINT, MAX_BOARD
from gomoku_protocol.position cimport Position
from sanqi_training.selfplay.player cimport SelfPlayer
from search_core.game cimport MATE_BOUND, QUIET, Move

from math import exp

from gomoku_protocol.points import move_at

cdef enum:
    # Of a move in a record: it was drawn at random.
    RANDOM = 1 << 12
    # When both sides see no more than this for so many plies running, the game is drawn.
    DRAWN_CP = 10
    DRAWN_PLIES = 16

OPENING_PLIES = (2, 3, 4, 5, 6, 7, 8)
"""How many random stones a game begins with: one of these numbers."""
OPENING_SPREADS = (2, 3, 4)
"""How far from the centre they may be, in either direction: one of these numbers."""
MAX_OPENING_CP = 200
"""How far ahead either side may be after them."""
ENDS = ("won", "full", "drawn")
"""How a game ended: a forced win was seen, the board was full, or the scores were level for long."""
RANDOM_MOVE = RANDOM
"""Added to a move of a record that was drawn at random, in place of the move that the search found."""
_ORDER_SPREAD = 4500
"""By how many units of order() a move must be better to be e times as likely to be drawn."""


cdef class GomokuPlayer(SelfPlayer):
    """Plays games of Gomoku.

    Parameters
    ----------
    nodes : int
        A search begins no iteration after so many.
    rule : int
        One of points.RULES.
    size : int
        Points a side. Raises ValueError, as of Position.
    random_moves : int
        Of 100 moves, how many are drawn at random, likely ones more often: a search meets such positions, too.
    """

    cdef Position position
    cdef object chance
    cdef int random_moves

    def __init__(self, int nodes, int rule, int size, int random_moves):
        self.random_moves = random_moves
        self.position = Position(size, size, rule)
        self.prepare(self.position, nodes)

    cdef tuple ends(self):
        return ENDS

    cdef int pack_move(self, int move) noexcept:
        return (move & ~<int> RANDOM) - FIRST_POINT | move & <int> RANDOM

    cdef int result_of_first(self, end) except -1:
        if end != "won":
            return 1
        return 2 - 2 * self.position.side if self.scores[self.plies - 1] > 0 else 2 * self.position.side

    cdef list draw_opening(self, chance):
        self.chance = chance
        # A new one, since a position keeps what its threat search has found.
        self.position = Position(self.position.width, self.position.height, self.position.rule)
        self.prepare(self.position, self.search.soft_nodes)
        spread, plies = chance.choice(OPENING_SPREADS), chance.choice(OPENING_PLIES)
        centre = self.position.width // 2
        near = range(max(centre - spread, 0), min(centre + spread, self.position.width - 1) + 1)
        points = [int(move_at(x, y)) for x in near for y in near]
        while True:
            while self.position.moves:
                self.position.pop()
            chance.shuffle(points)
            for move in points:
                if len(self.position.moves) < plies and self.position.is_legal(move):
                    self.position.push(move)
            if self.position.winner is None and len(self.position.moves) == plies:
                return [int(move) for move in self.position.moves]

    cdef int play_on(self) except -2:
        cdef int score, level = 0
        while not self.position.full:
            score = self.search_move()
            if self.plies == 1 and abs(score) > MAX_OPENING_CP:
                return -1
            level = level + 1 if abs(score) <= DRAWN_CP else 0
            if abs(score) >= MATE_BOUND:
                return ENDS.index("won")
            if level >= DRAWN_PLIES:
                return ENDS.index("drawn")
            if self.random_moves and self.chance.randrange(100) < self.random_moves and not self.position.in_check():
                self.moves[self.plies - 1] = self.draw_move() | <int> RANDOM
            self.position.push(self.moves[self.plies - 1] & ~<int> RANDOM)
        return ENDS.index("full")

    cdef int draw_move(self) except -1:
        """A quiet move, or without any the one that was found."""
        cdef Move moves[MAX_BOARD]
        cdef int32_t scores[MAX_BOARD]
        cdef int32_t slots[MAX_BOARD]
        cdef int i, count = self.position.generate(QUIET, moves)
        self.position.order(QUIET, moves, count, scores, slots)
        legal = {moves[i]: scores[i] for i in range(count) if self.position.is_legal(moves[i])}
        if not legal:
            return self.moves[self.plies - 1]
        best = max(legal.values())
        return self.chance.choices(list(legal), [exp((score - best) / _ORDER_SPREAD) for score in legal.values()])[0]
