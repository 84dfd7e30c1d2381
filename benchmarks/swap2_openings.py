"""Find openings for Swap2: three stones each, after which a long search finds neither side ahead.

    python benchmarks/swap2_openings.py --out benchmarks/swap2_openings.jsonl --resume

Draws three random stones (black, white, black) in a 7x7 square somewhere on the board, as the engine does when it
proposes an opening. Searches of 20 and 500 ms filter them; what is left is searched for 10 s with two threads. An
opening is fair if this search finds no forced win and its expected score for White, who is to move, is 45 to 55 %. The
long search ends early where it is outside of that after 4 s, or clearly so after 1.5 s. No two openings of a board are
alike after turning and mirroring. All candidates that pass the filters are written, one JSON object a line, with the
scores in centipawns. The boards take turns, so the script may be stopped at any time; with --resume it goes on.

Searches are by the clock: nothing else should run.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks.xiangqi_blunders import JsonLines
from gomoku_protocol.game_record import RULE_NAMES
from gomoku_protocol.opening import three_random_stones
from gomoku_protocol.points import FREESTYLE, STANDARD, move_at, parse_point, point_of, point_text
from gomoku_protocol.position import Position
from gomoku_protocol.win_probability import chances
from search_core.engine import MATE_BOUND, Engine, Info, Limits

WANTED = ((FREESTYLE, 15, 100), (STANDARD, 15, 100), (FREESTYLE, 20, 50), (STANDARD, 20, 50))
"""Rule, size of the board, openings."""
PARTS = 10
"""All boards get a tenth of their openings, then another one, and so on."""
FILTERS = ((20, 0.12), (500, 0.03))
"""Milliseconds of a search, and how far from 0.5 the expected score after it may be."""
CHECK_MS, MARGIN = 10_000, 0.05
EARLY = ((1500, 0.07), (4000, MARGIN))
"""From when on the last search ends if it is outside of a margin."""
THREADS, HASH_MB = 2, 256

Line = dict[str, Any]


Turn = Callable[[int, int], "tuple[int, int]"]
"""Where a point goes when the board is turned or mirrored."""


class Candidate(NamedTuple):
    number: int
    moves: list[int]
    score: int
    """Centipawns for White by the short search."""


def expected_score(score: int, position: Position) -> float:
    """Of the side to move."""
    win, draw, _ = chances(score, position)
    return win + draw / 2


def is_fair(score: int, position: Position, margin: float) -> bool:
    return abs(score) < MATE_BOUND and abs(expected_score(score, position) - 0.5) <= margin


def move_of(stone: str) -> int:
    return move_at(*parse_point(stone))


def after(moves: Iterable[int], rule: int, size: int) -> Position:
    position = Position(size, size, rule)
    for move in moves:
        position.push(move)
    return position


def symmetries(size: int) -> list[Turn]:
    """The eight ways to turn and mirror a board of `size` columns and rows."""
    last = size - 1
    return [
        lambda x, y: (x, y),
        lambda x, y: (last - x, y),
        lambda x, y: (x, last - y),
        lambda x, y: (last - x, last - y),
        lambda x, y: (y, x),
        lambda x, y: (last - y, x),
        lambda x, y: (y, last - x),
        lambda x, y: (last - y, last - x),
    ]


def likeness(moves: Iterable[int], size: int) -> list[list[tuple[int, int]]]:
    """The same for openings that are alike after turning and mirroring, or in another order of the black stones."""
    points = [point_of(move) for move in moves]
    images = ([turn(x, y) for x, y in points] for turn in symmetries(size))
    return min([sorted(image[::2]), image[1::2]] for image in images)


def filtered(rule: int, size: int, seed: int, first: int, engines: list[Engine]) -> Iterator[Candidate]:
    """The candidates from number `first` on that pass the short search, one search on each engine at a time."""

    def judged(engine: Engine, number: int) -> Candidate | None:
        moves = three_random_stones(size, size, random.Random(f"{seed} {rule} {size} {number}"))
        position = after(moves, rule, size)
        score = 0
        for milliseconds, margin in FILTERS:
            engine.new_game()
            score = engine.search(position, Limits(soft_ms=milliseconds, hard_ms=milliseconds)).score
            if not is_fair(score, position, margin):
                return None
        return Candidate(number, moves, score)

    number = first
    with ThreadPoolExecutor(len(engines)) as pool:
        while True:
            found = pool.map(judged, engines, range(number, number + len(engines)))
            yield from (candidate for candidate in found if candidate is not None)
            number += len(engines)


def checked(engine: Engine, position: Position) -> int:
    """Centipawns for the side to move by the long search."""

    def stop_early(info: Info) -> None:
        margins = [margin for from_ms, margin in EARLY if info.time_ms >= from_ms]
        if margins and info.bound == "exact" and not is_fair(info.score, position, margins[-1]):
            engine.stop()

    engine.new_game()
    return engine.search(position, Limits(soft_ms=CHECK_MS, hard_ms=CHECK_MS), stop_early).score


class Board:
    """The openings of one rule and size."""

    def __init__(self, rule: int, size: int, wanted: int, seed: int, judged: list[Line], quick: list[Engine]) -> None:
        self.name = f"{RULE_NAMES[rule]} {size}x{size}"
        self.wanted = wanted
        self._rule = rule
        self._size = size
        old = [line for line in judged if line["board"] == self.name]
        self._known = [likeness(map(move_of, line["stones"].split()), size) for line in old]
        self.fair = sum(line["fair"] for line in old)
        self.number = max((line["number"] for line in old), default=-1) + 1
        """Of the next candidate."""
        self._candidates = filtered(rule, size, seed, self.number, quick)

    def judge_next(self, engine: Engine) -> Line:
        """Search the next candidate that passes the filters, and count it if it is fair."""
        candidate = next(new for new in self._candidates if likeness(new.moves, self._size) not in self._known)
        self._known.append(likeness(candidate.moves, self._size))
        position = after(candidate.moves, self._rule, self._size)
        score = checked(engine, position)
        fair = is_fair(score, position, MARGIN)
        self.fair += fair
        self.number = candidate.number + 1
        return {
            "board": self.name,
            "number": candidate.number,
            "stones": " ".join(map(point_text, candidate.moves)),
            "filter_cp": candidate.score,
            "check_cp": score,
            "fair": fair,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the candidates, JSON lines")
    parser.add_argument("--seed", type=int, default=2, metavar="N", help="of the draws (default 2)")
    parser.add_argument("--resume", action="store_true", help="go on with FILE")
    args = parser.parse_args()
    lines = JsonLines(args.out, {"seed": args.seed, "filters": FILTERS, "check_ms": CHECK_MS}, args.resume)
    quick, thorough = [Engine(), Engine()], Engine()
    thorough.threads, thorough.hash_mb = THREADS, HASH_MB
    boards = [Board(*wanted, args.seed, lines.lines, quick) for wanted in WANTED]
    for part in range(1, PARTS + 1):
        for board in boards:
            while board.fair < board.wanted * part // PARTS:
                lines.add(board.judge_next(thorough))
                print(f"{board.name}: {board.fair} of {board.wanted} after {board.number} candidates", flush=True)
    for engine in (*quick, thorough):
        engine.close()


if __name__ == "__main__":
    main()
