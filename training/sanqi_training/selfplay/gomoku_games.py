"""Reading the games of Gomoku that `sanqi-train selfplay gomoku` has kept."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gomoku_protocol.points import move_at
from gomoku_protocol.position import Position
from sanqi_training.selfplay.gomoku import ENDS, RANDOM_MOVE
from sanqi_training.selfplay.player import HEAD
from sanqi_training.selfplay.store import StoreError, read_blocks, read_header

_FIRST_MOVE = int(move_at(0, 0))


class PlayedGame(NamedTuple):
    """A game. The moves are those of `Position`."""

    rule: int
    size: int
    opening: list[int]
    moves: list[int]
    """Those after the opening. The last one is not played if a forced win was seen."""
    scores: list[int]
    """Of what the search found at each of them, centipawns for the side that moves."""
    random: list[bool]
    """Which of them were drawn at random, in place of what the search found."""
    result: int
    """Black's: 0 lost, 1 drawn, 2 won."""
    end: str
    """One of ENDS."""

    def replay(self) -> Iterator[tuple[Position, int, int]]:
        """Each position that was searched, its move and its score. The position is one object, which moves on."""
        position = Position(self.size, self.size, self.rule)
        for move in self.opening:
            position.push(move)
        for move, score in zip(self.moves, self.scores, strict=True):
            yield position, move, score
            position.push(move)


def read_games(path: Path) -> Iterator[PlayedGame]:
    """The games of a file. Raises StoreError, OSError."""
    header = read_header(path)
    if header.get("game") != "gomoku" or header.get("record") != 1:
        raise StoreError(f"{path}: games of {header.get('game')}, record {header.get('record')}")
    for _, games in read_blocks(path):
        for game in games:
            result, end, opening, plies = HEAD.unpack_from(game.record)
            words = struct.unpack_from(f"<{opening}H{'Hh' * plies}", game.record, HEAD.size)
            played = words[opening::2]
            yield PlayedGame(
                header["rule"],
                header["size"],
                opening=[move + _FIRST_MOVE for move in words[:opening]],
                moves=[(move & ~RANDOM_MOVE) + _FIRST_MOVE for move in played],
                scores=list(words[opening + 1 :: 2]),
                random=[bool(move & RANDOM_MOVE) for move in played],
                result=result,
                end=ENDS[end],
            )
