"""Worker processes as the match sees them."""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import threading

from match_runner.game import PlayedGame
from match_runner.match import MatchConfig, MatchError
from match_runner.schedule import Task
from match_runner.trial import Trial, TrialResult
from match_runner.worker import LAST_GAME_S
from search_core.child_process import ChildProcess

COMMAND = "match-worker"
"""Of the bundled program, which has no other way to run a module."""
_MARK = "SANQI_MATCH_WORKER"
"""In the environment of a worker and of all that it starts: which one it was."""
_GOODBYE_S = LAST_GAME_S + 2


class WorkerDied(Exception):
    """The worker's process is gone, and its game with it."""


class Worker:
    """A process that plays one game at a time. Raises OSError if it cannot be started."""

    def __init__(self, config: MatchConfig) -> None:
        self._closing = threading.Lock()
        self._closed = False
        if getattr(sys, "frozen", False):
            command = [sys.executable, COMMAND]
        else:
            # With our own path: what lies in the user's folder is none of its business.
            code = f"import sys; sys.path[:] = {sys.path!r}; from match_runner.worker import main; sys.exit(main())"
            command = [sys.executable, "-c", code]
        self._child = ChildProcess(command, _MARK, bufsize=-1)
        self._process = self._child.popen
        with contextlib.suppress(OSError):
            self._send(config)

    def play(self, task: Task) -> PlayedGame:
        """Have a game played. Raises WorkerDied, or MatchError for a fault of ours, shown on stderr by the worker."""
        answer = self._ask(task)
        if not isinstance(answer, PlayedGame):
            raise MatchError(f"game {task.number + 1} could not be played: {answer}")
        return answer

    def try_engines(self) -> TrialResult:
        """Start all engines, and end them. Raises WorkerDied."""
        answer = self._ask(Trial())
        return answer if isinstance(answer, TrialResult) else TrialResult(str(answer))

    def _ask(self, question: Task | Trial) -> object:
        assert self._process.stdout is not None
        try:
            self._send(question)
            return pickle.load(self._process.stdout)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            raise WorkerDied from None

    def shutdown(self) -> None:
        """Tell it to end its game and go, and return at once. May be called by any thread."""
        assert self._process.stdin is not None
        with self._closing, contextlib.suppress(OSError):
            self._process.stdin.close()

    def close(self) -> None:
        """Have it gone, with all that it started. May be called by any thread, and again."""
        self.shutdown()
        with self._closing:
            if self._closed:
                return
            self._closed = True
            try:
                self._process.wait(_GOODBYE_S)
            except subprocess.TimeoutExpired:
                pass
            finally:  # Ctrl-C may break off the wait
                self._child.kill()  # also the engines of one that was killed itself
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdout.close()

    def _send(self, message: MatchConfig | Task | Trial) -> None:
        assert self._process.stdin is not None
        pickle.dump(message, self._process.stdin)
        self._process.stdin.flush()


def try_engines(config: MatchConfig) -> TrialResult:
    """Start all engines on this machine, and end them. Whatever becomes of us meanwhile, none is left."""
    worker = Worker(config)
    try:
        return worker.try_engines()
    except WorkerDied:
        return TrialResult("a worker process ended as it was to try the engines")
    finally:
        worker.close()
