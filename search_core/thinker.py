"""What a search is asked for, and what it says: its limits, its lines and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from search_core.levels import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a search ends and which root moves it may consider."""

    depth: int = 0
    """Plies; 0: no limit."""
    nodes: int = 0
    """Nodes of the first thread; 0: no limit. A node is one ``Game.make``, or a move of the game's solver."""
    soft_nodes: int = 0
    """Nodes after which no further iteration begins; 0: no limit."""
    soft_ms: int = 0
    """Milliseconds after which, roughly, no further iteration begins; 0: no limit."""
    hard_ms: int = 0
    """Milliseconds after which the search is stopped; 0: no limit."""
    mate: int = 0
    """End when a mate in at most this many own moves is found; 0: no limit."""
    infinite: bool = False
    """Give no result before stop()."""
    ponder: bool = False
    """Give no result before ponderhit() or stop(). `hard_ms` begins at ponderhit(); for `soft_ms`, the time before it
    counts too."""
    multipv: int = 1
    """How many best lines to find."""
    root_moves: tuple[int, ...] = ()
    """Only these moves at the root; empty: all."""
    excluded_moves: tuple[int, ...] = ()
    """Never these moves at the root."""
    draw_score: int = 0
    """The value of a draw for the side to move at the root, in centipawns."""
    level: Level | None = None
    """Play at this level, with one thread and one line; None: full strength."""
    seed: int = 0
    """Of what a level overlooks and chooses: one number for a whole game."""


@dataclass(frozen=True, slots=True)
class Info:
    """One line of a search, as it stands after an iteration."""

    depth: int
    seldepth: int
    multipv: int
    """From 1."""
    score: int
    """Centipawns for the side to move at the root; see mate_in_plies(). In a game of chance, the win probability from
    -20000 to 20000."""
    bound: str
    """"exact", "lower" or "upper"."""
    nodes: int
    """Of all threads."""
    time_ms: int
    nps: int
    hashfull: int
    """Permille of the table filled by this search, and by what is left of the one eight searches before."""
    pv: tuple[int, ...]
    solver_nodes: int = 0
    """Those of `nodes` that the game's solver played; the others are nodes of the tree."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a search."""

    best: int | None
    """None: there is no legal move that the limits allow, or the search failed."""
    ponder: int | None
    score: int
    depth: int
    """Of the last complete iteration."""
    nodes: int
    time_ms: int
    lines: tuple[Info, ...]
    """The last exact Info of each line, best first."""
    solver_nodes: int = 0
    """As in Info."""
    unfinished: Info | None = None
    """The line of `best` if only the last iteration, which is not complete, has found it; None: it is in `lines`."""
