"""Analyses many positions at the same time, one on each of its analysts: by priority, then in the order of arrival."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from game_core.analysis import AnalysisError, Finding
from game_core.json_fields import FieldError
from game_review.analysis_answer import answer, fault, no_results, warning
from search_core.line_protocol import excerpt

if TYPE_CHECKING:
    from game_core.analysis import Analyst, Task
    from game_review.analysis_request import Query

Deliver = Callable[[dict[str, Any], bool], None]
"""Gets the objects for the reader, from any thread. The second argument: whether it is the last one of a turn."""


class _Job:
    """One turn of a query."""

    def __init__(self, query: Query, number: int) -> None:
        self.query = query
        self.number = number
        self.stopped = False
        self._lock = threading.Lock()
        self._running: tuple[Task, Analyst] | None = None

    def stop(self) -> None:
        """End it soon."""
        with self._lock:
            self.stopped = True
            if self._running is not None:
                task, analyst = self._running
                task.stopped.set()
                analyst.stop()

    def begin(self, task: Task, analyst: Analyst) -> bool:
        """The analyst starts on it; False: it was stopped before."""
        with self._lock:
            self._running = task, analyst
            return not self.stopped

    def end(self) -> None:
        """The analyst has finished it: a later stop must not reach the analyst."""
        with self._lock:
            self._running = None


class AnalysisPool:
    """Each analyst has a thread of its own."""

    def __init__(self, analysts: Sequence[Analyst], deliver: Deliver) -> None:
        self._analysts = analysts
        self._deliver = deliver
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int, _Job]] = []
        self._running: set[_Job] = set()
        self._numbers = count()
        self._stale = [False] * len(analysts)
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, args=(index,), name=f"analyst {index}", daemon=True)
            for index in range(len(analysts))
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, query: Query) -> None:
        """Analyse all turns of a query. For each of them there will be a last delivery."""
        with self._changed:
            for number in query.turns:
                heapq.heappush(self._waiting, (-query.priority, next(self._numbers), _Job(query, number)))
            self._changed.notify_all()

    def terminate(self, id: str | None) -> None:
        """End the queries with an id (None: all). A turn that is being analysed is delivered as far as it is."""
        with self._changed:
            named = [entry for entry in self._waiting if id in (None, entry[2].query.id)]
            self._waiting = [entry for entry in self._waiting if id not in (None, entry[2].query.id)]
            heapq.heapify(self._waiting)
            running = [job for job in self._running if id in (None, job.query.id)]
        for job in running:
            job.stop()
        for *_, job in sorted(named, key=lambda entry: entry[:2]):
            self._deliver(no_results(job.query, job.number), True)

    def clear_cache(self) -> None:
        """Let the analysts clear what they have learnt, each before its next position."""
        with self._changed:
            self._stale = [True] * len(self._stale)

    def close(self) -> None:
        """End everything: what waits gets no answer. Returns when threads and processes are gone."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            running = list(self._running)
            self._changed.notify_all()
        for job in running:
            job.stop()
        # At the same time: an engine that hangs costs a second.
        closing = [threading.Thread(target=analyst.close, name="end of an analyst") for analyst in self._analysts]
        for thread in closing:
            thread.start()
        for thread in (*closing, *self._threads):
            thread.join()

    def _work(self, index: int) -> None:
        analyst = self._analysts[index]
        while (job := self._next(index)) is not None:
            try:
                found = self._analyse(job, analyst)
            except FieldError as error:
                found = fault(str(error), job.query.id, error.field, job.number)
            except AnalysisError as error:
                found = fault(str(error), job.query.id, turn=job.number)
            except Exception as error:  # noqa: BLE001 - the other positions are not at fault
                text = f"internal error: {type(error).__name__}: {excerpt(str(error))}"
                found = fault(text, job.query.id, turn=job.number)
            finally:
                job.end()
                with self._changed:
                    self._running.discard(job)
            self._deliver(found, True)

    def _next(self, index: int) -> _Job | None:
        """The next job; None: there will be none."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            job = heapq.heappop(self._waiting)[2]
            self._running.add(job)
            if self._stale[index]:
                self._stale[index] = False
                self._analysts[index].clear()
            return job

    def _analyse(self, job: _Job, analyst: Analyst) -> dict[str, Any]:
        """The last answer for a turn. Raises AnalysisError; FieldError for a move that is not legal there."""
        query = job.query
        task = query.task(job.number)
        if task.turn.ended is not None or task.turn.game is None:
            return answer(query, task, Finding(()))
        if not job.begin(task, analyst):
            return no_results(query, job.number)
        finished = threading.Event()
        reporter = None
        if query.report_every_s:
            reporter = threading.Thread(
                target=self._report, args=(query, task, analyst, finished), name="reporter", daemon=True
            )
            reporter.start()
        try:
            finding = analyst.analyse(task, lambda text: self._deliver(warning(text, query.id), False))
        finally:
            job.end()
            finished.set()
            if reporter is not None:
                reporter.join()
        if not finding.lines:
            return no_results(query, job.number)
        return answer(query, task, finding)

    def _report(self, query: Query, task: Task, analyst: Analyst, finished: threading.Event) -> None:
        """Deliver what is known during the search, until it is finished."""
        while not finished.wait(query.report_every_s):
            finding = analyst.snapshot()
            if finding is not None and finding.lines:
                self._deliver(answer(query, task, finding, is_during=True), False)
