"""Words of tables and pages of a review."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from game_core.review import LeftOut
from game_core.review import likelihood as likelihood
from game_core.review import percent as percent
from game_review.review_document import Ply, ReviewLine


def side_name(side: str) -> str:
    """A side in words; sides with numbers are seats, and several of them a team."""
    seats = side.split(",")
    if not all(map(str.isdecimal, seats)):
        return side
    return f"seat {side}" if len(seats) == 1 else f"seats {', '.join(seats[:-1])} and {seats[-1]}"


def first_party(sides: Sequence[str]) -> str:
    """In words, whose expected score is shown: the side that moves first, or its team."""
    return side_name(",".join(sorted(sides[::2])) if len(sides) > 2 else sides[0])


def line_names(line: ReviewLine) -> list[str]:
    """The moves of a line, each with the end that it most probably has."""
    return [" ".join(filter(None, each)) for each in zip_longest(line.pv_names, line.pv_outcomes or ())]


def left_out_text(left_out: LeftOut) -> str:
    """What a review leaves out of a record."""
    what = "the last move is left out" if left_out.moves == 1 else f"the last {left_out.moves} moves are left out"
    return f"{what}; {left_out.reason}" if left_out.reason else what


def points(loss: float) -> str:
    """A loss of expected score, in hundredths."""
    return f"{100 * loss:.1f}"


def loss_text(ply: Ply) -> str:
    """What a move that counts has lost, in hundredths; '' if next to nothing."""
    return points(ply.loss) if ply.counted and ply.loss is not None and ply.loss >= 0.0005 else ""
