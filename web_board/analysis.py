"""The analysis of the position that a page looks at, by the analyst of `sanqi analyse`. A table has one, on a thread of
its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from game_core.display import InputError
from game_core.engine_analyst import EngineAnalyst
from game_review.analysis_job import TurnJob, jobs_of
from game_review.analysis_pool import AnalystPool
from game_review.analysis_request import Query, search_limits

if TYPE_CHECKING:
    from game_core.analysis import Subject
    from web_board.tried_moves import At

MAX_LINES = 5
_REPORT_EVERY_S = 0.15
"""A page gets at most ten reports a second, at least three."""
_LONGEST_MS = 300_000
"""Of a position that nobody leaves."""
_HASH_MB = 64


class PageAnalysis:
    """`on_ready` is called on any thread when take() has something."""

    def __init__(self, on_ready: Callable[[], None]) -> None:
        self._on_ready = on_ready
        self._pool: AnalystPool[TurnJob] | None = None
        self._number = 0
        """Of the last request; what earlier ones have found is dropped."""
        self._newest: dict[str, Any] | None = None
        self.at: At | None = None
        """The position that is analysed; None: the analysis is off."""
        self.wanted = 0
        """How many lines."""

    def begin(self, at: At, subject: Subject, lines: int, notations: tuple[str, ...]) -> None:
        """Analyse the last position of a subject, in place of what is analysed now."""
        self._drop()
        self.at, self.wanted = at, lines
        if self._pool is None:
            self._pool = AnalystPool[TurnJob]([EngineAnalyst(_HASH_MB)], self._note)
        query = Query(
            id=str(self._number),
            subject=subject,
            turns=(subject.last_turn,),
            limits=search_limits(0, _LONGEST_MS, 0, lines),
            notations=notations,
            report_every_s=_REPORT_EVERY_S,
        )
        self._pool.submit(*jobs_of(query, self._note))

    def end(self) -> None:
        """Switch it off. The search ends within milliseconds."""
        self._drop()
        self.at, self.wanted = None, 0

    def close(self) -> None:
        """End the thread, and free its memory."""
        self.end()
        if self._pool is not None:
            self._pool.close()

    def take(self) -> dict[str, Any] | None:
        """The newest answer (docs/analysis.md) about this position that was not taken yet."""
        newest, self._newest = self._newest, None
        return newest if newest is not None and newest.get("id") == str(self._number) else None

    def _drop(self) -> None:
        self._number += 1
        if self._pool is not None:
            self._pool.drop(lambda job: True)

    def _note(self, answer: dict[str, Any]) -> None:
        """Keep an answer; the newest wins. On the analyst's threads."""
        if answer.get("id") == str(self._number) and "warning" not in answer:
            self._newest = answer
            self._on_ready()


def read_lines(value: object) -> int:
    """How many lines a message wants; 0: none. Raises InputError."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_LINES:
        raise InputError(f"an analysis has 1 to {MAX_LINES} lines, 0 ends it")
    return value
