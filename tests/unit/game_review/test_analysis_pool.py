"""Many positions on few analysts: the order, the ends, and what a failure costs."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from game_core.analysis import AnalysisError, AnalysisTask, Finding, Variation
from game_review.analysis_job import TurnJob, jobs_of
from game_review.analysis_pool import AnalystPool
from game_review.analysis_request import Query
from search_core.thinker import Limits
from ucci_engine.analysis import XiangqiSubject

TIMEOUT_S = 10


class Analyst:
    """Says the first legal move once it is released or stopped; fails if the task's node limit is 666 or 667."""

    def __init__(self) -> None:
        self.begun: queue.SimpleQueue[AnalysisTask] = queue.SimpleQueue()
        self.may_end = threading.Semaphore(0)
        self.cleared = 0
        self.closed = False
        self.task: AnalysisTask | None = None

    def analyse(self, task: AnalysisTask, notify: Callable[[str], None]) -> Finding:
        self.task = task
        self.begun.put(task)
        assert self.may_end.acquire(timeout=TIMEOUT_S)
        if task.limits.nodes == 666:
            raise AnalysisError("it does not know")
        if task.limits.nodes == 667:
            raise KeyError("oops")
        if task.limits.nodes == 668:
            notify("a remark")
        return Finding((Variation((task.turn.legal_moves()[0],)),))

    def snapshot(self) -> Finding | None:
        return None if self.task is None else Finding((Variation((self.task.turn.legal_moves()[0],)),), depth=1)

    def stop(self) -> None:
        self.may_end.release()

    def clear(self) -> None:
        self.cleared += 1

    def close(self) -> None:
        self.closed = True
        self.may_end.release()


class Bench:
    """A pool with one analyst, and what it delivers."""

    def __init__(self) -> None:
        self.analyst = Analyst()
        self.delivered: queue.SimpleQueue[tuple[dict[str, Any], bool]] = queue.SimpleQueue()
        self.pool = AnalystPool[TurnJob]([self.analyst], lambda found: self.delivered.put((found, True)))

    def submit(self, query: Query) -> None:
        self.pool.submit(*jobs_of(query, lambda found: self.delivered.put((found, False))))

    def terminate(self, id: str | None) -> None:
        for job in self.pool.drop(lambda job: id in (None, job.query.id)):
            self.delivered.put((job.no_results(), True))

    def ask(self, id: str, *, nodes: int = 1, turns: tuple[int, ...] = (0,), **more: Any) -> None:
        subject = XiangqiSubject("rnbakabnr/9/9/4p4/9/9/4P4/9/9/RNBAKABNR w", ["a0a5", "a9a6"], "Computer", 120)
        self.submit(Query(id, subject, turns, Limits(nodes=nodes), ("iccs",), **more))

    def begin(self) -> int:
        """The turn that the analyst begins with next."""
        return self.analyst.begun.get(timeout=TIMEOUT_S).number

    def answer(self) -> dict[str, Any]:
        """Let the analyst answer; its answer, which must be a last one."""
        self.analyst.may_end.release()
        return self.next()

    def next(self, is_last: bool = True) -> dict[str, Any]:
        found, last = self.delivered.get(timeout=TIMEOUT_S)
        assert last == is_last, found
        return found


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.pool.close()
    assert made.analyst.closed


def test_priority_then_arrival(bench: Bench) -> None:
    bench.ask("running")
    bench.begin()
    for id, priority in (("a", 0), ("b", -1), ("c", 5), ("d", 0), ("e", 5)):
        bench.ask(id, priority=priority)
    assert [bench.answer()["id"] for _ in range(6)] == ["running", "c", "e", "a", "d", "b"]


def test_turns_in_the_order_of_the_request(bench: Bench) -> None:
    bench.ask("a", turns=(2, 0, 1))
    assert [bench.answer()["turnNumber"] for _ in range(3)] == [2, 0, 1]


def test_an_answer(bench: Bench) -> None:
    bench.ask("a", turns=(1,))
    assert bench.answer() == {
        "id": "a",
        "turnNumber": 1,
        "isDuringSearch": False,
        "toMove": "black",
        "perspective": "sideToMove",
        "rootInfo": {},
        "moveInfos": [{"order": 0, "move": "e9e8", "names": {"iccs": "E9-E8"}, "pv": ["e9e8"],
                       "pvNames": {"iccs": ["E9-E8"]}}],
        "ended": None,
    }  # fmt: skip


@pytest.mark.parametrize(("nodes", "error"), [(666, "it does not know"), (667, "internal error: KeyError: \"'oops'\"")])
def test_a_failure_costs_one_turn(bench: Bench, nodes: int, error: str) -> None:
    bench.ask("bad", nodes=nodes, turns=(1,))
    bench.ask("good")
    assert bench.answer() == {"id": "bad", "turnNumber": 1, "error": error}
    assert bench.answer()["id"] == "good"


def test_a_remark_is_no_answer(bench: Bench) -> None:
    bench.ask("a", nodes=668)
    bench.begin()
    bench.analyst.may_end.release()
    assert bench.next(is_last=False) == {"id": "a", "warning": "a remark"}
    assert bench.next()["id"] == "a"


def test_terminate(bench: Bench) -> None:
    bench.ask("a", turns=(0, 1, 2))
    bench.begin()
    bench.ask("b")
    bench.terminate("a")
    gone = {"id": "a", "isDuringSearch": False, "noResults": True}
    found = sorted((bench.next() for _ in range(3)), key=lambda answer: answer["turnNumber"])
    assert found[0]["moveInfos"]  # what was found so far
    assert found[1:] == [{**gone, "turnNumber": 1}, {**gone, "turnNumber": 2}]
    assert bench.answer()["id"] == "b"


def test_terminate_all(bench: Bench) -> None:
    bench.ask("a")
    bench.begin()
    bench.ask("b")
    bench.ask("c")
    bench.terminate(None)
    assert {bench.next()["id"] for _ in range(3)} == {"a", "b", "c"}


def test_terminate_what_is_not_there(bench: Bench) -> None:
    bench.ask("a")
    bench.begin()
    bench.terminate("b")
    bench.terminate("")
    assert bench.answer()["id"] == "a"


def test_reports_during_the_search(bench: Bench) -> None:
    bench.ask("a", report_every_s=0.001)
    bench.begin()
    for _ in range(3):
        report = bench.next(is_last=False)
        assert (report["id"], report["isDuringSearch"], report["rootInfo"]) == ("a", True, {"depth": 1})
    bench.analyst.may_end.release()
    while (following := bench.delivered.get(timeout=TIMEOUT_S))[1] is False:
        assert following[0]["isDuringSearch"]
    assert following[0]["isDuringSearch"] is False


def test_clear_cache_comes_before_the_next_position(bench: Bench) -> None:
    bench.ask("a")
    bench.begin()
    bench.pool.clear_cache()
    bench.pool.clear_cache()
    assert bench.analyst.cleared == 0
    bench.ask("b")
    bench.answer()
    bench.begin()
    assert bench.analyst.cleared == 1
    bench.answer()


def test_moves_are_those_that_the_request_allows(bench: Bench) -> None:
    bench.ask("a", allowed=("a0a1", "A0-A2"), avoided=("a0a1",), turns=(0,))
    limits = bench.analyst.begun.get(timeout=TIMEOUT_S).limits
    assert (len(limits.root_moves), len(limits.excluded_moves)) == (2, 1)
    bench.answer()


def test_a_move_that_is_not_legal_costs_one_turn(bench: Bench) -> None:
    bench.ask("a", allowed=("e0e1",), turns=(1, 0))
    error = "allowMoves: 'e0e1' is not legal here"
    assert bench.next() == {"id": "a", "turnNumber": 1, "error": error, "field": "allowMoves"}
    assert bench.answer()["moveInfos"]


def test_the_end_of_the_game_needs_no_analyst(bench: Bench) -> None:
    subject = XiangqiSubject("4k4/R8/1R7/9/9/9/9/9/9/3K5 w", ["b7b9"], "Computer", 120)
    bench.submit(Query("mated", subject, (1,), Limits(nodes=1), ("iccs",)))
    found = bench.next()
    assert found["ended"] == {"result": "1-0", "reason": "mate"}
    assert (found["toMove"], found["rootInfo"]) == ("black", {"winrate": 0.0, "wdl": [0.0, 0.0, 1.0], "nodes": 0})
    assert found["moveInfos"] == []


def test_close_does_not_wait_for_one_analyst_after_another() -> None:
    together = threading.Barrier(3, timeout=TIMEOUT_S)

    class Slow(Analyst):
        def close(self) -> None:
            together.wait()
            super().close()

    analysts = [Slow() for _ in range(3)]
    AnalystPool[TurnJob](analysts, lambda found: None).close()
    assert all(analyst.closed for analyst in analysts)


def test_close_ends_what_runs_and_drops_what_waits() -> None:
    bench = Bench()
    bench.ask("a")
    bench.begin()
    bench.ask("b")
    bench.pool.close()
    assert bench.next()["id"] == "a"
    assert bench.delivered.empty()
