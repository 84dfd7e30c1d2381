from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint64_t

cdef enum:
    KINDS = 12         # types that a piece can have
    ARMY = 25          # pieces of an army, at most
    HIDDEN = 4         # armies of a world, at most
    MAX_LINKS = 128   # clashes between two hidden pieces; each has killed one

# What is needed to draw an army. Types whose pieces are all known are left out.
cdef struct Army:
    int pieces
    int free                           # pieces whose type is not known
    int kinds                          # types among these
    uint8_t known[ARMY]                # type of each piece; 0: to be drawn
    uint8_t order[ARMY]                # the free pieces; order[k] is drawn when k more are left
    uint8_t type_of[KINDS]             # by kind
    uint8_t number[KINDS]              # how many of each kind are to be drawn
    int32_t stride[KINDS]
    int32_t states                     # entries of the table: one for each set of pieces that can be left
    uint8_t choices[ARMY]              # by place in `order`: how many kinds it may be
    uint8_t choice[ARMY][KINDS]        # these kinds, the most numerous first
    double chance[ARMY][KINDS]         # their weights
    double weight[ARMY][KINDS + 1]     # by piece and type
    double* table                      # by what is left: the sum of the weights of all ways to deal it

# A clash between two pieces of different armies.
cdef struct Link:
    uint8_t attacker_army
    uint8_t attacker
    uint8_t defender_army
    uint8_t defender
    uint16_t pairs[KINDS + 1]          # by the attacker's type: what the defender may have been, bit = type


cdef class ArmySampler:
    cdef Army army


cdef class WorldSampler:
    cdef readonly double acceptance
    cdef readonly bint exact
    cdef object samplers
    cdef uint64_t random_state
    cdef int armies
    cdef int pieces
    cdef const Army* army[HIDDEN]
    cdef int offset[HIDDEN]            # of an army's pieces in a world
    cdef bint linked[HIDDEN]
    cdef int link_count
    cdef Link link[MAX_LINKS]
    cdef int16_t first_link[HIDDEN * ARMY + 1]
    cdef uint8_t link_of[2 * MAX_LINKS]
    # The chain:
    cdef uint8_t state[HIDDEN * ARMY]
    cdef uint8_t world[HIDDEN * ARMY]          # the last state that fits all clashes
    cdef double penalty[2 * MAX_LINKS + 1]    # by the number of clashes more that do not fit
    cdef int broken                    # clashes of the state that do not fit
    cdef int stride
    cdef bint fits(self, const Link* link, const uint8_t* world) noexcept nogil
    cdef bint try_draw(self, uint8_t* world) noexcept nogil
    cdef int broken_at(self, int place) noexcept nogil
    cdef void swap(self) noexcept nogil
    cdef void redraw(self, int which) noexcept nogil
    cdef void run(self, int steps) noexcept nogil
    cdef void begin_chain(self)
    cdef bint next_world(self, uint8_t* world) noexcept nogil
