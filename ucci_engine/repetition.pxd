# The rules on repeated positions. Rules on chasing belong here.
from libc.stdint cimport uint64_t

from search_core.game cimport DRAWN, ONGOING, RULED_LOST, RULED_WON
from ucci_engine.board cimport State


cdef inline int repetition(const State* states, const uint64_t* keys, int length, int ply) noexcept nogil:
    """The verdict on the position `states[length]`, one of Outcome; every state knows whether it is in check.

    The third occurrence counts; below the root of a search, `ply` plies deep, the
    second if the first lies in the tree too. A side that gave check with every move
    of the cycle loses; both or neither: a draw.
    """
    cdef const State* state = &states[length]
    cdef const uint64_t* key = &keys[length]
    cdef int back = 4, seen = 0, i = 0, reach = state.halfmove_clock if state.halfmove_clock < length else length
    cdef bint mover_checks = True, other_checks = True
    while back <= reach:
        if (key - back)[0] == key[0]:
            seen += 1
            if seen == 2 or back <= ply:
                break
        back += 2
    else:
        return ONGOING
    # The states at an even distance come after a move of the side that is not to move now.
    while i < back and (mover_checks or other_checks):
        if not (state - i).in_check:
            mover_checks = False
        if not (state - i - 1).in_check:
            other_checks = False
        i += 2
    if mover_checks == other_checks:
        return DRAWN
    return RULED_WON if mover_checks else RULED_LOST
