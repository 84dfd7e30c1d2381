"""Draws hidden armies at random, each with a probability proportional to the product of its pieces' weights.

ArmySampler draws the army of one seat exactly. Let c say how many pieces of each type are left to deal, and Z(c) be the
sum of the products over all ways to deal them to the last pieces: Z(c) = sum of w[piece][t] * Z(c - one t) over the
types t. There are at most 497,664 different c; known pieces make it fewer. Draws go piece by piece, type t with
probability w[piece][t] * Z(c - one t) / Z(c); a second pass over the table gives the marginals.

WorldSampler draws several armies whose pieces have met each other. Each is drawn by its table; the world is rejected
if a clash does not fit. If of 400 trials fewer than 5 % are accepted, a Markov chain (Metropolis) is used instead:

- A step proposes to exchange the types of two pieces of a seat. Now and then a whole army is drawn anew.
- A clash may fail to fit, at the price of a factor. Otherwise an exchange of equal ranks could not become one of other
  ranks: both pieces would have to change at once. Only states in which all clashes fit are worlds. Among them, the law
  is the one wanted.
- The factor is the largest of 0.3, 0.1, ... 0.001 with which a quarter of the states fit.
- Between two worlds there are at least four steps for each hidden piece.

Marginals are then estimated from worlds, with the largest standard error from the differences between 20 batches.
"""

from libc.math cimport isfinite, sqrt
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from search_core.splitmix cimport splitmix

from junqi_protocol.rules.lineup import UNKNOWN
from junqi_protocol.rules.position import Contradiction


cdef enum:
    TRIALS = 400            # worlds drawn to estimate how many are accepted
    MIN_ACCEPTED = 20     # of these; with fewer, the chain is used
    MAX_TRIES = 4000       # draws for one world before the chain takes over
    SETTLING = 200          # strides before the chain's first world
    MAX_STRIDES = 2000     # between two worlds of the chain
    BATCHES = 20            # for the error of an estimate

# The chain allows clashes that do not fit, each with a factor. Smaller factors are tried until enough states fit.
cdef double[6] FACTORS = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001]


cdef inline double uniform(uint64_t* state) noexcept nogil:
    """A random number from 0 to 1, 1 excluded."""
    return <double> (splitmix(state) >> 11) * (1.0 / 9007199254740992.0)


cdef inline int below(uint64_t* state, int limit) noexcept nogil:
    """A random whole number below `limit`."""
    return <int> (((splitmix(state) >> 32) * <uint64_t> limit) >> 32)


cdef void fill_table(Army* army) noexcept nogil:
    """Compute the table, in the order of its numbers: what is left after one more piece has a smaller number.

    The digits of a number say how many of each kind are left. The loop over the last digit is apart, for speed.
    """
    cdef double* table = army.table
    cdef int32_t stride[KINDS]
    cdef uint8_t kind[KINDS]
    cdef uint8_t digit[KINDS]
    cdef double row[ARMY][KINDS]
    cdef int kinds = army.kinds, number = army.number[0], active, left = 0, i, j, k, base = 0
    cdef double total
    memset(row, 0, sizeof(row))
    memset(digit, 0, sizeof(digit))
    for k in range(army.free):
        for i in range(army.choices[k]):
            row[k][army.choice[k][i]] = army.chance[k][i]
    while True:
        active = 0
        for i in range(1, kinds):
            if digit[i]:
                stride[active] = army.stride[i]
                kind[active] = i
                active += 1
        for j in range(number + 1):
            k = left + j - 1
            if k < 0:
                table[0] = 1.0
                continue
            total = row[k][0] * table[base + j - 1] if j else 0.0
            for i in range(active):
                total += row[k][kind[i]] * table[base + j - stride[i]]
            table[base + j] = total
        base += number + 1
        i = 1
        while i < kinds and digit[i] == army.number[i]:
            left -= digit[i]
            digit[i] = 0
            i += 1
        if i >= kinds:
            return
        digit[i] += 1
        left += 1


cdef void draw_army(const Army* army, uint64_t* state, uint8_t* types) noexcept nogil:
    """Draw an army. The table must have a way to deal it."""
    cdef uint8_t left[KINDS]
    cdef int32_t here = army.states - 1
    cdef int k, i, kind, chosen
    cdef double target, part
    memcpy(types, army.known, army.pieces)
    memcpy(left, army.number, sizeof(left))
    for k in range(army.free - 1, -1, -1):
        target = uniform(state) * army.table[here]
        chosen = -1
        for i in range(army.choices[k]):
            kind = army.choice[k][i]
            if left[kind] == 0:
                continue
            part = army.chance[k][i] * army.table[here - army.stride[kind]]
            if part <= 0:
                continue
            # The last possible kind is kept, since the sum of rounded parts may be less than the target.
            chosen = kind
            target -= part
            if target < 0:
                break
        types[army.order[k]] = army.type_of[chosen]
        left[chosen] -= 1
        here -= army.stride[chosen]


cdef class ArmySampler:
    """The armies of one seat: exact marginals, and what a WorldSampler draws them by.

    Parameters
    ----------
    weights : sequence of sequence of float
        For each piece, its weight by type as in lineup.PIECES; index 0 is not used. 0: the piece cannot be that type.
    numbers : sequence of int
        By type, how many pieces of it there are. Together as many as there are pieces.

    Raises ValueError for weights that are negative or not finite, or if the numbers do not fit; Contradiction if no
    army is possible.
    """

    def __cinit__(self, weights, numbers):
        cdef Army* army = &self.army
        cdef int kind, piece, i, k
        cdef double highest, value
        cdef int left[KINDS + 1]
        rows = [[float(value) for value in row] for row in weights]
        count = [int(number) for number in numbers]
        if len(rows) > ARMY or any(len(row) != UNKNOWN for row in rows):
            raise ValueError(f"expected at most {ARMY} pieces with {UNKNOWN} weights each")
        if not KINDS < len(count) or any(number < 0 for number in count) or sum(count[1:UNKNOWN]) != len(rows):
            raise ValueError("the numbers of the types do not add up to the pieces")
        if any(not isfinite(value) or value < 0 for row in rows for value in row):
            raise ValueError("a weight is negative or not finite")
        army.pieces = len(rows)
        for kind in range(1, KINDS + 1):
            left[kind] = count[kind]
        for piece in range(army.pieces):
            # Only the ratios in a row matter.
            highest = max(rows[piece][1:])
            possible = [kind for kind in range(1, KINDS + 1) if rows[piece][kind] > 0 and count[kind] > 0]
            if not possible:
                raise Contradiction("a piece has no possible type")
            for kind in possible:
                army.weight[piece][kind] = rows[piece][kind] / highest
            if len(possible) == 1:
                army.known[piece] = possible[0]
                left[possible[0]] -= 1
        for kind in range(1, KINDS + 1):
            if left[kind] < 0:
                raise Contradiction("no army has these pieces")
        for kind in sorted(range(1, KINDS + 1), key=lambda kind: -left[kind]):
            if left[kind] > 0:
                army.type_of[army.kinds] = kind
                army.number[army.kinds] = left[kind]
                army.kinds += 1
        # Pieces with fewer choices are drawn first: they shorten the list for the rest.
        free_pieces = [piece for piece in range(army.pieces) if not army.known[piece]]
        free_pieces.sort(key=lambda piece: -sum(value > 0 for value in rows[piece][1:]))
        army.free = len(free_pieces)
        army.states = 1
        for k in range(army.kinds):
            army.stride[k] = army.states
            army.states *= army.number[k] + 1
        for k in range(army.free):
            piece = free_pieces[k]
            army.order[k] = piece
            for i in range(army.kinds):
                value = army.weight[piece][army.type_of[i]]
                if value > 0:
                    army.choice[k][army.choices[k]] = i
                    army.chance[k][army.choices[k]] = value
                    army.choices[k] += 1
        army.table = <double*> malloc(army.states * sizeof(double))
        if army.table == NULL:
            raise MemoryError()
        if army.free:
            fill_table(army)
        else:
            army.table[0] = 1.0
        if not army.table[army.states - 1] > 0:
            raise Contradiction("no army fits the weights")

    def __dealloc__(self):
        free(self.army.table)

    @property
    def states(self) -> int:
        """The entries of the table."""
        return self.army.states

    def marginals(self):
        """For each piece, the probability of each type."""
        cdef const Army* army = &self.army
        cdef double found[ARMY][KINDS + 1]
        cdef double* reach
        cdef uint8_t digit[KINDS]
        cdef int here, k, i, kind, left = army.free
        cdef double path, whole
        memset(found, 0, sizeof(found))
        for i in range(army.pieces):
            if army.known[i]:
                found[i][army.known[i]] = 1.0
        # The weight of all ways to come to each state, from the full army down.
        reach = <double*> calloc(army.states, sizeof(double))
        if reach == NULL:
            raise MemoryError()
        with nogil:
            memcpy(digit, army.number, sizeof(digit))
            whole = army.table[army.states - 1]
            reach[army.states - 1] = 1.0 / whole
            for here in range(army.states - 1, 0, -1):
                k = left - 1
                if reach[here] > 0 and army.table[here] > 0:
                    for i in range(army.choices[k]):
                        kind = army.choice[k][i]
                        if digit[kind]:
                            path = reach[here] * army.chance[k][i]
                            reach[here - army.stride[kind]] += path
                            found[army.order[k]][army.type_of[kind]] += path * army.table[here - army.stride[kind]]
                i = 0
                while digit[i] == 0:
                    digit[i] = army.number[i]
                    left += digit[i]
                    i += 1
                digit[i] -= 1
                left -= 1
        free(reach)
        return [[found[i][kind] for kind in range(KINDS + 1)] for i in range(army.pieces)]


cdef class WorldSampler:
    """Several hidden armies, some of whose pieces have met each other.

    Parameters
    ----------
    samplers : sequence of ArmySampler
        One for each army.
    clashes : sequence of (int, int, int, int, sequence of int)
        Clashes between two armies: the attacker's army and piece, the defender's army and piece, and by the attacker's
        type the set of types that the defender may have had (bit n: type n).
    seed : int
        Makes the draws repeatable.

    Attributes
    ----------
    acceptance : float
        The share of independently drawn armies that fit all clashes, estimated by a few hundred.
    exact : bool
        Whether worlds are drawn independently. If not, they are the states of a Markov chain with the same law.

    Raises ValueError for clashes that do not fit the armies; Contradiction if no world that fits was found.
    """

    def __cinit__(self, samplers, clashes, seed=0):
        cdef ArmySampler sampler
        cdef Link* link
        cdef int _i, i, kind, place, accepted = 0
        self.samplers = tuple(samplers)
        if not 0 < len(self.samplers) <= HIDDEN or len(clashes) > MAX_LINKS:
            raise ValueError(f"expected 1 to {HIDDEN} armies and at most {MAX_LINKS} clashes")
        self.random_state = seed & 0xFFFFFFFFFFFFFFFF
        self.armies = len(self.samplers)
        for i in range(self.armies):
            sampler = self.samplers[i]
            self.army[i] = &sampler.army
            self.offset[i] = self.pieces
            self.pieces += sampler.army.pieces
        places = [[] for _ in range(self.pieces)]
        for army, piece, other_army, other, pairs in clashes:
            if not (
                0 <= army < self.armies and 0 <= other_army < self.armies and army != other_army
                and 0 <= piece < self.army[army].pieces and 0 <= other < self.army[other_army].pieces
                and len(pairs) > KINDS
            ):
                raise ValueError("a clash names no piece of two armies")
            link = &self.link[self.link_count]
            link.attacker_army, link.attacker = army, piece
            link.defender_army, link.defender = other_army, other
            for kind in range(1, KINDS + 1):
                link.pairs[kind] = pairs[kind] & 0xFFFF
            self.linked[army] = self.linked[other_army] = True
            places[self.offset[army] + piece].append(self.link_count)
            places[self.offset[other_army] + other].append(self.link_count)
            self.link_count += 1
        i = 0
        for place in range(self.pieces):
            self.first_link[place] = i
            for number in places[place]:
                self.link_of[i] = number
                i += 1
        self.first_link[self.pieces] = i
        self.exact = True
        self.acceptance = 1.0
        if self.link_count:
            with nogil:
                for _i in range(TRIALS):
                    accepted += self.try_draw(self.state)
            self.acceptance = <double> accepted / TRIALS
            self.exact = accepted >= MIN_ACCEPTED
        if not self.exact:
            self.begin_chain()

    cdef bint fits(self, const Link* link, const uint8_t* world) noexcept nogil:
        cdef int attacker = world[self.offset[link.attacker_army] + link.attacker]
        return (link.pairs[attacker] >> world[self.offset[link.defender_army] + link.defender]) & 1

    cdef bint try_draw(self, uint8_t* world) noexcept nogil:
        """Draw each army, and return whether they fit the clashes. Stops at the first clash that does not fit."""
        cdef int i, j
        cdef const Link* link
        for i in range(self.armies):
            draw_army(self.army[i], &self.random_state, world + self.offset[i])
            if not self.linked[i]:
                continue
            for j in range(self.link_count):
                link = &self.link[j]
                if (
                    (link.attacker_army == i and link.defender_army < i)
                    or (link.defender_army == i and link.attacker_army < i)
                ) and not self.fits(link, world):
                    return False
        return True

    # The chain. A step exchanges the types of two pieces of an army, or draws an army anew. Clashes that do not fit
    # are allowed, since the worlds that fit may not be joined by single steps; only states that fit are worlds.

    cdef int broken_at(self, int place) noexcept nogil:
        """How many clashes of a piece the state does not fit."""
        cdef int i, count = 0
        for i in range(self.first_link[place], self.first_link[place + 1]):
            count += not self.fits(&self.link[self.link_of[i]], self.state)
        return count

    cdef void swap(self) noexcept nogil:
        """Propose to exchange the types of two pieces."""
        cdef int which = below(&self.random_state, self.armies), i, j, one, other, before, after
        cdef const Army* army = self.army[which]
        cdef double ratio
        cdef uint8_t kept
        if not self.linked[which] or army.free < 2:
            return
        i = army.order[below(&self.random_state, army.free)]
        j = army.order[below(&self.random_state, army.free)]
        one, other = self.offset[which] + i, self.offset[which] + j
        if self.state[one] == self.state[other]:
            return
        ratio = army.weight[i][self.state[other]] * army.weight[j][self.state[one]]
        if ratio <= 0:
            return
        ratio /= army.weight[i][self.state[one]] * army.weight[j][self.state[other]]
        before = self.broken_at(one) + self.broken_at(other)
        kept = self.state[one]
        self.state[one] = self.state[other]
        self.state[other] = kept
        after = self.broken_at(one) + self.broken_at(other)
        if after > before:
            ratio *= self.penalty[after - before]
        elif before > after:
            ratio /= self.penalty[before - after]
        if ratio < 1 and uniform(&self.random_state) >= ratio:
            self.state[other] = self.state[one]
            self.state[one] = kept
            return
        self.broken += after - before

    cdef void redraw(self, int which) noexcept nogil:
        """Propose a new army."""
        cdef uint8_t kept[ARMY]
        cdef int i, after = 0
        if not self.linked[which]:
            return
        memcpy(kept, &self.state[self.offset[which]], self.army[which].pieces)
        draw_army(self.army[which], &self.random_state, &self.state[self.offset[which]])
        for i in range(self.link_count):
            after += not self.fits(&self.link[i], self.state)
        if after > self.broken and uniform(&self.random_state) >= self.penalty[after - self.broken]:
            memcpy(&self.state[self.offset[which]], kept, self.army[which].pieces)
            return
        self.broken = after

    cdef void run(self, int steps) noexcept nogil:
        """One redraw and this number of exchanges."""
        cdef int _i
        self.redraw(below(&self.random_state, self.armies))
        for _i in range(steps):
            self.swap()

    cdef void begin_chain(self):
        cdef int _i, i, fitting
        cdef bint found = False
        cdef double factor
        self.stride = 0
        for i in range(self.armies):
            draw_army(self.army[i], &self.random_state, &self.state[self.offset[i]])
            if self.linked[i]:
                self.stride += 4 * self.army[i].free
        self.broken = 0
        for i in range(self.link_count):
            self.broken += not self.fits(&self.link[i], self.state)
        for factor in FACTORS:
            self.penalty[0] = 1.0
            for i in range(1, 2 * MAX_LINKS + 1):
                self.penalty[i] = max(self.penalty[i - 1] * factor, 1e-100)
            fitting = 0
            with nogil:
                for _i in range(SETTLING):
                    self.run(self.stride)
                    if self.broken == 0:
                        fitting += 1
                        found = True
                        memcpy(self.world, self.state, self.pieces)
            if 4 * fitting > SETTLING:
                return
        if not found:
            raise Contradiction("no armies were found that fit all clashes")

    cdef bint next_world(self, uint8_t* world) noexcept nogil:
        """Write a world. False if the chain has to be begun first."""
        cdef int _i, i
        if self.exact:
            for _i in range(MAX_TRIES):
                if self.try_draw(world):
                    return True
            return False
        for _i in range(MAX_STRIDES):
            self.run(self.stride)
            if self.broken == 0:
                memcpy(self.world, self.state, self.pieces)
                break
        memcpy(world, self.world, self.pieces)
        for i in range(self.armies):
            if not self.linked[i]:
                draw_army(self.army[i], &self.random_state, world + self.offset[i])
        return True

    def draw(self, int number, is_due=None):
        """`number` worlds as bytes: the types of all pieces of the first, army by army, then of the second, …

        They are fewer if `is_due`, a function that is called between two worlds, says that the time is up.
        """
        cdef int i
        drawn = bytearray(number * self.pieces)
        cdef uint8_t[::1] view = drawn
        if not self.pieces:
            return b""
        for i in range(number):
            if is_due is not None and is_due():
                return bytes(drawn[: i * self.pieces])
            if not self.next_world(&view[i * self.pieces]):
                self.exact = False
                self.begin_chain()
                self.next_world(&view[i * self.pieces])
        return bytes(drawn)

    def estimate(self, int number, is_due=None):
        """Estimate the marginals from that many worlds: for each army as ArmySampler.marginals(), and the largest
        standard error of a probability.

        `is_due`: as for draw(). Then there are fewer worlds, and no marginals if they are less than a twentieth.
        """
        cdef int _batch, i, place, kind, batches = 0, size = max(1, number // BATCHES)
        cdef double mean, square, error = 0.0, value
        cdef double total[HIDDEN * ARMY][KINDS + 1]
        cdef double squares[HIDDEN * ARMY][KINDS + 1]
        cdef int count[HIDDEN * ARMY][KINDS + 1]
        cdef const uint8_t[::1] view
        memset(total, 0, sizeof(total))
        memset(squares, 0, sizeof(squares))
        for _batch in range(BATCHES):
            view = self.draw(size, is_due)
            if len(view) < size * self.pieces:
                break
            batches += 1
            memset(count, 0, sizeof(count))
            for i in range(size):
                for place in range(self.pieces):
                    count[place][view[i * self.pieces + place]] += 1
            for place in range(self.pieces):
                for kind in range(1, KINDS + 1):
                    value = <double> count[place][kind] / size
                    total[place][kind] += value
                    squares[place][kind] += value * value
        if not batches:
            return [], 1.0
        if batches == 1:
            error = 1.0  # not known
        for place in range(self.pieces):
            for kind in range(1, KINDS + 1):
                mean = total[place][kind] / batches
                square = max(0.0, squares[place][kind] / batches - mean * mean)
                error = max(error, sqrt(square / max(1, batches - 1)))
        return [
            [
                [total[self.offset[i] + place][kind] / batches for kind in range(KINDS + 1)]
                for place in range(self.army[i].pieces)
            ]
            for i in range(self.armies)
        ], error
