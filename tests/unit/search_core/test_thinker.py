"""All thinkers keep one contract: the engine, the classic players of Xiangqi and the Junqi player."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import pytest

from junqi_protocol.knowledge.player_view import PlayerView
from junqi_protocol.players.player import JunqiPlayer
from junqi_protocol.rules.lineup import parse
from search_core.engine import Engine
from search_core.thinker import Limits, Result
from search_core.thinking_thread import ThinkingThread
from ucci_engine.classic_player import ClassicPlayer
from ucci_engine.position import Position

PATIENCE_S = 30
LINEUP = parse("96317/5.3.5/81.37/B.2.4/6M2MB/4FM21")


@dataclass
class Case:
    """A thinker, and what it can think about."""

    thinker: ThinkingThread[Any]
    position: Any
    legal_moves: list[int]
    change: Callable[[], None]
    """Changes the position."""

    def go(self, limits: Limits) -> SimpleQueue[Result]:
        """Begin to think; returns the queue of results."""
        results: SimpleQueue[Result] = SimpleQueue()
        self.thinker.go(self.position, limits, on_result=results.put)
        return results

    def result_of(self, limits: Limits) -> Result:
        """The only result."""
        results = self.go(limits)
        self.thinker.wait()
        assert results.qsize() == 1
        return results.get()


def board_game() -> Case:
    engine = Engine()
    engine.hash_mb = 1
    position = Position()
    return Case(engine, position, position.legal_moves(), lambda: position.push(position.legal_moves()[0]))


def classic() -> Case:
    position = Position()
    player = ClassicPlayer("classic-4ply")
    return Case(player, position, position.legal_moves(), lambda: position.push(position.legal_moves()[0]))


def junqi() -> Case:
    view = PlayerView("duel", (0,), {0: LINEUP})
    return Case(JunqiPlayer("path"), view, view.position.legal_moves(), lambda: view.left(0, "resign"))


@pytest.fixture(params=[board_game, classic, junqi])
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    made: Case = request.param()
    yield made
    made.thinker.close()


QUICK = Limits(depth=2)
ENDLESS = Limits(infinite=True)


def test_one_result_with_a_legal_move(case: Case) -> None:
    for _ in range(5):
        assert case.result_of(QUICK).best in case.legal_moves


def test_an_infinite_search_gives_its_result_at_the_stop_and_once(case: Case) -> None:
    results = case.go(ENDLESS)
    assert results.empty()
    case.thinker.ponderhit()
    assert results.empty()
    case.thinker.stop()
    case.thinker.stop()
    case.thinker.wait()
    assert results.qsize() == 1
    assert results.get().best in case.legal_moves


def test_a_pondering_one_gives_it_at_the_ponderhit(case: Case) -> None:
    results = case.go(Limits(ponder=True, depth=2))
    assert results.empty()
    case.thinker.ponderhit()
    assert results.get(timeout=PATIENCE_S).best in case.legal_moves


def test_a_stop_does_not_affect_later_searches(case: Case) -> None:
    case.thinker.stop()
    results = case.go(ENDLESS)
    assert results.empty()
    case.thinker.stop()
    case.thinker.wait()
    case.thinker.stop()
    assert results.qsize() == 1
    assert case.result_of(QUICK).best in case.legal_moves


def test_a_busy_thinker_refuses_and_thinks_on(case: Case) -> None:
    results = case.go(ENDLESS)
    with pytest.raises(RuntimeError, match="stop\\(\\) and wait\\(\\) first"):
        case.go(QUICK)
    assert results.empty()
    case.thinker.stop()
    case.thinker.wait()
    assert results.qsize() == 1


def test_close_ends_the_thinking_with_its_result(case: Case) -> None:
    results = case.go(ENDLESS)
    case.thinker.close()
    assert results.qsize() == 1
    case.thinker.close()
    assert case.result_of(QUICK).best in case.legal_moves


def test_the_position_may_change_meanwhile(case: Case) -> None:
    results = case.go(ENDLESS)
    case.change()
    case.thinker.stop()
    assert results.get(timeout=PATIENCE_S).best in case.legal_moves


def test_the_next_search_may_begin_in_the_callback(case: Case) -> None:
    results: SimpleQueue[Result] = SimpleQueue()
    case.thinker.go(
        case.position, QUICK, on_result=lambda result: case.thinker.go(case.position, QUICK, on_result=results.put)
    )
    assert results.get(timeout=PATIENCE_S).best in case.legal_moves


def test_root_moves(case: Case) -> None:
    first, *others = case.legal_moves
    assert case.result_of(Limits(depth=2, root_moves=(first,))).best == first
    assert case.result_of(Limits(depth=2, excluded_moves=tuple(others))).best == first
    assert case.result_of(Limits(depth=2, excluded_moves=tuple(case.legal_moves))).best is None


def test_callbacks_come_from_another_thread(case: Case) -> None:
    threads: SimpleQueue[threading.Thread] = SimpleQueue()
    case.thinker.go(case.position, QUICK, on_result=lambda result: threads.put(threading.current_thread()))
    assert threads.get(timeout=PATIENCE_S) is not threading.current_thread()
