from libc.stdint cimport uint8_t

from junqi_protocol.rules.board cimport POINTS, SEATS, TYPES

# The first six of a seat's own zones and of an enemy's are in the same order.
cdef enum Zone:
    OWN_FRONT
    OWN_MIDDLE
    OWN_CAMP
    OWN_RAIL
    OWN_BACK
    OWN_HEADQUARTERS
    OWN_GUARD            # beside the own flag
    PARTNER_HOME
    PARTNER_CAMP
    PARTNER_GUARD
    CENTRE
    ENEMY_FRONT
    ENEMY_MIDDLE
    ENEMY_CAMP
    ENEMY_RAIL
    ENEMY_BACK
    ENEMY_HEADQUARTERS
    BESIDE_HEADQUARTERS  # which may hold the flag
    BESIDE_FLAG
    EMPTY_HOME           # of an enemy that is out
    ZONES

cdef enum:
    CLASSES = 8          # of types that are alike in where they belong
    NODES = 5            # of the piecewise linear worth of a type
    NUMBER_ROOM = TYPES * NODES + CLASSES * ZONES + 1  # the last: what the turn is worth

from junqi_protocol.rules.board cimport Geometry

cdef uint8_t[TYPES] CLASS_OF  # the group of a type

cdef void spread(double count, double* shares) noexcept nogil
cdef int zone_of(const Geometry* geometry, int living, int seat, int point, const double* flag_chance) noexcept nogil
