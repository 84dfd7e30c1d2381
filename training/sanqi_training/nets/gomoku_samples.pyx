"""Positions to learn the order of moves from, out of the games of sanqi_training.selfplay.gomoku."""

from libc.stdint cimport uint8_t, uint32_t

from gomoku_protocol.board cimport FIRST_POINT, STRIDE
from gomoku_protocol.position cimport Position
from search_core.game cimport MATE_BOUND
from sanqi_training.nets.gomoku_samples cimport ROWS, Sample

import struct

from sanqi_training.selfplay.gomoku import RANDOM_MOVE
from sanqi_training.selfplay.player import HEAD

cdef enum:
    MAX_PLIES = ROWS * ROWS

REASONS = ("kept", "under threat", "noisy", "drawn at random", "decided")
"""Why a position is left out, by its number in `tally`: the net orders the quiet moves of sides that are free in what
they play."""

cdef enum Reason:
    KEPT
    UNDER_THREAT
    IS_NOISY
    DRAWN
    DECIDED


cdef class GomokuReplay:
    """Replays games. `tally`: how many positions were kept or left out, by REASONS.

    Parameters
    ----------
    rule, size : int
        As of Position, whose ValueError it raises.
    """

    cdef Position position
    cdef readonly list tally

    def __cinit__(self, int rule, int size):
        self.position = Position(size, size, rule)
        self.tally = [0] * len(REASONS)

    def samples(self, bytes record) -> bytes:
        """The positions of a game that are kept, as Samples in the order of the game. Raises ValueError if it is
        damaged."""
        if len(record) < HEAD.size:
            raise ValueError("a damaged game")
        _, _, opening, plies = HEAD.unpack_from(record)
        if opening + plies > MAX_PLIES or len(record) != HEAD.size + 2 * opening + 4 * plies:
            raise ValueError("a damaged game")
        words = struct.unpack_from(f"<{opening}H{'Hh' * plies}", record, HEAD.size)
        cdef uint32_t[2][ROWS] stones
        cdef int colour, row, move, reason, count = 0, i
        cdef Sample* sample
        room = bytearray(max(plies, 1) * sizeof(Sample))
        cdef uint8_t[::1] bytes_of = room
        sample = <Sample*> &bytes_of[0]
        for colour in range(2):
            for row in range(ROWS):
                stones[colour][row] = 0
        # A new one, since a position keeps what its threat search has found.
        self.position = Position(
            self.position.width, self.position.height, self.position.rule, self.position.evaluator
        )
        for i, word in enumerate(words[:opening] + words[opening::2]):
            move = word & ~<int> RANDOM_MOVE
            if not self.position.is_legal(FIRST_POINT + move):
                raise ValueError("a damaged game")
            colour = self.position.side
            if i >= opening:
                reason = KEPT
                if word != move:
                    reason = DRAWN
                elif self.position.in_check():
                    reason = UNDER_THREAT
                elif self.position.noisy(FIRST_POINT + move):
                    reason = IS_NOISY
                elif abs(<int> words[opening + 2 * (i - opening) + 1]) >= MATE_BOUND:
                    reason = DECIDED
                self.tally[reason] += 1
                if reason == KEPT:
                    sample[count].stones[0] = stones[colour]
                    sample[count].stones[1] = stones[colour ^ 1]
                    sample[count].best = move
                    sample[count].side = colour
                    sample[count].padding = 0
                    count += 1
            stones[colour][move // STRIDE] |= <uint32_t> 1 << move % STRIDE
            if i + 1 < opening + plies:
                self.position.push(FIRST_POINT + move)
        return bytes(room[:count * sizeof(Sample)])
