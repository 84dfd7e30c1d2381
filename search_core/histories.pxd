# What the threads of a search have learnt about moves: tables by history slot, used to order, prune and reduce moves.
from libc.stdint cimport int16_t, int32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from search_core.game cimport Move
from search_core.stack cimport StackEntry

cdef extern from "platform.h" nogil:
    int16_t sanqi_load16(const int16_t* number)
    void sanqi_store16(int16_t* number, int16_t value)
    Move sanqi_load32(const Move* number)
    void sanqi_store32(Move* number, Move value)

cdef enum:
    HISTORY_LIMIT = 16384

cdef struct Histories:
    int slots
    int16_t* quiet           # [slot]
    int16_t* noisy           # [slot]
    int16_t* continuation    # [earlier slot][slot]
    Move* counter_moves      # [slot]


cdef inline bint allocate_histories(Histories* histories, int slots) noexcept:
    """Make empty histories; False if there is not enough memory. free_histories() is right in both cases."""
    histories.slots = slots
    histories.quiet = <int16_t*> calloc(slots, sizeof(int16_t))
    histories.noisy = <int16_t*> calloc(slots, sizeof(int16_t))
    histories.continuation = <int16_t*> calloc(<size_t> slots * slots, sizeof(int16_t))
    histories.counter_moves = <Move*> calloc(slots, sizeof(Move))
    return (
        histories.quiet != NULL and histories.noisy != NULL and histories.continuation != NULL
        and histories.counter_moves != NULL
    )


cdef inline void free_histories(Histories* histories) noexcept:
    free(histories.quiet)
    free(histories.noisy)
    free(histories.continuation)
    free(histories.counter_moves)


cdef inline void clear_histories(Histories* histories) noexcept:
    memset(histories.quiet, 0, histories.slots * sizeof(int16_t))
    memset(histories.noisy, 0, histories.slots * sizeof(int16_t))
    memset(histories.continuation, 0, <size_t> histories.slots * histories.slots * sizeof(int16_t))
    memset(histories.counter_moves, 0, histories.slots * sizeof(Move))


cdef inline void apply_bonus(int16_t* entry, int bonus) noexcept nogil:
    # Gravity: the nearer an entry is to the limit, the less it moves.
    cdef int magnitude = bonus if bonus >= 0 else -bonus
    cdef int value = sanqi_load16(entry)
    sanqi_store16(entry, <int16_t> (value + bonus - value * magnitude // HISTORY_LIMIT))


cdef inline int quiet_history(const Histories* histories, int16_t** continuation, int slot) noexcept nogil:
    """The history of a quiet move: its own, and as an answer to the node's two earlier moves, if any."""
    cdef int total = sanqi_load16(&histories.quiet[slot])
    if continuation[0] != NULL:
        total += sanqi_load16(&continuation[0][slot])
    if continuation[1] != NULL:
        total += sanqi_load16(&continuation[1][slot])
    return total


cdef inline void update_quiet(Histories* histories, int16_t** continuation, int slot, int bonus) noexcept nogil:
    apply_bonus(&histories.quiet[slot], bonus)
    if continuation[0] != NULL:
        apply_bonus(&continuation[0][slot], bonus)
    if continuation[1] != NULL:
        apply_bonus(&continuation[1][slot], bonus)


cdef inline void reward_move_before(Histories* histories, const StackEntry* stack, int ply, int bonus) noexcept nogil:
    """Give the quiet move that led to a ply a bonus, also as an answer to the move before it."""
    cdef int slot = stack[ply - 1].slot
    apply_bonus(&histories.quiet[slot], bonus)
    if ply > 1 and stack[ply - 2].move and stack[ply - 2].slot >= 0:
        apply_bonus(histories.continuation + <size_t> stack[ply - 2].slot * histories.slots + slot, bonus)


cdef inline void update_histories(
    Histories* histories, int16_t** continuation, StackEntry* stack, int ply, Move move, int slot, bint noisy,
    int bonus, const int32_t* quiets, int quiet_count, const int32_t* noisies, int noisy_count,
) noexcept nogil:
    """Update the histories after a cut-off: the move gains `bonus`, and the moves tried before it lose as much."""
    cdef StackEntry* here = &stack[ply]
    cdef int i
    if noisy:
        apply_bonus(&histories.noisy[slot], bonus)
    else:
        if here.killers[0] != move:
            here.killers[1] = here.killers[0]
            here.killers[0] = move
        if ply > 0 and stack[ply - 1].move and stack[ply - 1].slot >= 0:
            sanqi_store32(&histories.counter_moves[stack[ply - 1].slot], move)
        update_quiet(histories, continuation, slot, bonus)
        for i in range(quiet_count):
            update_quiet(histories, continuation, quiets[i], -bonus)
    for i in range(noisy_count):
        apply_bonus(&histories.noisy[noisies[i]], -bonus)
