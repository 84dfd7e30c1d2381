"""Searches of two threads, for ThreadSanitizer: everything that the main thread may do to them while they run.

Without it, they check only that each search gives one result.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from gomoku_protocol.points import move_at, parse_point
from gomoku_protocol.position import Position as GomokuPosition
from search_core.engine import Engine, Limits, Result
from search_core.game import Game
from ucci_engine.position import Position as XiangqiPosition

pytestmark = pytest.mark.sanitizer
WAIT_S = 120


def gomoku(rule: int) -> Game:
    game = GomokuPosition(15, 15, rule)
    for move in ["7,7", "8,8", "7,8", "8,7", "7,6", "7,9", "6,7", "5,7"]:
        game.push(move_at(*parse_point(move)))
    return game


GAMES: dict[str, Callable[[], Game]] = {
    "xiangqi": lambda: XiangqiPosition("r1bakab2/9/1cn4c1/p1p1p3p/6p2/2P6/P3P1P1P/1C2C1N2/9/R1BAKAB1R w"),
    "gomoku": lambda: gomoku(0),
    "renju": lambda: gomoku(4),
    "caro": lambda: gomoku(8),
}


class Host:
    """Starts searches and waits for what they report."""

    def __init__(self) -> None:
        self.engine = Engine()
        self.engine.hash_mb = 2
        self.engine.threads = 2
        self.results: list[Result] = []
        self.iteration = threading.Event()

    def go(self, game: Game, limits: Limits) -> None:
        self.iteration.clear()
        self.engine.go(game, limits, lambda info: self.iteration.set(), self.results.append)

    def go_and_stop(self, game: Game, limits: Limits) -> None:
        """Begin a search, probe the table meanwhile, and stop it after its first iteration."""
        self.go(game, limits)
        assert self.iteration.wait(WAIT_S)
        self.engine.probe(game)
        self.engine.stop()
        self.engine.wait()


@pytest.fixture
def host() -> Iterator[Host]:
    host = Host()
    yield host
    host.engine.close()


@pytest.mark.parametrize("name", GAMES)
def test_two_threads(host: Host, name: str) -> None:
    engine = host.engine
    make = GAMES[name]
    for _ in range(3):
        host.go_and_stop(make(), Limits(infinite=True))
    host.go(make(), Limits(infinite=True))  # stopped before, or while, it begins
    engine.stop()
    engine.wait()
    host.go(make(), Limits(nodes=40_000))
    engine.wait()
    host.go(make(), Limits(soft_ms=200, hard_ms=400, multipv=3))
    engine.wait()
    host.go(make(), Limits(ponder=True, soft_ms=50, hard_ms=100))
    assert host.iteration.wait(WAIT_S)
    engine.ponderhit()
    engine.wait()
    host.go(make(), Limits(ponder=True, soft_ms=50, hard_ms=100))
    engine.ponderhit()
    engine.wait()
    for megabytes in (1, 4, 2):
        engine.hash_mb = megabytes
        host.go_and_stop(make(), Limits(infinite=True))
    engine.new_game()
    host.go_and_stop(make(), Limits(infinite=True))
    engine.threads = 1
    host.go_and_stop(make(), Limits(infinite=True))
    engine.threads = 3
    host.go_and_stop(make(), Limits(infinite=True))
    assert len(host.results) == 14
    assert all(result.best is not None for result in host.results)
