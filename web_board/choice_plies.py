"""Choices in the review of a game. A review knows the moves on the board alone; the game at a table also has plies that
are choices, as in Swap2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from game_core.review import OPENING
from game_review.review_document import Ply

if TYPE_CHECKING:
    from board_pages.page_board import PageBoard
    from game_review.review_document import GameReport


def with_choices(report: GameReport, moves: Sequence[str], board: PageBoard) -> GameReport:
    """The review with a ply for each choice, so that its plies have the numbers of the table's. `moves`: of the
    table."""
    return replace(report, plies=list(_plies(report, moves, board))) if any(map(board.is_choice, moves)) else report


def _plies(report: GameReport, moves: Sequence[str], board: PageBoard) -> Iterator[Ply]:
    known, side = list(report.plies), report.players[0]
    for number, move in enumerate(moves, 1):
        if board.is_choice(move):
            yield _choice(number, side, move, known[0] if known else None)
        elif known:
            ply = known.pop(0)
            side = report.players[(report.players.index(ply.side) + 1) % len(report.players)]
            yield replace(ply, ply=number)


def _choice(number: int, side: str, move: str, following: Ply | None) -> Ply:
    """A choice changes nothing on the board. `side`: that of the next move, which is `following`, if it is known."""
    before = None if following is None else following.before
    return Ply(
        ply=number,
        side=side,
        move=move,
        names={},
        name=move,
        comment="",
        spent_ms=None,
        phase=OPENING,
        before=before,
        played=before,
        loss=None,
        mark=None,
        confirmed=None,
        best=None,
        is_best=None,
        book=False,
        forced=False,
        counted=False,
        turning_point=False,
        missed_win=None,
        rule=None,
    )
