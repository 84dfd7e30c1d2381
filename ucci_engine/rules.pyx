"""When a game of Xiangqi ends without mate or stalemate.

docs/repetition.md explains the rule sets. `COMPUTER` is what Pikafish does since 2023 (https://pikafish.org): a side
that checks with every move of a cycle loses, and so does a side that chases a piece with every move of it.
`tests/helpers/xiangqi_repetition_reference.py` says the same slowly.

`kinds` is KIND, or another table of the kind of each slot, where the board has more pieces than a set.
"""

from libc.stdint cimport int8_t, uint64_t
from libc.string cimport memcpy

from search_core.game cimport (
    DRAWN, EVASION, NOISY, ONGOING, PENDING_LOST, PENDING_WON, RULED_LOST, RULED_WON, Move,
)
from ucci_engine.any_pieces cimport king_attacked, move_piece, reaches
from ucci_engine.attacks cimport along_file, attacked, mark, marked
from ucci_engine.board cimport (
    ADVISOR_KIND, BLACK, CANNON_KIND, ELEPHANT_KIND, FILE_OF, HORSE_KIND, KIND, KING, KING_KIND, NOWHERE, PAWN_KIND,
    RANK_OF, RED, ROOK_KIND, SQUARES,
    Board, LineNeighbours, State, flip,
)
from ucci_engine.generation cimport add_moves, can_reach

cdef enum:
    ALL_PIECES = 0xFFFF  # of a side, bit = slot & 15
    # Each side's checks after this number, and the replies to them, are no quiet plies.
    COUNTED_CHECKS = 10
    # So near to the quiet limit, a score from another path says little (Pikafish's margin).
    UNCERTAIN_PLIES = 4
    # Quiet plies left, below which checks that do not count are looked for.
    MAX_CHECKED_PLIES = 30
    # Room for what add_moves() writes.
    ROOM = 512


cdef inline int kind_on(const int8_t* kinds, const Board* board, int square) noexcept nogil:
    """The kind of the piece on a square, whosever it is."""
    return kinds[board.at[square]] % 7


cdef inline int side_on(const Board* board, int square) noexcept nogil:
    """Whose piece stands on a square: 0 Red, 1 Black."""
    return board.at[square] >= BLACK


cdef bint checked(const int8_t* kinds, const Board* board, int side) noexcept nogil:
    """Whether the king of `side` is attacked."""
    return attacked(board, side) if kinds == KIND else king_attacked(kinds, board, side)


cdef bint can_go(const int8_t* kinds, const Board* board, int side, int origin, int target) noexcept nogil:
    """Whether a piece of `side` could move or take there, if its king did not matter."""
    if kinds == KIND:
        return can_reach(board, side, origin | target << 7)
    return not board.at[target] & RED << side and reaches(kinds, board, origin, target)


cdef int list_moves(const int8_t* kinds, const Board* board, int side, int stage, Move* moves) noexcept nogil:
    """The pseudo-legal moves of a stage, NOISY or EVASION; returns how many."""
    cdef int own = RED << side, slot, origin, target, count = 0
    if kinds == KIND:
        return add_moves(board, side, stage, moves)
    for slot in range(own, own + 16):
        origin = board.square[slot]
        if origin == NOWHERE:
            continue
        for target in range(SQUARES):
            if (stage == EVASION or board.at[target]) and can_go(kinds, board, side, origin, target):
                moves[count] = origin | target << 7
                count += 1
    return count


cdef bint is_safe(const int8_t* kinds, const Board* board, int origin, int target) noexcept nogil:
    """Whether the king of the side that moves is safe after a pseudo-legal move."""
    cdef Board after
    cdef int side = side_on(board, origin)
    memcpy(&after, board, sizeof(Board))
    move_piece(&after, origin, target)
    return not checked(kinds, &after, side)


cdef bint can_take(const int8_t* kinds, const Board* board, int side, int target) noexcept nogil:
    """Whether a piece of `side` can legally take what stands on a square."""
    cdef int own = RED << side, slot, origin
    for slot in range(own, own + 16):
        origin = board.square[slot]
        if origin != NOWHERE and can_go(kinds, board, side, origin, target) and is_safe(kinds, board, origin, target):
            return True
    return False


cdef bint has_legal_move(const int8_t* kinds, const Board* board, int side) noexcept nogil:
    cdef Move moves[ROOM]
    cdef int i, count = list_moves(kinds, board, side, EVASION, moves)
    for i in range(count):
        if is_safe(kinds, board, moves[i] & 127, moves[i] >> 7):
            return True
    return False


# ---------------------------------------------------------------- attacks


cdef void mark_checkers(const int8_t* kinds, const Board* board, int side, uint64_t* marks) noexcept nogil:
    """Mark the points from which the king of `side` is attacked; that of a facing king, too."""
    cdef int enemy = BLACK >> side, slot, origin, king = board.square[(RED << side) + KING]
    cdef const LineNeighbours* line = along_file(board, king)
    marks[0] = marks[1] = 0
    for slot in range(enemy + KING + 1, enemy + 16):
        origin = board.square[slot]
        if origin != NOWHERE and can_go(kinds, board, 1 - side, origin, king):
            mark(marks, origin)
    if enemy + KING in (board.at[line.low * 9 + FILE_OF[king]], board.at[line.high * 9 + FILE_OF[king]]):
        mark(marks, board.square[enemy + KING])


cdef bint mark_pinners(const int8_t* kinds, const Board* board, int origin, uint64_t* pinners) noexcept nogil:
    """Mark from where the king would be attacked, too, if the piece on `origin` were gone. Whether there are such."""
    cdef Board without
    cdef int side = side_on(board, origin), piece = board.at[origin]
    cdef uint64_t now[2]
    memcpy(&without, board, sizeof(Board))
    without.at[origin] = 0
    without.square[piece] = NOWHERE
    flip(&without, origin)
    if not checked(kinds, &without, side):
        return False
    mark_checkers(kinds, &without, side, pinners)
    mark_checkers(kinds, board, side, now)
    pinners[0] &= ~now[0]
    pinners[1] &= ~now[1]
    return (pinners[0] | pinners[1]) != 0


cdef bint is_chase(const int8_t* kinds, const Board* board, int origin, int target, int rule_set) noexcept nogil:
    """Whether a pseudo-legal capture attacks what it takes, as the rules on chases mean it.

    The capture leaves the own king safe; a piece that shields its king attacks only what it shields it from. A king,
    and a pawn on its own half, are never chased. Then one of these: a horse or a cannon attacks a rook; an advisor or
    an elephant attacks a rook, a horse or a cannon; nothing can legally take back, and a piece of the same kind could
    not take the attacker.
    """
    cdef int attacker = kind_on(kinds, board, origin), victim = kind_on(kinds, board, target)
    cdef int other = side_on(board, target)
    cdef Board after
    cdef uint64_t pinners[2]
    if victim == KING_KIND or (victim == PAWN_KIND and (RANK_OF[target] >= 5) == other):
        return False
    if not is_safe(kinds, board, origin, target):
        return False
    if mark_pinners(kinds, board, origin, pinners) and not marked(pinners, target):
        return False
    if victim == ROOK_KIND and (attacker == HORSE_KIND or attacker == CANNON_KIND):
        return True
    if (
        rule_set != ASIAN and (attacker == ADVISOR_KIND or attacker == ELEPHANT_KIND)
        and (victim == ROOK_KIND or victim == HORSE_KIND or victim == CANNON_KIND)
    ):
        return True
    memcpy(&after, board, sizeof(Board))
    move_piece(&after, origin, target)
    if can_take(kinds, &after, other, target):
        return False
    return attacker != victim or not (
        can_go(kinds, board, other, target, origin) and is_safe(kinds, board, target, origin)
    )


cdef int attacked_pieces(
    const int8_t* kinds, const Board* board, int side, int rule_set, bint pawns, int wanted
) noexcept nogil:
    """Those of the `wanted` pieces of the other side that `side` attacks; pieces are bits, slot & 15.

    Kings never attack, pawns only if `pawns` says so.
    """
    cdef Move captures[ROOM]
    cdef int i, kind, victim, found = 0, count = list_moves(kinds, board, side, NOISY, captures)
    for i in range(count):
        victim = 1 << (board.at[captures[i] >> 7] & 15)
        kind = kind_on(kinds, board, captures[i] & 127)
        if kind == KING_KIND or (kind == PAWN_KIND and not pawns) or not victim & wanted & ~found:
            continue
        if is_chase(kinds, board, captures[i] & 127, captures[i] >> 7, rule_set):
            found |= victim
    return found


cdef int newly_attacked(const int8_t* kinds, const State* state, int rule_set, bint pawns, int wanted) noexcept nogil:
    """Those of the `wanted` pieces that the move to a state attacks and that its side did not attack before it."""
    cdef const State* before = state - 1
    cdef int side = before.board.side, after = attacked_pieces(kinds, &state.board, side, rule_set, pawns, wanted)
    return after & ~attacked_pieces(kinds, &before.board, side, rule_set, pawns, after) if after else 0


cdef int chased_pieces(const int8_t* kinds, const State* state, int back, int first, int rule_set) noexcept nogil:
    """The pieces that a side attacks newly by each of its moves in the `back` plies that led to a state.

    `first` 0: the side that has just moved; 1: the other.
    """
    cdef int i = first, chased = ALL_PIECES
    while i < back and chased:
        chased = newly_attacked(kinds, state - i, rule_set, False, chased)
        i += 2
    return chased


cdef bint mates_in_one(const int8_t* kinds, const Board* board, int side, bint by_check) noexcept nogil:
    """Whether a move of `side` leaves the opponent without a legal move; `by_check`: only a check counts."""
    cdef Move moves[ROOM]
    cdef Board after
    cdef int i, count = list_moves(kinds, board, side, EVASION, moves)
    for i in range(count):
        memcpy(&after, board, sizeof(Board))
        move_piece(&after, moves[i] & 127, moves[i] >> 7)
        if checked(kinds, &after, side) or (by_check and not checked(kinds, &after, 1 - side)):
            continue
        if not has_legal_move(kinds, &after, 1 - side):
            return True
    return False


cdef bint attacks_always(const int8_t* kinds, const State* state, int back, int first, bint pawns) noexcept nogil:
    """Whether each move of a side is a check, a chase or a mate threat (Chinese rules of 1999, 25.2, 28.2 and 28.14).

    A move threatens mate if its side, could it move once more, would mate by a check at once.
    """
    cdef int i = first
    while i < back:
        if not (
            (state - i).in_check or newly_attacked(kinds, state - i, CHINESE, pawns, ALL_PIECES)
            or mates_in_one(kinds, &(state - i).board, (state - i - 1).board.side, True)
        ):
            return False
        i += 2
    return True


cdef int pinned_by_horses(const int8_t* kinds, const Board* board, int side) noexcept nogil:
    """The rooks of `side` that stand on the leg of an enemy horse and so shield their king."""
    cdef int own = RED << side, slot, square, point, pinned = 0
    cdef uint64_t pinners[2]
    for slot in range(own, own + 16):
        square = board.square[slot]
        if square == NOWHERE or kind_on(kinds, board, square) != ROOK_KIND:
            continue
        if not mark_pinners(kinds, board, square, pinners):
            continue
        for point in range(SQUARES):
            if marked(pinners, point) and kind_on(kinds, board, point) == HORSE_KIND:
                pinned |= 1 << (slot & 15)
    return pinned


# ---------------------------------------------------------------- cycles


cdef inline int lost_by(bint mover, bint other) noexcept nogil:
    """The outcome for the side to move, if the rules make it, or the other, or both or neither lose."""
    if mover == other:
        return DRAWN
    return RULED_LOST if mover else RULED_WON


cdef int judge_asian(
    const int8_t* kinds, const State* state, int back, bint mover_checks, bint other_checks
) noexcept nogil:
    """A side that checks now and then does not chase, but its opponent may (§12, §18).

    Where both chase, one whose victim is a rook that a horse pins loses (D39 to D41).
    """
    cdef int mover = 0 if mover_checks else chased_pieces(kinds, state, back, 1, ASIAN)
    cdef int other = 0 if other_checks else chased_pieces(kinds, state, back, 0, ASIAN)
    cdef int i, by_other = other, by_mover = mover
    if not (mover and other):
        return lost_by(mover != 0, other != 0)
    for i in range(back):
        # After a move of the other side (even i) the victims are the mover's.
        if i % 2 == 0:
            by_other &= pinned_by_horses(kinds, &(state - i).board, state.board.side)
        else:
            by_mover &= pinned_by_horses(kinds, &(state - i).board, 1 - state.board.side)
    return lost_by(by_mover != 0, by_other != 0)


cdef int judge_chinese(const int8_t* kinds, const State* state, int back) noexcept nogil:
    """A side that attacks with every move loses against one that does not.

    If the opponent attacks always, too, attacks of pawns count as well (27.2).
    """
    cdef bint mover = attacks_always(kinds, state, back, 1, False)
    cdef bint other = attacks_always(kinds, state, back, 0, False)
    if mover and not other:
        other = attacks_always(kinds, state, back, 0, True)
    elif other and not mover:
        mover = attacks_always(kinds, state, back, 1, True)
    return lost_by(mover, other)


cdef int judge_cycle(const int8_t* kinds, const State* state, int back, int rule_set) noexcept nogil:
    """The verdict on the `back` plies that led to a state, all without a capture; one of Outcome for the side to move.

    Perpetual check comes first in all rule sets.
    """
    cdef bint mover_checks = False, other_checks = False, mover_always = True, other_always = True
    cdef int i
    if rule_set == ALWAYS_DRAWN:
        return DRAWN
    for i in range(back):
        # The states at an even distance come after a move of the side that is not to move now.
        if i % 2 == 0:
            other_checks |= (state - i).in_check
            other_always &= (state - i).in_check
        else:
            mover_checks |= (state - i).in_check
            mover_always &= (state - i).in_check
    if mover_always or other_always:
        return lost_by(mover_always, other_always)
    if rule_set == CHINESE:
        return judge_chinese(kinds, state, back)
    if rule_set == ASIAN:
        return judge_asian(kinds, state, back, mover_checks, other_checks)
    if mover_checks or other_checks:
        return DRAWN
    return lost_by(
        chased_pieces(kinds, state, back, 1, COMPUTER) != 0, chased_pieces(kinds, state, back, 0, COMPUTER) != 0
    )


cdef int judge_repetition(
    const int8_t* kinds, const State* states, const uint64_t* keys, int length, int ply, Rules rules
) noexcept nogil:
    """As repetition(). The cycle goes back to the second-last occurrence, or to the last one where two are enough.

    Below a search's root, two are enough for a draw. Where a side would lose, it may still mix this cycle with another,
    so that only the third occurrence decides; until then, it has gained nothing.
    Mate threats cost too much for the tree: there the Chinese rules judge a second occurrence as the computer rules do.
    """
    cdef int back = 4, reach = states[length].halfmove_clock, rule_set = rules.rule_set, so_far = ONGOING
    cdef bint seen = False
    if reach > length:
        reach = length
    while back <= reach:
        if keys[length - back] == keys[length]:
            if seen:
                return judge_cycle(kinds, &states[length], back, rule_set)
            seen = True
            if back < ply:
                so_far = judge_cycle(
                    kinds, &states[length], back, COMPUTER if rule_set == CHINESE and ply > 2 else rule_set
                )
                if so_far != DRAWN:
                    so_far = PENDING_LOST if so_far == RULED_LOST else PENDING_WON
        back += 2
    return so_far


cdef bint has_doubled(const State* states, const uint64_t* keys, int length) noexcept nogil:
    """Whether any position since the last capture, up to `states[length]`, has been there twice."""
    cdef int i, reach = length - states[length].halfmove_clock
    for i in range(length, max(reach, 0) + 3, -1):
        if has_recurred(states, keys, i):
            return True
    return False


cdef bint fits_path(
    const State* states, const uint64_t* keys, int length, int plies, int ply, int quiet_limit
) noexcept nogil:
    """Game.path_allows(): the quiet limit leaves room, and no position before the root has been there twice."""
    cdef int left = quiet_limit - states[length].halfmove_clock
    if left < MAX_CHECKED_PLIES:
        left = quiet_limit - quiet_plies(states, length)
    if plies == 0:
        return left > UNCERTAIN_PLIES
    return plies <= left and (states[length].halfmove_clock <= ply or not has_doubled(states, keys, length - ply))


# ---------------------------------------------------------------- quiet plies, material


cdef int quiet_plies(const State* states, int length) noexcept nogil:
    """Plies since the last capture or pass. Each side's eleventh and later checks and the replies to them do not count,
    as in Pikafish."""
    cdef int start = length - states[length].halfmove_clock, i, side, count
    cdef int checks[2]
    cdef bint free_check = False, free_reply
    if start < 0:
        start = 0
    checks[0] = checks[1] = 0
    count = states[start].halfmove_clock
    for i in range(start + 1, length + 1):
        free_reply = free_check
        free_check = False
        if states[i].in_check:
            side = states[i - 1].board.side
            checks[side] += 1
            free_check = checks[side] > COUNTED_CHECKS
        if not free_check and not free_reply:
            count += 1
    return count


cdef bint material_draw(const int8_t* kinds, const Board* board, int side, int rule_set) noexcept nogil:
    """Whether no piece is left that can cross the river, or, under the computer rules, too little beside a cannon or a
    cannon each (the end of Pikafish's `rule_judge`). `side` is to move."""
    cdef int numbers[14]
    cdef int slot, kind, crossers = 0, cannons, owner, guards
    for kind in range(14):
        numbers[kind] = 0
    for slot in range(RED, 48):
        if board.square[slot] != NOWHERE:
            numbers[<int> kinds[slot]] += 1
    for kind in range(HORSE_KIND, PAWN_KIND + 1):
        crossers += numbers[kind] + numbers[kind + 7]
    if crossers == 0:
        return True
    cannons = numbers[CANNON_KIND] + numbers[CANNON_KIND + 7]
    if rule_set != COMPUTER or crossers != cannons:
        return False
    if cannons == 1:
        owner = 0 if numbers[CANNON_KIND] else 7
        guards = numbers[ADVISOR_KIND + 7 - owner]
        if numbers[ADVISOR_KIND + owner]:
            return False
        if guards == 0 or (guards == 1 and not numbers[ELEPHANT_KIND + owner]):
            return True
        return (guards == 1 or not numbers[ELEPHANT_KIND + owner]) and not mates_in_one(kinds, board, side, False)
    if cannons == 2 and numbers[CANNON_KIND] == 1 and not numbers[ADVISOR_KIND] and not numbers[ADVISOR_KIND + 7]:
        return not (numbers[ELEPHANT_KIND] or numbers[ELEPHANT_KIND + 7]) or not mates_in_one(kinds, board, side, False)
    return False
