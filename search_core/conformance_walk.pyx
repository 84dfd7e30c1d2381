"""Random games of which one number is made, to compare two threads: a part of conformance.pyx."""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc

from search_core.game cimport NOISY, ONGOING, QUIET, Game, Move

cdef enum:
    DIGEST_PLIES = 24
    DIGEST_ROUNDS = 6


cdef inline uint64_t mixed(uint64_t digest, uint64_t value) noexcept nogil:
    digest = (digest ^ value) * <uint64_t> 0x9E3779B97F4A7C15
    return digest ^ (digest >> 29)


cdef uint64_t digest_of_walk(
    Game game, uint64_t digest, Move* moves, int32_t* scores, int32_t* slots
) noexcept nogil:
    """A number made of every answer in a random game, which is taken back."""
    cdef int plies = 0, count, noisy, i, first
    while plies < DIGEST_PLIES:
        digest = mixed(digest, game.outcome(plies))
        if game.outcome(plies) != ONGOING:
            break
        digest = mixed(mixed(digest, game.in_check()), <uint64_t> game.evaluate())
        noisy = game.generate(NOISY, moves)
        game.order(NOISY, moves, noisy, scores, slots)
        count = noisy + game.generate(QUIET, moves + noisy)
        game.order(QUIET, moves + noisy, count - noisy, scores + noisy, slots + noisy)
        if game.has_policy:
            digest = mixed(digest, game.policy(moves + noisy, count - noisy, scores + noisy))
        for i in range(count):
            digest = mixed(digest, moves[i] ^ <uint64_t> scores[i] << 20 ^ <uint64_t> slots[i] << 44)
            digest = mixed(digest, game.gives_check(moves[i]) + 2 * game.see_ge(moves[i], 0))
        if count == 0:
            break
        first = <int> (digest >> 33) % count
        for i in range(count):
            if game.make(moves[(first + i) % count]):
                break
        else:
            break
        plies += 1
        digest = mixed(digest, game.key)
    while plies > 0:
        game.unmake()
        plies -= 1
        digest = mixed(digest, game.key)
    return digest


def digest_of(Game game not None, uint64_t seed, barrier=None) -> int:
    """A number made of every answer in random games, which begin when all wait at the barrier."""
    cdef Move* moves = <Move*> malloc(game.max_moves * sizeof(Move))
    cdef int32_t* scores = <int32_t*> malloc(2 * game.max_moves * sizeof(int32_t))
    cdef uint64_t digest = seed
    cdef int _i
    if moves == NULL or scores == NULL:
        free(moves)
        free(scores)
        raise MemoryError()
    if barrier is not None:
        barrier.wait()
    with nogil:
        for _i in range(DIGEST_ROUNDS):
            digest = digest_of_walk(game, digest, moves, scores, scores + game.max_moves)
    free(moves)
    free(scores)
    return digest
