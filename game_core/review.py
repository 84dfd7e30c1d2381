"""What `sanqi review` needs of a game, beside what `sanqi analyse` needs (analysis.py).

A game's description names a module with:

- add_arguments(group), which declares the game's options of the command line, if it has any;
- open_game(record, args), the ReviewedGame of a game that one of its record formats has read. Raises ValueError;
- as_reviewed(record, start), if the options of the command line say what a record does not: the record with that, from
  the `start` of its review.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from game_core.analysis import Subject, Turn

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
    is_move: bool = True
    """Whether the player moved; else it passed or left the game, and there is nothing to judge."""
    is_over: bool = False
    """Whether the rules had ended the game before it."""


class LeftOut(NamedTuple):
    """The rest of a recorded game, which cannot be played by the rules."""

    moves: int
    """How many moves it has."""
    reason: str
    """What is wrong with the first of them."""


class Outcome(NamedTuple):
    """How a move ended whose end was not certain, as docs/review.md says. `chance`: how probable this end was, as far
    as the player knew; None: it was certain."""

    result: str = ""
    text: str = ""
    chance: float | None = None


class Revealed(NamedTuple):
    """A piece whose type the side `to` knows from now on."""

    to: str
    point: str
    seat: str
    type: str


class PieceTexts(NamedTuple):
    """A hidden piece for people: its name, what the player knew of it and believed, and what was true."""

    piece: str
    knew: str
    believed: str
    truth: str


class HiddenPiece(NamedTuple):
    """A hidden piece that matters to a move, as docs/review.md says."""

    point: str
    seat: str
    role: str
    possible: Sequence[str]
    types: Mapping[str, float]
    truth: str
    texts: PieceTexts


Hindsight = tuple[Outcome, Sequence[Revealed], Sequence[HiddenPiece]]
"""What only a game has of a ply in which a player does not see everything: how the move ended, what was revealed, and
the hidden pieces that matter to it."""


class HiddenGame(Protocol):
    """What a review asks of a game in which a player does not see everything.

    There a position after a move is not comparable to the one before it, since the next player knows other things. So
    both moves, the one that was played and the best one, are searched with what the player knew before the move.
    """

    def side(self, ply: int) -> str:
        """Who was on turn. Plies are numbered from 0."""

    def name(self, ply: int, notation: str) -> str:
        """What was played."""

    def outcomes(self, turn: Turn, line: Sequence[int]) -> list[str]:
        """How the moves of a shown line most probably end, in words that the Drawing of a page reads. There may be
        fewer than moves: then only this number is shown."""

    def hindsight(self, ply: int, best: str | None, notation: str) -> Hindsight:
        """What only such a game has of a ply. `best`: the best move; None: not known."""

    def forget(self) -> None:
        """Free what was kept of the positions. They can be asked for again."""


class MarkedMove(NamedTuple):
    """A move that has lost something or has missed a win, and the lines that show it. Moves are as the game's protocol
    writes them."""

    turn: int
    """Of the position before it."""
    move: str
    reply: Sequence[str]
    """The line after it."""
    better: Sequence[str]
    """The best line in its place."""
    mate: int | None
    """Moves to the forced win that the best line has for the side that moves; negative: for the other; None: it has
    none."""
    mate_after: int | None
    """The same after the move."""
    pieces: Sequence[HiddenPiece] = ()
    """The hidden pieces that matter to it."""


class ReviewedGame(NamedTuple):
    """A recorded game."""

    subject: Subject
    headers: Mapping[str, str]
    """What the record says about the game; the names and texts are foreign."""
    start: Mapping[str, Any]
    """The first position, for JSON: what a page needs to draw it."""
    players: tuple[str, ...]
    """The sides in the order of their turns, as the Turns of `subject` call them. Every second one is of the same
    team."""
    names: tuple[str, ...]
    """Of the players in the same order; '': not known."""
    result: str
    """As recorded: ``1-0`` if the first of the game's sides won, ``0-1``, ``1/2-1/2`` or ``*``; a game with teams has
    words of its own."""
    opening: str
    """The name of the opening; '': it has none."""
    notes: Sequence[PlyNote]
    """One for each ply of `subject`."""
    wants_shortest: bool = False
    """Whether of a missed forced win the shortest is looked for."""
    hidden: HiddenGame | None = None
    """None: everybody sees everything."""
    reason: str = ""
    """Why the game ended, as recorded; '': not known."""
    left_out: LeftOut | None = None
    """What `subject` does not have of the record; None: it has all moves."""
    why: Callable[[MarkedMove], str] | None = None
    """Says what is bad about a move, in a sentence that is true of its lines; '': it has nothing to say."""


def percent(score: float) -> str:
    """An expected score: `61 %`."""
    return f"{100 * score:.0f} %"


def likelihood(chance: float) -> str:
    """The probability of what has happened: `61 %`. This is never `0 %`, and `100 %` only if it was sure."""
    return "under 1 %" if chance < 0.005 else "over 99 %" if 0.995 <= chance < 1 else percent(chance)
