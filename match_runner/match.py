"""A match: its games, its conditions and its state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine_client.specification import EngineSpecification
from engine_client.time_control import ThinkingLimit
from match_runner.game import MatchConditions, MatchGame, PlayedGame
from match_runner.schedule import Schedule, ScheduledGame
from match_runner.score import MatchScore
from match_runner.statistics import Sprt

OnGame = Callable[[ScheduledGame, PlayedGame, bool, MatchScore], None]
"""Called for each finished game, one at a time: the task, the game, whether it is a duplicate, and the score including
it."""


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """What a worker needs to play a game of the match."""

    game: MatchGame
    engines: tuple[EngineSpecification, ...]
    conditions: MatchConditions
    live_folder: Path | None = None
    """Where games in progress are shown; None: nowhere."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """All settings of a match. `sprt`: the test of the first two engines."""

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
        """How long the engines think: one text if all limits are the same, else one per engine."""
        limits = {name: str(limit) for name, limit in self.limits().items()}
        if len(set(limits.values())) == 1:
            return next(iter(limits.values()))
        return ", ".join(f"{name} {limit}" for name, limit in limits.items())

    def identity(self) -> dict[str, Any]:
        """What identifies the match, for JSON. The number of games and the SPRT are left out, so a resumed match may
        change them."""
        limit, max_plies, adjudication = self.config.conditions
        return {
            "terms": self.config.game.terms(),
            "engines": [engine.identity() for engine in self.engines],
            "tournament": self.schedule.tournament,
            "limit": limit.identity(),
            "max_plies": max_plies,
            "adjudication": {name: getattr(adjudication, name) for name in adjudication.__slots__},
        }


MAX_DEATHS = 3
"""The match stops when this many workers have died in the same game."""


class MatchError(Exception):
    """The match cannot go on; the message is for the user."""


class MatchState:
    """The games to play, and the score of those already played.

    Not thread-safe: only one thread at a time may call `take` and `count`.
    """

    def __init__(self, plan: MatchPlan, on_game: OnGame) -> None:
        self.plan = plan
        self.score = MatchScore(len(plan.engines))
        self._on_game = on_game
        self._played: set[int] = set()
        self._tasks: Iterator[ScheduledGame] = iter(plan.schedule)
        self._again: list[ScheduledGame] = []
        self._deaths: dict[int, int] = {}

    def remember(self, task: ScheduledGame, record: PlayedGame) -> None:
        """Count a game of an earlier run of the match."""
        self._played.add(task.number)
        self._add(task, record)

    @property
    def decided(self) -> bool:
        """Whether the SPRT has ended."""
        return bool(self.score.verdict)

    def take(self) -> ScheduledGame | None:
        """The next game to play; None: there is none."""
        if self.decided:
            return None
        if self._again:
            return self._again.pop()
        return next((task for task in self._tasks if task.number not in self._played), None)

    def requeue(self, task: ScheduledGame) -> None:
        """Queue a game again after its worker died. Raises MatchError if MAX_DEATHS workers died in it."""
        self._deaths[task.number] = self._deaths.get(task.number, 0) + 1
        if self._deaths[task.number] >= MAX_DEATHS:
            raise MatchError(f"game {task.number + 1}: {MAX_DEATHS} worker processes died of it")
        self._again.append(task)

    def count(self, task: ScheduledGame, record: PlayedGame) -> None:
        """Count a game that was played."""
        duplicate = self._add(task, record)
        self._on_game(task, record, duplicate, self.score)

    def _add(self, task: ScheduledGame, record: PlayedGame) -> bool:
        duplicate = self.score.add(task, record)
        # The verdict is final: games that were still running then do not change it.
        if self.plan.sprt is not None and not self.score.verdict:
            self.score.verdict = self.plan.sprt.verdict(self.score.first.pairs)
        return duplicate
