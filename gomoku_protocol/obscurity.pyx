"""How hard a move of Gomoku is to see for a person. Asked only below full strength, and slow."""

from libc.stdint cimport uint32_t

from gomoku_protocol.board cimport MAX_BOARD, STEP, STRIDE, Board, collect
from gomoku_protocol.patterns cimport FIVE, LINE_FOUR, LINE_OVERLINE, LINE_THREE

cdef enum:
    # Points for what makes a move hard to see.
    DIAGONAL = 80   # the line that matters is a diagonal
    SPLIT = 70      # there is a gap in that line
    DEFENCE = 50    # it stops something, and makes less
    FAR = 60        # five points or more from the last two stones
    HARDEST = 255
    NEAR = 4


cdef inline int class_of(int lines, int direction) noexcept nogil:
    """The class of a line, 0 for an overline, which is worth nothing."""
    cdef int line = lines >> 4 * direction & 15
    return 0 if line == LINE_OVERLINE else line


cdef int run_of(const Board* board, int point, int colour, int step) noexcept nogil:
    """How many stones of a colour stand next to a point along a line, on both sides."""
    cdef int count = 0, q = point + step
    while board.content[q] == colour:
        count += 1
        q += step
    q = point - step
    while board.content[q] == colour:
        count += 1
        q -= step
    return count


cdef int obscurity_of(const Board* board, int point, const int* last) noexcept nogil:
    """Game.obscurity(). `last`: the last two stones, 0 for one that is not known."""
    cdef int side = board.side, other = side ^ 1, points = 0, d, own, foe, best = 0, direction = 0, colour = side
    cdef int i, distance, nearest = -1
    if board.rank[side][point] == FIVE or board.rank[other][point] == FIVE:
        return 0
    for d in range(4):
        own = class_of(board.lines[side][point], d)
        foe = class_of(board.lines[other][point], d)
        if own > best:
            best = own
            direction = d
            colour = side
        if foe > best:
            best = foe
            direction = d
            colour = other
    if best >= LINE_THREE:
        if direction >= 2:
            points += DIAGONAL
        if run_of(board, point, colour, STEP[direction]) < (3 if best >= LINE_FOUR else 2):
            points += SPLIT
        if colour == other:
            points += DEFENCE
    for i in range(2):
        if last[i]:
            distance = max(abs(point // STRIDE - last[i] // STRIDE), abs(point % STRIDE - last[i] % STRIDE))
            if nearest < 0 or distance < nearest:
                nearest = distance
    if nearest > NEAR:
        points += FAR
    # The answer to what the last stone has made, next to it.
    elif nearest == 1 and colour == other and best >= LINE_THREE:
        points //= 2
    return min(points, HARDEST)


cdef bint joins_line(const Board* board, int point) noexcept nogil:
    """Whether the point extends or answers two stones or more of one colour, with room for five."""
    cdef int colour, d
    for colour in range(2):
        for d in range(4):
            if class_of(board.lines[colour][point], d) >= LINE_THREE:
                return True
    return False


cdef bint has_straight(const Board* board, int colour, int rank) noexcept nogil:
    """Whether a colour has a point of a rank by a four or five on a row or a column: a beginner overlooks diagonals."""
    cdef uint32_t points[MAX_BOARD]
    cdef int i, d, count = collect(board, colour, rank, points)
    for i in range(count):
        for d in range(2):
            if class_of(board.lines[colour][points[i]], d) >= LINE_FOUR:
                return True
    return False
