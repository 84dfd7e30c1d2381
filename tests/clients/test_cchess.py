"""PyPI cchess drives the engine over UCCI and UCI: it sends CRLF, `setoption name X value Y`, only `position fen`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

cchess = pytest.importorskip("cchess")
from cchess.engine import EngineManager  # type: ignore[import-untyped]  # noqa: E402

SCORE_OF_THE_LOST = 30000
"""What EngineManager reports when the engine has no move."""
MATED = "3rkr3/9/9/9/9/9/9/9/4p4/3K5 w - - 0 1"
START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """cchess looks for an answer only every 0.2 s: let it look more often."""
    hurried = SimpleNamespace(time=time.time, sleep=lambda seconds: time.sleep(seconds / 10))
    monkeypatch.setattr("cchess.engine.time", hurried)


@pytest.fixture(params=["ucci", "uci"])
def load(request: pytest.FixtureRequest, sanqi: str) -> Iterator[Callable[[dict[str, object]], EngineManager]]:
    """Loads the engine into a manager of cchess, with options and limits of one move."""
    managers: list[EngineManager] = []

    def load_engine(limits: dict[str, object], options: dict[str, object] | None = None) -> EngineManager:
        manager = EngineManager()
        managers.append(manager)
        method = manager.load_ucci if request.param == "ucci" else manager.load_uci
        assert method(sanqi, options or {}, limits)
        return manager

    yield load_engine
    for manager in managers:
        manager.engine.running = False  # its reader would spin on the closed pipe
        manager.quit()
        manager.engine.process.wait()


def test_plays_and_reports(load: Callable[..., EngineManager]) -> None:
    manager = load({"depth": 5}, {"hashsize": 16, "Threads": 1})
    assert manager.engine.ids["name"].startswith("sanqi")
    board = cchess.ChessBoard(START)
    for _ in range(6):
        action = manager.run_engine(board.to_fen())
        assert action["action"] == "bestmove"
        assert abs(action["score"]) < 1000
        assert action["moves"][0] == action["move"]
        assert board.move_iccs(action["move"]) is not None
        board.next_turn()


def test_mate_is_found_and_no_move_is_reported(load: Callable[..., EngineManager]) -> None:
    manager = load({"depth": 6})
    mate_in_one = "4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1"
    action = manager.run_engine(mate_in_one)
    board = cchess.ChessBoard(mate_in_one)
    board.move_iccs(action["move"])
    board.next_turn()
    assert board.no_moves()
    assert manager.run_engine(MATED)["score"] == SCORE_OF_THE_LOST
