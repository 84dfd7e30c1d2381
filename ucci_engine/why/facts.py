"""What a sentence of why says, as data: each fact can be checked on the line it is about."""

from __future__ import annotations

from typing import NamedTuple

PLAYED, BETTER = "played", "better"
"""The lines: the move that was played and what follows; the best line in its place."""
FIRST = {PLAYED: 1, BETTER: 0}
"""The index of a line's first move that was not played: the reply, or the better move."""


class Fact(NamedTuple):
    """A motif of a line.

    `move` is the line's move of index `ply` (0: the first), except for material, where `ply` counts the moves to
    which it is counted and `move`, if given, is the line's first one. `pieces` and `squares` belong together; docs of
    each motif are its words (words.py).
    """

    motif: str
    line: str
    side: int
    """Whose motif it is: who mates, forks, wins."""
    ply: int = 0
    move: int = 0
    piece: str = ""
    """That makes the move."""
    pieces: tuple[str, ...] = ()
    """The others, as in a FEN."""
    squares: tuple[int, ...] = ()
    number: int = 0
    """Moves to mate."""
    won: str = ""
    paid: str = ""
    """Kinds of pieces that the side wins and gives for them."""
    first: int = 0
    """The line's move of index FIRST, if `move` comes after it; else 0."""
    first_piece: str = ""


MATES, SEES_MATE = "mates", "sees mate"
MISSED_MATE, MISSES_SEEN_MATE = "missed mate", "missed seen mate"
OVERLOOKED, MISSED_CAPTURE = "overlooked capture", "missed capture"
LOST_GUARD, LEFT_ATTACKED, WALKED_INTO = "lost guard", "left attacked", "walked into"
OPENED, SCREEN, LEG = "opened line", "cannon screen", "freed leg"
CANNOT_TAKE_BACK, PINNED = "pin", "pinned"
FORK, SKEWER, TRAPPED, ATTACK, DRIVEN_GUARD = "fork", "skewer", "trapped", "attack", "driven guard"
DOUBLE_CHECK, DISCOVERED_CHECK, DISCOVERED_ATTACK = "double check", "discovered check", "discovered attack"
MATE_THREAT = "mate threat"
LOSES, MISSED_GAIN = "loses material", "missed gain"
NOTHING = "nothing won"
