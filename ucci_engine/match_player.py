"""An engine that plays Xiangqi over UCCI or UCI."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from engine_client.dialects import position_command
from engine_client.engine_options import OptionList
from engine_client.specification import EngineSpecification
from engine_client.uci_player import UciPlayer
from game_core.session import Session
from ucci_engine.points import RANKS_FROM_0, RANKS_FROM_1, START_FEN, VARIANT_RANKS, move_text, parse_move
from ucci_engine.quiet_moves import QuietMoves
from ucci_engine.session import XiangqiSession


def open_xiangqi(start: str = "") -> XiangqiSession:
    """A game from a FEN ('': the start of a game), under the usual rules. Raises FenError for a wrong FEN."""
    return XiangqiSession(start or START_FEN)


class XiangqiPlayer(UciPlayer):
    """A program that may count the ranks from 1. Over UCCI it gets the game from its last capture."""

    def __init__(
        self, specification: EngineSpecification, open_session: Callable[[str], Session] = open_xiangqi
    ) -> None:
        super().__init__(specification, open_session)
        self._ranks = specification.ranks or RANKS_FROM_0
        self._quiet_moves: QuietMoves | None = None

    def read_move(self, text: str) -> str:
        return move_text(parse_move(text, self._ranks))

    def write_move(self, move: str) -> str:
        return move if self._ranks == RANKS_FROM_0 else _with_ranks_from_1(move)

    def _position(self, moves: Sequence[str]) -> str:
        start = f"fen {self._start}" if self._start else "startpos"
        if self.specification.protocol == "ucci":
            # UCCI asks for the position after the last capture and the quiet moves since: lines stay short.
            if self._quiet_moves is None or self._quiet_moves.start != self._start:
                self._quiet_moves = QuietMoves(self._start)
            fen, moves = self._quiet_moves.split(moves)
            start = f"fen {fen}"
        return position_command(start, [*map(self.write_move, moves)])

    def _game_options(self, offered: OptionList, wanted: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Find out how the engine counts the ranks, or set it."""
        specification = self.specification
        if told := [value for name, value in wanted if name.lower() == "ranks"]:
            self._ranks = specification.ranks or told[0]
        elif (option := offered.find("Ranks")) is not None:
            return [(option.name, self._ranks)]  # it may count otherwise once UCI_Variant is set, as sanqi does
        elif specification.ranks:
            return []
        elif specification.variant and offered.find("UCI_Variant") is not None:
            self._ranks = VARIANT_RANKS
        return []


@functools.cache  # a long game sends the same moves many times
def _with_ranks_from_1(move: str) -> str:
    return move_text(parse_move(move), RANKS_FROM_1)
