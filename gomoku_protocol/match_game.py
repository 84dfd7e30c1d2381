"""Gomoku and its variants in a match."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from board_pages.drawing import BoardDrawing, point_digits
from board_pages.playback import Playback
from engine_client.player import Player
from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from gomoku_protocol import psq
from gomoku_protocol.drawing import gomoku_board
from gomoku_protocol.game_record import RULE_NAMES, GameRecord, RecordError, Stone
from gomoku_protocol.match_player import GomocupPlayer
from gomoku_protocol.points import parse_point
from gomoku_protocol.session import GomokuSession
from match_runner.game import BoardGame, PlayedGame
from match_runner.notation import FolderWriter
from match_runner.openings import Opening, OpeningError, legal_moves_of, opening_lines
from search_core.failures import named
from search_core.input_file import read_input
from search_core.line_protocol import excerpt

_OFFSET = re.compile(r"(-?\d{1,2}),(-?\d{1,2})", re.ASCII)


class Gomoku(BoardGame):
    """One rule of `gomoku_protocol.points.RULES` on a board of `width` times `height`.

    Openings are stones, of Black and White in turn, as offsets from the middle of the board. In `0,0 1,-1 2,0` the
    first is in the middle and the second one column to the right and one row up. A `.psq` file is one opening.
    """

    shipped_openings: Path = Path(__file__).parent / "data" / "openings.txt"

    def __init__(self, width: int, height: int, rule: int) -> None:
        super().__init__("gomoku", "gomoku_protocol.session:GomokuSession")
        self._width = width
        self._height = height
        self._rule = rule
        self.openings_command = f"sanqi openings gomoku --rule {RULE_NAMES[rule]} --size {width}x{height}"

    def terms(self) -> dict[str, Any]:
        return {**super().terms(), "rule": RULE_NAMES[self._rule], "size": f"{self._width}x{self._height}"}

    def open(self, start: str = "") -> GomokuSession:
        if start:
            raise ValueError(f"{excerpt(start)}: a match of Gomoku has no start positions, only openings")
        return GomokuSession(self._width, self._height, self._rule)

    def player(self, specification: EngineSpecification) -> Player:
        return GomocupPlayer(specification, self._width, self._height, self._rule)

    def read_openings(self, path: Path) -> Iterator[Opening]:
        if path.suffix.lower() == ".psq":
            yield self._psq_opening(path)
            return
        for number, words in opening_lines(path):
            yield legal_moves_of(path, number, self, "", words, self._opening_move)

    def _psq_opening(self, path: Path) -> Opening:
        with named(f"openings {path}", (OSError, RecordError), OpeningError):
            record = psq.parse(read_input(path))
        if (record.width, record.height) != (self._width, self._height):
            raise OpeningError(
                f"openings {path}: a board of {record.width}x{record.height}, the match is on "
                f"{self._width}x{self._height}"
            )
        words = [f"{stone.x},{stone.y}" for stone in record.moves]
        return legal_moves_of(path, 1, self, "", words, self.read_move)

    def _opening_move(self, text: str) -> str:
        offset = _OFFSET.fullmatch(text.removesuffix(","))  # Piskvork and c-gomoku-cli write 0,0, 1,-2
        if offset is None:
            raise ValueError("expected an offset from the middle, as in 1,-2")
        x, y = self._width // 2 + int(offset[1]), self._height // 2 + int(offset[2])
        if not (0 <= x < self._width and 0 <= y < self._height):
            raise ValueError(f"off a board of {self._width}x{self._height}")
        return f"{x},{y}"

    def read_move(self, text: str) -> str:
        x, y = parse_point(text)
        return f"{x},{y}"

    def board(self) -> BoardDrawing:
        return gomoku_board(self._width, self._height)

    def playback(self, record: PlayedGame) -> Playback:
        plies = []
        for number, move in enumerate(record.moves):
            x, y = parse_point(move)
            plies.append(f"p{point_digits(y * self._width + x)}{number % 2}")
        return Playback(" ".join(plies))

    def notation_writer(self, path: Path, resumed: bool, limits: Mapping[str, ThinkingLimit]) -> PsqWriter:
        return PsqWriter(path, resumed, (self._width, self._height))


class PsqWriter(FolderWriter):
    """Writes .psq files, as Piskvork does."""

    suffix = ".psq"

    def __init__(self, path: Path, resumed: bool, size: tuple[int, int]) -> None:
        super().__init__(path, resumed)
        self._size = size

    def _text(self, record: PlayedGame) -> bytes:
        times = [0] * len(record.opening.moves) + [round(stats.time_ms) for stats in record.move_stats]
        stones = tuple(
            Stone(number % 2, *parse_point(move), time_ms)
            for number, (move, time_ms) in enumerate(zip(record.moves, chain(times, repeat(0))))
        )
        first, second = (name.replace(",", " ") for name in record.names)  # 8,8,5 would be a move
        return psq.serialise(GameRecord(*self._size, stones, names=(first, second)))
