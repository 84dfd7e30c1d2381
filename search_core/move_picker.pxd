# The moves of one node, from the most to the least promising, generated stage by stage.
from libc.stdint cimport int16_t, int32_t

from search_core.check cimport sanqi_check
from search_core.game cimport CHECKS, EVASION, NO_MOVE, NOISY, QUIET, Game, Move
from search_core.histories cimport Histories
from search_core.stack cimport StackEntry, last_own_ply

cdef enum:
    # Quiet moves with a score below this are not worth sorting.
    PROMISING = 1

cdef enum PickStage:
    PICK_TT
    PICK_NOISY_INIT
    PICK_NOISY
    PICK_KILLERS
    PICK_QUIET_INIT
    PICK_QUIET
    PICK_CHECKS_INIT
    PICK_CHECKS
    PICK_LOSING
    PICK_EVASION_INIT
    PICK_EVASION
    PICK_DONE

# Room for the lists of all plies, max_moves for each.
cdef struct MoveArena:
    int max_moves
    Move* moves
    int32_t* scores
    int32_t* slots

cdef struct MovePicker:
    int stage
    Move tt_move
    Move killers[3]      # two killers and the counter move
    int killer_index
    int max_moves
    Move* moves
    int32_t* scores
    int32_t* slots
    int count
    int index
    int losing           # noisy moves that lose material, kept at the front of `moves`
    int slot             # of the move just returned
    bint quiescent
    bint skip_quiets
    bint checks          # of the quiet moves that are skipped, those that give check are picked all the same
    Histories* histories
    int16_t* continuation[2]  # of the last ply and of the last own ply before it, or NULL


cdef inline void init_picker(
    MovePicker* picker, MoveArena* arena, Histories* histories, const StackEntry* stack, int ply, Move tt_move,
    bint quiescent, bint checks,
) noexcept nogil:
    """Begin with the table's move, which is pseudo-legal or 0. `quiescent`: noisy moves only, if not in check."""
    cdef const StackEntry* here = &stack[ply]
    cdef int back, first_slot = -1
    picker.tt_move = tt_move
    picker.max_moves = arena.max_moves
    picker.moves = arena.moves + ply * arena.max_moves
    picker.scores = arena.scores + ply * arena.max_moves
    picker.slots = arena.slots + ply * arena.max_moves
    picker.histories = histories
    picker.count = 0
    picker.index = 0
    picker.losing = 0
    picker.quiescent = quiescent
    picker.skip_quiets = False
    picker.checks = checks
    picker.continuation[0] = NULL
    picker.continuation[1] = NULL
    picker.stage = PICK_TT
    picker.killers[0] = NO_MOVE
    picker.killers[1] = NO_MOVE
    picker.killers[2] = NO_MOVE
    picker.killer_index = 0
    if quiescent and not here.in_check:
        return
    # What the last ply and the last own ply before it suggest.
    if ply > 0 and stack[ply - 1].slot >= 0 and stack[ply - 1].move:
        first_slot = stack[ply - 1].slot
        picker.continuation[0] = histories.continuation + <size_t> first_slot * histories.slots
    back = last_own_ply(stack, ply - 1, here.side)  # if the last ply was its own, it is counted already
    if back >= 0 and stack[back].move:
        picker.continuation[1] = histories.continuation + <size_t> stack[back].slot * histories.slots
    if not quiescent:
        picker.killers[0] = here.killers[0]
        picker.killers[1] = here.killers[1]
        if first_slot >= 0:
            picker.killers[2] = histories.counter_moves[first_slot]
            if picker.killers[2] == picker.killers[0] or picker.killers[2] == picker.killers[1]:
                picker.killers[2] = NO_MOVE


cdef inline void check_list(const MovePicker* picker, int begin) noexcept nogil:
    """In a debug build, check that the moves that generate() has just written keep the limits."""
    cdef int i
    sanqi_check(begin <= picker.count <= picker.max_moves, b"generate() writes max_moves at most")
    for i in range(begin, picker.count):
        sanqi_check(0 < picker.moves[i] < 1 << 20, b"a move is a number below 2**20")


cdef inline void add_history(MovePicker* picker) noexcept nogil:
    # With the pointers in variables of its own: the compiler would load them again for each move.
    cdef const int16_t* quiet = picker.histories.quiet
    cdef const int16_t* first = picker.continuation[0]
    cdef const int16_t* second = picker.continuation[1]
    cdef const int32_t* slots = picker.slots
    cdef int32_t* scores = picker.scores
    cdef int i, begin = picker.index, end = picker.count
    cdef int32_t slot
    if first == NULL:
        first = second
        second = NULL
    for i in range(begin, end):
        sanqi_check(0 <= slots[i] < picker.histories.slots, b"history_slot() is below history_slots")
    if second != NULL:
        for i in range(begin, end):
            slot = slots[i]
            scores[i] += 2 * quiet[slot] + first[slot] + second[slot]
    elif first != NULL:
        for i in range(begin, end):
            slot = slots[i]
            scores[i] += 2 * quiet[slot] + first[slot]
    else:
        for i in range(begin, end):
            scores[i] += 2 * quiet[slots[i]]


cdef inline void sort_promising(MovePicker* picker) noexcept nogil:
    # Insertion sort of the moves with a good history; the rest keep their order, since
    # most of them are pruned.
    cdef Move* moves = picker.moves
    cdef int32_t* scores = picker.scores
    cdef int32_t* slots = picker.slots
    cdef int i, j, begin = picker.index, count = picker.count, end = begin
    cdef int32_t score, slot
    cdef Move move
    for i in range(begin, count):
        score = scores[i]
        if score < PROMISING:
            continue
        move = moves[i]
        slot = slots[i]
        moves[i] = moves[end]
        scores[i] = scores[end]
        slots[i] = slots[end]
        j = end
        while j > begin and scores[j - 1] < score:
            moves[j] = moves[j - 1]
            scores[j] = scores[j - 1]
            slots[j] = slots[j - 1]
            j -= 1
        moves[j] = move
        scores[j] = score
        slots[j] = slot
        end += 1


cdef inline bint is_noisy(Game game, const MovePicker* picker, Move move) noexcept nogil:
    """Whether `move`, the last of next_move(), is noisy; the stage knows it of most moves."""
    if picker.stage == PICK_QUIET or picker.stage == PICK_CHECKS:
        return False
    return picker.stage == PICK_NOISY or picker.stage == PICK_LOSING or game.noisy(move)


cdef inline Move next_move(Game game, MovePicker* picker) noexcept nogil:
    """The next move in order, 0 at the end. Sets `picker.slot`."""
    cdef int i, best
    cdef Move move
    cdef int32_t score, slot
    while True:
        if picker.stage == PICK_TT:
            picker.stage = PICK_EVASION_INIT if game.in_check() else PICK_NOISY_INIT
            if picker.tt_move:
                picker.slot = game.history_slot(picker.tt_move)
                sanqi_check(0 <= picker.slot < picker.histories.slots, b"history_slot() is below history_slots")
                return picker.tt_move

        elif picker.stage == PICK_NOISY_INIT:
            picker.count = game.generate(NOISY, picker.moves)
            check_list(picker, 0)
            game.order(NOISY, picker.moves, picker.count, picker.scores, picker.slots)
            for i in range(picker.count):
                sanqi_check(0 <= picker.slots[i] < picker.histories.slots, b"history_slot() is below history_slots")
                picker.scores[i] += picker.histories.noisy[picker.slots[i]] // 8
            picker.stage = PICK_NOISY

        elif picker.stage == PICK_QUIET_INIT:
            if picker.skip_quiets and picker.checks:
                picker.stage = PICK_CHECKS_INIT
                continue
            # After the losing noisy moves, which stay at the front.
            picker.index = picker.losing
            picker.count = picker.losing
            if not picker.skip_quiets:
                i = game.generate(QUIET, picker.moves + picker.losing)
                picker.count += i
                check_list(picker, picker.losing)
                game.order(
                    QUIET, picker.moves + picker.losing, i,
                    picker.scores + picker.losing, picker.slots + picker.losing,
                )
                add_history(picker)
                sort_promising(picker)
            picker.stage = PICK_QUIET

        elif picker.stage == PICK_CHECKS_INIT:
            picker.index = picker.losing
            picker.count = picker.losing + game.generate(CHECKS, picker.moves + picker.losing)
            check_list(picker, picker.losing)
            for i in range(picker.losing, picker.count):
                picker.slots[i] = game.history_slot(picker.moves[i])
            picker.stage = PICK_CHECKS

        elif picker.stage == PICK_EVASION_INIT:
            picker.count = game.generate(EVASION, picker.moves)
            check_list(picker, 0)
            game.order(EVASION, picker.moves, picker.count, picker.scores, picker.slots)
            add_history(picker)
            picker.stage = PICK_EVASION

        elif picker.stage == PICK_KILLERS:
            while picker.killer_index < 3:
                move = picker.killers[picker.killer_index]
                picker.killer_index += 1
                if (
                    move and move != picker.tt_move and (not picker.skip_quiets or picker.checks)
                    and game.pseudo_legal(move) and not game.noisy(move)
                    and (not picker.skip_quiets or game.gives_check(move))
                ):
                    picker.slot = game.history_slot(move)
                    sanqi_check(0 <= picker.slot < picker.histories.slots, b"history_slot() is below history_slots")
                    return move
            picker.stage = PICK_QUIET_INIT

        elif picker.stage == PICK_LOSING:
            if picker.index >= picker.losing:
                picker.stage = PICK_DONE
                return NO_MOVE
            picker.slot = picker.slots[picker.index]
            picker.index += 1
            return picker.moves[picker.index - 1]

        elif picker.stage == PICK_DONE:
            return NO_MOVE

        elif picker.index >= picker.count or (
            picker.stage == PICK_QUIET and picker.skip_quiets and not picker.checks
        ):
            if picker.stage == PICK_NOISY and picker.quiescent:
                picker.stage = PICK_CHECKS_INIT if picker.checks else PICK_DONE
            elif picker.stage == PICK_NOISY:
                picker.stage = PICK_KILLERS
            elif picker.stage == PICK_QUIET or (picker.stage == PICK_CHECKS and not picker.quiescent):
                picker.stage = PICK_LOSING
                picker.index = 0
            else:
                picker.stage = PICK_DONE

        elif picker.stage == PICK_QUIET or picker.stage == PICK_CHECKS:
            move = picker.moves[picker.index]
            picker.slot = picker.slots[picker.index]
            picker.index += 1
            if (
                move != picker.tt_move and move != picker.killers[0] and move != picker.killers[1]
                and move != picker.killers[2]
                and (not picker.skip_quiets or picker.stage == PICK_CHECKS or game.gives_check(move))
            ):
                return move

        else:
            best = picker.index
            score = picker.scores[best]
            for i in range(picker.index + 1, picker.count):
                # Without a branch, which would be hard to predict.
                best = i if picker.scores[i] > score else best
                score = max(score, picker.scores[i])
            move = picker.moves[best]
            slot = picker.slots[best]
            picker.moves[best] = picker.moves[picker.index]
            picker.scores[best] = picker.scores[picker.index]
            picker.slots[best] = picker.slots[picker.index]
            picker.moves[picker.index] = move
            picker.scores[picker.index] = score
            picker.slots[picker.index] = slot
            picker.index += 1
            if move == picker.tt_move:
                continue
            if picker.stage == PICK_NOISY and not picker.quiescent and not game.see_ge(move, 0):
                # picker.losing < picker.index, so no move that is still needed is overwritten.
                picker.moves[picker.losing] = move
                picker.slots[picker.losing] = slot
                picker.losing += 1
                continue
            picker.slot = slot
            return move
