"""Find openings for Swap2: three stones each, after which a long search finds neither side ahead.

    python benchmarks/swap2_openings.py search benchmarks/swap2_openings.jsonl --resume
    python benchmarks/swap2_openings.py write benchmarks/swap2_openings.jsonl gomoku_protocol/data/swap2.txt

The first command draws three random stones (black, white, black) in a 7x7 square near the edge, or takes an opening
that was nearly fair on a board of this size and moves one stone of it by a point. Searches of 20 and 500 ms filter
them; what is left, and what is fair by another rule, is searched with two threads: for 1.5 s, 3 s and 10 s, as long as
no side is ahead. An opening is fair if the last search finds no forced win and its expected score for White, who is to
move, is 45 to 55 %. No two openings of a board are alike after turning and mirroring. All candidates of the long search
are written, one JSON object a line, with the scores in centipawns. The script may be stopped at any time; with --resume
it goes on. The second command makes the file that the engine reads, of the boards that have all their openings.

Searches are by the clock: nothing else should run.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[1]))

from benchmarks.json_lines import JsonLines, read_lines
from gomoku_protocol.opening import three_random_stones
from gomoku_protocol.points import FREESTYLE, STANDARD, move_at, parse_point, point_of, point_text
from gomoku_protocol.position import Position
from gomoku_protocol.swap2_store import board_name, symmetries
from gomoku_protocol.win_probability import chances
from search_core.engine import MATE_BOUND, Engine, Limits

WANTED = ((FREESTYLE, 15, 100), (STANDARD, 15, 100), (FREESTYLE, 20, 50), (STANDARD, 20, 50))
"""Rule, size of the board, openings."""
FILTERS = ((20, 0.12), (500, 0.03))
"""Milliseconds of a search, and how far from 0.5 the expected score after it may be."""
CHECKS = ((1500, 0.06), (3000, 0.05), (10_000, 0.05))
"""The same for the searches of what the filters left; the last one decides."""
MARGIN = CHECKS[-1][1]
NEAR_CP = 40
"""An opening whose score by the long search is no further from 0 is a source of others for boards of its size."""
EDGE = 1
"""How far from the edge the nearest stone may be. Of 63 openings on 20x20 that were further inside and passed the
filters, none was fair, of 612 others 100."""
DRAWN_EVERY = 4
"""One of so many candidates is random, the others come from sources."""
THREADS, HASH_MB = 2, 256

Line = dict[str, Any]


class Source(NamedTuple):
    """An opening that is nearly fair by a rule."""

    rule: int
    moves: list[int]
    fair: bool


class Candidate(NamedTuple):
    number: int
    moves: list[int]
    origin: str
    """``random``, ``neighbour`` of a source, or ``other rule``."""


def expected_score(score: int, position: Position) -> float:
    """Of the side to move."""
    return chances(score, position).expected_score


def is_fair(score: int, position: Position, margin: float) -> bool:
    return abs(score) < MATE_BOUND and abs(expected_score(score, position) - 0.5) <= margin


def move_of(stone: str) -> int:
    return move_at(*parse_point(stone))


def after(moves: Iterable[int], rule: int, size: int) -> Position:
    position = Position(size, size, rule)
    for move in moves:
        position.push(move)
    return position


def likeness(moves: Iterable[int], size: int) -> list[list[tuple[int, int]]]:
    """The same for openings that are alike after turning and mirroring, or in another order of the black stones."""
    points = [point_of(move) for move in moves]
    images = ([turn(x, y) for x, y in points] for turn in symmetries(size))
    return min([sorted(image[::2]), image[1::2]] for image in images)


def is_near_edge(moves: Iterable[int], size: int) -> bool:
    return min(min(place, size - 1 - place) for move in moves for place in point_of(move)) <= EDGE


def neighbour(moves: list[int], size: int, chance: random.Random) -> list[int]:
    """The same opening, or it with one stone moved by a point."""
    stones = [point_of(move) for move in moves]
    number = chance.randrange(len(stones))
    x, y = stones[number]
    moved = (x + chance.randint(-1, 1), y + chance.randint(-1, 1))
    if moved not in stones and all(0 <= place < size for place in moved):
        stones[number] = moved
    return [move_at(*stone) for stone in stones]


def filter_score(engine: Engine, candidate: Candidate, rule: int, size: int) -> int | None:
    """Centipawns for White by the last filter; None: a filter finds one side ahead."""
    position = after(candidate.moves, rule, size)
    score = 0
    for milliseconds, margin in FILTERS:
        engine.new_game()
        score = engine.search(position, Limits(soft_ms=milliseconds, hard_ms=milliseconds)).score
        if not is_fair(score, position, margin):
            return None
    return score


def checked(engine: Engine, position: Position) -> int:
    """Centipawns for the side to move by the last check, or by the first one that finds a side ahead."""
    score = 0
    for milliseconds, margin in CHECKS:
        engine.new_game()
        score = engine.search(position, Limits(soft_ms=milliseconds, hard_ms=milliseconds)).score
        if not is_fair(score, position, margin):
            break
    return score


class Board:
    """The openings of one rule and size. New sources of this size are added to `sources`."""

    def __init__(
        self,
        rule: int,
        size: int,
        wanted: int,
        seed: int,
        judged: list[Line],
        sources: list[Source],
        quick: list[Engine],
    ) -> None:
        self.name = board_name(rule, size, size)
        self.wanted = wanted
        self._rule = rule
        self._size = size
        self._seed = seed
        old = [line for line in judged if line["board"] == self.name]
        self._tried = [likeness(map(move_of, line["stones"].split()), size) for line in old]
        self.fair = sum(line["fair"] for line in old)
        self.number = max((line["number"] for line in old), default=-1) + 1
        """Of the next candidate."""
        self._sources = sources
        self._passed = self._filtered(quick)

    def judge_next(self, engine: Engine) -> Line:
        """Search what is fair by another rule, or the next candidate that passes the filters; count it if fair."""
        candidate, filter_cp = self._carried() or next(self._passed)
        position = after(candidate.moves, self._rule, self._size)
        score = checked(engine, position)
        fair = is_fair(score, position, MARGIN)
        self.fair += fair
        if abs(score) <= NEAR_CP:
            self._sources.append(Source(self._rule, candidate.moves, fair))
        return {
            "board": self.name,
            "number": candidate.number,
            "stones": " ".join(map(point_text, candidate.moves)),
            "origin": candidate.origin,
            "filter_cp": filter_cp,
            "check_cp": score,
            "fair": fair,
        }

    def _carried(self) -> tuple[Candidate, None] | None:
        for source in self._sources:
            if source.fair and source.rule != self._rule and self._is_new(source.moves):
                self.number += 1
                return Candidate(self.number - 1, source.moves, "other rule"), None
        return None

    def _filtered(self, engines: list[Engine]) -> Iterator[tuple[Candidate, int]]:
        """The candidates that pass the filters, with their scores; one search on each engine at a time."""
        with ThreadPoolExecutor(len(engines)) as pool:
            while True:
                candidates = [self._next_candidate() for _ in engines]
                scores = pool.map(partial(filter_score, rule=self._rule, size=self._size), engines, candidates)
                for candidate, score in zip(candidates, scores, strict=True):
                    if score is not None:
                        yield candidate, score

    def _next_candidate(self) -> Candidate:
        while True:
            number = self.number
            self.number += 1
            chance = random.Random(f"{self._seed} {self._rule} {self._size} {number}")
            if number % DRAWN_EVERY == 0 or not self._sources:
                candidate = Candidate(number, three_random_stones(self._size, self._size, chance), "random")
            else:
                source = chance.choice(self._sources)
                candidate = Candidate(number, neighbour(source.moves, self._size, chance), "neighbour")
            if is_near_edge(candidate.moves, self._size) and self._is_new(candidate.moves):
                return candidate

    def _is_new(self, moves: list[int]) -> bool:
        """Whether nothing like it was tried. From now on it was."""
        shape = likeness(moves, self._size)
        if shape in self._tried:
            return False
        self._tried.append(shape)
        return True


def search(args: argparse.Namespace) -> None:
    lines = JsonLines(args.judged, {"seed": args.seed, "filters": FILTERS, "check_ms": CHECKS[-1][0]}, args.resume)
    quick, thorough = [Engine(), Engine()], Engine()
    thorough.threads, thorough.hash_mb = THREADS, HASH_MB
    sources: dict[int, list[Source]] = {size: [] for _, size, _ in WANTED}
    for rule, size, _ in WANTED:
        for line in lines.lines:
            if line["board"] == board_name(rule, size, size) and abs(line["check_cp"]) <= NEAR_CP:
                moves = [move_of(stone) for stone in line["stones"].split()]
                sources[size].append(Source(rule, moves, line["fair"]))
    boards = [Board(rule, size, wanted, args.seed, lines.lines, sources[size], quick) for rule, size, wanted in WANTED]
    for board in boards:
        while board.fair < board.wanted:
            lines.add(board.judge_next(thorough))
            print(f"{board.name}: {board.fair} of {board.wanted} after {board.number} candidates", flush=True)
    for engine in (*quick, thorough):
        engine.close()


def write(args: argparse.Namespace) -> None:
    fair = [line for line in read_lines(args.judged) if line["fair"]]
    text = ["# Fair openings for Swap2: black, white, black. Made by benchmarks/swap2_openings.py."]
    for rule, size, wanted in WANTED:
        name = board_name(rule, size, size)
        stones = [line["stones"] for line in fair if line["board"] == name][:wanted]
        if len(stones) < wanted:
            print(f"{name}: {len(stones)} of {wanted}, left out")
        else:
            text += [f"[{name}]", *stones]
    args.openings.write_text("".join(f"{line}\n" for line in text), encoding="ascii", newline="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    searching = commands.add_parser("search", help="find fair openings")
    searching.add_argument("judged", type=Path, metavar="FILE", help="the candidates, JSON lines")
    searching.add_argument("--seed", type=int, default=2, metavar="N", help="of the draws (default 2)")
    searching.add_argument("--resume", action="store_true", help="go on with FILE")
    searching.set_defaults(run=search)
    writing = commands.add_parser("write", help="write the fair ones for the engine")
    writing.add_argument("judged", type=Path, metavar="FILE", help="the candidates, JSON lines")
    writing.add_argument("openings", type=Path, metavar="OPENINGS", help="the file to make")
    writing.set_defaults(run=write)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
