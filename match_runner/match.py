"""A match of two engines: openings in pairs with colours swapped, games spread over threads, one score."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from match_runner.game import DRAW, FIRST_WINS, SECOND_WINS, Competitor, Effort, Game, GameRecord
from match_runner.openings import Opening
from match_runner.player import ThinkingLimit
from match_runner.specification import EngineSpecification
from match_runner.statistics import Elo, Sprt, estimate

FAULTS = {"crash": "crashes", "time": "time losses", "illegal": "illegal moves"}
LAST_GAME_S = 5.0
"""How long an interrupted match waits for its threads to notice that their engines are gone."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Everything that decides how a match goes. `max_plies` 0: no limit. `concurrency`: games at the same time."""

    game: Game
    engines: tuple[EngineSpecification, EngineSpecification]
    games: int
    openings: Sequence[Opening]
    limit: ThinkingLimit
    max_plies: int = 0
    concurrency: int = 1
    sprt: Sprt | None = None


@dataclass(slots=True)
class MatchScore:
    """The state of a match, all from the first engine's view; lists of two are the first's, then the second's."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    duplicates: int = 0
    faults: tuple[dict[str, int], dict[str, int]] = field(
        default_factory=lambda: (dict.fromkeys(FAULTS, 0), dict.fromkeys(FAULTS, 0))
    )
    efforts: tuple[Effort, Effort] = field(default_factory=lambda: (Effort(), Effort()))
    reasons: dict[str, int] = field(default_factory=dict)
    _points: dict[int, float] = field(default_factory=dict)
    _seen: set[tuple[int, ...]] = field(default_factory=set)

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    def pair_points(self) -> list[float]:
        """Points (0 to 2) of the pairs of which both games are over."""
        return [
            self._points[number] + self._points[number + 1]
            for number in sorted(self._points)
            if number % 2 == 0 and number + 1 in self._points
        ]

    def elo(self) -> Elo | None:
        return estimate(self.pair_points())

    def add(self, number: int, record: GameRecord) -> bool:
        """Count game `number` (from 0); the first engine moves first in the even ones. True if it is a duplicate."""
        first = number % 2
        points = {FIRST_WINS: 1.0, SECOND_WINS: 0.0, DRAW: 0.5}[record.result]
        points = 1 - points if first else points
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0
        self._points[number] = points
        self.reasons[record.reason] = self.reasons.get(record.reason, 0) + 1
        if record.reason in FAULTS:
            loser = 1 if points == 1 else 0
            self.faults[loser][record.reason] += 1
        for side, effort in enumerate(record.efforts):
            total = self.efforts[side ^ first]
            total.moves += effort.moves
            total.time_ms += effort.time_ms
            total.longest_ms = max(total.longest_ms, effort.longest_ms)
            total.depth += effort.depth
            total.nodes += effort.nodes
            total.nodes_ms += effort.nodes_ms
        duplicate = record.moves in self._seen
        self.duplicates += duplicate
        self._seen.add(record.moves)
        return duplicate


class Match:
    """Plays a plan. `on_game(number, record, duplicate, score)` is called for each game as it ends, one at a time."""

    def __init__(self, plan: MatchPlan, on_game: Callable[[int, GameRecord, bool, MatchScore], None]) -> None:
        self.plan = plan
        self.score = MatchScore()
        self._on_game = on_game
        self._lock = threading.Lock()
        self._next = 0
        self._over = False
        self._interrupted = False
        self._failure: BaseException | None = None
        self._players: list[Competitor] = []

    def run(self) -> MatchScore:
        """Play until the games are played, the SPRT has decided or KeyboardInterrupt. No engine outlives it."""
        count = max(1, min(self.plan.concurrency, self.plan.games))
        # The main thread plays no game: it must be free to take Ctrl-C at once. It waits for events and not
        # for threads: when Ctrl-C breaks off Thread.join(), Python 3.11 takes the thread for ended.
        ends = []
        try:
            for number in range(count):
                end = threading.Event()
                threading.Thread(target=self._work, args=(end,), name=f"games {number}", daemon=True).start()
                ends.append(end)
            for end in ends:
                while not end.wait(0.5):  # Windows takes Ctrl-C between waits only
                    pass
        except BaseException:
            self._interrupted = True
            raise
        finally:
            self._over = True
            with contextlib.ExitStack() as endings:  # a second Ctrl-C cuts one ending short, not the others
                for end in ends:
                    endings.callback(end.wait, LAST_GAME_S)
                for player in self._players:
                    endings.callback(player.retire)
        if self._failure is not None:
            raise self._failure
        return self.score

    def _work(self, end: threading.Event) -> None:
        first, second = (self.plan.game.player(specification) for specification in self.plan.engines)
        self._players += [first, second]
        try:
            while (number := self._take()) is not None:
                players = (second, first) if number % 2 else (first, second)
                opening = self.plan.openings[number // 2]
                record = self.plan.game.play(players, opening, self.plan.limit, self.plan.max_plies)
                self._count(number, record)
        except BaseException as error:  # noqa: BLE001 - shown by run(), on the main thread
            if not self._over:
                self._failure = error
                self._over = True
        finally:
            first.stop()
            second.stop()
            end.set()

    def _take(self) -> int | None:
        with self._lock:
            if self._over or self._next >= self.plan.games:
                return None
            self._next += 1
            return self._next - 1

    def _count(self, number: int, record: GameRecord) -> None:
        with self._lock:
            if self._interrupted:
                return  # the game is one that we ended ourselves
            duplicate = self.score.add(number, record)
            self._on_game(number, record, duplicate, self.score)
            if self.plan.sprt is not None and self.plan.sprt.verdict(self.score.pair_points()):
                self._over = True
