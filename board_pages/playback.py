"""The format of the boards on our pages: the board once, and each game as a short text.

The script that draws and plays it (data/board.js) knows no game. Points, kinds and start positions are those of
`board_pages.drawing`. A game is its plies, separated by blanks; a ply is one or more changes:

    m FROM TO     a piece moves, and takes what stands there
    k FROM TO     a piece attacks and is lost, the other one stays
    b FROM TO     both are lost
    p POINT KIND  a piece is put on the board
    s SIDE        a side does not move, or leaves the game (a digit)
    o SIDE        all pieces of a side are taken off the board (a digit)
    t POINT KIND  the piece there is seen to be of this kind
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from board_pages.drawing import BoardDrawing


@dataclass(frozen=True, slots=True)
class Playback:
    """One game: its `plies`, and its `start` position ('': the board's)."""

    plies: str
    start: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The board of a recorded game, and how it plays the game's moves.

    Attributes
    ----------
    ply_code : callable
        A move, as the game's protocol writes it, the name of the side that plays it, and how it ended, as the review's
        document has it ('' in a game where this is certain), as a ply. Raises ValueError or IndexError.
    start : str
        The start position; '': the board's.
    views : mapping of str to str
        Where a side does not see everything: by side, the start position as it sees it.
    reveal_code : callable or None
        There: a point, the side that has the piece there, and the type that another side knows from now on, as a ply.
    public_start : str
        There: the start position as all sides see it.
    """

    board: BoardDrawing
    ply_code: Callable[[str, str, str], str]
    start: str = ""
    views: Mapping[str, str] = field(default_factory=dict)
    reveal_code: Callable[[str, str, str], str] | None = None
    public_start: str = ""
