"""Works through a queue of jobs with several analysts at the same time: by priority, then in the order of arrival."""

from __future__ import annotations

import heapq
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from game_core.analysis import AnalysisError, Finding
from game_core.json_fields import FieldError
from search_core.line_protocol import excerpt

if TYPE_CHECKING:
    from game_core.analysis import AnalysisTask, Analyst


class Stopped(Exception):
    """A job was stopped and has no result."""


class Job(ABC):
    """Searches for one analyst. `priority`: the smallest comes first."""

    def __init__(self, priority: tuple[int, ...]) -> None:
        self.priority = priority
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._searching: Analyst | None = None

    @abstractmethod
    def work(self, analyst: Analyst) -> Any:
        """The result. Raises AnalysisError, FieldError; Stopped."""

    @abstractmethod
    def failure(self, error: AnalysisError | FieldError) -> Any:
        """The result in place of that of work(), which raised an error."""

    def stop(self) -> None:
        """End it soon."""
        with self._lock:
            self._stopped.set()
            if self._searching is not None:
                self._searching.stop()

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def search(
        self, analyst: Analyst, task: AnalysisTask, notify: Callable[[str], None] = lambda text: None
    ) -> Finding:
        """What the analyst finds until a limit or stop(). Raises AnalysisError."""
        task.stopped = self._stopped
        with self._lock:
            if self.is_stopped:
                return Finding(())
            self._searching = analyst
        try:
            return analyst.analyse(task, notify)
        finally:
            with self._lock:  # a later stop must not reach the analyst
                self._searching = None


J = TypeVar("J", bound=Job)


class AnalystPool(Generic[J]):
    """Each analyst has a thread of its own. `deliver` gets each result, on these threads."""

    def __init__(self, analysts: Sequence[Analyst], deliver: Callable[[Any], None]) -> None:
        self._analysts = analysts
        self._deliver = deliver
        self._changed = threading.Condition()
        self._waiting: list[tuple[tuple[int, ...], int, J]] = []
        self._running: set[J] = set()
        self._numbers = count()
        self._clears = 0
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, args=(analyst,), name=f"analyst {index}", daemon=True)
            for index, analyst in enumerate(analysts)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, *jobs: J) -> None:
        """Do some jobs. For each of them there will be a result, unless it is dropped or the pool is closed."""
        with self._changed:
            for job in jobs:
                heapq.heappush(self._waiting, (job.priority, next(self._numbers), job))
            self._changed.notify_all()

    def drop(self, is_meant: Callable[[J], bool]) -> list[J]:
        """Stop the running jobs that are meant, and drop the waiting ones, which are returned in their order."""
        with self._changed:
            dropped = sorted(entry for entry in self._waiting if is_meant(entry[-1]))
            self._waiting = sorted(entry for entry in self._waiting if not is_meant(entry[-1]))
            running = [job for job in self._running if is_meant(job)]
        for job in running:
            job.stop()
        return [job for *_, job in dropped]

    def clear_cache(self) -> None:
        """Let the analysts clear what they have learnt, each before its next job."""
        with self._changed:
            self._clears += 1

    def close(self) -> None:
        """End everything: what waits gets no result. Returns when threads and processes are gone."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self.drop(lambda job: True)
        # At the same time: an engine that hangs costs a second.
        closing = [threading.Thread(target=analyst.close, name="end of an analyst") for analyst in self._analysts]
        for thread in closing:
            thread.start()
        for thread in (*closing, *self._threads):
            thread.join()

    def _work(self, analyst: Analyst) -> None:
        clears = 0
        while (job := self._next()) is not None:
            if clears != self._clears:
                clears = self._clears
                analyst.clear()
            try:
                found = job.work(analyst)
            except Stopped:
                continue
            except (AnalysisError, FieldError) as error:
                found = job.failure(error)
            except Exception as error:  # noqa: BLE001 - the other jobs are not at fault
                text = f"internal error: {type(error).__name__}: {excerpt(str(error))}"
                found = job.failure(AnalysisError(text))
            finally:
                with self._changed:
                    self._running.discard(job)
            self._deliver(found)

    def _next(self) -> J | None:
        """The next job; None: there will be none."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            job = heapq.heappop(self._waiting)[-1]
            self._running.add(job)
            return job
