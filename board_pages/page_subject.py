"""Positions of a game on the page, for the analyst: those of its sessions, whose moves have the names that the page
shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from game_core.session import IllegalMove
from game_core.session_analysis import SessionSubject, SessionTurn

if TYPE_CHECKING:
    from game_core.session import Session
    from game_core.win_probability import Chances

ChancesOf = Callable[[int, Any], "Chances | None"]
"""What a score means in a position of the search; None: the game does not know."""


class PageTurn(SessionTurn):
    """A position. All of one table have the same context: its rules do not change."""

    def __init__(self, session: Session, side: str, chances: ChancesOf) -> None:
        super().__init__(session)
        self._side = side
        self._chances = chances

    @property
    def to_move(self) -> str:
        return self._side

    def names(self, line: Sequence[int], notation: str) -> list[str]:
        """Up to where the rules end the game: a search may look beyond that."""
        session, names = self._session, []
        for move in line:
            text = session.move_text(move)
            try:
                name = session.move_names(text)[notation]
                session.play(text)
            except IllegalMove:
                break
            names.append(name)
        session.undo(len(names))
        return names

    def chances(self, score: int) -> Chances | None:
        return self._chances(score, self.game)


class PageSubject(SessionSubject):
    """A game from its start position. `open_session` is called on the analyst's threads."""

    def __init__(
        self,
        open_session: Callable[[], Session],
        moves: Sequence[str],
        side_to_move: Callable[[Session], str],
        chances: ChancesOf,
    ) -> None:
        super().__init__(open_session, moves)
        self._side_to_move = side_to_move
        self._chances = chances

    def at(self, turn: int) -> PageTurn:
        session = self.session(turn)
        return PageTurn(session, self._side_to_move(session), self._chances)
