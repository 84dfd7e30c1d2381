"""The cost of an early stop: 200 stops 0 to 50 ms after a search's start, in quiet middle games of Xiangqi and Gomoku.

    python benchmarks/early_stop.py

The reference is a search of one second from the same position. The loss of a move is the score of that search minus
the score of a search of the same length of that move alone. No move may lose 200 centipawns or more.

The positions of Gomoku are from self-play at 2,000 nodes a move, from three random stones. A position is quiet if a
search of 3 s sees neither side ahead by 150, and if at most 2 of 12 random points beside stones lose by force. If only
one move defends against a threat, an immediate stop may miss it.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

from engine_client.process import GOMOCUP_LINES, EngineProcess
from gomoku_protocol.points import move_at, parse_point, point_text
from gomoku_protocol.position import Position as GomokuPosition
from search_core.clock import now_s
from search_core.engine import Engine, Limits, Result
from search_core.game import Game
from ucci_engine.points import move_text, parse_move
from ucci_engine.position import Position as XiangqiPosition

SANQI = f"{sysconfig.get_path('scripts')}/sanqi"
POSITIONS = Path(__file__).with_name("quiet_middle_games.txt")
WORST = 200
LATEST_STOP_S = 0.05
ANSWER_S = 30.0


class Xiangqi:
    """The program over UCI."""

    text = staticmethod(move_text)

    def __init__(self) -> None:
        self._process = EngineProcess([SANQI, "uci"])
        self._ask("uci", "uciok")

    def game(self, position: str) -> Game:
        return XiangqiPosition(position)

    def stopped(self, position: str, delay_s: float) -> int:
        """The move that the program plays when it is stopped after a delay."""
        self._process.send("ucinewgame")
        self._process.send(f"position fen {position}")
        self._process.send("go infinite")
        time.sleep(delay_s)
        return parse_move(self._ask("stop", "bestmove .*").split()[1])

    def close(self) -> None:
        self._process.close()

    def _ask(self, line: str, answer: str) -> str:
        return asked(self._process, line, answer)


class Gomoku:
    """The program over Gomocup's protocol, 15x15 freestyle."""

    text = staticmethod(point_text)

    def __init__(self) -> None:
        self._process = EngineProcess([SANQI], kinds=GOMOCUP_LINES)
        self._ask("START 15", "OK")
        self._process.send("INFO timeout_match 0")
        self._process.send("INFO timeout_turn 1000000")

    def game(self, position: str) -> Game:
        game = GomokuPosition(15, 15, 0)
        for move in position.split():
            game.push(move_at(*parse_point(move)))
        return game

    def stopped(self, position: str, delay_s: float) -> int:
        """The move that the program plays when it is stopped after a delay."""
        moves = position.split()
        self._process.send("YXHASHCLEAR")
        self._process.send("BOARD")
        for number, move in enumerate(moves):
            self._process.send(f"{move},{1 if (len(moves) - number) % 2 == 0 else 2}")
        self._process.send("DONE")
        time.sleep(delay_s)
        return move_at(*parse_point(self._ask("YXSTOP", r"\d+,\d+")))

    def close(self) -> None:
        self._process.close()

    def _ask(self, line: str, answer: str) -> str:
        return asked(self._process, line, answer)


def asked(process: EngineProcess, line: str, answer: str) -> str:
    process.send(line)
    deadline = now_s() + ANSWER_S
    while not re.fullmatch(answer, text := process.receive(deadline).text):
        pass
    return text


def searched(game: Game, milliseconds: int, only: tuple[int, ...] = ()) -> Result:
    engine = Engine()
    results: list[Result] = []
    engine.go(game, Limits(soft_ms=milliseconds, hard_ms=milliseconds, root_moves=only), on_result=results.append)
    engine.wait()
    engine.close()
    return results[0]


def losses(
    make_program: Callable[[], Xiangqi | Gomoku], positions: list[str], stops: int, milliseconds: int
) -> list[int]:
    """The centipawns that each stop loses; the stops go through the positions in turn."""
    program = make_program()
    rng = random.Random(1)
    lost = []
    references: dict[str, Result] = {}
    scores: dict[tuple[str, int], int] = {}
    try:
        for number in range(stops):
            position = positions[number % len(positions)]
            game = program.game(position)
            # The first stop of each position comes at once.
            delay_s = rng.uniform(0, LATEST_STOP_S) if number >= len(positions) else 0.0
            move = program.stopped(position, delay_s)
            if position not in references:
                references[position] = searched(game, milliseconds)
                best = references[position].best
                assert best is not None
                scores[position, best] = references[position].score
            if (position, move) not in scores:
                scores[position, move] = searched(game, milliseconds, (move,)).score
            lost.append(references[position].score - scores[position, move])
            if lost[-1] >= WORST:
                print(f"{program.text(move)} after {delay_s * 1000:.0f} ms loses {lost[-1]}: {position}")
    finally:
        program.close()
    return lost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stops", type=int, default=200, metavar="N", help="of each game (default 200)")
    parser.add_argument("--reference", type=int, default=1000, metavar="MS", help="milliseconds (default 1000)")
    parser.add_argument("--positions", type=Path, default=POSITIONS, metavar="FILE", help="game and position a line")
    args = parser.parse_args()

    rows = [row.split(maxsplit=1) for row in args.positions.read_text(encoding="ascii").splitlines()]
    failed = False
    for name, make_program in (("xiangqi", Xiangqi), ("gomoku", Gomoku)):
        positions = [row[1] for row in rows if row[0] == name]
        lost = losses(make_program, positions, args.stops, args.reference)
        failed |= max(lost) >= WORST
        print(f"{name}: {len(lost)} stops lose {statistics.mean(lost):.0f} centipawns in the mean, {max(lost)} at most")
    sys.exit(failed)


if __name__ == "__main__":
    main()
