"""The Xiangqi board's geometry as tables, computed at import in about a millisecond.

`LineNeighbours` is what makes generation fast: one look-up by a line's occupancy gives the
nearest pieces both ways, those behind them (a cannon's targets) and how many
points a rook may enter.
"""


cdef bint in_palace(int square) noexcept:
    cdef int rank = square // 9, file = square % 9
    return 3 <= file <= 5 and (rank <= 2 or rank >= 7)


cdef void fill_line_neighbours(LineNeighbours* line, int length, int place, int occupancy) noexcept:
    cdef uint8_t found[3]
    find_nearest(found, length, place, -1, occupancy)
    line.low, line.low_next, line.low_third = found[0], found[1], found[2]
    line.low_empty = place if line.low == place else place - line.low - 1
    find_nearest(found, length, place, 1, occupancy)
    line.high, line.high_next, line.high_third = found[0], found[1], found[2]
    line.empty = line.low_empty + (length if line.high == place else line.high) - place - 1


cdef void find_nearest(uint8_t* found, int length, int place, int step, int occupancy) noexcept:
    # The first three pieces from a place in one direction; the place itself for a missing one.
    cdef int i = place + step, count = 0
    found[0] = found[1] = found[2] = place
    while 0 <= i < length and count < 3:
        if occupancy >> i & 1:
            found[count] = i
            count += 1
        i += step


cdef void fill_rays(int square) noexcept:
    cdef int rank = square // 9, file = square % 9, i
    for i in range(9 - rank):
        RAYS[square][0][i] = square | (square + 9 * (i + 1)) << 7
    for i in range(rank):
        RAYS[square][1][i] = square | (square - 9 * (i + 1)) << 7
    for i in range(8 - file):
        RAYS[square][2][i] = square | (square + i + 1) << 7
    for i in range(file):
        RAYS[square][3][i] = square | (square - i - 1) << 7


cdef void add_step(Steps* steps, int to, int block) noexcept:
    steps.hops[steps.count].to = to
    steps.hops[steps.count].block = block
    steps.count += 1


cdef void add_origins(int side, const Steps* steps, int square, int first, int others) noexcept:
    cdef Origins* origins
    cdef int i
    for i in range(steps.count):
        origins = &CHEAP_ORIGINS[side][steps.hops[i].to]
        origins.origins[origins.count].square = square
        origins.origins[origins.count].first = first
        origins.origins[origins.count].others = others
        origins.origins[origins.count].block = steps.hops[i].block
        origins.count += 1


cdef void fill_origins(int side) noexcept:
    # Only points where such a piece can ever stand, so no target has more than four.
    cdef int own = RED << side, i, square, rank, file
    for i in range(SQUARES):
        # Rank by rank from the own side, so that the pawn from behind comes first.
        rank = i // 9
        square = i if side == 0 else (9 - rank) * 9 + i % 9
        if rank >= 5 or (rank >= 3 and square % 9 % 2 == 0):
            add_origins(side, &PAWN_STEPS[side][square], square, own + PAWNS, 4)
    for square in range(45 * side, 45 * side + 45):
        rank = square // 9 if side == 0 else 9 - square // 9
        file = square % 9
        if in_palace(square) and (rank + file) % 2 == 1:
            add_origins(side, &ADVISOR_STEPS[square], square, own + ADVISORS, 1)
        if rank % 2 == 0 and file % 2 == 0 and (rank + file) % 4 == 2:
            add_origins(side, &ELEPHANT_STEPS[square], square, own + ELEPHANTS, 1)


cdef void fill_steps_of(int side) noexcept:
    # An advisor and an elephant enter only their side's palace and half of the board.
    cdef int square, other, up, right, first = 7 * side, home = 45 * side
    for square in range(SQUARES):
        STEPS_OF[first + KING_KIND][square] = KING_STEPS[square]
        STEPS_OF[first + HORSE_KIND][square] = HORSE_STEPS[square]
        STEPS_OF[first + PAWN_KIND][square] = PAWN_STEPS[side][square]
        for other in range(home, home + 45):
            up = other // 9 - square // 9
            right = other % 9 - square % 9
            if in_palace(other) and up * up == 1 and right * right == 1:
                add_step(&STEPS_OF[first + ADVISOR_KIND][square], other, NOWHERE)
            if up * up == 4 and right * right == 4:
                add_step(&STEPS_OF[first + ELEPHANT_KIND][square], other, square + up // 2 * 9 + right // 2)


cdef void fill_tables() noexcept:
    cdef int square, other, rank, file, up, right, place, occupancy, slot, side
    cdef int kind_of_offset[16]
    cdef int offset
    for offset in range(16):
        kind_of_offset[offset] = 0 if offset == 0 else 6 if offset >= PAWNS else (offset + 1) // 2
    for slot in range(48):
        KIND[slot] = -1
    for offset in range(16):
        KIND[RED + offset] = kind_of_offset[offset]
        KIND[BLACK + offset] = 7 + kind_of_offset[offset]
    for place in range(10):
        for occupancy in range(1024):
            fill_line_neighbours(&FILE_NEIGHBOURS[place][occupancy], 10, place, occupancy)
    for place in range(9):
        for occupancy in range(512):
            fill_line_neighbours(&RANK_NEIGHBOURS[place][occupancy], 9, place, occupancy)
    for square in range(SQUARES):
        FILE_OF[square] = square % 9
        RANK_OF[square] = square // 9
        fill_rays(square)
        for other in range(SQUARES):
            HORSE_LEG[square][other] = NOWHERE
    for square in range(SQUARES):
        rank = square // 9
        file = square % 9
        for other in range(SQUARES):
            up = other // 9 - rank
            right = other % 9 - file
            if in_palace(square) and in_palace(other) and (rank <= 2) == (other // 9 <= 2):
                if up * up + right * right == 1:
                    add_step(&KING_STEPS[square], other, NOWHERE)
                if up * up == 1 and right * right == 1:
                    add_step(&ADVISOR_STEPS[square], other, NOWHERE)
            if up * up == 4 and right * right == 4 and (rank <= 4) == (other // 9 <= 4):
                add_step(&ELEPHANT_STEPS[square], other, square + up // 2 * 9 + right // 2)
            if up * up == 4 and right * right == 1:
                HORSE_LEG[square][other] = square + (9 if up > 0 else -9)
                add_step(&HORSE_STEPS[square], other, HORSE_LEG[square][other])
            if up * up == 1 and right * right == 4:
                HORSE_LEG[square][other] = square + (1 if right > 0 else -1)
                add_step(&HORSE_STEPS[square], other, HORSE_LEG[square][other])
            if up == 1 and right == 0 or up == 0 and right * right == 1 and rank >= 5:
                add_step(&PAWN_STEPS[0][square], other, NOWHERE)
            if up == -1 and right == 0 or up == 0 and right * right == 1 and rank <= 4:
                add_step(&PAWN_STEPS[1][square], other, NOWHERE)
    for square in range(SQUARES):
        for other in range(SQUARES):
            for place in range(HORSE_STEPS[other].count):
                if HORSE_LEG[<int> HORSE_STEPS[other].hops[place].to][square] != NOWHERE:
                    CHECKING_HOPS[square][other] |= 1 << place
    for side in range(2):
        fill_origins(side)
        fill_steps_of(side)


fill_tables()
