"""Tables of what a stone would make of the lines through its point, computed from the rule for a five.

A line class is defined by what one more stone can make of it. A four can become
a five, an open four can become a five at both ends, an open three can become an
open four, and so on. So the code defines only the five, once for each rule.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport malloc
from libc.string cimport memset

cdef extern from "platform.h" nogil:
    int sanqi_load8(const uint8_t* byte)
    void sanqi_store8(uint8_t* byte, uint8_t value)

cdef enum:
    UNKNOWN = 255
    EMPTY = 0
    OWN = 1
    CLOSED = 2
    WALL = 3      # in caro only: there a wall does not close a line

cdef uint32_t POWER[2][WINDOW]   # of 3, of 4; 0 for the centre
cdef bint have_ranks = False
cdef bint have_lines[2]
# An entry is computed when first needed: most of the million never are. Two threads may store the same value in one.
cdef uint8_t* CARO_LINE[FIVES]


cdef bint wins(const int* cells, int five) noexcept nogil:
    """Whether the run of own stones through the centre of a window wins."""
    cdef int low = REACH, high = REACH, length
    cdef bint closed
    while low > 0 and cells[low - 1] == OWN:
        low -= 1
    while high < WINDOW - 1 and cells[high + 1] == OWN:
        high += 1
    length = high - low + 1
    if length < 5:
        return False
    if five == FIVE_OR_MORE:
        return True
    if length > 5:
        return five == CARO_FIVE
    # A run of exactly five that touches the window's end does not exist: REACH is five.
    closed = cells[low - 1] == CLOSED and cells[high + 1] == CLOSED
    return five == EXACTLY_FIVE or not closed


cdef bint overlong(const int* cells) noexcept nogil:
    cdef int low = REACH, high = REACH
    while low > 0 and cells[low - 1] == OWN:
        low -= 1
    while high < WINDOW - 1 and cells[high + 1] == OWN:
        high += 1
    return high - low + 1 > 5


cdef bint stoppable(int five, int* cells, int index) noexcept nogil:
    """Whether one stone of the other side can prevent all fives. In caro it may close an end of two fives."""
    cdef int i, k
    cdef bint left
    for i in range(WINDOW):
        if cells[i] != EMPTY:
            continue
        cells[i] = CLOSED
        left = False
        for k in range(WINDOW):
            if cells[k] == EMPTY:
                cells[k] = OWN
                left = left or classify(five, cells, index + 2 * POWER[True][i] + POWER[True][k]) == LINE_FIVE
                cells[k] = EMPTY
        cells[i] = EMPTY
        if not left:
            return True
    return False


cdef int classify(int five, int* cells, int index) noexcept nogil:
    """The class of a window whose centre is an own stone. Stores it in the table."""
    cdef bint caro = five >= CARO_FIVE
    cdef uint8_t* table = CARO_LINE[five] if caro else LINE[five]
    cdef int i, known = sanqi_load8(&table[index]), better, found = LINE_NONE
    cdef int fives = 0, first = 0, last = 0
    cdef int count[LINE_CLASSES]
    if known != UNKNOWN:
        return known
    if wins(cells, five):
        found = LINE_FIVE
    elif overlong(cells):
        found = LINE_OVERLINE
    else:
        memset(count, 0, sizeof(count))
        for i in range(WINDOW):
            if cells[i] != EMPTY:
                continue
            cells[i] = OWN
            better = classify(five, cells, index + POWER[caro][i])
            cells[i] = EMPTY
            count[better] += 1
            if better == LINE_FIVE:
                if fives == 0:
                    first = i
                last = i
                fives += 1
        if fives >= 2 and caro and stoppable(five, cells, index):
            found = LINE_FOUR
        elif fives >= 2:
            found = LINE_OPEN_FOUR if last - first == 5 else LINE_DOUBLE_FOUR
        elif fives == 1:
            found = LINE_FOUR
        elif count[LINE_OPEN_FOUR]:
            found = LINE_OPEN_THREE if count[LINE_OPEN_FOUR] >= 2 else LINE_OPEN_THREE_NARROW
        elif count[LINE_FOUR] or count[LINE_DOUBLE_FOUR]:
            found = LINE_THREE
        elif count[LINE_OPEN_THREE] or count[LINE_OPEN_THREE_NARROW]:
            i = count[LINE_OPEN_THREE] + count[LINE_OPEN_THREE_NARROW]
            found = LINE_OPEN_TWO_WIDE if i >= 4 else (LINE_OPEN_TWO if i == 3 else LINE_OPEN_TWO_NARROW)
        elif count[LINE_THREE]:
            found = LINE_TWO
        elif count[LINE_OPEN_TWO] or count[LINE_OPEN_TWO_WIDE] or count[LINE_OPEN_TWO_NARROW]:
            found = LINE_OPEN_ONE
        elif count[LINE_TWO]:
            found = LINE_ONE
    sanqi_store8(&table[index], found)
    return found


cdef void fill_lines(int five) noexcept nogil:
    cdef int cells[WINDOW]
    cdef int i, index, rest
    memset(LINE[five], UNKNOWN, TERNARY_SIZE)
    for index in range(TERNARY_SIZE):
        rest = index
        for i in range(WINDOW):
            if i == REACH:
                cells[i] = OWN
            else:
                cells[i] = rest % 3
                rest = rest // 3
        classify(five, cells, index)


cdef void fill_both_lines() noexcept nogil:
    cdef int index, i, place, black, white
    cdef bint not_white, not_black
    for index in range(1 << 16):
        black = white = 0
        for i in range(8):
            place = POWER[0][i + 1 if i < 4 else i + 2]  # REACH - 1 points on each side
            not_white = index >> i & 1
            not_black = index >> i + 8 & 1
            black += place * (CLOSED if not_black else OWN if not_white else EMPTY)
            white += place * (CLOSED if not_white else OWN if not_black else EMPTY)
        BOTH_LINES[index] = LINE[FIVE_OR_MORE][black] | LINE[FIVE_OR_MORE][white] << 4


cdef int rank_of(int packed, bint renju_black) noexcept nogil:
    cdef int i, line, fives = 0, overlines = 0, fours = 0, four_lines = 0, threes = 0, steps = 0
    cdef bint wins_next = False
    for i in range(4):
        line = (packed >> 4 * i) & 15
        if line == LINE_FIVE:
            fives += 1
        elif line == LINE_OVERLINE:
            overlines += 1
        elif line == LINE_OPEN_FOUR:
            four_lines += 1
            fours += 1
            wins_next = True
        elif line == LINE_DOUBLE_FOUR:
            four_lines += 1
            fours += 2
        elif line == LINE_FOUR:
            four_lines += 1
            fours += 1
        elif line == LINE_OPEN_THREE or line == LINE_OPEN_THREE_NARROW:
            threes += 1
        elif line == LINE_THREE or line == LINE_OPEN_TWO or line == LINE_OPEN_TWO_WIDE or line == LINE_OPEN_TWO_NARROW:
            steps += 1
    if fives:
        return FIVE
    if renju_black and (overlines or fours >= 2 or threes >= 2):
        return MAYBE_FORBIDDEN
    if wins_next or fours >= 2:
        return OPEN_OR_DOUBLE_FOUR
    if four_lines:
        return FOUR_THREE if threes else FOUR
    if threes:
        return DOUBLE_THREE if threes >= 2 else OPEN_THREE
    return BRANCHING if steps >= 2 else (DEVELOPING if steps else NOTHING)


cdef int pattern_number(int packed) noexcept nogil:
    """The number of a point's four line classes in any order: 0 (four times LINE_NONE) to PATTERNS - 1.

    The combinatorial number system: with a >= b >= c >= d, C(a + 3, 4) + C(b + 2, 3) + C(c + 1, 2) + d.
    """
    cdef int line[4]
    cdef int i, j, a, b, c
    for i in range(4):
        line[i] = (packed >> 4 * i) & 15
        if line[i] >= LINE_CLASSES:
            return 0
        for j in range(i, 0, -1):
            if line[j] > line[j - 1]:
                line[j], line[j - 1] = line[j - 1], line[j]
    a, b, c = line[0] + 3, line[1] + 2, line[2] + 1
    return a * (a - 1) * (a - 2) * (a - 3) // 24 + b * (b - 1) * (b - 2) // 6 + c * (c - 1) // 2 + line[3]


cdef int caro_class(int five, uint32_t own, uint32_t foe, uint32_t wall) noexcept nogil:
    """The class of a window given by its bits, in caro."""
    cdef int index = QUATERNARY[own] + 2 * QUATERNARY[foe] + 3 * QUATERNARY[wall], i
    cdef int found = sanqi_load8(&CARO_LINE[five][index])
    cdef int cells[WINDOW]
    if found != UNKNOWN:
        return found
    for i in range(WINDOW):
        cells[i] = (own >> i & 1) + 2 * (foe >> i & 1) + 3 * (wall >> i & 1)
    cells[REACH] = OWN
    return classify(five, cells, index)


cdef void ensure_tables(int five):
    """Prepare the tables for this kind of five, once per process. Raises MemoryError."""
    global have_ranks
    cdef int i, bits, three = 1, four = 1
    if not have_ranks:
        for i in range(WINDOW):
            if i != REACH:
                POWER[0][i] = three
                POWER[1][i] = four
                three *= 3
                four *= 4
        for bits in range(1 << WINDOW):
            TERNARY[bits] = 0
            QUATERNARY[bits] = 0
            for i in range(WINDOW):
                if bits >> i & 1:
                    TERNARY[bits] += POWER[0][i]
                    QUATERNARY[bits] += POWER[1][i]
        for bits in range(1 << 16):
            RANK[0][bits] = rank_of(bits, False)
            RANK[1][bits] = rank_of(bits, True)
            PATTERN[0][bits] = pattern_number(bits)
            PATTERN[1][bits] = 0 if RANK[1][bits] == MAYBE_FORBIDDEN else PATTERN[0][bits]
        have_ranks = True
    if five >= CARO_FIVE:
        if CARO_LINE[five] == NULL:
            CARO_LINE[five] = <uint8_t*> malloc(QUATERNARY_SIZE)
            if CARO_LINE[five] == NULL:
                raise MemoryError("no memory for the tables of caro")
            memset(CARO_LINE[five], UNKNOWN, QUATERNARY_SIZE)
    elif not have_lines[five]:
        fill_lines(five)
        if five == FIVE_OR_MORE:
            fill_both_lines()
        have_lines[five] = True
