# The pseudo-legal moves of a board. All of it is hot, so it is inlined.
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from search_core.game cimport NOISY, QUIET, Move
from ucci_engine.attacks cimport along_file, along_rank, find_answers, marked
from ucci_engine.board cimport (
    ADVISOR_STEPS, ADVISORS, ALL_SLOTS, BLACK, CANNONS, ELEPHANT_STEPS, ELEPHANTS, FILE_OF, HORSE_LEG, HORSE_STEPS,
    HORSES, KING, KING_STEPS, NOWHERE, PAWN_STEPS, PAWNS, RANK_OF, RAY, RAYS, RED, ROOKS, SQUARES,
    Board, LineNeighbours, Steps,
)


cdef inline Move* add_steps(
    Move* out, const Board* board, const Steps* steps, int origin, uint64_t wanted
) noexcept nogil:
    # Every move is written, but `out` moves on only if it counts: a branch would be hard to predict.
    cdef int i
    for i in range(steps.count):
        out[0] = origin | steps.hops[i].to << 7
        out += wanted >> board.at[steps.hops[i].to] & 1
    return out


cdef inline Move* add_hops(
    Move* out, const Board* board, const Steps* steps, int origin, uint64_t wanted
) noexcept nogil:
    cdef int i
    for i in range(steps.count):
        out[0] = origin | steps.hops[i].to << 7
        out += (wanted >> board.at[steps.hops[i].to] & 1) & (board.at[steps.hops[i].block] == 0)
    return out


cdef inline Move* add_slides(
    Move* out, const Board* board, int origin, bint over_screen, uint64_t wanted
) noexcept nogil:
    cdef int file = FILE_OF[origin], base = origin - file
    cdef const LineNeighbours* upright = along_file(board, origin)
    cdef const LineNeighbours* level = along_rank(board, origin)
    cdef uint64_t enemies = wanted & ~<uint64_t> 1
    cdef int target
    if enemies:
        target = (upright.low_next if over_screen else upright.low) * 9 + file
        out[0] = origin | target << 7
        out += enemies >> board.at[target] & 1
        target = (upright.high_next if over_screen else upright.high) * 9 + file
        out[0] = origin | target << 7
        out += enemies >> board.at[target] & 1
        target = (level.low_next if over_screen else level.low) + base
        out[0] = origin | target << 7
        out += enemies >> board.at[target] & 1
        target = (level.high_next if over_screen else level.high) + base
        out[0] = origin | target << 7
        out += enemies >> board.at[target] & 1
    if wanted & 1:
        # Whole rays are copied; the moves beyond the nearest piece are overwritten.
        memcpy(out, RAYS[origin][0], RAY * sizeof(Move))
        out += upright.empty - upright.low_empty
        memcpy(out, RAYS[origin][1], RAY * sizeof(Move))
        out += upright.low_empty
        memcpy(out, RAYS[origin][2], (RAY - 1) * sizeof(Move))
        out += level.empty - level.low_empty
        memcpy(out, RAYS[origin][3], (RAY - 1) * sizeof(Move))
        out += level.low_empty
    return out


cdef inline int add_moves(const Board* board, int side, int stage, Move* moves) noexcept nogil:
    """Write the pseudo-legal moves of `side` in a stage; return how many. Up to RAY numbers beyond them are written."""
    cdef int own = RED << side, enemy = BLACK >> side
    # Bit = slot that may stand on the target: enemies, or 0 for an empty point.
    cdef uint64_t wanted = (<uint64_t> ALL_SLOTS << enemy if stage != QUIET else 0) | (stage != NOISY)
    cdef int slot, origin
    cdef Move* out = moves
    out = add_steps(out, board, &KING_STEPS[board.square[own + KING]], board.square[own + KING], wanted)
    for slot in range(own + ADVISORS, own + ELEPHANTS):
        origin = board.square[slot]
        if origin != NOWHERE:
            out = add_steps(out, board, &ADVISOR_STEPS[origin], origin, wanted)
    for slot in range(own + ELEPHANTS, own + HORSES):
        origin = board.square[slot]
        if origin != NOWHERE:
            out = add_hops(out, board, &ELEPHANT_STEPS[origin], origin, wanted)
    for slot in range(own + HORSES, own + ROOKS):
        origin = board.square[slot]
        if origin != NOWHERE:
            out = add_hops(out, board, &HORSE_STEPS[origin], origin, wanted)
    for slot in range(own + ROOKS, own + CANNONS):
        origin = board.square[slot]
        if origin != NOWHERE:
            out = add_slides(out, board, origin, False, wanted)
    for slot in range(own + CANNONS, own + PAWNS):
        origin = board.square[slot]
        if origin != NOWHERE:
            out = add_slides(out, board, origin, True, wanted)
    for slot in range(own + PAWNS, own + 16):
        origin = board.square[slot]
        if origin != NOWHERE:
            out = add_steps(out, board, &PAWN_STEPS[side][origin], origin, wanted)
    return <int> (out - moves)


cdef inline int filter_evasions(const Board* board, int side, Move* moves, int count) noexcept nogil:
    """Keep only `moves` that can answer a single check: king moves, captures of the checking piece,
    moves to points between or to a horse's leg, and moves of the screen before a cannon."""
    cdef uint64_t answers[2]
    cdef int king = board.square[(RED << side) + KING]
    cdef int screen = NOWHERE, i, kept = 0, origin
    answers[0] = answers[1] = 0
    if find_answers(board, side, answers, &screen) != 1:
        return count
    for i in range(count):
        origin = moves[i] & 127
        if marked(answers, moves[i] >> 7) or origin == king or origin == screen:
            moves[kept] = moves[i]
            kept += 1
    return kept


cdef inline bint can_reach(const Board* board, int side, Move move) noexcept nogil:
    """Whether `move`, any 20-bit number, is a pseudo-legal move of `side`."""
    cdef int own = RED << side, origin = move & 127, target = move >> 7
    cdef int offset, i
    cdef const LineNeighbours* line
    cdef const Steps* steps
    if origin >= SQUARES or target >= SQUARES or origin == target:
        return False
    if not board.at[origin] & own or board.at[target] & own:
        return False
    offset = board.at[origin] - own
    if offset >= ROOKS and offset < PAWNS:
        if FILE_OF[origin] == FILE_OF[target]:
            line = along_file(board, origin)
            i = RANK_OF[target]
        elif RANK_OF[origin] == RANK_OF[target]:
            line = along_rank(board, origin)
            i = FILE_OF[target]
        else:
            return False
        if board.at[target]:
            if offset < CANNONS:
                return i == line.low or i == line.high
            return i == line.low_next or i == line.high_next
        if target > origin:
            return board.at[target] == 0 and (
                i < line.high or line.high == (
                    RANK_OF[origin] if FILE_OF[origin] == FILE_OF[target] else FILE_OF[origin]
                )
            )
        return i > line.low or line.low == (
            RANK_OF[origin] if FILE_OF[origin] == FILE_OF[target] else FILE_OF[origin]
        )
    if offset >= HORSES and offset < ROOKS:
        return HORSE_LEG[origin][target] != NOWHERE and board.at[HORSE_LEG[origin][target]] == 0
    if offset == KING:
        steps = &KING_STEPS[origin]
    elif offset < ELEPHANTS:
        steps = &ADVISOR_STEPS[origin]
    elif offset < HORSES:
        steps = &ELEPHANT_STEPS[origin]
    else:
        steps = &PAWN_STEPS[side][origin]
    for i in range(steps.count):
        if steps.hops[i].to == target:
            return steps.hops[i].block == NOWHERE or board.at[steps.hops[i].block] == 0
    return False
