"""A match: what is played under which conditions, and the games as they come in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from match_runner.game import Game, MatchConditions, PlayedGame
from match_runner.schedule import Schedule, Task
from match_runner.score import MatchScore
from match_runner.specification import EngineSpecification
from match_runner.statistics import Sprt
from match_runner.time_control import ThinkingLimit

OnGame = Callable[[Task, PlayedGame, bool, MatchScore], None]
"""Called for each game as it ends, one at a time: what was played, how it went, whether it is a duplicate, and the
score with it."""


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """What whoever plays a game of the match has to know."""

    game: Game
    engines: tuple[EngineSpecification, ...]
    conditions: MatchConditions


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Everything that decides how a match goes. `sprt`: of the first two engines."""

    config: MatchConfig
    schedule: Schedule
    sprt: Sprt | None = None

    @property
    def engines(self) -> tuple[EngineSpecification, ...]:
        return self.config.engines

    def limits(self) -> dict[str, ThinkingLimit]:
        """How long each engine thinks, by its name."""
        return {engine.name: self.config.conditions.limit_of(engine) for engine in self.engines}

    def limits_text(self) -> str:
        """How long the engines think: in common, or of each."""
        limits = {name: str(limit) for name, limit in self.limits().items()}
        if len(set(limits.values())) == 1:
            return next(iter(limits.values()))
        return ", ".join(f"{name} {limit}" for name, limit in limits.items())

    def identity(self) -> dict[str, Any]:
        """What makes it this match and no other, for JSON. How many games, and when to stop, may be thought over."""
        limit, max_plies, adjudication = self.config.conditions
        return {
            "terms": self.config.game.terms(),
            "engines": [engine.identity() for engine in self.engines],
            "tournament": self.schedule.tournament,
            "limit": limit.identity(),
            "max_plies": max_plies,
            "adjudication": {name: getattr(adjudication, name) for name in adjudication.__slots__},
        }


MOST_DEATHS = 3
"""Workers that one game may cost before the match gives up."""


class MatchError(Exception):
    """The match cannot go on; the message is for the user."""


class MatchState:
    """The games that are still to be played, and the score of those that were.

    `take` and `count` are for one thread at a time.
    """

    def __init__(self, plan: MatchPlan, on_game: OnGame) -> None:
        self.plan = plan
        self.score = MatchScore(len(plan.engines))
        self._on_game = on_game
        self._played: set[int] = set()
        self._tasks: Iterator[Task] = iter(plan.schedule)
        self._again: list[Task] = []
        self._deaths: dict[int, int] = {}

    def remember(self, task: Task, record: PlayedGame) -> None:
        """Count a game of an earlier run of the match."""
        self._played.add(task.number)
        self._add(task, record)

    @property
    def decided(self) -> bool:
        """Whether the SPRT has had enough."""
        return bool(self.score.verdict)

    def take(self) -> Task | None:
        """The next game to be played; None: there is none."""
        if self.decided:
            return None
        if self._again:
            return self._again.pop()
        return next((task for task in self._tasks if task.number not in self._played), None)

    def requeue(self, task: Task) -> None:
        """Have a game whose worker died played once more. Raises MatchError if it was not the first."""
        self._deaths[task.number] = self._deaths.get(task.number, 0) + 1
        if self._deaths[task.number] >= MOST_DEATHS:
            raise MatchError(f"game {task.number + 1}: {MOST_DEATHS} worker processes died of it")
        self._again.append(task)

    def count(self, task: Task, record: PlayedGame) -> None:
        """Count a game that was played."""
        duplicate = self._add(task, record)
        self._on_game(task, record, duplicate, self.score)

    def _add(self, task: Task, record: PlayedGame) -> bool:
        duplicate = self.score.add(task, record)
        # A verdict stands, whatever the games say that were being played when it came.
        if self.plan.sprt is not None and not self.score.verdict:
            self.score.verdict = self.plan.sprt.verdict(self.score.first.pairs)
        return duplicate
