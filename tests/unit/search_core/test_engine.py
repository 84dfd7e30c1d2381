"""The engine without the memory or threads that it needs: still one result, one line for the user, and it goes on."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from types import ModuleType, SimpleNamespace

import pytest

import search_core.table_fill
from search_core.engine import Engine, Info, Limits, Result
from search_core.game import Game
from search_core.transposition_table import TranspositionTable
from ucci_engine.position import Position

RUNGS = 40
LADDER = [
    SimpleNamespace(
        owner=rung % 2,
        value=rung * 37 % 100,
        checked=False,
        drawn=False,
        key=(rung + 1) * 0x9E3779B97F4A7C15 % 2**64,
        edges=[
            SimpleNamespace(target=rung + step, noisy=False, legal=True) for step in (1, 2, 3) if rung + step < RUNGS
        ],
    )
    for rung in range(RUNGS)
]
"""A toy graph: the side to move climbs one, two or three rungs."""


def searched(engine: Engine, game: Game) -> tuple[Result, list[str]]:
    """The only result of a search, and the messages before it."""
    results: list[Result] = []
    messages: list[str] = []
    engine.go(game, Limits(depth=4), on_result=results.append, on_message=messages.append)
    engine.wait()
    assert not engine.thinking
    assert len(results) == 1
    return results[0], messages


@pytest.fixture
def engine() -> Engine:
    engine = Engine()
    engine.hash_mb = 1
    return engine


@pytest.fixture
def game(toy_game: ModuleType) -> Game:
    walk: Game = toy_game.Walk(LADDER, 0)
    return walk


@pytest.fixture
def rationed(toy_game: ModuleType) -> Callable[[Exception], Game]:
    """A game that gives one copy of itself, for go(), and raises when asked for another."""

    def make(error: Exception) -> Game:
        class Rationed(toy_game.Walk):  # type: ignore[misc, name-defined]
            copies = 0

            def copy(self) -> Game:
                self.copies += 1
                if self.copies > 1:
                    raise error
                return self

        return Rationed(LADDER, 0)

    return make


def test_a_search_without_memory_fails_with_one_result(engine: Engine, game: Game, toy_game: ModuleType) -> None:
    huge = toy_game.Walk(LADDER, 0, 1 << 24)  # its square is beyond any address space
    result, messages = searched(engine, huge)
    assert (result.best, result.lines) == (None, ())
    assert messages == ["search failed: MemoryError: 'no memory for a search thread'"]
    result, messages = searched(engine, game)
    assert result.best is not None and not messages


def test_a_search_that_raises_fails_with_one_result(
    engine: Engine, game: Game, rationed: Callable[[Exception], Game]
) -> None:
    engine.threads = 2
    result, messages = searched(engine, rationed(ValueError("two\nlines")))
    assert result.best is None
    assert messages == [r"search failed: ValueError: 'two\nlines'"]
    result, messages = searched(engine, game)
    assert result.best is not None and not messages


def test_a_failed_infinite_search_gives_its_result_at_the_stop(
    engine: Engine, rationed: Callable[[Exception], Game]
) -> None:
    engine.threads = 2
    results: list[Result] = []
    failed = threading.Event()
    engine.go(
        rationed(ValueError("broken")),
        Limits(infinite=True),
        on_result=results.append,
        on_message=lambda text: failed.set(),
    )
    assert failed.wait(30)
    assert engine.thinking and not results
    engine.stop()
    engine.wait()
    assert [result.best for result in results] == [None]


def test_a_failure_without_a_listener_is_not_lost(
    engine: Engine, rationed: Callable[[Exception], Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: SimpleQueue[BaseException | None] = SimpleQueue()
    monkeypatch.setattr(threading, "excepthook", lambda failure: failures.put(failure.exc_value))
    error = ValueError("broken")
    results: list[Result] = []
    engine.threads = 2
    engine.go(rationed(error), Limits(depth=2), on_result=results.append)
    engine.wait()
    assert [result.best for result in results] == [None]
    assert failures.get(timeout=30) is error


@pytest.mark.parametrize("failing_depth", [1, 3])
def test_a_callback_that_fails_ends_the_search_with_one_result(engine: Engine, game: Game, failing_depth: int) -> None:
    told: list[int] = []

    def on_info(info: Info) -> None:
        told.append(info.depth)
        if info.depth == failing_depth:
            raise ValueError("the host is gone")

    results: list[Result] = []
    messages: list[str] = []
    engine.go(game, Limits(depth=30), on_info, results.append, messages.append)
    engine.wait()
    assert told[-1] == failing_depth
    assert [result.best for result in results] == [None]
    assert messages == ["search failed: ValueError: 'the host is gone'"]
    assert searched(engine, game)[0].best is not None


def test_a_callback_that_fails_without_a_listener_is_not_lost(
    engine: Engine, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: SimpleQueue[BaseException | None] = SimpleQueue()
    monkeypatch.setattr(threading, "excepthook", lambda failure: failures.put(failure.exc_value))
    error = KeyError("broken")

    def on_info(info: Info) -> None:
        raise error

    results: list[Result] = []
    engine.go(game, Limits(depth=4), on_info, results.append)
    engine.wait()
    assert [result.best for result in results] == [None]
    assert failures.get(timeout=30) is error


def test_a_search_that_is_stopped_at_once_has_searched_its_move() -> None:
    """At least one ply deep: the first move of the list would lose a piece."""
    engine = Engine()
    engine.hash_mb = 1
    position = Position("3k5/9/9/9/9/9/3r5/9/3R5/4K4 w - - 0 1")  # the chariot can take a chariot
    results: list[Result] = []
    for _ in range(20):
        engine.go(position, Limits(infinite=True), on_result=results.append)
        engine.stop()
        engine.wait()
    engine.close()
    assert {result.lines[0].pv[0] for result in results} == {results[0].best}
    assert all(result.depth >= 1 and result.score > 0 for result in results)


def test_the_memory_of_a_table_is_given_back_before_the_next_one_takes_any(
    engine: Engine, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []

    class WatchedTable(TranspositionTable):
        def __init__(self, megabytes: int) -> None:
            events.append(f"took {self.megabytes}")

        def release(self) -> None:
            events.append(f"gave {self.megabytes}")
            super().release()

    monkeypatch.setattr(search_core.table_fill, "TranspositionTable", WatchedTable)
    for megabytes in (2, 3, 3, 1):
        engine.hash_mb = megabytes
        searched(engine, game)
        engine.probe(game)
        engine.new_game()
    engine.close()
    assert engine.probe(game) is None
    assert events == ["took 2", "gave 2", "took 3", "gave 3", "took 1", "gave 1"]


def test_a_table_without_a_thread_to_prepare_it(engine: Engine, game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = {"table"}
    start = threading.Thread.start

    def limited(thread: threading.Thread) -> None:
        if thread.name in refused:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    assert engine.ensure_table(lambda: None)  # no callback will come
    assert searched(engine, game)[0].best is not None
    refused.clear()
    ready = threading.Event()
    assert engine.ensure_table(ready.set) or ready.wait(30)
    assert searched(engine, game)[0].best is not None


def test_all_who_asked_for_the_table_are_notified(engine: Engine) -> None:
    told: SimpleQueue[int] = SimpleQueue()
    engine.hash_mb = 64
    asked = [engine.ensure_table(lambda number=number: told.put(number)) for number in range(3)]  # type: ignore[misc]
    engine.hash_mb = 32
    asked.append(engine.ensure_table(lambda: told.put(3)))
    assert sorted(told.get(timeout=30) for ready in asked if not ready) == [
        number for number, ready in enumerate(asked) if not ready
    ]
    assert engine.ensure_table()
    engine.close()


def test_more_threads_than_the_processors_serve_are_reported_once(engine: Engine, game: Game) -> None:
    served = 4 * (os.cpu_count() or 1)
    engine.threads = served + 1
    assert searched(engine, game)[1] == [f"threads: {served + 1} asked, using {served}"]
    assert searched(engine, game)[1] == []


def test_memory_for_fewer_threads_is_reported(
    engine: Engine, game: Game, rationed: Callable[[Exception], Game]
) -> None:
    engine.threads = 2
    assert searched(engine, game)[1] == []
    result, messages = searched(engine, rationed(MemoryError()))
    assert result.best is not None
    assert messages == ["threads: 2 asked, using 1"]


def test_threads_that_the_system_refuses(engine: Engine, game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, _ = searched(engine, game)
    engine.threads = 3
    searched(engine, game)
    engine.new_game()
    refused = {"helper"}
    start = threading.Thread.start

    def limited(thread: threading.Thread) -> None:
        if thread.name in refused:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    result, messages = searched(engine, game)
    assert messages == ["threads: 3 asked, using 1"]
    assert (result.best, result.nodes) == (alone.best, alone.nodes)  # threads that did not run add no nodes
    refused.add("search")
    with pytest.raises(RuntimeError, match="can't start"):
        engine.go(game, Limits(depth=2))
    refused.clear()
    assert searched(engine, game)[0].best is not None


def test_the_last_line_shown_begins_with_the_move_played() -> None:
    """Also when the search stops just after it has changed its best move, as here at 4,500 or 20,000 nodes."""
    for nodes in range(500, 24_000, 500):
        engine = Engine()
        engine.hash_mb = 1
        position = Position("1rbak3r/4a4/2n1b1n2/p1C1p1p2/7c1/6P1p/P1P1PR2P/c1N1B1NC1/3RA4/4KAB2 w - - 15 13")
        shown: list[Info] = []
        results: list[Result] = []
        engine.go(position, Limits(nodes=nodes), shown.append, results.append)
        engine.wait()
        assert shown[-1].pv[0] == results[0].best
        engine.close()


def test_no_iteration_begins_after_the_soft_limit_of_nodes() -> None:
    with Engine() as engine:
        engine.hash_mb = 1
        soft = engine.search(Position(), Limits(soft_nodes=2000))
        engine.new_game()
        whole = engine.search(Position(), Limits(depth=soft.depth))
        engine.new_game()
        before = engine.search(Position(), Limits(depth=soft.depth - 1))
    assert before.nodes < 2000 <= soft.nodes
    assert (soft.nodes, soft.best, soft.score) == (whole.nodes, whole.best, whole.score)
