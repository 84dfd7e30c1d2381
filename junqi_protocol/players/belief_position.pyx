"""The Junqi position as a player knows it: what the search plays on. docs/junqi-player.md explains it.

Each piece has a set of types that it can still be, and a probability for each. A clash with a hidden piece has several
ends; each narrows the sets. Nothing here depends on what a piece really is, unless the player knows it.
"""

from libc.math cimport tanh
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset

from junqi_protocol.rules cimport board as rules
from junqi_protocol.rules.board cimport (
    ALL_PIECES, BOMB, BOTH_DIED, COMMANDER, EAT, ENGINEER, FLAG, GOES_ON, KILLED, MINE, MAX_MOVES, MOVE,
    POINTS, SEATS, TYPES, UNDO_KEPT, UNKNOWN,
)
from junqi_protocol.players.evaluation cimport (
    BESIDE_FLAG, BESIDE_HEADQUARTERS, CLASSES, CLASS_OF, NODES, NUMBER_ROOM, ZONES, spread, zone_of,
)
from junqi_protocol.players.net cimport JunqiNet, fold_of
from junqi_protocol.rules.position cimport Position
from search_core.game cimport NOISY, QUIET, Game, Move
from search_core.splitmix cimport scrambled

cdef enum:
    IMMOBILE = 1 << MINE | 1 << FLAG

cdef int32_t[TYPES][TYPES] GAIN   # what the attacker wins by a clash, less what it loses, in centipawns
cdef uint16_t AGAINST_ENGINEER    # the types that gain by an attack on an engineer


cdef void fill_tables() noexcept:
    global AGAINST_ENGINEER
    cdef int a, d, result
    AGAINST_ENGINEER = 0
    memset(ENDING, 0, sizeof(ENDING))
    for a in range(ENGINEER, BOMB + 1):
        for d in range(ENGINEER, UNKNOWN):
            result = rules.resolve_combat(a, d)
            ENDING[result][a] |= 1 << d
            GAIN[a][d] = (rules.WORTH[d] if result != KILLED else 0) - (rules.WORTH[a] if result != EAT else 0)
        if GAIN[a][<int> ENGINEER] > 0:
            AGAINST_ENGINEER |= 1 << a


fill_tables()


cdef inline bint single(uint16_t types) noexcept nogil:
    return types & (types - 1) == 0


cdef class BeliefPosition(Position):
    """A position with what one player believes of the pieces. Call believe() per piece, then settle().

    of() makes one.
    """

    def __cinit__(self, *args, **kwargs):
        self.enable_chance()
        # 61.3 +- 5.1 % at 2,000 nodes and 69.0 +- 8.8 % at 15,000, against the search without it.
        self.parameters.lmp_base = 6
        self.parameters.lmp_power = 150
        self.parameters.lmp_minimum = 2

    @classmethod
    def of(cls, Position position not None, int quiet=0, bint quiet_loses=False):
        """What is seen on a player's board. `quiet`, `quiet_loses`: as in Position."""
        cdef BeliefPosition made = cls(position.variant.name)
        cdef int piece
        memcpy(made.board, position.board, sizeof(rules.Board))
        made.board.undo_count = 0
        made.board.quiet_limit = quiet
        made.board.quiet_loses = quiet_loses
        for piece in range(1, ALL_PIECES):
            if ENGINEER <= made.board.type[piece] < UNKNOWN:
                made.weight[piece][made.board.type[piece]] = 1
                made.types[piece] = 1 << made.board.type[piece]
        made.finish()
        return made

    def believe(self, int point, row) -> None:
        """Say how probable each type is for the piece on a point."""
        cdef int piece = self.board.piece_at[point], kind, count = 0, last = 0
        cdef double total = sum(row)
        self.types[piece] = 0
        for kind in range(ENGINEER, UNKNOWN):
            self.weight[piece][kind] = row[kind] / total
            if self.weight[piece][kind] < 0.002:
                self.weight[piece][kind] = 0
            else:
                self.types[piece] |= 1 << kind
                count += 1
                last = kind
        if count == 1:
            if self.board.type[piece] == UNKNOWN:
                self.board.type[piece] = last
                self.weight[piece][last] = 1

    def expose(self, int point, row) -> None:
        """Say what the enemies believe of the player's piece on a point."""
        cdef int piece = self.board.piece_at[point]
        self.fear(piece, row)
        self.exposed[piece] = True

    def overlook(self, permille: int, seed: int) -> None:
        """Overlook this share of the moves that turn on the rails, below the root. The same seed overlooks the same."""
        self.overlooked = permille
        self.overlook_seed = seed

    cdef bint overlooks(self, Move move) noexcept nogil:
        """Whether a move is one of these."""
        return <int> (scrambled(self.overlook_seed ^ move) % 1000) < self.overlooked and (
            rules.turns_on_rails(self.board, move)
        )

    cdef fear(self, int piece, row):
        """Find the types that gain by an attack on a piece, if it is of these types."""
        cdef double[TYPES] chances = [row[kind] if 0 < kind < UNKNOWN else 0 for kind in range(TYPES)]
        self.attackers[piece] = self.gainers(chances)

    cdef uint16_t gainers(self, const double* row) noexcept:
        """The types that gain by an attack on a piece of these types."""
        cdef int a, d
        cdef uint16_t found = 0
        cdef double gain
        for a in range(ENGINEER, BOMB + 1):
            gain = 0
            for d in range(ENGINEER, UNKNOWN):
                gain += row[d] * GAIN[a][d]
            found |= (gain > 0) << a
        return found

    def settle(self, weights, JunqiNet net=None, int knower=0) -> None:
        """Compute the evaluation with these weights, in the order of evaluation.pyx, and a net's share of it.

        `knower`: the team whose knowledge this is.
        """
        self.net = net
        self.knower = knower
        cdef int piece, seat, kind, zone, team, i, point
        cdef double flags[POINTS]
        cdef double found[2][TYPES]
        cdef double shares[NODES]
        cdef double worth
        cdef double numbers[NUMBER_ROOM]
        for i in range(NUMBER_ROOM):
            numbers[i] = weights[i]
        self.tempo = numbers[TYPES * NODES + CLASSES * ZONES]
        self.collect(flags, found)
        self.salt = 0
        for team in range(2):
            for kind in range(ENGINEER, UNKNOWN):
                spread(self.rivals(found[1 - team], kind), shares)
                worth = 0
                for i in range(NODES):
                    worth += shares[i] * numbers[kind * NODES + i]
                for zone in range(ZONES):
                    self.type_value[team][kind][zone] = worth + numbers[TYPES * NODES + CLASS_OF[kind] * ZONES + zone]
        for seat in range(self.board.geometry.seats):
            self.raid_count[seat] = 0
            for point in range(self.board.geometry.size):
                zone = zone_of(self.board.geometry, self.board.state.living, seat, point, flags)
                self.zone[seat][point] = zone
                self.fold[seat][point] = fold_of(self.board.geometry, seat, point)
                if (zone == BESIDE_FLAG or zone == BESIDE_HEADQUARTERS) and self.board.geometry.rail_count[point]:
                    self.raids[seat][self.raid_count[seat]] = point
                    self.raid_count[seat] += 1
        for piece in range(1, ALL_PIECES):
            if not rules.in_armies(self.board.state.alive, piece):
                continue
            seat = rules.seat_of(piece)
            self.base_types[piece] = self.types[piece]
            if not self.types[piece] & ~<uint16_t> IMMOBILE:
                self.board.state.mobile[seat] &= ~(<uint32_t> 1 << ((piece - 1) & 31))
            if not self.exposed[piece]:
                self.fear(piece, [self.weight[piece][kind] for kind in range(TYPES)])
            for zone in range(ZONES):
                worth = 0
                for kind in range(ENGINEER, UNKNOWN):
                    worth += self.weight[piece][kind] * self.type_value[seat & 1][kind][zone]
                self.value[piece][zone] = worth
            for kind in range(ENGINEER, UNKNOWN):
                self.salt = scrambled(self.salt ^ <uint64_t> (self.weight[piece][kind] * 1e6))
            self.salt = scrambled(self.salt ^ self.attackers[piece])
        self.count_all()
        self.finish()

    cdef collect(self, double* flags, double (*found)[TYPES]):
        """By point, how probably a flag stands there; by team, the expected number of each type."""
        cdef int piece, kind
        memset(flags, 0, POINTS * sizeof(double))
        memset(found, 0, 2 * TYPES * sizeof(double))
        for piece in range(1, ALL_PIECES):
            if rules.in_armies(self.board.state.alive, piece):
                flags[self.board.place[piece]] = self.weight[piece][<int> FLAG]
                for kind in range(ENGINEER, UNKNOWN):
                    found[rules.seat_of(piece) & 1][kind] += self.weight[piece][kind]

    cdef double rivals(self, const double* found, int kind) noexcept:
        """How many enemy pieces the worth of a type hangs on: those that beat it; of a bomb, what it may take; of a
        mine, what may dig it; of an engineer, what it may dig."""
        cdef int other
        cdef double count = 0
        if kind == BOMB:
            return found[<int> COMMANDER] + found[<int> COMMANDER - 1] + found[<int> COMMANDER - 2]
        if kind == MINE:
            return found[<int> ENGINEER]
        if kind == ENGINEER:
            return found[<int> MINE]
        if kind == FLAG:
            return 0
        for other in range(kind + 1, COMMANDER + 1):
            count += found[other]
        return count

    def features(self):
        """What the evaluation is linear in, for team 0 less for team 1, in the order of the weights."""
        cdef double flags[POINTS]
        cdef double found[2][TYPES]
        cdef double shares[NODES]
        cdef double made[NUMBER_ROOM]
        cdef double sign
        cdef int seat, piece, kind, zone, i
        memset(made, 0, sizeof(made))
        self.collect(flags, found)
        for piece in range(1, ALL_PIECES):
            seat = rules.seat_of(piece)
            sign = -1 if seat & 1 else 1
            zone = self.zone[seat][self.board.place[piece]]
            for kind in range(ENGINEER, UNKNOWN):
                if rules.in_armies(self.board.state.alive, piece) and self.weight[piece][kind] > 0:
                    spread(self.rivals(found[1 - (seat & 1)], kind), shares)
                    for i in range(NODES):
                        made[kind * NODES + i] += sign * self.weight[piece][kind] * shares[i]
                    made[TYPES * NODES + CLASS_OF[kind] * ZONES + zone] += sign * self.weight[piece][kind]
        made[TYPES * NODES + CLASSES * ZONES] = -1 if self.board.state.turn & 1 else 1
        return [made[i] for i in range(NUMBER_ROOM)]

    def net_term(self):
        """What the net adds to the evaluation for team 0, in logits; 0 without one."""
        return self.net_logit()

    cdef double net_logit(self) noexcept nogil:
        if self.net is None:
            return 0
        return self.signed(self.knower, self.net.output(self.sums, (self.board.state.turn ^ self.knower ^ 1) & 1))

    cdef void finish(self) noexcept nogil:
        """After each change of the board."""
        self.key = self.board.state.key ^ self.salt
        self.side = self.board.state.turn & 1

    cdef double value_of(self, int piece, uint16_t types, int zone) noexcept nogil:
        """The expected worth of a piece that is of one of these types."""
        cdef int kind, team = rules.seat_of(piece) & 1
        cdef double total = 0, sum = 0
        if types == self.base_types[piece]:
            return self.value[piece][zone]
        for kind in range(ENGINEER, UNKNOWN):
            if (types >> kind) & 1:
                total += self.weight[piece][kind]
                sum += self.weight[piece][kind] * self.type_value[team][kind][zone]
        return sum / total if total > 0 else 0

    cdef void count(self, int piece, uint16_t types, int point, int share) noexcept nogil:
        """Add a piece that is of one of these types, share 1, to the evaluation, or take it away, share -1."""
        cdef int seat = rules.seat_of(piece)
        self.balance += share * self.signed(seat, self.value_of(piece, types, self.zone[seat][point]))
        if self.net is not None:
            self.net.add(
                self.sums, (seat ^ self.knower) & 1, self.fold[seat][point], self.zone[seat][point],
                self.weight[piece], types, share,
            )

    cdef void count_all(self) noexcept nogil:
        """Evaluate all pieces."""
        cdef int piece
        self.balance = 0
        memset(self.sums, 0, sizeof(self.sums))
        for piece in range(1, ALL_PIECES):
            if rules.in_armies(self.board.state.alive, piece):
                self.count(piece, self.types[piece], self.board.place[piece], 1)

    def net_pieces(self):
        """What a net sees of each living piece: whether the other team has it, its fold, its zone, and the
        probabilities of its types, times 255, a byte each."""
        cdef int piece, seat, kind
        cdef double total, chance
        found = bytearray()
        for piece in range(1, ALL_PIECES):
            if rules.in_armies(self.board.state.alive, piece):
                seat = rules.seat_of(piece)
                found.append((seat ^ self.knower) & 1)
                found.append(self.fold[seat][self.board.place[piece]])
                found.append(self.zone[seat][self.board.place[piece]])
                total = self.weight_of(piece)
                for kind in range(ENGINEER, UNKNOWN):
                    chance = self.weight[piece][kind] / total if self.types[piece] >> kind & 1 else 0
                    found.append(<int> (chance * 255 + 0.5))
        return bytes(found)

    # ------------------------------------------------------------- the ends of a move

    cdef void add_end(self, double chance, int result, uint16_t attackers, uint16_t defenders) noexcept nogil:
        self.ends[self.end_count] = End(chance, result, False, False, attackers, defenders)
        self.end_count += 1

    cdef void add_clash(self, int attacker, int defender, uint16_t willing) noexcept nogil:
        """List the ends of a clash in which the attacker is of one of these types."""
        cdef double chance[4][2]
        cdef uint16_t left[4][2][2]
        cdef uint16_t defenders = self.types[defender], met
        cdef int a, d, result, fell
        cdef double attack
        memset(chance, 0, sizeof(chance))
        memset(left, 0, sizeof(left))
        for a in range(ENGINEER, BOMB + 1):
            if not (willing >> a) & 1:
                continue
            attack = self.weight[attacker][a]
            for result in range(EAT, BOTH_DIED + 1):
                met = defenders & ENDING[result][a]
                if not met:
                    continue
                for d in range(ENGINEER, UNKNOWN):
                    if (met >> d) & 1:
                        fell = d == FLAG
                        chance[result][fell] += attack * self.weight[defender][d]
                        left[result][fell][0] |= 1 << a
                        left[result][fell][1] |= 1 << d
        for result in range(EAT, BOTH_DIED + 1):
            for fell in range(2):
                if chance[result][fell] > 0 and self.end_count < MAX_ENDS:
                    self.add_end(chance[result][fell], result, left[result][fell][0], left[result][fell][1])
                    self.ends[self.end_count - 1].flag_falls = fell

    # ------------------------------------------------------------- raids: hidden engineers that turn on the rails

    cdef int list_raiders(self, int seat, int target, uint8_t* points) noexcept nogil:
        """Write where the seat's hidden pieces stand that reach a point by rail if they are engineers, and not else."""
        cdef uint8_t found[POINTS]
        cdef int piece, i, count = 0
        for i in range(1, rules.follow_rails(self.board, target, found)):
            piece = self.board.piece_at[found[i]]
            if (
                piece and rules.seat_of(piece) == seat and rules.in_armies(self.board.state.mobile, piece)
                and self.board.type[piece] == UNKNOWN and (self.types[piece] >> ENGINEER) & 1
                and not rules.may_reach(self.board, piece, target)
            ):
                points[count] = found[i]
                count += 1
        return count

    cdef int list_raids(self, bint others, uint32_t* moves) noexcept nogil:
        """Write the moves to a point beside an enemy's flag that a hidden piece has only if it is an engineer."""
        cdef int seat = self.board.state.turn, target, there, raiders, i, k, count = 0
        cdef uint8_t points[POINTS]
        for i in range(self.raid_count[seat]):
            target = self.raids[seat][i]
            there = self.board.piece_at[target]
            if (others and there == 0) or (there and (rules.seat_of(there) ^ seat) & 1):
                raiders = self.list_raiders(seat, target, points)
                for k in range(raiders):
                    moves[count] = <uint32_t> points[k] << 8 | target
                    count += 1
        return count

    cdef bint is_raid(self, uint32_t move) noexcept nogil:
        """Whether a pseudo-legal move is one of these."""
        cdef int piece = self.board.piece_at[move >> 8], zone = self.zone[self.board.state.turn][move & 255]
        if zone != BESIDE_FLAG and zone != BESIDE_HEADQUARTERS:
            return False
        return self.board.type[piece] == UNKNOWN and not rules.may_reach(self.board, piece, move & 255)

    cdef uint16_t able(self, uint32_t move) noexcept nogil:
        """The types with which the piece can make the move."""
        cdef uint16_t types = self.types[self.board.piece_at[move >> 8]]
        return types & 1 << ENGINEER if self.is_raid(move) else types & ~<uint16_t> IMMOBILE

    def legal_moves(self):
        cdef uint32_t moves[MAX_MOVES]
        cdef int count = self.list_raids(True, moves) if self.board.state.verdict == GOES_ON else 0
        return Position.legal_moves(self) + [moves[i] for i in range(count)]

    cdef bint pseudo_legal(self, Move move) noexcept nogil:
        cdef uint32_t moves[MAX_MOVES]
        cdef int i, count
        if Position.pseudo_legal(self, move):
            return True
        count = self.list_raids(True, moves) if self.board.state.verdict == GOES_ON else 0
        for i in range(count):
            if moves[i] == move:
                return True
        return False

    cdef void list_ends(self, uint32_t move) noexcept nogil:
        """Write to `ends` how a move can end, the likeliest first."""
        cdef int attacker = self.board.piece_at[move >> 8], defender = self.board.piece_at[move & 255], i, j
        cdef uint16_t able, willing
        cdef bint raid
        cdef double total, declined = 0
        cdef End end
        if self.ends_move == move and self.ends_key == self.key:
            return
        self.ends_move = move
        self.ends_key = self.key
        self.end_count = 0
        able = self.able(move)
        willing = able
        raid = self.is_raid(move)
        if defender == 0:
            self.add_end(1, MOVE, able if raid else self.types[attacker], 0)
            if not raid:
                return
            self.ends[0].chance = self.weight[attacker][<int> ENGINEER]
            declined = self.weight_of(attacker) - self.ends[0].chance
        elif raid or not single(able):
            willing = able & self.attackers[defender]
            for i in range(ENGINEER, UNKNOWN):
                if (self.types[attacker] >> i) & 1 and not (willing >> i) & 1:
                    declined += self.weight[attacker][i]
            if not willing:
                # Such a move is not generated, unless there is no other.
                willing = able
                declined = 0
        if defender:
            self.add_clash(attacker, defender, willing)
            # The clashes are weighted by both pieces, the refusal by the attacker's types alone.
            declined *= self.weight_of(defender)
        total = 0
        for i in range(self.end_count):
            total += self.ends[i].chance
        if declined > 0:
            self.add_end(declined, MOVE, self.types[attacker] & ~willing, self.types[defender])
            self.ends[self.end_count - 1].declined = True
            total += declined
        # Ends of less than 1 % are not worth a search.
        j = 0
        for i in range(self.end_count):
            if self.ends[i].chance >= 0.01 * total:
                self.ends[j] = self.ends[i]
                j += 1
        self.end_count = j
        total = 0
        for i in range(j):
            total += self.ends[i].chance
        for i in range(j):
            self.ends[i].chance /= total
        for i in range(1, self.end_count):
            j = i
            while j > 0 and self.ends[j].chance > self.ends[j - 1].chance:
                end = self.ends[j]
                self.ends[j] = self.ends[j - 1]
                self.ends[j - 1] = end
                j -= 1

    cdef double weight_of(self, int piece) noexcept nogil:
        cdef int kind
        cdef double total = 0
        for kind in range(ENGINEER, UNKNOWN):
            if (self.types[piece] >> kind) & 1:
                total += self.weight[piece][kind]
        return total

    cdef double gain_expected(self, uint32_t move) noexcept nogil:
        """What the mover wins by a clash, less what it loses, in logits."""
        cdef int i, attacker = self.board.piece_at[move >> 8], defender = self.board.piece_at[move & 255]
        cdef int from_zone, target_zone
        cdef double gain = 0, lost
        cdef End* end
        if defender == 0:
            return 0
        self.list_ends(move)
        from_zone = self.zone[rules.seat_of(attacker)][move >> 8]
        target_zone = self.zone[rules.seat_of(defender)][move & 255]
        for i in range(self.end_count):
            end = &self.ends[i]
            if end.declined:
                continue
            lost = 0
            if end.result != KILLED:
                lost += self.value_of(defender, end.defender_types, target_zone)
            if end.flag_falls:
                lost += 5
            if end.result != EAT:
                lost -= self.value_of(attacker, end.attacker_types, from_zone)
            gain += end.chance * lost
        return gain

    # ------------------------------------------------------------- for Search

    cdef int outcomes(self, Move move, double* chances) noexcept nogil:
        cdef int i
        self.list_ends(move)
        for i in range(self.end_count):
            chances[i] = self.ends[i].chance
        return self.end_count

    cdef bint make(self, Move move) noexcept nogil:
        return self.make_outcome(move, 0)

    cdef bint make_outcome(self, Move move, int which) noexcept nogil:
        cdef End end
        cdef Change* change = &self.changes[self.board.undo_count]
        cdef int attacker = self.board.piece_at[move >> 8], defender = self.board.piece_at[move & 255]
        cdef int living = self.board.state.living
        cdef uint32_t[SEATS] mobile
        cdef bint shows_engineer
        self.list_ends(move)
        end = self.ends[which]
        shows_engineer = (
            not end.declined and end.attacker_types == 1 << ENGINEER
            and self.attackers[attacker] != AGAINST_ENGINEER and rules.turns_on_rails(self.board, move)
        )
        memcpy(mobile, self.board.state.mobile, sizeof(mobile))
        change.attacker = attacker
        change.defender = defender
        change.attacker_types = self.types[attacker]
        change.defender_types = self.types[defender]
        change.attackers = self.attackers[attacker]
        change.defender_attackers = self.attackers[defender]
        change.balance = self.balance
        if self.net is not None:
            memcpy(change.sums, self.sums, sizeof(self.sums))
        change.salt = self.salt
        self.count(attacker, self.types[attacker], move >> 8, -1)
        if end.declined:
            self.count(attacker, end.attacker_types, move >> 8, 1)
            self.retype(attacker, end.attacker_types)
            rules.stay(self.board)
        else:
            if end.result == MOVE or end.result == EAT:
                self.count(attacker, end.attacker_types, move & 255, 1)
            if defender:
                self.count(defender, self.types[defender], move & 255, -1)
                if end.result == KILLED:
                    self.count(defender, end.defender_types, move & 255, 1)
                    self.retype(defender, end.defender_types)
                    self.prove(defender, False, attacker, end.attacker_types)
                elif end.result == EAT:
                    self.retype(attacker, end.attacker_types)
                    self.prove(attacker, True, defender, end.defender_types)
            else:
                self.retype(attacker, end.attacker_types)
            rules.play_to(self.board, move, end.result, rules.seat_of(defender) if end.flag_falls else -1)
        if shows_engineer:
            self.attackers[attacker] = AGAINST_ENGINEER
            # Types have 16 bits, so retype() never mixes in this number.
            self.salt ^= scrambled(<uint64_t> attacker << 32 | 1 << 16)
        # retype() may have taken mobility before the move was noted.
        memcpy(self.board.undo[self.board.undo_count - 1].mobile, mobile, sizeof(mobile))
        if self.board.state.living != living:
            self.count_all()
        self.finish()
        return True

    cdef void prove(self, int piece, bint took, int other, uint16_t other_types) noexcept nogil:
        """What a piece has taken, or whose attack it has stood, shows the enemies what it may be. Nothing here."""

    cdef double signed(self, int seat, double value) noexcept nogil:
        return -value if seat & 1 else value

    cdef void retype(self, int piece, uint16_t types) noexcept nogil:
        """Narrow what a piece can be. What can only be a mine or a flag never moves."""
        if types & ~<uint16_t> IMMOBILE == 0:
            self.board.state.mobile[rules.seat_of(piece)] &= ~(<uint32_t> 1 << ((piece - 1) & 31))
        if types != self.types[piece]:
            self.salt ^= scrambled(<uint64_t> piece << 32 | types) ^ scrambled(
                <uint64_t> piece << 32 | self.types[piece]
            )
            self.types[piece] = types

    cdef void unmake(self) noexcept nogil:
        cdef Change* change
        rules.take_back(self.board)
        change = &self.changes[self.board.undo_count]
        self.types[change.attacker] = change.attacker_types
        self.attackers[change.attacker] = change.attackers
        if change.defender:
            self.types[change.defender] = change.defender_types
            self.attackers[change.defender] = change.defender_attackers
        self.balance = change.balance
        if self.net is not None:
            memcpy(self.sums, change.sums, sizeof(self.sums))
        self.salt = change.salt
        self.finish()

    cdef bint noisy(self, Move move) noexcept nogil:
        """A clash with the piece that has just moved or stood its ground, if it seems to win something."""
        cdef int target = move & 255
        return (
            self.board.piece_at[target] != 0 and self.board.undo_count > 0
            and self.board.state.move != 0 and (self.board.state.move & 255) == target  # 0: its seat passed
            and self.is_willing(move) and self.gain_expected(move) > 0
        )

    cdef bint is_willing(self, Move move) noexcept nogil:
        """Whether a move is not a clash that no type which the piece can be would seek."""
        cdef int defender = self.board.piece_at[move & 255]
        cdef uint16_t able = self.able(move)
        return defender == 0 or (single(able) and not self.is_raid(move)) or able & self.attackers[defender]

    cdef int generate(self, int stage, Move* moves) noexcept nogil:
        cdef int count, i, kept = 0
        cdef bint chosen, blind = self.overlooked and stage == QUIET and self.board.undo_count
        if self.board.state.verdict != GOES_ON:
            return 0
        count = rules.list_moves(self.board, self.board.state.turn, True, stage == QUIET, moves)
        count += self.list_raids(stage == QUIET, moves + count)
        for i in range(count):
            if stage == NOISY:
                chosen = self.noisy(moves[i])
            elif blind and self.overlooks(moves[i]):
                chosen = False
            else:
                chosen = self.board.piece_at[moves[i] & 255] == 0 or (
                    self.is_willing(moves[i]) and not self.noisy(moves[i])
                )
            if chosen:
                moves[kept] = moves[i]
                kept += 1
        if kept == 0 and stage == QUIET:
            # A clash that nobody would seek is better than to have no move.
            count = rules.list_moves(self.board, self.board.state.turn, True, False, moves)
            for i in range(count):
                if not self.noisy(moves[i]):
                    moves[kept] = moves[i]
                    kept += 1
        return kept

    cdef int count_legal(self) noexcept nogil:
        return -1

    cdef void order(self, int stage, const Move* moves, int count, int32_t* scores, int32_t* slots) noexcept nogil:
        cdef int i, piece, seat
        for i in range(count):
            slots[i] = self.history_slot(moves[i])
            if self.board.piece_at[moves[i] & 255]:
                scores[i] = <int32_t> (20000 * self.gain_expected(moves[i]))
            else:
                piece = self.board.piece_at[moves[i] >> 8]
                seat = rules.seat_of(piece)
                scores[i] = <int32_t> (
                    20000 * (
                        self.value_of(piece, self.types[piece], self.zone[seat][moves[i] & 255])
                        - self.value_of(piece, self.types[piece], self.zone[seat][moves[i] >> 8])
                    )
                )

    cdef int gain(self, Move move) noexcept nogil:
        return <int> (5000 * self.gain_expected(move))

    cdef double logit(self) noexcept nogil:
        """What the evaluation says for team 0."""
        return self.balance + (-self.tempo if self.board.state.turn & 1 else self.tempo) + self.net_logit()

    cdef int evaluate(self) noexcept nogil:
        cdef double logit = self.logit(), score, share
        # The second part keeps a slope where the win is nearly sure.
        score = 18000 * tanh(logit / 2) + 1900 * logit / (4 + (logit if logit > 0 else -logit))
        if self.board.quiet_limit:
            # Who is ahead should not let the game run out.
            share = min(<double> self.board.state.quiet / self.board.quiet_limit, 1.0)
            score *= 1 - 0.6 * share * share
        return <int> (-score if self.board.state.turn & 1 else score)

    cdef void make_room(self) noexcept nogil:
        if self.board.undo_count > UNDO_KEPT:
            memmove(&self.changes[0], &self.changes[self.board.undo_count - UNDO_KEPT], UNDO_KEPT * sizeof(Change))
        Position.make_room(self)

    cpdef Game copy(self):
        """An independent copy."""
        cdef BeliefPosition twin = type(self)(self.variant.name)
        memcpy(twin.board, self.board, sizeof(rules.Board))
        memcpy(twin.weight, self.weight, sizeof(self.weight))
        memcpy(twin.base_types, self.base_types, sizeof(self.base_types))
        memcpy(twin.types, self.types, sizeof(self.types))
        memcpy(twin.attackers, self.attackers, sizeof(self.attackers))
        memcpy(twin.exposed, self.exposed, sizeof(self.exposed))
        memcpy(twin.value, self.value, sizeof(self.value))
        memcpy(twin.type_value, self.type_value, sizeof(self.type_value))
        memcpy(twin.zone, self.zone, sizeof(self.zone))
        memcpy(twin.raids, self.raids, sizeof(self.raids))
        memcpy(twin.raid_count, self.raid_count, sizeof(self.raid_count))
        memcpy(twin.changes, self.changes, sizeof(self.changes))
        memcpy(twin.fold, self.fold, sizeof(self.fold))
        memcpy(twin.sums, self.sums, sizeof(self.sums))
        twin.net = self.net
        twin.knower = self.knower
        twin.balance = self.balance
        twin.salt = self.salt
        twin.tempo = self.tempo
        twin.overlooked = self.overlooked
        twin.overlook_seed = self.overlook_seed
        twin.finish()
        return twin
