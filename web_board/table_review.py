"""The review of the game at a table: the searches of `sanqi review`, on threads of its own."""

from __future__ import annotations

import argparse
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from game_core.engine_analyst import EngineAnalyst
from game_core.given_options import GivenOptions
from game_review.analyse import TABLE_MB
from game_review.analysis_pool import AnalystPool
from game_review.review_document import SECOND_SEARCH, GameReport, ReviewLine, ReviewSettings
from game_review.review_game import Record, scaled
from game_review.review_hidden import review_of, searched_positions
from game_review.review_search import Done, Searcher
from search_core.line_protocol import excerpt
from search_core.parts import load_part

if TYPE_CHECKING:
    from game_core.session import Session, Verdict
    from web_board.games import PageGame

SETTINGS = ReviewSettings()
"""Those of `sanqi review` without options."""
_THREADS = min(2, os.cpu_count() or 1)
"""A server makes two searches at once at most."""
_FINISH = 2
"""In the keys of searches: those that follow a forced win to its end come last."""
_LONGEST_WIN = 120
"""Plies of a forced win that is followed to its end."""


def record_of(game: PageGame, session: Session, args: argparse.Namespace, ended: Verdict | None = None) -> Record:
    """The game of a session as `sanqi review` reads it. `args`: those that it is played with. `ended`: how it ended, if
    not by the rules. Raises ValueError if it cannot be reviewed."""
    opener = load_part(game.description.review)
    options = GivenOptions(opener.add_arguments).parse_args([])
    for name in vars(options).keys() & vars(args).keys():
        setattr(options, name, getattr(args, name))
    data = session.save(game.page_board.formats[0], [""] * len(session.sides), "", ended)
    reviewed = opener.open_game(next(game.record_format.read(data)), options)
    return Record(game.name, game.name, 1, reviewed, load_part(game.description.analysis).NOTATIONS)


class Progress(NamedTuple):
    """How many of the searches are done; there may be more to come."""

    done: int
    total: int


class TableReview:
    """Reviews a game.

    Parameters
    ----------
    record : Record
    open_line : callable
        Makes the record of the first plies of the game, so many, and the moves that follow them there.
    notify : callable
        Called on any thread when `progress` or `result` has changed.

    Attributes
    ----------
    result : GameReport, str or None
        The review, or why there is none; None: it is not ready.
    """

    def __init__(
        self, record: Record, open_line: Callable[[int, Sequence[str]], Record], notify: Callable[[], None]
    ) -> None:
        self.result: GameReport | str | None = None
        self._record = record
        self._open_line = open_line
        self._notify = notify
        self._lock = threading.Lock()
        self._progress = Progress(0, searched_positions(record))
        self._found: SimpleQueue[Done | None] = SimpleQueue()
        """None: it is to stop."""
        self._thread = threading.Thread(target=self._run, name="review", daemon=True)
        self._thread.start()

    @property
    def progress(self) -> Progress:
        return self._progress

    def stop(self) -> None:
        """End the threads. There is no result, unless it is there already."""
        self._found.put(None)
        self._thread.join()

    def _count(self, done: int, more: int = 0) -> None:
        with self._lock:
            self._progress = Progress(self._progress.done + done, self._progress.total + more)
        self._notify()

    def _run(self) -> None:
        pool = AnalystPool[Searcher]([EngineAnalyst(TABLE_MB) for _ in range(_THREADS)], self._found.put)
        try:
            result = self._searched(pool)
        except Exception as error:  # noqa: BLE001 - the page must not wait for ever
            result = f"internal error: {type(error).__name__}: {excerpt(str(error))}"
        finally:
            pool.close()
        if result is not None:
            self.result = result
            self._notify()

    def _searched(self, pool: AnalystPool[Searcher]) -> GameReport | str | None:
        """The review, or why there is none; None: it was stopped."""
        game = review_of(0, self._record, SETTINGS)

        def submit(wanted: Iterable[Searcher], *, is_counted: bool = True) -> None:
            for searcher in wanted:
                searcher.advance = self._count
                if is_counted:
                    self._count(0, searcher.steps)
                pool.submit(searcher)

        submit(game.wanted(), is_counted=False)
        while not game.is_done:
            done = self._found.get()
            if done is None or done.error:
                return None if done is None else done.error
            submit(game.take(done.key, done.found))
        report = game.document()
        game.forget()
        short = _short_wins(report) if self._record.reviewed.hidden is None else []
        submit(Searcher((0, _FINISH, ply), partial(self._finish, ply, report)) for ply in short)
        plies = list(report.plies)
        for _ in short:
            done = self._found.get()
            if done is None:
                return None
            if not done.error:  # else the line stays as it is
                plies[done.key[-1]] = done.found
        return replace(report, plies=plies)

    def _finish(self, index: int, report: GameReport, searcher: Searcher) -> Any:
        """A ply with its missed win as far as searches can follow it."""
        ply = report.plies[index]
        assert ply.missed_win is not None
        win = finished(ply.missed_win, partial(self._open_line, index), searcher)
        best = ply.best
        if best is not None and best.pv == ply.missed_win.pv:
            best = replace(best, pv=win.pv, pv_names=win.pv_names)
        return replace(ply, missed_win=win, best=best)


def _short_wins(report: GameReport) -> list[int]:
    """The plies, from 0, that have missed a win whose line ends before it."""
    return [
        index
        for index, ply in enumerate(report.plies)
        if ply.missed_win is not None and len(ply.missed_win.pv) < 2 * (ply.missed_win.mate or 0) - 1
    ]


def finished(win: ReviewLine, open_line: Callable[[Sequence[str]], Record], searcher: Searcher) -> ReviewLine:
    """A forced win, followed to its end as far as searches still see one. `open_line`: makes the record of the game up
    to the win, and moves that follow."""
    limits = scaled(SETTINGS.limits, SECOND_SEARCH)
    moves, names = list(win.pv), list(win.pv_names)
    while len(moves) < _LONGEST_WIN:
        record = open_line(moves)
        subject = record.reviewed.subject
        value = searcher.value(subject, subject.last_turn, limits, record.notations[0])
        wins_in = value.wins_in if len(moves) % 2 == 0 else value.turned().wins_in
        if not value.pv or not wins_in:
            break
        moves += value.pv
        names += value.pv_names or []
    return replace(win, pv=moves, pv_names=names)
