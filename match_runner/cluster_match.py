"""A match on the workers of a running Dask cluster.

The cluster is one `dask scheduler`, and a `dask worker` on each machine that plays games. Those machines need sanqi and
the engines.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import sys
import threading

from distributed import Client, Future, KilledWorker, wait
from distributed.client import FutureCancelledError
from distributed.comm.addressing import get_address_host_port

from match_runner.game import PlayedGame
from match_runner.match import MatchConfig, MatchError, MatchState
from match_runner.schedule import ScheduledGame
from match_runner.trial import TrialResult
from match_runner.workers import Worker, WorkerDied, try_engines
from search_core.failures import named
from search_core.version import __version__

_CONNECT_S = 5
_WAIT_S = 20.0
"""If no game ends in this time, check whether the cluster still has workers."""
_IDLE_S = 60.0
"""End a worker process that gets no new game for this long: its match may be gone."""


class ClusterError(Exception):
    """The cluster cannot be used; the message is for the user."""


class Cluster(contextlib.AbstractContextManager["Cluster"]):
    """Context manager: the connection to a Dask scheduler. Raises ClusterError if there is none."""

    def __init__(self, address: str) -> None:
        for name in ("distributed", "distributed.client"):  # we report errors ourselves
            logging.getLogger(name).setLevel(logging.CRITICAL)
        with named("cannot be reached", (OSError, ValueError, TypeError), ClusterError):  # TimeoutError is an OSError
            # Connect first: Client retries an unreachable address for a while, and prints an error when it is deleted.
            with socket.create_connection(get_address_host_port(address), _CONNECT_S):
                pass
            self._client = Client(address, timeout=_CONNECT_S)
        self._match = os.urandom(16).hex()

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._client.run(end_workers, self._match, on_error="ignore")
        with contextlib.suppress(Exception):
            self._client.close(_CONNECT_S)

    def try_engines(self, config: MatchConfig) -> TrialResult:
        """Check that every worker can play. Returns the result of one of them. Raises ClusterError."""
        versions = self._client.run(version_there, on_error="return")
        if not versions:
            raise ClusterError("has no workers")
        for worker, version in versions.items():
            if version != __version__:
                raise ClusterError(f"worker {worker} has sanqi {version}, this is {__version__}")
        found = TrialResult()
        results = self._client.run(try_engines, config, on_error="return")
        for worker, result in results.items():
            complaint = result.complaint if isinstance(result, TrialResult) else result
            if complaint is not None:
                raise ClusterError(f"worker {worker}: {complaint}")
            found = result
        return found

    def _first_of(self, futures: list[Future[PlayedGame | None]]) -> Future[PlayedGame | None] | None:
        """A future that is done; None if there is none after _WAIT_S."""
        # Before Python 3.11 the two TimeoutErrors differ.
        with contextlib.suppress(TimeoutError, asyncio.TimeoutError, FutureCancelledError):
            wait(futures, _WAIT_S, return_when="FIRST_COMPLETED")
        return next((future for future in futures if future.done()), None)

    def run(self, state: MatchState) -> None:
        """Play until all games are played or the SPRT has decided. Raises MatchError."""
        running: dict[Future[PlayedGame | None], ScheduledGame] = {}
        warned = False

        def submit() -> None:
            # At most two tasks for each thread of the workers: the SPRT may stop the match at any time.
            while len(running) < 2 * sum(self._client.nthreads().values()) or not running:
                task = state.take()
                if task is None:
                    return
                future = self._client.submit(play_there, self._match, state.plan.config, task, pure=False)
                running[future] = task

        submit()
        try:
            while running:
                future = self._first_of(list(running))
                if future is None:
                    if not warned and not self._client.nthreads():
                        warned = True
                        print("sanqi match: the cluster has no workers left; waiting for some", file=sys.stderr)
                    continue
                task = running.pop(future)
                try:
                    record = future.result()
                except KilledWorker:
                    record = None
                except FutureCancelledError:
                    raise MatchError("the connection to the cluster is lost") from None
                if record is None:
                    state.requeue(task)
                else:
                    state.count(task, record)
                if state.decided:
                    break
                submit()
        finally:
            with contextlib.suppress(Exception):  # the cluster may be gone
                self._client.cancel(list(running))


# The code below runs on the cluster. Each thread of a Dask worker has its own worker process of ours. So the game does
# not share an interpreter with Dask, which would disturb its clock. And its engines end with the Dask worker in any
# case.


class _ThreadWorker:
    """The worker process of one thread, for one match."""

    def __init__(self, match: str, config: MatchConfig) -> None:
        self.match = match
        self.worker = Worker(config)
        self._idle: threading.Timer | None = None

    def play(self, task: ScheduledGame) -> PlayedGame:
        """Play a game. Raises WorkerDied."""
        if self._idle is not None:
            self._idle.cancel()
        record = self.worker.play(task)
        self._idle = threading.Timer(_IDLE_S, self.worker.close)
        self._idle.daemon = True
        self._idle.start()
        return record

    def close(self) -> None:
        """End the process."""
        if self._idle is not None:
            self._idle.cancel()
        self.worker.close()


_of_thread: dict[int, _ThreadWorker] = {}


def play_there(match: str, config: MatchConfig, task: ScheduledGame) -> PlayedGame | None:
    """Play a game on this thread's worker process; None: the process died during the game."""
    thread = threading.get_ident()
    own = _of_thread.get(thread)
    if own is None or own.match != match or own.worker.is_closed:  # it was idle for long
        if own is not None:
            own.close()
        own = _of_thread[thread] = _ThreadWorker(match, config)
    try:
        return own.play(task)
    except WorkerDied:
        del _of_thread[thread]
        own.close()
        return None


def end_workers(match: str) -> None:
    """End this machine's worker processes of a match, even during a game."""
    thread_workers = [each for each in list(_of_thread.values()) if each.match == match]
    for each in thread_workers:
        each.worker.shutdown()
    for each in thread_workers:
        each.close()


def version_there() -> str:
    """The version of the worker's sanqi."""
    return __version__
