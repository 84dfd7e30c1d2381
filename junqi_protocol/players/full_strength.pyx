"""The Junqi position as full strength searches it.

It also counts what hangs and what a clash shows to the enemies, and takes what wins clearly wherever it is. The levels
below do without, as they were calibrated. docs/measurements.md has what each gained.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from junqi_protocol.players.belief_position cimport ENDING, BeliefPosition
from junqi_protocol.rules cimport board as rules
from junqi_protocol.rules.board cimport (
    BOMB, BOTH_DIED, CAMP, EAT, ENGINEER, KILLED, MOVE, SEATS, TYPES, UNKNOWN,
)
from search_core.game cimport Game, Move
from search_core.splitmix cimport scrambled

cdef enum:
    # As many plies a hanging piece is looked for: each seat's last move, without that of the seat on turn.
    LAST_PLIES = SEATS - 1
    PROOF = 1 << 17  # in the salt, unlike types
    # In the units of order(), 20,000 to a logit. What gains more than 0.01 logits comes before all that does not.
    GAINS = 200
    BEFORE_OTHERS = 200000

cdef double CLEAR_GAIN = 0.04  # logits; quiescence takes what gains more wherever it is, after a move without a clash


cdef class FullStrengthPosition(BeliefPosition):
    """A BeliefPosition whose evaluation and tree know of exchanges."""

    def expose(self, int point, row) -> None:
        """Say what the enemies believe of the player's piece on a point."""
        cdef int piece = self.board.piece_at[point], kind, taker
        cdef double[TYPES] chances = [row[kind] if 0 < kind < UNKNOWN else 0 for kind in range(TYPES)]
        cdef uint16_t types
        BeliefPosition.expose(self, point, row)
        for kind in range(TYPES):
            types = 0
            for taker in range(ENGINEER, BOMB):
                types |= (ENDING[<int> EAT][taker] >> kind & 1) << taker
            self.attackers_after[piece][0][kind] = self.proven(chances, types, self.attackers[piece])
            self.attackers_after[piece][1][kind] = self.proven(
                chances, ENDING[<int> KILLED][kind], self.attackers[piece]
            )

    cdef uint16_t proven(self, const double* row, uint16_t types, uint16_t otherwise) noexcept:
        """The types that gain by an attack on a piece that must be of these types; `otherwise`: if it cannot be."""
        cdef double left[TYPES]
        cdef double total = 0
        cdef int kind
        for kind in range(TYPES):
            left[kind] = row[kind] if (types >> kind) & 1 else 0
            total += left[kind]
        return self.gainers(left) if total > 0 else otherwise

    cdef void prove(self, int piece, bint took, int other, uint16_t other_types) noexcept nogil:
        cdef int kind, met = 0
        cdef double most = -1
        cdef uint16_t found
        if not self.exposed[piece]:
            return
        # The enemies know what it was; we take its likeliest type.
        for kind in range(ENGINEER, UNKNOWN):
            if (other_types >> kind) & 1 and self.weight[other][kind] > most:
                most = self.weight[other][kind]
                met = kind
        found = self.attackers_after[piece][0 if took else 1][met]
        if found != self.attackers[piece]:
            self.salt ^= scrambled(<uint64_t> piece << 32 | PROOF | found) ^ scrambled(
                <uint64_t> piece << 32 | PROOF | self.attackers[piece]
            )
            self.attackers[piece] = found

    cdef bint noisy(self, Move move) noexcept nogil:
        """As in BeliefPosition; after a move without a clash or an attack that was not made, also what wins clearly."""
        cdef rules.State* state = &self.board.state
        if self.board.piece_at[move & 255] == 0 or self.board.undo_count == 0:
            return False
        if state.move and (state.move & 255) == (move & 255):
            return BeliefPosition.noisy(self, move)
        return (
            (state.move == 0 or state.result == MOVE)  # 0: its seat passed
            and self.is_willing(move) and self.gain_expected(move) > CLEAR_GAIN
        )

    cdef void order(self, int stage, const Move* moves, int count, int32_t* scores, int32_t* slots) noexcept nogil:
        cdef int i
        BeliefPosition.order(self, stage, moves, count, scores, slots)
        for i in range(count):
            if scores[i] > GAINS and self.board.piece_at[moves[i] & 255]:
                scores[i] += BEFORE_OTHERS

    cdef double logit(self) noexcept nogil:
        return BeliefPosition.logit(self) + self.hanging()

    cdef double hanging(self) noexcept nogil:
        """What team 0 gains by the pieces that moved last, in logits: an enemy takes one before it can move again.

        Quiescence tries captures of the seat on turn alone; what it can take where the last move ended is left to it.
        With two seats nothing is left.
        """
        cdef int ply, own, seat, movers, target, turn = self.board.state.turn
        cdef rules.State* state
        cdef double total = 0
        if self.board.geometry.seats == 2:
            return 0
        for ply in range(min(<int> LAST_PLIES, self.board.undo_count)):
            state = &self.board.state if ply == 0 else &self.board.undo[self.board.undo_count - ply]
            target = state.move & 255
            if (
                state.move == 0 or state.result == KILLED or state.result == BOTH_DIED
                or self.board.piece_at[target] != state.attacker or self.board.geometry.kind[target] & CAMP
            ):
                continue
            own = rules.seat_of(state.attacker)
            movers = 0
            seat = turn
            while seat != own:
                if (seat ^ own) & 1 and (self.board.state.living >> seat) & 1 and (ply or seat != turn):
                    movers |= 1 << seat
                seat = (seat + 1) % self.board.geometry.seats
            if movers:
                total -= self.signed(own, self.best_capture(target, movers))
        return total

    cdef double best_capture(self, int target, int seats) noexcept nogil:
        """What one of these seats gains by its best attack on a point, in logits; at least 0."""
        cdef const rules.Geometry* geometry = self.board.geometry
        cdef const rules.Line* line
        cdef uint8_t origins[16]
        cdef int count = 0, turn = self.board.state.turn, i, k, piece, seat
        cdef double best = 0
        cdef uint32_t move
        # Roads and rails lead both ways. An engineer that turns is not looked for.
        for i in range(geometry.road_count[target]):
            origins[count] = geometry.road[target][i]
            count += 1
        for i in range(geometry.line_count[target]):
            line = &geometry.line[target][i]
            for k in range(line.length):
                if self.board.piece_at[line.point[k]]:
                    if k >= line.named:
                        origins[count] = line.point[k]
                        count += 1
                    break
        for i in range(count):
            piece = self.board.piece_at[origins[i]]
            if not piece:
                continue
            seat = rules.seat_of(piece)
            if (seats >> seat) & 1 and rules.in_armies(self.board.state.mobile, piece):
                move = <uint32_t> origins[i] << 8 | <uint32_t> target
                self.board.state.turn = seat  # the ends of a move are those of the seat on turn
                if self.is_willing(move):
                    best = max(best, self.gain_expected(move))
                self.board.state.turn = turn
        return best

    cpdef Game copy(self):
        """An independent copy."""
        cdef FullStrengthPosition twin = BeliefPosition.copy(self)
        memcpy(twin.attackers_after, self.attackers_after, sizeof(self.attackers_after))
        return twin
