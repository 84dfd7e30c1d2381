"""The searches of a review, as jobs for an analyst, and what they find."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from game_core.analysis import AnalysisError, AnalysisTask, Subject
from game_review.analysis_pool import Job, Stopped
from game_review.review_document import Ended, Value

if TYPE_CHECKING:
    from game_core.analysis import Analyst, Finding, Turn
    from game_core.analysis import Variation as FoundLine
    from game_core.json_fields import FieldError
    from search_core.thinker import Limits

_DIGITS = 6


class Done(NamedTuple):
    """The result of searches. `error`: why there is none; '': there is one."""

    key: tuple[Any, ...]
    found: Any
    error: str = ""


class Searcher(Job):
    """Makes searches one after another, with an analyst that has forgotten all others. Its result is a Done.

    Parameters
    ----------
    key : tuple
        Of the result. Its first two parts are the priority.
    make : callable
        Makes the searches by the methods of this object, and returns what they find.
    steps : int
        For the progress: how many positions are searched.
    """

    def __init__(self, key: tuple[Any, ...], make: Callable[[Searcher], Any], steps: int = 1) -> None:
        super().__init__(key[:2])
        self.key = key
        self.make = make
        self.steps = self._steps_left = steps
        self.advance: Callable[[int], None] = lambda steps: None
        """Gets a number of steps that are done."""
        self._analyst: Analyst | None = None

    def work(self, analyst: Analyst) -> Done:
        self._analyst = analyst
        analyst.clear()
        try:
            return Done(self.key, self.make(self))
        finally:
            self.advance(self._steps_left)

    def failure(self, error: AnalysisError | FieldError) -> Done:
        return Done(self.key, None, str(error))

    def value(self, subject: Subject, number: int, limits: Limits, notation: str) -> Value:
        """The value of a turn. Raises AnalysisError; Stopped."""
        turn = subject.at(number)
        if turn.ended is not None:
            self._step()
            return ended_value(turn)
        return line_value(turn, self.finding(subject, number, turn, limits).lines[0], notation)

    def finding(self, subject: Subject, number: int, turn: Turn, limits: Limits) -> Finding:
        """What a search of a turn finds, at least one line. Raises AnalysisError; Stopped."""
        assert self._analyst is not None
        finding = self.search(self._analyst, AnalysisTask(subject, number, turn, limits))
        if self.is_stopped:
            raise Stopped
        if not finding.lines:
            raise AnalysisError(f"turn {number}: nothing was found")
        self._step()
        return finding

    def _step(self) -> None:
        """A search is done. There may be more searches than steps."""
        if self._steps_left:
            self._steps_left -= 1
            self.advance(1)


def ended_value(turn: Turn) -> Value:
    """Of a position where the rules have ended the game."""
    assert turn.ended is not None
    result, reason, points = turn.ended
    return Value(points, list(turn.ended.chances), ended=Ended(result, reason), pv=[], pv_names=[])


def line_value(turn: Turn, line: FoundLine, notation: str) -> Value:
    """By the line that a search has found."""
    assert line.chances is not None
    return Value(
        round(line.chances.expected_score, _DIGITS),
        [round(each, _DIGITS) for each in line.chances],
        score_cp=line.score_cp if line.mate is None and line.rule_win is None else None,
        mate=line.mate,
        rule_win=line.rule_win if line.mate is None else None,
        pv=[turn.move_text(move) for move in line.pv],
        pv_names=turn.names(line.pv, notation),
    )
