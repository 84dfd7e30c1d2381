"""Xiangqi in `sanqi openings`: each move is drawn from those that a short search finds good."""

from __future__ import annotations

import argparse
import random

from match_runner.opening_maker import MAX_PLIES, MIN_PLIES, Candidate, QuickSearch
from search_core.engine import Limits
from ucci_engine.points import move_text
from ucci_engine.position import Position

_MOVE_LIMITS = Limits(nodes=20_000, multipv=12)
_MAX_LOSS_CP = 40  # of a move, against the best one


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Xiangqi has no options of its own."""


def source(args: argparse.Namespace) -> XiangqiOpenings:
    """Where the openings come from."""
    return XiangqiOpenings()


def options(args: argparse.Namespace) -> list[str]:
    """The options that make the same openings, but for the seed."""
    return []


def how(args: argparse.Namespace) -> str:
    """How candidates are drawn, for the header of the file."""
    return f"Each move was drawn from those that a short search found within {_MAX_LOSS_CP} centipawns of the best."


class XiangqiOpenings:
    """An OpeningSource. No position comes twice in an opening."""

    def draw(self, chance: random.Random, search: QuickSearch) -> Candidate | None:
        position = Position()
        moves = []
        keys = {position.key}
        for _ in range(chance.randint(MIN_PLIES, MAX_PLIES)):
            lines = search(position, _MOVE_LIMITS).lines
            if not lines:
                return None
            good = [line.pv[0] for line in lines if line.score >= lines[0].score - _MAX_LOSS_CP]
            move = chance.choice(good)
            position.push(move)
            moves.append(move_text(move))
            if position.key in keys:
                return None
            keys.add(position.key)
        return Candidate(position, " ".join(moves), _likeness(position))


def _likeness(position: Position) -> str:
    board, side = position.fen().split()[:2]
    mirrored = "/".join(rank[::-1] for rank in board.split("/"))
    return f"{min(board, mirrored)} {side}"
