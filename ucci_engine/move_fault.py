"""Why the rules do not allow a move, for whoever tried it."""

from __future__ import annotations

from ucci_engine.points import square_text
from ucci_engine.position import Position

WAYS = {
    "R": "a rook moves any number of points along a line",
    "N": "a horse moves one point along a line and then one diagonally outwards",
    "B": "an elephant moves two points diagonally",
    "A": "an advisor moves one point diagonally",
    "K": "a king moves one point along a line",
    "C": "a cannon moves like a rook",
    "P": "a pawn moves one point forward, and sideways only beyond the river",
}
"""How each kind of piece moves."""


def move_fault(position: Position, move: int) -> str:
    """What is wrong with an illegal move, in a few words."""
    origin, target = move & 127, move >> 7
    piece, other = position.piece_at(origin), position.piece_at(target)
    if not piece:
        return f"no piece stands on {square_text(origin)}"
    if piece.islower() != bool(position.side):
        return f"the piece on {square_text(origin)} is not yours"
    fault = _way_fault(position, origin, target)
    if other and other.islower() == piece.islower() and fault not in WAYS.values():
        return f"a piece of your own stands on {square_text(target)}"
    return fault or _king_fault(position, origin, target)


def _way_fault(position: Position, origin: int, target: int) -> str:
    """Why the piece does not move from one point to the other; '': it does."""
    piece = position.piece_at(origin)
    kind, ahead = piece.upper(), 1 if piece.isupper() else -1
    ranks, files = target // 9 - origin // 9, target % 9 - origin % 9
    steps = sorted((abs(ranks), abs(files)))
    if kind in "RC":
        if steps[0]:
            return WAYS[kind]
        step = (target - origin) // steps[1]
        between = [square for square in range(origin + step, target, step) if position.piece_at(square)]
        if kind == "C" and position.piece_at(target):
            return "" if len(between) == 1 else f"a cannon captures over exactly one piece, here are {len(between)}"
        return f"the piece on {square_text(between[0])} stands in the way" if between else ""
    if kind == "P":
        beyond = (origin // 9 > 4) == (ahead > 0)
        return "" if (ranks, files) == (ahead, 0) or (beyond and (ranks, abs(files)) == (0, 1)) else WAYS[kind]
    if steps != {"N": [1, 2], "B": [2, 2], "A": [1, 1], "K": [0, 1]}[kind]:
        return WAYS[kind]
    if kind in "AK":
        in_palace = 3 <= target % 9 <= 5 and (target // 9 < 3 if ahead > 0 else target // 9 > 6)
        return "" if in_palace else f"{'a king' if kind == 'K' else 'an advisor'} stays in its palace"
    if kind == "B" and (target // 9 > 4) == (ahead > 0):
        return "an elephant does not cross the river"
    blocker = origin + int(ranks / 2) * 9 + int(files / 2)
    if not position.piece_at(blocker):
        return ""
    part = "eye of the elephant" if kind == "B" else "leg of the horse"
    return f"the piece on {square_text(blocker)} blocks the {part}"


def _king_fault(position: Position, origin: int, target: int) -> str:
    """Why a piece that moves as it should may not: its king could be taken."""
    pieces = {square: position.piece_at(square) for square in range(90)} | {origin: ""}
    pieces[target] = position.piece_at(origin)
    kings = [square for square, piece in pieces.items() if piece in ("K", "k")]
    if len(kings) == 2 and kings[0] % 9 == kings[1] % 9 and not any(
        pieces[square] for square in range(kings[0] + 9, kings[1], 9)
    ):  # fmt: skip
        return "the kings would face each other"
    return "you are in check, and this move does not end it" if position.checked else "your king would be in check"
