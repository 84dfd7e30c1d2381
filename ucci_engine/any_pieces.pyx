"""What the pieces of a board can do whose slots may hold any kinds, on any point: slower than attacks.pxd, for
positions that are not those of a set in play, and for the rules on repetitions.

`kinds` says the kind of each slot, as KIND does for a set.
"""

from libc.stdint cimport int8_t

from ucci_engine.board cimport (
    BLACK, CANNON_KIND, FILE_OF, HORSE_KIND, HORSE_LEG, KING, NOWHERE, RANK_OF, RED, ROOK_KIND, STEPS_OF,
    Board, Steps, flip,
)


cdef int screens(int occupancy, int one, int other) noexcept nogil:
    """How many places of a line between two others are occupied."""
    cdef int place, count = 0
    for place in range(min(one, other) + 1, max(one, other)):
        count += occupancy >> place & 1
    return count


cdef bint reaches(const int8_t* kinds, const Board* board, int origin, int target) noexcept nogil:
    """Whether the piece on `origin` could go to `target`, or take there if it is occupied, by whichever side."""
    cdef int kind = kinds[board.at[origin]], role = kind % 7, i, count
    cdef const Steps* steps = &STEPS_OF[kind][origin]
    if role == ROOK_KIND or role == CANNON_KIND:
        if FILE_OF[origin] == FILE_OF[target]:
            count = screens(board.file_occ[FILE_OF[origin]], RANK_OF[origin], RANK_OF[target])
        elif RANK_OF[origin] == RANK_OF[target]:
            count = screens(board.rank_occ[RANK_OF[origin]], FILE_OF[origin], FILE_OF[target])
        else:
            return False
        return count == (1 if role == CANNON_KIND and board.at[target] else 0)
    if role == HORSE_KIND:
        return HORSE_LEG[origin][target] != NOWHERE and board.at[HORSE_LEG[origin][target]] == 0
    for i in range(steps.count):
        if steps.hops[i].to == target:
            return steps.hops[i].block == NOWHERE or board.at[steps.hops[i].block] == 0
    return False


cdef bint king_attacked(const int8_t* kinds, const Board* board, int side) noexcept nogil:
    """Whether the king of `side` is attacked; a facing king is an attacker too."""
    cdef int enemy = BLACK >> side, king = board.square[(RED << side) + KING]
    cdef int slot, square = board.square[enemy + KING], file = FILE_OF[king]
    if FILE_OF[square] == file and screens(board.file_occ[file], RANK_OF[square], RANK_OF[king]) == 0:
        return True
    for slot in range(enemy + KING + 1, enemy + 16):
        square = board.square[slot]
        if square != NOWHERE and reaches(kinds, board, square, king):
            return True
    return False


cdef void lift(Board* board, int square) noexcept nogil:
    """Take a piece off the board."""
    board.square[board.at[square]] = NOWHERE
    board.at[square] = 0
    flip(board, square)


cdef void move_piece(Board* board, int origin, int target) noexcept nogil:
    """Move a piece and take what stands on its target."""
    cdef int piece = board.at[origin]
    if board.at[target]:
        lift(board, target)
    lift(board, origin)
    board.at[target] = piece
    board.square[piece] = target
    flip(board, target)
