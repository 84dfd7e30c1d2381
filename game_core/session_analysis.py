"""Positions of any game that has a Session, for `sanqi analyse`: ``{"moves": [...]}`` from the start position.

The game's position needs legal_moves(), which returns numbers, for Python.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from game_core.analysis import Ended
from game_core.session import IllegalMove

if TYPE_CHECKING:
    import argparse

    from game_core.json_fields import JsonFields
    from game_core.session import Session
    from game_core.win_probability import Chances


class PlainTurn:
    """What most games have in common: the shown line is the whole one, and there are no details."""

    game: Any

    def legal_moves(self) -> list[int]:
        moves: list[int] = self.game.legal_moves()
        return moves

    def line(self, pv: Sequence[int]) -> Sequence[int]:
        return pv

    def details(self) -> dict[str, Any]:
        return {}


class SessionTurn(PlainTurn):
    """A position, from the session of its game. The protocol's text of a move is its only notation."""

    def __init__(self, session: Session, context: Hashable = None) -> None:
        self._session = session
        self.game = session.position()
        self.context = context

    @property
    def to_move(self) -> str:
        return self._session.sides[self._session.to_move]

    @property
    def ended(self) -> Ended | None:
        verdict = self._session.verdict()
        return None if verdict is None else Ended.by_verdict(verdict, self._session.to_move)

    def read_move(self, text: str) -> int:
        move = self._session.read_move(text)
        return next(each for each in self.legal_moves() if self._session.move_text(each) == move)

    def move_text(self, move: int) -> str:
        return self._session.move_text(move)

    def names(self, line: Sequence[int], notation: str) -> list[str]:
        return [self.move_text(move) for move in line]

    def chances(self, score: int) -> Chances | None:
        return None


class MovesSubject:
    """A game as the texts of its moves."""

    def __init__(self, moves: Iterable[str]) -> None:
        self.moves = tuple(moves)

    @property
    def last_turn(self) -> int:
        return len(self.moves)

    def played(self, turn: int) -> str | None:
        return self.moves[turn] if turn < len(self.moves) else None


class SessionSubject(MovesSubject):
    """A game from its start position."""

    def __init__(self, open_session: Callable[[], Session], moves: Iterable[str]) -> None:
        super().__init__(moves)
        self._open_session = open_session

    def session(self, turn: int) -> Session:
        """The game up to a turn."""
        session = self._open_session()
        for move in self.moves[:turn]:
            session.play(move)
        return session

    def at(self, turn: int) -> SessionTurn:
        return SessionTurn(self.session(turn))


def read_moves(fields: JsonFields, session: Session) -> list[str]:
    """The moves of the field `moves`, which are played. Raises FieldError."""
    moves = []
    for number, text in enumerate(fields.texts("moves"), 1):
        try:
            moves.append(session.read_move(text))
            session.play(moves[-1])
        except IllegalMove as error:
            raise fields.fault("moves", f"move {number}: {error}") from None
    return moves


class SessionAnalysis:
    """The `analysis` of a game's description, for a game that has no more than its session."""

    NOTATIONS = ("moves",)

    def __init__(self, open_session: Callable[[], Session]) -> None:
        self._open_session = open_session

    def read_position(self, fields: JsonFields) -> SessionSubject:
        """The game of ``{moves}``. Raises FieldError."""
        return SessionSubject(self._open_session, read_moves(fields, self._open_session()))

    def add_arguments(self, group: argparse._ArgumentGroup) -> None:
        """There are no options."""

    def subject_of_arguments(self, args: argparse.Namespace) -> None:
        """There is no option for a position."""

    def subject_of_record(self, record: Any, args: argparse.Namespace) -> SessionSubject:
        """A record is a list of moves. Raises IllegalMove."""
        subject = SessionSubject(self._open_session, record)
        subject.at(subject.last_turn)
        return subject
