from libc.stdint cimport uint64_t


cdef inline uint64_t splitmix(uint64_t* state) noexcept nogil:
    """The next of a fixed sequence of random numbers (SplitMix64: Steele, Lea and Flood 2014)."""
    cdef uint64_t z
    state[0] += <uint64_t> 0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline uint64_t scrambled(uint64_t number) noexcept nogil:
    """A pseudo-random number computed from `number`; close numbers give very different results."""
    return splitmix(&number)
