"""Why the rules do not allow a move, for whoever tried it: tells nothing of the other pieces but where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junqi_protocol.rules.lineup import ENGINEER, FLAG, MINE

if TYPE_CHECKING:
    from collections.abc import Callable

    from junqi_protocol.rules.geometry import Variant

    PieceAt = Callable[[int], tuple[int, int] | None]
    """Seat and type of the piece on a point."""


def move_fault(variant: Variant, piece_at: PieceAt, origin: int, target: int) -> str:
    """What is wrong with an illegal move of a piece of the seat on turn."""
    piece = piece_at(origin)
    assert piece is not None
    seat, kind = piece
    occupant = piece_at(target)
    if kind in (FLAG, MINE):
        return "a flag never moves" if kind == FLAG else "a mine never moves"
    if origin in variant.headquarters:
        return "no piece leaves a headquarters"
    if origin == target:
        return "it stands there"
    if occupant is not None and occupant[0] in variant.team(seat):
        return f"a piece of its own {'army' if occupant[0] == seat else 'team'} stands there"
    if target in variant.roads[origin]:
        return "a piece in a camp cannot be attacked"
    for _, line in variant.runs[origin]:
        if target in line:
            between = line[: line.index(target)]
            blocker = next((point for point in between if piece_at(point) is not None), None)
            if blocker is not None:
                return f"the piece on {variant.squares[blocker]} stands in the way"
    if variant.rails[origin] and variant.rails[target]:
        return "the rails are blocked" if kind == ENGINEER else "only an engineer turns on the rails"
    return "no road or rail leads there"
