"""PyPI's pygomo-lib as manager: it starts the engine, parses what it says and judges the game by its own board."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pygomo import BitBoard, EngineClient  # type: ignore[import-untyped]
from pygomo.protocol.models import BoardPosition, Move  # type: ignore[import-untyped]

FREESTYLE, RENJU = 0, 4
PATIENCE = 60.0
"""Seconds after which a missing answer is a fault."""


@pytest.fixture
def clients(sanqi: str) -> Iterator[tuple[EngineClient, EngineClient]]:
    with EngineClient(sanqi) as first, EngineClient(sanqi) as second:
        yield first, second


@pytest.mark.parametrize(("rule", "size"), [(FREESTYLE, 15), (FREESTYLE, 20), (RENJU, 15)])
def test_whole_game(clients: tuple[EngineClient, EngineClient], rule: int, size: int) -> None:
    for client in clients:
        client.set_rule(rule)
        client.set_time(turn_time_ms=5000, match_time_ms=0)
        client.configure(max_node=2000)
        assert client.start(board_size=size, timeout=PATIENCE)
    board = BitBoard(size)
    move = clients[0].begin(timeout=PATIENCE).move
    mover = 1
    while True:
        move = Move(str(move))
        assert board.is_valid(move) and board.is_empty(move), f"illegal move {move}"
        board.place(move)
        if board.check_win(move) or board.is_full():
            break
        move = clients[mover].turn(move, timeout=PATIENCE).move
        mover = 1 - mover
    assert board.move_count >= 9
    for client in clients:
        assert client.restart(timeout=PATIENCE)


def test_position_search_report_and_taking_back(clients: tuple[EngineClient, EngineClient]) -> None:
    client, _ = clients
    assert client.start(board_size=15, timeout=PATIENCE)
    client.configure(show_detail=1, max_node=20000, timeout_turn=5000)
    position = BoardPosition([(Move((7, 7)), 1), (Move((8, 8)), 2)])
    answer = client.board(position, timeout=PATIENCE)
    assert Move(str(answer.move)) not in [Move((7, 7)), Move((8, 8))]
    reports = answer.all_info
    assert max(report.depth for report in reports) >= 3
    assert reports[-1].nodes > 1000
    assert all(report.pv for report in reports)
    assert client.takeback(answer.move, timeout=PATIENCE)
    assert "sanqi" in client.about(timeout=PATIENCE)
