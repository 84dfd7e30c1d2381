"""The match's side of its worker processes."""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import threading

from match_runner.game import PlayedGame
from match_runner.match import MatchConfig, MatchError
from match_runner.schedule import ScheduledGame
from match_runner.trial import Trial, TrialResult
from match_runner.worker import LAST_GAME_S
from search_core.child_process import ChildProcess

COMMAND = "match-worker"
"""The command of the bundled program, which cannot run a module in another way."""
_MARK = "SANQI_MATCH_WORKER"
"""Environment variable that marks the processes of one worker."""
_GOODBYE_S = LAST_GAME_S + 2


class WorkerDied(Exception):
    """The worker's process is gone, and its game is lost."""


class Worker:
    """A process that plays one game at a time. Raises OSError if it cannot be started."""

    def __init__(self, config: MatchConfig) -> None:
        self._closing = threading.Lock()
        self._closed = False
        if getattr(sys, "frozen", False):
            command = [sys.executable, COMMAND]
        else:
            # With our own sys.path, so that the worker imports no module from the user's folder.
            code = f"import sys; sys.path[:] = {sys.path!r}; from match_runner.worker import main; sys.exit(main())"
            command = [sys.executable, "-c", code]
        self._child = ChildProcess(command, _MARK, bufsize=-1)
        self._process = self._child.popen
        with contextlib.suppress(OSError):
            self._send(config)

    def play(self, task: ScheduledGame) -> PlayedGame:
        """Play a game. Raises WorkerDied; MatchError for a bug of ours, which the worker prints on stderr."""
        answer = self._ask(task)
        if not isinstance(answer, PlayedGame):
            raise MatchError(f"game {task.number + 1} could not be played: {answer}")
        return answer

    def try_engines(self) -> TrialResult:
        """Start and end all engines. Raises WorkerDied."""
        answer = self._ask(Trial())
        return answer if isinstance(answer, TrialResult) else TrialResult(str(answer))

    def _ask(self, question: ScheduledGame | Trial) -> object:
        assert self._process.stdout is not None
        try:
            self._send(question)
            return pickle.load(self._process.stdout)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            raise WorkerDied from None

    def shutdown(self) -> None:
        """Tell the worker to end its game and exit; returns at once. Any thread may call this."""
        assert self._process.stdin is not None
        with self._closing, contextlib.suppress(OSError):
            self._process.stdin.close()

    @property
    def is_closed(self) -> bool:
        """Whether close() was called."""
        return self._closed

    def close(self) -> None:
        """End the worker and its child processes. Any thread may call this, also more than once."""
        self.shutdown()
        with self._closing:
            if self._closed:
                return
            self._closed = True
            try:
                self._process.wait(_GOODBYE_S)
            except subprocess.TimeoutExpired:
                pass
            finally:  # Ctrl-C may interrupt the wait
                self._child.kill()  # also the engines, if the worker itself was killed
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdout.close()

    def _send(self, message: MatchConfig | ScheduledGame | Trial) -> None:
        assert self._process.stdin is not None
        pickle.dump(message, self._process.stdin)
        self._process.stdin.flush()


def try_engines(config: MatchConfig) -> TrialResult:
    """Start and end all engines on this machine. No engine is left, even if this process is killed."""
    worker = Worker(config)
    try:
        return worker.try_engines()
    except WorkerDied:
        return TrialResult("a worker process ended while it tested the engines")
    finally:
        worker.close()
