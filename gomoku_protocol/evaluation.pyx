"""What the classes of vacant points are worth, in the evaluation and in move ordering.

The score of a position is the sum over all vacant points of what they are worth to the side to move, less that of
the other side. The worths come from benchmarks/tune_gomoku.py; the order's were set by hand.
"""

# Sixteenths of a centipawn, to the side that waits and to the one that is to move, by class of a line through the
# point: NONE, ONE, OPEN_ONE, TWO, OPEN_TWO (narrow, plain, wide), THREE, OPEN_THREE (narrow, plain), FOUR,
# DOUBLE_FOUR, OPEN_FOUR, FIVE, OVERLINE.
_LINES = (
    (1, -3, -1, 15, 71, 35, 88, 111, 247, 320, 264, 55, 733, 1050, 0),
    (2, 0, 0, 14, 65, 16, 94, 105, 272, 349, 310, 0, 668, 0, 0),
)
# The same by the point's rank: NOTHING, DEVELOPING, BRANCHING, THREAT, DOUBLE_THREAT, CHECK, CHECK_THREAT,
# WINNING_FOUR, WIN, SUSPECT.
_RANKS = (
    (-1, -46, 94, 173, 117, 277, 905, 719, 1050, 0),
    (2, -26, 125, 178, -28, 316, 928, 553, 0, 0),
)
_LINE_ORDER = (0, 6, 26, 30, 80, 100, 130, 80, 320, 400, 260, 600, 900, 1200, 0)
_RANK_ORDER = (0, 10, 80, 200, 2000, 100, 4000, 8000, 16000, 0)

cdef int turn, i
for i in range(LINE_CLASSES):
    LINE_ORDER[i] = _LINE_ORDER[i]
    for turn in range(2):
        LINE_WORTH[turn][i] = _LINES[turn][i]
for i in range(RANKS):
    RANK_ORDER[i] = _RANK_ORDER[i]
    for turn in range(2):
        RANK_WORTH[turn][i] = _RANKS[turn][i]
