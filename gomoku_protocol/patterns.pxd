from libc.stdint cimport uint8_t, uint16_t, uint32_t

# What a stone on an empty point would make of one of the four lines through the point.
cdef enum:
    LINE_NONE
    LINE_ONE
    LINE_OPEN_ONE
    LINE_TWO               # one stone more makes a LINE_THREE
    LINE_OPEN_TWO_NARROW   # an open two that at most two points extend to an open three
    LINE_OPEN_TWO          # an open two that three points extend
    LINE_OPEN_TWO_WIDE     # an open two that four or more points extend
    LINE_THREE             # one stone more makes a LINE_FOUR
    LINE_OPEN_THREE_NARROW  # one point makes it an open four
    LINE_OPEN_THREE        # two or three points make it an open four
    LINE_FOUR              # one point makes five
    LINE_DOUBLE_FOUR       # two points make five, with different fours
    LINE_OPEN_FOUR         # the four stones are in a row, both ends make five
    LINE_FIVE
    LINE_OVERLINE          # more than the rule allows; forbidden to Black in renju, else worth nothing
    LINE_CLASSES

# What a stone on an empty point would make of all four lines.
cdef enum:
    NOTHING
    DEVELOPING    # an open two or a closed three
    BRANCHING     # two or more of these
    OPEN_THREE    # it threatens an OPEN_OR_DOUBLE_FOUR
    DOUBLE_THREE  # two open threes
    FOUR          # it threatens five
    FOUR_THREE    # a four and an open three
    OPEN_OR_DOUBLE_FOUR  # two ways to make five next
    FIVE
    MAYBE_FORBIDDEN      # to Black, in renju
    RANKS

cdef enum:
    REACH = 5                  # how far along a line a stone matters
    WINDOW = 2 * REACH + 1
    WINDOW_MASK = (1 << WINDOW) - 1
    TERNARY_SIZE = 59049       # 3 ** (2 * REACH)
    QUATERNARY_SIZE = 1 << 2 * 2 * REACH

cdef enum:
    PATTERNS = 3060            # ways to choose four of LINE_CLASSES classes: C(18, 4)

# What counts as a five. Each kind has its own table.
cdef enum:
    FIVE_OR_MORE
    EXACTLY_FIVE
    CARO_FIVE         # not closed at both ends, or six and more
    CARO_EXACT_FIVE   # exactly five, not closed at both ends
    FIVES

# Window bits, centre left out -> sum of 3 ** i, of 4 ** i.
cdef uint16_t TERNARY[1 << WINDOW]
cdef uint32_t QUATERNARY[1 << WINDOW]
# own TERNARY + 2 * closed TERNARY -> line class. A wall closes a line as the other side's stones do.
cdef uint8_t LINE[2][TERNARY_SIZE]
# Where five or more wins: the line classes of both colours, White's in the upper half. Of the four points on each side,
# the lower eight bits say which are closed to White, the upper eight which are closed to Black.
cdef uint8_t BOTH_LINES[1 << 16]
cdef uint8_t RANK[2][1 << 16]                   # [renju Black][four line classes, four bits each] -> rank
# The same index -> pattern_number() of the four classes; 0 for a MAYBE_FORBIDDEN point.
cdef uint16_t PATTERN[2][1 << 16]

cdef int pattern_number(int packed) noexcept nogil
cdef void ensure_tables(int five)
cdef int caro_class(int five, uint32_t own, uint32_t foe, uint32_t wall) noexcept nogil
