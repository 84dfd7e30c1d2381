"""Xiangqi in a match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from board_pages.drawing import BoardDrawing, point_digits
from board_pages.playback import Playback
from engine_client.player import Player
from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from match_runner.game import BoardGame, MoveStats, PlayedGame
from match_runner.openings import Opening, OpeningError, legal_moves_of, opening_lines
from search_core.failures import SetUpError, named
from search_core.growing_file import GrowingFile
from search_core.input_file import open_input, read_input
from ucci_engine.drawing import fen_pieces, xiangqi_board
from ucci_engine.game_record import GameRecord
from ucci_engine.match_player import XiangqiPlayer
from ucci_engine.pgn import game_text
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position_command import read_argument
from ucci_engine.records import POSITION, RECORD_FORMATS, RecordError, read_file
from ucci_engine.rule_sets import COMPUTER, QUIET_LIMIT
from ucci_engine.session import XiangqiSession

_EVENT = "sanqi match"


class Xiangqi(BoardGame):
    """An opening is a line of moves as UCCI writes them, `h2e2 h9g7`, or a position as hosts write it, such as a FEN,
    optionally followed by `moves h2e2 ...`; or a game of a file that records.py reads."""

    shipped_openings: Path = Path(__file__).parent / "data" / "openings.txt"
    openings_command = "sanqi openings xiangqi"

    def __init__(self, repetition_rule: str = COMPUTER, quiet_limit: int | None = QUIET_LIMIT) -> None:
        """How the games are judged: see Position.set_rules()."""
        super().__init__("xiangqi", "ucci_engine.session:XiangqiSession")
        self._repetition_rule = repetition_rule
        self._quiet_limit = quiet_limit

    def terms(self) -> dict[str, Any]:
        terms = super().terms()
        if (self._repetition_rule, self._quiet_limit) != (COMPUTER, QUIET_LIMIT):
            terms |= {"repetition_rule": self._repetition_rule, "quiet_limit": self._quiet_limit}
        return terms

    def open(self, start: str = "") -> XiangqiSession:
        return XiangqiSession(start or START_FEN, repetition_rule=self._repetition_rule, quiet_limit=self._quiet_limit)

    def player(self, specification: EngineSpecification) -> Player:
        return XiangqiPlayer(specification, self.open)

    def read_openings(self, path: Path) -> Iterator[Opening]:
        if any(path.suffix.lower() in each.suffixes for each in RECORD_FORMATS if each is not POSITION):
            yield from _recorded_openings(path)
            return
        for number, words in opening_lines(path):
            if "/" in words[0] or words[0].lower() in ("position", "fen", "startpos"):
                yield _described_opening(path, number, " ".join(words))
            else:
                yield legal_moves_of(path, number, self, "", words, self.read_move)

    def read_move(self, text: str) -> str:
        return move_text(parse_move(text))

    def board(self) -> BoardDrawing:
        return xiangqi_board()

    def playback(self, record: PlayedGame) -> Playback:
        moves = map(parse_move, record.moves)
        plies = " ".join(f"m{point_digits(move & 127)}{point_digits(move >> 7)}" for move in moves)
        return Playback(plies, fen_pieces(record.opening.start) if record.opening.start else "")

    def notation_writer(self, path: Path, resumed: bool, limits: Mapping[str, ThinkingLimit]) -> PgnWriter:
        return PgnWriter(path, resumed, limits)


def _described_opening(path: Path, line: int, text: str) -> Opening:
    """The opening of a line that names its start. Raises OpeningError."""
    with named(f"openings {path}, line {line}", SetUpError, OpeningError):
        given = read_argument(text)
    return Opening(tuple(map(move_text, given.moves)), line, "" if given.start == START_FEN else given.start)


def _recorded_openings(path: Path) -> list[Opening]:
    with named(f"openings {path}", (OSError, RecordError), OpeningError):
        games = read_file(read_input(path), path.name)
        return [
            Opening(tuple(map(move_text, game.moves)), game.line or number, "" if game.fen == START_FEN else game.fen)
            for number, game in enumerate(games, 1)
        ]


class PgnWriter:
    """Writes one PGN file. A resumed match gives all games again: what the file has already stays there, so a full disk
    takes no game from it. Raises OSError."""

    def __init__(self, path: Path, resumed: bool, limits: Mapping[str, ThinkingLimit]) -> None:
        self._limits = limits
        self._had = open_input(path) if resumed and path.is_file() else None
        """The file as it was, behind the games that were given again; None: something else follows there."""
        self._file = GrowingFile(path, "r+b" if self._had is not None else "wb" if resumed else "xb")

    def add(self, number: int, record: PlayedGame) -> None:
        red, black = record.names
        date = record.date.replace("-", ".") or "????.??.??"
        tags = {"Event": _EVENT, "Site": "?", "Date": date, "Round": str(number), "Red": red, "Black": black}
        tags |= {"Result": record.result, "Termination": record.detail or record.reason}
        of_red, of_black = (self._limits[name].pgn_text() for name in record.names)
        if of_red == of_black:
            tags["TimeControl"] = of_red
        else:
            tags |= {"RedTimeControl": of_red, "BlackTimeControl": of_black}
        fen = record.opening.start or START_FEN
        moves = tuple(map(parse_move, record.moves))
        text = game_text(GameRecord.of_line(tags, fen, moves, _comments(record), record.result)).encode()
        if self._had is not None:
            whole = self._had.tell()
            if self._had.read(len(text)) == text:
                return
            self._had.close()
            self._had = None
            self._file.file.truncate(whole)
        self._file.append(text)

    def close(self) -> None:
        if self._had is not None:
            self._had.close()
        self._file.close()


def _comments(record: PlayedGame) -> tuple[str, ...]:
    """A comment for each move, from its engine's report: `+0.35/12 0.103s`, pawns, plies and seconds."""
    known = [_comment(stats) for stats in record.move_stats]
    opening = len(record.opening.moves)
    return tuple([""] * opening + known[: len(record.moves) - opening])


def _comment(stats: MoveStats) -> str:
    words = []
    if stats.score_cp is not None:
        words.append(f"{stats.score_cp / 100:+.2f}/{stats.depth}")
    return " ".join([*words, f"{round(stats.time_ms, 2) / 1000:.3f}s"])  # as from the file of the match
