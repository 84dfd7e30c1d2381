"""The hand-made evaluation of a Xiangqi position, in centipawns; docs/evaluation.md says what each term means.

Every term is a count times a weight, and a weight is a pair: middle game and end
game, packed into one integer so that both are summed at once. The same function
serves the search and `trace`; the latter lets it note its counts.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memset

from ucci_engine.board cimport (
    ADVISORS, BLACK, CANNONS, ELEPHANTS, FILE_OF, FILE_REACH, HORSE_STEPS, HORSES, KIND, KING, KING_STEPS, NOWHERE,
    PAWNS, RANK_OF, RANK_REACH, RED, ROOKS, SQUARES,
    Board, Reach,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ucci_engine.position import Position

cdef enum:
    # Board.phase with all rooks, horses and cannons on the board.
    FULL_PHASE = 48
    # A scale of this leaves the score as it is.
    FULL_SCALE = 64
    PALACES = 18

# Where the weights of each term begin.
cdef enum Feature:
    ROOK_MOBILITY = 0                                   # by empty points in reach, 0 .. 17
    CANNON_MOBILITY = ROOK_MOBILITY + 18                # the same
    HORSE_MOBILITY = CANNON_MOBILITY + 18               # by unblocked moves, 0 .. 8
    SHELTER = HORSE_MOBILITY + 9                        # by 3 * elephants + advisors
    LINKED_GUARDS = SHELTER + 9                         # elephants that guard each other, advisors
    ROOK_TARGETS = LINKED_GUARDS + 2                    # see TARGET
    CANNON_TARGETS = ROOK_TARGETS + 15
    HORSE_TARGETS = CANNON_TARGETS + 15
    PAWN_TARGETS = HORSE_TARGETS + 15
    LINKED_PAWNS = PAWN_TARGETS + 15
    FREE_PAWNS = LINKED_PAWNS + 1                       # not across yet, and no enemy pawn before them
    PAIRS = FREE_PAWNS + 1                            # horses, cannons, a horse with a cannon, rooks against none
    CANNON_SCREENS = PAIRS + 4                          # cannons times own advisors, own elephants
    COMMANDING_KING = CANNON_SCREENS + 2
    # The king attack, scaled by Board.attack_percent
    PAWN_DISTANCE = COMMANDING_KING + 1                 # of a crossed pawn, by steps to the king, 0 .. 7 and more
    PALACE_ATTACKERS = PAWN_DISTANCE + 8                # 5 * their number (6: and more) + defenders missing
    HORSE_PALACE = PALACE_ATTACKERS + 35                # points of the palace that a horse attacks
    HORSE_CHECKS = HORSE_PALACE + 1                     # points from which it would give check
    CANNON_ON_FILE = HORSE_CHECKS + 1                   # by pieces between it and the king, 0 .. 3 and more
    CANNON_ON_RANK = CANNON_ON_FILE + 4
    ROOK_ON_FILE = CANNON_ON_RANK + 4
    ROOK_ON_RANK = ROOK_ON_FILE + 4
    ROOK_EXPOSURE = ROOK_ON_RANK + 4                    # rooks times missing advisors, missing elephants
    HORSE_EXPOSURE = ROOK_EXPOSURE + 2
    CANNON_EXPOSURE = HORSE_EXPOSURE + 2
    PAWN_EXPOSURE = CANNON_EXPOSURE + 2
    FEATURES = PAWN_EXPOSURE + 2

# ---------------------------------------------------------------- the numbers

TEMPO = (18, 8)

# K A E H R C P: middle game, end game
MATERIAL = ((0, 0), (170, 180), (180, 200), (400, 450), (930, 980), (450, 430), (70, 90))

# What the square adds, middle game and end game: a row is a rank from the own back rank on, its entries the files
# from the edge to the centre, the other half being its mirror.
PLACEMENT = (
    # king: files d, e
    (
        ((4, 10), (-16, -8), (-36, -28)),
        ((0, 6), (0, 10), (-6, 4)),
    ),
    # advisor: d, e
    (
        ((0, 0), (0, 12), (-10, 0)),
        ((0, 0), (0, 10), (-6, 0)),
    ),
    # elephant: a, c, e
    (
        ((0, 0, 0), (0, 0, 0), (-16, 0, 16), (0, 0, 0), (0, -6, 0)),
        ((0, 0, 0), (0, 0, 0), (-12, 0, 12), (0, 0, 0), (0, 2, 0)),
    ),
    # horse
    (
        (
            (-30, -24, -14, -20, -30), (-26, -12, -6, -4, -50), (-10, 2, 8, 8, -4), (-4, 6, 8, 12, 14),
            (2, 16, 14, 20, 20), (4, 20, 22, 26, 26), (10, 28, 34, 36, 34), (12, 28, 40, 44, 30),
            (6, 18, 60, 28, 8), (-10, -4, 4, 6, -10),
        ),
        (
            (-30, -20, -14, -14, -20), (-24, -10, -4, 0, -10), (-12, 0, 6, 8, 6), (-4, 6, 10, 14, 16),
            (0, 12, 16, 20, 22), (6, 18, 26, 30, 32), (10, 26, 36, 40, 40), (8, 24, 38, 42, 36),
            (0, 14, 34, 26, 14), (-16, -8, 2, 4, -4),
        ),
    ),
    # rook
    (
        (
            (-20, -2, -8, 4, -10), (-8, 0, 0, 12, -10), (-10, 4, 0, 10, 0), (0, 8, 4, 12, 12),
            (8, 14, 10, 18, 18), (8, 14, 12, 20, 20), (12, 18, 16, 26, 28), (10, 14, 14, 28, 32),
            (14, 20, 18, 34, 44), (8, 12, 12, 24, 20),
        ),
        (
            (-10, -4, -4, 0, 0), (-6, 0, 0, 4, 4), (-4, 0, 0, 6, 6), (0, 4, 4, 10, 10),
            (4, 8, 8, 14, 14), (6, 10, 10, 16, 18), (8, 12, 12, 20, 22), (8, 12, 14, 24, 26),
            (8, 12, 14, 24, 26), (4, 8, 8, 16, 18),
        ),
    ),
    # cannon
    (
        (
            (-6, -4, 0, 4, 4), (-6, -2, 2, 4, 0), (-4, 4, 8, 4, 24), (-6, -2, 2, 2, 14),
            (-6, 0, 4, 4, 16), (-4, 0, 2, 2, 14), (0, 0, 0, -4, 12), (4, 4, 0, -12, -8),
            (8, 8, 0, -16, -18), (18, 16, 4, -10, -14),
        ),
        (
            (-4, 0, 4, 10, 14), (-6, 0, 4, 8, 12), (-6, 0, 2, 6, 14), (-8, -4, 0, 2, 8),
            (-8, -4, 0, 2, 8), (-8, -2, 0, 2, 6), (-6, -2, 0, 0, 6), (-4, 0, 0, 0, 4),
            (-4, 0, 0, 0, 0), (-2, 0, 0, 0, 0),
        ),
    ),
    # pawn
    (
        (
            (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (-6, 0, 6, 0, 24),
            (4, 0, 16, 0, 26), (30, 46, 56, 68, 70), (46, 66, 84, 98, 104), (54, 80, 106, 130, 130),
            (44, 72, 104, 136, 140), (-14, -6, 4, 20, 24),
        ),
        (
            (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (0, 0, 0, 0, 4),
            (10, 0, 10, 0, 14), (50, 66, 74, 80, 80), (64, 82, 94, 104, 106), (66, 88, 106, 120, 122),
            (44, 66, 90, 110, 112), (-26, -18, -6, 8, 12),
        ),
    ),
)

# (name, first weight, weights as (middle game, end game)); in the order of Feature
TERMS = (
    ("rook mobility", ROOK_MOBILITY, (
        (-50, -60), (-42, -50), (-34, -40), (-27, -32), (-20, -24), (-14, -17), (-8, -11), (-3, -6), (1, -1),
        (5, 4), (8, 8), (11, 12), (14, 16), (16, 19), (18, 22), (20, 25), (22, 27), (23, 29),
    )),
    ("cannon mobility", CANNON_MOBILITY, (
        (-24, -30), (-19, -24), (-14, -18), (-10, -12), (-7, -8), (-4, -4), (-1, -1), (1, 2), (3, 4),
        (5, 6), (6, 8), (7, 10), (8, 11), (9, 12), (9, 13), (10, 14), (10, 15), (11, 16),
    )),
    ("horse mobility", HORSE_MOBILITY, (
        (-60, -70), (-42, -46), (-24, -26), (-10, -10), (0, 0), (9, 8), (16, 15), (22, 20), (26, 24),
    )),
    ("shelter", SHELTER, (
        (-60, -30), (-36, -14), (-16, -4), (-34, -14), (-14, -4), (2, 4), (-8, 0), (8, 4), (24, 12),
    )),
    ("linked guards", LINKED_GUARDS, ((4, 4), (4, 4))),
    ("rook targets", ROOK_TARGETS, (
        (0, 0),
        (0, 0), (6, 6), (12, 10), (16, 8), (0, 0), (12, 8), (8, 10),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
    )),
    ("cannon targets", CANNON_TARGETS, (
        (0, 0),
        (0, 0), (3, 4), (5, 3), (10, 8), (18, 8), (0, 0), (4, 2),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
    )),
    ("horse targets", HORSE_TARGETS, (
        (0, 0),
        (0, 0), (3, 4), (5, 3), (5, 8), (20, 10), (10, 10), (4, 2),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
    )),
    ("pawn targets", PAWN_TARGETS, (
        (0, 0),
        (0, 0), (8, 8), (8, 8), (26, 24), (36, 34), (28, 24), (0, 2),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
    )),
    ("linked pawns", LINKED_PAWNS, ((16, 20),)),
    ("free pawns", FREE_PAWNS, ((4, 4),)),
    ("pairs", PAIRS, ((0, 6), (4, -6), (10, 14), (30, 30))),
    ("cannon screens", CANNON_SCREENS, ((4, 14), (2, 6))),
    ("commanding king", COMMANDING_KING, ((4, 16),)),
    ("pawn distance", PAWN_DISTANCE, (
        (0, 0), (30, 20), (28, 20), (20, 14), (10, 8), (4, 4), (0, 0), (-4, -4),
    )),
    ("palace attackers", PALACE_ATTACKERS, (
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (20, 0), (26, 0), (31, 0), (36, 0), (41, 0),
        (46, 19), (58, 24), (69, 28), (81, 33), (92, 38),
        (68, 35), (86, 44), (103, 52), (120, 61), (137, 70),
        (92, 44), (116, 56), (139, 67), (162, 78), (185, 89),
        (112, 56), (140, 70), (168, 84), (196, 98), (224, 112),
    )),
    ("horse at the palace", HORSE_PALACE, ((24, 2),)),
    ("horse before check", HORSE_CHECKS, ((30, 4),)),
    ("cannon on the file", CANNON_ON_FILE, ((90, 50), (0, 0), (28, 12), (8, 2))),
    ("cannon on the rank", CANNON_ON_RANK, ((30, 14), (0, 0), (20, 8), (4, 0))),
    ("rook on the file", ROOK_ON_FILE, ((0, 0), (22, 18), (8, 6), (2, 0))),
    ("rook on the rank", ROOK_ON_RANK, ((0, 0), (22, 14), (6, 4), (2, 0))),
    ("exposed to rooks", ROOK_EXPOSURE, ((18, 16), (10, 10))),
    ("exposed to horses", HORSE_EXPOSURE, ((12, 12), (2, 4))),
    ("exposed to cannons", CANNON_EXPOSURE, ((-4, -8), (20, 14))),
    ("exposed to pawns", PAWN_EXPOSURE, ((6, 10), (4, 6))),
)

# ---------------------------------------------------------------- the tables

cdef int32_t WEIGHT[FEATURES]
cdef int32_t TEMPO_WEIGHT
# [side][slot]: 0 for an empty point, 1 + kind of an enemy piece, 8 + kind of one's own
cdef uint8_t TARGET[2][48]
# [a place on a line][another]: the bits of the places between them
cdef uint16_t BETWEEN[10][10]
cdef uint8_t BITS[1024]
# Where a king can stand, numbered; the rest NOWHERE.
cdef uint8_t PALACE[SQUARES]

# One leg of a horse before a given enemy king: its point, where it leads to (the horse's own point for "nowhere"), and
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
    cdef int king, square, other, i, j, number = 0, to, leg
    cdef int place
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
            leg = 0
            for i in range(HORSE_STEPS[square].count):
                # A leg leads to two points at most: find it among those noted, or note it.
                for j in range(leg):
                    if LEGS[place][square][j].point == HORSE_STEPS[square].hops[i].block:
                        break
                else:
                    j = leg
                    LEGS[place][square][j].point = HORSE_STEPS[square].hops[i].block
                    LEGS[place][square][j].to[0] = HORSE_STEPS[square].hops[i].to
                    LEGS[place][square][j].adds = 0
                    leg += 1
                to = HORSE_STEPS[square].hops[i].to
                LEGS[place][square][j].to[1] = to if to != LEGS[place][square][j].to[0] else square
                LEGS[place][square][j].adds += 1
                if PALACE[to] != NOWHERE and (to < 45) == (king < 45):
                    LEGS[place][square][j].adds += 1 << 8
                if horse_reaches(to, king):
                    LEGS[place][square][j].adds += 1 << 16
            for j in range(leg, 4):
                # The horse's own point is never empty.
                LEGS[place][square][j].point = square
                LEGS[place][square][j].adds = 0


cdef void fill_tables() except *:
    global TEMPO_WEIGHT
    cdef int feature = 0, i, j, slot
    for _, first, weights in TERMS:
        assert first == feature, "TERMS and Feature differ"
        for middle, end in weights:
            WEIGHT[feature] = packed(middle, end)
            feature += 1
    assert feature == FEATURES, "TERMS and Feature differ"
    TEMPO_WEIGHT = packed(TEMPO[0], TEMPO[1])
    for slot in range(RED, 48):
        TARGET[0][slot] = 1 + (KIND[slot] + 7) % 14
        TARGET[1][slot] = 1 + KIND[slot]
    for i in range(10):
        for j in range(10):
            BETWEEN[i][j] = (1 << max(i, j)) - 1 & ~((2 << min(i, j)) - 1)
    for i in range(1024):
        BITS[i] = bin(i).count("1")
    fill_piece_squares()
    fill_legs()


fill_tables()

# ---------------------------------------------------------------- the evaluation


cdef inline int32_t weigh(int feature, int count, int* counts) noexcept nogil:
    if counts != NULL:
        counts[feature] += count
    return WEIGHT[feature] * count


cdef inline bint on_board(const Board* board, int slot) noexcept nogil:
    return board.square[slot] != NOWHERE


cdef inline int pawns_of(const Board* board, int side) noexcept nogil:
    cdef int first = (RED << side) + PAWNS, i, count = 0
    for i in range(5):
        count += on_board(board, first + i)
    return count


cdef inline int32_t one_side(const Board* board, int side, int32_t* king_attack, int* counts) noexcept nogil:
    """The terms of one side but for its piece-square values; those of its king attack go into `king_attack`.

    Where `counts` is not NULL, it is told how often each weight counted.
    """
    cdef int own = RED << side, enemy = BLACK >> side
    cdef int king = board.square[enemy + KING], king_file = FILE_OF[king], king_rank = RANK_OF[king]
    cdef int advisors = on_board(board, own + ADVISORS) + on_board(board, own + ADVISORS + 1)
    cdef int elephants = on_board(board, own + ELEPHANTS) + on_board(board, own + ELEPHANTS + 1)
    cdef int no_advisors = 2 - on_board(board, enemy + ADVISORS) - on_board(board, enemy + ADVISORS + 1)
    cdef int no_elephants = 2 - on_board(board, enemy + ELEPHANTS) - on_board(board, enemy + ELEPHANTS + 1)
    cdef int rooks = 0, horses = 0, cannons = 0, crossed = 0, attackers = 0
    cdef int slot, square, file, rank, ahead, distance, base, between, i
    cdef int32_t total, attack = 0
    cdef uint32_t sums
    cdef const uint8_t* at = board.at
    cdef const uint8_t* target = TARGET[side]
    cdef Leg* leg
    cdef Reach* along_file
    cdef Reach* along_rank

    total = weigh(SHELTER + 3 * elephants + advisors, 1, counts)
    if elephants == 2:
        distance = abs(board.square[own + ELEPHANTS] - board.square[own + ELEPHANTS + 1])
        if distance == 20 or distance == 16:
            total += weigh(LINKED_GUARDS, 1, counts)
    if advisors == 2:
        distance = abs(board.square[own + ADVISORS] - board.square[own + ADVISORS + 1])
        if distance == 10 or distance == 8:
            total += weigh(LINKED_GUARDS + 1, 1, counts)

    for slot in range(own + ROOKS, own + CANNONS):
        square = board.square[slot]
        if square == NOWHERE:
            continue
        rooks += 1
        file = FILE_OF[square]
        rank = RANK_OF[square]
        base = square - file
        along_file = &FILE_REACH[rank][board.file_occ[file]]
        along_rank = &RANK_REACH[file][board.rank_occ[rank]]
        total += weigh(ROOK_MOBILITY + along_file.empty + along_rank.empty, 1, counts)
        total += weigh(ROOK_TARGETS + target[at[along_file.low * 9 + file]], 1, counts)
        total += weigh(ROOK_TARGETS + target[at[along_file.high * 9 + file]], 1, counts)
        total += weigh(ROOK_TARGETS + target[at[base + along_rank.low]], 1, counts)
        total += weigh(ROOK_TARGETS + target[at[base + along_rank.high]], 1, counts)
        if file == king_file:
            between = BITS[board.file_occ[file] & BETWEEN[rank][king_rank]]
            attack += weigh(ROOK_ON_FILE + min(between, 3), 1, counts)
        elif rank == king_rank:
            between = BITS[board.rank_occ[rank] & BETWEEN[file][king_file]]
            attack += weigh(ROOK_ON_RANK + min(between, 3), 1, counts)
        ahead = along_file.high if side == 0 else 9 - along_file.low
        if <unsigned int> (file - 3) <= 2 and ahead >= 7:
            attackers += 1
        elif (rank >= 7 if side == 0 else rank <= 2) and along_rank.low <= 5 and along_rank.high >= 3:
            attackers += 1

    for slot in range(own + CANNONS, own + PAWNS):
        square = board.square[slot]
        if square == NOWHERE:
            continue
        cannons += 1
        file = FILE_OF[square]
        rank = RANK_OF[square]
        base = square - file
        along_file = &FILE_REACH[rank][board.file_occ[file]]
        along_rank = &RANK_REACH[file][board.rank_occ[rank]]
        total += weigh(CANNON_MOBILITY + along_file.empty + along_rank.empty, 1, counts)
        total += weigh(CANNON_TARGETS + target[at[along_file.low_next * 9 + file]], 1, counts)
        total += weigh(CANNON_TARGETS + target[at[along_file.high_next * 9 + file]], 1, counts)
        total += weigh(CANNON_TARGETS + target[at[base + along_rank.low_next]], 1, counts)
        total += weigh(CANNON_TARGETS + target[at[base + along_rank.high_next]], 1, counts)
        if file == king_file:
            between = BITS[board.file_occ[file] & BETWEEN[rank][king_rank]]
            attack += weigh(CANNON_ON_FILE + min(between, 3), 1, counts)
        elif rank == king_rank:
            between = BITS[board.rank_occ[rank] & BETWEEN[file][king_file]]
            attack += weigh(CANNON_ON_RANK + min(between, 3), 1, counts)
        ahead = along_file.high_next if side == 0 else 9 - along_file.low_next
        if <unsigned int> (file - 3) <= 2 and ahead >= 7:
            attackers += 1
        elif (rank >= 7 if side == 0 else rank <= 2):
            attackers += 1

    for slot in range(own + HORSES, own + ROOKS):
        square = board.square[slot]
        if square == NOWHERE:
            continue
        horses += 1
        sums = 0
        for i in range(4):
            leg = &LEGS[PALACE[king]][square][i]
            if at[leg.point] == 0:
                sums += leg.adds
                total += weigh(HORSE_TARGETS + target[at[leg.to[0]]], 1, counts)
                total += weigh(HORSE_TARGETS + target[at[leg.to[1]]], 1, counts)
        total += weigh(HORSE_MOBILITY + (sums & 255), 1, counts)
        if sums >> 8:
            attack += weigh(HORSE_PALACE, sums >> 8 & 255, counts)
            attack += weigh(HORSE_CHECKS, sums >> 16, counts)
            attackers += 1

    for slot in range(own + PAWNS, own + 16):
        square = board.square[slot]
        if square == NOWHERE:
            continue
        file = FILE_OF[square]
        rank = RANK_OF[square] if side == 0 else 9 - RANK_OF[square]
        if rank < 9:
            total += weigh(PAWN_TARGETS + target[at[square + (9 if side == 0 else -9)]], 1, counts)
        if rank >= 5:
            crossed += 1
            if file > 0:
                total += weigh(PAWN_TARGETS + target[at[square - 1]], 1, counts)
            if file < 8:
                total += weigh(PAWN_TARGETS + target[at[square + 1]], 1, counts)
                if <unsigned int> (at[square + 1] - own - PAWNS) <= 4:
                    total += weigh(LINKED_PAWNS, 1, counts)
            distance = abs(file - king_file) + abs(RANK_OF[square] - king_rank)
            attack += weigh(PAWN_DISTANCE + min(distance, 7), 1, counts)
            if distance <= 4:
                attackers += 1
        else:
            along_file = &FILE_REACH[RANK_OF[square]][board.file_occ[file]]
            if target[at[(along_file.high if side == 0 else along_file.low) * 9 + file]] != 1 + 6:
                total += weigh(FREE_PAWNS, 1, counts)

    attack += weigh(PALACE_ATTACKERS + 5 * min(attackers, 6) + no_advisors + no_elephants, 1, counts)
    if no_advisors | no_elephants:
        attack += weigh(ROOK_EXPOSURE, rooks * no_advisors, counts)
        attack += weigh(ROOK_EXPOSURE + 1, rooks * no_elephants, counts)
        attack += weigh(HORSE_EXPOSURE, horses * no_advisors, counts)
        attack += weigh(HORSE_EXPOSURE + 1, horses * no_elephants, counts)
        attack += weigh(CANNON_EXPOSURE, cannons * no_advisors, counts)
        attack += weigh(CANNON_EXPOSURE + 1, cannons * no_elephants, counts)
        attack += weigh(PAWN_EXPOSURE, crossed * no_advisors, counts)
        attack += weigh(PAWN_EXPOSURE + 1, crossed * no_elephants, counts)

    if horses == 2:
        total += weigh(PAIRS, 1, counts)
    if cannons == 2:
        total += weigh(PAIRS + 1, 1, counts)
    if horses and cannons:
        total += weigh(PAIRS + 2, 1, counts)
    if rooks and not on_board(board, enemy + ROOKS) and not on_board(board, enemy + ROOKS + 1):
        total += weigh(PAIRS + 3, 1, counts)
    total += weigh(CANNON_SCREENS, cannons * advisors, counts)
    total += weigh(CANNON_SCREENS + 1, cannons * elephants, counts)

    square = board.square[own + KING]
    along_file = &FILE_REACH[RANK_OF[square]][board.file_occ[FILE_OF[square]]]
    ahead = along_file.high if side == 0 else 9 - along_file.low
    if ahead >= 7:
        total += weigh(COMMANDING_KING, 1, counts)

    king_attack[0] = attack
    return total


cdef int winning_scale(const Board* board, int side) noexcept nogil:
    """How far an advantage of `side` can be won, FULL_SCALE = as it stands: its attackers against the shelter."""
    cdef int own = RED << side, enemy = BLACK >> side
    cdef int rooks = on_board(board, own + ROOKS) + on_board(board, own + ROOKS + 1)
    cdef int horses = on_board(board, own + HORSES) + on_board(board, own + HORSES + 1)
    cdef int cannons = on_board(board, own + CANNONS) + on_board(board, own + CANNONS + 1)
    cdef int pawns = pawns_of(board, side)
    cdef int advisors = on_board(board, enemy + ADVISORS) + on_board(board, enemy + ADVISORS + 1)
    cdef int elephants = on_board(board, enemy + ELEPHANTS) + on_board(board, enemy + ELEPHANTS + 1)
    cdef int screens = (
        on_board(board, own + ADVISORS) + on_board(board, own + ADVISORS + 1)
        + on_board(board, own + ELEPHANTS) + on_board(board, own + ELEPHANTS + 1)
    )
    cdef int defenders = 0, slot
    for slot in range(enemy + HORSES, enemy + PAWNS):
        defenders += on_board(board, slot)
    if rooks + horses + cannons == 0:
        if pawns == 0:
            return 0
        if pawns == 1 and advisors + elephants + defenders > 0:
            return 12
        if pawns == 2 and (advisors + elephants == 4 or defenders > 0):
            return 20
        return FULL_SCALE
    if pawns > 0:
        return FULL_SCALE
    if rooks + horses + cannons == 1:
        if cannons:
            return 2 if screens == 0 else 8 if elephants > 0 or defenders > 0 else FULL_SCALE
        if horses:
            return 8 if elephants > 0 or advisors == 2 or defenders > 0 else FULL_SCALE
        if advisors + elephants == 4 or (defenders > 0 and advisors + elephants >= 2):
            return 12
    elif rooks == 0 and horses == 0 and screens == 0:
        return 8
    return FULL_SCALE


# The sums that lead to the score, kept for trace().
cdef struct Sums:
    int32_t plain[2]        # [side], the terms outside the king attack
    int32_t attack[2]
    int style[2][2]         # [side][middle, end]: what attack_percent adds
    int drawish[2]          # [middle, end] in Red's view: what winning_scale() takes away


cdef inline int score(const Board* board, int side, Sums* sums, int* counts) noexcept nogil:
    """The evaluation for `side`, who is to move."""
    cdef int middle, end, scale, i
    cdef int32_t total
    sums.plain[0] = one_side(board, 0, &sums.attack[0], counts)
    sums.plain[1] = one_side(board, 1, &sums.attack[1], counts + FEATURES if counts != NULL else NULL)
    total = board.psq + sums.plain[0] + sums.attack[0] - sums.plain[1] - sums.attack[1]
    middle = middle_of(total)
    end = end_of(total)
    if board.attack_percent != 100:
        for i in range(2):
            sums.style[i][0] = middle_of(sums.attack[i]) * (board.attack_percent - 100) // 100
            sums.style[i][1] = end_of(sums.attack[i]) * (board.attack_percent - 100) // 100
        middle += sums.style[0][0] - sums.style[1][0]
        end += sums.style[0][1] - sums.style[1][1]
    if board.phase <= 12:
        # Only the side that stands better needs the means to win.
        scale = winning_scale(board, 0 if middle * board.phase + end * (FULL_PHASE - board.phase) > 0 else 1)
        if scale != FULL_SCALE:
            sums.drawish[0] = middle * scale // FULL_SCALE - middle
            sums.drawish[1] = end * scale // FULL_SCALE - end
            middle += sums.drawish[0]
            end += sums.drawish[1]
    if side:
        middle = -middle
        end = -end
    middle += middle_of(TEMPO_WEIGHT)
    end += end_of(TEMPO_WEIGHT)
    return (middle * board.phase + end * (FULL_PHASE - board.phase)) // FULL_PHASE


cdef int evaluate(const Board* board, int side) noexcept nogil:
    cdef Sums sums
    return score(board, side, &sums, NULL)


# ---------------------------------------------------------------- the trace


class Term:
    """One term of the evaluation: centipawns of middle game and end game, each side in its own view."""

    __slots__ = ("name", "red_mg", "red_eg", "black_mg", "black_eg")

    def __init__(self, name: str, red_mg: int, red_eg: int, black_mg: int, black_eg: int) -> None:
        self.name = name
        self.red_mg = red_mg
        self.red_eg = red_eg
        self.black_mg = black_mg
        self.black_eg = black_eg

    def __repr__(self) -> str:
        return f"Term({self.name!r}, {self.red_mg}, {self.red_eg}, {self.black_mg}, {self.black_eg})"


cdef list piece_terms(const Board* board):
    cdef int slot, kind, side
    material = [0, 0, 0, 0]
    placement = [0, 0, 0, 0]
    for slot in range(RED, 48):
        if not on_board(board, slot):
            continue
        side = slot >= BLACK
        kind = KIND[slot] % 7
        sign = -1 if side else 1
        pair = sign * PIECE_SQUARE[KIND[slot]][board.square[slot]]
        material[2 * side] += MATERIAL[kind][0]
        material[2 * side + 1] += MATERIAL[kind][1]
        placement[2 * side] += middle_of(pair) - MATERIAL[kind][0]
        placement[2 * side + 1] += end_of(pair) - MATERIAL[kind][1]
    return [Term("material", *material), Term("placement", *placement)]


def trace(position: Position) -> tuple[list[Term], int]:
    """Every term of the evaluation of `position`, and the evaluation in centipawns for the side to move.

    With ``phase`` as in `phase_of`, the differences Red - Black of all terms, summed, make
    ``(mg * phase + eg * (48 - phase)) / 48``, rounded towards zero, the evaluation in Red's view.
    """
    cdef Board board
    cdef Sums sums
    cdef int counts[2 * FEATURES]
    cdef int square, slot, kind, feature, total, side = position.side
    memset(&board, 0, sizeof(board))
    memset(board.square, NOWHERE, sizeof(board.square))
    memset(&sums, 0, sizeof(sums))
    memset(counts, 0, sizeof(counts))
    board.attack_percent = position.attack_percent
    for square in range(SQUARES):
        letter = position.piece_at(square)
        if not letter:
            continue
        kind = "KABNRCPkabnrcp".index(letter)
        slot = RED
        while KIND[slot] != kind or on_board(&board, slot):
            slot += 1
        board.at[square] = slot
        board.square[slot] = square
        board.rank_occ[RANK_OF[square]] |= 1 << FILE_OF[square]
        board.file_occ[FILE_OF[square]] |= 1 << RANK_OF[square]
        board.psq += PIECE_SQUARE[kind][square]
    board.phase = phase_of(position)
    total = score(&board, side, &sums, counts)
    terms = piece_terms(&board)
    for name, first, weights in TERMS:
        values = [0, 0, 0, 0]
        for feature in range(first, first + len(weights)):
            for colour in range(2):
                count = counts[colour * FEATURES + feature]
                values[2 * colour] += count * weights[feature - first][0]
                values[2 * colour + 1] += count * weights[feature - first][1]
        terms.append(Term(name, *values))
    terms.append(Term("style", sums.style[0][0], sums.style[0][1], sums.style[1][0], sums.style[1][1]))
    terms.append(Term("drawish", sums.drawish[0], sums.drawish[1], 0, 0))
    terms.append(Term("tempo", *TEMPO, 0, 0) if side == 0 else Term("tempo", 0, 0, *TEMPO))
    return terms, total


def phase_of(position: Position) -> int:
    """How much of the middle game is left: 48 with all rooks (6 each), horses and cannons (3 each), 0 with none."""
    letters = "".join(position.piece_at(square) for square in range(SQUARES)).lower()
    return sum(3 * letters.count(letter) for letter in "nc") + 6 * letters.count("r")
