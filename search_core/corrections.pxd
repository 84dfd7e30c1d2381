# What the threads of a search have learnt of the errors of the static evaluation: how far the scores of nodes were
# from it, by the last move and by the last two.
from libc.stdint cimport int16_t, uint32_t
from libc.string cimport memset

from search_core.histories cimport sanqi_load16, sanqi_store16
from search_core.stack cimport StackEntry

cdef enum:
    CORRECTION_BITS = 14
    # Entries lie within it; one score moves them by a quarter of it at most.
    CORRECTION_LIMIT = 1024

cdef struct Corrections:
    int16_t after_move[1 << CORRECTION_BITS]
    int16_t after_moves[1 << CORRECTION_BITS]


cdef inline void clear_corrections(Corrections* corrections) noexcept nogil:
    memset(corrections, 0, sizeof(Corrections))


cdef inline uint32_t slot_before(const StackEntry* stack, int ply) noexcept nogil:
    """1 + the history slot of the move made before `ply`; 0 if there was none or the turn was passed."""
    return stack[ply - 1].slot + 1 if ply > 0 and stack[ply - 1].move else 0


cdef inline int16_t* entry_after_move(Corrections* corrections, const StackEntry* stack, int ply) noexcept nogil:
    cdef uint32_t index = 2 * slot_before(stack, ply) + (stack[ply].side & 1)
    return &corrections.after_move[index & ((1 << CORRECTION_BITS) - 1)]


cdef inline int16_t* entry_after_moves(Corrections* corrections, const StackEntry* stack, int ply) noexcept nogil:
    cdef uint32_t index = (slot_before(stack, ply - 1) << 16) + 2 * slot_before(stack, ply) + (stack[ply].side & 1)
    # Fibonacci hashing: the top bits of a product with 2^32 / 1.618.
    return &corrections.after_moves[(index * <uint32_t> 2654435769) >> (32 - CORRECTION_BITS)]


cdef inline int correction(Corrections* corrections, const StackEntry* stack, int ply, int weight) noexcept nogil:
    """Centipawns to add to the static evaluation of a ply, `weight` for two full entries."""
    cdef int sum = (
        sanqi_load16(entry_after_move(corrections, stack, ply))
        + sanqi_load16(entry_after_moves(corrections, stack, ply))
    )
    return sum * weight // (2 * CORRECTION_LIMIT)


cdef inline void move_entry(int16_t* entry, int step) noexcept nogil:
    # Gravity: the nearer an entry is to the limit, the less it moves.
    cdef int magnitude = step if step >= 0 else -step
    cdef int value = sanqi_load16(entry)
    sanqi_store16(entry, <int16_t> (value + step - value * magnitude // CORRECTION_LIMIT))


cdef inline void learn_correction(
    Corrections* corrections, const StackEntry* stack, int ply, int error, int depth,
) noexcept nogil:
    """Learn from a node's score: it differed from the corrected static evaluation by `error` at such a depth."""
    cdef int step = max(min(error * depth // 8, CORRECTION_LIMIT // 4), -(CORRECTION_LIMIT // 4))
    move_entry(entry_after_move(corrections, stack, ply), step)
    move_entry(entry_after_moves(corrections, stack, ply), step)
