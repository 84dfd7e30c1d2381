"""Positions to learn from, out of the games of sanqi_training.selfplay.xiangqi."""

from libc.stdint cimport uint8_t
from libc.string cimport memcpy

from ucci_engine.board cimport RED, State
from ucci_engine.position cimport Position

import struct

from sanqi_training.selfplay.player import HEAD
from ucci_engine.rule_sets import QUIET_LIMIT

cdef enum:
    MAX_PLIES = 1024
    MAX_CP = 3000
    # Near a repetition or a draw by the quiet limit, what follows depends on more than the board.
    RULED_PLIES = 8

REASONS = ("kept", "in check", "capture", "decided", "near a repetition", "near the quiet limit")
"""Why a position is left out, by its number in `tally`."""

cdef enum Reason:
    KEPT
    IN_CHECK
    CAPTURE
    DECIDED
    REPETITION
    QUIET

SAMPLE_BYTES = sizeof(Sample)


cdef class XiangqiReplay:
    """Replays games. `tally`: how many positions were kept or left out, by REASONS."""

    cdef Position position
    cdef readonly list tally

    def __cinit__(self):
        self.position = Position()
        self.tally = [0] * len(REASONS)

    def samples(self, bytes record) -> bytes:
        """The positions of a game that are kept, as Samples in the order of the game. Raises ValueError if it is
        damaged."""
        if len(record) < HEAD.size:
            raise ValueError("a damaged game")
        red, _, opening, plies = HEAD.unpack_from(record)
        if plies > MAX_PLIES or len(record) != HEAD.size + 2 * opening + 4 * plies:
            raise ValueError("a damaged game")
        moves = struct.unpack_from(f"<{opening}H", record, HEAD.size)
        pairs = struct.unpack_from(f"<{'Hh' * plies}", record, HEAD.size + 2 * opening)
        while self.position.length:
            self.position.pop()
        for move in moves:
            self.position.push(move)
        cdef uint8_t[MAX_PLIES] reasons
        cdef Sample* sample
        cdef const State* state
        cdef int ply, near, count = 0
        room = bytearray(max(plies, 1) * SAMPLE_BYTES)
        cdef uint8_t[::1] bytes_of = room
        sample = <Sample*> &bytes_of[0]
        met = {self.position.key}
        for ply in range(plies):
            reasons[ply] = KEPT
        for ply in range(plies):
            state = &self.position.states[self.position.length]
            move = pairs[2 * ply]
            score = pairs[2 * ply + 1]
            if not self.position.is_legal(move):
                raise ValueError("a damaged game")
            memcpy(sample[ply].squares, &state.board.square[<int> RED], PIECES)
            sample[ply].side = self.position.side
            sample[ply].result = 2 - red if self.position.side else red
            sample[ply].score = score
            sample[ply].ply = opening + ply
            sample[ply].padding = 0
            if reasons[ply] == KEPT:
                if self.position.in_check():
                    reasons[ply] = IN_CHECK
                elif self.position.noisy(move):
                    reasons[ply] = CAPTURE
                elif abs(score) >= MAX_CP:
                    reasons[ply] = DECIDED
                elif state.halfmove_clock + RULED_PLIES >= QUIET_LIMIT:
                    reasons[ply] = QUIET
            self.position.push(move)
            if self.position.key in met:
                for near in range(max(ply + 1 - RULED_PLIES, 0), min(ply + 2 + RULED_PLIES, plies)):
                    reasons[near] = REPETITION
            met.add(self.position.key)
        for ply in range(plies):
            self.tally[reasons[ply]] += 1
            if reasons[ply] == KEPT:
                sample[count] = sample[ply]
                count += 1
        return bytes(room[:count * SAMPLE_BYTES])
