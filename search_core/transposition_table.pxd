from libc.stdint cimport int64_t, uint64_t

from search_core.game cimport Move

cdef extern from "platform.h" nogil:
    void sanqi_prefetch(const void* address)
    uint64_t sanqi_load64(const uint64_t* word)
    void sanqi_store64(uint64_t* word, uint64_t value)

cdef enum Bound:
    NO_BOUND
    UPPER
    LOWER
    EXACT

cdef struct TTEntry:
    uint64_t check  # key xor data: a torn pair of words does not match
    uint64_t data

# One cache line, the unit of a probe.
cdef struct Bucket:
    TTEntry entries[4]

# An entry unpacked.
cdef struct TTData:
    Move move
    int score
    int depth
    int bound

cdef class TranspositionTable:
    cdef Bucket* buckets
    cdef uint64_t bucket_count
    cdef uint64_t age
    cdef size_t bytes

    cdef bint probe(self, uint64_t key, TTData* hit) noexcept nogil
    cdef void store(
        self, uint64_t key, Move move, int score, int depth, int bound
    ) noexcept nogil
    cdef int hashfull(self) noexcept nogil

    # High half of the key times the bucket count: any size, no division.
    cdef inline Bucket* bucket(self, uint64_t key) noexcept nogil:
        return &self.buckets[((key >> 32) * self.bucket_count) >> 32]

    cdef inline void prefetch(self, uint64_t key) noexcept nogil:
        sanqi_prefetch(self.bucket(key))
