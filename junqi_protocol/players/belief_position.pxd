from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from junqi_protocol.rules.board cimport ALL_PIECES, POINTS, SEATS, TYPES, UNDO_ROOM
from junqi_protocol.players.evaluation cimport ZONES
from junqi_protocol.players.net cimport NEURONS, JunqiNet
from junqi_protocol.rules.position cimport Position

cdef enum:
    MAX_ENDS = 8   # different ends of one move

cdef uint16_t[4][TYPES] ENDING    # by result and attacker's type: the defender's types with which a clash ends so

# What a move changes besides the board.
cdef struct Change:
    uint16_t attacker_types
    uint16_t defender_types
    uint16_t attackers     # as in BeliefPosition, of the attacker
    uint16_t defender_attackers
    uint8_t attacker
    uint8_t defender
    double balance
    float[NEURONS] sums
    uint64_t salt

# One way in which a move can end.
cdef struct End:
    double chance
    uint8_t result
    bint flag_falls
    bint declined      # the piece is of no type that would attack: its seat passes
    uint16_t attacker_types
    uint16_t defender_types


cdef class BeliefPosition(Position):
    cdef double weight[ALL_PIECES][TYPES]
    cdef uint16_t base_types[ALL_PIECES]   # at the root
    cdef uint16_t types[ALL_PIECES]        # what each piece can still be, bit = type
    cdef uint16_t attackers[ALL_PIECES]    # the types that would attack this piece, as far as their seat knows it
    cdef bint exposed[ALL_PIECES]          # whether expose() said what the enemies believe of it
    cdef double value[ALL_PIECES][ZONES]   # of a piece that can still be all it could be at the root
    cdef double type_value[2][TYPES][ZONES]
    cdef uint8_t zone[SEATS][POINTS]
    cdef uint8_t raids[SEATS][POINTS]      # the rail points beside an enemy's flag, or what may be one
    cdef uint8_t raid_count[SEATS]
    cdef double balance                    # what team 0 has more than team 1, in logits
    cdef uint64_t salt
    cdef double tempo
    cdef JunqiNet net                      # or None
    cdef int knower                        # the team whose knowledge this is
    cdef float[NEURONS] sums               # of the net
    cdef uint8_t fold[SEATS][POINTS]       # of fold_of()
    cdef int overlooked                    # permille of the turns on the rails that are not seen in the tree
    cdef uint64_t overlook_seed
    cdef Change changes[UNDO_ROOM]
    cdef End ends[MAX_ENDS]               # of `ends_move` at `ends_key`
    cdef int end_count
    cdef uint32_t ends_move
    cdef uint64_t ends_key
    cdef bint overlooks(self, uint32_t move) noexcept nogil
    cdef fear(self, int piece, row)
    cdef uint16_t gainers(self, const double* row) noexcept
    cdef void prove(self, int piece, bint took, int other, uint16_t other_types) noexcept nogil
    cdef collect(self, double* flags, double (*found)[TYPES])
    cdef double rivals(self, const double* found, int kind) noexcept
    cdef double weight_of(self, int piece) noexcept nogil
    cdef double signed(self, int seat, double value) noexcept nogil
    cdef void retype(self, int piece, uint16_t types) noexcept nogil
    cdef bint is_willing(self, uint32_t move) noexcept nogil
    cdef int list_raiders(self, int seat, int target, uint8_t* points) noexcept nogil
    cdef int list_raids(self, bint others, uint32_t* moves) noexcept nogil
    cdef bint is_raid(self, uint32_t move) noexcept nogil
    cdef uint16_t able(self, uint32_t move) noexcept nogil
    cdef void list_ends(self, uint32_t move) noexcept nogil
    cdef void add_end(self, double chance, int result, uint16_t attackers, uint16_t defenders) noexcept nogil
    cdef void add_clash(self, int attacker, int defender, uint16_t willing) noexcept nogil
    cdef double value_of(self, int piece, uint16_t types, int zone) noexcept nogil
    cdef void count(self, int piece, uint16_t types, int point, int share) noexcept nogil
    cdef void count_all(self) noexcept nogil
    cdef double gain_expected(self, uint32_t move) noexcept nogil
    cdef double net_logit(self) noexcept nogil
    cdef double logit(self) noexcept nogil
    cdef void finish(self) noexcept nogil
