"""The review of the game at a table: when there may be one, the searches, what the page gets of it, and how the log
keeps it.

The modules of the review are imported when it begins: the page is there sooner.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from board_pages.page_board import PageBoard
    from game_core.session import Session
    from game_core.table import Table
    from game_review.review_document import GameReport
    from game_review.review_game import Record
    from web_board.games import Opened, PageGame
    from web_board.table_review import TableReview


class HostedReview:
    """The review of a table's game as it stands. Any other move ends it.

    Parameters
    ----------
    game, opened, table, page_board
        What the table is made of.
    persons : sequence of int
        The seats whose mistakes are the owner's.
    send : callable
        Gets each message for all pages.
    keep : callable
        Gets what the log shall have.

    Attributes
    ----------
    on_ready : callable
        Called on any thread when take_over() has something to do.
    """

    def __init__(
        self,
        game: PageGame,
        opened: Opened,
        table: Table,
        page_board: PageBoard,
        persons: Sequence[int],
        send: Callable[[dict[str, Any]], None],
        keep: Callable[[dict[str, Any]], None],
    ) -> None:
        self.on_ready: Callable[[], None] = lambda: None
        self._game = game
        self._opened = opened
        self._table = table
        self._page_board = page_board
        self._persons = list(persons)
        self._send = send
        self._keep = keep
        self._report: GameReport | None = None
        self._searches: TableReview | None = None
        self._loaded: list[str] = table.session.view()["moves"]
        """The moves that a file has begun the game with."""

    @property
    def is_running(self) -> bool:
        return self._searches is not None

    @property
    def is_possible(self) -> bool:
        """Whether it may begin: nobody is told what a move was worth while the game goes on. That is so when it is
        over, and of a game of a file to which no move was added."""
        table = self._table
        if self.is_running or self._report is not None or not table.session.ply or not self._game.description.review:
            return False
        if table.verdict is not None:
            return True
        is_as_loaded = table.session.ply == len(self._loaded) and table.session.view()["moves"] == self._loaded
        return is_as_loaded and not table.choosers and not self._page_board.hides_pieces

    def begin(self) -> None:
        """Begin to search, or say why not."""
        from web_board.table_review import TableReview, record_of

        if not self.is_possible:
            known = self._report is not None
            self._refuse("the game is reviewed already" if known else "the game can be reviewed when it is over")
            return
        try:
            record = record_of(self._game, self._table.session, self._opened.args, self._table.resigned)
        except ValueError as error:
            self._refuse(f"the game cannot be reviewed: {error}")
            return
        open_line = partial(record_of_line, self._game, self._opened, record.moves)
        self._searches = TableReview(record, open_line, self.on_ready)
        self._send(self._progress(self._searches))

    def take_over(self) -> bool:
        """Take over what was found, without waiting for it. Returns whether the review is at its end."""
        from game_review.json_parts import write_part
        from web_board.choice_plies import with_choices

        searches = self._searches
        if searches is None:
            return False
        result = searches.result
        if result is None:
            self._send(self._progress(searches))
            return False
        searches.stop()
        self._searches = None
        if isinstance(result, str):
            self._send({"type": "review", "status": "none"})
            self._refuse(f"the game cannot be reviewed: {result}")
            return True
        table = self._table
        result = self._report = with_choices(result, table.session.view()["moves"], self._page_board)
        self._keep({"review": write_part(result), "movers": table.movers(), "persons": self._persons})
        self._send(self._whole(result))
        return True

    def restore(self, entry: Mapping[str, Any]) -> None:
        """Take over what the log says, unless another version wrote it in another way."""
        from game_review.json_parts import WrongPart
        from game_review.review_document import read_game

        with contextlib.suppress(WrongPart):
            self._report = read_game(entry["review"])

    def forget(self) -> None:
        """A log says that the game has gone on."""
        self._report = None

    def drop(self) -> None:
        """The game has gone on: the review ends."""
        if self._searches is not None or self._report is not None:
            self.stop()
            self._report = None
            self._send({"type": "review", "status": "none"})

    def stop(self) -> None:
        """End the threads."""
        if self._searches is not None:
            self._searches.stop()
            self._searches = None

    def messages(self) -> list[dict[str, Any]]:
        """What a page that joins gets of it."""
        if self._searches is not None:
            return [self._progress(self._searches)]
        return [] if self._report is None else [self._whole(self._report)]

    def _refuse(self, reason: str) -> None:
        self._send({"type": "refused", "reason": reason})

    @staticmethod
    def _progress(searches: TableReview) -> dict[str, Any]:
        done, total = searches.progress
        return {"type": "review", "status": "running", "done": done, "total": total}

    def _whole(self, report: GameReport) -> dict[str, Any]:
        from web_board.review_message import review_message

        sides = self._table.session.sides
        return review_message(report, sides, self._page_board, lambda: open_at_start(self._opened))


def open_at_start(opened: Opened) -> Session:
    """Another session of the same game, at its start."""
    session = opened.display.open_session(opened.args)
    session.undo(session.ply)
    return session


def record_of_line(game: PageGame, opened: Opened, played: Sequence[str], plies: int, moves: Sequence[str]) -> Record:
    """The record of the first plies of a game, so many, and the moves that could have followed. Raises ValueError."""
    from web_board.table_review import record_of

    session = open_at_start(opened)
    for move in (*played[:plies], *moves):
        session.play(move)
    return record_of(game, session, opened.args)
