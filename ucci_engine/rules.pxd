# When a game of Xiangqi ends without mate or stalemate: repeated positions, quiet plies, too little material.
from libc.stdint cimport int8_t, uint64_t

from search_core.game cimport ONGOING
from ucci_engine.board cimport Board, State

# Whose rules on repetitions are used; docs/repetition.md.
cdef enum RuleSet:
    COMPUTER
    ASIAN
    CHINESE
    ALWAYS_DRAWN  # any third occurrence

cdef enum:
    NO_LIMIT = 0xFFFF  # of quiet plies

cdef struct Rules:
    int rule_set
    int quiet_limit  # plies without a capture that draw the game; NO_LIMIT: none

cdef int judge_repetition(
    const int8_t* kinds, const State* states, const uint64_t* keys, int length, int ply, Rules rules
) noexcept nogil
cdef int judge_cycle(const int8_t* kinds, const State* state, int back, int rule_set) noexcept nogil
cdef int chased_pieces(const int8_t* kinds, const State* state, int back, int first, int rule_set) noexcept nogil
cdef bint fits_path(
    const State* states, const uint64_t* keys, int length, int plies, int ply, int quiet_limit
) noexcept nogil
cdef int quiet_plies(const State* states, int length) noexcept nogil
cdef bint material_draw(const int8_t* kinds, const Board* board, int side, int rule_set) noexcept nogil


cdef inline bint has_recurred(const State* states, const uint64_t* keys, int length) noexcept nogil:
    """Whether the position `states[length]` has occurred before, since the last capture."""
    cdef const uint64_t* key = &keys[length]
    cdef int back = 4, reach = states[length].halfmove_clock
    if reach > length:
        reach = length
    while back <= reach:
        if (key - back)[0] == key[0]:
            return True
        back += 2
    return False


cdef inline int repetition(
    const int8_t* kinds, const State* states, const uint64_t* keys, int length, int ply, Rules rules
) noexcept nogil:
    """The verdict on the position `states[length]`, one of Outcome; every state knows whether it is in check.

    The third occurrence counts; in a search, `ply` plies below its root, also the second one, if the first is below
    the root too.
    """
    return judge_repetition(kinds, states, keys, length, ply, rules) if has_recurred(states, keys, length) else ONGOING
