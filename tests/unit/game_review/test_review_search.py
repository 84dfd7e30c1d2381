"""The searches of a review, on analysts of a pool."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

import pytest

from game_core.analysis import AnalysisError, Finding
from game_core.engine_analyst import EngineAnalyst
from game_review.analysis_pool import AnalystPool
from game_review.json_parts import write_part
from game_review.review_search import Done, Searcher, ended_value
from search_core.thinker import Limits
from ucci_engine.analysis import XiangqiSubject
from ucci_engine.points import START_FEN

GAME = XiangqiSubject(START_FEN, ["h2e2", "h9g7"], "Computer", 120)
MATED = XiangqiSubject("3k5/9/R8/1R7/9/9/9/9/9/4K4 w", ["b6d6"], "Computer", 120)


class Idle:
    """An analyst that finds nothing."""

    def analyse(self, task: Any, notify: Any) -> Finding:
        return Finding(())

    def snapshot(self) -> None:
        return None

    def stop(self) -> None:
        pass

    clear = close = stop


class Pool:
    """A pool, and the results as they come."""

    def __init__(self, analysts: Sequence[Any]) -> None:
        self.done: SimpleQueue[Done] = SimpleQueue()
        self._pool = AnalystPool[Searcher](analysts, self.done.put)
        self.close = self._pool.close

    def submit(self, key: tuple[Any, ...], work: Callable[[Searcher], Any]) -> None:
        self._pool.submit(Searcher(key, work))


def raising(error: Exception) -> Any:
    def work(searcher: Searcher) -> None:
        raise error

    return work


def test_a_job_that_fails_costs_its_result() -> None:
    pool = Pool([Idle()])
    pool.submit((0, "a"), raising(AnalysisError("no move")))
    pool.submit((0, "b"), raising(KeyError("x\ny")))
    pool.submit((0, "c"), lambda searcher: searcher.value(GAME, 0, Limits(nodes=1), "iccs"))
    pool.submit((0, "d"), lambda searcher: 5)
    assert [pool.done.get(timeout=20) for _ in range(4)] == [
        Done((0, "a"), None, "no move"),
        Done((0, "b"), None, r"""internal error: KeyError: "'x\\ny'" """.strip()),
        Done((0, "c"), None, "turn 0: nothing was found"),
        Done((0, "d"), 5),
    ]
    pool.close()


def test_jobs_come_by_their_priority() -> None:
    pool = Pool([Idle()])
    begun, go_on = threading.Event(), threading.Event()

    def block(searcher: Searcher) -> None:
        begun.set()
        go_on.wait(20)

    pool.submit((5, 0), block)
    assert begun.wait(20)
    for key in ((1, 1, "a"), (1, 0, "b"), (0, 1, "c"), (1, 0, "a")):
        pool.submit(key, lambda searcher: None)
    go_on.set()
    assert [pool.done.get(timeout=20).key for _ in range(5)] == [
        (5, 0), (0, 1, "c"), (1, 0, "b"), (1, 0, "a"), (1, 1, "a"),
    ]  # fmt: skip
    pool.close()


def test_a_value_of_our_engine() -> None:
    pool = Pool([EngineAnalyst(1)])
    pool.submit((0, 0), lambda searcher: searcher.value(GAME, 2, Limits(nodes=500), "wxf"))
    value = pool.done.get(timeout=20).found
    assert list(write_part(value)) == ["winrate", "wdl", "scoreCp", "pv", "pvNames"]
    assert sum(value.wdl) == pytest.approx(1, abs=1e-5) and len(value.pv) == len(value.pv_names) > 0
    pool.submit((0, 0), lambda searcher: searcher.value(MATED, 0, Limits(nodes=500), "wxf"))
    value = pool.done.get(timeout=20).found
    assert (value.mate, value.winrate, value.score_cp) == (1, 1.0, None)
    pool.close()


def test_the_value_of_an_end() -> None:
    value = ended_value(MATED.at(1))
    assert (value.winrate, value.wdl, value.pv) == (0.0, [0.0, 0.0, 1.0], [])
    assert value.ended == ("1-0", "mate")


def test_an_endless_search_is_ended() -> None:
    pool = Pool([EngineAnalyst(1), EngineAnalyst(1)])
    begun = threading.Event()

    def search(searcher: Searcher) -> None:
        begun.set()
        searcher.value(GAME, 0, Limits(nodes=10**12), "iccs")

    pool.submit((0, 0), search)
    pool.submit((0, 1), search)
    assert begun.wait(20)
    pool.close()
    assert pool.done.empty()
