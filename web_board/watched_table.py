"""A table whose game is played elsewhere: its moves come from a file, and nobody here can move."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from game_core.chooser import Choice, Chooser
from game_core.display import InputError
from game_core.session import PUBLIC, Session
from web_board.games import SeatChoice
from web_board.hosted_table import HostedTable, Message
from web_board.roles import OWNER, ForRole, Role

if TYPE_CHECKING:
    from search_core.time_budget import Clock
    from web_board.watched_games import GameNow

_ACTIONS = ("review", "stop-review")


class _Elsewhere(Chooser):
    """Whoever plays a seat: its moves do not come from here."""

    def go(self, session: Session, seed: int, on_choice: Callable[[Choice], None], clock: Clock | None = None) -> None:
        pass

    def stop(self) -> None:
        pass

    def close(self) -> None:
        pass


class WatchedTable(HostedTable):
    """Who watches sees what all seats know, and all when the game is over."""

    def __init__(
        self, now: GameNow, identity: str, send: Callable[[Message], None], show: Callable[[ForRole], None]
    ) -> None:
        seats = [SeatChoice({"player": name}, (), (name,)) for name in now.players]
        super().__init__(now.game, now.opened, seats, identity, None, send, show)
        self.table.resigned = now.verdict

    def follow(self, now: GameNow) -> bool:
        """Play on as the file says. Returns whether it is the same game."""
        session, board = now.opened.session, now.game.page_board(now.opened.session)
        moves, known = session.view()["moves"], self.table.session.view()["moves"]
        is_same = session.sides == self.table.session.sides and board.start(None) == self.page_board.start(None)
        if not is_same or moves[: len(known)] != known:
            return False
        for move in moves[len(known) :]:
            self.table.follow(move)
        if session.verdict() is not None and self.table.verdict is None:
            return False  # a draw was agreed, which the moves do not say
        if now.verdict is not None and self.table.verdict is None:
            self.table.end(now.verdict)
        return True

    def act(self, message: Mapping[str, Any], role: Role = OWNER) -> list[Message]:
        if message["type"] not in _ACTIONS:
            raise InputError("this game is only watched")
        return super().act(message, role)

    @property
    def is_searching(self) -> bool:
        return self.review.is_running or self.study.is_analysing

    def _other_engine(self, name: str) -> Chooser:
        return _Elsewhere()

    def _view_of(self, role: Role) -> int | None:
        return PUBLIC if self.page_board.hides_pieces and self.table.verdict is None else None

    def _possible(self, movers: Sequence[int], role: Role) -> list[str]:
        return [name for name in super()._possible(movers, role) if name in _ACTIONS]

    @property
    def _has_secrets(self) -> bool:
        return self.page_board.hides_pieces
