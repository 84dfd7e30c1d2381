"""The engine's Junqi player: it thinks on a thread of its own, and answers by callback.

It sees a game as a PlayerView. The level "search" and those from 1 to 20 have a Searcher; each other level has a
function in CHOOSERS that finds its move.
"""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue

from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.levels import LEVELS, SEARCH, WEAKNESSES
from junqi_protocol.players.players import best_attack, choose, flag_captures
from junqi_protocol.players.searching import Searcher
from junqi_protocol.players.stop_flag import StopFlag
from search_core.clock import now_s
from search_core.line_protocol import LONGEST_WAIT_S, excerpt
from search_core.thinker import Info, Limits, Result

_STEP_MS = 30
"""What the level "expect" may take between two looks at the clock, on a machine that does nothing else."""

Chooser = Callable[[PlayerView, Limits, random.Random, StopFlag], int]
"""Finds a level's move for the seat on turn, which has a legal one. Returns soon after the flag is set.

What it ignores of the view's knowledge, such as `Belief.remarks`, it adds to `knowledge.remarks`.
"""


def _choose(level: str, view: PlayerView, limits: Limits, chance: random.Random, stop: StopFlag) -> int:
    asked, step_ms = now_s(), float(_STEP_MS)

    def is_due() -> bool:
        """Whether there is no time for a step as long as the longest so far."""
        nonlocal asked, step_ms
        step_ms = max(step_ms, 1000 * (now_s() - asked))
        asked = now_s()
        return stop.is_due_in(step_ms)

    return choose(level, view, chance, is_due)


CHOOSERS: dict[str, Chooser] = {level: partial(_choose, level) for level in LEVELS if level != SEARCH}
"""How each level that does not search finds its move."""
_LEAVE_FLAGS = ("events", "random")
"""Levels that do not always take a flag that they can take."""


class _Task:
    """One go(), until its result has been delivered."""

    def __init__(
        self,
        view: PlayerView,
        limits: Limits,
        level: str,
        chance: random.Random,
        searcher: Searcher,
        on_info: Callable[[Info], None] | None,
        on_result: Callable[[Result], None] | None,
        on_message: Callable[[str], None] | None,
        on_remark: Callable[[str], None] | None,
    ) -> None:
        self._began = now_s()
        self.limits = limits
        self.stop_flag = StopFlag(limits.hard_ms, limits.ponder)
        self.released = threading.Event()
        """Whether the result may be given."""
        self.delivered = threading.Event()
        self.on_result = on_result
        self.on_message = on_message
        self._on_remark = on_remark
        self._view = view
        self._level = level
        self._chance = chance
        self._searcher = searcher
        self._on_info = on_info
        if not limits.infinite and not limits.ponder:
            self.released.set()

    def result(self) -> Result:
        """Find the move; `best` is None if there is none. Raises what the level raises."""
        moves = self._moves()
        best = self._forced(moves)
        if best is not None or not moves:
            return self._result_of(best)
        if self._level == SEARCH:
            return self._searcher.find(
                self._view, self.limits, self.stop_flag, self.elapsed_ms, self._on_info, self.on_message
            )
        if self._level in WEAKNESSES:
            return self._searcher.find_weaker(
                self._view,
                self.limits,
                self.stop_flag,
                self.elapsed_ms,
                self._on_info,
                self.on_message,
                WEAKNESSES[self._level],
                self._chance,
            )
        return self._result_of(self._choose(moves))

    def random_result(self) -> Result:
        """Take any move instead of the level's."""
        moves = self._moves()
        return self._result_of(self._chance.choice(moves) if moves else None)

    def _result_of(self, best: int | None) -> Result:
        return Result(best, None, 0, 0, 0, self.elapsed_ms, ())

    @property
    def elapsed_ms(self) -> int:
        return int((now_s() - self._began) * 1000)

    def _moves(self) -> list[int]:
        """The moves that the limits allow."""
        limits = self.limits
        moves = limits.root_moves or self._view.position.legal_moves()
        return [move for move in moves if move not in limits.excluded_moves]

    def _forced(self, moves: list[int]) -> int | None:
        """A move that needs no thought."""
        view = self._view
        if len(moves) == 1:
            return self._chance.choice(moves)
        if self._level not in _LEAVE_FLAGS:
            captures = [move for move in flag_captures(view) if move in moves]
            if captures:
                return self._chance.choice(captures)
        if view.quiet_loses and 0 < view.quiet_limit <= view.position.quiet + 1:
            attack = best_attack(view, self._chance)
            return attack if attack in moves else None
        return None

    def _choose(self, moves: list[int]) -> int:
        view = self._view
        known = len(view.knowledge.remarks)
        move = CHOOSERS[self._level](view, self.limits, self._chance, self.stop_flag)
        if self._on_remark is not None:
            for remark in view.knowledge.remarks[known:]:
                self._on_remark(remark)
        return move if move in moves else self._chance.choice(moves)


class JunqiPlayer:
    """A Thinker for Junqi: finds moves for PlayerViews on one thread, which is kept until close().

    Parameters
    ----------
    level : str
        One of levels.CHOICES.
    chance : random.Random or None
        Makes a level's random choices; None: not repeatable.

    Attributes
    ----------
    on_remark : callable or None
        Gets what a level ignored of a view's knowledge, one line each, before the result and from another thread.
    level, chance, on_remark
        May be set at any time; they take effect at the next go().
    searcher : Searcher
        What the levels that look ahead think with.
    """

    def __init__(self, level: str = LEVELS[0], chance: random.Random | None = None) -> None:
        self.level = level
        self.chance = chance or random.Random()
        self.on_remark: Callable[[str], None] | None = None
        self.searcher = Searcher()
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._worker: threading.Thread | None = None
        self._task: _Task | None = None  # the last one
        self._thinking = False

    def go(
        self,
        view: PlayerView,
        limits: Limits,
        /,
        on_info: Callable[[Info], None] | None = None,
        on_result: Callable[[Result], None] | None = None,
        on_message: Callable[[str], None] | None = None,
    ) -> None:
        """Start to find a move for the seat on turn, which is one of the view's, and return at once.

        As Thinker.go(), but if a level fails, the result has a random legal move. Only levels
        that look ahead call `on_info`.
        """
        if self._thinking:
            raise RuntimeError("the player is thinking; stop() and wait() first")
        task = _Task(
            view.copy(),
            limits,
            self.level,
            self.chance,
            self.searcher,
            on_info,
            on_result,
            on_message,
            self.on_remark,
        )
        if self._worker is None:
            self._tasks = SimpleQueue()
            worker = threading.Thread(target=self._work, args=(self._tasks,), name="player", daemon=True)
            worker.start()
            self._worker = worker
        self._task = task
        self._thinking = True
        self._tasks.put(task)

    def stop(self) -> None:
        """Deliver the result at once. Harmless when idle. Any thread may call it."""
        task = self._task
        if task is not None:
            task.stop_flag.set()
            task.released.set()

    def ponderhit(self) -> None:
        """The pondered move was played: the clock starts now."""
        task = self._task
        if task is not None and task.limits.ponder:
            task.stop_flag.start_clock()
            if not task.limits.infinite:
                task.released.set()

    def wait(self) -> None:
        """Return when the result of the last go() has been delivered."""
        if self._task is not None and threading.current_thread() is not self._worker:
            while not self._task.delivered.wait(LONGEST_WAIT_S):
                pass

    def close(self) -> None:
        """Stop, wait, and end the thread."""
        self.stop()
        self.wait()
        if self._worker is not None:
            self._tasks.put(None)
            self._worker = None
        self.searcher.close()

    def _work(self, tasks: SimpleQueue[_Task | None]) -> None:
        while (task := tasks.get()) is not None:
            self._finish(task)

    def _finish(self, task: _Task) -> None:
        """Find a move and deliver it; whatever happens, a result is delivered."""
        result = None
        for find in (task.result, task.random_result):
            try:
                result = find()
                break
            except Exception as error:  # noqa: BLE001 - a result must be delivered
                if task.on_message is None:
                    _report_failure()
                else:
                    task.on_message(f"search failed: {type(error).__name__}: {excerpt(str(error))}")
        task.released.wait()
        self._thinking = False
        try:
            if task.on_result is not None:
                task.on_result(result or Result(None, None, 0, 0, 0, task.elapsed_ms, ()))
        except Exception:  # noqa: BLE001 - the thread serves the next go(), too
            _report_failure()
        finally:
            task.delivered.set()


def _report_failure() -> None:
    """Report the current exception as uncaught in this thread; the thread goes on."""
    threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
