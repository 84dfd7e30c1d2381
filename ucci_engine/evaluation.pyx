"""The hand-crafted evaluation of a Xiangqi position; docs/evaluation.md says what each term means.

Every term is a count times a weight, and a weight is a pair: middle game and end
game, packed into one integer so that both are summed at once. The same function
serves the search and `trace`, for which it also notes its counts.
"""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from ucci_engine.board cimport (
    ADVISORS, BLACK, CANNONS, ELEPHANTS, FILE_OF, FILE_NEIGHBOURS, HORSE_STEPS, HORSES, KIND, KING, KING_STEPS, NOWHERE,
    PAWNS, RANK_OF, RANK_NEIGHBOURS, RED, ROOKS, SQUARES,
    Board, LineNeighbours, State,
)
from ucci_engine.evaluator cimport Evaluator

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
    FEATURES = DISPLACED_KING + 3

# ---------------------------------------------------------------- the numbers

TEMPO = (32, -4)

# K A E H R C P: middle game, end game
MATERIAL = ((0, 0), (164, 55), (143, 92), (411, 453), (957, 996), (466, 433), (74, 117))

# The value of the square, middle game and end game. A row is a rank, from the own back rank on. Its entries are the
# files from the edge to the centre; the other half is the mirror image.
PLACEMENT = (
    # king: files d, e
    (
        ((-24, 0), (-107, -56), (-159, -138)),
        ((-33, 0), (-16, -10), (-9, -21)),
    ),
    # advisor: d, e
    (
        ((-4, 0), (0, 32), (-52, 0)),
        ((-7, 0), (0, 10), (-6, 0)),
    ),
    # elephant: a, c, e
    (
        ((0, -7, 0), (0, 0, 0), (-55, 0, 47), (0, 0, 0), (0, -36, 0)),
        ((0, 2, 0), (0, 0, 0), (-26, 0, 5), (0, 0, 0), (0, 4, 0)),
    ),
    # horse
    (
        (
            (-61, -77, -15, -35, -44), (-45, -34, -51, -62, -26), (-9, 1, -53, 33, -8), (-55, -13, -20, 35, 22),
            (3, -9, 30, 40, 35), (-8, 2, -6, 79, 12), (-19, 5, 45, 94, 21), (7, 21, -5, 58, 56),
            (19, 14, 58, 34, -1), (-6, -10, 23, -9, -20),
        ),
        (
            (-31, -23, -27, -21, -29), (-74, -21, -37, -11, -63), (-43, 10, -17, 31, -12), (-25, 3, 5, 10, 5),
            (7, 18, 40, 13, 23), (2, 12, 38, 14, 28), (18, 10, 24, 25, 15), (19, 60, 20, -11, 45),
            (13, 14, 29, 21, 0), (20, -14, 27, 0, -4),
        ),
    ),
    # rook
    (
        (
            (-43, -6, 6, -12, -39), (-49, -5, -1, -2, -86), (-34, -27, 1, 9, -18), (-30, 19, -1, 68, -2),
            (-5, 11, -1, 9, -25), (-55, -13, 4, 6, 3), (-12, 31, 23, 33, -3), (-32, -15, 17, -4, 21),
            (7, 47, -18, 59, 48), (-38, -7, -18, 72, 13),
        ),
        (
            (-50, -20, -30, -19, -21), (-60, -38, -19, -21, -23), (5, -24, -7, 5, -14), (0, -2, -9, -2, 10),
            (-4, 15, 15, 14, 25), (31, 21, 15, 24, 23), (37, -4, 29, 19, 31), (16, 7, 24, 37, 28),
            (-15, 10, 9, 14, 41), (-4, -19, 4, -15, 35),
        ),
    ),
    # cannon
    (
        (
            (-47, -47, -18, -16, 19), (-12, -42, 28, -23, 37), (-1, -27, 2, 20, 79), (10, -23, 1, 36, 42),
            (-38, -23, 11, 15, 67), (32, -46, -64, -23, 46), (7, -27, -4, -54, -27), (-16, -32, -34, -34, -72),
            (9, -62, -52, -31, -58), (42, 11, -60, -54, -37),
        ),
        (
            (-9, -32, -15, 14, 42), (14, -25, -11, 28, 26), (-3, -10, -31, 10, 28), (-23, -4, 2, -10, 27),
            (13, -32, -13, -2, 0), (-8, 3, 10, 23, -7), (12, 26, 9, 17, 26), (6, -25, 25, -4, -33),
            (-16, 12, -23, 0, -10), (-5, -26, -33, -5, -20),
        ),
    ),
    # pawn
    (
        (
            (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (-9, 0, -37, 0, 27), (-3, 0, 20, 0, 34),
            (20, 52, 82, 82, 67), (45, 72, 120, 133, 116), (21, 86, 112, 128, 113), (42, 69, 148, 211, 148),
            (-16, -15, -11, -3, 1),
        ),
        (
            (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (3, 0, -13, 0, -3), (6, 0, -4, 0, 36),
            (43, 56, 42, 32, 45), (31, 52, 77, 72, 77), (27, 66, 52, 104, 94), (4, 41, 43, 33, 95),
            (-38, -67, -84, -152, -132),
        ),
    ),
)

# (name, first weight, weights as (middle game, end game)); in the order of Feature
TERMS = (
    ("rook mobility", ROOK_MOBILITY, (
        (-39, -60), (-58, -59), (-33, -70), (-23, -25), (-5, -12), (1, 11), (5, 9), (20, 21), (20, 24),
        (29, 34), (31, 31), (47, 40), (61, 49), (56, 61), (64, 40), (56, 45), (78, 45), (83, 62),
    )),
    ("cannon mobility", CANNON_MOBILITY, (
        (-28, -27), (-27, -11), (-13, -14), (2, -30), (-3, -1), (1, 16), (-15, 9), (8, 3), (0, 11),
        (17, 15), (5, -2), (17, 4), (35, -1), (32, 14), (13, 25), (9, 5), (36, 15), (5, 10),
    )),
    ("horse mobility", HORSE_MOBILITY, (
        (-87, -104), (-45, -37), (-11, -40), (-12, -18), (31, -4), (9, 8), (59, -3), (22, 20),
        (97, 1),
    )),
    ("king shelter", KING_SHELTER, (
        (-38, 45), (-22, 54), (23, 10), (-24, 4), (-35, -18), (-14, -26), (-16, 28), (-5, -45),
        (-4, -97),
    )),
    ("rook targets", ROOK_TARGETS, (
        (0, 0),
        (0, 0), (22, 15), (24, 41), (48, 62), (0, 0), (41, 66), (23, 39),
        (50, 2), (-12, 9), (-1, -12), (20, 35), (0, 0), (23, 29), (0, 31),
    )),
    ("cannon targets", CANNON_TARGETS, (
        (0, 0),
        (0, 0), (1, 32), (21, 17), (42, 69), (70, 18), (0, 0), (7, 19),
        (24, -18), (-2, -8), (3, 14), (5, 4), (6, -4), (0, 0), (-4, -5),
    )),
    ("pawn targets", PAWN_TARGETS, (
        (0, 0),
        (0, 0), (42, -11), (40, -5), (72, 39), (36, 34), (50, 36), (12, 29),
        (0, 0), (0, 0), (-23, 25), (14, 10), (8, 10), (10, 16), (46, -19),
    )),
    ("linked pawns", LINKED_PAWNS, ((40, 0),)),
    ("pawn count", PAWN_COUNT, ((0, 0), (50, -59), (-3, -41), (-31, 8), (0, 9), (26, 1))),
    ("pairs", PAIRS, ((173, 92), (60, 36), (39, 23), (67, 102), (168, 160))),
    ("cannon screens", CANNON_SCREENS, ((29, 7), (15, -24))),
    ("commanding king", COMMANDING_KING, ((11, -11),)),
    ("pawn distance", PAWN_DISTANCE, (
        (0, 0), (30, 6), (74, -24), (60, -33), (59, -29), (14, -42), (5, -52), (-4, -24),
    )),
    ("palace attackers", PALACE_ATTACKERS, (
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (-9, -13), (12, -15), (4, -12), (-1, -6), (-14, -4),
        (-12, -30), (35, -47), (44, -34), (60, -4), (77, 28),
        (29, -11), (24, 1), (92, 40), (99, 62), (100, 59),
        (76, 37), (78, 60), (112, 67), (118, 65), (137, 67),
        (89, 45), (118, 57), (138, 67), (162, 78), (185, 89),
        (112, 56), (140, 70), (168, 84), (196, 98), (224, 112),
    )),
    ("wing attackers", WING_ATTACKERS, ((0, 0), (7, -39), (19, -46), (28, 0), (14, 16), (2, 6))),
    ("horse at the palace", HORSE_PALACE, ((23, -10),)),
    ("horse before check", HORSE_CHECKS, ((76, -12),)),
    ("cannon on the file", CANNON_ON_FILE, ((189, -16), (0, 0), (38, 44), (-39, 24))),
    ("cannon on the rank", CANNON_ON_RANK, ((2, -3), (0, 0), (59, 25), (7, 3))),
    ("rook on the file", ROOK_ON_FILE, ((0, 0), (40, 3), (19, 16), (-5, 13))),
    ("rook on the rank", ROOK_ON_RANK, ((0, 0), (7, 34), (-3, -3), (-9, -3))),
    ("exposed to rooks", ROOK_EXPOSURE, ((63, 60), (30, 35))),
    ("exposed to horses", HORSE_EXPOSURE, ((-2, 37), (9, 36))),
    ("exposed to cannons", CANNON_EXPOSURE, ((-88, -27), (11, 3))),
    ("exposed to pawns", PAWN_EXPOSURE, ((46, 83), (-21, 55))),
    ("displaced king", DISPLACED_KING, ((17, -22), (38, -38), (-28, -7))),
)

# ---------------------------------------------------------------- the tables

cdef int32_t WEIGHT[FEATURES]
cdef int32_t TEMPO_WEIGHT
# [side][slot]: 0 for an empty point, 1 + kind of an enemy piece, 8 + kind of an own piece
cdef uint8_t TARGET[2][48]
# [a place on a line][another]: the bits of the places between them
cdef uint16_t BETWEEN[10][10]
cdef uint8_t BITS[1024]
# [side][square]: what a piece adds to the sum `wings` of one_side()
cdef int WING[2][SQUARES]
# Where a king can stand, numbered; the rest NOWHERE.
cdef uint8_t PALACE[SQUARES]

# One leg of a horse before a given enemy king: its point, and what it adds, if the point is empty, to three sums:
# moves (lowest byte), points of the palace attacked (second), checks to come (third).
cdef struct Leg:
    uint32_t point
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
            leg = 0
            for i in range(HORSE_STEPS[square].count):
                # A leg leads to two points at most: find it among those noted, or note it.
                for j in range(leg):
                    if LEGS[place][square][j].point == HORSE_STEPS[square].hops[i].block:
                        break
                else:
                    j = leg
                    LEGS[place][square][j].point = HORSE_STEPS[square].hops[i].block
                    LEGS[place][square][j].adds = 0
                    leg += 1
                to = HORSE_STEPS[square].hops[i].to
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


cdef inline bint on_board(const Board* board, int slot) noexcept nogil:
    return board.square[slot] != NOWHERE


cdef int32_t one_side(const Board* board, Colour* colour, int32_t* king_attack, Tally* counts) noexcept nogil:
    """The terms of one side without its piece-square values; those of its king attack go into `king_attack`.

    `counts`, if it is a Counts, gets how often each weight counted; only the type of `colour` matters.
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
    cdef int slot, square, file, rank, ahead, distance, base, between
    cdef int32_t total, attack = 0
    cdef uint32_t sums
    cdef const uint8_t* at = board.at
    cdef const uint8_t* target = TARGET[side]
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
    return total


cdef int winning_scale(const Board* board, int side) noexcept nogil:
    """How much of an advantage of `side` can be turned into a win, FULL_SCALE = all of it.

    Linear in the attackers of `side` and the defenders of the other, fitted to the results of end games.
    """
    cdef int own = RED << side, enemy = BLACK >> side
    cdef int rooks = on_board(board, own + ROOKS) + on_board(board, own + ROOKS + 1)
    cdef int minors = 0, pawns = 0, enemy_rooks, enemy_minors = 0, enemy_pawns = 0, guards = 0
    cdef int i, square, scale
    for i in range(5):
        square = board.square[own + PAWNS + i]
        if square != NOWHERE and (square < 81 if side == 0 else square >= 9):  # not on the last rank
            pawns += 1
        enemy_pawns += on_board(board, enemy + PAWNS + i)
    for i in range(2):
        minors += on_board(board, own + HORSES + i) + on_board(board, own + CANNONS + i)
        enemy_minors += on_board(board, enemy + HORSES + i) + on_board(board, enemy + CANNONS + i)
        guards += on_board(board, enemy + ADVISORS + i) + on_board(board, enemy + ELEPHANTS + i)
    enemy_rooks = on_board(board, enemy + ROOKS) + on_board(board, enemy + ROOKS + 1)
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
    sums.plain[0] = one_side(board, <RedSide*> NULL, &sums.attack[0], red)
    sums.plain[1] = one_side(board, <BlackSide*> NULL, &sums.attack[1], black)
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
    if board.side:
        middle = -middle
        end = -end
    middle += middle_of(TEMPO_WEIGHT)
    end += end_of(TEMPO_WEIGHT)
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


cdef class HandCraftedEvaluator(Evaluator):
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
        for name, first, weights in TERMS:
            values = [0, 0, 0, 0]
            for feature in range(first, first + len(weights)):
                for colour in range(2):
                    count = counts[colour].of[feature]
                    values[2 * colour] += count * weights[feature - first][0]
                    values[2 * colour + 1] += count * weights[feature - first][1]
            terms.append(Term(name, *values))
        terms.append(Term("style", sums.style[0][0], sums.style[0][1], sums.style[1][0], sums.style[1][1]))
        terms.append(Term("drawish", sums.drawish[0][0], sums.drawish[0][1], sums.drawish[1][0], sums.drawish[1][1]))
        terms.append(Term("tempo", 0, 0, *TEMPO) if board.side else Term("tempo", *TEMPO, 0, 0))
        return terms, total

    cpdef Evaluator copy(self):
        return HandCraftedEvaluator(self.attack_percent)

    def set_style(self, style: str) -> None:
        self.attack_percent = _ATTACK_PERCENT[style]
        free(self.kept)
        self.kept = NULL
