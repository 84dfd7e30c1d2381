"""How hard a move of Xiangqi is to see for a person. Asked only below full strength, and slow."""

from libc.stdint cimport int8_t

from search_core.game cimport Move
from ucci_engine.any_pieces cimport reaches
from ucci_engine.board cimport (
    BLACK, CANNON_KIND, FILE_OF, HORSE_KIND, HORSE_LEG, KING, NOWHERE, PAWN_KIND, RANK_OF, ROOK_KIND,
    Board, State,
)

cdef enum:
    # Points for what makes a move hard to see.
    LONG = 90           # a slide of five points
    LONGER = 20         # each point more
    BACKWARD = 90       # a rook, cannon or horse goes back
    SIDEWAYS_HORSE = 60
    FAR_SCREEN = 70     # a cannon takes something at least five points away
    DISCOVERED = 150    # the piece that moves is not the one that gives check
    INTERPOSED = 70     # a piece goes between the king and what attacks it
    HARDEST = 255


cdef int last_target(const State* states, int length) noexcept nogil:
    """Where the opponent's last move went; NOWHERE: it is not known."""
    cdef int slot, enemy
    if length == 0:
        return NOWHERE
    enemy = BLACK >> states[length].board.side
    for slot in range(enemy, enemy + 16):
        if states[length].board.square[slot] != states[length - 1].board.square[slot]:
            return states[length].board.square[slot]
    return NOWHERE


cdef bint is_discovered(const Board* board, int kind, int target) noexcept nogil:
    """Whether a move that gives check does so with another piece, as far as its target shows."""
    cdef int king = board.square[(BLACK >> board.side) + KING]
    if kind == ROOK_KIND or kind == CANNON_KIND:
        return FILE_OF[target] != FILE_OF[king] and RANK_OF[target] != RANK_OF[king]
    if kind == HORSE_KIND:
        return HORSE_LEG[target][king] == NOWHERE
    if kind == PAWN_KIND:
        return abs(FILE_OF[target] - FILE_OF[king]) + abs(RANK_OF[target] - RANK_OF[king]) != 1
    return True


cdef int obscurity_of(
    const int8_t* kinds, const State* states, int length, Move move, bint checks, bint in_check
) noexcept nogil:
    """Game.obscurity(). `checks`: whether the move gives check; `in_check`: whether it answers one."""
    cdef const Board* board = &states[length].board
    cdef int origin = move & 127, target = move >> 7, points = 0
    cdef int kind = kinds[board.at[origin]] % 7
    cdef int forward = RANK_OF[target] - RANK_OF[origin]
    cdef int distance = abs(forward) + abs(FILE_OF[target] - FILE_OF[origin])
    cdef int last = last_target(states, length)
    # What the last move has attacked, and the piece that made it, everybody looks at.
    if last != NOWHERE and (target == last or reaches(kinds, board, last, origin)):
        return 0
    if board.side:
        forward = -forward
    if kind == ROOK_KIND or kind == CANNON_KIND:
        if distance >= 5:
            points += LONG + LONGER * (distance - 5)
            if kind == CANNON_KIND and board.at[target]:
                points += FAR_SCREEN
        if forward < 0:
            points += BACKWARD
    elif kind == HORSE_KIND:
        if forward < 0:
            points += BACKWARD
        if abs(forward) == 1:
            points += SIDEWAYS_HORSE
    if checks and is_discovered(board, kind, target):
        points += DISCOVERED
    if in_check and not board.at[target] and board.at[origin] & 15 != KING:
        points += INTERPOSED
    return min(points, HARDEST)
