"""The Gomoku board: stones as bits of lines, and for every vacant point what a stone there would make.

A move changes the classes of at most forty points. They are logged, so
take_back() restores them without computing anything.
"""

from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, malloc
from libc.string cimport memchr, memcpy, memset

from gomoku_protocol.patterns cimport (
    BOTH_LINES, CARO_EXACT_FIVE, CARO_FIVE, EXACTLY_FIVE, FIVE, FIVE_OR_MORE, LINE, LINE_DOUBLE_FOUR, LINE_FIVE,
    LINE_FOUR, LINE_OPEN_FOUR, LINE_OPEN_THREE, LINE_OPEN_THREE_NARROW, LINE_OVERLINE, MAYBE_FORBIDDEN,
    OPEN_OR_DOUBLE_FOUR, OPEN_THREE, PATTERN, PATTERNS, RANK, RANKS, REACH, TERNARY, WINDOW_MASK, caro_class,
    ensure_tables,
)
from gomoku_protocol.point_values cimport POINT_VALUE
from search_core.check cimport sanqi_check
from search_core.splitmix cimport scrambled

cdef extern from "platform.h" nogil:
    int sanqi_lowest_bit(uint32_t bits)

STEP[:] = [1, STRIDE, STRIDE + 1, STRIDE - 1]
cdef uint64_t STONE_KEY[2][POINTS]
cdef uint64_t WALL_KEY[POINTS]


# What a pattern means for a colour: together, since each stone asks for all of it at some fifteen points.
cdef struct Worth:
    int16_t value[2]  # POINT_VALUE
    int16_t rank      # RANK, but not for Black in renju

cdef Worth WORTH[PATTERNS]

# Changes of Sums.ranks in one word: nine bits for each rank, which begin in the middle of their range.
cdef enum:
    RANK_BITS = 9
    NO_CHANGE_OF_RANK = 1 << RANK_BITS - 1

cdef uint64_t ONE_OF_RANK[RANKS]
cdef uint64_t NO_CHANGE = 0


cdef void fill_worth() noexcept:
    global NO_CHANGE
    cdef int rank, pattern, packed
    for rank in range(OPEN_THREE, RANKS):
        ONE_OF_RANK[rank] = <uint64_t> 1 << RANK_BITS * (rank - OPEN_THREE)
        NO_CHANGE += NO_CHANGE_OF_RANK * ONE_OF_RANK[rank]
    for pattern in range(PATTERNS):
        WORTH[pattern].value[0] = POINT_VALUE[pattern][0]
        WORTH[pattern].value[1] = POINT_VALUE[pattern][1]
    for packed in range((1 << 16) - 1, -1, -1):  # downwards: what is no four line classes has pattern 0, too
        WORTH[PATTERN[0][packed]].rank = RANK[0][packed]


cdef void fill_keys() noexcept:
    global TURN_KEY
    cdef int colour, point
    for colour in range(2):
        for point in range(POINTS):
            STONE_KEY[colour][point] = scrambled(1 + colour * POINTS + point)
    for point in range(POINTS):
        WALL_KEY[point] = scrambled(2 * POINTS + 1 + point)
    TURN_KEY = scrambled(1 << 20)


fill_keys()


cdef inline int line_of(int direction, int point) noexcept nogil:
    cdef int x = point & (STRIDE - 1), y = point // STRIDE
    if direction == 0:
        return y
    if direction == 1:
        return x
    if direction == 2:
        return x - y + STRIDE - 1
    return x + y


cdef inline int bit_of(int direction, int point) noexcept nogil:
    return point // STRIDE if direction & 1 else point & (STRIDE - 1)


cdef inline bint in_play(const Board* board, int point) noexcept nogil:
    return board.content[point] == VACANT


cdef Board* new_board(int width, int height, int rule):
    """An empty board; release it with free(). Raises MemoryError."""
    cdef Board* board = <Board*> calloc(1, sizeof(Board))
    cdef int five = FIVE_OR_MORE, point, x, y, direction
    if board == NULL:
        raise MemoryError("no memory for a board")
    if rule == 1:
        five = EXACTLY_FIVE
    elif rule == 8:
        five = CARO_FIVE
    elif rule == 9:
        five = CARO_EXACT_FIVE
    board.renju = rule == 4
    board.five[BLACK] = EXACTLY_FIVE if board.renju else five
    board.five[WHITE] = five
    ensure_tables(board.five[BLACK])
    ensure_tables(board.five[WHITE])
    if NO_CHANGE == 0:
        fill_worth()
    board.width = width
    board.height = height
    board.rule = rule
    # Where five or more wins, a five reaches at most four points from any of its points; stones beyond cannot spoil it.
    board.reach = REACH - 1 if five == FIVE_OR_MORE and not board.renju else REACH
    board.won = VACANT
    board.vacant = width * height
    memset(board.content, WALL, POINTS)
    for y in range(height):
        for x in range(width):
            board.content[FIRST_POINT + y * STRIDE + x] = VACANT
    for point in range(POINTS):
        if board.content[point] == WALL:
            for direction in range(4):
                board.walls[direction][line_of(direction, point)] |= <uint32_t> 1 << bit_of(direction, point)
    recompute(board)
    return board


cdef Board* copy_board(const Board* board):
    """A copy, history included. Raises MemoryError."""
    cdef Board* copy = <Board*> malloc(sizeof(Board))
    if copy == NULL:
        raise MemoryError("no memory for a board")
    memcpy(copy, board, sizeof(Board) - sizeof(board.change) - sizeof(board.step))
    memcpy(copy.step, board.step, board.steps * sizeof(Step))
    memcpy(copy.change, board.change, board.changes * sizeof(Change))
    return copy


cdef void block(Board* board, int point) noexcept:
    """Take a vacant point out of play. Call recompute() afterwards."""
    cdef int direction
    board.content[point] = WALL
    board.vacant -= 1
    for direction in range(4):
        board.walls[direction][line_of(direction, point)] |= <uint32_t> 1 << bit_of(direction, point)


cdef inline int line_class(int five, uint32_t own, uint32_t foe, uint32_t wall, int shift) noexcept nogil:
    """The class that a line's bits have at the point REACH bits above `shift`."""
    if five >= CARO_FIVE:
        return caro_class(
            five, (own >> shift) & WINDOW_MASK, (foe >> shift) & WINDOW_MASK, (wall >> shift) & WINDOW_MASK
        )
    return LINE[five][TERNARY[(own >> shift) & WINDOW_MASK] + 2 * TERNARY[((foe | wall) >> shift) & WINDOW_MASK]]


cdef inline void count_rank(Board* board, int colour, int point, int sign) noexcept nogil:
    if board.rank[colour][point] >= OPEN_THREE:
        board.sums.ranks[colour][board.rank[colour][point]] += sign


cdef inline void count_value(Board* board, int colour, int point, int sign) noexcept nogil:
    cdef int pattern = PATTERN[board.renju and colour == BLACK][board.lines[colour][point]]
    board.sums.value[colour][0] += sign * POINT_VALUE[pattern][0]
    board.sums.value[colour][1] += sign * POINT_VALUE[pattern][1]


cdef void recompute(Board* board) noexcept:
    """Compute all incremental data from the stones, and clear the history."""
    cdef int point, colour, direction, line, shift
    cdef uint16_t packed
    board.steps = 0
    board.changes = 0
    board.won = VACANT
    board.key = scrambled((<uint64_t> 1 << 32) + board.rule * 10000 + board.width * 100 + board.height)
    if board.side == WHITE:
        board.key ^= TURN_KEY
    memset(&board.sums, 0, sizeof(Sums))
    memset(board.rank, 0, sizeof(board.rank))
    memset(board.lines, 0, sizeof(board.lines))
    for point in range(POINTS):
        if board.content[point] <= WHITE:
            board.key ^= STONE_KEY[board.content[point]][point]
        elif board.content[point] == WALL:
            board.key ^= WALL_KEY[point]
        for colour in range(2):
            if board.content[point] != VACANT and board.content[point] != colour:
                continue
            packed = 0
            for direction in range(4):
                line = line_of(direction, point)
                shift = bit_of(direction, point) - REACH
                packed |= line_class(
                    board.five[colour], board.stones[colour][direction][line],
                    board.stones[colour ^ 1][direction][line], board.walls[direction][line], shift,
                ) << 4 * direction
            if board.content[point] == colour:
                if RANK[0][packed] == FIVE:
                    board.won = colour
                continue
            board.lines[colour][point] = packed
            board.rank[colour][point] = RANK[board.renju and colour == BLACK][packed]
            count_rank(board, colour, point, 1)
            count_value(board, colour, point, 1)


cdef inline int both_classes(
    const Board* board, uint32_t blacks, uint32_t whites, uint32_t wall, int bit
) noexcept nogil:
    """Black's class of a line at a vacant point, and 16 times White's; `bit` is the point's in the line."""
    cdef uint32_t not_white, not_black
    if board.reach == REACH:
        return (
            line_class(board.five[BLACK], blacks, whites, wall, bit - REACH)
            | line_class(board.five[WHITE], whites, blacks, wall, bit - REACH) << 4
        )
    not_white = (blacks | wall) >> bit - 4
    not_black = (whites | wall) >> bit - 4
    return BOTH_LINES[(not_white & 15 | not_white >> 1 & 240) | (not_black & 15 | not_black >> 1 & 240) << 8]


cdef inline void revalue(
    Board* board, int colour, int point, uint16_t old_packed, int32_t* value, uint64_t* counts
) noexcept nogil:
    """Update what a vacant point counts for a colour after its lines have changed."""
    cdef bint renju_black = board.renju and colour == BLACK
    cdef uint16_t packed = board.lines[colour][point]
    cdef const Worth* old = &WORTH[PATTERN[renju_black][old_packed]]
    cdef const Worth* new = &WORTH[PATTERN[renju_black][packed]]
    cdef int rank = RANK[True][packed] if renju_black else new.rank
    value[0] += new.value[0] - old.value[0]
    value[1] += new.value[1] - old.value[1]
    counts[0] += ONE_OF_RANK[rank] - ONE_OF_RANK[board.rank[colour][point]]
    board.rank[colour][point] = rank


cdef inline void add_counts(int16_t* ranks, uint64_t counts) noexcept nogil:
    cdef int rank
    for rank in range(OPEN_THREE, RANKS):
        ranks[rank] += <int> (counts & (1 << RANK_BITS) - 1) - NO_CHANGE_OF_RANK
        counts >>= RANK_BITS


cdef inline void rerank(Board* board, int colour, int point, uint64_t* counts) noexcept nogil:
    """Update the rank of a vacant point for a colour after its lines have changed."""
    cdef int rank = RANK[board.renju and colour == BLACK][board.lines[colour][point]]
    counts[0] += ONE_OF_RANK[rank] - ONE_OF_RANK[board.rank[colour][point]]
    board.rank[colour][point] = rank


cdef inline void log_change(Board* board, int point) noexcept nogil:
    cdef Change* change = &board.change[board.changes]
    sanqi_check(board.changes < MAX_BOARD * MAX_CHANGES, b"a board logs MAX_CHANGES changes a stone at most")
    change.point = point
    change.ranks = board.rank[BLACK][point] | <uint16_t> board.rank[WHITE][point] << 8
    change.lines = board.lines[BLACK][point] | <uint32_t> board.lines[WHITE][point] << 16
    board.changes += 1


cdef inline void put(Board* board, int point, bint valued) noexcept nogil:
    """Put a stone of the side to move on a vacant point. `valued`: whether Sums.value are kept right, too."""
    cdef int colour = board.side, direction, line, bit, at, q, old, changed, i
    cdef uint32_t blacks, whites, wall, vacant, in_reach = (<uint32_t> 2 << 2 * board.reach) - 1
    cdef int32_t value[2][2]
    cdef uint64_t counts[2]
    cdef const Change* change
    cdef Step* step = &board.step[board.steps]
    sanqi_check(board.steps <= MAX_BOARD, b"a board has MAX_BOARD stones at most")
    sanqi_check(in_play(board, point), b"place() puts a stone on a vacant point")
    step.point = point
    step.won = board.won
    step.change_count = board.changes
    step.key = board.key
    step.sums = board.sums
    board.steps += 1
    if board.rank[colour][point] == FIVE:
        board.won = colour
    log_change(board, point)
    count_rank(board, BLACK, point, -1)
    count_rank(board, WHITE, point, -1)
    if valued:
        count_value(board, BLACK, point, -1)
        count_value(board, WHITE, point, -1)
    board.rank[0][point] = 0
    board.rank[1][point] = 0
    board.lines[0][point] = 0
    board.lines[1][point] = 0
    board.content[point] = colour
    board.vacant -= 1
    board.key = key_after(board, point)
    board.side = colour ^ 1
    for direction in range(4):
        line = line_of(direction, point)
        bit = bit_of(direction, point)
        board.stones[colour][direction][line] |= <uint32_t> 1 << bit
        blacks = board.stones[BLACK][direction][line]
        whites = board.stones[WHITE][direction][line]
        wall = board.walls[direction][line]
        vacant = ~(blacks | whites | wall) & in_reach << bit - board.reach
        while vacant:
            at = sanqi_lowest_bit(vacant)
            vacant &= vacant - 1
            q = point + (at - bit) * STEP[direction]
            old = board.lines[BLACK][q] >> 4 * direction & 15 | (board.lines[WHITE][q] >> 4 * direction & 15) << 4
            changed = old ^ both_classes(board, blacks, whites, wall, at)
            if changed:
                log_change(board, q)
                board.lines[BLACK][q] ^= (changed & 15) << 4 * direction
                board.lines[WHITE][q] ^= (changed >> 4) << 4 * direction
    # Apart from the search for changes, where the branches are hard to predict: these loads miss the first cache. Sums
    # and counts stay in registers.
    counts[BLACK] = counts[WHITE] = NO_CHANGE
    if valued:
        memcpy(value, board.sums.value, sizeof(value))
        for i in range(step.change_count + 1, board.changes):
            change = &board.change[i]
            revalue(board, BLACK, change.point, change.lines & 65535, value[BLACK], &counts[BLACK])
            revalue(board, WHITE, change.point, change.lines >> 16, value[WHITE], &counts[WHITE])
        memcpy(board.sums.value, value, sizeof(value))
    else:
        for i in range(step.change_count + 1, board.changes):
            point = board.change[i].point
            rerank(board, BLACK, point, &counts[BLACK])
            rerank(board, WHITE, point, &counts[WHITE])
    add_counts(board.sums.ranks[BLACK], counts[BLACK])
    add_counts(board.sums.ranks[WHITE], counts[WHITE])


cdef uint64_t key_after(const Board* board, int point) noexcept nogil:
    """The key that the board will have after place()."""
    return board.key ^ STONE_KEY[board.side][point] ^ TURN_KEY


cdef void place(Board* board, int point) noexcept nogil:
    """Put a stone of the side to move on a vacant point. Does not check for forbidden points."""
    put(board, point, True)


cdef void place_unvalued(Board* board, int point) noexcept nogil:
    """place() for a search that does not evaluate: Sums.value are wrong until the stone is taken back."""
    put(board, point, False)


cdef void take_back(Board* board) noexcept nogil:
    """Undo the last place()."""
    cdef Step* step
    cdef Change* change
    cdef int i, colour, direction, point
    sanqi_check(board.steps > 0, b"take_back() follows a place()")
    board.steps -= 1
    step = &board.step[board.steps]
    colour = board.side ^ 1
    point = step.point
    board.side = colour
    board.key = step.key
    board.won = step.won
    board.sums = step.sums
    board.vacant += 1
    board.content[point] = VACANT
    for direction in range(4):
        board.stones[colour][direction][line_of(direction, point)] ^= <uint32_t> 1 << bit_of(direction, point)
    for i in range(board.changes - 1, step.change_count - 1, -1):
        change = &board.change[i]
        point = change.point
        board.rank[BLACK][point] = change.ranks & 255
        board.rank[WHITE][point] = change.ranks >> 8
        board.lines[BLACK][point] = change.lines & 65535
        board.lines[WHITE][point] = change.lines >> 16
    board.changes = step.change_count


cdef int real_threes(Board* board, int point) noexcept nogil:
    """How many real open threes a black stone on a vacant point makes; counts to two.

    A three is real if one more stone can make it a straight four, and that
    stone is not forbidden itself (Rules of Renju, RIF 2008, 9.3).
    """
    cdef int direction, line, _k, q, sign, count = 0, side = board.side
    cdef uint16_t packed = board.lines[BLACK][point]
    cdef bint real
    board.side = BLACK
    place_unvalued(board, point)
    for direction in range(4):
        line = (packed >> 4 * direction) & 15
        if line != LINE_OPEN_THREE and line != LINE_OPEN_THREE_NARROW:
            continue
        real = False
        for sign in range(-1, 2, 2):
            q = point
            for _k in range(3):
                q += sign * STEP[direction]
                # Only own stones and the vacant points of the three lie between.
                if board.content[q] == BLACK:
                    continue
                if board.content[q] != VACANT:
                    break
                # A straight four that comes with a five in another line does not count.
                if (board.lines[BLACK][q] >> 4 * direction) & 15 == LINE_OPEN_FOUR and board.rank[BLACK][q] != FIVE:
                    real = not forbidden(board, q)
                if real:
                    break
            if real:
                break
        count += real
        if count == 2:
            break
    take_back(board)
    board.side = side
    return count


cdef bint forbidden_by_fours(const Board* board, int point) noexcept nogil:
    """Whether a MAYBE_FORBIDDEN point is forbidden for an overline or two fours. Only its lines say that."""
    cdef int direction, line, fours = 0
    for direction in range(4):
        line = (board.lines[BLACK][point] >> 4 * direction) & 15
        if line == LINE_OVERLINE or line == LINE_DOUBLE_FOUR:
            return True
        fours += line == LINE_FOUR or line == LINE_OPEN_FOUR
    return fours >= 2


cdef bint forbidden(Board* board, int point) noexcept nogil:
    """Whether renju forbids Black a vacant point: overline, two fours or two threes, unless it makes five."""
    cdef int direction, line, threes = 0
    if board.rank[BLACK][point] != MAYBE_FORBIDDEN or not board.renju:
        return False
    if forbidden_by_fours(board, point):
        return True
    for direction in range(4):
        line = (board.lines[BLACK][point] >> 4 * direction) & 15
        threes += line == LINE_OPEN_THREE or line == LINE_OPEN_THREE_NARROW
    return threes >= 2 and real_threes(board, point) >= 2


cdef int find_rank(const Board* board, int colour, int rank, int start) noexcept nogil:
    """The first point from `start` on that has the rank for a colour, or 0."""
    cdef const unsigned char* ranks = board.rank[colour]
    cdef const unsigned char* found = <const unsigned char*> memchr(
        ranks + start, rank, FIRST_POINT + board.height * STRIDE - start
    )
    return 0 if found == NULL else <int> (found - ranks)


cdef int collect(const Board* board, int colour, int rank, uint32_t* points) noexcept nogil:
    """Write the points of a rank for a colour; return how many."""
    cdef int count = board.sums.ranks[colour][rank], i, point = FIRST_POINT - 1
    for i in range(count):
        point = find_rank(board, colour, rank, point + 1)
        sanqi_check(point > 0, b"the sums count the points of a rank")
        points[i] = point
    return count


cdef bint prevents(const Board* board, int attacker, int winning, int point) noexcept nogil:
    """Whether a stone of the other side on `point` prevents the five at `winning`."""
    cdef int direction, line, offset
    if point == winning:
        return True
    for direction in range(4):
        if (board.lines[attacker][winning] >> 4 * direction) & 15 != LINE_FIVE:
            continue
        line = line_of(direction, winning)
        offset = bit_of(direction, point) - bit_of(direction, winning)
        if line_of(direction, point) != line or max(offset, -offset) > REACH:
            return False
        if line_class(
            board.five[attacker], board.stones[attacker][direction][line],
            board.stones[attacker ^ 1][direction][line] | <uint32_t> 1 << bit_of(direction, point),
            board.walls[direction][line], bit_of(direction, winning) - REACH,
        ) == LINE_FIVE:
            return False
    return True


cdef int stops(Board* board, int attacker, uint32_t* points) noexcept nogil:
    """Write the points that prevent all fives that a side could make next; return how many.

    `points` needs room for 4 * 2 * REACH + 1. In most rules only a stone on the point of the five prevents it. In caro
    closing both its ends does so too.
    """
    cdef int wins = board.sums.ranks[attacker][FIVE], first = find_rank(board, attacker, FIVE, FIRST_POINT)
    cdef int count = 0, direction, _k, q, other
    if board.five[attacker] < CARO_FIVE:
        if wins > 1 or (attacker == WHITE and forbidden(board, first)):
            return 0
        points[0] = first
        return 1
    for direction in range(4):
        q = first - (REACH + 1) * STEP[direction]
        for _k in range(2 * REACH + 1):
            q += STEP[direction]
            if board.content[q] != VACANT or (q == first and direction):
                continue
            other = first
            while other and prevents(board, attacker, other, q):
                other = find_rank(board, attacker, FIVE, other + 1)
            if not other:
                points[count] = q
                count += 1
    sanqi_check(count <= MAX_CHANGES, b"a stone changes MAX_CHANGES points at most")
    return count


cdef inline bint on_lines_of_four(const Board* board, int attacker, int winning, int point) noexcept nogil:
    """Whether a stone on `point` changes one of the lines that make `winning` a winning point."""
    cdef int direction, line, dx, dy
    if point == winning:
        return True
    dx = (point & (STRIDE - 1)) - (winning & (STRIDE - 1))
    dy = point // STRIDE - winning // STRIDE
    if max(max(dx, -dx), max(dy, -dy)) > board.reach:
        return False
    if dy == 0:
        direction = 0
    elif dx == 0:
        direction = 1
    elif dx == dy:
        direction = 2
    elif dx == -dy:
        direction = 3
    else:
        return False
    # Whether renju forbids the point to Black depends on all of its lines.
    if board.renju and attacker == BLACK:
        return True
    line = (board.lines[attacker][winning] >> 4 * direction) & 15
    return line == LINE_FOUR or line == LINE_DOUBLE_FOUR or line == LINE_OPEN_FOUR


cdef int defences(const Board* board, int attacker, uint32_t* points) noexcept nogil:
    """Write the vacant points that can stop all winning fours of the side not to move; return how many.

    A stone off the lines of a winning point does not stop it, unless it makes
    a four. The defender's fours are not listed here.
    """
    cdef uint32_t winning[MAX_BOARD]
    cdef int wins = collect(board, attacker, OPEN_OR_DOUBLE_FOUR, winning), direction, _k, i, q, count = 1
    cdef bint all_changed
    points[0] = winning[0]
    for i in range(1, wins):
        if not on_lines_of_four(board, attacker, winning[i], winning[0]):
            count = 0
            break
    for direction in range(4):
        q = winning[0] - (board.reach + 1) * STEP[direction]
        for _k in range(2 * board.reach + 1):
            q += STEP[direction]
            if q < 0 or q >= POINTS or board.content[q] != VACANT or q == winning[0]:
                continue
            all_changed = True
            for i in range(wins):
                if not on_lines_of_four(board, attacker, winning[i], q):
                    all_changed = False
                    break
            if all_changed:
                points[count] = q
                count += 1
    sanqi_check(count <= MAX_CHANGES, b"a stone changes MAX_CHANGES points at most")
    return count


cdef uint64_t near_row(const Board* board, int row) noexcept nogil:
    """The vacant points of a row at most two rows and two columns from a stone, one bit per column."""
    cdef int y
    cdef uint64_t spread = 0, occupied
    for y in range(row - 2, row + 3):
        spread |= board.stones[BLACK][0][y] | board.stones[WHITE][0][y]
    occupied = board.stones[BLACK][0][row] | board.stones[WHITE][0][row] | board.walls[0][row]
    spread |= spread << 1 | spread >> 1
    spread |= spread << 1 | spread >> 1
    return spread & ~occupied & <uint64_t> 0xFFFFFFFF
