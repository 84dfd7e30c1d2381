"""The data of a match's report, game by game. Their size is limited, whatever the number of games."""

from __future__ import annotations

import contextlib
import math
from bisect import bisect_left
from collections import Counter
from typing import NamedTuple

from board_pages.playback import Playback
from match_runner.game import PlayedGame
from match_runner.match import MatchPlan
from match_runner.openings import Opening
from match_runner.schedule import ScheduledGame
from match_runner.score import FAULTS, MatchScore

MAX_POINTS = 300
"""Points of a curve; a longer one keeps every second, fourth, ... point."""
MAX_GAMES = 1000
"""Games that are listed one by one."""
MAX_PLAYED = 10_000
"""Games that the report's viewer can play."""
MAX_FAULTY = 50
"""Games lost by a fault that are listed one by one."""
TIME_CLASSES_MS = tuple(digit * 10**power for power in range(7) for digit in (1, 2, 5))
"""Upper bounds of the classes in the histogram of move times."""


class ListedGame(NamedTuple):
    """A game in a list; `opening_number` is the opening's number in the match. Both numbers count from 1. `playback`
    None: the viewer cannot show its moves."""

    number: int
    names: tuple[str, str]
    result: str
    reason: str
    detail: str
    plies: int
    opening_number: int
    opening: Opening
    duplicate: bool
    playback: Playback | None


class Curve:
    """Values over an increasing number, such as the number of games."""

    def __init__(self) -> None:
        self._points: list[tuple[float, ...]] = []
        self._last: tuple[float, ...] | None = None
        self._added = 0
        self._every = 1

    def add(self, *point: float) -> None:
        """Add a point: the number, and its values."""
        self._last = point
        if self._added % self._every == 0:
            self._points.append(point)
            if len(self._points) > MAX_POINTS:
                del self._points[1::2]
                self._every *= 2
        self._added += 1

    def points(self) -> list[tuple[float, ...]]:
        """The points kept, always with the newest."""
        if self._last is None or self._points[-1] == self._last:
            return self._points
        return [*self._points, self._last]


class MoveTimes:
    """Wall times of an engine's moves in ms. `sums` and `counts` are by the number of the engine's move in the game;
    index 0 is its first move. `classes` counts the moves by index in TIME_CLASSES_MS; longer times have one index
    more."""

    def __init__(self) -> None:
        self.sums: list[float] = []
        self.counts: list[int] = []
        self.classes: Counter[int] = Counter()

    def add(self, move: int, time_ms: float) -> None:
        """Count a move."""
        while len(self.sums) < move:
            self.sums.append(0.0)
            self.counts.append(0)
        self.sums[move - 1] += time_ms
        self.counts[move - 1] += 1
        self.classes[bisect_left(TIME_CLASSES_MS, time_ms)] += 1


class MatchHistory:
    """The course of a match.

    Attributes
    ----------
    elo : Curve
        With two engines: Elo of the first one over the games, and the bounds of its interval. Infinite values are left
        out.
    llr : Curve
        The LLR of the SPRT over the games.
    percents : list of Curve
        The score of each engine over its own games.
    openings : dict
        By the opening's number in the match, from 1: the pairs that the first engine played, and its points in them.
    lengths : Counter
        Games by number of plies.
    times : list of MoveTimes
        For each engine.
    games, faulty : list of ListedGame
        The first MAX_PLAYED games by number; the first MAX_FAULTY games lost by a fault, in the order they ended.
    faults : int
        The number of games lost by a fault.
    """

    def __init__(self, plan: MatchPlan) -> None:
        self.elo = Curve()
        self.llr = Curve()
        self.percents = [Curve() for _ in plan.engines]
        self.openings: dict[int, tuple[int, float]] = {}
        self.lengths: Counter[int] = Counter()
        self.times = [MoveTimes() for _ in plan.engines]
        self.games: list[ListedGame] = []
        self.faulty: list[ListedGame] = []
        self.faults = 0
        self._plan = plan
        self._pairings = len(plan.schedule.pairings)
        self._engines = {engine.name: number for number, engine in enumerate(plan.engines)}
        self._score = MatchScore(len(plan.engines))

    def add(self, number: int, record: PlayedGame) -> None:
        """Count game `number`, from 1."""
        first, second = record.names
        task = ScheduledGame(number - 1, (self._engines[first], self._engines[second]), record.opening)
        duplicate = self._score.add(task, record)
        opening = task.number // 2 // self._pairings + 1
        self._list(number, record, opening, duplicate)
        self.lengths[len(record.moves)] += 1
        self._count_times(task, record)
        for player in task.players:
            engine = self._score.engines[player]
            self.percents[player].add(engine.games, engine.percent_of_games)
        points = self._score.pair_points
        if points is not None and task.pairing[0] == 0:
            pairs, sum_of_points = self.openings.get(opening, (0, 0.0))
            self.openings[opening] = pairs + 1, sum_of_points + points
        if points is not None and len(self._plan.engines) == 2:
            self._follow()

    def _list(self, number: int, record: PlayedGame, opening: int, duplicate: bool) -> None:
        playback = None
        if number <= MAX_PLAYED:
            with contextlib.suppress(ValueError, LookupError):  # a game file may contain anything
                playback = self._plan.config.game.playback(record)
        end = record.names, record.result, record.reason, record.detail, len(record.moves)
        game = ListedGame(number, *end, opening, record.opening, duplicate, playback)
        if number <= MAX_PLAYED:
            self.games.append(game)
        if game.reason in FAULTS:
            self.faults += 1
            if self.faults <= MAX_FAULTY:
                self.faulty.append(game)

    def _count_times(self, task: ScheduledGame, record: PlayedGame) -> None:
        moves = [0, 0]
        for stats in record.move_stats:
            moves[stats.side] += 1
            self.times[task.players[stats.side]].add(moves[stats.side], stats.time_ms)

    def _follow(self) -> None:
        """Add to the curves after a pair of games between two engines."""
        tally = self._score.first
        elo = tally.elo()
        if elo is not None and math.isfinite(elo.low) and math.isfinite(elo.high):
            self.elo.add(self._score.games, elo.difference, elo.low, elo.high)
        if self._plan.sprt is not None:
            self.llr.add(self._score.games, self._plan.sprt.llr(tally.pairs))
