"""What each team knows of the other's pieces, for fast games: the sets of knowledge.py without its exactness.

A team sees the lineups of both its seats, so one of the two pieces of a clash is always known to it. From the numbers
of an army only the cheap conclusions are drawn. So a set here contains the exact one, and may be larger. The chances of
the types fit the numbers of the army approximately: a few rounds of proportional fitting (Deming and Stephan 1940).
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset

from search_core.check cimport sanqi_check

from junqi_protocol.rules.board cimport (
    ARMY_SIZE, BOTH_DIED, COMMANDER, EAT, ENGINEER, FLAG, HOME, KILLED, MINE, MOVE, SEATS, TYPES, UNKNOWN, Board,
    resolve_combat, seat_of,
)

from junqi_protocol.rules.geometry import CAMPS
from junqi_protocol.knowledge.knowledge import NUMBERS, starting_types


cdef enum:
    ALL_SETS = 1 << UNKNOWN
    ROUNDS = 4    # of proportional fitting

cdef uint16_t NEVER_MOVE = 1 << MINE | 1 << FLAG
cdef uint8_t NUMBER[ROW]                    # by type, in an army
cdef int32_t TYPE_BIT[ROW]                   # by type
cdef uint8_t ROOM[ALL_SETS]                 # by set: how many pieces of an army have one of these types
cdef uint16_t START[HOME]                   # by home point; 0: a camp
# By the type known, the result, and whether the other's commander died: what the other may be.
cdef uint16_t DEFENDER[TYPES][BOTH_DIED + 1][2]
cdef uint16_t ATTACKER[TYPES][BOTH_DIED + 1][2]


cdef void fill_tables():
    cdef int one, other, result
    for index in range(HOME):
        START[index] = 0 if index in CAMPS else starting_types(index)
    for kind in range(<int> ROW):
        TYPE_BIT[kind] = 1 << kind
    for kind in range(<int> UNKNOWN):
        NUMBER[kind] = NUMBERS[kind]
    for types in range(<int> ALL_SETS):
        ROOM[types] = sum([NUMBERS[kind] for kind in range(<int> UNKNOWN) if types >> kind & 1])
    for one in range(<int> ENGINEER, <int> UNKNOWN):
        for other in range(<int> ENGINEER, <int> UNKNOWN):
            result = resolve_combat(one, other)
            DEFENDER[one][result][other == COMMANDER and result != KILLED] |= 1 << other
            result = resolve_combat(other, one)
            ATTACKER[one][result][other == COMMANDER and result != EAT] |= 1 << other


fill_tables()


cdef bint may_begin(const uint8_t* lineup) noexcept nogil:
    """Whether the rules allow a lineup, given as the types on the home points."""
    cdef uint8_t left[ROW]
    cdef int index, kind
    for kind in range(ROW):
        left[kind] = NUMBER[kind]
    for index in range(HOME):
        kind = lineup[index]
        if START[index]:
            if kind >= <int> UNKNOWN or not (START[index] >> kind) & 1 or left[kind] == 0:
                return False
            left[kind] -= 1
        elif kind:
            return False
    return True


cdef void begin_facts(Facts* facts, const Board* board) noexcept nogil:
    """Start with what the home points show. The armies stand where they begin."""
    cdef int seat, number
    memset(facts, 0, sizeof(Facts))
    for seat in range(board.geometry.seats):
        for number in range(ARMY_SIZE):
            facts.army[seat].types[number] = START[board.place[1 + seat * 32 + number] - seat * HOME]
        conclude_numbers(&facts.army[seat])


cdef void note_move(Facts* facts, const Board* board, bint turned) noexcept nogil:
    """Learn from the move just played what its public report says. `turned`: only an engineer could make it."""
    cdef int attacker = board.state.attacker, defender = board.state.defender, result = board.state.result
    cdef int seat = seat_of(attacker), other, shown
    cdef uint32_t changed = 0
    if turned:
        learn(facts, attacker, 1 << ENGINEER, &changed)
    else:
        learn(facts, attacker, ~NEVER_MOVE, &changed)
    if result != MOVE:
        other = seat_of(defender)
        shown = (board.state.shown >> other) & 1
        learn(facts, defender, DEFENDER[board.type[attacker]][result][shown], &changed)
        shown = (board.state.shown >> seat) & 1
        learn(facts, attacker, ATTACKER[board.type[defender]][result][shown], &changed)
        for shown in range(SEATS):
            if (board.state.shown >> shown) & 1:
                learn_flag(facts, board, shown, &changed)
    for seat in range(SEATS):
        if (changed >> seat) & 1:
            conclude_numbers(&facts.army[seat])


cdef void learn(Facts* facts, int piece, int types, uint32_t* changed) noexcept nogil:
    """A piece has one of these types."""
    cdef int seat = seat_of(piece)
    cdef uint16_t* known = &facts.army[seat].types[(piece - 1) & 31]
    if known[0] & ~types:
        known[0] &= types
        changed[0] |= 1 << seat


cdef void learn_flag(Facts* facts, const Board* board, int seat, uint32_t* changed) noexcept nogil:
    """A seat's flag is shown."""
    cdef int number, piece
    for number in range(ARMY_SIZE):
        piece = 1 + seat * 32 + number
        if board.type[piece] == FLAG:
            learn(facts, piece, 1 << FLAG, changed)


cdef void make_classes(Army* army) noexcept nogil:
    """Group the pieces that have the same set."""
    cdef int number, i
    army.classes = 0
    for number in range(ARMY_SIZE):
        for i in range(army.classes):
            if army.set_of[i] == army.types[number]:
                break
        else:
            i = army.classes
            army.classes += 1
            army.set_of[i] = army.types[number]
            army.size[i] = 0
        army.size[i] += 1
        army.class_of[number] = i


cdef void conclude_numbers(Army* army) noexcept nogil:
    """Use the numbers of the army until nothing more follows, then compute the chances.

    If a set has as many pieces within it as the army has pieces of its types, no other piece has one of these types. If
    a type has only as many candidates as the army has pieces of it, they are all of this type.
    """
    cdef int i, j, kind, count, number
    cdef uint16_t types
    cdef bint changed = True
    while changed:
        changed = False
        make_classes(army)
        for i in range(army.classes):
            types = army.set_of[i]
            count = 0
            for j in range(army.classes):
                if not army.set_of[j] & ~types:
                    count += army.size[j]
            sanqi_check(count <= ROOM[types], b"a world's facts allow an army")
            if count == ROOM[types]:
                for j in range(army.classes):
                    if army.set_of[j] & ~types and army.set_of[j] & types:
                        army.set_of[j] &= ~types
                        changed = True
        for kind in range(<int> ENGINEER, <int> UNKNOWN):
            count = 0
            for j in range(army.classes):
                if army.set_of[j] >> kind & 1:
                    count += army.size[j]
            if count == NUMBER[kind]:
                for j in range(army.classes):
                    if army.set_of[j] >> kind & 1 and army.set_of[j] != 1 << kind:
                        army.set_of[j] = 1 << kind
                        changed = True
        if changed:
            for number in range(ARMY_SIZE):
                army.types[number] = army.set_of[army.class_of[number]]
    army.version += 1
    fit_chances(army)


cdef void fit_chances(Army* army) noexcept nogil:
    """Chances that add up to 1 for each piece, and nearly to the army's number of each type."""
    cdef float row[ARMY_SIZE][ROW]
    cdef float factor[ROW]
    cdef float total[ROW]
    cdef float left[ROW]
    cdef float whole
    cdef int i, kind, _round
    cdef uint8_t hidden[ARMY_SIZE]
    cdef int count = 0
    for kind in range(ROW):
        left[kind] = NUMBER[kind]
    for i in range(army.classes):
        for kind in range(ROW):
            row[i][kind] = 1 if army.set_of[i] & TYPE_BIT[kind] else 0
        if army.set_of[i] & (army.set_of[i] - 1):
            hidden[count] = i
            count += 1
        else:
            for kind in range(ROW):
                left[kind] -= army.size[i] * row[i][kind]
    for kind in range(ROW):
        factor[kind] = left[kind]
    for _round in range(ROUNDS if count else 0):
        for kind in range(ROW):
            total[kind] = 1e-9
        for i in range(count):
            whole = army.size[hidden[i]] / dot(factor, row[hidden[i]])
            for kind in range(ROW):
                total[kind] += whole * row[hidden[i]][kind]
        for kind in range(ROW):
            factor[kind] = left[kind] / total[kind]
    for i in range(count):
        whole = 1 / dot(factor, row[hidden[i]])
        for kind in range(ROW):
            row[hidden[i]][kind] *= whole * factor[kind]
    memcpy(army.chance, row, army.classes * sizeof(row[0]))
