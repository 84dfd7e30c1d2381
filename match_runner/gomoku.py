"""Gomoku and its relatives as a match plays them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gomoku_protocol import psq
from gomoku_protocol.game_record import RULE_NAMES, RecordError
from gomoku_protocol.points import move_at, parse_point, point_text
from gomoku_protocol.position import Position
from match_runner.game import DRAW, FIRST_WINS, SECOND_WINS, BoardGame, PlayedGame, Verdict
from match_runner.gomocup_player import GomocupPlayer
from match_runner.notation import PsqWriter
from match_runner.openings import DATA, Opening, OpeningError, legal_moves_of, opening_lines
from match_runner.playback import Board, Playback, gomoku_board, gomoku_playback
from match_runner.player import Player
from match_runner.specification import EngineSpecification
from match_runner.time_control import ThinkingLimit
from search_core.failures import reason_of

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
    the middle, the next a column to the right and a row up, and so on. A `.psq` file is one opening.
    """

    sides = ("black", "white")
    shipped_openings = DATA / "gomoku_openings.txt"

    def __init__(self, width: int, height: int, rule: int) -> None:
        self._width = width
        self._height = height
        self._rule = rule

    def terms(self) -> dict[str, Any]:
        return {"game": "gomoku", "rule": RULE_NAMES[self._rule], "size": f"{self._width}x{self._height}"}

    def referee(self, start: str) -> GomokuReferee:
        return GomokuReferee(self._width, self._height, self._rule)

    def player(self, specification: EngineSpecification) -> Player:
        return GomocupPlayer(specification, self._width, self._height, self._rule)

    def read_openings(self, path: Path) -> list[Opening]:
        if path.suffix.lower() == ".psq":
            return [self._psq_opening(path)]
        return [
            legal_moves_of(path, number, self, "", words, self._opening_move) for number, words in opening_lines(path)
        ]

    def _psq_opening(self, path: Path) -> Opening:
        try:
            record = psq.parse(path.read_bytes())
        except (OSError, RecordError) as error:
            raise OpeningError(f"openings {path}: {reason_of(error)}") from None
        if (record.width, record.height) != (self._width, self._height):
            raise OpeningError(
                f"openings {path}: a board of {record.width}x{record.height}, the match is on "
                f"{self._width}x{self._height}"
            )
        words = [f"{stone.x},{stone.y}" for stone in record.moves]
        return legal_moves_of(path, 1, self, "", words, self.read_move_text)

    def _opening_move(self, text: str) -> int:
        offset = _OFFSET.fullmatch(text)
        if offset is None:
            raise ValueError("expected an offset from the middle, as in 1,-2")
        x, y = self._width // 2 + int(offset[1]), self._height // 2 + int(offset[2])
        if not (0 <= x < self._width and 0 <= y < self._height):
            raise ValueError(f"off a board of {self._width}x{self._height}")
        return move_at(x, y)

    def move_text(self, move: int) -> str:
        return point_text(move)

    def read_move_text(self, text: str) -> int:
        return move_at(*parse_point(text))

    def board(self) -> Board:
        return gomoku_board(self._width, self._height)

    def playback(self, record: PlayedGame) -> Playback:
        return gomoku_playback(record, self._width)

    def notation_writer(self, path: Path, resumed: bool, limits: Mapping[str, ThinkingLimit]) -> PsqWriter:
        return PsqWriter(path, resumed, (self._width, self._height))
