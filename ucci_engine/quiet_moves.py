"""The position after the last capture, and the quiet moves since then: what UCCI asks of a host."""

from __future__ import annotations

from collections.abc import Sequence

from engine_client.uci_player import common_plies
from ucci_engine.extra_pieces import open_position
from ucci_engine.points import START_FEN, parse_move


class QuietMoves:
    """A game in progress, split after its last capture. It keeps its position: by the hundredth move, replaying the
    game would take longer than all other work of a match for one move."""

    def __init__(self, start: str = "") -> None:
        self.start = start
        self._position = open_position(start or START_FEN)
        self._moves: list[str] = []
        self._splits = [(self._position.fen(), 0)]
        """For each ply: the position after the last capture, and its ply."""

    def split(self, moves: Sequence[str]) -> tuple[str, Sequence[str]]:
        """The position after the last capture (or the start), and the moves since then. `moves` are legal, from the
        start."""
        common = common_plies(self._moves, moves)
        for _ in self._moves[common:]:
            self._position.pop()
        del self._moves[common:], self._splits[common + 1 :]
        for ply, text in enumerate(moves[common:], common + 1):
            move = parse_move(text)
            captures = self._position.piece_at(move >> 7) != ""
            self._position.push(move)
            self._moves.append(text)
            self._splits.append((self._position.fen(), ply) if captures else self._splits[-1])
        fen, ply = self._splits[-1]
        return fen, moves[ply:]
