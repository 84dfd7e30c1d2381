"""The analysis of one turn of a query, as a job for an analyst."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from game_core.analysis import AnalysisError, Finding
from game_core.json_fields import FieldError
from game_review.analysis_answer import answer, fault, no_results, warning
from game_review.analysis_pool import Job

if TYPE_CHECKING:
    from game_core.analysis import AnalysisTask, Analyst
    from game_review.analysis_request import Query

Report = Callable[[dict[str, Any]], None]
"""Gets what is said before the answer, from any thread."""


class TurnJob(Job):
    """Its result is the last answer for the turn."""

    def __init__(self, query: Query, number: int, report: Report) -> None:
        super().__init__((-query.priority,))
        self.query = query
        self._number = number
        self._report = report

    def work(self, analyst: Analyst) -> dict[str, Any]:
        query, task = self.query, self.query.task(self._number)
        if task.turn.ended is not None or task.turn.game is None:
            return answer(query, task, Finding(()))
        finished = threading.Event()
        reporter = None
        if query.report_every_s:
            reporter = threading.Thread(
                target=self._report_until, args=(finished, task, analyst), name="reporter", daemon=True
            )
            reporter.start()
        try:
            finding = self.search(analyst, task, lambda text: self._report(warning(text, query.id)))
        finally:
            finished.set()
            if reporter is not None:
                reporter.join()
        return answer(query, task, finding) if finding.lines else self.no_results()

    def failure(self, error: AnalysisError | FieldError) -> dict[str, Any]:
        return fault(str(error), self.query.id, getattr(error, "field", ""), self._number)

    def no_results(self) -> dict[str, Any]:
        """The answer if the turn is not searched."""
        return no_results(self.query, self._number)

    def _report_until(self, finished: threading.Event, task: AnalysisTask, analyst: Analyst) -> None:
        """Report what is known during the search."""
        while not finished.wait(self.query.report_every_s):
            finding = analyst.snapshot()
            if finding is not None and finding.lines:
                self._report(answer(self.query, task, finding, is_during=True))


def jobs_of(query: Query, report: Report) -> list[TurnJob]:
    """The jobs of a query, in the order of its turns."""
    return [TurnJob(query, number, report) for number in query.turns]
