"""A stop soon after `go`, or at once: a longer search finds the move not much worse than its own."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gomoku_protocol.points import move_at, parse_point
from gomoku_protocol.position import Position as GomokuPosition
from search_core.engine import MATE, Engine, Limits, Result
from ucci_engine.points import parse_move
from ucci_engine.position import Position as XiangqiPosition

if TYPE_CHECKING:
    from collections.abc import Callable

    from search_core.game import Game
    from tests.protocol.conftest import HostMaker, ProgramHost

POSITIONS = Path(__file__).parent.parent.parent / "benchmarks" / "quiet_middle_games.txt"
STOPS = 20
LATEST_STOP_S = 0.05
WORST = 200
REFERENCE_NODES = 60_000
"""About the nodes of a search of a tenth of a second. benchmarks/early_stop.py compares with a whole second."""


def quiet_positions(game: str) -> list[str]:
    rows = [row.split(maxsplit=1) for row in POSITIONS.read_text(encoding="ascii").splitlines()]
    return [row[1] for row in rows if row[0] == game][:5]


def searched(game: Game, only: tuple[int, ...] = ()) -> Result:
    engine = Engine()
    engine.hash_mb = 8
    results: list[Result] = []
    engine.go(game, Limits(nodes=REFERENCE_NODES, root_moves=only), on_result=results.append)
    engine.wait()
    engine.close()
    return results[0]


def check_stops(game: str, make: Callable[[str], Game], stopped: Callable[[str, float], int]) -> None:
    """Stop the program in each position, first at once and then at random moments, and judge its moves."""
    chance = random.Random(1)
    positions = quiet_positions(game)
    scores: dict[tuple[str, int], int] = {}
    best = {position: searched(make(position)).score for position in positions}
    for number in range(STOPS):
        position = positions[number % len(positions)]
        delay_s = chance.uniform(0, LATEST_STOP_S) if number >= len(positions) else 0.0
        move = stopped(position, delay_s)
        if (position, move) not in scores:
            scores[position, move] = searched(make(position), (move,)).score
        assert best[position] - scores[position, move] < WORST, (position, move, delay_s)


@pytest.mark.long
def test_stops_in_quiet_middle_games_of_xiangqi(uci: ProgramHost) -> None:
    def stopped(position: str, delay_s: float) -> int:
        uci.send("ucinewgame", f"position fen {position}", "go infinite")
        time.sleep(delay_s)  # the stop comes at a random moment
        uci.send("stop")
        return parse_move(uci.until("bestmove *")[-1].split()[1])

    check_stops("xiangqi", XiangqiPosition, stopped)


@pytest.mark.long
def test_stops_in_quiet_middle_games_of_gomoku(start: HostMaker) -> None:
    host = start()
    host.play("> START 15\n< OK")
    host.send("INFO timeout_match 0", "INFO timeout_turn 1000000")

    def make(position: str) -> Game:
        game = GomokuPosition(15, 15, 0)
        for move in position.split():
            game.push(move_at(*parse_point(move)))
        return game

    def stopped(position: str, delay_s: float) -> int:
        moves = position.split()
        stones = [f"{move},{1 if (len(moves) - number) % 2 == 0 else 2}" for number, move in enumerate(moves)]
        host.send("YXHASHCLEAR", "BOARD", *stones, "DONE")
        time.sleep(delay_s)
        host.send("YXSTOP")
        return move_at(*parse_point(host.until("*,*")[-1]))

    check_stops("gomoku", make, stopped)


@pytest.mark.parametrize("protocol", ["ucci", "uci"])
@pytest.mark.parametrize("end", ["stop", "quit"])
def test_a_stop_at_once_plays_no_capture_that_loses_a_cannon(start: HostMaker, protocol: str, end: str) -> None:
    host = start()
    host.send(protocol)
    host.until(f"{protocol}ok")
    host.send("position startpos moves h2e2", "go infinite", end)
    said = host.until("bestmove *")
    move = said[-1].split()[1]
    position = XiangqiPosition()
    position.push(parse_move("h2e2"))
    assert position.is_legal(parse_move(move))
    assert move != "b7b0", "the first capture of the list"
    scores = [int(line.split(" score ")[1].replace("cp ", "").split()[0]) for line in said if " score " in line]
    assert scores
    assert all(abs(score) < MATE // 2 for score in scores)


def test_a_stop_at_once_with_many_lines(uci: ProgramHost) -> None:
    """The finished lines are shown, the best first, and its move is played."""
    uci.send("setoption name MultiPV value 64", "position startpos moves h2e2", "go infinite", "stop")
    said = uci.until("bestmove *")
    lines = [line for line in said if " multipv " in line]
    assert lines
    first = next(line for line in reversed(lines) if " multipv 1 " in line)
    assert first.split(" pv ")[1].split()[0] == said[-1].split()[1] != "b7b0"
