"""What is shown of several lines: none that ends where a window failed, and first the move that is played."""

from __future__ import annotations

import pytest

from gomoku_protocol.points import move_at
from gomoku_protocol.position import Position as GomokuPosition
from search_core.engine import Engine, Info, Limits, Result
from search_core.game import Game
from ucci_engine.points import parse_move
from ucci_engine.position import Position

MIDDLE = "r1bakab1r/9/1cn2cn2/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKAB1R w"
SHARP = "2bak4/4a4/4b3n/4p1N1p/2p6/4P1P2/P1r5P/2N1C4/4A4/3AK2R1 w"


def xiangqi(fen: str = "", *moves: str) -> Position:
    position = Position(fen) if fen else Position()
    for move in moves:
        position.push(parse_move(move))
    return position


def gomoku() -> GomokuPosition:
    position = GomokuPosition(15, 15, 0)
    for point in ((7, 7), (7, 8), (8, 8), (6, 6), (9, 7)):
        position.push(move_at(*point))
    return position


def searched(game: Game, limits: Limits) -> tuple[list[Info], Result]:
    engine = Engine()
    engine.hash_mb = 1
    infos: list[Info] = []
    results: list[Result] = []
    engine.go(game, limits, infos.append, results.append)
    engine.wait()
    return infos, results[0]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every iteration takes long."""
    monkeypatch.setattr("search_core.engine._SLOW_MS", -1)


@pytest.mark.usefixtures("slow")
def test_one_line_shows_where_its_window_fails() -> None:
    games = (xiangqi(), xiangqi(MIDDLE), xiangqi(SHARP))
    infos = [info for game in games for info in searched(game, Limits(depth=9))[0]]
    assert {"exact"} < {info.bound for info in infos}


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("game", [xiangqi(), xiangqi(MIDDLE), xiangqi(SHARP), gomoku()])
@pytest.mark.parametrize("lines", [2, 5])
def test_several_lines_show_no_bound(game: Game, lines: int) -> None:
    infos, _ = searched(game, Limits(depth=7, multipv=lines))
    assert {info.bound for info in infos} == {"exact"}
    # A host that keeps the first report of each line at a depth has them all, best first.
    for depth in range(1, 8):
        shown = [info for info in infos if info.depth == depth]
        assert [info.multipv for info in shown] == list(range(1, lines + 1))
        assert len({info.pv[0] for info in shown}) == lines
        assert [info.score for info in shown] == sorted((info.score for info in shown), reverse=True)


@pytest.mark.usefixtures("slow")
def test_a_search_that_is_cut_short_plays_the_first_line_that_it_has_shown() -> None:
    for fen in ("", MIDDLE, SHARP):
        for nodes in range(500, 16_000, 500):
            infos, result = searched(xiangqi(fen), Limits(nodes=nodes, multipv=3))
            assert {info.bound for info in infos} == {"exact"}
            shown = tuple({info.multipv: info for info in infos}.values())
            assert result.best == shown[0].pv[0]
            assert result.lines == shown
            assert len({info.pv[0] for info in shown}) == len({info.depth for info in shown}) + 2 == 3
