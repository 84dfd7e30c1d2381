"""A match on this machine, on worker processes."""

from __future__ import annotations

import contextlib
import threading
from queue import Empty, SimpleQueue

from match_runner.match import MatchState
from match_runner.schedule import ScheduledGame
from match_runner.workers import Worker, WorkerDied

_CRASH_GRACE_S = 0.5
"""Seconds before a crash counts: its cause, such as a shutdown of the system, may be about to end us too."""


class LocalMatch:
    """Plays the games of a match state, `concurrency` games at the same time."""

    def __init__(self, state: MatchState, concurrency: int = 1) -> None:
        self._state = state
        self._concurrency = concurrency
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._ends: SimpleQueue[BaseException | None] = SimpleQueue()
        """The end of each thread: what has stopped it, None if nothing is left to play."""
        self._workers: set[Worker] = set()

    def run(self) -> None:
        """Play until all games are played, the SPRT has decided or KeyboardInterrupt. No engine is left running.

        Raises MatchError.
        """
        count = max(1, min(self._concurrency, len(self._state.plan.schedule)))
        # The main thread plays no game, so that it can handle Ctrl-C at once. It does not wait for the threads
        # themselves: when Ctrl-C interrupts Thread.join(), Python 3.11 takes the thread for ended.
        try:
            for number in range(count):
                threading.Thread(target=self._work, name=f"games {number}", daemon=True).start()
            while count:
                with contextlib.suppress(Empty):
                    failure = self._ends.get(timeout=0.5)  # Windows handles Ctrl-C only between waits
                    if failure is not None:
                        raise failure
                    count -= 1
        finally:
            with self._lock:
                self._ending.set()
                workers = list(self._workers)
            with contextlib.ExitStack() as endings:  # a second Ctrl-C interrupts one callback, not the others
                for worker in workers:
                    endings.callback(worker.close)
                for worker in workers:
                    endings.callback(worker.shutdown)

    def _work(self) -> None:
        worker: Worker | None = None
        try:
            while (task := self._take()) is not None:
                if worker is None:
                    worker = self._start_worker()
                    if worker is None:
                        return
                try:
                    record = worker.play(task)
                except WorkerDied:
                    self._shutdown(worker)
                    worker = None
                    with self._lock:
                        self._state.requeue(task)
                    continue
                if record.reason == "crash":
                    self._ending.wait(_CRASH_GRACE_S)
                with self._lock:
                    if self._ending.is_set():
                        return  # we may have ended this game ourselves
                    self._state.count(task, record)
            self._ends.put(None)
        except BaseException as error:  # noqa: BLE001 - shown by run(), on the main thread
            self._ends.put(error)
        finally:
            if worker is not None:
                self._shutdown(worker)

    def _take(self) -> ScheduledGame | None:
        with self._lock:
            return None if self._ending.is_set() else self._state.take()

    def _start_worker(self) -> Worker | None:
        worker = Worker(self._state.plan.config)
        with self._lock:
            if not self._ending.is_set():
                self._workers.add(worker)
                return worker
        worker.close()
        return None

    def _shutdown(self, worker: Worker) -> None:
        worker.close()
        with self._lock:
            self._workers.discard(worker)
