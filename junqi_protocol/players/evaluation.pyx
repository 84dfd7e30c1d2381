"""The evaluation of a Junqi position of which a player knows only a part. docs/junqi-player.md describes it.

It is linear: for each living piece, the worth of its type plus that of its type on its zone of the board, both expected
over the types that it may have. The unit is a logit: the win probability is 1 / (1 + exp(-x)).
"""

from libc.stdint cimport uint8_t

from junqi_protocol.rules.board cimport CAMP, CENTRE_POINT, HEADQUARTERS, HOME, Geometry

# By type: nothing, engineer, 排长 … 司令, bomb, mine, flag, unknown.
cdef uint8_t[TYPES] CLASS_OF = [0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 7]
cdef double[NODES] NODE = [0, 1, 2.5, 5, 10]


cdef void spread(double count, double* shares) noexcept nogil:
    """The shares of the nodes at a count: the worth of a type is linear between two nodes."""
    cdef int i
    for i in range(NODES):
        shares[i] = 0
    if count >= NODE[NODES - 1]:
        shares[NODES - 1] = 1
        return
    for i in range(NODES - 1):
        if count < NODE[i + 1]:
            shares[i + 1] = (count - NODE[i]) / (NODE[i + 1] - NODE[i])
            shares[i] = 1 - shares[i + 1]
            return


cdef bint joined(const Geometry* geometry, int point, int other) noexcept nogil:
    """Whether two points are neighbours."""
    cdef int i
    for i in range(geometry.road_count[point]):
        if geometry.road[point][i] == other:
            return True
    for i in range(geometry.rail_count[point]):
        if geometry.rail[point][i] == other:
            return True
    return False


cdef int zone_of(const Geometry* geometry, int living, int seat, int point, const double* flag_chance) noexcept nogil:
    """The zone of a point for a seat's pieces.

    `living`: the seats still in the game, as bits. `flag_chance`: by point, how probably a flag stands there.
    """
    cdef int owner, row, relation, place, i, other
    cdef double chance = 0
    if point >= CENTRE_POINT:
        return CENTRE
    owner = point // HOME
    row = point % HOME // 5
    # 0: its own home, 1: an enemy's, 2: its partner's
    relation = 0 if owner == seat else 1 if (owner ^ seat) & 1 else 2
    if relation == 1 and not (living >> owner) & 1:
        return EMPTY_HOME
    for i in range(26, 29, 2):
        other = owner * HOME + i
        if joined(geometry, point, other):
            chance = max(chance, flag_chance[other])
    if geometry.kind[point] & (HEADQUARTERS | CAMP):
        place = 5 if geometry.kind[point] & HEADQUARTERS else 2
    else:
        place = 0 if row == 0 else 1 if row < 4 else 3 if row == 4 else 4
    if relation == 1:
        if chance > 0.9:
            return BESIDE_FLAG
        return BESIDE_HEADQUARTERS if chance > 0.3 else ENEMY_FRONT + place
    if relation == 2:
        if chance > 0.5:
            return PARTNER_GUARD
        return PARTNER_CAMP if geometry.kind[point] & CAMP else PARTNER_HOME
    return OWN_GUARD if chance > 0.5 else OWN_FRONT + place
