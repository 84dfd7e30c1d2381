"""Does the searches of reviews, one on each analyst at the same time."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Sequence
from itertools import count
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from game_core.analysis import AnalysisError, Subject, Task
from search_core.line_protocol import excerpt

if TYPE_CHECKING:
    from game_core.analysis import Analyst, Finding, Line, Turn
    from search_core.thinker import Limits

Value = dict[str, Any]
"""What a position is worth for the side to move: `winrate` and `wdl`; `scoreCp`, `mate` or `ruleWin`; `pv` and
`pvNames`; `ended` if the rules have ended the game there. As in the answers of `sanqi analyse`."""
_DIGITS = 6


class Stopped(Exception):
    """The searches are to end."""


class Searcher:
    """An analyst, and whether it is to stop. `advance` is called with a number of steps that are done."""

    def __init__(
        self, analyst: Analyst, stopped: threading.Event, advance: Callable[[int], None] = lambda steps: None
    ) -> None:
        self._analyst = analyst
        self._stopped = stopped
        self._advance = advance
        self._steps_left = 0

    def do(self, job: Job) -> Any:
        """Do a job. Raises AnalysisError; Stopped."""
        self._steps_left = job.steps
        try:
            return job.work(self)
        finally:
            self._advance(self._steps_left)

    def clear(self) -> None:
        """Forget what was learnt."""
        self._analyst.clear()

    def value(self, subject: Subject, number: int, limits: Limits, notation: str) -> Value:
        """The value of a turn. Raises AnalysisError; Stopped."""
        turn = subject.at(number)
        if turn.ended is not None:
            self._step()
            return ended_value(turn)
        return line_value(turn, self.finding(subject, number, turn, limits).lines[0], notation)

    def finding(self, subject: Subject, number: int, turn: Turn, limits: Limits) -> Finding:
        """What a search of a turn finds, at least one line. Raises AnalysisError; Stopped."""
        if self._stopped.is_set():
            raise Stopped
        task = Task(subject, number, turn, limits)
        task.stopped = self._stopped
        finding = self._analyst.analyse(task, lambda text: None)
        if self._stopped.is_set():
            raise Stopped
        if not finding.lines:
            raise AnalysisError(f"turn {number}: nothing was found")
        self._step()
        return finding

    def _step(self) -> None:
        """A search is done. A job may make more searches than it has steps."""
        if self._steps_left:
            self._steps_left -= 1
            self._advance(1)


def ended_value(turn: Turn) -> Value:
    """Of a position where the rules have ended the game."""
    assert turn.ended is not None
    points = turn.ended.points
    wdl = [float(points == 1), float(points == 0.5), float(points == 0)]
    ended = {"result": turn.ended.result, "reason": turn.ended.reason}
    return {"winrate": points, "wdl": wdl, "pv": [], "pvNames": [], "ended": ended}


def line_value(turn: Turn, line: Line, notation: str) -> Value:
    """By the line that a search has found."""
    assert line.chances is not None
    wdl = [round(each, _DIGITS) for each in line.chances]
    value: Value = {"winrate": round(line.chances.expected_score, _DIGITS), "wdl": wdl}
    for name, known in (("mate", line.mate), ("ruleWin", line.rule_win), ("scoreCp", line.score_cp)):
        if known is not None:
            value[name] = known
            break
    value["pv"] = [turn.move_text(move) for move in line.pv]
    value["pvNames"] = turn.names(line.pv, notation)
    return value


class Job(NamedTuple):
    """Searches for one analyst, one after another."""

    key: tuple[Any, ...]
    """Of the result."""
    work: Callable[[Searcher], Any]
    steps: int = 1
    """For the progress: how many positions are searched."""


class Done(NamedTuple):
    """The result of a job. `error`: why there is none; '': there is one."""

    key: tuple[Any, ...]
    found: Any
    error: str = ""


class ReviewPool:
    """Each analyst has a thread of its own. Results come in the queue `done`. `advance` gets the steps of the jobs as
    they are done, on these threads."""

    def __init__(self, analysts: Sequence[Analyst], advance: Callable[[int], None] = lambda steps: None) -> None:
        self.done: SimpleQueue[Done] = SimpleQueue()
        self._analysts = analysts
        self._advance = advance
        self._changed = threading.Condition()
        self._waiting: list[tuple[tuple[int, ...], int, Job]] = []
        self._numbers = count()
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, args=(analyst,), name=f"reviewer {index}", daemon=True)
            for index, analyst in enumerate(analysts)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, priority: tuple[int, ...], job: Job) -> None:
        """Do a job; the smallest priority comes first."""
        with self._changed:
            heapq.heappush(self._waiting, (priority, next(self._numbers), job))
            self._changed.notify()

    def close(self) -> None:
        """End everything. Returns when the threads are gone."""
        with self._changed:
            self._stopped.set()
            self._waiting.clear()
            self._changed.notify_all()
        for analyst in self._analysts:
            analyst.stop()
        for thread in self._threads:
            thread.join()
        for analyst in self._analysts:
            analyst.close()

    def _work(self, analyst: Analyst) -> None:
        searcher = Searcher(analyst, self._stopped, self._advance)
        while (job := self._next()) is not None:
            try:
                self.done.put(Done(job.key, searcher.do(job)))
            except Stopped:
                return
            except AnalysisError as error:
                self.done.put(Done(job.key, None, str(error)))
            except Exception as error:  # noqa: BLE001 - the other games are not at fault
                text = f"internal error: {type(error).__name__}: {excerpt(str(error))}"
                self.done.put(Done(job.key, None, text))

    def _next(self) -> Job | None:
        """The next job; None: there will be none."""
        with self._changed:
            while not self._waiting and not self._stopped.is_set():
                self._changed.wait()
            return None if self._stopped.is_set() else heapq.heappop(self._waiting)[2]
