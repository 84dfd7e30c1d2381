"""What `sanqi review` needs of a game, beside what `sanqi analyse` needs (analysis.py).

A game's description names a module with:

- add_arguments(group), which declares the game's options of the command line, if it has any;
- open_game(record, args), the ReviewedGame of a game that one of its record formats has read. Raises ValueError.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from search_core.analysis import Subject

OPENING, MIDDLE_GAME, END_GAME = "opening", "middle game", "end game"
PHASES = (OPENING, MIDDLE_GAME, END_GAME)


class RuleNote(NamedTuple):
    """What a rule says about the position after a ply."""

    kind: str
    """``perpetual check``, ``repetition``, …"""
    side: str | None
    """Whose conduct it is; None: of neither, or of both."""
    text: str
    """A sentence for people."""


class PlyNote(NamedTuple):
    """What the game knows of a ply without a search."""

    phase: str
    """One of PHASES."""
    is_book: bool = False
    """Whether it is a move of an opening book."""
    is_forced: bool = False
    """Whether the player had no choice."""
    comment: str = ""
    """The record's."""
    spent_ms: int | None = None
    """How long the player thought; None: the record does not say."""
    rule: RuleNote | None = None


class ReviewedGame(NamedTuple):
    """A recorded game."""

    subject: Subject
    headers: Mapping[str, str]
    """What the record says about the game; the names and texts are foreign."""
    start: Mapping[str, Any]
    """The first position, for JSON: what a page needs to draw it."""
    players: tuple[str, str]
    """The sides, first the one that moves first, as the Turns of `subject` call them."""
    names: tuple[str, str]
    """Of the players in the same order; '': not known."""
    result: str
    """As recorded: ``1-0`` if the first of the game's sides won, ``0-1``, ``1/2-1/2`` or ``*``."""
    opening: str
    """The name of the opening; '': it has none."""
    notes: Sequence[PlyNote]
    """One for each ply of `subject`."""
    wants_shortest: bool = False
    """Whether of a missed forced win the shortest is looked for."""
