"""Xiangqi as a match plays it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from match_runner.game import DRAW, FIRST_WINS, SECOND_WINS, BoardGame, PlayedGame, Verdict
from match_runner.notation import PgnWriter
from match_runner.openings import DATA, Opening, OpeningError, legal_moves_of, opening_lines
from match_runner.playback import Board, Playback, xiangqi_board, xiangqi_playback
from match_runner.player import Player
from match_runner.specification import EngineSpecification
from match_runner.time_control import ThinkingLimit
from match_runner.xiangqi_player import XiangqiPlayer
from search_core.failures import reason_of
from search_core.line_protocol import excerpt
from ucci_engine.pgn import PgnError, decode, read_games
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position import Position

_LOST_BY_RULE = {"mate", "stalemate", "perpetual-loss"}
_WON_BY_RULE = {"perpetual-win"}
_FEN_FIELDS = 6


class XiangqiReferee:
    """A game from a position. The reasons of its verdicts are the words of Position.result()."""

    def __init__(self, start: str) -> None:
        self._position = Position(start or START_FEN)

    @property
    def side(self) -> int:
        return self._position.side

    def play(self, move: int) -> None:
        self._position.push(move)

    def verdict(self) -> Verdict | None:
        reason = self._position.result()
        if reason == "ongoing":
            return None
        if reason in _LOST_BY_RULE:
            return Verdict((SECOND_WINS, FIRST_WINS)[self.side], reason)
        if reason in _WON_BY_RULE:
            return Verdict((FIRST_WINS, SECOND_WINS)[self.side], reason)
        return Verdict(DRAW, reason)


class Xiangqi(BoardGame):
    """Openings are lines of moves as UCCI writes them, `h2e2 h9g7`, or FENs, with `moves h2e2 ...` behind or not; or
    the games of a `.pgn` file."""

    sides = ("red", "black")
    shipped_openings = DATA / "openings.txt"

    def terms(self) -> dict[str, Any]:
        return {"game": "xiangqi"}

    def referee(self, start: str) -> XiangqiReferee:
        return XiangqiReferee(start)

    def player(self, specification: EngineSpecification) -> Player:
        return XiangqiPlayer(specification)

    def read_openings(self, path: Path) -> list[Opening]:
        if path.suffix.lower() == ".pgn":
            return _pgn_openings(path)
        openings = []
        for number, words in opening_lines(path):
            start = ""
            if "/" in words[0]:
                at = words.index("moves") if "moves" in words else len(words)
                start, words = _start(path, number, words[:at]), words[at + 1 :]
            openings.append(legal_moves_of(path, number, self, start, words, parse_move))
        return openings

    def move_text(self, move: int) -> str:
        return move_text(move)

    def read_move_text(self, text: str) -> int:
        return parse_move(text)

    def board(self) -> Board:
        return xiangqi_board()

    def playback(self, record: PlayedGame) -> Playback:
        return xiangqi_playback(record)

    def notation_writer(self, path: Path, resumed: bool, limits: Mapping[str, ThinkingLimit]) -> PgnWriter:
        return PgnWriter(path, resumed, limits)


def _start(path: Path, line: int, words: list[str]) -> str:
    """A position as all engines take it, however it was written; '': the start of a game. Raises OpeningError."""
    if len(words) > _FEN_FIELDS:
        got = excerpt(words[_FEN_FIELDS])
        raise OpeningError(f"openings {path}, line {line}: expected 'moves' behind the FEN, got {got}")
    try:
        fen = Position(" ".join(words)).fen()
    except ValueError as error:
        raise OpeningError(f"openings {path}, line {line}: {error}") from None
    return "" if fen == START_FEN else fen


def _pgn_openings(path: Path) -> list[Opening]:
    try:
        games = read_games(decode(path.read_bytes()))
        return [Opening(game.moves, game.line, "" if game.fen == START_FEN else game.fen) for game in games]
    except (OSError, PgnError) as error:
        raise OpeningError(f"openings {path}: {reason_of(error)}") from None
