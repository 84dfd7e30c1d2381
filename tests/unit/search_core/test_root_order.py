"""The root moves before the first iteration, and what a stop in that iteration gives."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace

import pytest

from gomoku_protocol.points import move_at, parse_point
from gomoku_protocol.position import Position as GomokuPosition
from search_core.engine import MATE, Engine, Info, Limits, Result
from search_core.game import Game
from search_core.search import Search
from search_core.signals import Signals
from search_core.transposition_table import TranspositionTable
from ucci_engine.points import move_text, parse_move
from ucci_engine.position import Position

Report = tuple[int, int, int, int, str, int, int, int, tuple[int, ...]]

IN_CHECK = "4k4/9/9/9/4r4/9/9/4B4/4A4/3RK3C w"
ONE_MOVE = "3k5/9/9/9/5r3/9/9/9/9/4K4 w"


def played(game: Position, *moves: str) -> Position:
    for move in moves:
        game.push(parse_move(move))
    return game


def gomoku(moves: str) -> GomokuPosition:
    game = GomokuPosition(15, 15, 0)
    for move in moves.split():
        game.push(move_at(*parse_point(move)))
    return game


GAMES: dict[str, Callable[[], Position | GomokuPosition]] = {
    "xiangqi": lambda: played(Position(), "h2e2"),
    "xiangqi, in check": lambda: Position(IN_CHECK),
    "xiangqi, one move": lambda: Position(ONE_MOVE),
    "gomoku": lambda: gomoku("7,7 8,8 7,8 8,7 7,6"),
    "gomoku, a four to stop": lambda: gomoku("7,7 0,0 7,8 0,2 7,9 0,4 7,10"),
    "gomoku, empty board": lambda: gomoku(""),
}


def stopped_before(game: Game, lines: int = 1, *, full_width: bool = False) -> tuple[Search, list[Report]]:
    """A search that was stopped before it began, and what it reported."""
    signals = Signals()
    signals.stop()
    reports: list[Report] = []
    search = Search(game, TranspositionTable(1), signals, lambda *report: reports.append(report))
    search.depth_limit = 99
    search.multipv = lines
    search.full_width = full_width
    search.init_root_moves()
    search.run()
    return search, reports


def test_root_moves_begin_in_the_order_of_their_static_scores() -> None:
    search = Search(played(Position(), "h2e2"), TranspositionTable(1), Signals())
    assert search.init_root_moves() == 45
    lines = [(score, move_text(pv[0])) for score, pv in search.lines()]
    assert lines == sorted(lines, key=lambda line: -line[0])
    assert all(abs(score) < MATE // 2 for score, _ in lines)
    # The first move of the game's list. It gives a cannon for a horse.
    assert [move for _, move in lines].index("b7b0") > 30


def test_a_quiet_move_that_hangs_its_piece_comes_late() -> None:
    search = Search(Position("4k4/9/9/9/4p4/R8/9/9/9/4K4 w"), TranspositionTable(1), Signals())
    search.init_root_moves()
    scores = {move_text(pv[0]): score for score, pv in search.lines()}
    assert scores["a4e4"] < scores["a4d4"] - 700


def test_a_mate_in_one_comes_first() -> None:
    search = Search(gomoku("7,7 0,0 7,8 0,2 7,9 0,4 7,10 0,6"), TranspositionTable(1), Signals())
    search.init_root_moves()
    score, pv = search.lines()[0]
    assert score == MATE - 1
    assert pv[0] in (move_at(7, 6), move_at(7, 11))


@pytest.mark.parametrize("name", GAMES)
def test_a_stop_before_the_search_still_sees_every_root_move(name: str) -> None:
    game = GAMES[name]()
    legal = set(game.legal_moves())
    search, reports = stopped_before(game)
    score, pv = search.lines()[0]
    assert pv[0] in legal
    assert abs(score) <= MATE
    assert reports[0][0] == 1 and reports[0][4] == "exact"
    # Its score may be that of the next iteration, which was broken off.
    assert reports[-1][8][0] == pv[0], "what is played was shown"
    assert search.nodes < 20_000
    full = Search(GAMES[name](), TranspositionTable(1), Signals(), lambda *report: None)
    full.depth_limit = 1
    full.init_root_moves()
    full.run()
    assert search.completed_depth > 1 or pv[0] == full.lines()[0][1][0]


def test_a_stop_among_the_lines_of_the_first_iteration_gives_the_finished_ones() -> None:
    search, reports = stopped_before(played(Position(), "h2e2"), lines=45)
    assert search.completed_depth == 0
    assert 1 <= len(reports) < 45
    assert [report[2] for report in reports] == list(range(len(reports)))
    assert all(abs(report[3]) < MATE // 2 and report[4] == "exact" for report in reports)
    assert search.lines()[0] == (reports[0][3], reports[0][8])


def test_a_helper_is_stopped_at_once() -> None:
    signals = Signals()
    signals.stop()
    search = Search(played(Position(), "h2e2"), TranspositionTable(1), signals)
    search.thread_index = 1
    search.init_root_moves()
    search.run()
    assert search.nodes <= 1


def test_a_search_without_a_report_keeps_its_limits() -> None:
    search = Search(played(Position(), "h2e2"), TranspositionTable(1), Signals())
    search.node_limit = 5_000
    search.init_root_moves()
    search.run()
    assert 5_000 <= search.nodes < 6_000
    assert search.completed_depth > 1


def test_the_first_look_is_bounded(toy_game: ModuleType) -> None:
    """Where quiescence has no end, a stop gives the best move by static score, and one line that shows it."""
    width, layers = 8, 60

    def value(node: int) -> int:
        return node * 7919 % 601 - 300

    endless = [
        SimpleNamespace(
            owner=layer % 2,
            value=value(layer * width + place),
            checked=True,
            drawn=False,
            key=(layer * width + place + 1) * 0x9E3779B97F4A7C15 % 2**64,
            edges=[
                SimpleNamespace(target=(layer + 1) * width + other, noisy=True, legal=True) for other in range(width)
            ]
            if layer + 1 < layers
            else [],
        )
        for layer in range(layers)
        for place in range(width)
    ]
    best = max(range(width), key=lambda other: value(width + other))
    search, reports = stopped_before(toy_game.Walk(endless, 0), full_width=True)
    assert search.lines()[0] == (value(width + best), (best + 1,))
    assert search.nodes < 10_000
    assert not reports

    engine = Engine()
    engine.hash_mb = 1
    engine.full_width = True
    infos: list[Info] = []
    results: list[Result] = []
    engine.go(toy_game.Walk(endless, 0), Limits(infinite=True), infos.append, results.append)
    engine.stop()
    engine.wait()
    assert (results[0].best, results[0].score, results[0].depth) == (best + 1, value(width + best), 0)
    assert [(info.depth, info.score, info.bound, info.pv) for info in infos] == [
        (1, results[0].score, "lower", (best + 1,))
    ]
