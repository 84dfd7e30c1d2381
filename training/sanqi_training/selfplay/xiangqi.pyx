"""Games of Xiangqi against itself."""

from sanqi_training.selfplay.player cimport SelfPlayer
from search_core.game cimport MATE_BOUND
from ucci_engine.position cimport Position

from ucci_engine.evaluators import default_evaluator

cdef enum:
    LONGEST = 400  # plies
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


cdef class XiangqiPlayer(SelfPlayer):
    """Plays games of Xiangqi.

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
    cdef object avoided

    def __init__(self, int nodes, str evaluator, avoided=frozenset()):
        self.position = Position(evaluator=default_evaluator(evaluator))
        self.prepare(self.position, nodes)
        self.avoided = avoided

    cdef tuple ends(self):
        return ENDS

    cdef int result_of_first(self, end) except -1:
        if end in ("mate", "stalemate", "perpetual-loss"):  # lost by the side to move
            return 2 * self.position.side
        if end == "perpetual-win" or (end == "won" and self.scores[self.plies - 1] > 0):
            return 2 - 2 * self.position.side
        return 2 * self.position.side if end == "won" else 1

    cdef list draw_opening(self, chance):
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
        cdef int score, red_score, agreed = 0, level = 0, returns = 0
        seen = set()
        while self.plies < LONGEST:
            found = self.position.result()
            if found != "ongoing":
                return ENDS.index(found)
            returns += self.position.key in seen
            if returns == DRAWN_RETURNS:
                return ENDS.index("drawn")
            seen.add(self.position.key)
            score = self.search_move()
            if self.plies == 1 and abs(score) > MAX_OPENING_CP:
                return -1
            level = level + 1 if abs(score) <= DRAWN_CP and self.plies > DRAWN_FROM_PLY else 0
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
