"""Xiangqi as a match plays it."""

from __future__ import annotations

from match_runner.game import DRAW, FIRST_WINS, SECOND_WINS, BoardGame, Verdict
from match_runner.openings import DATA
from match_runner.player import Player
from match_runner.specification import EngineSpecification
from match_runner.xiangqi_player import XiangqiPlayer
from ucci_engine.position import Position
from ucci_engine.squares import move_text, parse_move

_LOST_BY_RULE = {"mate", "stalemate", "perpetual-loss"}
_WON_BY_RULE = {"perpetual-win"}


class XiangqiReferee:
    """A game from the start position. The reasons of its verdicts are the words of Position.result()."""

    def __init__(self) -> None:
        self._position = Position()

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
    """Openings are moves as UCCI writes them: `h2e2 h9g7`."""

    sides = ("red", "black")
    shipped_openings = DATA / "openings.txt"

    def referee(self) -> XiangqiReferee:
        return XiangqiReferee()

    def player(self, specification: EngineSpecification) -> Player:
        return XiangqiPlayer(specification)

    def opening_move(self, text: str) -> int:
        return parse_move(text)

    def move_text(self, move: int) -> str:
        return move_text(move)
