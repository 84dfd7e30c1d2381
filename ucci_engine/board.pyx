"""The Xiangqi board's geometry as tables, computed at import in well under a millisecond.

`Reach` is what makes generation fast: one look-up by a line's occupancy gives the
nearest pieces both ways, those behind them (a cannon's targets) and how many
points a rook may enter.
"""


cdef bint in_palace(int square) noexcept:
    cdef int rank = square // 9, file = square % 9
    return 3 <= file <= 5 and (rank <= 2 or rank >= 7)


cdef void fill_reach(Reach* reach, int length, int place, int occupancy) noexcept:
    cdef int i
    reach.low = reach.low_next = reach.high = reach.high_next = place
    reach.empty = 0
    i = place - 1
    while i >= 0 and not occupancy >> i & 1:
        reach.empty += 1
        i -= 1
    if i >= 0:
        reach.low = i
        i -= 1
        while i >= 0 and not occupancy >> i & 1:
            i -= 1
        if i >= 0:
            reach.low_next = i
    i = place + 1
    while i < length and not occupancy >> i & 1:
        reach.empty += 1
        i += 1
    if i < length:
        reach.high = i
        i += 1
        while i < length and not occupancy >> i & 1:
            i += 1
        if i < length:
            reach.high_next = i


cdef void add_step(Steps* steps, int to, int block) noexcept:
    steps.hops[steps.count].to = to
    steps.hops[steps.count].block = block
    steps.count += 1


cdef void fill_tables() noexcept:
    cdef int square, other, rank, file, up, right, place, occupancy, slot
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
            fill_reach(&FILE_REACH[place][occupancy], 10, place, occupancy)
    for place in range(9):
        for occupancy in range(512):
            fill_reach(&RANK_REACH[place][occupancy], 9, place, occupancy)
    for square in range(SQUARES):
        FILE_OF[square] = square % 9
        RANK_OF[square] = square // 9
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


fill_tables()
