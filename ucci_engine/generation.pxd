# The pseudo-legal moves of a board. All of it is hot, so it is inlined.
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy

from search_core.game cimport NOISY, QUIET, Move
from ucci_engine.attacks cimport along_file, along_rank, checks_after, find_answers, is_cannon, is_rook, marked
from ucci_engine.board cimport (
    ADVISOR_STEPS, ADVISORS, ALL_SLOTS, BLACK, CANNONS, CHECKING_HOPS, ELEPHANT_STEPS, ELEPHANTS, FILE_OF, HORSE_LEG,
    HORSE_STEPS, HORSES, KING, KING_STEPS, NOWHERE, PAWN_STEPS, PAWNS, RANK_OF, RAY, RAYS, RED, ROOKS, SQUARES,
    Board, Hop, LineNeighbours, Steps,
)

cdef extern from "platform.h" nogil:
    int sanqi_lowest_bit(uint32_t bits)


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


cdef inline Move* add_moves_of(Move* out, const Board* board, int side, int slot, uint64_t wanted) noexcept nogil:
    cdef int offset = slot & 15, origin = board.square[slot]
    if origin == NOWHERE:
        return out
    if offset == KING:
        return add_steps(out, board, &KING_STEPS[origin], origin, wanted)
    if offset < ELEPHANTS:
        return add_steps(out, board, &ADVISOR_STEPS[origin], origin, wanted)
    if offset < HORSES:
        return add_hops(out, board, &ELEPHANT_STEPS[origin], origin, wanted)
    if offset < ROOKS:
        return add_hops(out, board, &HORSE_STEPS[origin], origin, wanted)
    if offset < PAWNS:
        return add_slides(out, board, origin, offset >= CANNONS, wanted)
    return add_steps(out, board, &PAWN_STEPS[side][origin], origin, wanted)


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


cdef inline int keep_checks(const Board* board, int side, Move* moves, int count) noexcept nogil:
    """Keep only the moves that give check, if the other king is in none; return how many."""
    cdef int i, kept = 0
    for i in range(count):
        moves[kept] = moves[i]
        kept += checks_after(board, side, moves[i])
    return kept


cdef inline bint add_openers(
    uint32_t* openers, const Board* board, int own, int first, int second, int third
) noexcept nogil:
    # One ray from the other king, which is not in check, with the first three pieces on it. Adds the own pieces that
    # give check by leaving it. True: a hollow cannon, before which any move to the ray gives check.
    cdef int nearest = board.at[first], next = board.at[second]
    if is_rook(next, own) or is_cannon(board.at[third], own):
        openers[0] |= <uint32_t> ((nearest & own) != 0) << (nearest & 15)
    if is_cannon(board.at[third], own):
        openers[0] |= <uint32_t> ((next & own) != 0) << (next & 15)
    return is_cannon(nearest, own)


cdef inline int add_quiet_checks(const Board* board, int side, Move* moves) noexcept nogil:
    """Write the quiet pseudo-legal moves of `side` that give check, if the other king is in none; return how many.

    Up to RAY numbers beyond them are written.
    """
    cdef int own = RED << side, king = board.square[(BLACK >> side) + KING], file = FILE_OF[king], rank = RANK_OF[king]
    cdef int base = king - file, slot, origin, to, leg, i, offset
    cdef uint32_t openers = 0, hops
    cdef bint hollow = False
    cdef const LineNeighbours* upright = along_file(board, king)
    cdef const LineNeighbours* level = along_rank(board, king)
    cdef const Steps* steps
    cdef const Hop* hop
    cdef Move* out = moves
    cdef Move* begin
    hollow |= add_openers(
        &openers, board, own, upright.low * 9 + file, upright.low_next * 9 + file, upright.low_third * 9 + file
    )
    hollow |= add_openers(
        &openers, board, own, upright.high * 9 + file, upright.high_next * 9 + file, upright.high_third * 9 + file
    )
    hollow |= add_openers(&openers, board, own, base + level.low, base + level.low_next, base + level.low_third)
    hollow |= add_openers(&openers, board, own, base + level.high, base + level.high_next, base + level.high_third)
    if hollow:
        return keep_checks(board, side, moves, add_moves(board, side, QUIET, moves))
    for slot in range(own + HORSES, own + ROOKS):
        origin = board.square[slot]
        if origin == NOWHERE:
            continue
        leg = HORSE_LEG[origin][king]
        if leg != NOWHERE and board.at[leg] & own:
            openers |= <uint32_t> 1 << (board.at[leg] & 15)
        hops = CHECKING_HOPS[king][origin]
        while hops:
            hop = &HORSE_STEPS[origin].hops[sanqi_lowest_bit(hops)]
            hops &= hops - 1
            leg = HORSE_LEG[hop.to][king]
            if board.at[hop.to] == 0 and board.at[hop.block] == 0 and (board.at[leg] == 0 or leg == origin):
                out[0] = origin | hop.to << 7
                out += 1
    # Rooks and cannons come to the king's lines at two points.
    for slot in range(own + ROOKS, own + PAWNS):
        origin = board.square[slot]
        if origin == NOWHERE or FILE_OF[origin] == file or RANK_OF[origin] == rank:
            continue
        for i in range(2):
            to = base + FILE_OF[origin] if i == 0 else origin - FILE_OF[origin] + file
            if board.at[to] == 0:
                out[0] = origin | to << 7
                out += checks_after(board, side, out[0]) and can_reach(board, side, out[0])
    for slot in range(own + PAWNS, own + 16):
        origin = board.square[slot]
        if origin == NOWHERE or abs(FILE_OF[origin] - file) + abs(RANK_OF[origin] - rank) != 2:
            continue
        steps = &PAWN_STEPS[side][origin]
        for i in range(steps.count):
            if board.at[steps.hops[i].to] == 0:
                out[0] = origin | steps.hops[i].to << 7
                out += checks_after(board, side, out[0])
    if openers:
        begin = moves
        # Their moves may be written already.
        for i in range(<int> (out - moves)):
            begin[0] = moves[i]
            begin += not openers >> (board.at[moves[i] & 127] & 15) & 1
        out = begin
        for offset in range(16):
            if openers >> offset & 1:
                out += keep_checks(board, side, out, <int> (add_moves_of(out, board, side, own + offset, 1) - out))
    return <int> (out - moves)


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
