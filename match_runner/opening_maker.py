"""Makes openings for matches: random ones, of which those stay that the engine's own search finds even."""

from __future__ import annotations

import contextlib
import itertools
import random
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, Protocol, TypeAlias

from search_core.engine import Engine, Limits, Result
from search_core.game import Game

MIN_PLIES, MAX_PLIES = 6, 10
"""Of an opening."""
MAX_CP = 50
"""How many centipawns either side may be ahead after an opening, by that search."""

_STAGES = ((2_000, 200), (20_000, 80), (200_000, MAX_CP))  # nodes and the largest score; most fail in a cheap one
_MAX_FAILURES = 20_000  # in a row: then there are no more openings
_AHEAD = 4  # candidates that wait for each job
_QUICK_NODES, _QUICK_HASH_MB = 20_000, 4

QuickSearch: TypeAlias = "Callable[[Game, Limits], Result]"
"""A short search that knows nothing of earlier ones."""


class Candidate(NamedTuple):
    """Random moves from the start of a game."""

    position: Game
    """After the moves."""
    text: str
    """The moves, as a line of a file of openings."""
    likeness: str
    """The same for all candidates that lead to this position or to a mirror image of it."""


class OpeningSource(Protocol):
    """Where the candidates of a game come from."""

    def draw(self, chance: random.Random, search: QuickSearch) -> Candidate | None:
        """A candidate of MIN_PLIES to MAX_PLIES; None: this draw has none. It depends only on `chance`. Several
        threads call this at the same time."""


class OpeningMaker:
    """Makes the openings of one seed. Their number and order do not depend on the number of jobs.

    Parameters
    ----------
    source : OpeningSource
    seed : int
    jobs : int
        Searches at the same time, each with one thread and a table of the default size.
    nodes : int
        Of the search that judges an opening.
    """

    def __init__(self, source: OpeningSource, seed: int, jobs: int, nodes: int) -> None:
        self._source = source
        self._seed = seed
        self._jobs = jobs
        self._nodes = nodes
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """End make() soon. Any thread may call it."""
        self._cancelled.set()

    def make(self, count: int) -> Iterator[Candidate]:
        """`count` openings, each as soon as it is found; fewer after cancel(), or if no more are found. Once only."""
        known: set[str] = set()
        failures = 0
        waiting: deque[Future[Candidate | None]] = deque()
        numbers = itertools.count()
        with _Judge(self._source, self._nodes, self._cancelled) as judge, ThreadPoolExecutor(self._jobs) as pool:
            try:
                while len(known) < count and failures < _MAX_FAILURES:
                    while len(waiting) < self._jobs * _AHEAD:
                        waiting.append(pool.submit(judge.judged, f"{self._seed} {next(numbers)}"))
                    found = waiting.popleft().result()
                    if self._cancelled.is_set():
                        return
                    if found is None or found.likeness in known:
                        failures += 1
                        continue
                    failures = 0
                    known.add(found.likeness)
                    yield found
            finally:
                self._cancelled.set()  # for those that still wait


class _Judge(contextlib.AbstractContextManager["_Judge"]):
    """Draws candidates and judges them, on any number of threads."""

    def __init__(self, source: OpeningSource, nodes: int, cancelled: threading.Event) -> None:
        self._source = source
        self._stages = [*(stage for stage in _STAGES if stage[0] < nodes), (nodes, MAX_CP)]
        self._cancelled = cancelled
        self._of_thread = threading.local()
        self._engines: list[Engine] = []

    def __exit__(self, *_: object) -> None:
        for engine in self._engines:
            engine.close()

    def judged(self, seed: str) -> Candidate | None:
        """The candidate of this seed, if it is even."""
        if self._cancelled.is_set():
            return None
        quick, thorough = self._own_engines()
        candidate = self._source.draw(random.Random(seed), lambda game, limits: _search(quick, game, limits))
        if candidate is None:
            return None
        for nodes, most_cp in self._stages:
            engine = thorough if nodes > _QUICK_NODES else quick
            if self._cancelled.is_set():
                return None
            result = _search(engine, candidate.position, Limits(nodes=nodes))
            # The score after the last complete iteration, and that of the move which the unfinished one has found.
            scores = [result.score, *(line.score for line in result.lines)]
            if any(abs(score) > most_cp for score in scores):
                return None
        return candidate

    def _own_engines(self) -> tuple[Engine, Engine]:
        """This thread's engines. The table of one is small: it is emptied often."""
        if not hasattr(self._of_thread, "engines"):
            quick, thorough = Engine(), Engine()
            quick.hash_mb = _QUICK_HASH_MB
            self._engines += quick, thorough
            self._of_thread.engines = quick, thorough
        engines: tuple[Engine, Engine] = self._of_thread.engines
        return engines


def _search(engine: Engine, game: Game, limits: Limits) -> Result:
    engine.new_game()  # so that the score depends on nothing else
    return engine.search(game, limits)
