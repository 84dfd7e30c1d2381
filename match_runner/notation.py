"""Games of a match in the formats that other programs read: PGN for Xiangqi, `.psq` for Gomoku, `.jgr` for Junqi."""

from __future__ import annotations

import contextlib
import datetime
from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import chain, repeat
from pathlib import Path
from typing import IO

from gomoku_protocol import psq
from gomoku_protocol.game_record import GameRecord as GomokuRecord
from gomoku_protocol.game_record import Stone
from gomoku_protocol.points import point_of
from junqi_protocol.records import SUFFIX as JGR
from match_runner.game import MoveStats, PlayedGame
from match_runner.time_control import ThinkingLimit
from ucci_engine.pgn import PgnGame, game_text
from ucci_engine.points import START_FEN

_EVENT = "sanqi match"


class PgnWriter:
    """Xiangqi: one file. Going on with a match begins it anew: the games so far are added once more. Raises OSError."""

    def __init__(self, path: Path, resumed: bool, limits: Mapping[str, ThinkingLimit]) -> None:
        self._limits = limits
        self._file: IO[str] = path.open("w" if resumed else "x", encoding="utf-8")
        self._date = datetime.date.today().strftime("%Y.%m.%d")

    def add(self, number: int, record: PlayedGame) -> None:
        red, black = record.names
        tags = {"Event": _EVENT, "Site": "?", "Date": self._date, "Round": str(number), "Red": red, "Black": black}
        tags |= {"Result": record.result, "Termination": record.detail or record.reason}
        of_red, of_black = (self._limits[name].pgn_text() for name in record.names)
        if of_red == of_black:
            tags["TimeControl"] = of_red
        else:
            tags |= {"RedTimeControl": of_red, "BlackTimeControl": of_black}
        fen = record.opening.start or START_FEN
        self._file.write(game_text(PgnGame(tags, fen, record.moves, _comments(record), record.result, 0)))
        self._file.flush()

    def close(self) -> None:
        with contextlib.suppress(OSError):  # what could not be written has been told
            self._file.close()


def _comments(record: PlayedGame) -> tuple[str, ...]:
    """For each move, what its engine said of it: `+0.35/12 0.103s`, pawns, plies and seconds."""
    known = [_comment(stats) for stats in record.move_stats]
    opening = len(record.opening.moves)
    return tuple([""] * opening + known[: len(record.moves) - opening])


def _comment(stats: MoveStats) -> str:
    words = []
    if stats.score_cp is not None:
        words.append(f"{stats.score_cp / 100:+.2f}/{stats.depth}")
    return " ".join([*words, f"{stats.time_ms / 1000:.3f}s"])


class FolderWriter(ABC):
    """A folder with a file for each game. Raises OSError."""

    suffix: str

    def __init__(self, path: Path, resumed: bool) -> None:
        path.mkdir(exist_ok=resumed)
        self._folder = path

    def add(self, number: int, record: PlayedGame) -> None:
        self._folder.joinpath(f"game{number:05}{self.suffix}").write_bytes(self._text(record))

    def close(self) -> None:  # noqa: B027 - for those who keep a file open
        """Nothing is open between games."""

    @abstractmethod
    def _text(self, record: PlayedGame) -> bytes:
        """What is in the file of a game."""


class PsqWriter(FolderWriter):
    """Gomoku, as Piskvork writes it."""

    suffix = ".psq"

    def __init__(self, path: Path, resumed: bool, size: tuple[int, int]) -> None:
        super().__init__(path, resumed)
        self._size = size

    def _text(self, record: PlayedGame) -> bytes:
        times = [0] * len(record.opening.moves) + [round(stats.time_ms) for stats in record.move_stats]
        stones = tuple(
            Stone(number % 2, *point_of(move), time_ms)
            for number, (move, time_ms) in enumerate(zip(record.moves, chain(times, repeat(0))))
        )
        first, second = (name.replace(",", " ") for name in record.names)  # 8,8,5 would be a move
        return psq.serialise(GomokuRecord(*self._size, stones, names=(first, second)))


class JgrWriter(FolderWriter):
    """Junqi, the referee's own records."""

    suffix = JGR

    def _text(self, record: PlayedGame) -> bytes:
        return record.notation.encode("ascii")
