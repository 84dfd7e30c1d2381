from libc.stdint cimport uint16_t

from junqi_protocol.players.belief_position cimport BeliefPosition
from junqi_protocol.rules.board cimport ALL_PIECES, TYPES

cdef class FullStrengthPosition(BeliefPosition):
    # As BeliefPosition.attackers, of a piece of the player's that has taken one of a type, or stood its attack.
    cdef uint16_t attackers_after[ALL_PIECES][2][TYPES]
    cdef uint16_t proven(self, const double* row, uint16_t types, uint16_t otherwise) noexcept
    cdef double hanging(self) noexcept nogil
    cdef double best_capture(self, int target, int seats) noexcept nogil
