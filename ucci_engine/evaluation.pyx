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

TEMPO = (23, 0)

# K A E H R C P: middle game, end game
MATERIAL = ((0, 0), (166, 115), (163, 144), (409, 459), (946, 992), (456, 433), (79, 98))

# What the square adds, middle game and end game: a row is a rank from the own back rank on, its entries the files
# from the edge to the centre, the other half being its mirror.
PLACEMENT = (
    # king: files d, e
    (
        ((-48, 0), (-78, -77), (-99, -91)),
        ((-2, 0), (-4, 29), (4, 4)),
    ),
    # advisor: d, e
    (
        ((-9, 0), (0, 30), (-45, 0)),
        ((-12, 0), (0, 11), (5, 0)),
    ),
    # elephant: a, c, e
    (
        ((0, 3, 0), (0, 0, 0), (-50, 0, 43), (0, 0, 0), (0, -46, 0)),
        ((0, -3, 0), (0, 0, 0), (-38, 0, 10), (0, 0, 0), (0, 15, 0)),
    ),
    # horse
    (
        (
            (-42, -63, -23, -20, -41), (-55, -22, -16, -50, -43), (-6, -3, -28, 14, -9), (-28, -3, -23, 27, 11), (-3, 0, 20, 21, 18),
            (-8, 13, 13, 23, 26), (2, 9, 61, 56, 30), (4, 20, 16, 34, 30), (2, 11, 48, 25, 0), (-15, -12, 1, -3, -19),
        ),
        (
            (-37, -18, -22, -27, -30), (-48, -18, -33, -6, -37), (-39, -8, -16, 13, -8), (-20, -9, 2, 17, 12), (-2, 8, 16, 17, 24),
            (-10, 13, 26, 20, 28), (7, 12, 19, 34, 17), (4, 37, 18, 12, 34), (-3, 4, 21, 15, 2), (-17, -19, 1, -4, -12),
        ),
    ),
    # rook
    (
        (
            (-38, -14, 19, -3, -27), (-44, -13, -7, -12, -45), (-38, -11, -6, 8, -5), (-14, -10, -2, 34, 5), (-6, 10, 3, 16, -13),
            (-12, -3, 3, -1, -2), (6, 18, 16, 38, 10), (-9, 5, 21, 8, 34), (5, 22, -11, 40, 33), (-8, 3, -3, 28, 9),
        ),
        (
            (-17, -17, -10, -12, -14), (-32, -23, -12, -11, -10), (-3, -14, -7, -8, -5), (-2, -1, -6, 9, 5), (-5, 15, 9, 8, 12),
            (12, -3, 2, 14, 9), (29, 7, 21, 17, 20), (-1, -4, 13, 15, 29), (-5, 7, -4, 13, 24), (3, -6, -6, 2, 15),
        ),
    ),
    # cannon
    (
        (
            (-14, -17, 3, -1, 5), (-5, -19, 14, -13, 3), (-14, -19, -3, 1, 43), (-8, -9, 2, 2, 16), (-25, 5, 7, 6, 44),
            (26, -18, -20, 4, 51), (14, 0, -5, -42, -28), (-2, -21, -2, -15, -21), (8, -42, -30, -17, -27), (31, 16, -12, -23, -20),
        ),
        (
            (-7, -9, -1, 6, 17), (-7, -9, 7, 17, 11), (-6, -7, -23, 23, 23), (-12, -5, -1, -5, 5), (-7, -22, -9, 1, 15),
            (3, 3, 1, 7, 4), (5, 13, 1, -6, 7), (0, -19, 6, -3, -9), (-4, 2, -18, -3, -3), (-3, -9, -19, -3, -7),
        ),
    ),
    # pawn
    (
        (
            (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (-5, 0, -25, 0, 15), (-5, 0, 21, 0, 23),
            (11, 54, 68, 51, 59), (32, 65, 104, 100, 94), (40, 73, 101, 128, 122), (35, 61, 100, 147, 133), (-21, -14, -6, 5, 10),
        ),
        (
            (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (-5, 0, -9, 0, -6), (15, 0, 0, 0, 10),
            (54, 63, 59, 53, 64), (45, 71, 97, 90, 103), (52, 80, 95, 127, 115), (31, 54, 71, 69, 105), (-25, -29, -24, -44, -36),
        ),
    ),
)

# (name, first weight, weights as (middle game, end game)); in the order of Feature
TERMS = (
    ("rook mobility", ROOK_MOBILITY, (
        (-48, -60), (-55, -52), (-34, -53), (-33, -33), (-12, -19), (-15, -13), (0, -6), (-2, 10), (19, 13),
        (23, 22), (18, 24), (27, 30), (40, 38), (44, 44), (32, 29), (32, 27), (47, 29), (44, 51),
    )),
    ("cannon mobility", CANNON_MOBILITY, (
        (-21, -30), (-22, -21), (-12, -17), (3, -22), (-11, 0), (-1, -3), (-19, 11), (8, 3), (-5, 12),
        (19, 24), (10, 7), (13, 6), (22, 4), (16, 14), (9, 19), (2, 12), (15, 17), (2, 10),
    )),
    ("horse mobility", HORSE_MOBILITY, (
        (-62, -76), (-53, -47), (-28, -24), (-16, -15), (9, 5), (9, 8), (32, 10), (22, 20),
        (57, 28),
    )),
    ("shelter", SHELTER, (
        (-54, 5), (-24, 26), (11, 18), (-31, -21), (-35, -18), (1, -14), (-7, 29), (20, -10),
        (-16, -61),
    )),
    ("linked guards", LINKED_GUARDS, ((6, -17), (5, -10))),
    ("rook targets", ROOK_TARGETS, (
        (0, 0),
        (0, 0), (24, 17), (30, 35), (38, 40), (0, 0), (40, 36), (20, 39),
        (31, 2), (1, 11), (-14, -14), (17, 24), (0, 0), (22, 24), (3, 36),
    )),
    ("cannon targets", CANNON_TARGETS, (
        (0, 0),
        (0, 0), (-2, 17), (8, 6), (35, 28), (31, 10), (0, 0), (4, 17),
        (20, -7), (-4, -5), (18, 2), (3, 1), (2, 0), (0, 0), (-3, -7),
    )),
    ("horse targets", HORSE_TARGETS, (
        (0, 0),
        (0, 0), (-6, -10), (13, 3), (12, 11), (20, 8), (27, 15), (9, 9),
        (-10, 12), (-16, -3), (29, -7), (0, 0), (7, 12), (-1, 17), (4, 13),
    )),
    ("pawn targets", PAWN_TARGETS, (
        (0, 0),
        (0, 0), (15, -12), (7, 4), (39, 27), (35, 33), (35, 26), (8, 8),
        (0, 0), (0, 0), (-1, 7), (9, 2), (7, 4), (16, 3), (14, -14),
    )),
    ("linked pawns", LINKED_PAWNS, ((23, 10),)),
    ("free pawns", FREE_PAWNS, ((1, 13),)),
    ("pairs", PAIRS, ((24, 29), (24, 1), (32, 66), (75, 90))),
    ("cannon screens", CANNON_SCREENS, ((16, 10), (16, -22))),
    ("commanding king", COMMANDING_KING, ((2, 4),)),
    ("pawn distance", PAWN_DISTANCE, (
        (0, 0), (30, 17), (39, -5), (28, -7), (26, 1), (12, -14), (10, -27), (-2, -2),
    )),
    ("palace attackers", PALACE_ATTACKERS, (
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (-7, -4), (-2, 6), (0, -10), (-7, -9), (-10, -25),
        (9, -28), (31, -21), (40, -13), (40, -4), (54, 20),
        (46, 14), (50, 29), (77, 36), (87, 40), (96, 46),
        (73, 40), (85, 50), (106, 57), (119, 62), (137, 70),
        (91, 44), (116, 56), (139, 67), (162, 78), (185, 89),
        (112, 56), (140, 70), (168, 84), (196, 98), (224, 112),
    )),
    ("horse at the palace", HORSE_PALACE, ((37, -17),)),
    ("horse before check", HORSE_CHECKS, ((57, -8),)),
    ("cannon on the file", CANNON_ON_FILE, ((141, 33), (0, 0), (50, 44), (-22, 0))),
    ("cannon on the rank", CANNON_ON_RANK, ((5, -12), (0, 0), (41, 22), (6, 1))),
    ("rook on the file", ROOK_ON_FILE, ((0, 0), (26, 15), (0, 12), (1, 7))),
    ("rook on the rank", ROOK_ON_RANK, ((0, 0), (22, 21), (13, 8), (2, 0))),
    ("exposed to rooks", ROOK_EXPOSURE, ((48, 27), (13, 9))),
    ("exposed to horses", HORSE_EXPOSURE, ((12, 9), (-7, 22))),
    ("exposed to cannons", CANNON_EXPOSURE, ((-31, -37), (15, -10))),
    ("exposed to pawns", PAWN_EXPOSURE, ((31, 36), (3, 24))),
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
