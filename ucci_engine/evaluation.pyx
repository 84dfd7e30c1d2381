"""The hand-crafted evaluation of a Xiangqi position; docs/evaluation.md says what each term means.

Every term is a count times a weight, and a weight is a pair: middle game and end
game, packed into one integer so that both are summed at once. The same function
serves the search and `trace`, for which it also notes its counts.
"""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from search_core.evaluator cimport Evaluator
from ucci_engine.board cimport (
    ADVISORS, BLACK, CANNONS, CHEAP_ORIGINS, ELEPHANTS, FILE_OF, FILE_NEIGHBOURS, HORSE_STEPS, HORSES, KIND, KING,
    KING_STEPS, NOWHERE, PAWNS, RANK_OF, RANK_NEIGHBOURS, RED, ROOKS, SQUARES,
    Board, LineNeighbours, Origin, State,
)
from ucci_engine.evaluator cimport XiangqiEvaluator

cdef extern from "platform.h" nogil:
    int sanqi_lowest_bit(uint32_t bits)

from search_core.parts import load_part
from ucci_engine.evaluation_weights import MATERIAL, PLACEMENT, TEMPO, WEIGHTS
from ucci_engine.evaluator import Term

# The weight of the king attack in each style, in percent.
_ATTACK_PERCENT = {"solid": 80, "normal": 100, "risky": 130}

cdef enum:
    # Board.phase with all rooks, horses and cannons on the board.
    FULL_PHASE = 48
    # Up to this phase an advantage may be too small to win.
    THIN_PHASE = 24
    # A scale of this leaves the score as it is.
    FULL_SCALE = 64
    # Of a rook and pawns against a rook, whatever the defence.
    MIN_ROOK_SCALE = 12
    PALACES = 18
    # Scores that an evaluator keeps: 32 kB, since a larger cache costs more in misses than it saves.
    KEPT = 1 << 12
    SCORE_BITS = 0xFFFF
    SCORE_BIAS = 32768

# Where the weights of each term begin.
cdef enum Feature:
    ROOK_MOBILITY = 0                                   # by empty points in reach, 0 .. 17
    CANNON_MOBILITY = ROOK_MOBILITY + 18                # the same
    HORSE_MOBILITY = CANNON_MOBILITY + 18               # by unblocked moves, 0 .. 8
    KING_SHELTER = HORSE_MOBILITY + 9                        # by 3 * elephants + advisors
    ROOK_TARGETS = KING_SHELTER + 9                          # see TARGET
    CANNON_TARGETS = ROOK_TARGETS + 15
    PAWN_TARGETS = CANNON_TARGETS + 15
    LINKED_PAWNS = PAWN_TARGETS + 15
    PAWN_COUNT = LINKED_PAWNS + 1                       # by pawns left, 0 .. 5
    PAIRS = PAWN_COUNT + 6                              # rooks, horses, cannons; a horse with a cannon; rooks v. none
    CANNON_SCREENS = PAIRS + 5                          # cannons times own advisors, own elephants
    COMMANDING_KING = CANNON_SCREENS + 2
    # The king attack, scaled by attack_percent
    PAWN_DISTANCE = COMMANDING_KING + 1                 # of a crossed pawn, by steps to the king, 0 .. 7 and more
    PALACE_ATTACKERS = PAWN_DISTANCE + 8                # 5 * their number (6: and more) + defenders missing
    WING_ATTACKERS = PALACE_ATTACKERS + 35              # pieces across the river on the wing with more, 0 .. 5 and more
    HORSE_PALACE = WING_ATTACKERS + 6                   # points of the palace that a horse attacks
    HORSE_CHECKS = HORSE_PALACE + 1                     # points from which it would give check
    CANNON_ON_FILE = HORSE_CHECKS + 1                   # by pieces between it and the king, 0 .. 3 and more
    CANNON_ON_RANK = CANNON_ON_FILE + 4
    ROOK_ON_FILE = CANNON_ON_RANK + 4
    ROOK_ON_RANK = ROOK_ON_FILE + 4
    ROOK_EXPOSURE = ROOK_ON_RANK + 4                    # rooks times missing advisors, missing elephants
    HORSE_EXPOSURE = ROOK_EXPOSURE + 2
    CANNON_EXPOSURE = HORSE_EXPOSURE + 2
    PAWN_EXPOSURE = CANNON_EXPOSURE + 2
    DISPLACED_KING = PAWN_EXPOSURE + 2                  # rooks, horses, cannons against a king that has left home
    HORSE_TARGETS = DISPLACED_KING + 3
    HANGING = HORSE_TARGETS + 15                        # guards, horses, rooks, cannons, pawns; + 5: their turn
    THREATENED = HANGING + 10                           # their number, 0 .. 3 and more; + 4: their turn
    FEATURES = THREATENED + 8

# ---------------------------------------------------------------- the tables

cdef int32_t WEIGHT[FEATURES]
cdef int32_t TEMPO_WEIGHT
# [side][slot]: 0 for an empty point, 1 + kind of an enemy piece, 8 + kind of an own piece
cdef uint8_t TARGET[2][48]
# The weights of targets by their slot, so that one look-up is enough: [whose targets][side][slot]
cdef enum:
    ROOK
    CANNON
    HORSE
    PAWN
    HUNTERS
cdef int32_t TARGET_WEIGHT[HUNTERS][2][48]
# [slot & 15]: which weight of HANGING
cdef uint8_t HANGING_KIND[16]
# [a place on a line][another]: the bits of the places between them
cdef uint16_t BETWEEN[10][10]
cdef uint8_t BITS[1024]
# [side][square]: what a piece adds to the sum `wings` of one_side()
cdef int WING[2][SQUARES]
# Where a king can stand, numbered; the rest NOWHERE.
cdef uint8_t PALACE[SQUARES]

# One leg of a horse before a given enemy king: its point, where it leads (to the horse's own point, if nowhere), and
# what it adds, if the point is empty, to three sums: moves (lowest byte), points of the palace attacked (second),
# checks to come (third).
cdef struct Leg:
    uint8_t point
    uint8_t to[2]
    uint32_t adds

cdef Leg LEGS[PALACES][SQUARES][4]


cdef inline int32_t packed(int middle, int end) noexcept nogil:
    return middle + (end << 16)


cdef inline int middle_of(int32_t pair) noexcept nogil:
    return <int16_t> pair


cdef inline int end_of(int32_t pair) noexcept nogil:
    return (pair + 0x8000) >> 16


cdef void fill_piece_squares() except *:
    cdef int kind, square, rank, file, column
    for kind in range(7):
        middle_rows, end_rows = PLACEMENT[kind]
        for square in range(SQUARES):
            rank = square // 9
            file = min(square % 9, 8 - square % 9)
            PIECE_SQUARE[kind][square] = packed(MATERIAL[kind][0], MATERIAL[kind][1])
            column = file
            if kind <= 1:
                column = file - 3
            elif kind == 2:
                column = file // 2
            if 0 <= column and rank < len(middle_rows):
                PIECE_SQUARE[kind][square] += packed(middle_rows[rank][column], end_rows[rank][column])
    for kind in range(7):
        for square in range(SQUARES):
            PIECE_SQUARE[kind + 7][square] = -PIECE_SQUARE[kind][(9 - square // 9) * 9 + square % 9]


cdef bint horse_reaches(int origin, int target) noexcept:
    cdef int i
    for i in range(HORSE_STEPS[origin].count):
        if HORSE_STEPS[origin].hops[i].to == target:
            return True
    return False


cdef void fill_legs() noexcept:
    cdef int king, square, i, j, number = 0, to, leg, place
    memset(PALACE, NOWHERE, sizeof(PALACE))
    for king in range(SQUARES):
        if KING_STEPS[king].count:
            PALACE[king] = number
            number += 1
    for king in range(SQUARES):
        if PALACE[king] == NOWHERE:
            continue
        place = PALACE[king]
        for square in range(SQUARES):
            for j in range(4):
                # The horse's own point is never empty.
                LEGS[place][square][j].point = LEGS[place][square][j].to[0] = LEGS[place][square][j].to[1] = square
                LEGS[place][square][j].adds = 0
            leg = 0
            for i in range(HORSE_STEPS[square].count):
                # A leg leads to two points at most: find it among those noted, or note it.
                for j in range(leg):
                    if LEGS[place][square][j].point == HORSE_STEPS[square].hops[i].block:
                        break
                else:
                    j = leg
                    LEGS[place][square][j].point = HORSE_STEPS[square].hops[i].block
                    leg += 1
                to = HORSE_STEPS[square].hops[i].to
                LEGS[place][square][j].to[LEGS[place][square][j].adds & 255] = to
                LEGS[place][square][j].adds += 1
                if PALACE[to] != NOWHERE and (to < 45) == (king < 45):
                    LEGS[place][square][j].adds += 1 << 8
                if horse_reaches(to, king):
                    LEGS[place][square][j].adds += 1 << 16


cdef void fill_tables() except *:
    global TEMPO_WEIGHT
    cdef int feature = 0, i, j, slot
    for weights in WEIGHTS.values():
        for middle, end in weights:
            WEIGHT[feature] = packed(middle, end)
            feature += 1
    assert feature == FEATURES, "WEIGHTS and Feature differ"
    TEMPO_WEIGHT = packed(TEMPO[0], TEMPO[1])
    for slot in range(RED, 48):
        TARGET[0][slot] = 1 + (KIND[slot] + 7) % 14
        TARGET[1][slot] = 1 + KIND[slot]
    for i in range(2):
        for slot in range(48):
            TARGET_WEIGHT[ROOK][i][slot] = WEIGHT[ROOK_TARGETS + TARGET[i][slot]]
            TARGET_WEIGHT[CANNON][i][slot] = WEIGHT[CANNON_TARGETS + TARGET[i][slot]]
            TARGET_WEIGHT[HORSE][i][slot] = WEIGHT[HORSE_TARGETS + TARGET[i][slot]]
            TARGET_WEIGHT[PAWN][i][slot] = WEIGHT[PAWN_TARGETS + TARGET[i][slot]]
    for slot in range(16):
        HANGING_KIND[slot] = max(KIND[RED + slot] - 2, 0)
    for i in range(10):
        for j in range(10):
            BETWEEN[i][j] = (1 << max(i, j)) - 1 & ~((2 << min(i, j)) - 1)
    for i in range(1024):
        BITS[i] = bin(i).count("1")
    for i in range(SQUARES):
        WING[i < 45][i] = (i % 9 <= 4) + ((i % 9 >= 4) << 8)
    fill_piece_squares()
    fill_legs()


fill_tables()

# ---------------------------------------------------------------- the terms


# one_side() is compiled four times, with and without counting and once for each side: with the side known the C
# compiler folds away half of it, which saves 40 % of the time.
cdef struct NoCounts:
    int unused

cdef struct Counts:
    int of[FEATURES]

ctypedef fused Tally:
    NoCounts
    Counts

cdef struct RedSide:
    int unused

cdef struct BlackSide:
    int unused

ctypedef fused Colour:
    RedSide
    BlackSide


cdef inline int32_t weigh(int feature, int count, Tally* counts) noexcept nogil:
    if Tally is Counts:
        counts.of[feature] += count
    return WEIGHT[feature] * count


cdef inline int32_t weigh_target(int hunter, int first, int side, int slot, Tally* counts) noexcept nogil:
    if Tally is Counts:
        counts.of[first + TARGET[side][slot]] += 1
    return TARGET_WEIGHT[hunter][side][slot]


cdef inline bint on_board(const Board* board, int slot) noexcept nogil:
    return board.square[slot] != NOWHERE


# The pieces of both sides that those of one side attack or guard: bit = slot. Its guards and its king do not count.
cdef struct Reach:
    uint64_t of_rooks
    uint64_t of_others


cdef inline uint64_t bit(int slot) noexcept nogil:
    return <uint64_t> 1 << slot


cdef int32_t one_side(
    const Board* board, Colour* colour, int32_t* king_attack, Reach* reach, Tally* counts,
) noexcept nogil:
    """The terms of one side without its piece-square values; those of its king attack go into `king_attack`.

    Writes `reach`. `counts`, if it is a Counts, gets how often each weight counted; only the type of `colour` matters.
    """
    cdef int side = 0 if Colour is RedSide else 1
    cdef int own = RED << side, enemy = BLACK >> side
    cdef int king = board.square[enemy + KING], king_file = FILE_OF[king], king_rank = RANK_OF[king]
    cdef int advisors = on_board(board, own + ADVISORS) + on_board(board, own + ADVISORS + 1)
    cdef int elephants = on_board(board, own + ELEPHANTS) + on_board(board, own + ELEPHANTS + 1)
    cdef int no_advisors = 2 - on_board(board, enemy + ADVISORS) - on_board(board, enemy + ADVISORS + 1)
    cdef int no_elephants = 2 - on_board(board, enemy + ELEPHANTS) - on_board(board, enemy + ELEPHANTS + 1)
    cdef int rooks = 0, horses = 0, cannons = 0, pawns = 0, crossed = 0, attackers = 0
    cdef int wings = 0  # pieces across the river, files a to e in the low byte, e to i in the next
    cdef int slot, square, file, rank, ahead, distance, base, between, i, unblocked, below, above, left, right
    cdef int32_t total, attack = 0
    cdef uint32_t sums
    cdef uint64_t of_rooks = 0, of_others = 0
    cdef const uint8_t* at = board.at
    cdef const int* wing = WING[side]
    cdef Leg* leg
    cdef LineNeighbours* along_file
    cdef LineNeighbours* along_rank

    total = weigh(KING_SHELTER + 3 * elephants + advisors, 1, counts)

    for slot in range(own + ROOKS, own + CANNONS):
        square = board.square[slot]
        if square == NOWHERE:
            continue
        rooks += 1
        wings += wing[square]
        file = FILE_OF[square]
        rank = RANK_OF[square]
        base = square - file
        along_file = &FILE_NEIGHBOURS[rank][board.file_occ[file]]
        along_rank = &RANK_NEIGHBOURS[file][board.rank_occ[rank]]
        total += weigh(ROOK_MOBILITY + along_file.empty + along_rank.empty, 1, counts)
        below = at[along_file.low * 9 + file]
        above = at[along_file.high * 9 + file]
        left = at[base + along_rank.low]
        right = at[base + along_rank.high]
        total += weigh_target(ROOK, ROOK_TARGETS, side, below, counts)
        total += weigh_target(ROOK, ROOK_TARGETS, side, above, counts)
        total += weigh_target(ROOK, ROOK_TARGETS, side, left, counts)
        total += weigh_target(ROOK, ROOK_TARGETS, side, right, counts)
        # Where there is no target, the piece itself stands for it.
        of_rooks |= (bit(below) | bit(above) | bit(left) | bit(right)) & ~bit(slot)
        if file == king_file:
            between = BITS[board.file_occ[file] & BETWEEN[rank][king_rank]]
            attack += weigh(ROOK_ON_FILE + min(between, 3), 1, counts)
        elif rank == king_rank:
            between = BITS[board.rank_occ[rank] & BETWEEN[file][king_file]]
            attack += weigh(ROOK_ON_RANK + min(between, 3), 1, counts)
        ahead = along_file.high if side == 0 else 9 - along_file.low
        attackers += (<unsigned int> (file - 3) <= 2) & (ahead >= 7) | (
            (rank >= 7 if side == 0 else rank <= 2) & (along_rank.low <= 5) & (along_rank.high >= 3)
        )

    for slot in range(own + CANNONS, own + PAWNS):
        square = board.square[slot]
        if square == NOWHERE:
            continue
        cannons += 1
        wings += wing[square]
        file = FILE_OF[square]
        rank = RANK_OF[square]
        base = square - file
        along_file = &FILE_NEIGHBOURS[rank][board.file_occ[file]]
        along_rank = &RANK_NEIGHBOURS[file][board.rank_occ[rank]]
        total += weigh(CANNON_MOBILITY + along_file.empty + along_rank.empty, 1, counts)
        below = at[along_file.low_next * 9 + file]
        above = at[along_file.high_next * 9 + file]
        left = at[base + along_rank.low_next]
        right = at[base + along_rank.high_next]
        total += weigh_target(CANNON, CANNON_TARGETS, side, below, counts)
        total += weigh_target(CANNON, CANNON_TARGETS, side, above, counts)
        total += weigh_target(CANNON, CANNON_TARGETS, side, left, counts)
        total += weigh_target(CANNON, CANNON_TARGETS, side, right, counts)
        # Where there is no target, the piece itself stands for it.
        of_others |= (bit(below) | bit(above) | bit(left) | bit(right)) & ~bit(slot)
        if file == king_file:
            between = BITS[board.file_occ[file] & BETWEEN[rank][king_rank]]
            attack += weigh(CANNON_ON_FILE + min(between, 3), 1, counts)
        elif rank == king_rank:
            between = BITS[board.rank_occ[rank] & BETWEEN[file][king_file]]
            attack += weigh(CANNON_ON_RANK + min(between, 3), 1, counts)
        ahead = along_file.high_next if side == 0 else 9 - along_file.low_next
        attackers += (<unsigned int> (file - 3) <= 2) & (ahead >= 7) | (rank >= 7 if side == 0 else rank <= 2)

    for slot in range(own + HORSES, own + ROOKS):
        square = board.square[slot]
        if square == NOWHERE:
            continue
        horses += 1
        wings += wing[square]
        # Whether a leg is free is hard to predict: masks instead of branches.
        leg = LEGS[PALACE[king]][square]
        sums = (
            (leg[0].adds & -<uint32_t> (at[leg[0].point] == 0)) + (leg[1].adds & -<uint32_t> (at[leg[1].point] == 0))
            + (leg[2].adds & -<uint32_t> (at[leg[2].point] == 0)) + (leg[3].adds & -<uint32_t> (at[leg[3].point] == 0))
        )
        total += weigh(HORSE_MOBILITY + (sums & 255), 1, counts)
        for i in range(4):
            unblocked = -<int> (at[leg[i].point] == 0)
            left = at[leg[i].to[0]] & unblocked
            right = at[leg[i].to[1]] & unblocked
            total += weigh_target(HORSE, HORSE_TARGETS, side, left, counts)
            total += weigh_target(HORSE, HORSE_TARGETS, side, right, counts)
            of_others |= (bit(left) | bit(right)) & ~bit(slot)
        attack += weigh(HORSE_PALACE, sums >> 8 & 255, counts)
        attack += weigh(HORSE_CHECKS, sums >> 16, counts)
        attackers += (sums >> 8) != 0

    for slot in range(own + PAWNS, own + 16):
        square = board.square[slot]
        if square == NOWHERE:
            continue
        pawns += 1
        wings += wing[square]
        file = FILE_OF[square]
        rank = RANK_OF[square] if side == 0 else 9 - RANK_OF[square]
        if rank < 9:
            above = at[square + (9 if side == 0 else -9)]
            total += weigh_target(PAWN, PAWN_TARGETS, side, above, counts)
            of_others |= bit(above)
        if rank >= 5:
            crossed += 1
            if file > 0:
                left = at[square - 1]
                total += weigh_target(PAWN, PAWN_TARGETS, side, left, counts)
                of_others |= bit(left)
            if file < 8:
                right = at[square + 1]
                total += weigh_target(PAWN, PAWN_TARGETS, side, right, counts)
                of_others |= bit(right)
                if <unsigned int> (right - own - PAWNS) <= 4:
                    total += weigh(LINKED_PAWNS, 1, counts)
            distance = abs(file - king_file) + abs(RANK_OF[square] - king_rank)
            attack += weigh(PAWN_DISTANCE + min(distance, 7), 1, counts)
            attackers += distance <= 4

    attack += weigh(PALACE_ATTACKERS + 5 * min(attackers, 6) + no_advisors + no_elephants, 1, counts)
    attack += weigh(WING_ATTACKERS + min(max(wings & 255, wings >> 8), 5), 1, counts)
    if no_advisors | no_elephants:
        attack += weigh(ROOK_EXPOSURE, rooks * no_advisors, counts)
        attack += weigh(ROOK_EXPOSURE + 1, rooks * no_elephants, counts)
        attack += weigh(HORSE_EXPOSURE, horses * no_advisors, counts)
        attack += weigh(HORSE_EXPOSURE + 1, horses * no_elephants, counts)
        attack += weigh(CANNON_EXPOSURE, cannons * no_advisors, counts)
        attack += weigh(CANNON_EXPOSURE + 1, cannons * no_elephants, counts)
        attack += weigh(PAWN_EXPOSURE, crossed * no_advisors, counts)
        attack += weigh(PAWN_EXPOSURE + 1, crossed * no_elephants, counts)

    if king != (85 if side == 0 else 4):
        attack += weigh(DISPLACED_KING, rooks, counts)
        attack += weigh(DISPLACED_KING + 1, horses, counts)
        attack += weigh(DISPLACED_KING + 2, cannons, counts)

    total += weigh(PAWN_COUNT + pawns, 1, counts)
    if rooks == 2:
        total += weigh(PAIRS, 1, counts)
    if horses == 2:
        total += weigh(PAIRS + 1, 1, counts)
    if cannons == 2:
        total += weigh(PAIRS + 2, 1, counts)
    if horses and cannons:
        total += weigh(PAIRS + 3, 1, counts)
    if rooks and not on_board(board, enemy + ROOKS) and not on_board(board, enemy + ROOKS + 1):
        total += weigh(PAIRS + 4, 1, counts)
    total += weigh(CANNON_SCREENS, cannons * advisors, counts)
    total += weigh(CANNON_SCREENS + 1, cannons * elephants, counts)

    square = board.square[own + KING]
    along_file = &FILE_NEIGHBOURS[RANK_OF[square]][board.file_occ[FILE_OF[square]]]
    ahead = along_file.high if side == 0 else 9 - along_file.low
    if ahead >= 7:
        total += weigh(COMMANDING_KING, 1, counts)

    king_attack[0] = attack
    reach.of_rooks = of_rooks
    reach.of_others = of_others
    return total


cdef bint is_guarded_at_home(const Board* board, int side, int square) noexcept nogil:
    """Whether the king or the guards of a side guard a point."""
    cdef const Origin* origin
    cdef int i, king = board.square[(RED << side) + KING]
    for i in range(CHEAP_ORIGINS[side][square].count):
        origin = &CHEAP_ORIGINS[side][square].origins[i]
        if (
            <unsigned int> (board.at[origin.square] - origin.first) <= origin.others
            and (origin.block == NOWHERE or board.at[origin.block] == 0)
        ):
            return True
    return PALACE[square] != NOWHERE and (
        abs(FILE_OF[king] - FILE_OF[square]) + abs(RANK_OF[king] - RANK_OF[square]) == 1
    )


cdef int32_t threats(
    const Board* board, int side, const Reach* own_reach, const Reach* enemy_reach, Tally* counts,
) noexcept nogil:
    """The terms of the pieces of `side` that can be won: attacked without a guard, or a rook by a lesser piece.

    A side can save one of them if it is to move. So their number counts, and whose turn it is.
    """
    cdef int own = RED << side, turn = board.side == side, slot, kind, threatened = 0
    cdef int32_t total = 0
    cdef uint32_t attacked = <uint32_t> ((enemy_reach.of_rooks | enemy_reach.of_others) >> own) & 0xFFFE
    cdef uint32_t lone = attacked & ~<uint32_t> ((own_reach.of_rooks | own_reach.of_others) >> own)
    cdef uint32_t rooks = <uint32_t> (enemy_reach.of_others >> own) & 3 << ROOKS
    while lone:
        slot = sanqi_lowest_bit(lone)
        lone &= lone - 1
        if is_guarded_at_home(board, side, board.square[own + slot]):
            continue
        rooks &= ~(<uint32_t> 1 << slot)
        kind = HANGING_KIND[slot]
        threatened += 1 <= kind <= 3
        total += weigh(HANGING + 5 * turn + kind, 1, counts)
    threatened += BITS[rooks]
    return total + weigh(THREATENED + 4 * turn + min(threatened, 3), 1, counts)


cdef int winning_scale(const Board* board, int side) noexcept nogil:
    """How much of an advantage of `side` can be turned into a win, FULL_SCALE = all of it.

    Linear in the attackers of `side` and the defenders of the other, fitted to the results of end games. Between rook
    and pawns and a rook, advisors defend better than elephants, and own guards hide the king from checks.
    """
    cdef int own = RED << side, enemy = BLACK >> side
    cdef int rooks = on_board(board, own + ROOKS) + on_board(board, own + ROOKS + 1)
    cdef int minors = 0, pawns = 0, own_guards = 0
    cdef int enemy_rooks, enemy_minors = 0, enemy_pawns = 0, advisors = 0, elephants = 0, guards
    cdef int i, square, scale
    for i in range(5):
        square = board.square[own + PAWNS + i]
        if square != NOWHERE and (square < 81 if side == 0 else square >= 9):  # not on the last rank
            pawns += 1
        enemy_pawns += on_board(board, enemy + PAWNS + i)
    for i in range(2):
        minors += on_board(board, own + HORSES + i) + on_board(board, own + CANNONS + i)
        enemy_minors += on_board(board, enemy + HORSES + i) + on_board(board, enemy + CANNONS + i)
        own_guards += on_board(board, own + ADVISORS + i) + on_board(board, own + ELEPHANTS + i)
        advisors += on_board(board, enemy + ADVISORS + i)
        elephants += on_board(board, enemy + ELEPHANTS + i)
    guards = advisors + elephants
    enemy_rooks = on_board(board, enemy + ROOKS) + on_board(board, enemy + ROOKS + 1)
    if rooks == 1 and enemy_rooks == 1 and minors + enemy_minors == 0 and pawns:
        scale = (
            29 * min(pawns, 3) + 8 * min(own_guards, 2) + 30
            - 34 * advisors - 10 * elephants - 22 * min(enemy_pawns, 2)
        )
        # Two advisors hold the draw, but not every defender does: progress must still raise the score.
        return min(max(scale, MIN_ROOK_SCALE), FULL_SCALE)
    scale = (
        75 * rooks + 38 * minors + 33 * min(pawns, 3) - 27
        - 33 * enemy_rooks - 10 * enemy_minors - 10 * guards + 5 * min(enemy_pawns, 2)
    )
    if enemy_rooks + enemy_minors + guards == 0 and rooks + pawns > 0:
        scale = max(scale, FULL_SCALE // 2)  # won, but the end is far: progress must still raise the score
    return min(max(scale, 0), FULL_SCALE)


# The sums that lead to the score, kept for trace().
cdef struct Sums:
    int32_t plain[2]        # [side], the terms outside the king attack
    int32_t attack[2]
    int style[2][2]         # [side][middle, end]: what attack_percent adds
    int drawish[2][2]       # the same: what winning_scale() takes away


cdef inline int score(const Board* board, int attack_percent, Sums* sums, Tally* red, Tally* black) noexcept nogil:
    """The evaluation for the side to move."""
    cdef int middle, end, scale, better, i
    cdef int32_t total
    cdef Reach reach[2]
    sums.plain[0] = one_side(board, <RedSide*> NULL, &sums.attack[0], &reach[0], red)
    sums.plain[1] = one_side(board, <BlackSide*> NULL, &sums.attack[1], &reach[1], black)
    sums.plain[0] += threats(board, 0, &reach[0], &reach[1], red)
    sums.plain[1] += threats(board, 1, &reach[1], &reach[0], black)
    total = board.psq + sums.plain[0] + sums.attack[0] - sums.plain[1] - sums.attack[1]
    middle = middle_of(total)
    end = end_of(total)
    if attack_percent != 100:
        for i in range(2):
            sums.style[i][0] = middle_of(sums.attack[i]) * (attack_percent - 100) // 100
            sums.style[i][1] = end_of(sums.attack[i]) * (attack_percent - 100) // 100
        middle += sums.style[0][0] - sums.style[1][0]
        end += sums.style[0][1] - sums.style[1][1]
    if board.phase <= THIN_PHASE:
        # Only the side that stands better needs the means to win.
        better = 0 if middle * board.phase + end * (FULL_PHASE - board.phase) > 0 else 1
        scale = winning_scale(board, better)
        if scale != FULL_SCALE:
            sums.drawish[better][0] = (middle * scale // FULL_SCALE - middle) * (1 - 2 * better)
            sums.drawish[better][1] = (end * scale // FULL_SCALE - end) * (1 - 2 * better)
            middle = middle * scale // FULL_SCALE
            end = end * scale // FULL_SCALE
    middle = middle * (1 - 2 * board.side) + middle_of(TEMPO_WEIGHT)
    end = end * (1 - 2 * board.side) + end_of(TEMPO_WEIGHT)
    return (middle * board.phase + end * (FULL_PHASE - board.phase)) // FULL_PHASE


cdef int count_terms(const Board* board, int attack_percent, int* red, int* black) noexcept nogil:
    """The evaluation, and how often each weight counts for each side."""
    cdef Sums sums
    memset(red, 0, sizeof(Counts))
    memset(black, 0, sizeof(Counts))
    return score(board, attack_percent, &sums, <Counts*> red, <Counts*> black)


# ---------------------------------------------------------------- the evaluator


cdef list piece_terms(const Board* board):
    cdef int slot, kind, side
    material = [0, 0, 0, 0]
    piece_square = [0, 0, 0, 0]
    for slot in range(RED, 48):
        if not on_board(board, slot):
            continue
        side = slot >= BLACK
        kind = KIND[slot] % 7
        sign = -1 if side else 1
        pair = sign * PIECE_SQUARE[KIND[slot]][board.square[slot]]
        material[2 * side] += MATERIAL[kind][0]
        material[2 * side + 1] += MATERIAL[kind][1]
        piece_square[2 * side] += middle_of(pair) - MATERIAL[kind][0]
        piece_square[2 * side + 1] += end_of(pair) - MATERIAL[kind][1]
    return [Term("material", *material), Term("piece square", *piece_square)]


cdef class HandCraftedEvaluator(XiangqiEvaluator):
    """A sum of weighted terms, and a cache of the last scores.

    A search meets most positions more than once, and the score takes a quarter of its time.

    Parameters
    ----------
    attack_percent : int
        Weight of the king attack, 100 = as tuned.
    """

    def __cinit__(self, int attack_percent=100):
        self.attack_percent = attack_percent

    def __dealloc__(self):
        free(self.kept)

    cdef int evaluate(self, const State* states, const uint64_t* keys, int length) noexcept nogil:
        cdef Sums sums
        cdef uint64_t* kept
        cdef int value
        # Made at the first call: most positions are never evaluated.
        if self.kept == NULL:
            self.kept = <uint64_t*> calloc(KEPT, sizeof(uint64_t))
            if self.kept == NULL:
                return score(&states[length].board, self.attack_percent, &sums, <NoCounts*> NULL, <NoCounts*> NULL)
        # A kept score is in the low bits, and the key in the others. With the index, 60 bits of it are compared.
        kept = &self.kept[keys[length] & (KEPT - 1)]
        if kept[0] >> 16 == keys[length] >> 16 and kept[0] & SCORE_BITS:
            return <int> (kept[0] & SCORE_BITS) - SCORE_BIAS
        value = score(&states[length].board, self.attack_percent, &sums, <NoCounts*> NULL, <NoCounts*> NULL)
        kept[0] = keys[length] & ~<uint64_t> SCORE_BITS | <uint64_t> (value + SCORE_BIAS)
        return value

    cdef tuple trace(self, const State* states, const uint64_t* keys, int length):
        """(list of Term, the score).

        The differences Red - Black of all terms, summed, make ``(mg * phase + eg * (48 - phase)) / 48``, rounded
        towards zero, the evaluation in Red's view.
        """
        cdef const Board* board = &states[length].board
        cdef Sums sums
        cdef Counts counts[2]
        cdef int feature, total
        memset(&sums, 0, sizeof(sums))
        memset(counts, 0, sizeof(counts))
        total = score(board, self.attack_percent, &sums, &counts[0], &counts[1])
        terms = piece_terms(board)
        first = 0
        for name, weights in WEIGHTS.items():
            values = [0, 0, 0, 0]
            for feature in range(first, first + len(weights)):
                for colour in range(2):
                    count = counts[colour].of[feature]
                    values[2 * colour] += count * weights[feature - first][0]
                    values[2 * colour + 1] += count * weights[feature - first][1]
            first += len(weights)
            terms.append(Term(name, *values))
        terms.append(Term("style", sums.style[0][0], sums.style[0][1], sums.style[1][0], sums.style[1][1]))
        terms.append(Term("drawish", sums.drawish[0][0], sums.drawish[0][1], sums.drawish[1][0], sums.drawish[1][1]))
        terms.append(Term("tempo", 0, 0, *TEMPO) if board.side else Term("tempo", *TEMPO, 0, 0))
        return terms, total

    cpdef Evaluator copy(self):
        return HandCraftedEvaluator(self.attack_percent)

    def set_style(self, style: str, side: int) -> bool:
        if style not in _ATTACK_PERCENT:
            return False
        self.attack_percent = _ATTACK_PERCENT[style]
        free(self.kept)
        self.kept = NULL
        return True

    def weakened(self, seed, permille: int, side: int) -> Evaluator:
        return load_part("ucci_engine.prejudice:prejudiced")(self.attack_percent, seed, permille) if permille else self
