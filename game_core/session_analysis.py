"""Positions of any game that has a Session, for `sanqi analyse`: ``{"moves": [...]}`` from the start position.

The game's position needs legal_moves(), which returns numbers, for Python.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from game_core.analysis import Ended
from game_core.session import IllegalMove

if TYPE_CHECKING:
    import argparse

    from game_core.json_fields import Fields
    from game_core.session import Session
    from game_core.win_probability import Chances


class SessionTurn:
    """A position, from the session of its game. The protocol's text of a move is its only notation."""

    context: Hashable = None

    def __init__(self, session: Session) -> None:
        self._session = session
        self.game: Any = session.position()

    @property
    def to_move(self) -> str:
        return self._session.sides[self._session.to_move]

    @property
    def ended(self) -> Ended | None:
        verdict = self._session.verdict()
        return None if verdict is None else Ended.by_verdict(verdict, self._session.to_move)

    def legal_moves(self) -> list[int]:
        moves: list[int] = self.game.legal_moves()
        return moves

    def read_move(self, text: str) -> int:
        move = self._session.read_move(text)
        return next(each for each in self.legal_moves() if self._session.move_text(each) == move)

    def move_text(self, move: int) -> str:
        return self._session.move_text(move)

    def line(self, pv: Sequence[int]) -> Sequence[int]:
        return pv

    def names(self, line: Sequence[int], notation: str) -> list[str]:
        return [self.move_text(move) for move in line]

    def chances(self, score: int) -> Chances | None:
        return None

    def details(self) -> dict[str, Any]:
        return {}


class SessionSubject:
    """A game from its start position."""

    def __init__(self, open_session: Callable[[], Session], moves: Sequence[str]) -> None:
        self._open_session = open_session
        self.moves = tuple(moves)

    @property
    def last_turn(self) -> int:
        return len(self.moves)

    def at(self, turn: int) -> SessionTurn:
        session = self._open_session()
        for move in self.moves[:turn]:
            session.play(move)
        return SessionTurn(session)

    def played(self, turn: int) -> str | None:
        return self.moves[turn] if turn < len(self.moves) else None


class SessionAnalysis:
    """The `analysis` of a game's description, for a game that has no more than its session."""

    NOTATIONS = ("moves",)

    def __init__(self, open_session: Callable[[], Session]) -> None:
        self._open_session = open_session

    def read_position(self, fields: Fields) -> SessionSubject:
        """The game of ``{moves}``. Raises FieldError."""
        session, moves = self._open_session(), []
        for number, text in enumerate(fields.texts("moves"), 1):
            try:
                move = session.read_move(text)
                session.play(move)
            except IllegalMove as error:
                raise fields.fault("moves", f"move {number}: {error}") from None
            moves.append(move)
        return SessionSubject(self._open_session, moves)

    def add_arguments(self, group: argparse._ArgumentGroup) -> None:
        """There are no options."""

    def subject_of_arguments(self, args: argparse.Namespace) -> None:
        """There is no option for a position."""

    def subject_of_record(self, record: Any, args: argparse.Namespace) -> SessionSubject:
        """A record is a list of moves. Raises IllegalMove."""
        subject = SessionSubject(self._open_session, record)
        subject.at(subject.last_turn)
        return subject
