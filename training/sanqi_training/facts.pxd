from libc.stdint cimport uint8_t, uint16_t, uint32_t

from junqi_protocol.rules.board cimport ARMY_SIZE, SEATS, Board

cdef enum:
    ROW = 16    # room for one number per type, a whole number of vectors

# What the other team knows of a seat's pieces. A set of types is a number, bit = type. Pieces with the same set form a
# class. The dead are included: they were part of the army.
cdef struct Army:
    uint16_t types[ARMY_SIZE]       # by number in the army
    uint8_t class_of[ARMY_SIZE]
    int classes
    uint16_t set_of[ARMY_SIZE]      # by class
    uint8_t size[ARMY_SIZE]
    float chance[ARMY_SIZE][ROW]    # by class and type, approximate
    uint32_t version                # grows with each change

cdef struct Facts:
    Army army[SEATS]

cdef inline float dot(const float* one, const float* other) noexcept nogil:
    """The sum of the products of two rows. Four sums, so that compilers can use vectors."""
    cdef float a = 0, b = 0, c = 0, d = 0
    cdef int i
    for i in range(0, ROW, 4):
        a += one[i] * other[i]
        b += one[i + 1] * other[i + 1]
        c += one[i + 2] * other[i + 2]
        d += one[i + 3] * other[i + 3]
    return (a + b) + (c + d)


cdef bint may_begin(const uint8_t* lineup) noexcept nogil
cdef void begin_facts(Facts* facts, const Board* board) noexcept nogil
cdef void note_move(Facts* facts, const Board* board, bint turned) noexcept nogil
