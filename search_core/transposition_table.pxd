from libc.stdint cimport int64_t, uint64_t

from search_core.game cimport MATE, MATE_BOUND, Move

cdef extern from "platform.h" nogil:
    void sanqi_prefetch(const void* address)
    uint64_t sanqi_load64(const uint64_t* word)
    void sanqi_store64(uint64_t* word, uint64_t value)

cdef enum Bound:
    NO_BOUND
    UPPER
    LOWER
    EXACT  # UPPER | LOWER

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
    int static_eval  # NO_SCORE if the node had none


cdef inline int to_table(int score, int ply) noexcept nogil:
    # The table counts a mate from the node, the search from the root.
    if score >= MATE_BOUND:
        return score + ply
    if score <= -MATE_BOUND:
        return score - ply
    return score


cdef inline int from_table(int score, int ply) noexcept nogil:
    if score >= MATE_BOUND:
        return score - ply
    if score <= -MATE_BOUND:
        return score + ply
    return score


cdef inline bint decides(const TTData* data, int score, int limit) noexcept nogil:
    """Whether an entry with this score, as the search counts it, shows if the true score reaches `limit`."""
    return (data.bound & (LOWER if score >= limit else UPPER)) != 0


cdef inline int bound_of(int score, int alpha, int beta, bint pv_node) noexcept nogil:
    """What the score of a search says in the window that it began with."""
    if score >= beta:
        return LOWER
    return EXACT if pv_node and score > alpha else UPPER


cdef inline bint is_proof(int score, int bound) noexcept nogil:
    """Whether an entry shows a forced win or loss: true at any depth, if the game's rules do not look at the path."""
    return (score >= MATE_BOUND and bound & LOWER) or (score <= -MATE_BOUND and bound & UPPER)


cdef inline int plies_to_end(int score) noexcept nogil:
    """Plies to the forced end that a score of the table announces; 0: none."""
    cdef int distance = MATE - (score if score > 0 else -score)
    return distance if distance <= MATE - MATE_BOUND else 0


cdef class TranspositionTable:
    cdef Bucket* buckets
    cdef uint64_t bucket_count
    cdef uint64_t age
    cdef size_t bytes
    cdef public bint keeps_proofs  # a forced win or loss gives way to a better proof only: no rule looks at the path

    cdef bint probe(self, uint64_t key, TTData* hit) noexcept nogil
    cdef void store(
        self, uint64_t key, Move move, int score, int depth, int bound, int static_eval
    ) noexcept nogil
    cdef int hashfull(self) noexcept nogil

    # High half of the key times the bucket count: up to 2**32 buckets, which are 256 GiB, no division.
    cdef inline Bucket* bucket(self, uint64_t key) noexcept nogil:
        return &self.buckets[((key >> 32) * self.bucket_count) >> 32]

    cdef inline void prefetch(self, uint64_t key) noexcept nogil:
        sanqi_prefetch(self.bucket(key))
