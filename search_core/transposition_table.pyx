"""The transposition table: one block of memory shared by all search threads.

There are no locks. An entry is two words, the second of which is stored xored
into the first; each is read and written at once, but in any order, and a pair
torn by a race matches no key (R. Hyatt and T. Mann, "A lock-less transposition
table implementation for parallel search", 2002). A key that collides in all 64
bits can still bring a foreign move: whoever plays one asks Game.pseudo_legal()
first.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from search_core.check cimport sanqi_check
from search_core.game cimport PENDING_BOUND, RULED_SCORE, Game

cdef extern from "platform.h" nogil:
    void* sanqi_allocate(size_t bytes)
    void sanqi_release(void* block, size_t bytes)
    uint64_t sanqi_free_memory()

# data, from the lowest bit: move 20, score 16, depth 7, bound 2, age 3, static evaluation 16
cdef enum:
    SCORE_SHIFT = 20
    DEPTH_SHIFT = 36
    BOUND_SHIFT = 43
    AGE_SHIFT = 45
    EVAL_SHIFT = 48
    MOVE_MASK = (1 << 20) - 1
    AGE_MASK = 7
    SCORE_BIAS = 32768
    # An entry one search old is worth as much as one this many plies shallower. All 64 bits are in use, so the age has
    # three: an entry that nothing has replaced counts as new again after eight searches.
    AGE_PENALTY = 4
    MIN_PAGE = 4096


def free_memory() -> int:
    """Physical memory in bytes that nobody uses, or 0 where it has to be asked otherwise."""
    return sanqi_free_memory()


cdef inline uint64_t age_of(uint64_t data) noexcept nogil:
    return data >> AGE_SHIFT & AGE_MASK


cdef class TranspositionTable:
    """A transposition table.

    The system hands out zeroed pages when they are first touched, which a search would have to wait for again and
    again: clear() it all before, by table_fill.TableFill.

    Parameters
    ----------
    megabytes : int
        Size in MiB. When that much cannot be had, the largest half, quarter …
        that can is taken; `megabytes` then tells the real size.
    """

    def __cinit__(self, size_t megabytes):
        while True:
            self.bytes = megabytes << 20
            self.buckets = <Bucket*> sanqi_allocate(self.bytes)
            if self.buckets != NULL:
                break
            megabytes >>= 1
            if megabytes == 0:
                raise MemoryError("no memory for a transposition table of 1 MiB")
        self.bucket_count = self.bytes // sizeof(Bucket)

    def __dealloc__(self):
        if self.buckets != NULL:
            sanqi_release(self.buckets, self.bytes)

    def clear(self, size_t offset, size_t length, bint fresh) -> None:
        """Empty a part of the table, of `length` bytes from `offset` on. Releases the GIL.

        `fresh`: nothing was stored since the table was made, so that one write a page will do.
        """
        cdef char* block = <char*> self.buckets
        if offset > self.bytes:
            offset = self.bytes
        length = min(length, self.bytes - offset)
        with nogil:
            if not fresh:
                memset(block + offset, 0, length)
            else:
                while length > 0:
                    block[offset] = 0
                    offset += min(length, <size_t> MIN_PAGE)
                    length -= min(length, <size_t> MIN_PAGE)

    def release(self) -> None:
        """Give the memory back. No search may use the table any more; look_up() knows nothing from now on."""
        cdef void* block = self.buckets
        cdef size_t size = self.bytes
        self.buckets = NULL
        self.bytes = 0
        self.bucket_count = 0
        if block != NULL:
            with nogil:
                sanqi_release(block, size)

    @property
    def megabytes(self) -> int:
        """The size in MiB."""
        return self.bytes >> 20

    def next_age(self) -> None:
        """Let everything stored so far be replaced first."""
        self.age = (self.age + 1) & AGE_MASK

    def look_up(self, Game game not None) -> tuple | None:
        """What is known of a position: (move or None, depth, score, bound), or None.

        `bound` is "exact", "lower" or "upper"; the score is for the side to
        move, a mate counted from this position.
        """
        cdef TTData hit
        if self.buckets == NULL or not self.probe(game.key, &hit) or hit.bound == NO_BOUND:
            return None
        move = hit.move if hit.move and game.pseudo_legal(hit.move) else None
        return move, hit.depth, hit.score, ("", "upper", "lower", "exact")[hit.bound]

    cdef bint probe(self, uint64_t key, TTData* hit) noexcept nogil:
        """Fill `hit` and return True if the table knows `key`."""
        cdef Bucket* bucket = self.bucket(key)
        cdef uint64_t data
        cdef int i
        for i in range(4):
            data = sanqi_load64(&bucket.entries[i].data)
            if (sanqi_load64(&bucket.entries[i].check) ^ data) == key and data:
                hit.move = <Move> (data & MOVE_MASK)
                hit.score = <int> ((data >> SCORE_SHIFT) & 0xFFFF) - SCORE_BIAS
                hit.depth = <int> ((data >> DEPTH_SHIFT) & 0x7F)
                hit.bound = <int> ((data >> BOUND_SHIFT) & 3)
                hit.static_eval = <int> (data >> EVAL_SHIFT) - SCORE_BIAS
                return True
        return False

    cdef void store(
        self, uint64_t key, Move move, int score, int depth, int bound, int static_eval
    ) noexcept nogil:
        """Remember a result; the least valuable entry of the bucket gives way.

        A win or loss by a rule on the moves before the position says nothing of the bare position: not remembered.
        """
        cdef Bucket* bucket = self.bucket(key)
        cdef TTEntry* victim = &bucket.entries[0]
        cdef uint64_t data
        cdef int i, value, least = 1 << 30
        cdef bint proves = self.keeps_proofs and is_proof(score, bound)
        if PENDING_BOUND <= abs(score) <= RULED_SCORE:
            return
        for i in range(4):
            data = sanqi_load64(&bucket.entries[i].data)
            if (sanqi_load64(&bucket.entries[i].check) ^ data) == key:
                victim = &bucket.entries[i]
                if self.keeps_proofs and not proves and is_proof(
                    <int> ((data >> SCORE_SHIFT) & 0xFFFF) - SCORE_BIAS, <int> ((data >> BOUND_SHIFT) & 3)
                ):
                    # E.g. "no shorter win exists".
                    return
                if move == 0:
                    move = <Move> (data & MOVE_MASK)
                # A much deeper result of this search outlasts a shallow bound that proves nothing.
                if (
                    not proves
                    and bound != EXACT
                    and depth + 4 < <int> ((data >> DEPTH_SHIFT) & 0x7F)
                    and age_of(data) == self.age
                ):
                    return
                break
            value = (
                <int> ((data >> DEPTH_SHIFT) & 0x7F)
                - AGE_PENALTY * <int> ((self.age - age_of(data)) & AGE_MASK)
            )
            if data == 0:
                value = -1000
            # Without a branch, which would be hard to predict.
            victim = &bucket.entries[i] if value < least else victim
            least = min(value, least)
        sanqi_check(move < 1 << 20, b"a move is a number below 2**20")
        sanqi_check(-SCORE_BIAS <= score < SCORE_BIAS, b"a score has sixteen bits")
        sanqi_check(-SCORE_BIAS <= static_eval < SCORE_BIAS, b"a static evaluation has sixteen bits")
        if depth < 0:
            depth = 0
        elif depth > 127:
            depth = 127
        data = (
            <uint64_t> (move & MOVE_MASK)
            | (<uint64_t> <uint32_t> (score + SCORE_BIAS) << SCORE_SHIFT)
            | (<uint64_t> depth << DEPTH_SHIFT)
            | (<uint64_t> bound << BOUND_SHIFT)
            | (self.age << AGE_SHIFT)
            | (<uint64_t> <uint32_t> (static_eval + SCORE_BIAS) << EVAL_SHIFT)
        )
        sanqi_store64(&victim.check, key ^ data)
        sanqi_store64(&victim.data, data)

    cdef int hashfull(self) noexcept nogil:
        """How many of 1000 sampled entries have the age of this search: its own, and what is left of those a multiple
        of eight searches before."""
        cdef int i, j, used = 0
        cdef uint64_t data
        for i in range(250):
            for j in range(4):
                data = sanqi_load64(&self.buckets[<uint64_t> i % self.bucket_count].entries[j].data)
                used += data != 0 and age_of(data) == self.age
        return used
