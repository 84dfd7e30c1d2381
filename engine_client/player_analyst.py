"""An engine of a match as an Analyst: what it says about a position, and nothing else."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from engine_client.player import Fault, Player
from engine_client.reports import Report
from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from game_core.analysis import AnalysisError, AnalysisTask, Finding, Variation
from search_core.line_protocol import excerpt

P = TypeVar("P", bound=Player)


class PlayerAnalyst(ABC, Generic[P]):
    """`timeout_s`: how long the engine may take for a position, in addition to the request's time.

    A subclass has the protocol and the game. An engine that crashes or does not answer is started again for the next
    position.
    """

    def __init__(self, specification: EngineSpecification, timeout_s: float) -> None:
        self._specification = specification
        self._timeout_s = timeout_s
        self._player: P | None = None
        self._task: AnalysisTask | None = None
        self._warned: set[str] = set()
        self._is_closed = False
        self._ending: threading.Thread | None = None
        self._ending_lock = threading.Lock()

    def analyse(self, task: AnalysisTask, notify: Callable[[str], None]) -> Finding:
        with self._ending_lock:
            ending, self._ending = self._ending, None
            self._task = task
        if ending is not None:  # the position needs an engine that nobody ends
            ending.join()
        self._begin()
        try:
            return self._ask(task, notify)
        except Fault as fault:
            name = self._player.name if self._player is not None else "the engine"
            if self._player is not None:
                self._player.stop()
            if task.stopped.is_set():  # it may have been ended for that
                return self._found(task) or Finding(())
            raise AnalysisError(f"{name}: {fault}") from None
        finally:
            self._task = None

    def snapshot(self) -> Finding | None:
        task = self._task
        return None if task is None else self._found(task)

    def stop(self) -> None:
        player = self._player
        if player is not None:
            self._end_search(player)

    def clear(self) -> None:
        if self._player is not None:
            self._player.stop()

    def close(self) -> None:
        self._is_closed = True
        if self._player is not None:
            self._player.shut_down_for_good()

    @property
    def is_stopped(self) -> bool:
        """Whether nobody waits for the running analysis."""
        return self._task is not None and self._task.stopped.is_set()

    def use(self, player: P) -> P:
        """Use another player from now on. Raises Fault if this analyst was closed meanwhile."""
        before, self._player = self._player, player
        if before is not None:
            before.stop()
        player.watch = self._hear
        if self._is_closed:
            raise Fault("crash", "was ended")
        return player

    def allowed_ms(self, task: AnalysisTask) -> float:
        """How long to wait for the answer."""
        return task.limits.hard_ms + 1000 * self._timeout_s

    def warn_once(self, text: str, notify: Callable[[str], None]) -> None:
        """Tell the user something about the engine that holds for every position."""
        if text not in self._warned:
            self._warned.add(text)
            notify(text)

    @abstractmethod
    def _begin(self) -> None:
        """Forget the reports on the position before."""

    @abstractmethod
    def _ask(self, task: AnalysisTask, notify: Callable[[str], None]) -> Finding:
        """Let the engine think. Raises Fault and AnalysisError."""

    @abstractmethod
    def _found(self, task: AnalysisTask, best: int | None = None) -> Finding | None:
        """What the engine has said so far about the position, first of all of the move `best`; None: nothing."""

    @abstractmethod
    def _read_move(self, text: str) -> int:
        """A move of the engine. Raises ValueError."""

    def _legal_line(self, task: AnalysisTask, moves: Sequence[str]) -> list[int]:
        """The moves up to the first that is not legal, or not written as one."""
        position: Any = task.turn.game
        position, line = position.copy(), []
        for text in moves:
            try:
                move = self._read_move(text)
                position.push(move)
            except ValueError:
                break
            line.append(move)
        return line

    def _finding(self, task: AnalysisTask, answered: str, only: Sequence[str] = ()) -> Finding:
        """What the engine has said, the move that it answered first; `only`: the moves that it may answer, if not all.
        Raises AnalysisError."""
        if not answered:
            found = self._found(task)
            if found is None:
                raise AnalysisError("the engine gave no move")
            return found
        best = self._legal_line(task, [answered])
        if not best:
            raise AnalysisError(f"the engine gave {excerpt(answered)}, which is not legal")
        if only and task.turn.move_text(best[0]) not in only:
            raise AnalysisError(f"the engine gave {excerpt(answered)}, which the request does not allow")
        return self._found(task, best[0]) or Finding((Variation((best[0],)),))

    @abstractmethod
    def _hear(self, report: Report) -> None:
        """A report of the engine, on another thread."""

    def _end_search(self, player: P) -> None:
        """Ask the engine for its answer at once; if the protocol has no word for it, end the engine."""
        self._end_engine(player, self._task)

    def _end_engine(self, player: P, task: AnalysisTask | None) -> None:
        """End the engine if it is still busy with a task. It gets a second to leave by itself. Does not wait."""
        with self._ending_lock:
            if task is not None and self._task is task and self._ending is None:
                # No daemon: the program does not end before the engine.
                self._ending = threading.Thread(target=player.stop, name="end of an engine", daemon=False)
                self._ending.start()


def thinking_limits(task: AnalysisTask) -> list[ThinkingLimit]:
    """The limits of a task, one by one."""
    limits = task.limits
    found = []
    if limits.hard_ms:
        found.append(ThinkingLimit(movetime_ms=limits.hard_ms))
    if limits.nodes:
        found.append(ThinkingLimit(nodes=limits.nodes))
    if limits.depth:
        found.append(ThinkingLimit(depth=limits.depth))
    return found
