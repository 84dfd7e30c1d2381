# The moves of one node, from the most to the least promising, generated stage by stage.
from libc.stdint cimport INT32_MIN, int16_t, int32_t
from libc.stdlib cimport calloc, free

from search_core.check cimport sanqi_check
from search_core.game cimport CHECKS, EVASION, MAX_PLY, NO_MOVE, NOISY, QUIET, Game, Move
from search_core.histories cimport Histories, sanqi_load16, sanqi_load32
from search_core.stack cimport StackEntry, last_own_ply

cdef enum:
    # Quiet moves with a score below this keep their order.
    PROMISING = 1
    # A quiet move's score may be farther below the policy's best, but is not noted so. No more than the default of
    # policy_pruning_base, by which no move is pruned.
    LARGEST_GAP = 1_000_000

cdef enum PickStage:
    PICK_TT
    PICK_NOISY_INIT
    PICK_NOISY
    PICK_KILLERS
    PICK_QUIET
    PICK_CHECKS
    PICK_LOSING
    PICK_EVASION_INIT
    PICK_EVASION

# Room for the lists of all plies, max_moves for each.
cdef struct MoveArena:
    int max_moves
    int weights[3]       # of the histories in the order: own, answer, follow-up; 64ths
    Move* moves
    int32_t* scores
    int32_t* slots
    int history_slots
    int32_t* gaps        # history_slots for each ply
    Move* scratch        # max_moves, for a list that is read before the next is written

cdef struct MovePicker:
    int stage
    Move tt_move
    Move killers[3]      # two killers and the counter move
    int killer_index
    int max_moves
    const int* weights
    Move* moves
    int32_t* scores
    int32_t* slots
    int32_t* gaps        # by slot, of the quiet moves if has_gaps: how far the policy's score is below its best
    bint has_gaps
    Move* scratch
    int count
    int index
    int losing           # noisy moves that lose material, kept at the front of `moves`
    int promising        # quiet moves before this place are still to be sorted: the best of them comes next
    int slot             # of the move just returned
    bint in_check
    bint skip_quiets
    bint checks          # of the quiet moves that are skipped, those that give check are picked all the same
    Histories* histories
    int16_t* continuation[2]  # of the last ply and of the last own ply before it, or NULL


cdef inline bint allocate_arena(MoveArena* arena, int max_moves, int history_slots) noexcept:
    """Make the lists; False if there is not enough memory. free_arena() is right in both cases."""
    cdef size_t places = <size_t> (MAX_PLY + 1) * max_moves
    arena.max_moves = max_moves
    arena.history_slots = history_slots
    arena.moves = <Move*> calloc(places, sizeof(Move))
    arena.scores = <int32_t*> calloc(places, sizeof(int32_t))
    arena.slots = <int32_t*> calloc(places, sizeof(int32_t))
    # Of a game without a policy, never written, and so no more than addresses.
    arena.gaps = <int32_t*> calloc(<size_t> (MAX_PLY + 1) * history_slots, sizeof(int32_t))
    arena.scratch = <Move*> calloc(max_moves, sizeof(Move))
    return (
        arena.moves != NULL and arena.scores != NULL and arena.slots != NULL and arena.gaps != NULL
        and arena.scratch != NULL
    )


cdef inline void free_arena(MoveArena* arena) noexcept:
    free(arena.moves)
    free(arena.scores)
    free(arena.slots)
    free(arena.gaps)
    free(arena.scratch)


cdef inline void init_picker(
    MovePicker* picker, MoveArena* arena, Histories* histories, const StackEntry* stack, int ply, Move tt_move,
    bint quiescent, bint checks,
) noexcept nogil:
    """Begin with the table's move, which is pseudo-legal or 0. `quiescent`: noisy moves only, if not in check."""
    cdef const StackEntry* here = &stack[ply]
    cdef int back, first_slot = -1
    picker.tt_move = tt_move
    picker.max_moves = arena.max_moves
    picker.weights = arena.weights
    picker.moves = arena.moves + ply * arena.max_moves
    picker.scores = arena.scores + ply * arena.max_moves
    picker.slots = arena.slots + ply * arena.max_moves
    picker.gaps = arena.gaps + ply * arena.history_slots
    picker.has_gaps = False
    picker.scratch = arena.scratch
    picker.histories = histories
    picker.count = 0
    picker.index = 0
    picker.losing = 0
    picker.promising = 0
    picker.in_check = here.in_check
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
            picker.killers[2] = sanqi_load32(&histories.counter_moves[first_slot])
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
    cdef int own = picker.weights[0], answer = picker.weights[1], follow_up = picker.weights[2]
    cdef int i, begin = picker.index, end = picker.count
    cdef int32_t slot
    if first == NULL:
        first = second
        answer = follow_up
        second = NULL
    for i in range(begin, end):
        sanqi_check(0 <= slots[i] < picker.histories.slots, b"history_slot() is below history_slots")
    if second != NULL:
        for i in range(begin, end):
            slot = slots[i]
            scores[i] += (
                own * sanqi_load16(&quiet[slot]) + answer * sanqi_load16(&first[slot])
                + follow_up * sanqi_load16(&second[slot])
            ) // 64
    elif first != NULL:
        for i in range(begin, end):
            slot = slots[i]
            scores[i] += (own * sanqi_load16(&quiet[slot]) + answer * sanqi_load16(&first[slot])) // 64
    else:
        for i in range(begin, end):
            scores[i] += own * sanqi_load16(&quiet[slots[i]]) // 64


cdef inline void note_gaps(MovePicker* picker) noexcept nogil:
    """Note how far each quiet move's score is below the best, before history is added."""
    cdef const int32_t* scores = picker.scores
    cdef int i, begin = picker.index, end = picker.count
    cdef int32_t best = INT32_MIN
    for i in range(begin, end):
        best = max(best, scores[i])
    for i in range(begin, end):
        sanqi_check(0 <= picker.slots[i] < picker.histories.slots, b"history_slot() is below history_slots")
        picker.gaps[picker.slots[i]] = min(best - scores[i], LARGEST_GAP)
    picker.has_gaps = True


cdef inline void gather_promising(MovePicker* picker) noexcept nogil:
    # The moves with a good history come first; the rest keep their order, since most of them are pruned.
    cdef Move* moves = picker.moves
    cdef int32_t* scores = picker.scores
    cdef int32_t* slots = picker.slots
    cdef int i, end = picker.index
    cdef int32_t score, slot
    cdef Move move
    for i in range(picker.index, picker.count):
        score = scores[i]
        if score < PROMISING:
            continue
        move = moves[i]
        slot = slots[i]
        moves[i] = moves[end]
        scores[i] = scores[end]
        slots[i] = slots[end]
        moves[end] = move
        scores[end] = score
        slots[end] = slot
        end += 1
    picker.promising = end


cdef inline void move_up(MovePicker* picker, int origin, int target) noexcept nogil:
    """Put a move before those from `target` on."""
    cdef Move* moves = picker.moves
    cdef int32_t* scores = picker.scores
    cdef int32_t* slots = picker.slots
    cdef Move move = moves[origin]
    cdef int32_t score = scores[origin], slot = slots[origin]
    cdef int i
    for i in range(origin, target, -1):
        moves[i] = moves[i - 1]
        scores[i] = scores[i - 1]
        slots[i] = slots[i - 1]
    moves[target] = move
    scores[target] = score
    slots[target] = slot


cdef inline void sort_promising(MovePicker* picker) noexcept nogil:
    """Sort the promising moves by insertion; equals keep their order."""
    cdef const int32_t* scores = picker.scores
    cdef int i, place
    cdef int32_t score
    for i in range(picker.index + 1, picker.promising):
        place = i
        score = scores[i]
        while place > picker.index and scores[place - 1] < score:
            place -= 1
        if place < i:
            move_up(picker, i, place)
    picker.promising = picker.index


cdef inline void keep_checks(Game game, MovePicker* picker) noexcept nogil:
    """Keep those of the quiet moves still to come that give check."""
    cdef Move* moves = picker.moves
    cdef const Move* checks = picker.scratch
    cdef int count = game.generate(CHECKS, picker.scratch), i, j, kept = picker.index
    sanqi_check(0 <= count <= picker.max_moves, b"generate() writes max_moves at most")
    if count:
        for i in range(picker.index, picker.count):
            for j in range(count):
                if checks[j] == moves[i]:
                    moves[kept] = moves[i]
                    picker.slots[kept] = picker.slots[i]
                    kept += 1
                    break
    picker.count = kept
    picker.promising = picker.index


cdef inline bint is_noisy(Game game, const MovePicker* picker, Move move) noexcept nogil:
    """Whether `move`, the last of next_move(), is noisy; the stage knows it of most moves."""
    if picker.stage == PICK_QUIET or picker.stage == PICK_CHECKS:
        return False
    return picker.stage == PICK_NOISY or picker.stage == PICK_LOSING or game.noisy(move)


cdef inline int policy_gap(const MovePicker* picker) noexcept nogil:
    """How far the policy's score of the last of next_move() is below its best; -1: it has none."""
    return picker.gaps[picker.slot] if picker.has_gaps and picker.stage == PICK_QUIET else -1


cdef inline Move take_next(MovePicker* picker) noexcept nogil:
    picker.slot = picker.slots[picker.index]
    picker.index += 1
    return picker.moves[picker.index - 1]


cdef inline Move take_best(MovePicker* picker) noexcept nogil:
    """Take the move with the highest score of those still to come."""
    cdef Move* moves = picker.moves
    cdef int32_t* scores = picker.scores
    cdef int32_t* slots = picker.slots
    cdef int i, first = picker.index, best = first
    cdef int32_t score = scores[first]
    cdef Move move
    for i in range(first + 1, picker.count):
        # Without a branch, which would be hard to predict.
        best = i if scores[i] > score else best
        score = max(score, scores[i])
    move = moves[best]
    picker.slot = slots[best]
    moves[best] = moves[first]
    scores[best] = scores[first]
    slots[best] = slots[first]
    picker.index += 1
    return move


cdef inline Move take_quiet(MovePicker* picker) noexcept nogil:
    """Take the first of the promising moves with the highest score; without any, the next move."""
    cdef const int32_t* scores = picker.scores
    cdef int i, best = picker.index
    cdef int32_t score
    if best < picker.promising:
        score = scores[best]
        for i in range(best + 1, picker.promising):
            # Without a branch, which would be hard to predict.
            best = i if scores[i] > score else best
            score = max(score, scores[i])
        move_up(picker, best, picker.index)
    return take_next(picker)


cdef inline void skip_tt_move(MovePicker* picker) noexcept nogil:
    """Begin after the table's move."""
    picker.stage = PICK_EVASION_INIT if picker.in_check else PICK_NOISY_INIT


cdef inline Move first_move(Game game, MovePicker* picker) noexcept nogil:
    """The table's move, if any. All others come after it."""
    skip_tt_move(picker)
    if picker.tt_move:
        picker.slot = game.history_slot(picker.tt_move)
        sanqi_check(0 <= picker.slot < picker.histories.slots, b"history_slot() is below history_slots")
    return picker.tt_move


cdef inline void begin_noisy(Game game, MovePicker* picker) noexcept nogil:
    cdef int i
    picker.count = game.generate(NOISY, picker.moves)
    check_list(picker, 0)
    game.order(NOISY, picker.moves, picker.count, picker.scores, picker.slots)
    for i in range(picker.count):
        sanqi_check(0 <= picker.slots[i] < picker.histories.slots, b"history_slot() is below history_slots")
        picker.scores[i] += sanqi_load16(&picker.histories.noisy[picker.slots[i]]) // 8
    picker.stage = PICK_NOISY


cdef inline void begin_quiet(Game game, MovePicker* picker) noexcept nogil:
    cdef int begin = picker.index, count = game.generate(QUIET, picker.moves + begin)
    picker.count = begin + count
    check_list(picker, begin)
    game.order(QUIET, picker.moves + begin, count, picker.scores + begin, picker.slots + begin)
    if game.has_policy and game.policy(picker.moves + begin, count, picker.scores + begin):
        note_gaps(picker)
    add_history(picker)
    gather_promising(picker)
    if not game.many_quiet_moves:
        sort_promising(picker)
    picker.stage = PICK_QUIET


cdef inline void begin_checks(Game game, MovePicker* picker) noexcept nogil:
    cdef int i
    picker.count = picker.index + game.generate(CHECKS, picker.moves + picker.index)
    check_list(picker, picker.index)
    for i in range(picker.index, picker.count):
        picker.slots[i] = game.history_slot(picker.moves[i])
    picker.stage = PICK_CHECKS


cdef inline void begin_evasions(Game game, MovePicker* picker) noexcept nogil:
    picker.count = game.generate(EVASION, picker.moves)
    check_list(picker, 0)
    game.order(EVASION, picker.moves, picker.count, picker.scores, picker.slots)
    add_history(picker)
    picker.stage = PICK_EVASION


cdef inline Move next_move(Game game, MovePicker* picker) noexcept nogil:
    """The next move in order, 0 at the end. Sets `picker.slot`."""
    cdef Move move
    if picker.stage == PICK_TT:
        move = first_move(game, picker)
        if move:
            return move

    if picker.stage == PICK_NOISY_INIT:
        begin_noisy(game, picker)
    if picker.stage == PICK_NOISY:
        while picker.index < picker.count:
            move = take_best(picker)
            if move == picker.tt_move:
                continue
            if game.see_ge(move, 0):
                return move
            # picker.losing < picker.index, so no move that is still needed is overwritten.
            picker.moves[picker.losing] = move
            picker.slots[picker.losing] = picker.slot
            picker.losing += 1
        picker.stage = PICK_KILLERS

    if picker.stage == PICK_KILLERS:
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
        # After the losing noisy moves, which stay at the front.
        picker.index = picker.losing
        picker.count = picker.losing
        if not picker.skip_quiets:
            begin_quiet(game, picker)
        elif picker.checks:
            begin_checks(game, picker)
        else:
            picker.stage = PICK_LOSING
            picker.index = 0

    if picker.stage == PICK_QUIET and picker.skip_quiets:
        if picker.checks:
            keep_checks(game, picker)
        else:
            picker.count = picker.index
        picker.stage = PICK_CHECKS
    if picker.stage == PICK_QUIET or picker.stage == PICK_CHECKS:
        while picker.index < picker.count:
            move = take_quiet(picker)
            if (
                move != picker.tt_move and move != picker.killers[0] and move != picker.killers[1]
                and move != picker.killers[2]
            ):
                return move
        picker.stage = PICK_LOSING
        picker.index = 0

    if picker.stage == PICK_LOSING and picker.index < picker.losing:
        return take_next(picker)

    if picker.stage == PICK_EVASION_INIT:
        begin_evasions(game, picker)
    if picker.stage == PICK_EVASION:
        while picker.index < picker.count:
            move = take_best(picker)
            if move != picker.tt_move:
                return move
    return NO_MOVE


cdef inline Move next_sharp_move(Game game, MovePicker* picker) noexcept nogil:
    """As next_move(), for quiescence: noisy moves and, if `picker.checks`, quiet checks; in check, all evasions."""
    cdef Move move
    if picker.stage == PICK_TT:
        move = first_move(game, picker)
        if move:
            return move

    if picker.stage == PICK_NOISY_INIT:
        begin_noisy(game, picker)
    if picker.stage == PICK_EVASION_INIT:
        begin_evasions(game, picker)
    if picker.stage == PICK_NOISY or picker.stage == PICK_EVASION:
        while picker.index < picker.count:
            move = take_best(picker)
            if move != picker.tt_move:
                return move
        if picker.stage == PICK_NOISY and picker.checks:
            picker.index = 0
            begin_checks(game, picker)

    if picker.stage == PICK_CHECKS:
        while picker.index < picker.count:
            move = take_next(picker)
            if move != picker.tt_move:
                return move
    return NO_MOVE
