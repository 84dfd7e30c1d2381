"""Gomoku and its relatives as a match plays them."""

from __future__ import annotations

import re

from gomoku_protocol.points import move_at, point_text
from gomoku_protocol.position import Position
from match_runner.game import DRAW, FIRST_WINS, SECOND_WINS, BoardGame, Verdict
from match_runner.gomocup_player import GomocupPlayer
from match_runner.openings import DATA
from match_runner.player import Player
from match_runner.specification import EngineSpecification

_OFFSET = re.compile(r"(-?\d{1,2}),(-?\d{1,2})", re.ASCII)


class GomokuReferee:
    """A game on an empty board. Verdicts: 'five' as the rule counts it, 'full-board'."""

    def __init__(self, width: int, height: int, rule: int) -> None:
        self._position = Position(width, height, rule)

    @property
    def side(self) -> int:
        return self._position.side

    def play(self, move: int) -> None:
        self._position.push(move)

    def verdict(self) -> Verdict | None:
        winner = self._position.winner
        if winner is not None:
            return Verdict((FIRST_WINS, SECOND_WINS)[winner], "five")
        return Verdict(DRAW, "full-board") if self._position.full else None


class Gomoku(BoardGame):
    """One rule of `gomoku_protocol.points.RULES` on a board of `width` times `height`.

    Openings are stones, Black's and White's in turn, as offsets from the middle of the board: `0,0 1,-1 2,0` is one on
    the middle, the next a column to the right and a row up, and so on.
    """

    sides = ("black", "white")
    shipped_openings = DATA / "gomoku_openings.txt"

    def __init__(self, width: int, height: int, rule: int) -> None:
        self._width = width
        self._height = height
        self._rule = rule

    def referee(self) -> GomokuReferee:
        return GomokuReferee(self._width, self._height, self._rule)

    def player(self, specification: EngineSpecification) -> Player:
        return GomocupPlayer(specification, self._width, self._height, self._rule)

    def opening_move(self, text: str) -> int:
        offset = _OFFSET.fullmatch(text)
        if offset is None:
            raise ValueError("expected an offset from the middle, as in 1,-2")
        x, y = self._width // 2 + int(offset[1]), self._height // 2 + int(offset[2])
        if not (0 <= x < self._width and 0 <= y < self._height):
            raise ValueError(f"off a board of {self._width}x{self._height}")
        return move_at(x, y)

    def move_text(self, move: int) -> str:
        return point_text(move)
